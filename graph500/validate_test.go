package graph500_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph500"
	"github.com/totemgo/totemgo/record"
)

const none = graph.None

// list returns an edge list of n vertices.
func list(n int, directed bool, ends ...uint32) *graph.EdgeList {
	l := &graph.EdgeList{Vertices: n, Directed: directed}
	for i := 0; i < len(ends); i += 2 {
		l.Edges = append(l.Edges, graph.Edge{U: ends[i], V: ends[i+1]})
	}
	return l
}

// serialBFS returns a valid tree of l, by a queue over adjacency lists in the order
// of the records; pick chooses among the valid parents.
func serialBFS(l *graph.EdgeList, root uint32, pick func(n int) int) []uint32 {
	out := make([][]uint32, l.Vertices)
	for _, e := range l.Edges {
		out[e.U] = append(out[e.U], e.V)
		if !l.Directed {
			out[e.V] = append(out[e.V], e.U)
		}
	}
	parents := make([]uint32, l.Vertices)
	for i := range parents {
		parents[i] = none
	}
	parents[root] = root
	for frontier := []uint32{root}; len(frontier) > 0; {
		choices := map[uint32][]uint32{}
		var next []uint32
		for _, u := range frontier {
			for _, w := range out[u] {
				if parents[w] != none {
					continue
				}
				if choices[w] == nil {
					next = append(next, w)
				}
				choices[w] = append(choices[w], u)
			}
		}
		for _, w := range next {
			parents[w] = choices[w][pick(len(choices[w]))]
		}
		frontier = next
	}
	return parents
}

func first(int) int { return 0 }

func validate(t testing.TB, src graph.Source, tree graph500.Tree, threads int) *graph500.Verdict {
	t.Helper()
	validator := graph500.NewValidator(src, threads)
	defer validator.Close()
	v, err := validator.Validate(context.Background(), tree)
	if err != nil {
		t.Fatal(err)
	}
	if err := validator.Arrange(context.Background()); err != nil {
		t.Fatal(err)
	}
	if w, err := validator.Validate(context.Background(), tree); err != nil || !reflect.DeepEqual(v, w) {
		t.Errorf("records as they are: %+v; arranged: %+v, %v", v, w, err)
	}
	return v
}

