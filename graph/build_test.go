package graph_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/totemgo/totemgo/graph"
)

// randomList has m records on n vertices, with loops and duplicates.
func randomList(seed uint64, n, m int, directed bool, kind graph.WeightKind) *graph.EdgeList {
	r := rand.New(rand.NewPCG(seed, 1))
	l := &graph.EdgeList{Vertices: n, Directed: directed}
	for range m {
		e := graph.Edge{U: uint32(r.IntN(n)), V: uint32(r.IntN(n))}
		if r.IntN(4) == 0 { // a hub
			e.U = uint32(r.IntN(n)) % 7 % uint32(n)
		}
		if r.IntN(10) == 0 {
			e.V = e.U
		}
		if k := len(l.Edges); k > 0 && r.IntN(5) == 0 {
			e = l.Edges[r.IntN(k)]
			if r.IntN(2) == 0 {
				e.U, e.V = e.V, e.U
			}
		}
		l.Edges = append(l.Edges, e)
	}
	l.Weights = graph.MakeWeights(kind, m)
	switch kind {
	case graph.Int32:
		fillWeights[int32](r, l.Weights)
	case graph.Int64:
		fillWeights[int64](r, l.Weights)
	case graph.Float32:
		fillWeights[float32](r, l.Weights)
	case graph.Float64:
		fillWeights[float64](r, l.Weights)
	}
	return l
}

func fillWeights[T graph.Weight](r *rand.Rand, w graph.Weights) {
	s, _ := graph.WeightsAs[T](w)
	for i := range s {
		s[i] = T(r.IntN(1000) - 500)
	}
}

// want is a CSR built the slow way: for each vertex its arcs as (target, weight).
type wantArc struct {
	target uint32
	weight float64
}

type wantCSR struct {
	rows                     [][]wantArc
	edges, loops, duplicates int64
}

func slowBuild(l *graph.EdgeList, o graph.BuildOptions, flip bool) wantCSR {
	w := wantCSR{rows: make([][]wantArc, l.Vertices)}
	type record struct {
		e graph.Edge
		w float64
	}
	var records []record
	first := map[graph.Edge]int{}
	for i, e := range l.Edges {
		if e.U == e.V && o.Loops == graph.DropLoops {
			continue
		}
		key := e
		if !l.Directed && e.U > e.V {
			key = graph.Edge{U: e.V, V: e.U}
		}
		x := l.Weights.Float64(i)
		at, seen := first[key]
		if !seen {
			first[key] = len(records)
			records = append(records, record{e, x})
			continue
		}
		switch o.Duplicates {
		case graph.KeepDuplicates:
			w.duplicates++
			records = append(records, record{e, x})
		case graph.MergeMin:
			records[at].w = min(records[at].w, x)
		case graph.MergeMax:
			records[at].w = max(records[at].w, x)
		case graph.MergeSum:
			if l.WeightKind() != graph.Unweighted {
				records[at].w += x
			}
		}
	}
	w.edges = int64(len(records))
	for _, r := range records {
		if flip {
			r.e.U, r.e.V = r.e.V, r.e.U
		}
		w.rows[r.e.U] = append(w.rows[r.e.U], wantArc{r.e.V, r.w})
		if r.e.U == r.e.V {
			w.loops++
		} else if !l.Directed {
			w.rows[r.e.V] = append(w.rows[r.e.V], wantArc{r.e.U, r.w})
		}
	}
	for _, row := range w.rows {
		slices.SortStableFunc(row, func(a, b wantArc) int { return int(int64(a.target) - int64(b.target)) })
	}
	return w
}

func checkCSR(t *testing.T, g *graph.CSR, w wantCSR) {
	t.Helper()
	if err := g.Validate(); err != nil {
		t.Error(err)
	}
	if g.NumEdges() != w.edges || g.SelfLoops() != w.loops || g.Duplicates() != w.duplicates {
		t.Errorf("%d edges, %d loops, %d duplicates, want %d, %d, %d",
			g.NumEdges(), g.SelfLoops(), g.Duplicates(), w.edges, w.loops, w.duplicates)
	}
	for v, want := range w.rows {
		row, weights := g.Row(uint32(v)), g.RowWeights(uint32(v))
		var got []wantArc
		for i, target := range row {
			x := 1.0
			if g.WeightKind() != graph.Unweighted {
				x = weights.Float64(i)
			}
			got = append(got, wantArc{target, x})
		}
		if !slices.Equal(got, want) {
			t.Fatalf("row %d is %.200v, want %.200v", v, fmt.Sprint(got), fmt.Sprint(want))
		}
	}
}

