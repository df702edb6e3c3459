package kerneltest

import (
	"fmt"
	"hash/fnv"
	"slices"
	"sort"

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
	// empty keeps ranges without vertices.
	empty bool
	// columns is not 0 for a grid of partitions, numbered row by row: an arc is stored in the
	// row of its target's owner and the column of its source's.
	columns int
	// compact numbers only the vertices of a row and of a column; else a grid has all ranks.
	compact bool
}

// lines tells whether partitions i and j of a grid share the column, and the row.
func (l layout) lines(i, j int) (column, row bool) {
	return i%l.columns == j%l.columns, i/l.columns == j/l.columns
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
	layout
	parts   []*kernels.Part
	out, in [][]uint32            // simple rows, by vertex id
	rankOf  []uint32              // None for a vertex without edges
	ranked  int                   // vertices that have a rank
	weight  map[[2]uint32]float64 // of every arc between vertices
}

// place builds the parts of g under l, as a placement and a builder would.
func place(g *graph.EdgeList, l layout) *placed {
	p := &placed{EdgeList: g, Checker: ref.NewChecker(g), layout: l, rankOf: make([]uint32, g.Vertices), weight: weights(g)}
	p.out, p.in = simple(g)
	degree := func(v uint32) int { return len(p.out[v]) + len(p.in[v]) }
	var order []uint32
	for v := range p.rankOf {
		p.rankOf[v] = graph.None
		if degree(uint32(v)) > 0 {
			order = append(order, uint32(v))
		}
	}
	sort.SliceStable(order, func(i, j int) bool { return degree(order[i]) > degree(order[j]) })
	p.ranked = len(order)
	dealt := make([][]uint32, len(l.owners))
	for i, v := range order {
		r := l.deal(i, len(order))
		dealt[r] = append(dealt[r], v)
	}
	var ranges []kernels.Range
	var vertexOf []uint32
	var rangeOf []int // by rank
	for r, list := range dealt {
		if len(list) == 0 && !l.empty {
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
		rangeOf = append(rangeOf, slices.Repeat([]int{len(ranges)}, len(vertexOf)-len(rangeOf))...)
		ranges = append(ranges, rg)
	}
	owner := func(v uint32) int { return ranges[rangeOf[p.rankOf[v]]].Owner }
	// adjacency has the arcs between the vertices of rg and the neighbours that keep accepts.
	adjacency := func(rg kernels.Range, rows [][]uint32, out bool, to graph.Space, keep func(v uint32) bool) *graph.Adjacency {
		a := &graph.Adjacency{}
		var list []float64
		offsets := []uint64{0}
		for i := uint32(0); i < rg.Vertices; i++ {
			u := vertexOf[rg.First+i]
			row := slices.DeleteFunc(slices.Clone(rows[u]), func(v uint32) bool { return !keep(v) })
			sort.Slice(row, func(i, j int) bool {
				if di, dj := degree(row[i]), degree(row[j]); di != dj {
					return di > dj
				}
				return p.rankOf[row[i]] < p.rankOf[row[j]]
			})
			first := graph.None
			for k, v := range row {
				at, arc := p.rankOf[v], [2]uint32{u, v}
				if r := rangeOf[at]; to.First != nil {
					at += to.First[r] - ranges[r].First
				}
				if k == 0 {
					first = at
				}
				if !out {
					arc = [2]uint32{v, u}
				}
				a.Neighbours, list = append(a.Neighbours, at), append(list, p.weight[arc])
			}
			a.FirstNeighbours = append(a.FirstNeighbours, first)
			offsets = append(offsets, uint64(len(a.Neighbours)))
		}
		if g.WeightKind() != graph.Unweighted {
			a.Weights, _ = graph.WeightsOf(list).Convert(g.WeightKind()) // the weights came from that kind
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
		if l.columns > 0 {
			part.Sources, part.Targets = l.space(part, true), l.space(part, false)
		}
		for r, rg := range ranges {
			s := &graph.Subgraph{First: rg.First, Rows: rg.Vertices}
			switch {
			case l.columns > 0:
				column, row := l.lines(rg.Owner, i)
				if column {
					s.Out = adjacency(rg, p.out, true, part.Targets, func(v uint32) bool { _, row := l.lines(owner(v), i); return row })
				}
				if row {
					s.In = adjacency(rg, p.in, false, part.Sources, func(v uint32) bool { column, _ := l.lines(owner(v), i); return column })
				}
				if (s.Out == nil || s.Out.Arcs() == 0) && (s.In == nil || s.In.Arcs() == 0) {
					continue
				}
			case rg.Owner != i:
				continue
			default:
				all := func(uint32) bool { return true }
				s.Out = adjacency(rg, p.out, true, graph.Space{}, all)
				if s.In = s.Out; g.Directed {
					s.In = adjacency(rg, p.in, false, graph.Space{}, all)
				}
			}
			part.Subgraphs[r] = s
		}
		p.parts = append(p.parts, part)
	}
	return p
}

// space is the Space of a partition's sources or targets in a grid.
func (l layout) space(part *kernels.Part, sources bool) graph.Space {
	if !l.compact {
		return graph.Space{Size: part.Ranks}
	}
	s := graph.Space{First: make([]uint32, len(part.Ranges))}
	for r, rg := range part.Ranges {
		s.First[r] = graph.None
		if column, row := l.lines(rg.Owner, part.Index); sources && column || !sources && row {
			s.First[r] = s.Size
			for rank := rg.First; rank < rg.Padded(); rank++ {
				s.Ranks = append(s.Ranks, rank)
			}
			s.Size = uint32(len(s.Ranks))
		}
	}
	return s
}

// weights returns the weight of every arc, the smallest of its records.
func weights(g *graph.EdgeList) map[[2]uint32]float64 {
	list := map[[2]uint32]float64{}
	for i, e := range g.Edges {
		for _, arc := range [][2]uint32{{e.U, e.V}, {e.V, e.U}} {
			if old, is := list[arc]; !is || g.Weights.Float64(i) < old {
				list[arc] = g.Weights.Float64(i)
			}
			if g.Directed {
				break
			}
		}
	}
	return list
}

// sum is a checksum of everything that a processor must not change.
func (p *placed) sum() uint64 {
	h := fnv.New64a()
	for _, part := range p.parts {
		fmt.Fprint(h, part.Index, part.Ranks, part.Directed, part.Ranges, part.VertexOf, part.RankOf, part.Sources, part.Targets)
		for _, s := range part.Subgraphs {
			if s != nil {
				fmt.Fprint(h, s.First, s.Rows, s.Out, s.In)
			}
		}
	}
	return h.Sum64()
}

// roots returns the vertices that searches start from: the one of the highest
// degree, the one of the lowest and one between, the last of each range.
func (p *placed) roots() (list []uint32) {
	ranges := p.parts[0].Ranges
	for _, rg := range ranges {
		if rg.Vertices > 0 {
			list = append(list, p.parts[0].VertexOf[rg.First], p.parts[0].VertexOf[rg.First+rg.Vertices-1])
		}
	}
	if len(list) > 0 && ranges[0].Vertices > 0 {
		list = append(list, p.parts[0].VertexOf[ranges[0].First+ranges[0].Vertices/2])
	}
	var once []uint32
	for _, v := range list {
		if !slices.Contains(once, v) {
			once = append(once, v)
		}
	}
	return once
}
