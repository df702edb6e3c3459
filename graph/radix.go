package graph

// radixBits is the number of bits that one pass of a sort looks at.
const radixBits = 11

// sorter sorts buckets of arcs. Its buffers are kept from bucket to bucket.
type sorter struct {
	counts  []uint32 // 1 << radixBits
	arcs    []Edge
	from    []uint32 // from[i]: where the arc at place i was before the sort
	spare   []uint32
	weights Weights
}

// sort sorts arcs by source, then target, stably. Vertices are below n, and the
// sources differ in their low sourceBits bits alone. If track is set, s.from tells
// afterwards where each arc came from; there must be less than 2^32 of them.
func (s *sorter) sort(arcs []Edge, track bool, n uint32, sourceBits int) {
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
	pass := func(shift int, source bool) {
		if s.pass(a, b, ia, ib, shift, source) {
			a, b, ia, ib = b, a, ib, ia
		}
	}
	for shift := 0; n>>shift > 0 && shift < 32; shift += radixBits {
		pass(shift, false)
	}
	for shift := 0; shift < sourceBits; shift += radixBits {
		pass(shift, true)
	}
	if len(arcs) > 0 && &a[0] != &arcs[0] {
		copy(arcs, a)
	}
	if track && len(arcs) > 0 && &ia[0] != &s.from[0] {
		s.from, s.spare = s.spare, s.from
	}
}

// pass moves a to b, in the order of radixBits bits of its sources or targets. It
// returns false, and does nothing, where all have the same.
func (s *sorter) pass(a, b []Edge, ia, ib []uint32, shift int, source bool) bool {
	const mask = 1<<radixBits - 1
	if uint64(len(a)) > 1<<32-1 {
		return s.passLong(a, b, shift, source)
	}
	counts := (*[1 << radixBits]uint32)(s.counts)
	clear(counts[:])
	if source {
		for _, e := range a {
			counts[e.U>>shift&mask]++
		}
	} else {
		for _, e := range a {
			counts[e.V>>shift&mask]++
		}
	}
	at := uint32(0)
	for i, c := range counts {
		if uint64(c) == uint64(len(a)) {
			return false
		}
		counts[i], at = at, at+c
	}
	for i, e := range a {
		key := e.V
		if source {
			key = e.U
		}
		p := &counts[key>>shift&mask]
		b[*p] = e
		if ia != nil {
			ib[*p] = ia[i]
		}
		*p++
	}
	return true
}

// passLong is pass for 2^32 arcs and more.
func (s *sorter) passLong(a, b []Edge, shift int, source bool) bool {
	const mask = 1<<radixBits - 1
	key := func(e Edge) uint32 {
		if source {
			return e.U >> shift & mask
		}
		return e.V >> shift & mask
	}
	var counts [1 << radixBits]uint64
	for _, e := range a {
		counts[key(e)]++
	}
	at := uint64(0)
	for i, c := range counts {
		counts[i], at = at, at+c
	}
	for _, e := range a {
		p := &counts[key(e)]
		b[*p] = e
		*p++
	}
	return true
}

// permute puts the weights of a sorted bucket in the order of its arcs.
func (s *sorter) permute(w Weights) {
	n := w.Len()
	if s.weights.kind != w.kind || s.weights.Len() < n {
		s.weights = MakeWeights(w.kind, n)
	}
	for i := range n {
		s.weights.Copy(i, w, i)
	}
	for i := range n {
		w.Copy(i, s.weights, int(s.from[i]))
	}
}
