package graph500

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/bits-and-blooms/bitset"

	"github.com/totemgo/totemgo/graph"
)

// EdgeCounts holds the number of records of every vertex, from which the edges of a search
// are summed. It is made once per graph and safe for concurrent use.
type EdgeCounts struct {
	threads int
	// tuples and loops count the records by their first end: both ends of an edge
	// lie in one component, so either will do, and an arc belongs to its tail.
	tuples, loops []uint32
	connected     *bitset.BitSet // vertices with a record that is no self-loop
}

// CountEdges reads src once with the given number of threads, 0 for GOMAXPROCS.
// It takes 8 bytes and a bit per vertex. The error is the context's, ErrConfig for a nil one, that
// of graph.CheckSource, graph.ErrUnreadable, or graph.ErrTooManyArcs where a vertex has 2^32 records, which no
// engine holds.
func CountEdges(ctx context.Context, src graph.Source, threads int) (*EdgeCounts, error) {
	if err := checkCall(ctx, src); err != nil {
		return nil, err
	}
	n := src.NumVertices()
	connected := make([]uint64, (n+63)/64)
	c := &EdgeCounts{
		threads:   threads,
		tuples:    make([]uint32, n),
		loops:     make([]uint32, n),
		connected: bitset.FromWithLength(uint(n), connected),
	}
	err := graph.EachBlock(ctx, src, threads, blocksOf(src), func(_, _ int, records []graph.Edge) error {
		for _, e := range records {
			counts := c.loops
			if e.U != e.V {
				counts = c.tuples
				setBit(connected, e.U)
				setBit(connected, e.V)
			}
			if atomic.AddUint32(&counts[e.U], 1) == 0 {
				return fmt.Errorf("graph500: %w: 2^32 records at vertex %d", graph.ErrTooManyArcs, e.U)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// checkCall refuses a nil context and a source whose records cannot be read.
func checkCall(ctx context.Context, src graph.Source) error {
	if ctx == nil {
		return fmt.Errorf("%w: the context is nil", ErrConfig)
	}
	if err := graph.CheckSource(src); err != nil {
		return fmt.Errorf("graph500: %w", err)
	}
	return nil
}

// setBit sets bit v, atomically if it is not yet set.
func setBit(words []uint64, v uint32) {
	w, m := &words[v/64], uint64(1)<<(v%64)
	if atomic.LoadUint64(w)&m == 0 {
		atomic.OrUint64(w, m)
	}
}

// testBit reports whether bit v is set.
func testBit(words []uint64, v int) bool { return words[v/64]>>(v%64)&1 != 0 }

// Of returns the edges of a search that reached the vertices with a parent other
// than graph.None: nedge counts the records in the reached component without
// self-loops, as version 3.0 of the reference code does, spec with them, as the
// specification has it. Duplicates count in both. In a directed graph they are the
// arcs that leave a reached vertex. ErrTreeShape if the length of parents is not the
// number of vertices.
func (c *EdgeCounts) Of(parents []uint32) (nedge, spec int64, err error) {
	if len(parents) != len(c.tuples) {
		return 0, 0, fmt.Errorf("%w: %d parents for %d vertices", ErrTreeShape, len(parents), len(c.tuples))
	}
	var tuples, loops atomic.Int64
	err = chunks(context.Background(), c.threads, len(parents), vertexGrain, func(_, lo, hi int) {
		var t, l int64
		for v := lo; v < hi; v++ {
			if parents[v] != graph.None {
				t += int64(c.tuples[v])
				l += int64(c.loops[v])
			}
		}
		tuples.Add(t)
		loops.Add(l)
	})
	return tuples.Load(), tuples.Load() + loops.Load(), err
}

// Connected reports whether vertex v has a record that is no self-loop, and can be a root.
func (c *EdgeCounts) Connected(v uint32) bool { return c.connected.Test(uint(v)) }
