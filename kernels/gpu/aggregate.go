package gpu

import (
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// RemoteClaims lists own vertices that partition q found.
func (p *Processor) RemoteClaims(q int) ([]uint32, error) {
	list, err := p.foreign(q)
	return list, p.fail("RemoteClaims", err)
}

func (p *Processor) foreign(q int) (all []uint32, err error) {
	if q < 0 || q >= len(p.delivered) || !p.delivered[q] {
		return nil, nil
	}
	p.unvisitedListed = false // scratchA is overwritten
	claims := p.scratchA
	for i := range p.chunks {
		counter := p.counterWords(len(p.chunks)) - 1
		if err := p.stream.Fill(p.counters, 4*int64(counter), 4, 0); err != nil {
			return nil, err
		}
		if err := p.listRemote(&p.chunks[i], q, claims, counter); err != nil {
			return nil, err
		}
		tally, err := p.readCounters()
		if err != nil {
			return nil, err
		}
		if all, err = p.download(all, claims, int64(tally[counter])); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// listRemote launches the kernel that lists the vertices of a chunk that partition q found,
// and counts them in a counter.
func (p *Processor) listRemote(c *chunk, q int, list device.Buffer, counter int) error {
	return p.launch("foreign_list", int64(c.n), remoteArgs{seen: p.seen, finder: p.finder, shift: c.base - c.rank(),
		first: c.rank(), vertices: c.n, q: uint32(q), list: list, counters: p.counters, count: uint32(counter)})
}

// download appends the first n words of src to list. It goes through the staging of uploads.
func (p *Processor) download(list []uint32, src device.Buffer, n int64) ([]uint32, error) {
	for at := int64(0); at < n; {
		if err := p.finish(); err != nil {
			return nil, err
		}
		part := min(n-at, int64(len(p.uploads.words)))
		if err := p.stream.Read(p.uploads.staging, 0, src, 4*at, 4*part); err != nil {
			return nil, err
		}
		if err := p.finish(); err != nil {
			return nil, err
		}
		list = append(list, p.uploads.words[:part]...)
		at += part
	}
	return list, nil
}

// LookupParents returns parents by rank.
func (p *Processor) LookupParents(ranks []uint32) ([]uint32, error) {
	list, err := p.answer(ranks)
	return list, p.fail("LookupParents", err)
}

func (p *Processor) answer(ranks []uint32) (all []uint32, err error) {
	p.unvisitedListed = false
	asked := p.scratchA // ranks, then their parents
	for len(ranks) > 0 {
		n := min(len(ranks), int(asked.Size()/4))
		if err := p.upload(asked, 0, ranks[:n]); err != nil {
			return nil, err
		}
		if err := p.launch("answer", int64(n), parentArgs{asked, uint32(n), p.parent}); err != nil {
			return nil, err
		}
		if all, err = p.download(all, asked, int64(n)); err != nil {
			return nil, err
		}
		ranks = ranks[n:]
	}
	return all, nil
}

var _ kernels.DeviceResults = (*Processor)(nil)

// Parents resolves parents and copies them to out.
func (p *Processor) Parents(out []uint32, foreign, answers [][]uint32) error {
	err := p.settle(foreign, answers)
	if err == nil {
		err = p.fetch(out)
	}
	return p.fail("Parents", err)
}

// Resolve maps parents to vertex ids. Result: scratchA, one id per own rank.
func (p *Processor) Resolve(foreign, answers [][]uint32) error {
	err := p.settle(foreign, answers)
	if err == nil {
		err = p.finish()
	}
	return p.fail("Resolve", err)
}

// CopyTo copies the result of Resolve to out.
func (p *Processor) CopyTo(out []uint32) error { return p.fail("CopyTo", p.fetch(out)) }

func (p *Processor) settle(foreign, answers [][]uint32) error {
	p.unvisitedListed = false
	pairs := p.scratchA // n ranks, then their n parents
	for q := range foreign {
		ranks, parents := foreign[q], answers[q]
		for len(ranks) > 0 {
			n := min(len(ranks), int(pairs.Size()/8))
			if err := p.upload(pairs, 0, ranks[:n]); err != nil {
				return err
			}
			if err := p.upload(pairs, int64(n), parents[:n]); err != nil {
				return err
			}
			if err := p.launch("adopt", int64(n), parentArgs{pairs, uint32(n), p.parent}); err != nil {
				return err
			}
			ranks, parents = ranks[n:], parents[n:]
		}
	}
	for i := range p.chunks {
		if err := p.toVertices(&p.chunks[i], p.scratchA); err != nil {
			return err
		}
	}
	return nil
}

// toVertices launches the kernel that maps the parents of a chunk to vertex ids.
func (p *Processor) toVertices(c *chunk, result device.Buffer) error {
	return p.launch("to_vertices", int64(c.n), verticesArgs{parent: p.parent, seen: p.seen, vertexOf: p.vertexOf,
		first: c.rank(), vertices: c.n, result: result, at: c.base})
}

func (p *Processor) fetch(out []uint32) error {
	result := p.scratchA // of settle
	for i := range p.chunks {
		c := &p.chunks[i]
		for at := int64(0); at < int64(c.n); {
			if err := p.finish(); err != nil {
				return err
			}
			part := min(int64(c.n)-at, int64(len(p.uploads.words)))
			if err := p.stream.Read(p.uploads.staging, 0, result, 4*(int64(c.base)+at), 4*part); err != nil {
				return err
			}
			if err := p.finish(); err != nil {
				return err
			}
			for k, v := range p.part.VertexOf[int64(c.rank())+at:][:part] {
				out[v] = p.uploads.words[k]
			}
			at += part
		}
	}
	return nil
}
