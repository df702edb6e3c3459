package graph

// Adjacency is one compressed sparse row structure over the rows of a Subgraph.
// Row i belongs to rank First+i. Neighbours are global ranks, ordered by (falling
// degree, rank) of the neighbour, without self-loops and duplicates.
type Adjacency struct {
	// Offsets32 has rows+1 entries, where the arcs of the range number below 2^32;
	// otherwise it is nil and Offsets64 is used.
	Offsets32 []uint32
	Offsets64 []uint64
	// Neighbours holds the global ranks of all rows. It is nil, as are the arrays below,
	// once partition.Placement.Release has freed them.
	Neighbours []uint32
	// FirstNeighbours[i] is the first neighbour of row i, None where the row is
	// empty.
	FirstNeighbours []uint32
	// Weights has one weight per neighbour, the smallest of the tuples between the
	// pair, or is empty.
	Weights Weights
}

// Row returns the bounds of row i in Neighbours.
func (a *Adjacency) Row(i uint32) (lo, hi uint64) {
	if a.Offsets32 != nil {
		return uint64(a.Offsets32[i]), uint64(a.Offsets32[i+1])
	}
	return a.Offsets64[i], a.Offsets64[i+1]
}

// Degree is the length of row i.
func (a *Adjacency) Degree(i uint32) uint64 { lo, hi := a.Row(i); return hi - lo }

// Arcs is the number of adjacency entries, whether or not they are in memory.
func (a *Adjacency) Arcs() int64 {
	switch {
	case len(a.Offsets32) > 0:
		return int64(a.Offsets32[len(a.Offsets32)-1])
	case len(a.Offsets64) > 0:
		return int64(a.Offsets64[len(a.Offsets64)-1])
	}
	return 0
}

// Bytes is the memory of the arrays.
func (a *Adjacency) Bytes() int64 {
	if a == nil {
		return 0
	}
	return 4*int64(len(a.Offsets32)+len(a.Neighbours)+len(a.FirstNeighbours)) + 8*int64(len(a.Offsets64)) +
		int64(a.Weights.Len()*a.Weights.Kind().Size())
}

// Subgraph is what a processor loads for one range of ranks: the rows of First …
// First+Rows−1. First is a multiple of 64.
type Subgraph struct {
	// First is the first rank of the range, Rows the number of vertices in it.
	// The ranks up to the next multiple of 64 are padding.
	First, Rows uint32
	// Out holds the out-arcs (push), In the in-arcs (pull). In an undirected graph
	// they are the same. One of them may be nil where it cannot be used.
	Out, In *Adjacency
}

// Limit is the first rank after the range's vertices.
func (s *Subgraph) Limit() uint32 { return s.First + s.Rows }

// Padded is the first rank after the range and its padding, a multiple of 64.
func (s *Subgraph) Padded() uint32 { return (s.First + s.Rows + 63) &^ 63 }

// Bytes is the memory of both structures, counted once where they are the same.
func (s *Subgraph) Bytes() int64 {
	if s.Out == s.In {
		return s.Out.Bytes()
	}
	return s.Out.Bytes() + s.In.Bytes()
}
