package engine_test

import (
	"context"
	"errors"
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
				reached, depth, err := e.Reach(ctx, g.List.VertexLabels().Label(uint32(v)))
				if err != nil || reached != wantReached || depth != wantDepth {
					t.Errorf("%s on %s from %d: %d, %d, %v; want %d, %d", g.Name, processors, v, reached, depth, err, wantReached, wantDepth)
				}
			}
			if _, _, err := e.Reach(ctx, 1<<60); !errors.Is(err, graph.ErrNoVertex) {
				t.Errorf("%s: a root that is no vertex: %v", g.Name, err)
			}
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
			if _, _, err := e.Reach(ctx, 0); !errors.Is(err, engine.ErrClosed) {
				t.Errorf("%s: after Close: %v", g.Name, err)
			}
		}
	}
}