func TestBuild(t *testing.T) {
	ctx := context.Background()
	kinds := []graph.WeightKind{graph.Unweighted, graph.Int32, graph.Int64, graph.Float32, graph.Float64}
	for i, size := range [][2]int{{1, 0}, {1, 3}, {2, 5}, {64, 300}, {1000, 100}, {1000, 20000}, {5000, 30000}, {30000, 20000}} {
		for _, directed := range []bool{false, true} {
			kind := kinds[i%len(kinds)]
			l := randomList(uint64(i), size[0], size[1], directed, kind)
			for dup := graph.KeepDuplicates; dup <= graph.MergeSum; dup++ {
				if size[1] >= 20000 && dup != graph.KeepDuplicates && dup != graph.MergeMin {
					continue
				}
				o := graph.BuildOptions{Threads: 1 + i%4, Duplicates: dup, Loops: graph.Loops(dup % 2)}
				t.Run(fmt.Sprintf("n=%d/m=%d/directed=%v/%v/duplicates=%d", size[0], size[1], directed, kind, dup), func(t *testing.T) {
					g, err := graph.Build(ctx, l, o)
					if err != nil {
						t.Fatal(err)
					}
					checkCSR(t, g, slowBuild(l, o, false))
					tr, err := g.Transpose(ctx, 2)
					if err != nil {
						t.Fatal(err)
					}
					if back, _ := tr.Transpose(ctx, 2); back != g {
						t.Error("the transpose of the transpose is another graph")
					}
					if !directed && tr != g {
						t.Error("an undirected graph is not its own transpose")
					}
					if directed {
						checkCSR(t, tr, slowBuild(l, o, true))
					}
					// Building from the CSR gives the same graph again.
					again, err := graph.Build(ctx, g, graph.BuildOptions{Threads: 3})
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(again.Offsets(), g.Offsets()) || !slices.Equal(again.Targets(), g.Targets()) {
						t.Error("the graph built from the CSR differs")
					}
				})
			}
		}
	}
}

