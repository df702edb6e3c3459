package gen

import (
	"context"
	"fmt"
	"math"
)

// RootOptions describe the search keys of Graph500.
type RootOptions struct {
	// Vertices is the number of vertices.
	Vertices int64
	// Count is the number of roots; 0 means 64.
	Count int
	// Seed1 and Seed2 are the seeds of the graph; both 0 means DefaultSeed1 and
	// DefaultSeed2.
	Seed1, Seed2 uint64
}

// DefaultRoots is the number of search keys of Graph500.
const DefaultRoots = 64

// rootPatience is the number of candidates in a row that may be passed over before
// the eligible vertices are counted.
const rootPatience = 4096

// Roots draws vertices in the order of Graph500's version 3.0. A candidate that
// repeats, or that eligible refuses, is passed over; eligible tells whether a vertex
// has an edge that is no self-loop. There are fewer roots than Count only where
// fewer vertices are eligible: then all of them are returned, in the order drawn.
// Errors wrap ErrOption or come from ctx.
func Roots(ctx context.Context, o RootOptions, eligible func(vertex uint32) bool) ([]uint32, error) {
	if err := checkRange("vertices", o.Vertices, 0, math.MaxUint32-1); err != nil {
		return nil, err
	}
	if o.Count == 0 {
		o.Count = DefaultRoots
	}
	if err := checkRange("roots", int64(o.Count), 1, math.MaxInt32); err != nil {
		return nil, err
	}
	if o.Vertices == 0 {
		return nil, nil
	}
	k := KroneckerOptions{Seed1: o.Seed1, Seed2: o.Seed2}
	powers := newPowers(130)
	s := powers.skip(seeded(k.seeds()), 2, 128)
	want := int64(o.Count)
	counted := false
	missed := 0
	var roots []uint32
	used := make(map[uint32]bool)
	for j := 0; int64(len(roots)) < want; j++ {
		if j%1024 == 0 && ctx.Err() != nil {
			return nil, fmt.Errorf("gen: %w", context.Cause(ctx))
		}
		d := s.float64()
		d += s.float64()
		v := uint32(uint64(math.Floor(d*float64(o.Vertices))) % uint64(o.Vertices))
		if !used[v] && eligible(v) {
			used[v] = true
			roots = append(roots, v)
			missed = 0
			continue
		}
		if missed++; missed < rootPatience || counted {
			continue
		}
		counted = true
		found := int64(0)
		for v := int64(0); v < o.Vertices && found < want; v++ {
			if v%(1<<20) == 0 && ctx.Err() != nil {
				return nil, fmt.Errorf("gen: %w", context.Cause(ctx))
			}
			if eligible(uint32(v)) {
				found++
			}
		}
		want = found
	}
	return roots, nil
}
