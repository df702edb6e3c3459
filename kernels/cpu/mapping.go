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
// and None where nobody did.
func (p *Processor) mapBack(out []uint32) {
	vertexOf := p.part.VertexOf
	p.team.Run(func(id int) {
		for _, s := range p.shares[id] {
			if p.finder == nil {
				p.mapSpan(out, s)
				continue
			}
			for v := s.from; v < s.to; v++ {
				if p.seen[v/64]>>(v%64)&1 == 0 {
					out[vertexOf[v]] = graph.None
				} else if int(p.finder[v]) == p.part.Index {
					out[vertexOf[v]] = vertexOf[p.parent[v]]
				}
			}
		}
	})
}

// mapSpan maps a span all of whose vertices this partition found, in calls of at most
// blockWords.
func (p *Processor) mapSpan(out []uint32, s span) {
	for s.from < s.to {
		end := s.to
		if s.to-s.from > 64*blockWords {
			end = s.from + 64*blockWords
		}
		p.set.mapBack(out, p.part.VertexOf[s.from:end], p.parent[s.from:end], p.part.VertexOf, p.seen[s.from/64:])
		s.from = end
	}
}
