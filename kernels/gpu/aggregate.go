package gpu

import (
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// Foreign implements kernels.Processor.
func (p *Processor) Foreign(q int) ([]uint32, error) {
	list, err := p.foreign(q)
	return list, p.fail("Foreign", err)
}

func (p *Processor) foreign(q int) (all []uint32, err error) {
	if q < 0 || q >= len(p.delivered) || !p.delivered[q] {
		return nil, nil
	}
	p.unsettledBuilt = false // its list is used here
	for i := range p.chunks {
		c := &p.chunks[i]
		counter := p.counterWords(len(p.chunks)) - 1
		if err := p.stream.Fill(p.counters, 4*int64(counter), 4, 0); err != nil {
			return nil, err
		}
		if err := p.launch("foreign_list", int64(c.n), device.Buf(p.seen), device.Buf(p.finder),
			device.U32(c.base-c.rank()), device.U32(c.rank()), device.U32(c.n), device.U32(uint32(q)),
			device.Buf(p.unsettled), device.Buf(p.counters), device.U32(uint32(counter))); err != nil {
			return nil, err
		}
		tally, err := p.readCounters()
		if err != nil {
			return nil, err
		}
		if all, err = p.download(all, p.unsettled, int64(tally[counter])); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// download appends the first n words of src to list, through the staging of uploads.
func (p *Processor) download(list []uint32, src device.Buffer, n int64) ([]uint32, error) {
	for at := int64(0); at < n; {
		if err := p.finish(); err != nil {
			return nil, err
		}
		part := min(n-at, int64(len(p.up.words)))
		if err := p.stream.Read(p.up.staging, 0, src, 4*at, 4*part); err != nil {
			return nil, err
		}
		if err := p.finish(); err != nil {
			return nil, err
		}
		list = append(list, p.up.words[:part]...)
		at += part
	}
	return list, nil
}

// Answer implements kernels.Processor.
func (p *Processor) Answer(ranks []uint32) ([]uint32, error) {
	list, err := p.answer(ranks)
	return list, p.fail("Answer", err)
}

func (p *Processor) answer(ranks []uint32) (all []uint32, err error) {
	p.unsettledBuilt = false
	for len(ranks) > 0 {
		n := min(len(ranks), int(p.unsettled.Size()/4))
		if err := p.upload(p.unsettled, 0, ranks[:n]); err != nil {
			return nil, err
		}
		if err := p.launch("answer", int64(n), device.Buf(p.unsettled), device.U32(uint32(n)), device.Buf(p.parent)); err != nil {
			return nil, err
		}
		if all, err = p.download(all, p.unsettled, int64(n)); err != nil {
			return nil, err
		}
		ranks = ranks[n:]
	}
	return all, nil
}

var _ kernels.Resident = (*Processor)(nil)

// Parents implements kernels.Processor.
func (p *Processor) Parents(out []uint32, foreign, answers [][]uint32) error {
	err := p.settle(foreign, answers)
	if err == nil {
		err = p.fetch(out)
	}
	return p.fail("Parents", err)
}

// Settle implements kernels.Resident: the device takes the answers over and maps its
// parents to vertex ids, which stand in the memory of the list of the unsettled, by
// own rank.
func (p *Processor) Settle(foreign, answers [][]uint32) error {
	err := p.settle(foreign, answers)
	if err == nil {
		err = p.finish()
	}
	return p.fail("Settle", err)
}

// Fetch implements kernels.Resident.
func (p *Processor) Fetch(out []uint32) error { return p.fail("Fetch", p.fetch(out)) }

func (p *Processor) settle(foreign, answers [][]uint32) error {
	p.unsettledBuilt = false
	for q := range foreign {
		ranks, parents := foreign[q], answers[q]
		for len(ranks) > 0 {
			n := min(len(ranks), int(p.unsettled.Size()/8))
			if err := p.upload(p.unsettled, 0, ranks[:n]); err != nil {
				return err
			}
			if err := p.upload(p.unsettled, int64(n), parents[:n]); err != nil {
				return err
			}
			if err := p.launch("adopt", int64(n), device.Buf(p.unsettled), device.U32(uint32(n)), device.Buf(p.parent)); err != nil {
				return err
			}
			ranks, parents = ranks[n:], parents[n:]
		}
	}
	for i := range p.chunks {
		c := &p.chunks[i]
		if err := p.launch("to_vertices", int64(c.n), device.Buf(p.parent), device.Buf(p.seen), device.Buf(p.vertexOf),
			device.U32(c.rank()), device.U32(c.n), device.Buf(p.unsettled), device.U32(c.base)); err != nil {
			return err
		}
	}
	return nil
}

func (p *Processor) fetch(out []uint32) error {
	for i := range p.chunks {
		c := &p.chunks[i]
		for at := int64(0); at < int64(c.n); {
			if err := p.finish(); err != nil {
				return err
			}
			part := min(int64(c.n)-at, int64(len(p.up.words)))
			if err := p.stream.Read(p.up.staging, 0, p.unsettled, 4*(int64(c.base)+at), 4*part); err != nil {
				return err
			}
			if err := p.finish(); err != nil {
				return err
			}
			for k, v := range p.part.VertexOf[int64(c.rank())+at:][:part] {
				out[v] = p.up.words[k]
			}
			at += part
		}
	}
	return nil
}
