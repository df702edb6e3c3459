package gpu

import (
	"context"
	"math/bits"
	"slices"
	"sort"

	"github.com/totemgo/totemgo/internal/workers"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// RemoteClaims lists own vertices that partition q found.
func (p *run) RemoteClaims(q int) (_ []uint32, err error) {
	defer p.done("RemoteClaims", &err)
	if q < 0 || q >= len(p.delivered) || p.delivered[q] == 0 {
		return nil, nil
	}
	if p.claims == nil {
		take := p.listClaims()
		if err := p.finish(); err != nil {
			return nil, err
		}
		if err := take(); err != nil {
			return nil, err
		}
	}
	return p.claims[q], nil
}

// listClaims enqueues the lists of own vertices that others found, one after the other in scratchB, and copies of where
// each ends and of as many entries as staging holds. take, called after a wait, reads them.
func (p *Processor) listClaims() (take func() error) {
	list, counter := p.scratchB, p.rangeCounter(len(p.part.Ranges))
	log, few := p.counterWords(len(p.chunks)), int64(0) // of thin, where the ends are copied to
	for q, n := range p.delivered {
		if n == 0 {
			continue
		}
		if few == 0 {
			p.fill(p.counters, 4*int64(counter), 4, 0)
		}
		for i := range p.chunks {
			p.listRemote(&p.chunks[i], q, list, counter)
		}
		p.read(p.counterStaging, 4*int64(log+q), p.counters, 4*int64(counter), 4)
		few += int64(n)
	}
	staged := p.staged[len(p.staged)/2:] // download uses the first half
	few = min(few, list.Size()/4, int64(len(staged)))
	p.read(p.uploads, 4*int64(len(p.staged)-len(staged)), list, 0, 4*few)
	return func() error {
		claims, from := make([][]uint32, len(p.delivered)), uint32(0)
		all := slices.Clone(staged[:few])
		for q, n := range p.delivered {
			if n == 0 {
				continue
			}
			end := p.tally[log+q]
			if have := int64(len(all)); int64(end) > have {
				if err := p.download(list, have, int64(end)-have, func(words []uint32) { all = append(all, words...) }); err != nil {
					return err
				}
			}
			claims[q], from = all[from:end], end
		}
		p.claims = claims
		return nil
	}
}

// listRemote launches the kernel that appends the vertices of a chunk that partition q found to a list, and
// counts them in a counter.
func (p *Processor) listRemote(c *chunk, q int, list device.Buffer, counter int) {
	p.launch("foreign_list", int64(c.n), buf(p.seen(), p.finder).u32(c.base-c.rank(), c.rank(), c.n, uint32(q)).
		buf(list, p.counters).u32(uint32(counter)))
}

// LookupParents returns parents by rank. The first one of a search lists what RemoteClaims returns, too, in the same wait.
func (p *run) LookupParents(ranks []uint32) (all []uint32, err error) {
	defer p.done("LookupParents", &err)
	asked := p.scratchA // ranks, then their parents
	for part := range slices.Chunk(ranks, int(asked.Size()/4)) {
		p.upload(asked, 0, part)
		p.byRank("answer", asked, len(part))
		take := func() error { return nil }
		if p.claims == nil {
			take = p.listClaims()
		}
		if err := p.download(asked, 0, int64(len(part)), func(words []uint32) { all = append(all, words...) }); err != nil {
			return nil, err
		}
		if err := take(); err != nil {
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

// Resolve maps parents to vertex ids. Result: scratchA, the parents of own vertices by vertex id.
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
		p.scatterParents(&p.chunks[i])
	}
}

// scatterParents launches the kernel that stores the parents of a chunk by vertex id.
func (p *Processor) scatterParents(c *chunk) {
	result := p.scratchA
	p.launch("scatter_parents", int64(c.n), buf(p.parent, p.seen(), p.vertexOf, p.placesOnDevice).u32(c.rank(), c.n).buf(result))
}

// places finds own vertices in the order of vertex ids: word 2w has a bit for each of the ids
// 32w … 32w+31, set where the vertex is own, word 2w+1 the number of own vertices before 32w. The
// last pair ends the list.
//
// So own vertices alone are copied to the host, 4 bytes each, not an entry for each vertex of the graph;
// the position of one costs the device a load of a pair, the host no list of ids.
type places []uint32

func newPlaces(part *kernels.Part) places {
	words, own := 0, [][]uint32(nil)
	for _, rg := range part.Ranges {
		if ids := part.VertexOf[rg.First : rg.First+rg.Vertices]; rg.Owner == part.Index && len(ids) > 0 {
			own, words = append(own, ids), max(words, int(slices.Max(ids)/32)+1)
		}
	}
	s := make(places, 2*words+2)
	for _, ids := range own {
		for _, v := range ids {
			s[2*(v/32)] |= 1 << (v % 32)
		}
	}
	for w := range words {
		s[2*w+3] = s[2*w+1] + uint32(bits.OnesCount32(s[2*w]))
	}
	return s
}

// words is the number of words of ids.
func (s places) words() int { return len(s)/2 - 1 }

// before is the number of own vertices before id 32w.
func (s places) before(w int) int64 { return int64(s[2*w+1]) }

// until is the largest w such that the words from … w−1 have at most most own vertices.
func (s places) until(from int, most int64) int {
	return from + sort.Search(s.words()-from, func(k int) bool { return s.before(from+k+1)-s.before(from) > most })
}

// scatter stores the parents of own vertices of words lo … hi−1 in out.
func (s places) scatter(out, parents []uint32, lo, hi int) {
	for w := lo; w < hi; w++ {
		own := s[2*w]
		if n := bits.OnesCount32(own); n == 32 {
			copy(out[32*w:32*w+32], parents)
			parents = parents[n:]
			continue
		}
		for k := 0; own != 0; own &= own - 1 {
			out[32*w+bits.TrailingZeros32(own)] = parents[k]
			k++
		}
		parents = parents[bits.OnesCount32(s[2*w]):]
	}
}

// scatterWords is the number of words of ids that a thread stores at a time: 128 KiB of results.
const scatterWords = 1 << 10

// fetch copies the parents to out: few in one piece, else through one half of staging while the other is stored.
func (p *Processor) fetch(out []uint32) error {
	result, half := p.scratchA, int64(len(p.staged))/2 // of scatterParents
	most := half
	if all := p.places.before(p.places.words()); all <= uploadsSmallest/4 {
		most = all
	}
	type piece struct {
		lo, hi int // words
		copied device.Event
	}
	var pieces [2]piece
	defer func() {
		for i := range pieces {
			_ = p.await(&pieces[i].copied)
		}
	}()
	next := 0
	read := func(i int) {
		lo := next
		next = p.places.until(lo, most)
		first, n := p.places.before(lo), p.places.before(next)-p.places.before(lo)
		p.read(p.uploads, 4*half*int64(i), result, 4*first, 4*n)
		pieces[i] = piece{lo, next, p.record()}
	}
	read(0)
	for i, lo := 0, 0; lo < p.places.words(); i = 1 - i {
		if next < p.places.words() {
			read(1 - i)
		}
		c := &pieces[i]
		if err := p.await(&c.copied); err != nil {
			return err
		}
		first, parents := p.places.before(c.lo), p.staged[half*int64(i):]
		parts := (c.hi - c.lo + scatterWords - 1) / scatterWords
		if err := workers.Each(context.Background(), p.options.Threads, parts, nil, func(_, k int) error {
			from := c.lo + k*scatterWords
			p.places.scatter(out, parents[p.places.before(from)-first:], from, min(from+scatterWords, c.hi))
			return nil
		}); err != nil {
			return err
		}
		lo = c.hi
	}
	return p.err
}
