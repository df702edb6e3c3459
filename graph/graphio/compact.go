package graphio

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/totemgo/totemgo/graph"
)

// pair64 is a record with the ids of the file.
type pair64 struct{ U, V uint64 }

// compact maps the ids that occur to dense ids, in rising order.
func compact(ctx context.Context, blocks [][]pair64, _ int) ([]graph.Edge, *graph.Labels, error) {
	largest, n := uint64(0), 0
	for _, b := range blocks {
		n += len(b)
		for _, p := range b {
			largest = max(largest, p.U, p.V)
		}
	}
	edges := make([]graph.Edge, 0, n)
	if n == 0 {
		return edges, graph.IdentityLabels(0, 0), nil
	}
	if largest/64 <= uint64(4*n)+1<<16 {
		words := make([]uint64, largest/64+1)
		for _, b := range blocks {
			for _, p := range b {
				words[p.U/64] |= 1 << (p.U % 64)
				words[p.V/64] |= 1 << (p.V % 64)
			}
		}
		before := make([]uint64, len(words))
		var labels []uint64
		for i, w := range words {
			before[i] = uint64(len(labels))
			for ; w != 0; w &= w - 1 {
				labels = append(labels, uint64(i*64+bits.TrailingZeros64(w)))
			}
		}
		if len(labels) > graph.MaxVertices {
			return nil, nil, tooManyVertices(len(labels))
		}
		rank := func(id uint64) uint32 {
			return uint32(before[id/64]) + uint32(bits.OnesCount64(words[id/64]&(1<<(id%64)-1)))
		}
		for i, b := range blocks {
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
			for _, p := range b {
				edges = append(edges, graph.Edge{U: rank(p.U), V: rank(p.V)})
			}
			blocks[i] = nil
		}
		l, err := graph.SortedLabels(labels)
		return edges, l, err
	}
	ids := make([]uint64, 0, 2*n)
	for _, b := range blocks {
		for _, p := range b {
			ids = append(ids, p.U, p.V)
		}
	}
	slices.Sort(ids)
	ids = slices.Clip(slices.Compact(ids))
	if len(ids) > graph.MaxVertices {
		return nil, nil, tooManyVertices(len(ids))
	}
	for i, b := range blocks {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		for _, p := range b {
			u, _ := slices.BinarySearch(ids, p.U)
			v, _ := slices.BinarySearch(ids, p.V)
			edges = append(edges, graph.Edge{U: uint32(u), V: uint32(v)})
		}
		blocks[i] = nil
	}
	l, err := graph.SortedLabels(ids)
	return edges, l, err
}

func tooManyVertices(n int) error {
	return &Error{Found: fmt.Sprintf("%d vertices", n), Want: fmt.Sprintf("at most %d", uint64(graph.MaxVertices)), Err: ErrTooLarge}
}
