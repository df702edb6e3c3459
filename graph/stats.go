package graph

import (
	"context"
	"math/bits"
	"sync/atomic"
)

// DegreeStats describe a graph. A degree is the number of records at a vertex, in
// either direction, duplicates counted, self-loops not.
type DegreeStats struct {
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
func Measure(ctx context.Context, src Source, threads int) (*DegreeStats, error) {
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
	f := &DegreeStats{SelfLoops: loops.Load(), MaxVertex: None}
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
