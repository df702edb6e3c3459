package cpu

import (
	"math/bits"
	"sync/atomic"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

// set is a set of own vertices, by position.
type set struct {
	bits []uint64 // nil for a kept set that is a list
	list []uint32 // all of them, unless many
	many bool
	n    int64
}

// add adds a vertex and reports whether it is new.
func (s *set) add(r *valueRun, pos uint32) bool {
	if s.bits[pos/64]>>(pos%64)&1 != 0 {
		return false
	}
	s.bits[pos/64] |= 1 << (pos % 64)
	s.n++
	if s.many = s.many || len(s.list) > r.words; !s.many {
		s.list = append(s.list, pos)
	}
	return true
}

func (s *set) clear(r *valueRun) {
	if s.many {
		r.p.spread(len(s.bits), parallelWords, func(lo, hi int) { clear(s.bits[lo:hi]) })
	} else {
		for _, pos := range s.list {
			s.bits[pos/64] = 0
		}
	}
	s.list, s.many, s.n = s.list[:0], false, 0
}

// recount makes n the number of bits, after they were written as words.
func (s *set) recount(r *valueRun) {
	var n atomic.Int64
	r.p.spread(len(s.bits), parallelWords, func(lo, hi int) { n.Add(ones(s.bits[lo:hi])) })
	s.list, s.many, s.n = s.list[:0], true, n.Load()
}

func ones(words []uint64) (n int64) {
	for _, w := range words {
		n += int64(bits.OnesCount64(w))
	}
	return n
}

func (s *set) has(pos uint32) bool { return s.bits[pos/64]>>(pos%64)&1 != 0 }

// each calls f for every vertex.
func (s *set) each(f func(pos uint32)) {
	if !s.many {
		for _, pos := range s.list {
			f(pos)
		}
		return
	}
	for k, w := range s.bits {
		for ; w != 0; w &= w - 1 {
			f(uint32(64*k + bits.TrailingZeros64(w)))
		}
	}
}

// clone returns a copy, a list where that is smaller.
func (s *set) clone(r *valueRun) *set {
	c := &set{n: s.n, many: s.n > int64(r.words)}
	if c.many {
		c.bits = append(c.bits, s.bits...)
	} else {
		c.list = make([]uint32, 0, s.n)
		s.each(func(pos uint32) { c.list = append(c.list, pos) })
	}
	return c
}

// setOf is a set as Step.From, Step.Over or VertexMap names it; nil for All. A set that is not
// stored is empty.
func (r *valueRun) setOf(k program.Set) *set {
	switch s := r.kept[k]; {
	case k == program.All:
		return nil
	case k == program.Default:
		return &r.front
	case s != nil:
		return s
	}
	return &set{}
}

// valid has the bits of the vertices of word k of n vertices.
func valid(k int, n uint32) uint64 {
	if left := n - uint32(64*k); left < 64 {
		return 1<<left - 1
	}
	return ^uint64(0)
}

// wordsOf copies the words of an own range of a set to dst. s is nil for all vertices.
func (o *place) wordsOf(s *set, dst []uint64) {
	switch {
	case s == nil:
		for k := range dst {
			dst[k] = valid(k, o.rows)
		}
	case s.bits != nil:
		copy(dst, s.bits[o.pos/64:])
	default:
		clear(dst)
		for _, pos := range s.list {
			if i := pos - o.pos; i < o.size {
				dst[i/64] |= 1 << (i % 64)
			}
		}
	}
}

// membersOf appends the numbers in an own range of the vertices of a set.
func (o *place) membersOf(s *set, out []uint32) []uint32 {
	switch {
	case s == nil:
		for i := range o.rows {
			out = append(out, i)
		}
	case !s.many:
		for _, pos := range s.list {
			if i := pos - o.pos; i < o.size {
				out = append(out, i)
			}
		}
	default:
		out = appendBits(out, s.bits[o.pos/64:][:o.size/64], 0)
	}
	return out
}

// join puts index v of a side into the targets that the step reached, and reports whether it is
// new there.
func (r *valueRun) join(f *found, side int, v uint32) bool {
	word, bit := &r.reached[side][v/64], uint64(1)<<(v%64)
	if atomic.LoadUint64(word)&bit != 0 || atomic.OrUint64(word, bit)&bit != 0 {
		return false
	}
	if f.many[side] = f.many[side] || len(f.lists[side]) > len(r.reached[side])/len(r.found); !f.many[side] {
		f.lists[side] = append(f.lists[side], v)
	}
	return true
}

// listed reports whether the threads' lists hold all that the step reached at a side.
func (r *valueRun) listed(side int) bool {
	for t := range r.found {
		if r.found[t].many[side] {
			return false
		}
	}
	return true
}

// markMany says that words of reached were written: there are no lists.
func (r *valueRun) markMany(side int) { r.found[0].many[side] = true }

// eachReached calls f for the indices from … to−1 of a side that the step reached.
func (r *valueRun) eachReached(side int, from, to uint32, f func(v uint32)) {
	if r.listed(side) {
		for t := range r.found {
			for _, v := range r.found[t].lists[side] {
				if v-from < to-from {
					f(v)
				}
			}
		}
		return
	}
	for k := from / 64; k < to/64; k++ {
		for w := r.reached[side][k]; w != 0; w &= w - 1 {
			f(64*k + uint32(bits.TrailingZeros64(w)))
		}
	}
}

// forget empties reached.
func (r *valueRun) forget(side int) {
	if r.listed(side) {
		for t := range r.found {
			for _, v := range r.found[t].lists[side] {
				r.reached[side][v/64] = 0
			}
		}
	} else {
		words := r.reached[side]
		r.p.spread(len(words), parallelWords, func(lo, hi int) { clear(words[lo:hi]) })
	}
	for t := range r.found {
		r.found[t].lists[side], r.found[t].many[side] = r.found[t].lists[side][:0], false
	}
}

// count returns the counts of the frontier.
func (r *valueRun) count() kernels.Counts {
	c := kernels.Counts{Next: r.front.n, Least: program.TopOf(program.U32), Unvisited: r.ownVertices - r.seen, UnvisitedArcs: r.ownIn - r.seenArcs}
	if r.need&(kernels.NeedNextArcs|kernels.NeedFewArcs) != 0 {
		for i := range r.own {
			c.NextArcs += r.degrees(0, &r.own[i], &r.front)
		}
	}
	if a := r.prog.LeastArray(); a >= 0 {
		c.Least = r.columns[a].least()
	}
	for t := range r.found {
		c.Examined += r.found[t].examined
		r.found[t].examined = 0
	}
	return c
}

// degrees is the sum of the lengths of the stored rows of a set.
func (r *valueRun) degrees(rows int, o *place, s *set) int64 {
	var sum atomic.Int64
	for k := range r.rows[rows] {
		g := &r.rows[rows][k]
		if g.index != o.index {
			continue
		}
		if !s.many {
			for _, pos := range s.list {
				if i := pos - o.pos; i < o.rows {
					sum.Add(int64(g.adj.Degree(i)))
				}
			}
			continue
		}
		r.p.spread(int(o.size/64), 1<<9, func(lo, hi int) {
			n := int64(0)
			for j := lo; j < hi; j++ {
				for w := s.bits[int(o.pos/64)+j]; w != 0; w &= w - 1 {
					n += int64(g.adj.Degree(uint32(64*j + bits.TrailingZeros64(w))))
				}
			}
			sum.Add(n)
		})
	}
	return sum.Load()
}
