package ref_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/ref"
)

func TestCorpus(t *testing.T) {
	corpus := ref.Corpus()
	sizes, names := map[int]bool{}, map[string]bool{}
	large, directed := 0, 0
	for _, g := range corpus {
		if names[g.Name] {
			t.Errorf("%s: twice", g.Name)
		}
		names[g.Name] = true
		sizes[g.List.Vertices] = true
		if g.List.Directed {
			directed++
		}
		has := map[uint32]bool{}
		for _, e := range g.List.Edges {
			if int(max(e.U, e.V)) >= g.List.Vertices {
				t.Fatalf("%s: %v with %d vertices", g.Name, e, g.List.Vertices)
			}
			if e.U != e.V {
				has[e.U], has[e.V] = true, true
			}
		}
		if len(has) > 1000 {
			large++
		}
	}
	for _, n := range []int{0, 1, 2, 3, 63, 64, 65} {
		if !sizes[n] {
			t.Errorf("no graph with %d vertices", n)
		}
	}
	if len(corpus) < 30 || large < 10 || directed < 10 || len(corpus)-directed < 10 {
		t.Errorf("%d graphs, %d large, %d directed", len(corpus), large, directed)
	}
	if !reflect.DeepEqual(corpus, ref.Corpus()) {
		t.Error("the corpus differs from call to call")
	}
}

// small is 0–1–2–3, 1–3, 4–5, directed or not.
func small(directed bool) *graph.EdgeList {
	return &graph.EdgeList{Vertices: 7, Directed: directed, Edges: []graph.Edge{
		{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 3}, {U: 1, V: 3}, {U: 4, V: 5}, {U: 4, V: 4},
	}, Weights: graph.WeightsOf([]int32{5, 1, 1, 3, 2, 0})}
}

func TestOracles(t *testing.T) {
	levels := ref.Levels(small(false), 3)
	if want := []int32{2, 1, 1, 0, -1, -1, -1}; !slices.Equal(levels, want) {
		t.Errorf("levels %v, want %v", levels, want)
	}
	if reached, depth := ref.Reached(levels); reached.String() != "{0,1,2,3}" || depth != 2 {
		t.Errorf("reached %v, depth %d", reached, depth)
	}
	if got, want := ref.Levels(small(true), 1), []int32{-1, 0, 1, 1, -1, -1, -1}; !slices.Equal(got, want) {
		t.Errorf("levels %v, want %v", got, want)
	}
	if got, want := ref.Components(small(true)), []uint32{0, 0, 0, 0, 4, 4, 6}; !slices.Equal(got, want) {
		t.Errorf("components %v, want %v", got, want)
	}
	arcs := []graph.Edge{{U: 1, V: 2}, {U: 2, V: 1}, {U: 0, V: 1}, {U: 2, V: 3}, {U: 3, V: 4}, {U: 4, V: 5}, {U: 5, V: 3}, {U: 5, V: 5}, {U: 6, V: 6}}
	if got, want := ref.StrongComponents(&graph.EdgeList{Vertices: 7, Directed: true, Edges: arcs}), []uint32{0, 1, 1, 3, 3, 3, 6}; !slices.Equal(got, want) {
		t.Errorf("strong components %v, want %v", got, want)
	}
	if got, want := ref.Distances(small(true), 0)[:4], []float64{0, 5, 6, 7}; !slices.Equal(got, want) {
		t.Errorf("distances %v, want %v", got, want)
	}
}

func TestShortestPaths(t *testing.T) {
	edges := []graph.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 0, V: 2}, {U: 2, V: 3}, {U: 2, V: 1}}
	list := func(w graph.Weights) graph.Source {
		return &graph.EdgeList{Vertices: 5, Directed: true, Edges: edges, Weights: w}
	}
	ints, reached, ok := ref.ShortestPaths[int64](list(graph.WeightsOf([]int32{6, 1, 8, 0, 5})), 0)
	if !ok || !slices.Equal(ints, []int64{0, 6, 7, 7, 0}) || !slices.Equal(reached, []bool{true, true, true, true, false}) {
		t.Errorf("lengths %v of %v, %v", ints, reached, ok)
	}
	floats, _, ok := ref.ShortestPaths[float32](list(graph.WeightsOf([]float32{1 << 24, 1, 1<<24 + 2, 1, 0})), 0)
	if !ok || !slices.Equal(floats, []float32{0, 1 << 24, 1 << 24, 1 << 24, 0}) { // added from the root on, 1 is rounded off
		t.Errorf("lengths in float32 %v, %v", floats, ok)
	}
	ints, _, ok = ref.ShortestPaths[int64](list(graph.WeightsOf([]int64{6, -5, 4, 1, 5})), 0)
	if !ok || !slices.Equal(ints, []int64{0, 6, 1, 2, 0}) {
		t.Errorf("lengths with negative weights %v, %v", ints, ok)
	}
	if _, _, ok = ref.ShortestPaths[int64](list(graph.WeightsOf([]int64{6, -5, 4, 1, 4})), 0); ok {
		t.Error("no negative cycle found")
	}
	if _, _, ok = ref.ShortestPaths[int64](list(graph.WeightsOf([]int64{6, -5, 4, 1, 4})), 3); !ok {
		t.Error("a negative cycle that the root does not reach")
	}
}

// The checker takes every valid tree, and names the rule that a bad one breaks.
func TestCheckTree(t *testing.T) {
	const none = graph.None
	for _, c := range []struct {
		directed bool
		root     uint32
		parents  []uint32
		vertex   uint32
		rule     string
	}{
		{false, 0, []uint32{0, 0, 1, 1, none, none, none}, 0, ""},
		{true, 0, []uint32{0, 0, 1, 1, none, none, none}, 0, ""},
		{false, 6, []uint32{none, none, none, none, none, none, 6}, 0, ""},
		{false, 0, []uint32{0, 0, 1, 1, none, none}, 0, "every vertex has a parent entry"},
		{false, 0, []uint32{1, 0, 1, 1, none, none, none}, 0, "the root is its own parent"},
		{false, 0, []uint32{0, 0, none, 1, none, none, none}, 2, "what the root reaches has a parent, and nothing else"},
		{false, 0, []uint32{0, 0, 1, 1, 4, none, none}, 4, "what the root reaches has a parent, and nothing else"},
		{false, 0, []uint32{0, 0, 1, 99, none, none, none}, 3, "parents are vertices"},
		{false, 0, []uint32{0, 0, 0, 1, none, none, none}, 2, "tree edges are edges of the graph"},
		{true, 2, []uint32{none, none, 2, 1, none, none, none}, 3, "tree edges lead one level down"},
		{false, 0, []uint32{0, 0, 1, 2, none, none, none}, 3, "tree edges lead one level down"},
	} {
		err := ref.CheckTree(small(c.directed), c.root, c.parents)
		if c.rule == "" {
			if err != nil {
				t.Errorf("%v: %v", c.parents, err)
			}
		} else if want := fmt.Sprintf("ref: %s: vertex %d: ", c.rule, c.vertex); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v: %v, want %q at %d", c.parents, err, c.rule, c.vertex)
		}
	}
}
