package graph

// Range is a run of ranks with one owner: First is a multiple of 64, the Vertices
// ranks from First on are vertices, those up to the next multiple of 64 padding.
type Range struct {
	First, Vertices uint32
	Owner           int // index of the processor
}

// Padded is the first rank after the range and its padding.
func (r Range) Padded() uint32 { return (r.First + r.Vertices + 63) &^ 63 }

// Part is what one processor loads: its subgraphs, and how rank space is divided.
// All slices are shared and must not be changed.
type Part struct {
	Index  int     // number of this processor
	Ranks  uint32  // size of rank space, a multiple of 64
	Ranges []Range // all ranges, rising by First, covering rank space
	// Subgraphs[i] is the subgraph of range i where Ranges[i].Owner is Index, else nil.
	Subgraphs []*Subgraph
	// VertexOf is the vertex id of each rank, None for padding.
	VertexOf []uint32
	// RankOf is the rank of each vertex id, None for a vertex without one.
	RankOf   []uint32
	Directed bool
	// RowsSorted says that degrees fall over all of rank space, so that every row rises.
	RowsSorted bool
}
