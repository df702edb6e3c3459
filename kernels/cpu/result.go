package cpu

import (
	"fmt"
	"math/bits"
	"slices"
	"sort"

	"github.com/totemgo/totemgo/graph"
)

// RemoteClaims implements kernels.Claims.
func (p *search) RemoteClaims(q int) ([]uint32, error) {
	if p.remote == nil || q == p.part.Index {
		return nil, nil
	}
	for len(p.foreign) <= q {
		p.foreign = append(p.foreign, nil)
	}
	list := p.foreign[q][:0]
	for _, o := range p.own {
		for w := o.sub.First / 64; w < o.sub.Padded()/64; w++ {
			for bit := p.remote[w]; bit != 0; bit &= bit - 1 {
				if v := w*64 + uint32(bits.TrailingZeros64(bit)); int(p.finder[v]) == q {
					list = append(list, v)
				}
			}
		}
	}
	p.foreign[q] = list
	return list, nil
}

// LookupParents implements kernels.Claims.
func (p *search) LookupParents(ranks []uint32) ([]uint32, error) {
	if p.asked == len(p.answers) {
		p.answers = append(p.answers, nil)
	}
	parents := slices.Grow(p.answers[p.asked][:0], len(ranks))[:len(ranks)]
	p.answers[p.asked] = parents
	p.asked++
	p.spread(len(ranks), 1<<12, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			parents[i] = p.part.RankOf[p.parent[ranks[i]]]
		}
	})
	return parents, nil
}

// Parents implements kernels.Claims.
func (p *search) Parents(out []uint32, foreign, answers [][]uint32) error {
	vertexOf := p.part.VertexOf
	p.mapBack(out)
	for q, list := range foreign {
		if len(answers) <= q || len(answers[q]) != len(list) {
			return fmt.Errorf("cpu: %d parents asked of partition %d, not as many answered", len(list), q)
		}
		a := answers[q]
		p.spread(len(list), 1<<12, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				out[vertexOf[list[i]]] = vertexOf[a[i]]
			}
		})
	}
	return nil
}

// span is a run of ranks from … to−1; from is a multiple of 64.
type span struct{ from, to uint32 }

const (
	// mapIDs is how many ids of the result a thread writes to at a time: they stay in
	// its second-level cache.
	mapIDs = 1 << 16
	// runBlocks is how many ranks, for each block of ids, a run of rising ids has that
	// is shared out by id.
	runBlocks = 64
	// strayRanks is how many other ranks go to a thread at a time.
	strayRanks = 4096
)

// mapShares gives each thread the ranks whose parents it maps back to ids, in the order
// in which it does. Ties of degree keep the order of ids, so that rank space is made of
// long runs of rising ids. Each is cut at the same ids, and the pieces are put in the
// order of ids: so a thread writes to one block of the result at a time, and to its own
// part alone, but for the few ranks outside such runs. Lines written by two threads in
// turn would move between their caches.
func (p *search) mapShares() [][]span {
	vertexOf := p.part.VertexOf
	ids := uint64(1)
	for _, v := range vertexOf {
		if v != graph.None {
			ids = max(ids, uint64(v)+1)
		}
	}
	n := uint64(p.threads)
	blocks := make([][]span, (ids/mapIDs/n+1)*n)
	shares := make([][]span, p.threads)
	next := 0 // the thread that gets the next stray ranks
	for _, o := range p.own {
		end := o.sub.Limit()
		stray := o.sub.First
		strays := func(to uint32) {
			for stray < to {
				cut := min(to, stray+strayRanks)
				shares[next] = append(shares[next], span{stray, cut})
				next = (next + 1) % p.threads
				stray = cut
			}
		}
		for at := o.sub.First; at < end; {
			from := at
			for at++; at < end && vertexOf[at] > vertexOf[at-1]; at++ {
			}
			if int(at-from) < runBlocks*len(blocks) {
				continue
			}
			lo, hi := (from+63)&^63, at&^63
			if at == end {
				hi = end
			}
			strays(lo)
			stray = hi
			for k := range blocks {
				cut := hi
				if k+1 < len(blocks) {
					// The first rank of the run whose id is in a later block.
					last := ids * uint64(k+1) / uint64(len(blocks))
					i := sort.Search(int(at-from), func(i int) bool { return uint64(vertexOf[from+uint32(i)]) >= last })
					cut = max(lo, min(hi, (from+uint32(i))&^63))
				}
				if lo < cut {
					blocks[k] = append(blocks[k], span{lo, cut})
				}
				lo = cut
			}
		}
		strays(end)
	}
	for k, list := range blocks {
		t := k * p.threads / len(blocks)
		shares[t] = append(shares[t], list...)
	}
	return shares
}

// mapBack writes the parents of own vertices to the result, by vertex id: those that this
// partition found, and None for the others.
func (p *search) mapBack(out []uint32) {
	if p.set.byVertex != nil && p.rangeOf == nil {
		p.mapByVertex(out)
		return
	}
	p.sharing.Lock()
	shares := p.shares[p.threads]
	if shares == nil {
		shares = p.mapShares()
		p.shares[p.threads] = shares
	}
	p.sharing.Unlock()
	p.team.Run(func(id int) {
		w := &p.workers[id]
		for _, s := range shares[id] {
			// In calls of at most blockWords.
			for from := s.from; from < s.to; {
				end := s.to
				if s.to-from > 64*blockWords {
					end = from + 64*blockWords
				}
				found := p.seen[from/64 : (end+63)/64]
				if p.remote != nil {
					w.mask = w.mask[:0]
					for i, word := range found {
						w.mask = append(w.mask, word&^p.remote[int(from/64)+i])
					}
					found = w.mask
				}
				byRank(out, p.part.VertexOf[from:end], p.parent[from:end], found)
				from = end
			}
		}
	})
}

// mapByVertex is mapBack where every rank is own: it walks the result, and reads parent
// at the rank of each vertex.
func (p *search) mapByVertex(out []uint32) {
	p.spread(p.words, parallelWords/4, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			for w := ^p.seen[k]; w != 0; w &= w - 1 {
				p.parent[k*64+bits.TrailingZeros64(w)] = graph.None
			}
		}
	})
	p.spread(len(out), 64*parallelWords/4, func(lo, hi int) {
		for lo < hi {
			end := min(hi, lo+64*blockWords)
			p.set.byVertex(out[lo:end], p.part.RankOf[lo:end], p.parent)
			lo = end
		}
	})
}
