package engine_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/ref"
)

// TestNear compares bounded searches from several roots with the smallest of the oracle's levels.
func TestNear(t *testing.T) {
	for _, g := range ref.Corpus() {
		n := uint32(g.List.Vertices)
		if n == 0 {
			continue
		}
		e := open(t, g.List, engine.Options{Processors: cpus(1, 1)})
		r, labels, arcs := rand.New(rand.NewPCG(4, 2)), g.List.VertexLabels(), arcsOf(g.List)
		for range 5 {
			o := engine.BFSOptions{MaxDepth: int64(r.IntN(4))}
			want := make([]int64, n)
			for v := range want {
				want[v] = 1 << 40
			}
			for range 1 + r.IntN(3) {
				root := r.Uint32N(n)
				o.Roots = append(o.Roots, labels.Label(root))
				for v, l := range ref.Levels(g.List, root) {
					if l >= 0 {
						want[v] = min(want[v], int64(l))
					}
				}
			}
			got, err := e.Near(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			count, depth := 0, int64(0)
			for _, l := range want {
				if l < 1<<40 && (o.MaxDepth == 0 || l <= o.MaxDepth) {
					count++
					depth = max(depth, l)
				}
			}
			if len(got.Vertices) != count || got.Depth != depth {
				t.Errorf("%s %+v: %d reached at depth %d, want %d and %d", g.Name, o, len(got.Vertices), got.Depth, count, depth)
			}
			for i, x := range got.Vertices {
				v, _ := labels.ID(x)
				p, _ := labels.ID(got.Parents[i])
				if got.Levels[i] != want[v] || got.Levels[i] == 0 != (v == p) || v != p && want[p]+1 != want[v] {
					t.Errorf("%s %+v: vertex %d at level %d below %d, want %d", g.Name, o, x, got.Levels[i], got.Parents[i], want[v])
				} else if v != p && !arcs[[2]uint64{got.Parents[i], x}] {
					t.Errorf("%s: no arc from %d to %d", g.Name, got.Parents[i], x)
				}
			}
			target := labels.Label(r.Uint32N(n))
			o.MaxDepth, o.Targets = 0, []uint64{target, o.Roots[0], target}
			if got, err = e.Near(t.Context(), o); err != nil {
				t.Fatal(err)
			}
			v, _ := labels.ID(target)
			if found := want[v] < 1<<40; found && got.Depth != want[v] || found != slices.Contains(got.Vertices, target) {
				t.Errorf("%s to %d: depth %d, level %d", g.Name, target, got.Depth, want[v])
			}
			if d, err := e.Distance(t.Context(), o.Roots[0], target); err != nil || d >= 0 && want[v] == 1<<40 {
				t.Errorf("%s: a search leaves marks: %d, %v", g.Name, d, err)
			}
		}
		if _, err := e.Near(t.Context(), engine.BFSOptions{Roots: []uint64{1 << 60}}); !errors.Is(err, graph.ErrNoVertex) {
			t.Errorf("%s: %v", g.Name, err)
		}
		if _, err := e.Near(t.Context(), engine.BFSOptions{}); !errors.Is(err, engine.ErrArgument) {
			t.Errorf("%s: no roots: %v", g.Name, err)
		}
		e.Close()
	}
}

// BenchmarkNear reaches two vertices of 2^22.
func BenchmarkNear(b *testing.B) {
	g := &graph.EdgeList{Vertices: 1 << 22, Directed: true, Edges: ref.Chain(1 << 22)}
	e := open(b, g, engine.Options{})
	for b.Loop() {
		if _, err := e.Near(b.Context(), engine.BFSOptions{Roots: []uint64{1 << 21}, MaxDepth: 1}); err != nil {
			b.Fatal(err)
		}
	}
}
