package kernels

import (
	"context"
	"time"

	"github.com/totemgo/totemgo/graph"
)

// ManySearcher is a Processor that searches from many roots at once with threads of the host, over the rows of a whole graph
// in host memory, whichever processors own them.
type ManySearcher interface {
	Processor
	// SearchMany sets Hops and Sums of m.
	SearchMany(ctx context.Context, m *ManyRoots) error
	// ManyBytes is the memory of SearchMany.
	ManyBytes(m *ManyRoots) int64
}

// ManyRoots are breadth-first searches, each over all that its root reaches. Distances are numbers of arcs.
type ManyRoots struct {
	Out, In graph.Rows // along the arcs of the search, and against them
	Ranks   uint32
	Roots   []uint32 // ranks
	Threads int
	Unit    float64 // harmonic sums are in units of 1 ÷ Unit
	// Finished is called after a batch of roots, by one thread at a time, with the time that it took one thread.
	Finished func(roots int, took time.Duration)

	Hops     []int64     // pairs of root and vertex by distance
	Sums     []Distances // by rank, until FreeSums
	FreeSums func()      // set with Sums
}

// Distances are the distances from roots to a vertex.
type Distances struct {
	Total, Harmonic uint64 // their sum, and that of their reciprocals, each rounded to a unit
	Reach, Far      uint32 // the number of roots that reach the vertex, and the largest distance
}
