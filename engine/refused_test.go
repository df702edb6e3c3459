package engine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph/gen"
	"github.com/totemgo/totemgo/internal/hugemem"
)

// TestRefusedMemory: where the process may take no more arrays, a run that needs some returns ErrMemory, and the engine works afterwards.
func TestRefusedMemory(t *testing.T) {
	ctx := context.Background()
	l, err := gen.Make(ctx, gen.KroneckerOptions{Scale: 19, EdgeFactor: 2})
	if err != nil {
		t.Fatal(err)
	}
	root := uint64(l.Edges[0].U)
	e, err := engine.New(ctx, l, engine.Options{Processors: cpus(2)})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	hugemem.Limit(1)
	defer hugemem.Limit(0)
	for name, run := range map[string]func() error{
		"pagerank":  func() error { _, err := e.PageRank(ctx, engine.PageRankOptions{}); return err },
		"triangles": func() error { _, err := e.Triangles(ctx); return err },
		"closeness": func() error { _, err := e.Closeness(ctx, engine.ClosenessOptions{Samples: 2}); return err },
	} {
		if err := run(); !errors.Is(err, engine.ErrMemory) {
			t.Errorf("%s: %v", name, err)
		}
	}
	hugemem.Limit(0)
	if _, err := e.BFS(ctx, root); err != nil {
		t.Error(err)
	}
}
