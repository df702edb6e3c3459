package graph_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/totemgo/totemgo/graph"
)

// twoParts has the components {10, 30, 40} and {20, 50}, and the lone vertex 60.
func twoParts(t *testing.T) *graph.EdgeList {
	t.Helper()
	labels, err := graph.SortedLabels([]uint64{10, 20, 30, 40, 50, 60})
	if err != nil {
		t.Fatal(err)
	}
	return &graph.EdgeList{
		Vertices: 6, Labels: labels, Weights: graph.WeightsOf([]int64{1, 2, 3, 4, 5}),
		Edges: []graph.Edge{{U: 1, V: 4}, {U: 3, V: 0}, {U: 2, V: 2}, {U: 0, V: 2}, {U: 4, V: 1}},
	}
}

func TestLargestComponent(t *testing.T) {
	src := twoParts(t)
	for _, threads := range []int{1, 2, 7} {
		got, err := graph.LargestComponent(context.Background(), src, threads)
		if err != nil {
			t.Fatal(err)
		}
		if want := []graph.Edge{{U: 2, V: 0}, {U: 1, V: 1}, {U: 0, V: 1}}; got.Vertices != 3 || !slices.Equal(got.Edges, want) {
			t.Errorf("%d vertices, %v", got.Vertices, got.Edges)
		}
		w, err := graph.WeightsAs[int64](got.Weights)
		if err != nil || !slices.Equal(w, []int64{2, 3, 4}) {
			t.Error(w, err)
		}
		if l := got.VertexLabels(); l.Label(0) != 10 || l.Label(1) != 30 || l.Label(2) != 40 {
			t.Errorf("labels %v", l.Sorted())
		}
	}
	empty, err := graph.LargestComponent(context.Background(), &graph.EdgeList{}, 2)
	if err != nil || empty.Vertices != 0 || len(empty.Edges) != 0 {
		t.Error(empty, err)
	}
	lone, err := graph.LargestComponent(context.Background(), &graph.EdgeList{Vertices: 3}, 2)
	if err != nil || lone.Vertices != 1 {
		t.Error(lone, err)
	}
}

func TestRelabel(t *testing.T) {
	src := twoParts(t)
	csr, err := graph.Build(context.Background(), src, graph.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []graph.Source{src, csr} {
		r := graph.Relabel(s)
		if base, ok := r.VertexLabels().Base(); !ok || base != 0 || r.VertexLabels().Len() != 6 || r.NumEdges() != 5 {
			t.Errorf("base %d, %v", base, ok)
		}
		if s.VertexLabels().Label(0) != 10 {
			t.Error("the source has changed")
		}
	}
}

// weightsByEnds lists the weights of records by the labels of their ends.
func weightsByEnds(t *testing.T, l *graph.EdgeList) map[[2]uint64]int32 {
	t.Helper()
	w, err := graph.WeightsAs[int32](l.Weights)
	if err != nil {
		t.Fatal(err)
	}
	out := map[[2]uint64]int32{}
	for i, e := range l.Edges {
		a, b := l.VertexLabels().Label(e.U), l.VertexLabels().Label(e.V)
		key := [2]uint64{min(a, b), max(a, b)}
		if old, ok := out[key]; ok && old != w[i] {
			t.Errorf("edge %v has weights %d and %d", key, old, w[i])
		}
		out[key] = w[i]
	}
	return out
}

func TestRandomWeights(t *testing.T) {
	src := &graph.EdgeList{Vertices: 300}
	for i := range uint32(40000) {
		src.Edges = append(src.Edges, graph.Edge{U: i * 7919 % 300, V: i * 104729 % 293})
	}
	ctx := context.Background()
	first, err := graph.RandomWeights(ctx, src, 1, 255, 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := weightsByEnds(t, first)
	csr, err := graph.Build(ctx, src, graph.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []graph.Source{src, csr} {
		for _, threads := range []int{1, 2, 8} {
			l, err := graph.RandomWeights(ctx, s, 1, 255, 5, threads)
			if err != nil {
				t.Fatal(err)
			}
			got := weightsByEnds(t, l)
			if int64(len(l.Edges)) != src.NumEdges() || len(got) != len(want) {
				t.Fatalf("%d records, %d edges", len(l.Edges), len(got))
			}
			for e, w := range want {
				if got[e] != w {
					t.Fatalf("edge %v: %d, want %d", e, got[e], w)
				}
			}
		}
	}
	var sum, lowest, highest float64 = 0, 300, 0
	for _, w := range want {
		sum += float64(w)
		lowest, highest = min(lowest, float64(w)), max(highest, float64(w))
	}
	if mean := sum / float64(len(want)); lowest != 1 || highest != 255 || mean < 120 || mean > 136 {
		t.Errorf("weights from %v to %v, mean %v", lowest, highest, mean)
	}
	other, err := graph.RandomWeights(ctx, src, 1, 255, 6, 2)
	if err != nil {
		t.Fatal(err)
	}
	same := 0
	for e, w := range weightsByEnds(t, other) {
		if want[e] == w {
			same++
		}
	}
	if same > len(want)/50 {
		t.Errorf("%d of %d weights are those of another seed", same, len(want))
	}
	if _, err := graph.RandomWeights(ctx, src, 2, 1, 0, 1); !errors.Is(err, graph.ErrOption) {
		t.Error(err)
	}
	wide, err := graph.RandomWeights(ctx, src, -1<<63, 1<<63-1, 0, 1)
	if err != nil || wide.WeightKind() != graph.Int64 {
		t.Error(err)
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := graph.RandomWeights(canceled, csr, 1, 2, 0, 2); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	bad := &graph.EdgeList{Vertices: 1, Edges: []graph.Edge{{U: 0, V: 1}}}
	if _, err := graph.RandomWeights(ctx, bad, 1, 2, 0, 2); !errors.Is(err, graph.ErrInvalid) {
		t.Error(err)
	}
	if _, err := graph.LargestComponent(ctx, bad, 2); !errors.Is(err, graph.ErrInvalid) {
		t.Error(err)
	}
}
