package cpu

import (
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

// set is a set of own vertices, by position.
type set struct {
	news // of one thread; bits are nil for a kept set that is a list
	n    int64
}

// add adds a vertex.
func (s *set) add(pos uint32) {
	if !s.has(pos) {
		s.bits[pos/64] |= 1 << (pos % 64)
		s.n++
		s.list(0, pos)
	}
}

func (s *set) clear(r *valueRun) {
	s.news.clear(r)
	s.n = 0
}

func (r *valueRun) clear(words []uint64) {
	r.spread(len(words), parallelWords, func(lo, hi int) { clear(words[lo:hi]) })
}

// grain is how many of n pieces of the vertices a thread takes at a time, least or more where the set is small; s is
// nil for all vertices.
func (s *set) grain(n, least int) int {
	if s == nil {
		return least
	}
	return max(least, min(n/16, 64*n/int(s.n+1)))
}

// recount makes n the number of bits, after they were written as words.
func (s *set) recount(r *valueRun) {
	var n atomic.Int64
	r.spread(len(s.bits), parallelWords, func(lo, hi int) {
		c := 0
		for _, w := range s.bits[lo:hi] {
			c += bits.OnesCount64(w)
		}
		n.Add(int64(c))
	})
	s.by[0].list, s.by[0].many, s.n = s.by[0].list[:0], true, n.Load()
}

// eachBit calls f for the set bits of words, the first word's bit 0 being first.
func eachBit(words []uint64, first uint32, f func(i uint32)) {
	for k, w := range words {
		for ; w != 0; w &= w - 1 {
			f(first + uint32(64*k+bits.TrailingZeros64(w)))
		}
	}
}

// each calls f for every vertex of s in an own range, by its number there; s is nil for all.
func (o *place) each(s *set, f func(i uint32)) {
	if s != nil {
		s.each(o.pos, o.pos+o.size, f)
		return
	}
	for i := range o.rows {
		f(i)
	}
}

// words writes the bits of s in an own range to dst.
func (o *place) words(s *set, dst []uint64) {
	if s != nil && s.bits != nil {
		copy(dst, s.bits[o.pos/64:])
		return
	}
	if s == nil {
		for k := range dst {
			dst[k] = ^uint64(0)
			if 64*k+64 > int(o.rows) {
				dst[k] = valid(k, o.rows)
			}
		}
		return
	}
	clear(dst)
	o.each(s, func(i uint32) { dst[i/64] |= 1 << (i % 64) })
}

// valid has the bits of the vertices of word k of n vertices.
func valid(k int, n uint32) uint64 {
	if left := n - uint32(64*k); left < 64 {
		return 1<<left - 1
	}
	return ^uint64(0)
}

// setOf is a set as Step.From, Step.Over or VertexMap names it; nil for All. A set that is not
// stored is empty.
func (r *valueRun) setOf(k program.Set) *set {
	r.flush()
	switch s := r.kept[k]; {
	case k == program.All:
		return nil
	case k == program.Default:
		r.restore()
		return &r.front
	case s != nil:
		return s
	}
	return &set{}
}

// flush makes values exact: no arc is deferred after it.
func (r *valueRun) flush() {
	if r.waits != nil {
		r.waits.flush()
	}
}

// restore puts the frontier into front.
func (r *valueRun) restore() {
	if r.waits != nil {
		r.waits.restore()
	}
}

// Keep implements kernels.Run.
func (r *valueRun) Keep(k program.Set) error {
	if k < 1 || k > program.MaxSets {
		return callError("Keep(%d)", k)
	}
	r.restore()
	c := &set{news: news{by: make([]threadNews, 1)}, n: r.front.n}
	of := &c.by[0]
	if of.many = c.n > int64(r.words); of.many { // else a list is smaller
		c.bits = slices.Clone(r.front.bits)
	} else {
		r.front.each(0, uint32(64*r.words), func(pos uint32) { of.list = append(of.list, pos) })
	}
	r.kept[k] = c
	return nil
}

// Use implements kernels.Run.
func (r *valueRun) Use(k program.Set) (kernels.Counts, error) {
	r.restore()
	if k != program.Default {
		s := r.setOf(k)
		r.front.clear(r)
		for _, o := range r.own {
			o.each(s, func(i uint32) { r.front.add(o.pos + i) })
		}
	}
	return r.count(), r.err
}

// count returns the counts of the frontier.
func (r *valueRun) count() kernels.Counts {
	c := kernels.Counts{Next: r.front.n, Least: program.TopOf(program.U32), Unvisited: r.vertices - r.seen, UnvisitedArcs: r.inArcs - r.seenArcs}
	if r.waits != nil {
		w := r.waits.admit(&r.front)
		c.Next, c.NextArcs, c.Least = w.Next, w.NextArcs, w.Least
	} else {
		if a := r.prog.LeastArray(); a >= 0 {
			c.Least = r.columns[a].least()
		}
		if r.need&(kernels.NeedNextArcs|kernels.NeedFewArcs) != 0 {
			c.NextArcs = r.degrees(0)
		}
	}
	for t := range r.memory {
		c.Examined += r.memory[t].examined
		r.memory[t].examined = 0
	}
	return c
}

// degrees is the sum of the lengths of the frontier's stored rows.
func (r *valueRun) degrees(rows int) int64 {
	var sum atomic.Int64
	for _, g := range r.rows[rows] {
		if g.own == nil {
			continue
		}
		if r.front.n == r.vertices {
			sum.Add(g.adj.Arcs())
			continue
		}
		if r.front.listed() {
			g.own.each(&r.front, func(i uint32) { sum.Add(int64(g.adj.Degree(i))) })
			continue
		}
		words := r.front.bits[g.own.pos/64:][:g.own.size/64]
		r.spread(len(words), 1<<9, func(lo, hi int) {
			n := int64(0)
			eachBit(words[lo:hi], uint32(64*lo), func(i uint32) { n += int64(g.adj.Degree(i)) })
			sum.Add(n)
		})
	}
	return sum.Load()
}

// news is a set of indices of a side that threads add to.
type news struct {
	bits []uint64
	by   []threadNews
}

type threadNews struct {
	list []uint32
	many bool // the list is incomplete
	_    [64]byte
}

// join adds v for thread t and reports whether it is new.
func (n *news) join(t int, v uint32) bool {
	word, bit := &n.bits[v/64], uint64(1)<<(v%64)
	if atomic.LoadUint64(word)&bit != 0 || atomic.OrUint64(word, bit)&bit != 0 {
		return false
	}
	n.list(t, v)
	return true
}

// list lists v for thread t, unless its list is long.
func (n *news) list(t int, v uint32) {
	b := &n.by[t]
	if b.many = b.many || len(b.list) > len(n.bits)/len(n.by); !b.many {
		b.list = append(b.list, v)
	}
}

func (n *news) has(v uint32) bool { return n.bits[v/64]>>(v%64)&1 != 0 }

// listed reports whether the lists hold all.
func (n *news) listed() bool {
	for t := range n.by {
		if n.by[t].many {
			return false
		}
	}
	return true
}

// each calls f for the indices from … to−1 of n, less from.
func (n *news) each(from, to uint32, f func(i uint32)) {
	if !n.listed() {
		eachBit(n.bits[from/64:to/64], 0, f)
		return
	}
	for t := range n.by {
		for _, v := range n.by[t].list {
			if v-from < to-from {
				f(v - from)
			}
		}
	}
}

func (n *news) clear(r *valueRun) {
	if !n.listed() {
		r.clear(n.bits)
	}
	for t := range n.by {
		for _, v := range n.by[t].list {
			n.bits[v/64] = 0
		}
		n.by[t].list, n.by[t].many = n.by[t].list[:0], false
	}
}

// into adds own vertices of n, indices of a side, to s.
func (n *news) into(r *valueRun, side int, s *set) {
	if n.listed() && s.listed() {
		for _, o := range r.own {
			n.each(o.at[side], o.at[side]+o.size, func(i uint32) { s.add(o.pos + i) })
		}
		return
	}
	for _, o := range r.own {
		from, to := n.bits[o.at[side]/64:][:o.size/64], s.bits[o.pos/64:]
		r.spread(len(from), parallelWords, func(lo, hi int) {
			for k := lo; k < hi; k++ {
				to[k] |= from[k]
			}
		})
	}
	s.recount(r)
}
