package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/gen"
	"github.com/totemgo/totemgo/graph/graphio"
	"github.com/totemgo/totemgo/internal/needs"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/partition"
	"github.com/totemgo/totemgo/program"
	"github.com/totemgo/totemgo/record"
)

// weighted is a copy of a graph with weights of type T, whole ones of 0 … most.
func weighted[T graph.Weight](l *graph.EdgeList, most int, scale T, r *rand.Rand) *graph.EdgeList {
	w := make([]T, len(l.Edges))
	for i := range w {
		w[i] = T(r.IntN(most+1)) * scale
	}
	return &graph.EdgeList{Vertices: l.Vertices, Directed: l.Directed, Edges: l.Edges, Weights: graph.WeightsOf(w), Labels: l.Labels}
}

// weighedEngine is an engine with weights on parts CPU partitions of so many threads.
func weighedEngine(t testing.TB, src graph.Source, parts, threads int, policy partition.Policy) *engine.Engine {
	t.Helper()
	list, err := engine.ParseProcessors(strings.Repeat(fmt.Sprintf(",cpu:%d", threads), parts)[1:])
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(t.Context(), src, engine.Options{Processors: list, Placement: policy, Weights: true, Seed: 7, Director: bsp.DirectorBeamer})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// checkPaths compares distances with the oracle's, by bits, and checks the tree, if there is one.
func checkPaths[T ref.Length](src graph.Source, root uint32, r *engine.SSSPResult) error {
	want, reached, ok := ref.ShortestPaths[T](src, root)
	dist := engine.DistancesOf[T](r)
	if !ok || r.Type != program.TypeOf[T]() || len(dist) != len(want) {
		return fmt.Errorf("distances of type %v, %d of %d, oracle %v", r.Type, len(dist), len(want), ok)
	}
	n := int64(0)
	for v, d := range dist {
		if !reached[v] {
			want[v] = program.Largest[T]()
		} else {
			n++
		}
		if program.Pack(d) != program.Pack(want[v]) {
			return fmt.Errorf("distance of %d is %v, want %v", v, d, want[v])
		}
		x, ok := r.Distance(uint32(v))
		if ok != reached[v] || ok && x != float64(d) {
			return fmt.Errorf("Distance(%d) is %v, %v, want %v", v, x, ok, d)
		}
	}
	if r.NumReached != n {
		return fmt.Errorf("%d reached, want %d", r.NumReached, n)
	}
	if r.Parents == nil {
		return nil
	}
	return checkTree(src, root, dist, reached, r.Parents)
}

// checkTree checks that parents lead to the root over arcs of the graph that add up to the distances.
func checkTree[T ref.Length](src graph.Source, root uint32, dist []T, reached []bool, parents []uint32) error {
	lightest := map[graph.Edge]T{}
	for i, e := range src.Block(1, 0, nil) {
		for range 2 {
			w, is := lightest[e]
			if x := T(src.BlockWeights(1, 0).Float64(i)); !is || x < w {
				lightest[e] = x
			}
			if src.IsDirected() {
				break
			}
			e = graph.Edge{U: e.V, V: e.U}
		}
	}
	const unknown, open, rooted = 0, 1, 2
	state := make([]uint8, len(parents))
	state[root] = rooted
	if parents[root] != root {
		return fmt.Errorf("the root's parent is %d", parents[root])
	}
	for v := range uint32(len(parents)) {
		if reached[v] != (parents[v] != graph.None) {
			return fmt.Errorf("parent of %d is %d", v, parents[v])
		}
		var path []uint32
		u := v
		for ; reached[u] && state[u] == unknown; u = parents[u] {
			state[u] = open
			path = append(path, u)
			if w, is := lightest[graph.Edge{U: parents[u], V: u}]; !is || dist[parents[u]]+w != dist[u] {
				return fmt.Errorf("arc %d to %d of the tree: %v, weight %v", parents[u], u, is, w)
			}
		}
		if reached[u] && state[u] == open {
			return fmt.Errorf("a cycle through %d", u)
		}
		for _, u := range path {
			state[u] = rooted
		}
	}
	return nil
}

// TestSSSP compares with the oracle on one to four partitions of one thread and of several, for each kind
// of weights and any Delta.
func TestSSSP(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(12)) // equal shares: no list has more threads
	r := rand.New(rand.NewPCG(1, 2))
	for n, g := range ref.Corpus() {
		if g.List.Vertices == 0 || raceEnabled && n%7 != 0 {
			continue
		}
		if n%2 == 0 {
			ofCorpus[int64](t, g, weighted(g.List, 255, int32(1), r), r)
			ofCorpus[float64](t, g, weighted(g.List, 9, 0.1, r), r)
			continue
		}
		ofCorpus[int64](t, g, weighted(g.List, 3, int64(1)<<40, r), r)
		ofCorpus[float32](t, g, weighted(g.List, 1<<24, float32(0.1), r), r)
	}
}

