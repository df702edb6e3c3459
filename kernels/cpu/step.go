package cpu

import (
	"context"
	"math/bits"
	"sync/atomic"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/kernels"
)

const (
	// serialArcs is the number of frontier arcs up to which a top-down step runs on
	// one thread: waking others costs more.
	serialArcs = 1 << 12
	// hubArcs is the row length from which on a row is cut into chunks of arcs.
	hubArcs = 1 << 14
	// takeVertices is how many frontier vertices a thread takes at a time.
	takeVertices = 64
)

// Step implements kernels.Processor.
func (p *Processor) Step(ctx context.Context, d kernels.Direction) (string, error) {
	for i := range p.workers {
		w := &p.workers[i]
		w.examined, w.next = 0, 0
		for r := range w.lists {
			w.lists[r] = w.lists[r][:0]
		}
	}
	if d == kernels.BottomUp {
		p.bitsOf()
		p.stepUp()
		p.nextBits = true
		return "bottom-up", ctx.Err()
	}
	p.listOf()
	p.nextBits = false
	p.stepDown()
	return "top-down", ctx.Err()
}

// stepDown expands the frontier's list. Every thread leaves its claims, divided by
// range, in its lists; own ones are then gathered in nextList.
func (p *Processor) stepDown() {
	list := p.list
	if p.threads == 1 || len(list) < serialArcs && p.fewArcs(list) {
		w := &p.workers[0]
		w.found = w.found[:0]
		for _, u := range list {
			s := p.subOf(u)
			lo, hi := s.Out.Row(u - s.First)
			w.found = claimAlone(s.Out.Neighbours[lo:hi], u, p.seen, p.parent, w.found)
			w.examined += int64(hi - lo)
		}
		p.divide(w)
		p.collect(1)
		return
	}
	var cursor atomic.Int64
	p.team.Run(func(id int) {
		w := &p.workers[id]
		w.found, w.hubs = w.found[:0], w.hubs[:0]
		for {
			at := int(cursor.Add(takeVertices)) - takeVertices
			if at >= len(list) {
				break
			}
			for _, u := range list[at:min(at+takeVertices, len(list))] {
				s := p.subOf(u)
				lo, hi := s.Out.Row(u - s.First)
				if hi-lo >= hubArcs {
					w.hubs = append(w.hubs, u)
					continue
				}
				w.found = claim(s.Out.Neighbours[lo:hi], u, p.seen, p.parent, w.found)
				w.examined += int64(hi - lo)
			}
		}
	})
	for i := range p.workers {
		for _, u := range p.workers[i].hubs {
			s := p.subOf(u)
			lo, hi := s.Out.Row(u - s.First)
			row := s.Out.Neighbours[lo:hi]
			p.team.For(len(row), hubArcs/4, func(id, a, b int) {
				w := &p.workers[id]
				w.found = claim(row[a:b], u, p.seen, p.parent, w.found)
				w.examined += int64(b - a)
			})
		}
		p.workers[i].hubs = p.workers[i].hubs[:0]
	}
	p.team.Run(func(id int) { p.divide(&p.workers[id]) })
	p.collect(p.threads)
}

// fewArcs tells whether the rows of the list hold at most serialArcs arcs.
func (p *Processor) fewArcs(list []uint32) bool {
	sum := uint64(0)
	for _, u := range list {
		s := p.subOf(u)
		if sum += s.Out.Degree(u - s.First); sum > serialArcs {
			return false
		}
	}
	return true
}

// claim visits the unvisited vertices of row for u, against other threads.
func claim(row []uint32, u uint32, seen []uint64, parent []uint32, found []uint32) []uint32 {
	for _, v := range row {
		word, bit := &seen[v/64], uint64(1)<<(v%64)
		if atomic.LoadUint64(word)&bit != 0 {
			continue
		}
		if atomic.OrUint64(word, bit)&bit != 0 {
			continue
		}
		parent[v] = u
		found = append(found, v)
	}
	return found
}

// claimAlone is claim where no other thread runs.
func claimAlone(row []uint32, u uint32, seen []uint64, parent []uint32, found []uint32) []uint32 {
	for _, v := range row {
		word, bit := &seen[v/64], uint64(1)<<(v%64)
		if *word&bit != 0 {
			continue
		}
		*word |= bit
		parent[v] = u
		found = append(found, v)
	}
	return found
}

