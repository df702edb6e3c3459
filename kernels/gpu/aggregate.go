package gpu

import (
	"slices"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// RemoteClaims lists own vertices that partition q found.
func (p *run) RemoteClaims(q int) (all []uint32, err error) {
	defer p.done("RemoteClaims", &err)
	if q < 0 || q >= len(p.delivered) || !p.delivered[q] {
		return nil, nil
	}
	p.unvisitedListed = false // scratchA is overwritten
	claims := p.scratchA
	counter := p.counterWords(len(p.chunks)) - 1
	for i := range p.chunks {
		p.fill(p.counters, 4*int64(counter), 4, 0)
		p.listRemote(&p.chunks[i], q, claims, counter)
		if err := p.readCounters(); err != nil {
			return nil, err
		}
		if all, err = p.appendWords(all, claims, int64(p.tally[counter])); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// listRemote launches the kernel that lists the vertices of a chunk that partition q found,
// and counts them in a counter.
func (p *Processor) listRemote(c *chunk, q int, list device.Buffer, counter int) {
	p.launch("foreign_list", int64(c.n), buf(p.seen, p.finder).u32(c.base-c.rank(), c.rank(), c.n, uint32(q)).
		buf(list, p.counters).u32(uint32(counter)))
}

// appendWords appends the first n words of src to list.
func (p *Processor) appendWords(list []uint32, src device.Buffer, n int64) ([]uint32, error) {
	err := p.download(src, 0, n, func(words []uint32) { list = append(list, words...) })
	return list, err
}

// LookupParents returns parents by rank.
func (p *run) LookupParents(ranks []uint32) (all []uint32, err error) {
	defer p.done("LookupParents", &err)
	p.unvisitedListed = false
	asked := p.scratchA // ranks, then their parents
	for part := range slices.Chunk(ranks, int(asked.Size()/4)) {
		p.upload(asked, 0, part)
		p.byRank("answer", asked, len(part))
		if all, err = p.appendWords(all, asked, int64(len(part))); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// byRank launches answer or adopt for n ranks at the begin of list.
func (p *Processor) byRank(kernel string, list device.Buffer, n int) {
	p.launch(kernel, int64(n), buf(list).u32(uint32(n)).buf(p.parent))
}

var _ kernels.DeviceResults = (*run)(nil)

// Parents resolves parents and copies them to out.
func (p *run) Parents(out []uint32, foreign, answers [][]uint32) (err error) {
	defer p.done("Parents", &err)
	p.settle(foreign, answers)
	return p.fetch(out)
}

// Resolve maps parents to vertex ids. Result: scratchA, one id per own rank.
func (p *run) Resolve(foreign, answers [][]uint32) (err error) {
	defer p.done("Resolve", &err)
	p.settle(foreign, answers)
	return p.finish()
}

// CopyTo copies the result of Resolve to out.
func (p *run) CopyTo(out []uint32) (err error) {
	defer p.done("CopyTo", &err)
	return p.fetch(out)
}

func (p *Processor) settle(foreign, answers [][]uint32) {
	p.unvisitedListed = false
	pairs := p.scratchA // n ranks, then their n parents
	for q := range foreign {
		parents := answers[q]
		for ranks := range slices.Chunk(foreign[q], int(pairs.Size()/8)) {
			n := len(ranks)
			p.upload(pairs, 0, ranks)
			p.upload(pairs, int64(n), parents[:n])
			p.byRank("adopt", pairs, n)
			parents = parents[n:]
		}
	}
	for i := range p.chunks {
		p.toVertices(&p.chunks[i])
	}
}

// toVertices launches the kernel that maps the parents of a chunk to vertex ids.
func (p *Processor) toVertices(c *chunk) {
	result := p.scratchA
	p.launch("to_vertices", int64(c.n), buf(p.parent, p.seen, p.vertexOf).u32(c.rank(), c.n).buf(result).u32(c.base))
}

func (p *Processor) fetch(out []uint32) error {
	result := p.scratchA // of toVertices
	for _, c := range p.chunks {
		vertices := p.part.VertexOf[c.rank():]
		err := p.download(result, int64(c.base), int64(c.n), func(words []uint32) {
			for k, parent := range words {
				out[vertices[k]] = parent
			}
			vertices = vertices[len(words):]
		})
		if err != nil {
			return err
		}
	}
	return p.err
}
