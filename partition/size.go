package partition

import (
	"math"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
)

// Sized is a placement without arrays of a graph that need not exist: it has the sizes that New gives one of s in which
// all degrees are equal, each processor getting its share of the vertices. Its rows must not be read.
func Sized(s Size, shares []float64) *Placement {
	p := &Placement{Directed: s.Directed, Isolated: s.Isolated, Ranges: make([]graph.Range, len(shares)),
		Subgraphs: make([]*graph.Subgraph, len(shares)), rows: make([]hugemem.Arena, len(shares)), Shares: shares}
	p.maps.Dry = true
	live := s.Vertices - s.Isolated
	first, sum := int64(0), 0.0
	until := func(of int64) int64 { return int64(math.Round(sum * float64(of))) }
	for i, share := range shares {
		p.rows[i].Dry = true
		vertices, arcs := until(live), until(s.Edges)
		if sum += share; i == len(shares)-1 {
			sum = 1
		}
		vertices, arcs = until(live)-vertices, until(s.Edges)-arcs
		if !s.Directed {
			arcs *= 2
		}
		p.Ranges[i] = graph.Range{First: uint32(first), Vertices: uint32(vertices), Owner: i}
		first += (vertices + 63) &^ 63
		g := &graph.Subgraph{First: p.Ranges[i].First, Rows: uint32(vertices)}
		rows := func() *graph.Adjacency {
			a := &graph.Adjacency{}
			hugemem.Alloc[uint32](&p.rows[i], int(vertices)) // first neighbours
			p.allocArcs(a, i, int(vertices), int(arcs))
			a.Offsets64, a.Weights = []uint64{uint64(arcs)}, graph.MakeWeights(s.Weights, 0)
			p.weights += int64(s.Weights.Size()) * arcs
			return a
		}
		if g.Out = rows(); s.Directed {
			g.In = rows()
		} else {
			g.In = g.Out
		}
		p.Subgraphs[i] = g
	}
	p.Ranks = uint32(first)
	hugemem.Alloc[uint32](&p.maps, int(s.Vertices)) // RankOf
	hugemem.Alloc[uint32](&p.maps, int(first))
	return p
}

// Bytes is the host memory of the placement in bytes.
func (p *Placement) Bytes() int64 {
	n := p.maps.Bytes + p.weights
	for i := range p.rows {
		n += p.rows[i].Bytes
	}
	return n
}
