package gpu

import (
	"fmt"
	"unsafe"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/program"
)

// module is a processor's kernels of a part of package src.
type module struct {
	built   device.Program
	kernels map[string]device.Kernel
}

// build returns the kernels of a part, as Program.module builds it.
func (p *Processor) build(part, fragment string, defines ...string) (*module, error) {
	if info := p.dev.Info(); info.FP64 {
		defines = append(defines, "-DFP64")
	}
	if p.dev.Info().Int64Atomics {
		defines = append(defines, "-DINT64")
	}
	built, err := p.program.module(part, fragment, defines...)
	if err != nil {
		return nil, err
	}
	if p.modules[built] == nil {
		if p.modules == nil {
			p.modules = map[device.Program]*module{}
		}
		p.modules[built] = &module{built, map[string]device.Kernel{}}
	}
	return p.modules[built], nil
}

// start enqueues a kernel of a module for n items.
func (p *Processor) start(m *module, name string, n int64, a args) {
	p.startGroups(m, name, (n+int64(p.program.group)-1)/int64(p.program.group), a)
}

func (p *Processor) startGroups(m *module, name string, groups int64, a args) {
	k := m.kernels[name]
	if k == nil && p.err == nil {
		if k, p.err = m.built.Kernel(name); p.err == nil {
			m.kernels[name] = k
			p.freed = append(p.freed, k)
		}
	}
	if p.err != nil {
		return
	}
	p.launches[name]++
	p.err = p.stream.Launch(k, device.Launch{Groups: int(max(1, min(groups, int64(p.groups)))), GroupSize: p.program.group, Args: a})
}

func (a args) u64(x uint64) args { return append(a, device.Arg{Scalar: x, Width: 8}) }

// weightKey names the weights of all chunks as values of a type.
type weightKey struct {
	side  int
	value program.Type
}

// weights returns the weights of out-arcs (0) or in-arcs by chunk as values of a type, uploaded once;
// nil where all are 1. The error wraps ErrUnsupported where the type does not hold them.
func (p *Processor) weights(side int, t program.Type) ([]device.Buffer, error) {
	key := p.weightKey(side, t)
	if list, is := p.weighted[key]; is {
		return list, nil
	}
	var list []device.Buffer
	for i := range p.chunks {
		c := &p.chunks[i]
		a := c.along(side)
		if a.Neighbours == nil && a.Arcs() > 0 {
			return nil, fmt.Errorf("host memory lacks the weights: %w", kernels.ErrUnsupported)
		}
		if a.Weights.Kind() == graph.Unweighted {
			continue
		}
		lo, _ := a.Row(c.lo)
		_, hi := a.Row(c.lo + c.n - 1)
		words, err := weightWords(a.Weights.Slice(int(lo), int(hi)), t)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", err, kernels.ErrUnsupported)
		}
		b := p.newBuffer("weights", max(4, 4*int64(len(words))))
		p.upload(b, 0, words)
		if p.finish() != nil {
			return nil, p.err
		}
		list = append(list, b)
	}
	if p.weighted == nil {
		p.weighted = map[weightKey][]device.Buffer{}
	}
	p.weighted[key] = list
	return list, nil
}

func (p *Processor) weightKey(side int, t program.Type) weightKey {
	if !p.part.Directed {
		side = 0
	}
	return weightKey{side, t}
}

// weightBytes is the device memory of weights.
func (p *Processor) weightBytes(key weightKey) (bytes int64) {
	for i := range p.chunks {
		c := &p.chunks[i]
		if a := c.along(key.side); a.Weights.Kind() != graph.Unweighted {
			bytes += max(4, int64(key.value.Size())*entriesOf(c.sub, a, c.lo, c.lo+c.n))
		}
	}
	return bytes
}

// along is the structure of out-arcs (0) or in-arcs, or of both.
func (c *chunk) along(side int) *graph.Adjacency {
	if side == 1 && c.sub.In != nil || c.sub.Out == nil {
		return c.sub.In
	}
	return c.sub.Out
}

func weightWords(w graph.Weights, t program.Type) ([]uint32, error) {
	switch t {
	case program.U32:
		return wordsOf(kernels.ExactWeights[uint32](w))
	case program.I32:
		return wordsOf(kernels.ExactWeights[int32](w))
	case program.U64:
		return wordsOf(kernels.ExactWeights[uint64](w))
	case program.I64:
		return wordsOf(kernels.ExactWeights[int64](w))
	case program.F32:
		return wordsOf(kernels.ExactWeights[float32](w))
	}
	return wordsOf(kernels.ExactWeights[float64](w))
}

// wordsOf views values as words.
func wordsOf[T program.Value](list []T, err error) ([]uint32, error) {
	if len(list) == 0 || err != nil {
		return nil, err
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(&list[0])), len(list)*int(unsafe.Sizeof(list[0]))/4), nil
}

// newList returns n values of a type, in the memory of old where that is enough, and their words.
func newList(old any, t program.Type, n int) (any, []uint32) {
	switch t {
	case program.U32:
		return listOf[uint32](old, n)
	case program.I32:
		return listOf[int32](old, n)
	case program.U64:
		return listOf[uint64](old, n)
	case program.I64:
		return listOf[int64](old, n)
	case program.F32:
		return listOf[float32](old, n)
	}
	return listOf[float64](old, n)
}

func listOf[T program.Value](old any, n int) (any, []uint32) {
	list, _ := old.([]T)
	if cap(list) < n {
		list = make([]T, n)
	}
	words, _ := wordsOf(list[:n], nil)
	return list[:n], words
}

// listWords views the values of a message as words; ok is false where they are not of the type.
func listWords(values any, t program.Type) (words []uint32, ok bool) {
	switch v := values.(type) {
	case []uint32:
		words, ok = v, t == program.U32
	case []int32:
		words, _ = wordsOf(v, nil)
		ok = t == program.I32
	case []uint64:
		words, _ = wordsOf(v, nil)
		ok = t == program.U64
	case []int64:
		words, _ = wordsOf(v, nil)
		ok = t == program.I64
	case []float32:
		words, _ = wordsOf(v, nil)
		ok = t == program.F32
	case []float64:
		words, _ = wordsOf(v, nil)
		ok = t == program.F64
	}
	return words, ok
}
