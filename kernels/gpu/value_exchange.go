package gpu

import (
	"errors"
	"fmt"
	"slices"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/program"
)

// Expand implements kernels.Run.
func (r *valueRun) Expand(op int, s program.Step, index int) (m kernels.Message, err error) {
	defer r.done("Expand", &err)
	o, rg := &r.operators[op], r.part.Ranges[index]
	if rg.Vertices == 0 || s.From == program.All && o.From < 0 {
		return m, nil
	}
	if s.From == program.All {
		n, t := rg.Padded()-rg.First, r.prog.Arrays[o.From].Type
		m = kernels.Message{Count: int(rg.Vertices), Dense: true}
		m.Values, err = r.downloadValues(index, t, o.from, int64(rg.First), int64(n))
		return m, err
	}
	set := r.front
	if s.From > 0 {
		set = r.active
		r.loadKept(s.From, set)
		r.usesActive = true
	}
	return r.message(index, set, o.From)
}

// downloadValues copies n values of an array from entry at on to the memory of a range's message.
func (r *valueRun) downloadValues(index int, t program.Type, of device.Buffer, at, n int64) (any, error) {
	values, words := valueTypes[t].list(r.boxes[index].values, int(n))
	r.boxes[index].values = values
	size := int64(t.Size() / 4)
	done := 0
	err := r.download(of, size*at, size*n, func(part []uint32) { done += copy(words[done:], part) })
	return values, err
}

// message returns the vertices of a set in a range, with their values of an array unless that is −1.
func (r *valueRun) message(index int, set device.Buffer, array int) (m kernels.Message, err error) {
	rg, b := r.part.Ranges[index], &r.boxes[index]
	of, valued, t := r.state, uint32(0), program.U32
	if array >= 0 {
		of, valued, t = r.arrays[array], 1, r.prog.Arrays[array].Type
	}
	n := words(rg)
	r.fill(r.state, 4*messageCount, 4, 0)
	r.start(r.sets[t], "value_count", int64(n), buf(set).u32(rg.First/32, n).buf(r.totals, r.state).u32(messageCount))
	r.start(r.sets[t], "value_gather", int64(n), buf(set).u32(rg.First/32, n).buf(r.totals, r.state).u32(messageCount).
		buf(r.outList, of, r.outValues).u32(valued))
	err = r.download(r.state, messageCount, 1, func(words []uint32) { m.Count = int(words[0]) })
	if err != nil || m.Count == 0 {
		return m, err
	}
	if asList(m.Count, rg) {
		b.list = b.list[:0]
		err = r.download(r.outList, 0, int64(m.Count), func(words []uint32) { b.list = append(b.list, words...) })
		m.List = b.list
	} else {
		b.bits = b.bits[:0]
		err = r.download(set, int64(rg.First/32), int64(n), func(words []uint32) { b.bits = append(b.bits, words...) })
		m.Bits = b.bits
	}
	if err == nil && array >= 0 {
		m.Values, err = r.downloadValues(index, t, r.outValues, 0, int64(m.Count))
	}
	return m, err
}

// receiveValues uploads the ranks and the values of a message, and has take use n of them at a time.
func (r *valueRun) receiveValues(rg kernels.Range, m kernels.Message, t program.Type, take func(n uint32)) error {
	list, size := m.List, t.Size()/4
	if list == nil {
		list = appendBits(make([]uint32, 0, m.Count), rg, m.Bits)
	}
	values, is := valueTypes[t].words(m.Values)
	if !is || len(list) != m.Count || len(values) != size*m.Count {
		return fmt.Errorf("%d values for %d vertices, %T", len(values)/size, m.Count, m.Values)
	}
	for len(list) > 0 {
		n := min(len(list), int(r.inList.Size()/4))
		r.upload(r.inList, 0, list[:n])
		r.upload(r.inValues, 0, values[:size*n])
		take(uint32(n))
		list, values = list[n:], values[size*n:]
	}
	return nil
}

