package graph

import "math"

// None is the id of no vertex: the parent of an unreached vertex, the vertex of a
// padding rank, the rank of a vertex without edges.
const None uint32 = math.MaxUint32

// NoLabel is what Labels.Label returns for an id that is no vertex. A graph may use it as a
// label as well.
const NoLabel uint64 = math.MaxUint64

// MaxVertices is the largest number of vertices of a graph: ids are 32-bit and
// None is taken.
const MaxVertices = math.MaxUint32 - 1

// Edge is one record of an edge list: an arc from U to V if the list is directed,
// otherwise an edge between them. Both are dense ids.
type Edge struct{ U, V uint32 }

// Source is a graph that a placement can be built from: an *EdgeList or a *CSR.
// Its records are read in blocks, so that no second copy of the graph is needed.
// Implementations are safe for concurrent reads.
type Source interface {
	// NumVertices is the number of vertices; ids are 0 … NumVertices−1.
	NumVertices() int
	// NumEdges is the number of records, an undirected edge once, self-loops and
	// duplicates included.
	NumEdges() int64
	// IsDirected tells whether a record (u, v) is an arc or an edge.
	IsDirected() bool
	// WeightKind is the kind of the records' weights, or Unweighted.
	WeightKind() WeightKind
	// VertexLabels translates between dense ids and the file's ids.
	VertexLabels() *Labels
	// Blocks divides the records into about n blocks of like size and returns how
	// many there are; n is at least 1. The division is the same for the same n.
	Blocks(n int) int
	// Block returns the records of block i of Blocks(n). The slice may be the
	// source's own memory or buf, grown where needed; it must not be changed, and
	// is valid until buf is used again.
	Block(n, i int, buf []Edge) []Edge
	// BlockWeights returns the weights of the records of block i, in their order,
	// as a slice of the source's kind.
	BlockWeights(n, i int) Weights
}
