package graph500_test

import (
	"container/heap"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph500"
	"github.com/totemgo/totemgo/record"
)

var far = float32(math.Inf(1))

// weighted gives a list float32 weights.
func weighted(l *graph.EdgeList, weights ...float32) *graph.EdgeList {
	l.Weights = graph.WeightsOf(weights)
	return l
}

// collect copies a source with float32 weights, block by block.
func collect(src graph.Source, blocks int) *graph.EdgeList {
	l := &graph.EdgeList{Vertices: src.NumVertices(), Directed: src.IsDirected()}
	var weights []float32
	for i := range src.Blocks(blocks) {
		l.Edges = append(l.Edges, src.Block(blocks, i, nil)...)
		w, err := graph.WeightsAs[float32](src.BlockWeights(blocks, i))
		if err != nil {
			panic(err)
		}
		weights = append(weights, w...)
	}
	return weighted(l, weights...)
}

// pathQueue is a heap of vertices by distance.
type pathQueue []struct {
	d float32
	v uint32
}

func (q pathQueue) Len() int           { return len(q) }
func (q pathQueue) Less(i, j int) bool { return q[i].d < q[j].d }
func (q pathQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *pathQueue) Push(x any)        { *q = append(*q, x.(pathQueue)[0]) }
func (q *pathQueue) Pop() any {
	x := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return x
}

// dijkstra returns a valid tree of shortest paths of l.
func dijkstra(l *graph.EdgeList, root uint32) ([]uint32, []float32) {
	type arc struct {
		to uint32
		w  float32
	}
	weights, err := graph.WeightsAs[float32](l.Weights)
	if err != nil {
		panic(err)
	}
	out := make([][]arc, l.Vertices)
	for i, e := range l.Edges {
		out[e.U] = append(out[e.U], arc{e.V, weights[i]})
		if !l.Directed {
			out[e.V] = append(out[e.V], arc{e.U, weights[i]})
		}
	}
	parents, distances, done := make([]uint32, l.Vertices), make([]float32, l.Vertices), make([]bool, l.Vertices)
	for v := range parents {
		parents[v], distances[v] = none, far
	}
	parents[root], distances[root] = root, 0
	for q := (pathQueue{{0, root}}); len(q) > 0; {
		u := heap.Pop(&q).(struct {
			d float32
			v uint32
		}).v
		if done[u] {
			continue
		}
		done[u] = true
		for _, a := range out[u] {
			if d := float32(distances[u] + a.w); d < distances[a.to] {
				parents[a.to], distances[a.to] = u, d
				heap.Push(&q, pathQueue{{d, a.to}})
			}
		}
	}
	return parents, distances
}

