package partition

import (
	"fmt"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
)

// Placement is the result of New: the owner of every rank, and the subgraph of every range.
// It is immutable; Close frees what lies outside the Go heap.
type Placement struct {
	// Policy is the rule that was applied; Reason says why Auto chose it.
	Policy Policy
	Reason string
	// Ranks is the size of rank space, a multiple of 64.
	Ranks uint32
	// Ranges cover rank space, rising by First.
	Ranges []graph.Range
	// Subgraphs has one entry per range.
	Subgraphs []*graph.Subgraph
	// RankOf is the rank of each vertex id, graph.None for a vertex without edges;
	// VertexOf the vertex id of each rank, graph.None for padding.
	RankOf, VertexOf []uint32
	// RowsSorted says that degrees fall over all of rank space, so that every row rises.
	RowsSorted bool
	// Isolated is the number of vertices without a rank.
	Isolated int64
	// Directed is the source's.
	Directed bool
	// NegativeLoops are the vertices with self-loops of negative weight, rising, where weights are
	// kept: subgraphs have no loops, and these are cycles of negative weight.
	NegativeLoops []Loop
	// MaxDegree and MeanDegree are over the vertices that have edges.
	MaxDegree  uint32
	MeanDegree float64
	// Shares are the fractions of all adjacency entries per processor, in the order of
	// Options.Processors.
	Shares []float64
	// Processors are the figures of each, in the order of Options.Processors.
	Processors []ProcessorLoad

	maps hugemem.Arena   // RankOf, VertexOf and offsets
	rows []hugemem.Arena // by range

	weights int64 // bytes
}

// Loop is the lightest self-loop of the vertex with a dense id.
type Loop struct {
	Vertex uint32
	Weight float64
}

// ProcessorLoad is the part of the graph of one processor.
type ProcessorLoad struct {
	Vertices int64
	// Entries are adjacency entries held: out-arcs and in-arcs of a directed graph
	// both count.
	Entries int64
	// Cut is how many of them lead to another processor's vertex.
	Cut int64
	// Bytes is the memory of the partition during a search: PartBytes plus HostBytes or
	// DeviceBytes.
	Bytes int64
}

// PartSize is the size of a partition.
type PartSize struct {
	Entries, Rows, Ranks int64 // adjacency entries, own vertices, ranks of all partitions
	Structures           int   // of rows: 2 with out-arcs and in-arcs, else 1
	Offset, Weight       int   // bytes of an offset (4 or 8) and of a weight
}

// PartBytes is the memory of a partition of that size in bytes:
//
//	entries × (4 + weight) + structures × rows × (offset + 4) + ranks × 4 + 5 × ranks/8 + rows × 13
func PartBytes(s PartSize) int64 {
	return s.Entries*int64(4+s.Weight) + int64(s.Structures)*s.Rows*int64(s.Offset+4) + s.Ranks*4 + 5*s.Ranks/8 + s.Rows*13
}

// HostBytes is the memory of a CPU's partition beyond PartBytes: the ranks and the ids of
// four neighbours of each row, which rows have more, and one more entry for each rank, the
// source that a scattered top-down step writes.
func HostBytes(rows, ranks int64) int64 { return rows*32 + rows/4 + ranks*4 }

// DeviceBytes is the memory of a device's partition beyond PartBytes: the vertex id of
// each rank, a sixth bitmap, for messages, and 2 bits for each vertex id, the places of parents.
func DeviceBytes(ranks, vertices int64) int64 { return ranks*4 + ranks/8 + vertices/4 }

// Part returns what processor i loads.
func (p *Placement) Part(i int) *graph.Part {
	part := &graph.Part{
		Index: i, Ranks: p.Ranks, Ranges: p.Ranges, VertexOf: p.VertexOf, RankOf: p.RankOf, Directed: p.Directed,
		Subgraphs: make([]*graph.Subgraph, len(p.Ranges)),
	}
	for r, rg := range p.Ranges {
		if rg.Owner == i {
			part.Subgraphs[r] = p.Subgraphs[r]
		}
	}
	return part
}

// RangeOf is the index of the range that holds a rank.
func (p *Placement) RangeOf(rank uint32) int {
	for i, r := range p.Ranges {
		if rank >= r.First && rank < r.Padded() {
			return i
		}
	}
	return -1
}

// Rows returns the rows of out-arcs, of in-arcs for in, which must not be read after Close. It fails with ErrNoRows.
func (p *Placement) Rows(in bool) (r graph.Rows, err error) {
	defer hugemem.Recover(&err)
	for i, s := range p.Subgraphs {
		a := s.Out
		if a == nil && !p.Directed || in && p.Directed {
			a = s.In
		}
		switch {
		case a == nil:
			return nil, fmt.Errorf("%w: New left out arcs of that direction", ErrNoRows)
		case a.Neighbours == nil && a.Arcs() > 0:
			return nil, fmt.Errorf("%w: those of processor %d are in its device alone", ErrNoRows, p.Ranges[i].Owner)
		}
		r = append(r, graph.Segment{First: p.Ranges[i].First, Vertices: p.Ranges[i].Vertices, Adjacency: a})
	}
	return r, nil
}

// Release frees the neighbours, first neighbours and weights of processor i's ranges, which
// the processor must have copied. Offsets stay, so degrees remain known.
func (p *Placement) Release(i int) {
	for r, rg := range p.Ranges {
		if rg.Owner != i {
			continue
		}
		for _, a := range []*graph.Adjacency{p.Subgraphs[r].Out, p.Subgraphs[r].In} {
			if a != nil {
				p.weights -= int64(a.Weights.Len() * a.Weights.Kind().Size())
				a.Neighbours, a.FirstNeighbours, a.Weights = nil, nil, graph.Weights{}
			}
		}
		p.rows[r].Free()
	}
}

// Close frees the subgraphs and maps. It is safe to call it twice.
func (p *Placement) Close() {
	for i := range p.rows {
		p.rows[i].Free()
	}
	p.maps.Free()
}

// layRanges turns groups into ranges, rank maps and the total of rank space.
func (p *Placement) layRanges(g *groups, vertices int) error {
	p.Ranges = make([]graph.Range, len(g.owners))
	for _, v := range g.order {
		p.Ranges[g.slot[v]].Vertices++
	}
	ranks := uint64(0)
	for s := range p.Ranges {
		r := &p.Ranges[s]
		r.First, r.Owner = uint32(ranks), g.owners[s]
		ranks += (uint64(r.Vertices) + 63) &^ 63
		r.Vertices = 0 // counted anew below
	}
	if ranks >= graph.MaxVertices {
		return fmt.Errorf("%w: rank space of %d ranks passes %d", ErrTooLarge, ranks, uint32(graph.MaxVertices))
	}
	p.Ranks = uint32(ranks)
	p.RankOf = hugemem.Alloc[uint32](&p.maps, vertices)
	p.VertexOf = hugemem.Alloc[uint32](&p.maps, int(ranks))
	for _, a := range [][]uint32{p.RankOf, p.VertexOf} {
		for i := range a {
			a[i] = graph.None
		}
	}
	for _, v := range g.order {
		r := &p.Ranges[g.slot[v]]
		rank := r.First + r.Vertices
		p.VertexOf[rank], p.RankOf[v] = v, rank
		r.Vertices++
	}
	return nil
}
