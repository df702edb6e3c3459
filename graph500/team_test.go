package graph500_test

import (
	"context"
	"errors"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph500"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/internal/hugetest"
)

// TestUnreadable: records that become unreadable, as a mapped file's do when it is cut
// short, end what reads them with an error.
func TestUnreadable(t *testing.T) {
	guard := hugetest.Guard(t)
	block := hugemem.Make[graph.Edge](1 << 18)
	guard.Stop()
	defer block.Free()
	for i := range block.S {
		block.S[i] = graph.Edge{U: uint32(i % 999), V: uint32(i%999 + 1)}
	}
	list := &graph.EdgeList{Vertices: 1000, Edges: block.S}
	ctx := context.Background()
	parents := make([]uint32, 1000)
	for v := range parents {
		parents[v] = uint32(max(0, v-1))
	}
	v := graph500.NewValidator(list, 2)
	defer v.Close()
	tree := graph500.Tree{Root: 0, Parents: parents}
	if verdict, err := v.Validate(ctx, tree); err != nil || verdict.Err() != nil {
		t.Fatalf("%+v, %v", verdict, err)
	}
	if err := guard.Protect(hugetest.None); err != nil {
		t.Fatal(err)
	}
	defer guard.Protect(hugetest.ReadWrite)
	if _, err := graph500.CountEdges(ctx, list, 2); !errors.Is(err, graph.ErrUnreadable) {
		t.Errorf("CountEdges: %v", err)
	}
	if err := v.Arrange(ctx); !errors.Is(err, graph.ErrUnreadable) {
		t.Errorf("Arrange: %v", err)
	}
	if _, err := v.Validate(ctx, tree); !errors.Is(err, graph.ErrUnreadable) {
		t.Errorf("Validate: %v", err)
	}
}
