package cpu

import (
	"math/bits"

	"github.com/totemgo/totemgo/kernels"
)

const (
	// chunkWords is the most words of a chunk, the part of a range that a thread takes
	// at a time in a bottom-up step: its parents stay in the first-level cache.
	chunkWords = 64
	// listGrain is how many of them a thread takes at a time.
	listGrain = 512
	// scanFrom is the length from which on a row is scanned by a kernel of the set.
	scanFrom = 12
)

// stepUp looks, for every unvisited own vertex, for a neighbour in the frontier, and
// lists those that have found none.
func (p *Processor) stepUp() {
	p.unsettled = p.unsettled[:0]
	for i := range p.workers {
		p.workers[i].left = p.workers[i].left[:0]
	}
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
		// By range, so that the entries of a word stand together.
		p.gather()
	}
	p.listed = true
}

// gather appends what the threads have left to unsettled.
func (p *Processor) gather() {
	for i := range p.workers {
		w := &p.workers[i]
		p.unsettled = append(p.unsettled, w.left...)
		w.left = w.left[:0]
	}
}

// probe does the words from … to−1 of an own range.
func (p *Processor) probe(w *worker, o *ownRange, from, to int) {
	in, first := o.sub.In, o.sub.First
	lo, hi := uint32(from)*64, min(o.sub.Rows, uint32(to)*64)
	base := int(first / 64)
	seen, next := p.seen[base+from:base+to], p.next[base+from:base+to]
	parent := p.parent[first+lo : first+hi]
	if p.need&kernels.NeedExamined != 0 {
		w.examined += countProbes(seen, o.firsts[lo:hi], o.seconds[lo:hi], p.front)
	}
	n := p.set.probe(seen, next, o.firsts[lo:hi], o.seconds[lo:hi], parent, w.rest, p.front)
	if in.Offsets32 != nil {
		p.set.fetch(w.rest[:n], in.Offsets32[lo:], in.Neighbours)
	}
	for _, i := range w.rest[:n] {
		a, b := in.Row(lo + i)
		if a == b {
			continue
		}
		if b-a > 2 {
			row := in.Neighbours[a+2 : b]
			k := p.find(row)
			if k < len(row) {
				w.examined += int64(k) + 1
				parent[i] = row[k]
				seen[i/64] |= 1 << (i % 64)
				next[i/64] |= 1 << (i % 64)
				continue
			}
			w.examined += int64(k)
		}
		w.left = append(w.left, first+lo+i)
	}
	for _, word := range next {
		w.next += int64(bits.OnesCount64(word))
	}
}

// find returns the place of the first entry of row that is in the frontier, or its
// length.
func (p *Processor) find(row []uint32) int {
	if len(row) < scanFrom {
		return scanGeneric(row, p.front)
	}
	return p.set.scan(row, p.front)
}

// countProbes counts the first and second neighbours that a probe of the block reads.
func countProbes(seen []uint64, firsts, seconds []uint32, front []uint64) (n int64) {
	for word, w := range seen {
		for todo := ^w; todo != 0; todo &= todo - 1 {
			i := word*64 + bits.TrailingZeros64(todo)
			u := firsts[i]
			if int(u/64) == len(front)-1 {
				continue // no neighbour
			}
			n++
			if front[u/64]>>(u%64)&1 == 0 && seconds[i] != u {
				n++
			}
		}
	}
	return n
}

// stepList looks for a neighbour in the frontier for the unsettled alone, and leaves
// those that it finds in nextList.
func (p *Processor) stepList() {
	list := p.unsettled
	for i := range p.workers {
		w := &p.workers[i]
		w.found, w.left = w.found[:0], w.left[:0]
	}
	p.unsettled, p.spareUnsettled = p.spareUnsettled[:0], list
	// Neither seen's words may be shared by threads: a cut moves back to the first
	// entry of its word.
	cut := func(k int) int {
		for k > 0 && k < len(list) && list[k]/64 == list[k-1]/64 {
			k--
		}
		return k
	}
	grain := listGrain
	if len(list) < 4*listGrain {
		grain = len(list)
	}
	p.team.For(len(list), grain, func(id, lo, hi int) {
		p.probeList(&p.workers[id], list[cut(lo):cut(hi)])
	})
	p.nextList = p.nextList[:0]
	for i := range p.workers {
		p.nextList = append(p.nextList, p.workers[i].found...)
	}
	p.gather()
}

// probeList does a part of the list of the unsettled.
func (p *Processor) probeList(w *worker, list []uint32) {
	for k, v := range list {
		if k%takeVertices == 0 {
			p.fetch(w, list[k:min(k+takeVertices, len(list))], true)
		}
		if p.seen[v/64]>>(v%64)&1 != 0 {
			continue
		}
		s := p.subOf(v)
		a, b := s.In.Row(v - s.First)
		row := s.In.Neighbours[a:b]
		k := p.find(row)
		if k == len(row) {
			w.examined += int64(k)
			w.left = append(w.left, v)
			continue
		}
		w.examined += int64(k) + 1
		p.parent[v] = row[k]
		p.seen[v/64] |= 1 << (v % 64)
		w.found = append(w.found, v)
	}
}