// divide sorts a thread's claims into its lists by range. Where every rank is own
// it does nothing.
func (p *Processor) divide(w *worker) {
	if p.rangeOf == nil {
		return
	}
	for _, v := range w.found {
		r := p.rangeOf[v/64]
		w.lists[r] = append(w.lists[r], v)
	}
}

// collect gathers the own claims of the first n threads in nextList.
func (p *Processor) collect(n int) {
	p.nextList = p.nextList[:0]
	for i := range n {
		w := &p.workers[i]
		if p.rangeOf == nil {
			p.nextList = append(p.nextList, w.found...)
			continue
		}
		for r, own := range p.isOwn {
			if own {
				p.nextList = append(p.nextList, w.lists[r]...)
			}
		}
	}
}

// stepUp looks, for every unvisited own vertex, for a neighbour in the frontier.
func (p *Processor) stepUp() {
	for _, o := range p.own {
		in := o.sub.In
		n := len(o.chunks) - 1
		if n <= 0 {
			continue
		}
		run := func(id, lo, hi int) {
			w := &p.workers[id]
			from, to := o.chunks[lo], o.chunks[hi]
			base := o.sub.First / 64
			c, e := probe(in, o.sub.First, o.sub.Rows, from, to,
				p.seen[base:], p.next[base:], p.front, p.parent)
			w.next += c
			w.examined += e
		}
		if p.threads == 1 || n == 1 {
			run(0, 0, n)
		} else {
			p.team.For(n, 1, run)
		}
	}
}

// probe is the bottom-up kernel over words from … to−1 of a range: seen and next
// are the range's words, front and parent those of all ranks. It returns how many
// vertices it found and how many adjacency entries it read.
func probe(in *graph.Adjacency, first, rows, from, to uint32, seen, next, front []uint64, parent []uint32) (found, examined int64) {
	firsts := in.FirstNeighbours
	for word := from; word < to; word++ {
		todo := ^seen[word]
		hits := uint64(0)
		for ; todo != 0; todo &= todo - 1 {
			bit := uint32(bits.TrailingZeros64(todo))
			i := word*64 + bit
			u := firsts[i]
			if u == graph.None {
				continue
			}
			if front[u/64]>>(u%64)&1 != 0 {
				examined++
				hits |= 1 << bit
				parent[first+i] = u
				continue
			}
			lo, hi := in.Row(i)
			row := in.Neighbours[lo:hi]
			k := 1
			for ; k < len(row); k++ {
				u := row[k]
				if front[u/64]>>(u%64)&1 != 0 {
					hits |= 1 << bit
					parent[first+i] = u
					k++
					break
				}
			}
			examined += int64(k)
		}
		next[word] = hits
		if hits != 0 {
			seen[word] |= hits
			found += int64(bits.OnesCount64(hits))
		}
	}
	return found, examined
}

// arcsOfList sums the degrees of the new frontier, a list.
func (p *Processor) arcsOfList() (out, in int64) {
	if p.threads == 1 || len(p.list) < 1<<13 {
		return p.arcsOf(p.list)
	}
	var o, i atomic.Int64
	p.spread(len(p.list), 0, func(lo, hi int) {
		a, b := p.arcsOf(p.list[lo:hi])
		o.Add(a)
		i.Add(b)
	})
	return o.Load(), i.Load()
}

// arcsOfBits sums the degrees of the new frontier, own slices of front.
func (p *Processor) arcsOfBits() (out, in int64) {
	var so, si atomic.Int64
	for _, o := range p.own {
		s := o.sub
		base := int(s.First / 64)
		p.spread(int(s.Padded()/64)-base, parallelWords/8, func(lo, hi int) {
			a, b := int64(0), int64(0)
			for k := lo; k < hi; k++ {
				for w := p.front[base+k]; w != 0; w &= w - 1 {
					i := uint32(k)*64 + uint32(bits.TrailingZeros64(w))
					if s.Out != nil {
						a += int64(s.Out.Degree(i))
					}
					if s.In != nil && s.In != s.Out {
						b += int64(s.In.Degree(i))
					}
				}
			}
			if s.In == s.Out {
				b = a
			}
			so.Add(a)
			si.Add(b)
		})
	}
	return so.Load(), si.Load()
}
