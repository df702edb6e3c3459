package graph_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/ref"
)

func TestComponents(t *testing.T) {
	for _, g := range ref.Corpus() {
		for _, threads := range []int{1, 4} {
			count, largest, comp, err := graph.Components(context.Background(), g.List, threads)
			if err != nil {
				t.Fatal(err)
			}
			want := ref.Components(g.List)
			sizes := map[uint32]int{}
			most := 0
			for _, c := range want {
				sizes[c]++
				most = max(most, sizes[c])
			}
			if !slices.Equal(comp, want) || count != len(sizes) || largest != most {
				t.Errorf("%s: %d components, the largest has %d, want %d, %d", g.Name, count, largest, len(sizes), most)
			}
		}
	}
}

func TestMeasure(t *testing.T) {
	ctx := context.Background()
	for _, g := range ref.Corpus() {
		degrees := make([]int64, g.List.Vertices)
		loops := int64(0)
		for _, e := range g.List.Edges {
			if e.U == e.V {
				loops++
				continue
			}
			degrees[e.U]++
			degrees[e.V]++
		}
		csr, err := graph.Build(ctx, g.List, graph.BuildOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, src := range []graph.Source{g.List, csr} {
			f, err := graph.Measure(ctx, src, 3)
			if err != nil {
				t.Fatal(err)
			}
			sum, isolated := int64(0), int64(0)
			for i, d := range degrees {
				if d == 0 {
					isolated++
				}
				if d > f.MaxDegree || (d == f.MaxDegree && uint32(i) < f.MaxVertex) {
					t.Errorf("%s: vertex %d has degree %d, the largest is said to be %d at %d", g.Name, i, d, f.MaxDegree, f.MaxVertex)
				}
			}
			for _, n := range f.Histogram {
				sum += n
			}
			if f.SelfLoops != loops || f.Isolated != isolated || sum != int64(len(degrees)) {
				t.Errorf("%s: %+v, want %d loops, %d isolated", g.Name, f, loops, isolated)
			}
		}
	}
	f, err := graph.Measure(ctx, &graph.EdgeList{Vertices: 6, Edges: []graph.Edge{{U: 1, V: 2}, {U: 1, V: 2}, {U: 1, V: 3}, {U: 4, V: 4}, {U: 1, V: 5}}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if want := []int64{2, 2, 1, 1}; !slices.Equal(f.Histogram, want) || f.MaxVertex != 1 || f.MaxDegree != 4 {
		t.Errorf("%+v, want histogram %v", f, want)
	}
	bad := &graph.EdgeList{Vertices: 2, Edges: []graph.Edge{{U: 1, V: 2}}}
	if _, err := graph.Measure(ctx, bad, 1); !errors.Is(err, graph.ErrInvalid) {
		t.Errorf("bad id: %v", err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, _, _, err := graph.Components(ended, bad, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: %v", err)
	}
}
