package kerneltest

import (
	"fmt"
	"hash/fnv"
	"slices"
	"sort"
	"unsafe"

	"github.com/bits-and-blooms/bitset"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/kernels"
)

// layout assigns vertices to ranges and ranges to partitions.
type layout struct {
	name       string
	partitions int
	// owners are the owners by range.
	owners []int
	// deal returns the range of the i-th of n vertices in order of falling degree.
	deal func(i, n int) int
	// byID orders ranges by id, not by degree.
	byID bool
	// wide forces 64-bit offsets.
	wide bool
}

// layouts returns the placements of the kit, for one to three partitions.
func layouts() []layout {
	return []layout{
		{name: "alone", partitions: 1, owners: []int{0}, deal: func(i, n int) int { return 0 }},
		{name: "alone-in-no-order", partitions: 1, owners: []int{0}, deal: func(i, n int) int { return 0 }, byID: true},
		{name: "alone-two-ranges", partitions: 1, owners: []int{0, 0}, deal: func(i, n int) int { return i % 2 }},
		{name: "hubs-first", partitions: 2, owners: []int{0, 1}, deal: func(i, n int) int { return cut(i, n, 8, 1) }},
		{name: "hubs-last-wide", partitions: 2, owners: []int{1, 0}, deal: func(i, n int) int { return cut(i, n, 3, 1) }, wide: true},
		{name: "one-vertex", partitions: 2, owners: []int{0, 1}, deal: func(i, n int) int { return min(1, (n-1-i)/max(1, n-1)) }},
		{name: "dealt-three", partitions: 3, owners: []int{0, 1, 2}, deal: func(i, n int) int { return i % 3 }},
		{name: "two-ended", partitions: 3, owners: []int{1, 0, 2, 1}, deal: func(i, n int) int { return min(3, 5*i/n) }},
		{name: "one-without-range", partitions: 3, owners: []int{2, 0, 2}, deal: func(i, n int) int { return cut(i, n, 3, 2) }},
	}
}

// cut divides n into parts ranges, and returns that of i, at most last.
func cut(i, n, parts, last int) int { return min(last, parts*i/n) }

// placed is a graph on its partitions.
type placed struct {
	*graph.EdgeList
	*ref.Checker
	parts   []*kernels.Part
	out, in [][]uint32 // simple rows, by vertex id
	rankOf  []uint32   // None for a vertex without edges
	ranked  int        // vertices that have a rank
}

