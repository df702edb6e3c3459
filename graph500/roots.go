package graph500

import (
	"context"
	"math"
)

// ChooseRoots returns the first want different vertices of the candidates 0, 1, 2, …
// that have an edge other than a self-loop; fewer only where the graph has fewer.
// The error is ErrNoRoots or the context's.
func ChooseRoots(ctx context.Context, candidate func(j uint64) uint64, counts *EdgeCounts, want int) ([]uint32, error) {
	want = int(min(int64(want), counts.Eligible()))
	if want == 0 {
		return nil, ErrNoRoots
	}
	roots := make([]uint32, 0, want)
	taken := make(map[uint32]bool, want)
	for j := uint64(0); len(roots) < want; j++ {
		if j%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		c := candidate(j)
		if c > math.MaxUint32 || !counts.Connected(uint32(c)) || taken[uint32(c)] {
			continue
		}
		taken[uint32(c)] = true
		roots = append(roots, uint32(c))
	}
	return roots, nil
}
