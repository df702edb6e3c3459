package cpu

import (
	"sort"

	"github.com/totemgo/totemgo/graph"
)

// span is a run of ranks from … to−1; from is a multiple of 64.
type span struct{ from, to uint32 }

const (
	// runRanks is the length from which on ranks whose vertex ids rise are shared out
	// by id.
	runRanks = 1024
	// strayRanks is how many other ranks go to a thread at a time.
	strayRanks = 4096
)

// mapShares gives each thread the ranks whose parents it maps back to ids. Ties of
// degree keep the order of ids, so that rank space is made of long runs of rising ids.
// Each is cut at the same ids, and so a thread writes to its own part of the result
// alone, but for the few ranks outside such runs: lines written by two threads in turn
// move between their caches.
func (p *Processor) mapShares() [][]span {
	shares := make([][]span, p.threads)
	give := func(t int, s span) {
		if s.from >= s.to {
			return
		}
		if l := shares[t]; len(l) > 0 && l[len(l)-1].to == s.from {
			l[len(l)-1].to = s.to
			return
		}
		shares[t] = append(shares[t], s)
	}
	vertexOf := p.part.VertexOf
	ids := uint64(0)
	for _, v := range vertexOf {
		if v != graph.None {
			ids = max(ids, uint64(v)+1)
		}
	}
	next := 0 // the thread that gets the next stray ranks
	for _, o := range p.own {
		end := o.sub.Limit()
		stray := o.sub.First
		strays := func(to uint32) {
			for stray < to {
				cut := min(to, stray+strayRanks)
				give(next, span{stray, cut})
				next = (next + 1) % p.threads
				stray = cut
			}
		}
		for at := o.sub.First; at < end; {
			from := at
			for at++; at < end && vertexOf[at] > vertexOf[at-1]; at++ {
			}
			lo, hi := (from+63)&^63, at&^63
			if at == end {
				hi = end
			}
			if at-from < runRanks {
				continue
			}
			strays(lo)
			for t := range shares {
				// The first rank of the run whose id is in a later thread's part.
				last := ids * uint64(t+1) / uint64(len(shares))
				cut := hi
				if t+1 < len(shares) {
					k := sort.Search(int(at-from), func(k int) bool { return uint64(vertexOf[from+uint32(k)]) >= last })
					cut = max(lo, min(hi, (from+uint32(k))&^63))
				}
				give(t, span{lo, cut})
				lo = cut
			}
			stray = hi
		}
		strays(end)
	}
	return shares
}

// mapBack writes the parents of own vertices, as ids: those that this partition found,
// and None for the others.
func (p *Processor) mapBack(out []uint32) {
	p.team.Run(func(id int) {
		w := &p.workers[id]
		for _, s := range p.shares[id] {
			// In calls of at most blockWords.
			for from := s.from; from < s.to; {
				end := s.to
				if s.to-from > 64*blockWords {
					end = from + 64*blockWords
				}
				found := p.seen[from/64 : (end+63)/64]
				if p.told != nil {
					w.mask = w.mask[:0]
					for i, word := range found {
						w.mask = append(w.mask, word&^p.told[int(from/64)+i])
					}
					found = w.mask
				}
				p.set.mapBack(out, p.part.VertexOf[from:end], p.parent[from:end], p.part.VertexOf, found)
				from = end
			}
		}
	})
}
