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
		words, err := valueTypes[t].weights(a.Weights.Slice(int(lo), int(hi)))
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

// valueType is what depends on a type of values alone.
type valueType struct {
	weights func(w graph.Weights) ([]uint32, error) // as words: see ExactWeights
	// list returns n values, in the memory of old where that is enough, and their words.
	list func(old any, n int) (any, []uint32)
	// words views the values of a message as words; ok is false where they are not of the type.
	words func(values any) (words []uint32, ok bool)
	read  func(r *valueRun, array int, out any) error
}

// valueTypes are by program.Type.
var valueTypes = [...]valueType{typeOf[uint32](), typeOf[int32](), typeOf[uint64](), typeOf[int64](), typeOf[float32](), typeOf[float64]()}

func typeOf[T program.Value]() valueType {
	return valueType{
		weights: func(w graph.Weights) ([]uint32, error) {
			list, err := kernels.ExactWeights[T](w)
			return wordsOf(list), err
		},
		list: func(old any, n int) (any, []uint32) {
			list, _ := old.([]T)
			if cap(list) < n {
				list = make([]T, n)
			}
			return list[:n], wordsOf(list[:n])
		},
		words: func(values any) ([]uint32, bool) {
			list, is := values.([]T)
			return wordsOf(list), is
		},
		read: read[T],
	}
}

// wordsOf views values as words.
func wordsOf[T program.Value](list []T) []uint32 {
	if len(list) == 0 {
		return nil
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(&list[0])), len(list)*int(unsafe.Sizeof(list[0]))/4)
}