// place builds the parts of g under l, as a placement and a builder would.
func place(g *graph.EdgeList, l layout) *placed {
	p := &placed{EdgeList: g, Checker: ref.NewChecker(g), rankOf: make([]uint32, g.Vertices)}
	p.out, p.in = simple(g)
	degree := func(v uint32) int { return len(p.out[v]) + len(p.in[v]) }
	var order []uint32
	for v := range p.rankOf {
		p.rankOf[v] = graph.None
		if degree(uint32(v)) > 0 {
			order = append(order, uint32(v))
		}
	}
	byDegree := func(list []uint32) {
		sort.SliceStable(list, func(i, j int) bool { return degree(list[i]) > degree(list[j]) })
	}
	byDegree(order)
	p.ranked = len(order)
	dealt := make([][]uint32, len(l.owners))
	for i, v := range order {
		r := l.deal(i, len(order))
		dealt[r] = append(dealt[r], v)
	}
	var ranges []kernels.Range
	var vertexOf []uint32
	for r, list := range dealt {
		if len(list) == 0 {
			continue
		}
		if l.byID {
			slices.Sort(list)
		}
		rg := kernels.Range{First: uint32(len(vertexOf)), Vertices: uint32(len(list)), Owner: l.owners[r]}
		for _, v := range list {
			p.rankOf[v] = uint32(len(vertexOf))
			vertexOf = append(vertexOf, v)
		}
		for len(vertexOf)%64 != 0 {
			vertexOf = append(vertexOf, graph.None)
		}
		ranges = append(ranges, rg)
	}
	adjacency := func(rg kernels.Range, rows [][]uint32) *graph.Adjacency {
		a := &graph.Adjacency{}
		offsets := []uint64{0}
		for i := uint32(0); i < rg.Vertices; i++ {
			row := append([]uint32(nil), rows[vertexOf[rg.First+i]]...)
			sort.Slice(row, func(i, j int) bool {
				if di, dj := degree(row[i]), degree(row[j]); di != dj {
					return di > dj
				}
				return p.rankOf[row[i]] < p.rankOf[row[j]]
			})
			first := graph.None
			for k, v := range row {
				if k == 0 {
					first = p.rankOf[v]
				}
				a.Neighbours = append(a.Neighbours, p.rankOf[v])
			}
			a.FirstNeighbours = append(a.FirstNeighbours, first)
			offsets = append(offsets, uint64(len(a.Neighbours)))
		}
		if l.wide {
			a.Offsets64 = offsets
			return a
		}
		for _, o := range offsets {
			a.Offsets32 = append(a.Offsets32, uint32(o))
		}
		return a
	}
	for i := 0; i < l.partitions; i++ {
		part := &kernels.Part{Index: i, Ranks: uint32(len(vertexOf)), Ranges: ranges,
			Subgraphs: make([]*graph.Subgraph, len(ranges)), VertexOf: vertexOf, RankOf: p.rankOf, Directed: g.Directed}
		for r, rg := range ranges {
			if rg.Owner != i {
				continue
			}
			s := &graph.Subgraph{First: rg.First, Rows: rg.Vertices, Out: adjacency(rg, p.out)}
			if s.In = s.Out; g.Directed {
				s.In = adjacency(rg, p.in)
			}
			part.Subgraphs[r] = s
		}
		part.RowsSorted = rising(part)
		p.parts = append(p.parts, part)
	}
	return p
}

// sum is a checksum of everything that a processor must not change.
func (p *placed) sum() uint64 {
	h := fnv.New64a()
	words := func(list []uint32) {
		fmt.Fprint(h, len(list), ":")
		if len(list) > 0 {
			h.Write(unsafe.Slice((*byte)(unsafe.Pointer(&list[0])), 4*len(list)))
		}
	}
	rows := func(a *graph.Adjacency) {
		words(a.Offsets32)
		fmt.Fprint(h, a.Offsets64)
		words(a.Neighbours)
		words(a.FirstNeighbours)
	}
	for _, part := range p.parts {
		fmt.Fprint(h, part.Index, part.Ranks, part.Directed, part.Ranges)
		words(part.VertexOf)
		for _, s := range part.Subgraphs {
			if s != nil {
				fmt.Fprint(h, s.First, s.Rows)
				rows(s.Out)
				rows(s.In)
			}
		}
	}
	return h.Sum64()
}

// roots returns the vertices that searches start from: the one of the highest
// degree, the one of the lowest and one between, the last of each range.
func (p *placed) roots() []uint32 {
	var seen bitset.BitSet // of vertices
	var list []uint32
	add := func(rank uint32) {
		if v := p.parts[0].VertexOf[rank]; !seen.Test(uint(v)) {
			seen.Set(uint(v))
			list = append(list, v)
		}
	}
	for _, rg := range p.parts[0].Ranges {
		add(rg.First)
		add(rg.First + rg.Vertices - 1)
	}
	if len(p.parts[0].Ranges) > 0 {
		rg := p.parts[0].Ranges[0]
		add(rg.First + rg.Vertices/2)
	}
	return list
}

// rising reports whether every row of a part is sorted.
func rising(part *kernels.Part) bool {
	for _, s := range part.Subgraphs {
		if s == nil {
			continue
		}
		for _, a := range []*graph.Adjacency{s.Out, s.In} {
			for i := range s.Rows {
				lo, hi := a.Row(i)
				if !slices.IsSorted(a.Neighbours[lo:hi]) {
					return false
				}
			}
		}
	}
	return true
}
