package partition

import (
	"math"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
)

// Sized is a placement without arrays of a graph that need not exist: it has the sizes that New gives one of s in which
// all degrees are equal. Its rows must not be read. Errors wrap ErrCapacity.
func Sized(s Size, o Options) (*Placement, error) {
	live, structures := int(s.Vertices-s.Isolated), 1
	if s.Directed && !o.NoOut && !o.NoIn {
		structures = 2
	}
	entries := s.Edges * int64(structures)
	if !s.Directed {
		entries *= 2
	}
	size := o.sizes(s.Vertices, int64(live), structures, s.Weights.Size())
	order, err := o.owners(size)
	if err != nil {
		return nil, err
	}
	if o.Policy != Random {
		o.hubsFirst(order, o.Policy == HubsOnGPU)
	}
	l := line{live, func(i int) uint64 { return uint64(math.Round(float64(entries) * float64(i) / float64(max(1, live)))) }}
	ends, err := l.cut(0, o.shares(order, false, size), size)
	if err != nil {
		return nil, err
	}
	p := &Placement{Directed: s.Directed, Isolated: s.Isolated, Ranges: make([]graph.Range, len(order)),
		Subgraphs: make([]*graph.Subgraph, len(order)), rows: make([]hugemem.Arena, len(order))}
	p.maps.Dry = true
	first := 0
	for i, owner := range order {
		p.rows[i].Dry = true
		vertices, arcs := ends[i+1]-ends[i], int64(l.sum(ends[i+1])-l.sum(ends[i]))/int64(structures)
		p.Ranges[i] = graph.Range{First: uint32(first), Vertices: uint32(vertices), Owner: owner}
		first += (vertices + 63) &^ 63
		g := &graph.Subgraph{First: p.Ranges[i].First, Rows: uint32(vertices)}
		rows := func() *graph.Adjacency {
			a := &graph.Adjacency{}
			hugemem.Alloc[uint32](&p.rows[i], vertices) // first neighbours
			p.allocArcs(a, i, vertices, int(arcs))
			a.Offsets64, a.Weights = []uint64{uint64(arcs)}, graph.MakeWeights(s.Weights, 0)
			p.weights += int64(s.Weights.Size()) * arcs
			return a
		}
		if !s.Directed || !o.NoOut {
			g.Out = rows()
		}
		if g.In = g.Out; s.Directed && !o.NoIn {
			g.In = rows()
		} else if s.Directed {
			g.In = nil
		}
		p.Subgraphs[i] = g
	}
	p.Ranks = uint32(first)
	hugemem.Alloc[uint32](&p.maps, int(s.Vertices)) // RankOf
	hugemem.Alloc[uint32](&p.maps, first)
	return p, nil
}

// Bytes is the host memory of the placement in bytes.
func (p *Placement) Bytes() int64 {
	n := p.maps.Bytes + p.weights
	for i := range p.rows {
		n += p.rows[i].Bytes
	}
	return n
}