func TestBuildErrors(t *testing.T) {
	ctx := context.Background()
	l := &graph.EdgeList{Vertices: 3, Edges: []graph.Edge{{U: 0, V: 3}}}
	if _, err := graph.Build(ctx, l, graph.BuildOptions{}); !errors.Is(err, graph.ErrInvalid) {
		t.Errorf("id out of range: %v", err)
	}
	l = randomList(1, 1000, 10000, false, graph.Float32)
	_, err := graph.Build(ctx, l, graph.BuildOptions{MemoryLimit: 100000})
	var me *graph.MemoryError
	if !errors.As(err, &me) || me.Need < 400000 || me.Limit != 100000 {
		t.Errorf("memory limit: %v", err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := graph.Build(ended, l, graph.BuildOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: %v", err)
	}
	l = &graph.EdgeList{Vertices: 2, Edges: []graph.Edge{{U: 0, V: 1}, {U: 1, V: 0}},
		Weights: graph.WeightsOf([]int32{1 << 30, 1 << 30})}
	if _, err := graph.Build(ctx, l, graph.BuildOptions{Duplicates: graph.MergeSum}); !errors.Is(err, graph.ErrWeightSum) {
		t.Errorf("sum of weights: %v", err)
	}
	for _, w := range []graph.Weights{
		graph.WeightsOf([]float64{math.MaxFloat64, math.MaxFloat64}), graph.WeightsOf([]float32{-math.MaxFloat32, -math.MaxFloat32}),
	} {
		l.Weights = w
		if _, err := graph.Build(ctx, l, graph.BuildOptions{Duplicates: graph.MergeSum}); !errors.Is(err, graph.ErrWeightSum) {
			t.Errorf("sum of %v weights that is infinite: %v", w.Kind(), err)
		}
	}
	for _, c := range []struct {
		w   graph.Weights
		sum float64
	}{
		{graph.WeightsOf([]float64{1e20, -1}), 1e20}, {graph.WeightsOf([]float32{-1, 1e20}), float64(float32(1e20))},
		{graph.WeightsOf([]int32{math.MaxInt32, -1}), math.MaxInt32 - 1}, {graph.WeightsOf([]int64{-5, -6}), -11},
	} {
		l.Weights = c.w
		g, err := graph.Build(ctx, l, graph.BuildOptions{Duplicates: graph.MergeSum})
		if err != nil || g.Weights().Float64(0) != c.sum {
			t.Errorf("sum of %v weights: %v, %v, want %v", c.w.Kind(), g.Weights().Float64(0), err, c.sum)
		}
	}
}

func BenchmarkBuild(b *testing.B) {
	// go test ./graph -bench Build -run -
	for _, kind := range []graph.WeightKind{graph.Unweighted, graph.Float32} {
		for _, threads := range []int{1, 2} {
			l := randomUniform(1<<18, 1<<22)
			l.Weights = graph.MakeWeights(kind, len(l.Edges))
			b.Run(fmt.Sprintf("graph=uniform/vertices=2^18/edges=2^22/weights=%v/threads=%d", kind, threads), func(b *testing.B) {
				for b.Loop() {
					if _, err := graph.Build(context.Background(), l, graph.BuildOptions{Threads: threads}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.N)*(1<<22)/b.Elapsed().Seconds()/1e6, "Medges/s")
			})
		}
	}
}

func BenchmarkValidate(b *testing.B) {
	g, err := graph.Build(context.Background(), randomUniform(1<<18, 1<<22), graph.BuildOptions{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := g.Validate(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*(1<<22)/b.Elapsed().Seconds()/1e6, "Medges/s")
}

func randomUniform(n, m int) *graph.EdgeList {
	r := rand.New(rand.NewPCG(1, 1))
	l := &graph.EdgeList{Vertices: n, Edges: make([]graph.Edge, m)}
	for i := range l.Edges {
		l.Edges[i] = graph.Edge{U: uint32(r.IntN(n)), V: uint32(r.IntN(n))}
	}
	return l
}

// Arbitrary records make the graph that the slow way makes.
func FuzzBuild(f *testing.F) {
	f.Add([]byte{0, 1, 1, 0, 2, 2, 0, 1}, uint8(3), false, true)
	f.Add([]byte{5, 1, 5, 0, 5, 5}, uint8(1), true, false)
	f.Fuzz(func(t *testing.T, ids []byte, duplicates uint8, drop, directed bool) {
		l := &graph.EdgeList{Vertices: 256, Directed: directed}
		var weights []int64
		for i := 0; i+1 < len(ids); i += 2 {
			l.Edges = append(l.Edges, graph.Edge{U: uint32(ids[i]), V: uint32(ids[i+1])})
			weights = append(weights, int64(ids[i])*int64(i%7))
		}
		l.Weights = graph.WeightsOf(weights)
		o := graph.BuildOptions{Threads: 2, Duplicates: graph.Duplicates(duplicates % 5)}
		if drop {
			o.Loops = graph.DropLoops
		}
		g, err := graph.Build(context.Background(), l, o)
		if err != nil {
			t.Fatal(err)
		}
		checkCSR(t, g, slowBuild(l, o, false))
	})
}

func ExampleBuild() {
	list := &graph.EdgeList{Vertices: 3, Edges: []graph.Edge{{U: 0, V: 1}, {U: 1, V: 0}, {U: 2, V: 1}}}
	g, err := graph.Build(context.Background(), list, graph.BuildOptions{Duplicates: graph.MergeFirst})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.NumEdges(), g.NumArcs(), g.Row(1))
	// Output: 2 4 [0 2]
}

func TestEdgeListValidate(t *testing.T) {
	good := func() *graph.EdgeList { return randomList(3, 50, 100, false, graph.Int32) }
	if err := good().Validate(); err != nil {
		t.Error(err)
	}
	for i, spoil := range []func(l *graph.EdgeList){
		func(l *graph.EdgeList) { l.Edges[99].V = 50 },
		func(l *graph.EdgeList) { l.Weights = l.Weights.Slice(0, 99) },
		func(l *graph.EdgeList) { l.Labels = graph.IdentityLabels(51, 0) },
	} {
		l := good()
		spoil(l)
		if err := l.Validate(); !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("case %d: %v", i, err)
		}
	}
	l := good()
	l.Vertices = -1
	if err := l.Validate(); !errors.Is(err, graph.ErrTooManyVertices) {
		t.Error(err)
	}
}