// Take implements kernels.Run.
func (r *valueRun) Take(op int, s program.Step, index int, m kernels.Message) (err error) {
	defer r.done("Take", &err)
	o, rg := &r.operators[op], r.part.Ranges[index]
	if !m.Dense && s.From != program.All {
		set := r.front
		if s.From > 0 {
			set, r.usesActive = r.active, true
		}
		at := rg.First / 32
		if m.Count == 0 {
			r.fill(set, 4*int64(at), 4*int64(words(rg)), 0)
		} else {
			r.upload(set, int64(at), r.bitsOf(rg, m))
			if o.Once {
				r.start(r.sets[program.U32], "value_unite", int64(words(rg)), buf(set).u32(at, words(rg)).buf(r.seen))
			}
		}
	}
	if o.From < 0 || m.Count == 0 {
		return r.finish()
	}
	r.identity[o.From] = 0
	t := r.prog.Arrays[o.From].Type
	if m.Dense {
		values, is := valueTypes[t].words(m.Values)
		if size := int64(t.Size() / 4); is && int64(len(values)) == size*int64(rg.Padded()-rg.First) {
			r.upload(o.from, size*int64(rg.First), values)
			return r.finish()
		}
		return fmt.Errorf("%T for a range of %d", m.Values, rg.Vertices)
	}
	return r.receiveValues(rg, m, t, func(n uint32) {
		r.start(r.sets[t], "value_scatter", int64(n), buf(r.inList, r.inValues).u32(n).buf(o.from))
	})
}

// bitsOf is a message's set as a bitmap.
func (r *valueRun) bitsOf(rg kernels.Range, m kernels.Message) []uint32 {
	if m.Bits != nil {
		return m.Bits
	}
	return r.bitmap(rg, m.List)
}

// bitmap is the ranks of a list that are in a range, as a bitmap.
func (r *valueRun) bitmap(rg kernels.Range, list []uint32) []uint32 {
	n := int(words(rg))
	r.words = slices.Grow(r.words[:0], n)[:n]
	setBits(r.words, rg, list)
	return r.words
}

// Fold implements kernels.Run.
func (r *valueRun) Fold(index int) (_ kernels.Message, err error) {
	defer r.done("Fold", &err)
	if r.part.Ranges[index].Vertices == 0 || r.op == nil || r.step.Way == program.Pull {
		return kernels.Message{}, nil
	}
	return r.message(index, r.next, r.op.To)
}

// Merge implements kernels.Run.
func (r *valueRun) Merge(index, _ int, m kernels.Message) (err error) {
	defer r.done("Merge", &err)
	switch {
	case m.Count == 0:
		return nil
	case r.op == nil:
		return errors.New("Merge without Step")
	}
	o := r.op
	return r.receiveValues(r.part.Ranges[index], m, r.prog.Arrays[o.To].Type, func(n uint32) {
		r.start(o.kernels, "value_merge", int64(n), buf(r.inList, r.inValues).u32(n).buf(o.to, o.known, r.mine, r.seen, r.next))
	})
}

// loadKept replaces own vertices of a set by those of a stored one.
func (r *valueRun) loadKept(k program.Set, set device.Buffer) {
	for _, i := range r.owned {
		if rg := r.part.Ranges[i]; rg.Vertices > 0 {
			r.upload(set, int64(rg.First/32), r.bitmap(rg, r.kept[k]))
		}
	}
}

// Keep implements kernels.Run: stored sets lie in host memory.
func (r *valueRun) Keep(k program.Set) (err error) {
	defer r.done("Keep", &err)
	if k < 1 || k > program.MaxSets {
		return fmt.Errorf("there is no set %d", k)
	}
	if r.unlisted {
		if err := r.listSet(r.front); err != nil {
			return err
		}
		r.unlisted = false
	}
	list := []uint32{}
	for i, s := range r.shapes {
		err = r.download(r.list, int64(r.chunks[i].base), s.vertices, func(words []uint32) { list = append(list, words...) })
		if err != nil {
			return err
		}
	}
	r.kept[k] = list
	return nil
}

// Use implements kernels.Run.
func (r *valueRun) Use(k program.Set) (_ kernels.Counts, err error) {
	defer r.done("Use", &err)
	switch {
	case k == program.All:
		r.write(r.front, 0, int64(r.part.Ranks/32), func(at int64, words []uint32) {
			for j := range words {
				words[j] = r.ownWord(uint32(at) + uint32(j))
			}
		})
	case k != program.Default:
		r.loadKept(k, r.front)
	}
	return r.count()
}
