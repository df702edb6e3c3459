package graph

import "math/bits"

// radixBits is the largest number of bits of one sorting pass.
const radixBits = 12

// sorter sorts buckets of arcs. Its buffers are kept from bucket to bucket.
type sorter struct {
	counts  [1 << radixBits]uint64
	arcs    []Edge
	from    []uint32 // from[i]: index of arc i before the sort
	spare   []uint32
	weights Weights
}

// sort sorts arcs by source, then target, stably. Vertices are below n, and the
// sources differ in their low sourceBits bits alone. If track is set, s.from holds
// the former index of each arc; there must be fewer than 2^32.
func (s *sorter) sort(arcs []Edge, track bool, n uint32, sourceBits int) {
	if len(arcs) == 0 {
		return
	}
	if len(s.arcs) < len(arcs) {
		s.arcs = make([]Edge, len(arcs))
	}
	a, b := arcs, s.arcs[:len(arcs)]
	var ia, ib []uint32
	if track {
		if len(s.from) < len(arcs) {
			s.from, s.spare = make([]uint32, len(arcs)), make([]uint32, len(arcs))
		}
		ia, ib = s.from[:len(arcs)], s.spare[:len(arcs)]
		for i := range ia {
			ia[i] = uint32(i)
		}
	}
	// An arc is the number U·2^32 + V; digits are taken from its low end.
	digits := func(low, width int) {
		passes := (width + radixBits - 1) / radixBits
		for p := range passes {
			from, to := low+width*p/passes, low+width*(p+1)/passes
			if s.pass(a, b, ia, ib, from, to-from) {
				a, b, ia, ib = b, a, ib, ia
			}
		}
	}
	digits(0, bits.Len32(n-1))
	digits(32, sourceBits)
	if &a[0] != &arcs[0] {
		copy(arcs, a)
	}
	if track && &ia[0] != &s.from[0] {
		s.from, s.spare = s.spare, s.from
	}
}

func (e Edge) number() uint64 { return uint64(e.U)<<32 | uint64(e.V) }

// pass moves a to b, in the order of width bits of the arcs' numbers. It returns false
// without a move if these bits are the same in all arcs.
func (s *sorter) pass(a, b []Edge, ia, ib []uint32, shift, width int) bool {
	mask := uint64(1)<<width - 1
	counts := &s.counts
	clear(counts[:mask+1])
	for _, e := range a {
		counts[e.number()>>shift&mask&(1<<radixBits-1)]++
	}
	at := uint64(0)
	for i, c := range counts[:mask+1] {
		if c == uint64(len(a)) {
			return false
		}
		counts[i], at = at, at+c
	}
	if ia == nil {
		for _, e := range a {
			p := &counts[e.number()>>shift&mask&(1<<radixBits-1)]
			b[*p] = e
			*p++
		}
		return true
	}
	for i, e := range a {
		p := &counts[e.number()>>shift&mask&(1<<radixBits-1)]
		b[*p] = e
		ib[*p] = ia[i]
		*p++
	}
	return true
}

// permute sorts the weights of a sorted bucket as its arcs.
func (s *sorter) permute(w Weights) {
	n := w.Len()
	if s.weights.kind != w.kind || s.weights.Len() < n {
		s.weights = MakeWeights(w.kind, n)
	}
	w.vector.permute(s.weights.vector, s.from)
}
