package graph_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/totemgo/totemgo/graph"
)

// TestScatter distributes five records over buckets of two vertices, in all ways.
func TestScatter(t *testing.T) {
	src := &graph.EdgeList{Vertices: 5, Weights: graph.WeightsOf([]int32{1, 2, 3, 4, 5}),
		Edges: []graph.Edge{{U: 3, V: 0}, {U: 1, V: 1}, {U: 0, V: 4}, {U: 2, V: 3}, {U: 1, V: 0}}}
	arc := func(u, v uint64) uint64 { return u<<32 | v }
	for _, c := range []struct {
		side    graph.Side
		drop    bool
		begin   []uint64
		arcs    []uint64
		weights []int32
	}{
		{graph.BothArcs, false, []uint64{0, 5, 8, 9}, []uint64{arc(0, 3), arc(1, 1), arc(0, 4), arc(1, 0), arc(0, 1),
			arc(3, 0), arc(2, 3), arc(3, 2), arc(4, 0)}, []int32{1, 2, 3, 5, 5, 1, 4, 4, 3}},
		{graph.OutArcs, true, []uint64{0, 2, 4, 4}, []uint64{arc(0, 4), arc(1, 0), arc(3, 0), arc(2, 3)}, []int32{3, 5, 1, 4}},
		{graph.InArcs, false, []uint64{0, 3, 4, 5}, []uint64{arc(0, 3), arc(1, 1), arc(0, 1), arc(3, 2), arc(4, 0)}, []int32{1, 2, 5, 4, 3}},
	} {
		for threads := 1; threads <= 3; threads++ {
			for _, weighted := range []bool{false, true} {
				b, err := graph.Scatter(t.Context(), src, graph.ScatterOptions{
					Threads: threads, Side: c.side, Shift: 1, DropLoops: c.drop, Weighted: weighted})
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(b.Begin, c.begin) || !slices.Equal(b.Arcs, c.arcs) {
					t.Errorf("side %d: %d, %x, want %d, %x", c.side, b.Begin, b.Arcs, c.begin, c.arcs)
				}
				if w, _ := graph.WeightsAs[int32](b.Weights); weighted != (w != nil) || weighted && !slices.Equal(w, c.weights) {
					t.Errorf("side %d: weights %v, want %v", c.side, w, c.weights)
				}
			}
		}
	}
}

// TestScatterRefuses has rows whose offsets fall, a record of no vertex, and no memory.
func TestScatterRefuses(t *testing.T) {
	g, err := graph.NewCSR(graph.CSRParts{Directed: true, Trusted: true, Offsets: []uint64{0, 2, 1, 2}, Targets: []uint32{1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	none := errors.New("no memory")
	full := func([]uint64) ([]uint64, error) { return nil, none }
	for _, c := range []struct {
		src   graph.Source
		alloc func([]uint64) ([]uint64, error)
		want  error
	}{
		{g, nil, graph.ErrInvalid},
		{&graph.EdgeList{Vertices: 2, Edges: []graph.Edge{{U: 0, V: 2}}}, nil, graph.ErrInvalid},
		{pair(), full, none},
	} {
		if _, err := graph.Scatter(t.Context(), c.src, graph.ScatterOptions{Alloc: c.alloc}); !errors.Is(err, c.want) {
			t.Errorf("%v, want %v", err, c.want)
		}
	}
}
