package engine_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/partition"
)

func TestReach(t *testing.T) {
	ctx := context.Background()
	for _, g := range ref.Corpus() {
		for _, processors := range []string{"cpu:1", "cpu:1,cpu:2,cpu:1"} {
			list, err := engine.ParseProcessors(processors)
			if err != nil {
				t.Fatal(err)
			}
			e, err := engine.New(ctx, g.List, engine.Options{Processors: list, Placement: partition.HubsOnCPU})
			if err != nil {
				t.Fatalf("%s: %v", g.Name, err)
			}
			for v := range min(5, g.List.Vertices) {
				wantReached, wantDepth := int64(0), int64(0)
				for _, l := range ref.Levels(g.List, uint32(v)) {
					if l >= 0 {
						wantReached++
						wantDepth = max(wantDepth, int64(l))
					}
				}
				r, err := e.Reach(ctx, g.List.VertexLabels().Label(uint32(v)))
				if err != nil || r.NumReached != wantReached || r.Depth != wantDepth {
					t.Errorf("%s on %s from %d: %+v, %v; want %d, %d", g.Name, processors, v, r, err, wantReached, wantDepth)
				}
			}
			several(t, g, e)
			if _, err := e.Reach(ctx, 1<<60); !errors.Is(err, graph.ErrNoVertex) {
				t.Errorf("%s: a root that is no vertex: %v", g.Name, err)
			}
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
			if _, err := e.Reach(ctx, 0); !errors.Is(err, engine.ErrClosed) {
				t.Errorf("%s: after Close: %v", g.Name, err)
			}
		}
	}
}

// several compares the set of up to three roots with the levels from each.
func several(t *testing.T, g ref.Named, e *engine.Engine) {
	t.Helper()
	var roots []uint64
	want := make([]bool, g.List.Vertices)
	for v := 0; v < g.List.Vertices; v += max(1, g.List.Vertices/2) {
		roots = append(roots, g.List.VertexLabels().Label(uint32(v)))
		for u, l := range ref.Levels(g.List, uint32(v)) {
			want[u] = want[u] || l >= 0
		}
	}
	r, err := e.Reach(context.Background(), roots...)
	if err != nil {
		t.Fatalf("%s from %d: %v", g.Name, roots, err)
	}
	var all []uint64
	for v, is := range want {
		if r.Has(uint32(v)) != is {
			t.Errorf("%s from %d: vertex %d is reached: %v", g.Name, roots, v, !is)
		}
		if is {
			all = append(all, g.List.VertexLabels().Label(uint32(v)))
		}
	}
	if !slices.Equal(slices.Collect(r.All()), all) || r.NumReached != int64(len(all)) || !slices.Equal(r.Roots, roots) {
		t.Errorf("%s from %d: %d reached, want %d", g.Name, roots, r.NumReached, len(all))
	}
}
