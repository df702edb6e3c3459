package graph

import (
	"context"
	"math/bits"
	"sync/atomic"

	"github.com/totemgo/totemgo/internal/workers"
)

// Figures describe a graph. A degree is the number of records at a vertex, in
// either direction, duplicates counted, self-loops not.
type Figures struct {
	SelfLoops int64 // records that join a vertex to itself
	MaxDegree int64
	// MaxVertex is the smallest vertex that has MaxDegree, None where there is none.
	MaxVertex uint32
	// Isolated is the number of vertices with degree 0.
	Isolated int64
	// Histogram[0] is Isolated; Histogram[i] is the number of vertices with degrees
	// 2^(i−1) … 2^i−1. It ends with the largest degree.
	Histogram []int64
}

// Measure reads a source once and describes it. It takes 8 bytes a vertex. threads
// bounds the goroutines; 0 means GOMAXPROCS. The error is that of ctx, or an
// *InvalidError where a record names a vertex that the source does not have.
func Measure(ctx context.Context, src Source, threads int) (*Figures, error) {
	n := src.NumVertices()
	degrees := make([]uint64, n)
	var loops atomic.Int64
	err := eachRecord(ctx, src, threads, func(records []Edge) {
		own := int64(0)
		for _, e := range records {
			if e.U == e.V {
				own++
				continue
			}
			atomic.AddUint64(&degrees[e.U], 1)
			atomic.AddUint64(&degrees[e.V], 1)
		}
		loops.Add(own)
	})
	if err != nil {
		return nil, err
	}
	f := &Figures{SelfLoops: loops.Load(), MaxVertex: None}
	for v, d := range degrees {
		class := bits.Len64(d)
		for len(f.Histogram) <= class {
			f.Histogram = append(f.Histogram, 0)
		}
		f.Histogram[class]++
		if int64(d) > f.MaxDegree || f.MaxVertex == None {
			f.MaxDegree, f.MaxVertex = int64(d), uint32(v)
		}
	}
	if n > 0 {
		f.Isolated = f.Histogram[0]
	}
	return f, nil
}

// eachRecord calls f for blocks of records, in parallel, after checking their ids.
func eachRecord(ctx context.Context, src Source, threads int, f func(records []Edge)) error {
	// Small blocks: cancellation is looked for between them.
	wanted := max(4*workers.Count(threads), int(min(src.NumEdges()>>20, 1<<16)))
	return EachBlock(ctx, src, threads, wanted, func(_, _ int, records []Edge) error {
		err := checkRecords(records, src.NumVertices())
		if err == nil {
			f(records)
		}
		return err
	})
}

// Components finds the components of a graph, arcs taken as edges: comp[v] is the
// smallest vertex of v's component, count the number of components, largest the
// number of vertices of the largest. A vertex without edges is a component. threads
// bounds the goroutines; 0 means GOMAXPROCS. Errors are those of Measure.
func Components(ctx context.Context, src Source, threads int) (count, largest int, comp []uint32, err error) {
	n := src.NumVertices()
	// comp[v] is a smaller vertex of the same component, or v itself at a root. Trees
	// are only ever joined at roots, the larger under the smaller.
	comp = make([]uint32, n)
	for v := range comp {
		comp[v] = uint32(v)
	}
	// root halves the path it follows.
	root := func(v uint32) uint32 {
		for {
			p := atomic.LoadUint32(&comp[v])
			if p == v {
				return v
			}
			g := atomic.LoadUint32(&comp[p])
			if g != p {
				atomic.CompareAndSwapUint32(&comp[v], p, g)
			}
			v = g
		}
	}
	err = eachRecord(ctx, src, threads, func(records []Edge) {
		for _, e := range records {
			u, v := root(e.U), root(e.V)
			for u != v {
				if u < v {
					u, v = v, u
				}
				if atomic.CompareAndSwapUint32(&comp[u], u, v) {
					break
				}
				u, v = root(u), root(v)
			}
		}
	})
	if err != nil {
		return 0, 0, nil, err
	}
	sizes := make([]uint32, n)
	for v := range comp {
		// comp[v] < v is final already: every smaller vertex has been looked at.
		c := comp[comp[v]]
		comp[v] = c
		if int(c) == v {
			count++
		}
		sizes[c]++
		largest = max(largest, int(sizes[c]))
	}
	return count, largest, comp, nil
}