func ofCorpus[T ref.Length](t *testing.T, g ref.Named, src *graph.EdgeList, r *rand.Rand) {
	for _, parts := range []int{1, 2 + r.IntN(3)} {
		threads, policy := 1+r.IntN(3), []partition.Policy{partition.HubsOnCPU, partition.Random, partition.Original}[r.IntN(3)]
		e := weighedEngine(t, src, parts, threads, policy)
		for _, root := range g.Roots() {
			o := engine.SSSPOptions{Parents: r.IntN(2) == 0, Delta: []float64{0, 0, 1, 100, math.Inf(1)}[r.IntN(5)]}
			p, err := e.SSSP(t.Context(), g.List.VertexLabels().Label(root), o)
			if err == nil {
				err = checkPaths[T](src, root, p)
			}
			if err != nil {
				t.Fatalf("%s, %v, %d partitions of %d threads, %s, from %d, %+v: %v", g.Name, src.WeightKind(), parts, threads, policy, root, o, err)
			}
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSSSPZeroWeights asks for trees where arcs without weight are frequent.
func TestSSSPZeroWeights(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for k := range 2000 {
		if raceEnabled && k%20 != 0 {
			continue
		}
		n := 2 + r.IntN(20)
		l := &graph.EdgeList{Vertices: n, Directed: k%2 == 0}
		for range r.IntN(4 * n) {
			l.Edges = append(l.Edges, graph.Edge{U: uint32(r.IntN(n)), V: uint32(r.IntN(n))})
		}
		src := weighted(l, 3, int32(1), r)
		e := weighedEngine(t, src, 1+r.IntN(4), 1, partition.Random)
		root := uint32(r.IntN(n))
		p, err := e.SSSP(t.Context(), uint64(root), engine.SSSPOptions{Parents: true})
		if err == nil {
			err = checkPaths[int64](src, root, p)
		}
		if err := errors.Join(err, e.Close()); err != nil {
			t.Fatalf("graph %d: %v", k, err)
		}
	}
}

func wel[T graph.Weight](directed bool, n int, edges []graph.Edge, w ...T) *graph.EdgeList {
	return &graph.EdgeList{Vertices: n, Directed: directed, Edges: edges, Weights: graph.WeightsOf(w)}
}

func TestSSSPRanges(t *testing.T) {
	chain := ref.Chain(4)
	for name, c := range map[string]struct {
		src  *graph.EdgeList
		want []int64 // nil for a distance out of range
	}{
		"int32 sums as int64":   {wel[int32](true, 4, chain, math.MaxInt32, 7, math.MaxInt32), []int64{0, math.MaxInt32, math.MaxInt32 + 7, 2*math.MaxInt32 + 7}},
		"as many as int32 has":  {wel[int32](true, 4, chain, math.MaxInt32-2, 1, 0), []int64{0, math.MaxInt32 - 2, math.MaxInt32 - 1, math.MaxInt32 - 1}},
		"as many as int64 has":  {wel[int64](true, 4, chain, math.MaxInt64-3, 1, 1), []int64{0, math.MaxInt64 - 3, math.MaxInt64 - 2, math.MaxInt64 - 1}},
		"beyond int64":          {wel[int64](true, 4, chain, math.MaxInt64-3, 1, 2), nil},
		"beyond float32":        {wel[float32](true, 4, chain, math.MaxFloat32, math.MaxFloat32, 0), nil},
		"beyond float64":        {wel(true, 4, chain, math.MaxFloat64, math.MaxFloat64, 0), nil},
		"beyond, not reachable": {wel[int64](true, 4, chain[1:], math.MaxInt64, math.MaxInt64), []int64{0, math.MaxInt64, math.MaxInt64, math.MaxInt64}},
	} {
		for _, parents := range []bool{false, true} {
			p, err := weighedEngine(t, c.src, 1, 1, partition.Original).SSSP(t.Context(), 0, engine.SSSPOptions{Parents: parents})
			var far *engine.WeightError
			switch {
			case c.want == nil && (!errors.As(err, &far) || !errors.Is(err, engine.ErrWeights) || far.Reason != engine.DistanceTooLarge || far.To < 2):
				t.Errorf("%s: %v", name, err)
			case c.want != nil && (err != nil || !slices.Equal(engine.DistancesOf[int64](p), c.want) || (p.Parents != nil) != parents):
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestSSSPErrors(t *testing.T) {
	edges := []graph.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 3, V: 2}}
	for name, c := range map[string]struct {
		src    *graph.EdgeList
		reason engine.WeightReason
		text   string
	}{
		"negative":  {wel[int32](true, 4, edges, 1, 2, -7), engine.WeightNegative, "from 3 to 2, weight -7"},
		"NaN":       {wel[float32](true, 4, edges, 1, float32(math.NaN()), 7), engine.WeightNotFinite, "from 1 to 2, weight NaN"},
		"infinite":  {wel(true, 4, edges, 1, 2, math.Inf(1)), engine.WeightNotFinite, "from 3 to 2, weight +Inf"},
		"unweighed": {&graph.EdgeList{Vertices: 4, Edges: edges}, engine.WeightsMissing, ""},
	} {
		e := weighedEngine(t, c.src, 2, 1, partition.Random)
		for range 2 { // the second finds weights read
			_, err := e.SSSP(t.Context(), 0, engine.SSSPOptions{})
			var weight *engine.WeightError
			if !errors.As(err, &weight) || weight.Reason != c.reason || !strings.Contains(err.Error(), c.text) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := e.SSSP(t.Context(), 9, engine.SSSPOptions{}); !errors.Is(err, graph.ErrNoVertex) {
			t.Errorf("%s: a root that is no vertex: %v", name, err)
		}
		if _, err := e.SSSP(t.Context(), 0, engine.SSSPOptions{Delta: math.NaN()}); !errors.Is(err, engine.ErrArgument) {
			t.Errorf("%s: Delta NaN: %v", name, err)
		}
		p, err := e.SSSP(t.Context(), 1, engine.SSSPOptions{UnitWeights: true, Parents: true})
		if err != nil || p.NumReached < 2 || engine.DistancesOf[int64](p)[2] != 1 || p.Parents[2] != 1 {
			t.Errorf("%s: unit weights: %+v, %v", name, p, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := e.SSSP(ctx, 0, engine.SSSPOptions{UnitWeights: true}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: cancelled: %v", name, err)
		}
	}
}

// checkCycle checks that a cycle consists of arcs of the graph, has a negative sum and is reachable.
func checkCycle[T ref.Length](src *graph.EdgeList, root uint32, cycle []uint64) error {
	lightest := map[graph.Edge]T{}
	for i, e := range src.Edges {
		for _, e := range []graph.Edge{e, {U: e.V, V: e.U}}[:2-b2i(src.Directed)] {
			if w, is := lightest[e]; !is || T(src.Weights.Float64(i)) < w {
				lightest[e] = T(src.Weights.Float64(i))
			}
		}
	}
	sum := T(0)
	for i, u := range cycle {
		w, is := lightest[graph.Edge{U: uint32(u), V: uint32(cycle[(i+1)%len(cycle)])}]
		if !is {
			return fmt.Errorf("no arc after %d of the cycle %v", u, cycle)
		}
		sum += w
	}
	if reach := ref.Levels(src, root); len(cycle) == 0 || !(sum < 0) || reach[cycle[0]] < 0 || cycle[0] != slices.Min(cycle) {
		return fmt.Errorf("the cycle %v has sum %v, level %d", cycle, sum, reach[cycle[0]])
	}
	return nil
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// signed is weighted with weights from least on.
func signed[T graph.Weight](l *graph.EdgeList, least, most int, scale T, r *rand.Rand) *graph.EdgeList {
	out := weighted(l, most-least, scale, r)
	w, _ := graph.WeightsAs[T](out.Weights)
	for i := range w {
		w[i] += T(least) * scale
	}
	return out
}

// TestSSSPNegative compares lengths, trees and cycles with the oracle's where weights may be negative.
func TestSSSPNegative(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	cycles, trees := 0, 0
	for k := range 3000 {
		if raceEnabled && k%30 != 0 {
			continue
		}
		n := 2 + r.IntN(24)
		l := &graph.EdgeList{Vertices: n, Directed: k%5 != 0}
		for range r.IntN(3 * n) {
			l.Edges = append(l.Edges, graph.Edge{U: uint32(r.IntN(n)), V: uint32(r.IntN(n))})
		}
		root := uint32(r.IntN(n))
		least := -r.IntN(3)
		var err error
		var cycle bool
		switch k % 4 {
		case 0:
			cycle, err = negativePaths[int64](t, signed(l, least, 9, int32(1), r), root, r)
		case 1:
			cycle, err = negativePaths[int64](t, signed(l, least, 9, int64(1)<<40, r), root, r)
		case 2:
			cycle, err = negativePaths[float32](t, signed(l, least, 9, float32(0.1), r), root, r)
		default:
			cycle, err = negativePaths[float64](t, signed(l, least, 9, 0.1, r), root, r)
		}
		if err != nil {
			t.Fatalf("graph %d from %d: %v", k, root, err)
		}
		cycles, trees = cycles+b2i(cycle), trees+b2i(!cycle)
	}
	if !raceEnabled && (cycles < 300 || trees < 300) {
		t.Errorf("%d graphs with a cycle, %d without", cycles, trees)
	}
}

func negativePaths[T ref.Length](t *testing.T, src *graph.EdgeList, root uint32, r *rand.Rand) (cycle bool, err error) {
	e := weighedEngine(t, src, 1+r.IntN(3), 1, partition.Random)
	defer func() { err = errors.Join(err, e.Close()) }()
	p, err := e.SSSP(t.Context(), uint64(root), engine.SSSPOptions{BellmanFord: true, Parents: true})
	_, _, ok := ref.ShortestPaths[T](src, root)
	if ok {
		if err == nil {
			err = checkPaths[T](src, root, p)
		}
		return false, err
	}
	var c *engine.NegativeCycleError
	if !errors.As(err, &c) || !errors.Is(err, engine.ErrNegativeCycle) {
		return true, fmt.Errorf("no cycle found: %v", err)
	}
	return true, checkCycle[T](src, root, c.Cycle)
}

// TestSSSPNegativeEnds: ranges, loops and cancellation where weights are negative.
func TestSSSPNegativeEnds(t *testing.T) {
	o := engine.SSSPOptions{BellmanFord: true}
	chain := ref.Chain(4)
	for name, src := range map[string]*graph.EdgeList{
		"beyond int64":   wel[int64](true, 4, chain, -1, math.MaxInt64, math.MaxInt64),
		"below int64":    wel[int64](true, 4, chain, -1, math.MinInt64, 1),
		"beyond float32": wel[float32](true, 4, chain, -1, math.MaxFloat32, math.MaxFloat32),
		"below float64":  wel(true, 4, chain, -1, -math.MaxFloat64, -math.MaxFloat64),
	} {
		var weight *engine.WeightError
		if _, err := weighedEngine(t, src, 1, 1, partition.Original).SSSP(t.Context(), 0, o); !errors.As(err, &weight) || weight.Reason != engine.DistanceTooLarge {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Loops: of a vertex with other arcs, and of one without.
	loops := []graph.Edge{{U: 0, V: 1}, {U: 1, V: 1}, {U: 1, V: 1}, {U: 2, V: 2}, {U: 3, V: 3}}
	e := weighedEngine(t, wel[int32](true, 5, loops, 5, 1, -4, -1, 0), 2, 1, partition.Random)
	var weight *engine.WeightError
	want := engine.WeightError{From: 1, To: 1, Weight: -4, Reason: engine.WeightNegative}
	if _, err := e.SSSP(t.Context(), 3, engine.SSSPOptions{}); !errors.As(err, &weight) || *weight != want {
		t.Errorf("negative loop: %v", err)
	}
	for root, want := range map[uint64][]uint64{0: {1}, 1: {1}, 2: {2}, 3: nil, 4: nil} {
		p, err := e.SSSP(t.Context(), root, o)
		var c *engine.NegativeCycleError
		if want == nil && (err != nil || p.NumReached != 1) || want != nil && (!errors.As(err, &c) || !slices.Equal(c.Cycle, want)) {
			t.Errorf("loops from %d: %v", root, err)
		}
	}
	// A long chain takes as many steps as it has vertices, not supersteps.
	const n = 1 << 18
	w := make([]int32, n-1)
	w[n/2] = -1
	e = weighedEngine(t, wel(true, n, ref.Chain(n), w...), 1, 1, partition.Original)
	p, err := e.SSSP(t.Context(), 0, o)
	if err != nil || engine.DistancesOf[int64](p)[n-1] != -1 || p.NumReached != n {
		t.Errorf("chain: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.SSSP(ctx, 0, o); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestSSSPGraphalytics compares with the expected outputs of LDBC Graphalytics, from vertex 1.
func TestSSSPGraphalytics(t *testing.T) {
	for name, direction := range map[string]graphio.Direction{"example-directed": graphio.Directed, "example-undirected": graphio.Undirected} {
		for parts := 1; parts <= 3; parts++ {
			e := openFile(t, needs.Data(t, "graphalytics", name+".e"), direction, parts)
			p, err := e.SSSP(t.Context(), sources[name], engine.SSSPOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for label, value := range expected(t, name+"-SSSP") {
				want, err := strconv.ParseFloat(strings.Replace(value, "Infinity", "Inf", 1), 64)
				v, wrong := p.ID(label)
				if err := errors.Join(err, wrong); err != nil {
					t.Fatal(err)
				}
				if d, ok := p.Distance(v); ok != !math.IsInf(want, 1) || ok && math.Abs(d-want) > 1e-4*want {
					t.Errorf("%s: distance of %d is %g, %v, want %g", name, label, d, ok, want)
				}
			}
		}
	}
}

// sources are the roots of the examples' outputs.
var sources = map[string]uint64{"example-directed": 1, "example-undirected": 2}

func openFile(t *testing.T, path string, direction graphio.Direction, parts int) *engine.Engine {
	t.Helper()
	f, err := graphio.Open(t.Context(), path, graphio.Options{Direction: direction})
	if err != nil {
		t.Fatal(err)
	}
	e := weighedEngine(t, f.Source, parts, 1, partition.Random)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return e
}

// TestSSSPCases: parallel edges, large, zero and negative weights of known failures.
func TestSSSPCases(t *testing.T) {
	for name, file := range map[string]string{"c06g": "multi.wel", "c09g": "big.wel", "c10g": "neg.wel", "c10g2": "negcycle.wel", "c11g": "zero.wel"} {
		text, err := os.ReadFile(needs.Cases(t, name, "expected.json"))
		var want struct {
			Input   struct{ Directed bool }
			Results struct {
				SSSP struct {
					Source uint64
					Dist   map[uint64]*float64
					Error  string
				}
			}
		}
		if err := errors.Join(err, json.Unmarshal(text, &want)); err != nil {
			t.Fatal(err)
		}
		direction := graphio.Undirected
		if want.Input.Directed {
			direction = graphio.Directed
		}
		for parts := 1; parts <= 3; parts++ {
			e := openFile(t, needs.Cases(t, name, file), direction, parts)
			_, err := e.SSSP(t.Context(), want.Results.SSSP.Source, engine.SSSPOptions{})
			if negative := strings.HasPrefix(name, "c10"); negative != errors.Is(err, engine.ErrWeights) {
				t.Errorf("%s: negative weights %v: %v", name, negative, err)
			}
			p, err := e.SSSP(t.Context(), want.Results.SSSP.Source, engine.SSSPOptions{BellmanFord: true, Parents: true})
			var c *engine.NegativeCycleError
			if want.Results.SSSP.Error != "" {
				if !errors.As(err, &c) || !slices.Equal(c.Cycle, []uint64{1, 2}) {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			if err != nil || len(want.Results.SSSP.Dist) == 0 {
				t.Fatalf("%s: %v", name, err)
			}
			for label, d := range want.Results.SSSP.Dist {
				v, err := p.ID(label)
				got, ok := p.Distance(v)
				if err != nil || ok != (d != nil) || ok && got != *d {
					t.Errorf("%s: distance of %d is %v, %v, want %v", name, label, got, ok, d)
				}
			}
		}
	}
}

// TestSSSPRefused: engines that lack arcs, memory or the program are refused by name, and unit weights are not.
func TestSSSPRefused(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	l := &graph.EdgeList{Vertices: 1 << 12, Directed: true, Edges: ref.Uniform(7, 1<<12, 1<<14)}
	src := weighted(l, 99, int32(1), r)
	for _, director := range []bsp.DirectorName{bsp.DirectorTopDown, bsp.DirectorBottomUp} {
		e := open(t, src, engine.Options{Weights: true, Director: director})
		if _, err := e.SSSP(t.Context(), 0, engine.SSSPOptions{}); !errors.Is(err, kernels.ErrUnsupported) || !strings.Contains(err.Error(), string(director)) {
			t.Errorf("arcs of one direction: %v", err)
		}
		if _, err := e.Components(t.Context()); !errors.Is(err, kernels.ErrUnsupported) {
			t.Errorf("arcs of one direction: components: %v", err)
		}
		p, err := e.SSSP(t.Context(), uint64(l.Edges[0].U), engine.SSSPOptions{UnitWeights: true})
		if _, depth := ref.Reached(ref.Levels(l, l.Edges[0].U)); err != nil || p.NumReached < 2 || slices.Max(finite(p)) != int64(depth) {
			t.Errorf("unit weights: %v", err)
		}
	}
	thin := &graph.EdgeList{Vertices: 1 << 17, Edges: ref.Uniform(7, 1<<17, 1<<16)}
	src = weighted(thin, 99, int32(1), r)
	options := engine.Options{Weights: true, Processors: cpus(slices.Repeat([]int{1}, 16)...)}
	options.MemoryLimit = engine.Need(src, options)
	e := open(t, src, options)
	engine.LimitMemory(e, options.MemoryLimit/2) // not more than without an idle search's state
	if _, err := e.SSSP(t.Context(), 0, engine.SSSPOptions{Parents: true}); !errors.Is(err, engine.ErrMemory) ||
		!strings.Contains(err.Error(), "sssp") {
		t.Errorf("memory: %v", err)
	}
}

// finite are the distances of reached vertices.
func finite(p *engine.SSSPResult) (list []int64) {
	for _, d := range p.All() {
		list = append(list, int64(d))
	}
	return list
}

// TestSSSPEnds: a search ends with its context, in a superstep and between two.
func TestSSSPEnds(t *testing.T) {
	const n = 1 << 21
	src := weighted(&graph.EdgeList{Vertices: n, Edges: ref.Chain(n)}, 9, int32(1), rand.New(rand.NewPCG(9, 10)))
	e := weighedEngine(t, src, 1, 1, partition.Original)
	for _, delta := range []float64{0, 1, math.Inf(1)} {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		start := time.Now()
		if _, err := e.SSSP(ctx, 0, engine.SSSPOptions{Delta: delta}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Delta %v: %v", delta, err)
		}
		if took := time.Since(start); took > time.Second {
			t.Errorf("Delta %v: ends after %v", delta, took)
		}
		cancel()
	}
}

// TestSSSPDense compares with the oracle on graphs with many arcs a vertex, where a single CPU partition defers arcs
// and unsettled vertices pull: it does so in some of the searches with the default Delta.
func TestSSSPDense(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	r := rand.New(rand.NewPCG(5, 6))
	for _, directed := range []bool{false, true} {
		l, err := gen.Make(t.Context(), gen.KroneckerOptions{Scale: 11})
		if err != nil {
			t.Fatal(err)
		}
		l.Directed = directed
		dense[int64](t, weighted(l, 255, int32(1), r), r)
		if raceEnabled {
			continue
		}
		dense[int64](t, weighted(l, 1<<20, int64(1)<<30, r), r)
		dense[float32](t, weighted(l, 1<<24, float32(0.1), r), r)
		dense[float64](t, weighted(l, 999, 0.1, r), r)
	}
}

func dense[T ref.Length](t *testing.T, src *graph.EdgeList, r *rand.Rand) {
	t.Helper()
	searches, pulled := 0, 0
	for _, threads := range []int{1, 2, 4} {
		if raceEnabled && threads != 4 {
			continue
		}
		e, err := engine.New(t.Context(), src, engine.Options{Threads: threads, Weights: true, RunStatistics: true})
		if err != nil {
			t.Fatal(err)
		}
		for k := range 8 {
			edge := src.Edges[r.IntN(len(src.Edges))]
			o := engine.SSSPOptions{Delta: []float64{0, 0, 0, 0, 1e-3, 10, 1e9, math.Inf(1)}[k], Parents: k%2 == 0}
			p, err := e.SSSP(t.Context(), uint64(edge.U), o)
			if err == nil {
				err = checkPaths[T](src, edge.U, p)
			}
			if err != nil {
				t.Fatalf("%v, directed %v, %d threads, from %d, %+v: %v", src.WeightKind(), src.Directed, threads, edge.U, o, err)
			}
			if o.Delta == 0 {
				searches++
				if slices.ContainsFunc(p.Statistics.Levels, func(l record.Level) bool { return l.Processors[0].Kernel == "push/relax/pull" }) {
					pulled++
				}
			}
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if pulled == 0 && !raceEnabled {
		t.Errorf("%v, directed %v: none of %d searches pulled", src.WeightKind(), src.Directed, searches)
	}
}

// TestDeferredSeen ends a push with a bound early: values are those that the model has, arcs deferred or not.
func TestDeferredSeen(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	l, err := gen.Make(t.Context(), gen.KroneckerOptions{Scale: 10})
	if err != nil {
		t.Fatal(err)
	}
	src := weighted(l, 255, int32(1), r)
	e, err := engine.New(t.Context(), src, engine.Options{Threads: 2, Weights: true})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	p := &program.Program{
		Name:   "early",
		Arrays: []program.Array{{Name: "distance", Type: program.I32, Init: program.Top}},
		Edges:  []program.EdgeOp{{Name: "relax", From: 0, To: 0, Map: program.Plus, Combine: program.Min}},
		Vertices: []program.VertexOp{{Name: "sum", Block: func(b *program.Block) {
			dist := program.Of[int32](b, 0)
			for i := range b.Each() {
				b.Sum[0] += float64(dist[i])
			}
		}}},
	}
	root := src.Edges[0].U
	want, reached, _ := ref.ShortestPaths[int64](src, root)
	for _, bound := range []int32{3, 9, 20} {
		for _, look := range []bool{false, true} {
			out, err := e.Run(t.Context(), p, func(m program.Machine) error {
				rank, _, err := e.RankOf(uint64(root))
				if err == nil {
					_, err = m.Seed(rank, 0, 0)
				}
				for below := int32(3); err == nil && below <= bound; below += 3 {
					_, err = m.EdgeMap(0, program.Step{Below: program.Pack(below)})
				}
				if err == nil && look {
					_, _, err = m.VertexMap(0, program.All)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			// A vertex whose best path has all but its last vertex below the bound has its distance.
			dist := engine.ArrayOf[int32](out, 0)
			for i, a := range src.Edges {
				for _, a := range []graph.Edge{a, {U: a.V, V: a.U}} {
					if w := src.Weights.Float64(i); reached[a.U] && a.U != a.V && want[a.U] < int64(bound/3*3) && float64(dist[a.V]) > float64(want[a.U])+w {
						t.Fatalf("bound %d, look %v: %d has %d, over %d it is %v", bound, look, a.V, dist[a.V], a.U, float64(want[a.U])+w)
					}
				}
			}
		}
	}
}