// TestEachRuleOfPathsAlone demands that a tree that breaks one rule only is refused for that
// rule, vertex and edge.
func TestEachRuleOfPathsAlone(t *testing.T) {
	// 0-1-2-3-0 with 3-4 twice, 5-6 apart.
	ring := weighted(list(7, false, 0, 1, 1, 2, 2, 3, 3, 0, 3, 4, 5, 6, 4, 3, 2, 2), .5, .25, 1, .25, .5, .5, .125, 0)
	parents, distances := []uint32{0, 0, 1, 0, 3, none, none}, []float32{0, .5, .75, .25, .375, far, far}
	with := func(p map[int]uint32, d map[int]float32) graph500.Tree {
		t := graph500.Tree{Parents: slices.Clone(parents), Distances: slices.Clone(distances)}
		for v, x := range p {
			t.Parents[v] = x
		}
		for v, x := range d {
			t.Distances[v] = x
		}
		return t
	}
	// 0-1 of weight 1, 1-2-3-1 of weight 0.
	zeros := weighted(list(4, false, 0, 1, 1, 2, 2, 3, 3, 1), 1, 0, 0, 0)
	arcs := weighted(list(5, true, 0, 1, 1, 2, 2, 0, 0, 3, 4, 0), 1, 1, 1, 1, 0)
	// Rounded to float32, 2^24 + 1 is 2^24 and 1 + 2^-24 is 1.
	tiny := float32(1. / (1 << 24))
	rounded := weighted(list(4, false, 0, 1, 1, 2, 2, 3), 1, tiny, tiny)
	nan := float32(math.NaN())
	for _, c := range []struct {
		name   string
		src    *graph.EdgeList
		tree   graph500.Tree
		rule   int // 0: valid
		vertex uint64
		edge   [2]uint64
		reason string
	}{
		{"good", ring, with(nil, nil), 0, 0, [2]uint64{}, ""},
		{"root alone", weighted(list(1, false)), graph500.Tree{Parents: []uint32{0}, Distances: []float32{0}}, 0, 0, [2]uint64{}, ""},
		{"good arcs", arcs, graph500.Tree{Parents: []uint32{0, 0, 1, 0, none}, Distances: []float32{0, 1, 2, 1, far}}, 0, 0, [2]uint64{}, ""},
		{"weights of 0", zeros, graph500.Tree{Parents: []uint32{0, 0, 1, 2}, Distances: []float32{0, 1, 1, 1}}, 0, 0, [2]uint64{}, ""},
		{"rounded", rounded, graph500.Tree{Parents: []uint32{0, 0, 1, 2}, Distances: []float32{0, 1, 1, 1}}, 0, 0, [2]uint64{}, ""},

		{"cycle of weight 0", zeros, graph500.Tree{Parents: []uint32{0, 3, 1, 2}, Distances: []float32{0, 1, 1, 1}}, 1, 1, [2]uint64{},
			"parent chain of 1 does not end at the root"},
		{"root with a parent", weighted(list(2, false, 0, 1), 0), graph500.Tree{Parents: []uint32{1, 0}, Distances: []float32{0, 0}}, 1, 0, [2]uint64{},
			"root is not its own parent"},
		{"foreign component", ring, with(map[int]uint32{5: 6, 6: 5}, map[int]float32{5: 0, 6: .5}), 1, 5, [2]uint64{},
			"parent chain of 5 does not end at the root"},
		{"parent is no vertex", ring, with(map[int]uint32{4: 9}, nil), 1, 4, [2]uint64{}, "parent of 4 is no vertex of the graph"},

		{"the other edge's weight", weighted(list(3, false, 0, 1, 1, 2, 0, 2), 1, 1, 1), graph500.Tree{Parents: []uint32{0, 0, 0}, Distances: []float32{0, 1, .5}},
			2, 2, [2]uint64{0, 2}, "parent edge 0-2 has no weight that joins distances 0 and 0.5"},
		{"a parent of another path", ring, with(map[int]uint32{2: 3}, nil), 2, 2, [2]uint64{3, 2},
			"parent edge 3-2 has no weight that joins distances 0.25 and 0.75"},
		{"not rounded", rounded, graph500.Tree{Parents: []uint32{0, 0, 1, 2}, Distances: []float32{0, 1, math.Nextafter32(1, 0), 1}}, 2, 2, [2]uint64{1, 2},
			"parent edge 1-2 has no weight that joins distances 1 and 0.99999994"},
		{"root at a distance", weighted(list(1, false)), graph500.Tree{Parents: []uint32{0}, Distances: []float32{.5}}, 2, 0, [2]uint64{},
			"root has distance 0.5"},
		{"negative", weighted(list(2, false, 0, 1), 1), graph500.Tree{Parents: []uint32{0, 0}, Distances: []float32{0, -.5}}, 2, 1, [2]uint64{},
			"1 has distance -0.5"},
		{"a distance outside", ring, with(nil, map[int]float32{6: 1}), 2, 6, [2]uint64{}, "6 is not in the tree, but has distance 1"},
		{"no number outside", ring, with(nil, map[int]float32{6: nan}), 2, 6, [2]uint64{}, "6 is not in the tree, but has distance NaN"},

		{"longer path", ring, with(map[int]uint32{2: 3}, map[int]float32{2: 1.25}), 3, 2, [2]uint64{1, 2},
			"edge 1-2 of weight 0.25 joins distances 0.5 and 1.25"},
		{"longer of two edges", ring, with(nil, map[int]float32{4: .75}), 3, 4, [2]uint64{4, 3}, "edge 4-3 of weight 0.125 joins distances 0.75 and 0.25"},
		{"longer path of arcs", weighted(list(3, true, 0, 1, 1, 2, 0, 2), 1, 1, 1), graph500.Tree{Parents: []uint32{0, 0, 1}, Distances: []float32{0, 1, 2}},
			3, 2, [2]uint64{0, 2}, "edge 0-2 of weight 1 joins distances 0 and 2"},

		{"missed vertex", ring, with(map[int]uint32{4: none}, map[int]float32{4: far}), 4, 4, [2]uint64{3, 4}, "edge 3-4 has only one end in the tree"},
		{"arc out of the tree", arcs, graph500.Tree{Parents: []uint32{0, 0, 1, none, none}, Distances: []float32{0, 1, 2, far, far}}, 4, 3, [2]uint64{0, 3},
			"edge 0-3 has only one end in the tree"},

		{"not in the graph", ring, with(map[int]uint32{4: 1}, nil), 5, 4, [2]uint64{1, 4}, "parent edge 1-4 is not in the graph"},
		{"not in the graph, the sums agree", weighted(list(4, false, 0, 1, 0, 2, 2, 3), 1, 1, 1),
			graph500.Tree{Parents: []uint32{0, 0, 0, 1}, Distances: []float32{0, 1, 1, 2}}, 5, 3, [2]uint64{1, 3}, "parent edge 1-3 is not in the graph"},
		{"arc the wrong way", weighted(list(3, true, 0, 1, 2, 1, 0, 2), 1, 0, 1), graph500.Tree{Parents: []uint32{0, 0, 1}, Distances: []float32{0, 1, 1}},
			5, 2, [2]uint64{1, 2}, "parent edge 1-2 is not in the graph"},
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
				if !errors.Is(err, graph500.ErrInvalidPaths) || errors.Is(err, graph500.ErrInvalidTree) ||
					!strings.Contains(err.Error(), fmt.Sprintf("%s (rule %d, vertex %d)", c.reason, c.rule, c.vertex)) {
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

// slowPathRules is the specification taken literally: the set of rules that a tree of shortest
// paths breaks.
func slowPathRules(l *graph.EdgeList, root uint32, parents []uint32, d []float32) map[int]bool {
	broken := slowRules(l, root, parents)
	delete(broken, graph500.RuleEdgeLevels)
	n := uint32(l.Vertices)
	chain := func(v uint32) (inTree bool) { // ends at the root
		for steps := uint32(0); steps <= n && v < n; steps++ {
			if v == root {
				return true
			}
			v = parents[v]
		}
		return false
	}
	weights, _ := graph.WeightsAs[float32](l.Weights)
	exists, joins := make([]bool, n), make([]bool, n)
	for i, e := range l.Edges {
		for _, e := range []graph.Edge{e, {U: e.V, V: e.U}} {
			if parents[e.V] == e.U {
				exists[e.V] = true
				joins[e.V] = joins[e.V] || d[e.V] == float32(d[e.U]+weights[i])
			}
			if chain(e.U) && chain(e.V) && d[e.V] > float32(d[e.U]+weights[i]) {
				broken[graph500.RuleEdgeLevels] = true
			}
			if l.Directed {
				break
			}
		}
	}
	for v := range n {
		switch {
		case v == root:
			if d[v] != 0 {
				broken[graph500.RuleTreeLevels] = true
			}
		case parents[v] == none:
			if d[v] != far {
				broken[graph500.RuleTreeLevels] = true
			}
		case chain(v) && (d[v] < 0 || d[v] == far || exists[v] && !joins[v]):
			broken[graph500.RuleTreeLevels] = true
		}
	}
	return broken
}

// TestCorruptedPaths changes entries of good trees and compares with slowPathRules; the verdict is
// the same for any number of threads, arranged or not.
func TestCorruptedPaths(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	broken := map[int]int{}
	for g := range 32 {
		n := []int{1, 2, 3, 63, 65, 200}[g%6]
		l := randomList(r, n, r.IntN(3*n+1), g%3 == 0)
		weights := make([]float32, len(l.Edges))
		for i := range weights {
			weights[i] = float32(r.IntN(5)) / 4 * r.Float32() // 0 is frequent
			if g%2 == 0 {
				weights[i] = float32(r.IntN(3)) / 2 // so are equal paths
			}
		}
		weighted(l, weights...)
		for range 30 {
			root := uint32(r.IntN(n))
			parents, distances := dijkstra(l, root)
			for range r.IntN(3) {
				v := r.IntN(n)
				switch r.IntN(7) {
				case 0:
					parents[v], distances[v] = none, far
				case 1:
					parents[v] = uint32(r.IntN(n + 1))
				case 2:
					distances[v] += .25
				case 3:
					distances[v] -= .25
				case 4:
					distances[v] = far
				default: // a neighbour
					if len(l.Edges) > 0 {
						e := l.Edges[r.IntN(len(l.Edges))]
						parents[e.V] = e.U
					}
				}
			}
			want := slowPathRules(l, root, parents, distances)
			tree := graph500.Tree{Root: root, Parents: parents, Distances: distances}
			a := validate(t, l, tree, 1)
			got := map[int]bool{}
			for _, x := range a.Violations {
				got[x.Rule] = true
				broken[x.Rule]++
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("graph %d, root %d, parents %v, distances %v, edges %v, weights %v:\ngot %v, want %v",
					g, root, parents, distances, l.Edges, weights, a.Violations, want)
			}
			if b := validate(t, l, tree, 2); !reflect.DeepEqual(a, b) {
				t.Fatalf("one thread %+v, two %+v", a, b)
			}
		}
	}
	for rule := 1; rule <= 5; rule++ {
		if broken[rule] < 40 {
			t.Errorf("rule %d was broken %d times only", rule, broken[rule])
		}
	}
}

func TestPathsShape(t *testing.T) {
	l := weighted(list(3, false, 0, 1), 1)
	doubles := list(3, false, 0, 1)
	doubles.Weights = graph.WeightsOf([]float64{1})
	parents := []uint32{0, 0, none}
	good := []float32{0, 1, far}
	for _, c := range []struct {
		src  *graph.EdgeList
		tree graph500.Tree
	}{
		{l, graph500.Tree{Parents: parents, Distances: good[:2]}},
		{l, graph500.Tree{Parents: parents, Distances: good, Levels: []uint32{0, 1, none}}},
		{list(3, false, 0, 1), graph500.Tree{Parents: parents, Distances: good}},
		{doubles, graph500.Tree{Parents: parents, Distances: good}},
	} {
		if _, err := graph500.NewValidator(c.src, 1).Validate(context.Background(), c.tree); !errors.Is(err, graph500.ErrTreeShape) {
			t.Errorf("%+v: error %v", c.tree, err)
		}
	}
	v := validate(t, doubles, graph500.Tree{Parents: parents}, 1) // levels need no weights
	if v.Err() != nil {
		t.Error(v.Err())
	}
}

// pathEngine is a serial search of both kernels with faults to order.
type pathEngine struct {
	testEngine
	paths      int
	spoilPaths func(search int, parents []uint32, distances []float32)
	failPaths  error
}

func (e *pathEngine) SearchPaths(ctx context.Context, root uint32) (graph500.Found, error) {
	if err := ctx.Err(); err != nil {
		return graph500.Found{}, err
	}
	e.paths++
	parents, distances := dijkstra(e.tuples, root)
	if e.spoilPaths != nil {
		e.spoilPaths(e.paths, parents, distances)
	}
	return graph500.Found{Parents: parents, Distances: distances, Levels: []record.Level{{Level: 9}}}, e.failPaths
}

func (e *pathEngine) build(_ context.Context, tuples graph.Source) (graph500.Engine, error) {
	e.tuples = collect(tuples, 7)
	return e, nil
}

// TestTuplesWithWeights: the tuples of a run with kernel 3 are those of a run without, and the
// weights are the benchmark's own.
func TestTuplesWithWeights(t *testing.T) {
	for scale, sums := range map[int][2]string{
		5: {"5841b1fb22d1674d065428085bbe48ee878e59bbc5ee99929d35f07ccd82716d", "a202ef2dd137a2134608e79af241fd83342d048f39b397093a5e6c31886c8b6b"},
		14: {"3cb46b82538582341f8b2218b1807b0ca1704b784991beffddb80cbb0c4a82a4",
			"24db2e4fe26628a36d18ad9998ad98c4cdc1193e7c797349196be32c52278f5f"},
	} {
		stop := errors.New("stop")
		_, err := graph500.Run(context.Background(), graph500.Config{Scale: scale, SSSP: true}, func(_ context.Context, src graph.Source) (graph500.Engine, error) {
			for _, blocks := range []int{1, 3, 1 << 16} {
				l := collect(src, blocks)
				weights, _ := graph.WeightsAs[float32](l.Weights)
				var file, weightFile []byte
				for i, e := range l.Edges {
					file = binary.LittleEndian.AppendUint64(file, uint64(e.V)<<32|uint64(e.U))
					file = append(file, 0, 0, 0, 0)
					weightFile = binary.LittleEndian.AppendUint32(weightFile, math.Float32bits(weights[i]))
				}
				if got := [2]string{fmt.Sprintf("%x", sha256.Sum256(file)), fmt.Sprintf("%x", sha256.Sum256(weightFile))}; got != sums || len(weights) != 16<<scale {
					t.Errorf("scale %d, %d blocks: %d tuples, %v", scale, blocks, len(weights), got)
				}
				if src.NumVertices() != l.Vertices || l.Vertices > 1<<scale || src.NumEdges() != int64(len(weights)) || src.IsDirected() {
					t.Errorf("%d vertices", l.Vertices)
				}
			}
			return nil, stop
		})
		if !errors.Is(err, stop) {
			t.Error(err)
		}
	}
}

func TestRunSSSP(t *testing.T) {
	e := &pathEngine{}
	var stages []graph500.Stage
	last := map[graph500.Stage]int64{}
	c := graph500.Config{Scale: 8, SSSP: true, Count: true, Progress: func(s graph500.Stage, done, total int64) {
		if done > total || done < last[s] {
			t.Errorf("%s: %d of %d after %d", s, done, total, last[s])
		}
		if last[s] = done; !slices.Contains(stages, s) {
			stages = append(stages, s)
		}
	}}
	r, err := graph500.Run(context.Background(), c, e.build)
	if err != nil {
		t.Fatal(err)
	}
	want := []graph500.Stage{graph500.Generating, graph500.Constructing, graph500.Searching, graph500.FindingPaths, graph500.Counting}
	if !slices.Equal(stages, want) {
		t.Errorf("stages %v", stages)
	}
	if last[graph500.Generating] != 16<<8 || last[graph500.FindingPaths] != 64 {
		t.Errorf("progress %v", last)
	}
	passed := record.Validation{Passed: 64}
	if r.VertexBits != 48 || r.Validation != passed || r.SSSPValidation == nil || *r.SSSPValidation != passed || e.paths != 65 || e.searches != 65 {
		t.Errorf("%+v %+v", r, r.SSSPValidation)
	}
	if r.SSSP == nil || r.SSSP.HarmonicMeanTEPS == nil || r.BFS.HarmonicMeanTEPS == nil || r.SSSP.MedianNEdge != r.BFS.MedianNEdge {
		t.Errorf("%+v", r.SSSP)
	}
	if len(r.Levels) != 1 || r.Levels[0].Level != 0 {
		t.Errorf("levels %+v", r.Levels)
	}
	deeper := false
	for i, s := range r.SSSPSearches {
		b := r.Searches[i]
		if s.Root != b.Root || s.Root != r.Roots[i] || s.NEdge != b.NEdge || s.NEdgeSpec != b.NEdgeSpec || s.Reached != b.Reached || s.Depth < b.Depth {
			t.Errorf("%+v, kernel 2 %+v", s, b)
		}
		deeper = deeper || s.Depth > b.Depth
	}
	if !deeper || len(r.SSSPSearches) != 64 {
		t.Errorf("%d searches, the same depths as in kernel 2", len(r.SSSPSearches))
	}
	// Without kernel 3 the same figures, and nothing of kernel 3.
	plain, err := graph500.Run(context.Background(), graph500.Config{Scale: 8}, (&testEngine{}).build)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(plain)
	if err != nil || strings.Contains(string(data), "sssp") || plain.VertexBits != 32 || !slices.Equal(plain.Roots, r.Roots) ||
		plain.BFS.MeanNEdge != r.BFS.MeanNEdge {
		t.Errorf("%s, %v", data, err)
	}
}

// TestRunWithBrokenPaths: one invalid tree of either kernel takes all TEPS away.
func TestRunWithBrokenPaths(t *testing.T) {
	shift := func(search int, _ []uint32, distances []float32) {
		if search != 3 { // the second timed one
			return
		}
		for v, d := range distances {
			if d > 0 && d < far {
				distances[v] = math.Nextafter32(d, 0) // a rounding error
				return
			}
		}
	}
	cut := func(search int, parents []uint32) {
		if search == 2 {
			parents[slices.IndexFunc(parents, func(p uint32) bool { return p != none })] = none
		}
	}
	for _, c := range []struct {
		name       string
		e          *pathEngine
		bfs, paths int // trees that fail
		is, isNot  error
	}{
		{"kernel 3", &pathEngine{spoilPaths: shift}, 0, 1, graph500.ErrInvalidPaths, graph500.ErrInvalidTree},
		{"kernel 2", &pathEngine{testEngine: testEngine{spoil: cut}}, 1, 0, graph500.ErrInvalidTree, graph500.ErrInvalidPaths},
	} {
		r, err := graph500.Run(context.Background(), graph500.Config{Scale: 6, Searches: 8, SSSP: true}, c.e.build)
		if !errors.Is(err, graph500.ErrValidation) || !errors.Is(err, c.is) || errors.Is(err, c.isNot) || r == nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		text := fmt.Sprintf("1 of 8 trees; the first, from root %d:", r.Roots[1])
		if c.paths > 0 && (!strings.Contains(err.Error(), text) || r.SSSPValidation.Rules.TreeLevels != 1) {
			t.Errorf("%s: %v, %+v", c.name, err, r.SSSPValidation)
		}
		if r.Validation.Failed != c.bfs || r.Validation.Passed != 8-c.bfs || r.SSSPValidation.Failed != c.paths || r.SSSPValidation.Passed != 8-c.paths {
			t.Errorf("%s: %+v, %+v", c.name, r.Validation, r.SSSPValidation)
		}
		if data, err := json.Marshal(r); err != nil || strings.Contains(string(data), "TEPS") {
			t.Errorf("%s: %s, %v", c.name, data, err)
		}
		var official strings.Builder
		if err := graph500.WriteOfficial(&official, graph500.Style30, r); err != nil || !c.e.closed {
			t.Fatal(err, c.e.closed)
		}
		if s := official.String(); strings.Contains(s, "TEPS") ||
			!strings.Contains(s, fmt.Sprintf("validation: %d of 8 passed\nsssp_validation: %d of 8 passed\n", 8-c.bfs, 8-c.paths)) {
			t.Errorf("%s:\n%s", c.name, s)
		}
	}
}

func TestRunSSSPErrors(t *testing.T) {
	boom := errors.New("boom")
	plain, failing := &testEngine{}, &pathEngine{failPaths: boom}
	c := graph500.Config{Scale: 5, SSSP: true}
	_, err := graph500.Run(context.Background(), c, func(context.Context, graph.Source) (graph500.Engine, error) { return plain, nil })
	if !errors.Is(err, graph500.ErrConfig) || !plain.closed {
		t.Errorf("an engine without kernel 3: %v", err)
	}
	if _, err = graph500.Run(context.Background(), c, failing.build); !errors.Is(err, boom) || !failing.closed || failing.searches != 0 {
		t.Errorf("%v after %d searches", err, failing.searches)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	e := &pathEngine{spoilPaths: func(search int, _ []uint32, _ []float32) {
		if search == 3 {
			cancel()
		}
	}}
	if r, err := graph500.Run(ctx, c, e.build); r != nil || !errors.Is(err, context.Canceled) || !e.closed {
		t.Errorf("cancelled: record %v, error %v", r, err)
	}
	generating, stop := context.WithCancel(context.Background())
	c.Progress = func(s graph500.Stage, _, _ int64) { stop() }
	c.Scale = 14
	if r, err := graph500.Run(generating, c, e.build); r != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: record %v, error %v", r, err)
	}
}

// BenchmarkValidatePaths: go test ./graph500 -run '^$' -bench ValidatePaths
func BenchmarkValidatePaths(b *testing.B) {
	for _, scale := range []int{16, 20} {
		b.Run(fmt.Sprintf("graph=rmat/scale=%d", scale), func(b *testing.B) {
			l := rmat(scale)
			r := rand.New(rand.NewPCG(5, 6))
			weights := make([]float32, len(l.Edges))
			for i := range weights {
				weights[i] = r.Float32()
			}
			weighted(l, weights...)
			root := l.Edges[0].U
			parents, distances := dijkstra(l, root)
			v := graph500.NewValidator(l, 0)
			defer v.Close()
			if err := v.Arrange(context.Background()); err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			for range b.N {
				x, err := v.Validate(context.Background(), graph500.Tree{Root: root, Parents: parents, Distances: distances})
				if err != nil || x.Err() != nil {
					b.Fatal(err, x.Err())
				}
			}
			b.ReportMetric(float64(len(l.Edges))*float64(b.N)/b.Elapsed().Seconds(), "records/s")
		})
	}
}
