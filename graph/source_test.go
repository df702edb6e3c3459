package graph_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/totemgo/totemgo/graph"
)

// pair is a graph of one edge.
func pair() *graph.EdgeList {
	return &graph.EdgeList{Vertices: 2, Edges: []graph.Edge{{U: 0, V: 1}}}
}

func TestCheckSource(t *testing.T) {
	var none context.Context
	released := 0
	consumed := pair()
	consumed.Release = func() { released++ }
	consumed.Consume()
	consumed.Consume()
	if released != 1 || consumed.NumVertices() != 2 {
		t.Errorf("released %d times, %d vertices", released, consumed.NumVertices())
	}
	csr, err := graph.Build(t.Context(), pair(), graph.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := graph.CheckSource(csr); err != nil {
		t.Error(err)
	}
	csr.Release()
	weighted, labelled, wrapped := pair(), pair(), pair()
	weighted.Weights = graph.WeightsOf([]int64{1, 2})
	labelled.Labels = graph.IdentityLabels(3, 0)
	wrapped.Labels = graph.IdentityLabels(2, math.MaxUint64)
	for _, c := range []struct {
		name string
		src  graph.Source
		want error
	}{
		{"good", pair(), nil},
		{"empty", &graph.EdgeList{}, nil},
		{"nil", nil, graph.ErrInvalid},
		{"nil list", (*graph.EdgeList)(nil), graph.ErrInvalid},
		{"nil CSR", (*graph.CSR)(nil), graph.ErrInvalid},
		{"consumed list", consumed, graph.ErrConsumed},
		{"released CSR", csr, graph.ErrConsumed},
		{"weights", weighted, graph.ErrInvalid},
		{"labels", labelled, graph.ErrInvalid},
		{"labels beyond 64 bits", wrapped, graph.ErrInvalid},
		{"vertices", &graph.EdgeList{Vertices: -1}, graph.ErrInvalid},
	} {
		if err := graph.CheckSource(c.src); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if _, err := graph.Build(t.Context(), c.src, graph.BuildOptions{}); !errors.Is(err, c.want) {
			t.Errorf("Build, %s: %v, want %v", c.name, err, c.want)
		}
	}
	if _, err := graph.Build(none, pair(), graph.BuildOptions{}); !errors.Is(err, graph.ErrOption) {
		t.Errorf("Build, nil context: %v", err)
	}
	if _, _, err := graph.Compact(none, [][]graph.Pair64{{{U: 1, V: 2}}}, graph.CompactOptions{}); !errors.Is(err, graph.ErrOption) {
		t.Errorf("Compact, nil context: %v", err)
	}
}

func TestLabelsOutOfRange(t *testing.T) {
	sparse, err := graph.SortedLabels([]uint64{3, 7, math.MaxUint64})
	if err != nil {
		t.Fatal(err)
	}
	for name, l := range map[string]*graph.Labels{
		"nil": nil, "none": graph.IdentityLabels(0, 9), "dense": graph.IdentityLabels(3, math.MaxUint64-2), "sparse": sparse,
	} {
		for _, id := range []uint32{uint32(l.Len()), graph.None - 1, graph.None} {
			if got := l.Label(id); got != graph.NoLabel {
				t.Errorf("%s: the label of %d is %d", name, id, got)
			}
		}
		for v := range uint32(l.Len()) {
			if id, err := l.ID(l.Label(v)); err != nil || id != v {
				t.Errorf("%s: vertex %d has label %d, which is %d's: %v", name, v, l.Label(v), id, err)
			}
		}
		for _, label := range []uint64{0, 4} {
			if id, err := l.ID(label); !errors.Is(err, graph.ErrNoVertex) || id != graph.None {
				t.Errorf("%s: label %d is %d's: %v", name, label, id, err)
			}
		}
	}
}
