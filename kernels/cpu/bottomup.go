package cpu

import (
	"math/bits"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/kernels"
)

const (
	// chunkWords is the most words of a chunk, the part of a range that a thread takes
	// at a time in a bottom-up step: its parents stay in the first-level cache.
	chunkWords = 64
	// scanFrom is the length from which on a row is scanned by a kernel of the set.
	scanFrom = 12
)

// stepUp looks, for every unvisited own vertex, for a neighbour in the frontier.
func (p *search) stepUp() {
	for i := range p.own {
		o := &p.own[i]
		words := int(o.sub.Padded()-o.sub.First) / 64
		if words == 0 || o.sub.In == nil {
			continue
		}
		grain := min(chunkWords, max(1, words/(8*p.threads)))
		p.team.For(words, grain, func(id, lo, hi int) {
			for ; lo < hi; lo += chunkWords {
				p.probe(&p.workers[id], o, lo, min(hi, lo+chunkWords))
			}
		})
	}
}

// probe does the words from … to−1 of an own range.
func (p *search) probe(w *worker, o *ownRange, from, to int) {
	in, lo := o.sub.In, uint32(from)*64
	b := p.blockOf(w, o, from, to)
	if p.need&kernels.NeedExamined != 0 {
		w.examined += countProbes(b)
	}
	n := p.set.probe(b)
	if in.Offsets32 != nil {
		p.set.prefetch(w.rest[:n], in.Offsets32[lo:], in.Neighbours[min(nearColumns, len(in.Neighbours)):])
	}
	for _, i := range w.rest[:n] {
		a, end := in.Row(lo + i)
		row := in.Neighbours[a+nearColumns : end]
		k := p.find(row)
		w.examined += int64(k)
		if k < len(row) {
			w.examined++
			b.parent[i] = p.vertex(row[k])
			b.seen[i/64] |= 1 << (i % 64)
			b.next[i/64] |= 1 << (i % 64)
		}
	}
	for _, word := range b.next {
		w.next += int64(bits.OnesCount64(word))
	}
}

// blockOf is the words from … to−1 of an own range, for a probe.
func (p *search) blockOf(w *worker, o *ownRange, from, to int) *probeBlock {
	first := o.sub.First
	lo, hi := uint32(from)*64, min(o.sub.Rows, uint32(to)*64)
	base := int(first / 64)
	b := &w.probe
	b.seen, b.next = p.seen[base+from:base+to], p.next.bits[base+from:base+to]
	b.far, b.long = o.far[from:to], o.long[from:to]
	for k := range nearColumns {
		b.near[k], b.nearID[k] = o.near[k][lo:hi], o.nearID[k][lo:hi]
	}
	b.parent, b.rest, b.front = p.parent[first+lo:first+hi], w.rest, p.front.bits
	return b
}

// straggler is an own vertex that a search has left unvisited when there are few: its
// near neighbours are copied, so that later levels read them from the cache.
type straggler struct {
	rank uint32
	long bool
	near [nearColumns]uint32
}

// fewUnvisited tells whether stepStragglers is to run instead of stepUp.
func (p *search) fewUnvisited() bool {
	return (p.vertices-p.visited)*p.tuning.List < int64(p.words)
}

// listStragglers lists the unvisited own vertices that have neighbours.
func (p *search) listStragglers() {
	p.stragglers = p.stragglers[:0]
	for i := range p.own {
		o := &p.own[i]
		if o.sub.In == nil {
			continue
		}
		first := o.sub.First
		for k, word := range p.seen[first/64 : o.sub.Padded()/64] {
			for w := ^word; w != 0; w &= w - 1 {
				at := uint32(64*k + bits.TrailingZeros64(w))
				s := straggler{rank: first + at, long: o.long[k]>>(at%64)&1 != 0}
				for c := range nearColumns {
					s.near[c] = o.near[c][at]
				}
				if s.near[0] != p.part.Ranks {
					p.stragglers = append(p.stragglers, s)
				}
			}
		}
	}
	p.listed = true
}

// stepStragglers is stepUp for the few vertices that are still unvisited, on one thread.
func (p *search) stepStragglers() {
	if !p.listed {
		p.listStragglers()
	}
	w := &p.workers[0]
	kept := p.stragglers[:0]
	p.next.list = p.next.list[:0]
	for _, s := range p.stragglers {
		if p.seen[s.rank/64]>>(s.rank%64)&1 != 0 {
			continue
		}
		id := p.parentOf(w, &s)
		if id == graph.None {
			kept = append(kept, s)
			continue
		}
		p.parent[s.rank] = id
		p.seen[s.rank/64] |= 1 << (s.rank % 64)
		p.next.list = append(p.next.list, s.rank)
	}
	p.stragglers = kept
}

// parentOf is the vertex id of the first neighbour of s in the frontier, or None.
func (p *search) parentOf(w *worker, s *straggler) uint32 {
	for _, u := range s.near {
		if u == p.part.Ranks {
			return graph.None
		}
		if w.examined++; p.front.bits[u/64]>>(u%64)&1 != 0 {
			return p.vertex(u)
		}
	}
	if !s.long {
		return graph.None
	}
	sub := p.subOf(s.rank)
	lo, hi := sub.In.Row(s.rank - sub.First)
	row := sub.In.Neighbours[lo+nearColumns : hi]
	k := p.find(row)
	w.examined += int64(k)
	if k == len(row) {
		return graph.None
	}
	w.examined++
	return p.vertex(row[k])
}

// find returns the place of the first entry of row that is in the frontier, or its
// length.
func (p *search) find(row []uint32) int {
	if len(row) < scanFrom {
		return scanGeneric(row, p.front.bits)
	}
	return p.set.scan(row, p.front.bits)
}

// countProbes counts the near neighbours that a probe of the block has to read.
func countProbes(b *probeBlock) (n int64) {
	none := uint32(len(b.front)-1) * 64
	for word, w := range b.seen {
		for todo := ^w; todo != 0; todo &= todo - 1 {
			i := word*64 + bits.TrailingZeros64(todo)
			for k := range nearColumns {
				u := b.near[k][i]
				if u == none {
					break
				}
				if n++; b.front[u/64]>>(u%64)&1 != 0 {
					break
				}
			}
		}
	}
	return n
}
