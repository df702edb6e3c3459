package graph

// Range is a run of ranks with one owner: First is a multiple of 64, the Vertices
// ranks from First on are vertices, those up to the next multiple of 64 padding.
type Range struct {
	First, Vertices uint32
	Owner           int // index of the processor
}

// Padded is the first rank after the range and its padding.
func (r Range) Padded() uint32 { return (r.First + r.Vertices + 63) &^ 63 }

// Space numbers vertices of some ranges, each range one after the other. Without First it is
// that of ranks.
type Space struct {
	// Size is the number of indices, a multiple of 64.
	Size uint32
	// First is, for every range, the index of its first rank, None for a range that is not in
	// the space; nil for ranks.
	First []uint32
	// Ranks is the rank of every index; nil for ranks.
	Ranks []uint32
}

// Part is what one processor loads: its subgraphs, and how rank space is divided.
// All slices are shared and must not be changed.
type Part struct {
	Index  int     // number of this processor
	Ranks  uint32  // size of rank space, a multiple of 64
	Ranges []Range // all ranges, rising by First, covering rank space
	// Subgraphs[i] has the part's arcs of range i: out-arcs of its vertices if range i is in
	// Sources, in-arcs if it is in Targets. It is nil without such arcs. Where a part stores all
	// arcs of its own vertices these are the ranges whose Owner is Index.
	Subgraphs []*Subgraph
	// VertexOf is the vertex id of each rank, None for padding.
	VertexOf []uint32
	// RankOf is the rank of each vertex id, None for a vertex without one.
	RankOf []uint32
	// Sources and Targets number the vertices at the two ends of the part's arcs: Neighbours of
	// out-arcs are indices in Targets, those of in-arcs indices in Sources. Both are zero Spaces
	// where a part stores all arcs of its own vertices, and only there: other parts set Size.
	Sources, Targets Space
	Directed         bool
}