// TestEachRuleAlone demands that a tree that breaks one rule only is refused for
// that rule, vertex and edge.
func TestEachRuleAlone(t *testing.T) {
	// 0-1-2-3-0 with 3-4, and 5-6 apart.
	ring := list(7, false, 0, 1, 1, 2, 2, 3, 3, 0, 3, 4, 5, 6)
	arcs := list(6, true, 0, 1, 1, 2, 2, 0, 2, 3, 0, 4, 5, 0, 3, 3)
	chain := list(300, false)
	deep := make([]uint32, 300)
	for i := range uint32(299) {
		chain.Edges = append(chain.Edges, graph.Edge{U: i, V: i + 1})
		deep[i+1] = i
	}
	chain.Edges = append(chain.Edges, graph.Edge{U: 290, V: 5})
	for _, c := range []struct {
		name   string
		src    *graph.EdgeList
		tree   graph500.Tree
		rule   int // 0: valid
		vertex uint64
		edge   [2]uint64
		reason string
	}{
		{"good", ring, graph500.Tree{Parents: []uint32{0, 0, 1, 0, 3, none, none}}, 0, 0, [2]uint64{}, ""},
		{"good, other parent", ring, graph500.Tree{Parents: []uint32{0, 0, 3, 0, 3, none, none}}, 0, 0, [2]uint64{}, ""},
		{"good, stated levels", ring, graph500.Tree{Parents: []uint32{0, 0, 1, 0, 3, none, none}, Levels: []uint32{0, 1, 2, 1, 2, none, none}}, 0, 0, [2]uint64{}, ""},
		{"root alone", list(1, false), graph500.Tree{Parents: []uint32{0}}, 0, 0, [2]uint64{}, ""},
		{"good arcs", arcs, graph500.Tree{Parents: []uint32{0, 0, 1, 2, 0, none}}, 0, 0, [2]uint64{}, ""},

		{"cycle", ring, graph500.Tree{Parents: []uint32{0, 2, 1, 0, 3, none, none}}, 1, 1, [2]uint64{}, "parent chain of 1 does not end at the root"},
		{"foreign component", ring, graph500.Tree{Parents: []uint32{0, 0, 1, 0, 3, 6, 5}}, 1, 5, [2]uint64{}, "parent chain of 5 does not end at the root"},
		{"own parent", ring, graph500.Tree{Parents: []uint32{0, 0, 1, 0, 3, 5, none}}, 1, 5, [2]uint64{}, "parent chain of 5 does not end at the root"},
		{"parent outside the tree", ring, graph500.Tree{Parents: []uint32{0, 0, 1, 0, 3, 6, none}}, 1, 5, [2]uint64{}, "parent chain of 5 does not end at the root"},
		{"parent is no vertex", ring, graph500.Tree{Parents: []uint32{0, 0, 1, 0, 9, none, none}}, 1, 4, [2]uint64{}, "parent of 4 is no vertex of the graph"},
		{"root with a parent", ring, graph500.Tree{Parents: []uint32{1, 0, 1, 0, 3, none, none}}, 1, 0, [2]uint64{}, "root is not its own parent"},
		{"root without parent", ring, graph500.Tree{Parents: []uint32{none, 0, 1, 0, 3, none, none}}, 1, 0, [2]uint64{}, "root is not its own parent"},

		{"stated level", ring, graph500.Tree{Parents: []uint32{0, 0, 1, 0, 3, none, none}, Levels: []uint32{0, 1, 2, 1, 4, none, none}}, 2, 4, [2]uint64{3, 4}, "parent edge 3-4 joins stated levels 1 and 4"},
		{"stated level of the root", ring, graph500.Tree{Parents: []uint32{0, 0, 1, 0, 3, none, none}, Levels: []uint32{1, 2, 3, 2, 3, none, none}}, 2, 0, [2]uint64{}, "root is stated at level 1"},

		{"too deep", ring, graph500.Tree{Parents: []uint32{0, 0, 1, 2, 3, none, none}}, 3, 3, [2]uint64{3, 0}, "edge 3-0 spans levels 3 and 0"},
		{"arc too deep", list(3, true, 0, 1, 1, 2, 0, 2), graph500.Tree{Parents: []uint32{0, 0, 1}}, 3, 2, [2]uint64{0, 2}, "edge 0-2 spans levels 0 and 2"},
		{"deep chain", chain, graph500.Tree{Parents: deep}, 3, 290, [2]uint64{290, 5}, "edge 290-5 spans levels 290 and 5"},

		{"missed vertex", ring, graph500.Tree{Parents: []uint32{0, 0, 1, 0, none, none, none}}, 4, 4, [2]uint64{3, 4}, "edge 3-4 has only one end in the tree"},
		{"arc out of the tree", arcs, graph500.Tree{Parents: []uint32{0, 0, 1, 2, none, none}}, 4, 4, [2]uint64{0, 4}, "edge 0-4 has only one end in the tree"},

		{"not in the graph", ring, graph500.Tree{Parents: []uint32{0, 0, 1, 0, 1, none, none}}, 5, 4, [2]uint64{1, 4}, "parent edge 1-4 is not in the graph"},
		{"arc the wrong way", list(3, true, 0, 1, 2, 1, 0, 0), graph500.Tree{Parents: []uint32{0, 0, 1}}, 5, 2, [2]uint64{1, 2}, "parent edge 1-2 is not in the graph"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, threads := range []int{1, 2} {
				v := validate(t, c.src, c.tree, threads)
				if c.rule == 0 {
					if err := v.Err(); err != nil {
						t.Fatal(err)
					}
					continue
				}
				err := v.Err()
				if !errors.Is(err, graph500.ErrInvalidTree) || !strings.Contains(err.Error(), fmt.Sprintf("%s (rule %d, vertex %d)", c.reason, c.rule, c.vertex)) {
					t.Fatalf("error %v", err)
				}
				name := []string{"", "tree", "tree_levels", "edge_levels", "component", "tree_edges"}[c.rule]
				want := record.Violation{Rule: c.rule, Name: name, Vertex: c.vertex, Reason: c.reason}
				if c.edge != [2]uint64{} {
					want.Edge = &c.edge
				}
				if len(v.Violations) != 1 || !reflect.DeepEqual(v.Violations[0], want) {
					t.Fatalf("got %+v, want only %+v", v.Violations, want)
				}
			}
		})
	}
}

