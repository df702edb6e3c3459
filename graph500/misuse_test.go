package graph500_test

import (
	"context"
	"errors"
	"testing"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph500"
)

func TestMisuse(t *testing.T) {
	var none context.Context
	ctx, small := t.Context(), graph500.Config{Scale: 5}
	build := graph500.WithEngine(engine.Options{})
	list := &graph.EdgeList{Vertices: 2, Edges: []graph.Edge{{U: 0, V: 1}}}
	tree := graph500.Tree{Parents: []uint32{0, 0}}
	early, late := graph500.NewValidator(list, 1), graph500.NewValidator(nil, 1)
	defer early.Close()
	defer late.Close()
	if _, err := early.Validate(ctx, tree); err != nil {
		t.Fatal(err)
	}
	_, nilContext := early.Validate(none, tree)
	_, nilSource := late.Validate(ctx, tree)
	list.Consume()
	_, consumedLater := early.Validate(ctx, tree)
	after := graph500.NewValidator(list, 1)
	defer after.Close()
	_, consumedBefore := after.Validate(ctx, tree)
	run := func(ctx context.Context, b graph500.Build) error {
		_, err := graph500.Run(ctx, small, b)
		return err
	}
	count := func(ctx context.Context, src graph.Source) error {
		_, err := graph500.CountEdges(ctx, src, 1)
		return err
	}
	consuming := func(ctx context.Context, l graph.Source) (graph500.Engine, error) {
		e, err := build(ctx, l)
		l.(*graph.EdgeList).Consume()
		return e, err
	}
	for _, c := range []struct {
		name      string
		err, want error
	}{
		{"Run, nil context", run(none, build), graph500.ErrConfig},
		{"Run, nil build", run(ctx, nil), graph500.ErrConfig},
		{"Run, no engine", run(ctx, func(context.Context, graph.Source) (graph500.Engine, error) { return nil, nil }), graph500.ErrConfig},
		{"Run, tuples consumed", run(ctx, consuming), graph.ErrConsumed},
		{"Run, Options.Consume", run(ctx, graph500.WithEngine(engine.Options{Consume: true})), nil},
		{"CountEdges, nil context", count(none, list), graph500.ErrConfig},
		{"CountEdges, nil source", count(ctx, nil), graph.ErrInvalid},
		{"CountEdges, consumed", count(ctx, list), graph.ErrConsumed},
		{"Validate, nil context", nilContext, graph500.ErrConfig},
		{"Validate, nil source", nilSource, graph.ErrInvalid},
		{"Validate, consumed later", consumedLater, graph.ErrConsumed},
		{"Validate, consumed before", consumedBefore, graph.ErrConsumed},
		{"Arrange, consumed", after.Arrange(ctx), graph.ErrConsumed},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, c.err, c.want)
		}
	}
}
