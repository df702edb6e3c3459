package graph

import (
	"context"
	"fmt"
	"math"

	"github.com/totemgo/totemgo/internal/mix"
)

// RandomWeights returns the graph with whole weights from lo to hi instead of its own,
// of kind Int32, or Int64 where they do not fit. The weight of a record follows from the
// seed and the labels of its ends alone, of an undirected edge in either order: it is
// the same for any number of threads and whatever file the graph came from, and
// parallel records share it. threads bounds the goroutines; 0 means GOMAXPROCS. It
// takes 8 bytes and a weight a record, the weight alone where src is an EdgeList. The
// error is ErrOption where lo exceeds hi, or those of Measure.
func RandomWeights(ctx context.Context, src Source, lo, hi int64, seed uint64, threads int) (*EdgeList, error) {
	if lo > hi {
		return nil, fmt.Errorf("%w: weights from %d to %d", ErrOption, lo, hi)
	}
	list, own := src.(*EdgeList)
	out := &EdgeList{Vertices: src.NumVertices(), Directed: src.IsDirected(), Labels: src.VertexLabels()}
	kind := Int64
	if lo >= math.MinInt32 && hi <= math.MaxInt32 {
		kind = Int32
	}
	span := uint64(hi-lo) + 1 // 0 stands for 2^64
	seed = mix.Mix(seed + mix.Golden)
	err := copyRecords(ctx, src, threads, nil, func(n int) {
		if out.Weights = MakeWeights(kind, n); own {
			out.Edges = list.Edges
		} else {
			out.Edges = make([]Edge, n)
		}
	}, func(at int, records []Edge, _ Weights) {
		if !own {
			copy(out.Edges[at:], records)
		}
		for k, e := range records {
			u, v := out.Labels.Label(e.U), out.Labels.Label(e.V)
			if !out.Directed && u > v {
				u, v = v, u
			}
			out.Weights.vector.setInt(at+k, int64(mix.Below(mix.Mix(mix.Mix(seed^u)+mix.Golden^v), span))+lo)
		}
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