// TestSeveralRules asks for all broken rules, in their order.
func TestSeveralRules(t *testing.T) {
	l := list(8, false, 0, 1, 1, 2, 0, 3, 3, 4, 4, 5, 5, 0, 6, 7, 2, 6)
	v := validate(t, l, graph500.Tree{
		// 5 is two below 4 instead of below 0; 6 is missed; 2's parent is no neighbour.
		Parents: []uint32{0, 0, 3, 0, 3, 4, none, 7},
		Levels:  []uint32{0, 1, 2, 1, 2, 9, none, none},
	}, 2)
	var rules []int
	for _, x := range v.Violations {
		rules = append(rules, x.Rule)
	}
	if want := []int{1, 2, 3, 4, 5}; !reflect.DeepEqual(rules, want) {
		t.Fatalf("rules %v, want %v", rules, want)
	}
}

func TestLabelsInReasons(t *testing.T) {
	l := list(3, false, 0, 1, 1, 2)
	var err error
	if l.Labels, err = graph.SortedLabels([]uint64{7, 1 << 40, 1<<40 + 9}); err != nil {
		t.Fatal(err)
	}
	v := validate(t, l, graph500.Tree{Parents: []uint32{0, 0, 0}}, 1)
	if len(v.Violations) != 1 || v.Violations[0].Reason != "parent edge 7-1099511627785 is not in the graph" {
		t.Fatalf("%+v", v.Violations)
	}
	if r := v.Violations[0]; r.Rule != 5 || r.Name != "tree_edges" || *r.Edge != [2]uint64{7, 1<<40 + 9} {
		t.Fatalf("%+v", r)
	}
}

func TestTreeShape(t *testing.T) {
	l := list(3, false, 0, 1)
	for _, tree := range []graph500.Tree{
		{Parents: []uint32{0}},
		{Parents: []uint32{0, 0, none}, Levels: []uint32{0}},
		{Parents: []uint32{0, 0, none}, Root: 3},
	} {
		if _, err := graph500.NewValidator(l, 1).Validate(context.Background(), tree); !errors.Is(err, graph500.ErrTreeShape) {
			t.Errorf("%+v: error %v", tree, err)
		}
	}
}

func TestValidateCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	l := list(2, false, 0, 1)
	if _, err := graph500.NewValidator(l, 1).Validate(ctx, graph500.Tree{Parents: []uint32{0, 0}}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

// randomList is a graph with loops and duplicates whose vertices mostly hang
// together.
func randomList(r *rand.Rand, n, m int, directed bool) *graph.EdgeList {
	l := &graph.EdgeList{Vertices: n, Directed: directed}
	for range m {
		e := graph.Edge{U: uint32(r.IntN(n)), V: uint32(r.IntN(n))}
		if r.IntN(4) == 0 {
			e.V = uint32((int(e.U) + 1) % n)
		}
		l.Edges = append(l.Edges, e)
		if r.IntN(8) == 0 {
			l.Edges = append(l.Edges, e)
		}
	}
	return l
}

// slowRules is the specification taken literally: the set of rules that a tree
// breaks.
func slowRules(l *graph.EdgeList, root uint32, parents []uint32) map[int]bool {
	broken := map[int]bool{}
	n := uint32(l.Vertices)
	level := make([]int, n) // -1 outside, -2 astray
	for v := range n {
		level[v] = -1
		if v == root {
			level[v] = 0
			continue
		}
		if parents[v] == none {
			continue
		}
		level[v] = -2
		for u, steps := v, 0; steps <= int(n); steps++ {
			if u == root {
				level[v] = steps
				break
			}
			if u = parents[u]; u >= n {
				break
			}
		}
		if level[v] == -2 {
			broken[graph500.RuleTree] = true
		}
	}
	if parents[root] != root {
		broken[graph500.RuleTree] = true
	}
	arcs := map[graph.Edge]bool{}
	for _, e := range l.Edges {
		for _, e := range []graph.Edge{e, {U: e.V, V: e.U}} {
			arcs[e] = true
			lu, lv := level[e.U], level[e.V]
			if lu >= 0 && lv >= 0 && lv > lu+1 {
				broken[graph500.RuleEdgeLevels] = true
			}
			if lu >= 0 && lv == -1 {
				broken[graph500.RuleComponent] = true
			}
			if l.Directed {
				break
			}
		}
	}
	for v := range n {
		if p := parents[v]; v != root && p < n && p != v && !arcs[graph.Edge{U: p, V: v}] {
			broken[graph500.RuleTreeEdges] = true
		}
	}
	return broken
}

// TestCorruptedTrees changes entries of good trees and compares with slowRules; one
// validator serves trees in turn, and the verdict is the same for any number of
// threads.
func TestCorruptedTrees(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	broken := map[int]int{}
	for g := range 48 {
		n := []int{1, 2, 3, 63, 64, 65, 200, 1000}[g%8]
		l := randomList(r, n, r.IntN(3*n+1), g%3 == 0)
		one, two := graph500.NewValidator(l, 1), graph500.NewValidator(l, 2)
		defer one.Close()
		defer two.Close()
		for range 40 {
			root := uint32(r.IntN(n))
			parents := serialBFS(l, root, r.IntN)
			for range r.IntN(4) {
				v := r.IntN(n)
				switch r.IntN(5) {
				case 0:
					parents[v] = none
				case 1:
					parents[v] = uint32(r.IntN(n + 1))
				case 2:
					parents[v] = uint32(v)
				default: // a neighbour
					if len(l.Edges) > 0 {
						e := l.Edges[r.IntN(len(l.Edges))]
						parents[e.V] = e.U
					}
				}
			}
			want := slowRules(l, root, parents)
			a, err := one.Validate(context.Background(), graph500.Tree{Root: root, Parents: parents})
			if err != nil {
				t.Fatal(err)
			}
			b, err := two.Validate(context.Background(), graph500.Tree{Root: root, Parents: parents})
			if err != nil {
				t.Fatal(err)
			}
			got := map[int]bool{}
			for _, x := range a.Violations {
				got[x.Rule] = true
				broken[x.Rule]++
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("graph %d, root %d, parents %v, edges %v:\ngot %v, want %v", g, root, parents, l.Edges, a.Violations, want)
			}
			if !reflect.DeepEqual(a, b) {
				t.Fatalf("one thread %+v, two %+v", a, b)
			}
		}
	}
	for _, rule := range []int{1, 3, 4, 5} {
		if broken[rule] < 50 {
			t.Errorf("rule %d was broken %d times only", rule, broken[rule])
		}
	}
}

// TestWitnessIsTheFirst breaks rules in many blocks at once.
func TestWitnessIsTheFirst(t *testing.T) {
	const n = 70_000 // two blocks of records
	l := list(n, false)
	parents := make([]uint32, n)
	levels := make([]uint32, n)
	for v := range uint32(n) {
		if v > 0 {
			l.Edges = append(l.Edges, graph.Edge{U: 0, V: v})
			levels[v] = 1
		}
	}
	for v := uint32(1000); v < n; v += 1000 {
		switch v / 1000 % 3 {
		case 0:
			parents[v] = none
		case 1:
			parents[v] = v - 1
		default:
			levels[v] = 5
		}
	}
	for _, threads := range []int{1, 2, 4} {
		for range 2 {
			v := validate(t, l, graph500.Tree{Parents: parents, Levels: levels}, threads)
			got := ""
			for _, x := range v.Violations {
				got += fmt.Sprintf("%s (rule %d); ", x.Reason, x.Rule)
			}
			want := "parent edge 999-1000 joins stated levels 1 and 1 (rule 2); edge 0-1000 spans levels 0 and 2 (rule 3); " +
				"edge 0-3000 has only one end in the tree (rule 4); parent edge 999-1000 is not in the graph (rule 5); "
			if got != want {
				t.Fatalf("%d threads: %s", threads, got)
			}
		}
	}
}

// TestLongChains validates in O(n) what recursion or a search per vertex could not:
// a chain against the order of ids, and a cycle with a long tail.
func TestLongChains(t *testing.T) {
	const n = 100_000
	l := list(n, false)
	parents := make([]uint32, n)
	for v := range uint32(n - 1) {
		l.Edges = append(l.Edges, graph.Edge{U: v, V: v + 1})
		parents[v] = v + 1
	}
	parents[n-1] = n - 1
	v := validate(t, l, graph500.Tree{Root: n - 1, Parents: parents}, 2)
	if v.Err() != nil || v.Depth != n-1 || v.Reached != n {
		t.Fatalf("%+v", v)
	}
	parents[n-2] = n / 2 // closes a cycle that is no edge
	v = validate(t, l, graph500.Tree{Root: n - 1, Parents: parents}, 2)
	if len(v.Violations) != 2 || v.Violations[0].Reason != "parent chain of 0 does not end at the root" || v.Violations[1].Rule != 5 {
		t.Fatalf("%+v", v.Violations)
	}
}

// BenchmarkValidate: go test ./graph500 -run '^$' -bench Validate
func BenchmarkValidate(b *testing.B) {
	for _, scale := range []int{16, 20} {
		b.Run(fmt.Sprintf("graph=rmat/scale=%d", scale), func(b *testing.B) {
			l := rmat(scale)
			counts, err := graph500.CountEdges(context.Background(), l, 0)
			if err != nil {
				b.Fatal(err)
			}
			root := uint32(0)
			for !counts.Connected(root) {
				root++
			}
			parents := fastBFS(l, root)
			v := graph500.NewValidator(l, 0)
			defer v.Close()
			if err := v.Arrange(context.Background()); err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			for range b.N {
				x, err := v.Validate(context.Background(), graph500.Tree{Root: root, Parents: parents})
				if err != nil || x.Err() != nil {
					b.Fatal(err, x.Err())
				}
			}
			b.ReportMetric(float64(len(l.Edges))*float64(b.N)/b.Elapsed().Seconds(), "records/s")
		})
	}
}

// rmat returns a Kronecker-like graph with the benchmark's probabilities and
// scattered ids.
func rmat(scale int) *graph.EdgeList {
	r := rand.New(rand.NewPCG(2, 3))
	l := &graph.EdgeList{Vertices: 1 << scale, Edges: make([]graph.Edge, 16<<scale)}
	mix := uint32(2654435761)
	for i := range l.Edges {
		var u, v uint32
		for range scale {
			u, v = u<<1, v<<1
			switch x := r.Uint32() % 100; {
			case x < 57:
			case x < 76:
				v |= 1
			case x < 95:
				u |= 1
			default:
				u, v = u|1, v|1
			}
		}
		mask := uint32(1)<<scale - 1
		l.Edges[i] = graph.Edge{U: u * mix & mask, V: v * mix & mask}
	}
	return l
}

// fastBFS is a queue over a CSR.
func fastBFS(l *graph.EdgeList, root uint32) []uint32 {
	offsets := make([]int, l.Vertices+1)
	for _, e := range l.Edges {
		offsets[e.U]++
		offsets[e.V]++
	}
	sum := 0
	for i, d := range offsets {
		offsets[i] = sum
		sum += d
	}
	targets, at := make([]uint32, sum), append([]int(nil), offsets...)
	for _, e := range l.Edges {
		targets[at[e.U]] = e.V
		at[e.U]++
		targets[at[e.V]] = e.U
		at[e.V]++
	}
	parents := make([]uint32, l.Vertices)
	for i := range parents {
		parents[i] = none
	}
	parents[root] = root
	queue := []uint32{root}
	for i := 0; i < len(queue); i++ {
		u := queue[i]
		for _, w := range targets[offsets[u]:offsets[u+1]] {
			if parents[w] == none {
				parents[w] = u
				queue = append(queue, w)
			}
		}
	}
	return parents
}
