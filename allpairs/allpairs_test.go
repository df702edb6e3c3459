package allpairs

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugetest"
	"github.com/totemgo/totemgo/internal/ref"
)

// TestKernels: assembly equals its Go twin to the bit, also where tiles begin and end at inaccessible pages.
func TestKernels(t *testing.T) {
	t.Run("int32", testKernels[int32])
	t.Run("float32", testKernels[float32])
	t.Run("float64", testKernels[float64])
}

func testKernels[T Value](t *testing.T) {
	hugetest.Guard(t)
	r := rand.New(rand.NewPCG(1, 2))
	m := newMatrix[T](2*Side, Shortest)
	defer func() { _ = m.Free() }()
	list := sets[T]()
	plain := list[len(list)-1]
	for by := range Algebra(2) {
		for range 5 {
			for i := range m.data {
				if m.data[i] = T(r.IntN(2000)-500) / 4; r.IntN(3) == 0 {
					m.data[i] = far[T](by)
				}
			}
			start := slices.Clone(m.data)
			for _, k := range list {
				for name, op := range map[string]func(kernels[T]){
					"product":        func(k kernels[T]) { k.product[by](m.tile(1, 1), m.tile(1, 0), m.tile(0, 1), m.tile(1, 1), Side) },
					"product, first": func(k kernels[T]) { k.product[by](m.tile(0, 0), m.tile(1, 1), m.tile(1, 1), m.tile(0, 0), Side) },
					"seven terms": func(k kernels[T]) {
						k.product[by](m.tile(0, 0), m.tile(1, 1)[Side-7:], m.tile(1, 1)[tileLen-7*Side:], nil, 7)
					},
					"one, in place": func(k kernels[T]) {
						k.product[by](m.tile(1, 1), m.tile(1, 1)[Side-1:], m.tile(1, 1)[tileLen-Side:], m.tile(1, 1), 1)
					},
					"one, of others": func(k kernels[T]) {
						k.product[by](m.tile(0, 1), m.tile(1, 1)[3:], m.tile(0, 0)[7*Side:], m.tile(1, 1), 1)
					},
				} {
					copy(m.data, start)
					op(plain)
					want := slices.Clone(m.data)
					copy(m.data, start)
					op(k)
					if !slices.Equal(m.data, want) {
						t.Fatalf("%s of %s, algebra %d, differs from plain Go", name, k.name, by)
					}
				}
			}
		}
	}
}

// randomGraph has n vertices and m arcs with whole weights; with negative weights no cycle has one.
func randomGraph(r *rand.Rand, n, m int, directed, negative bool) *graph.EdgeList {
	height := make([]int32, n)
	for v := range height {
		if negative && directed {
			height[v] = int32(r.IntN(40))
		}
	}
	l := &graph.EdgeList{Vertices: n, Directed: directed}
	w := make([]int32, 0, m)
	for range m {
		e := graph.Edge{U: uint32(r.IntN(n)), V: uint32(r.IntN(n))}
		l.Edges = append(l.Edges, e)
		w = append(w, int32(r.IntN(9))*int32(r.IntN(4))+height[e.V]-height[e.U])
	}
	l.Weights = graph.WeightsOf(w)
	return l
}

func build(t testing.TB, l *graph.EdgeList) *graph.CSR {
	t.Helper()
	g, err := graph.Build(context.Background(), l, graph.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// sizes are numbers of vertices about a tile, and about blocks of several.
var sizes = []int{0, 1, 2, 3, 7, 63, 64, 65, 127, 128, 129, 190}

// TestMethods: all methods, kernels and numbers of threads give the distances of a serial search from every
// vertex, with negative arcs, loops, parallel arcs and pairs without a path.
func TestMethods(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for try := range 120 {
		n := sizes[(try+try/len(sizes))%len(sizes)]
		l := &graph.EdgeList{Directed: true, Weights: graph.WeightsOf([]int32{})}
		if n > 0 {
			l = randomGraph(r, n, r.IntN(4*n), r.IntN(3) > 0, r.IntN(2) == 0)
		}
		g := build(t, l)
		oracle := g
		if r.IntN(5) == 0 { // without weights all are 1
			ones := make([]int32, len(l.Edges))
			for i := range ones {
				ones[i] = 1
			}
			l.Weights = graph.WeightsOf(ones)
			oracle = build(t, l)
			l.Weights = graph.Weights{}
			g = build(t, l)
		}
		var want [][]int64
		var reached [][]bool
		for u := range n {
			d, ok, fine := ref.ShortestPaths[int64](oracle, uint32(u))
			if !fine {
				t.Fatal("a negative cycle")
			}
			want, reached = append(want, d), append(reached, ok)
		}
		check := func(u, v int, got float64, unreachable bool) {
			if unreachable == reached[u][v] || !unreachable && int64(got) != want[u][v] {
				t.Fatalf("%d vertices, %d to %d: %v, unreachable %v; want %d, %v", n, u, v, got, unreachable, want[u][v], reached[u][v])
			}
		}
		testMethods[int32](t, r, g, check)
		if try%2 == 0 {
			testMethods[float32](t, r, g, check)
		} else {
			testMethods[float64](t, r, g, check)
		}
	}
}

func testMethods[T Value](t *testing.T, r *rand.Rand, g *graph.CSR, check func(u, v int, got float64, unreachable bool)) {
	names := make([]string, 0, 3)
	for _, k := range sets[T]() {
		names = append(names, k.name)
	}
	for method := Auto; method <= Searches; method++ {
		m, p, err := Solve[T](context.Background(), g, Options{Method: method, Threads: 1 + r.IntN(3), Kernels: names[r.IntN(len(names))]})
		if err != nil {
			t.Fatal(method, err)
		}
		if method != Auto && p.Method != method || p.Method == Auto {
			t.Errorf("%v ran as %v", method, p.Method)
		}
		for u := range g.NumVertices() {
			for v := range g.NumVertices() {
				check(u, v, float64(m.At(u, v)), m.At(u, v) == Unreachable[T](Shortest))
			}
		}
		if err := m.Free(); err != nil {
			t.Error(err)
		}
	}
}

// TestBlocks: a matrix of several blocks of several tiles is right, keeps the triangle inequality,
// and is the same to the bit for every number of threads; sums of floats are within n roundings of Dijkstra's.
func TestBlocks(t *testing.T) {
	testBlocks(t, 1100, Blocked)
	testBlocks(t, 330, Naive, Squaring)
}

func testBlocks(t *testing.T, n int, methods ...Method) {
	r := rand.New(rand.NewPCG(5, 6))
	l := randomGraph(r, n, 8*n, true, false)
	w := make([]float32, len(l.Edges))
	for i := range w {
		w[i] = r.Float32()
	}
	l.Weights = graph.WeightsOf(w)
	g := build(t, l)
	solve := func(method Method, threads int) *Matrix[float32] {
		m, _, err := Solve[float32](context.Background(), g, Options{Method: method, Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = m.Free() })
		return m
	}
	want := solve(Searches, 2)
	for _, method := range methods {
		m := solve(method, 2)
		if !slices.Equal(m.data, solve(method, 1).data) {
			t.Errorf("%v: one thread and two differ", method)
		}
		for u := range m.n {
			for v := range m.n {
				if x, y := m.At(u, v), want.At(u, v); x != y && !(math.Abs(float64(x-y)) <= 30*0x1p-24*float64(y)) {
					t.Fatalf("%v: %v from %d to %d, of a search %v", method, x, u, v, y)
				}
			}
		}
		for range 100_000 {
			u, v, x := r.IntN(m.n), r.IntN(m.n), r.IntN(m.n)
			if through := m.At(u, v) + m.At(v, x); m.At(u, x) > through*(1+1e-6) {
				t.Fatalf("%v: %v from %d to %d, %v through %d", method, m.At(u, x), u, x, through, v)
			}
		}
	}
}

// TestWidest: the largest least weight, against the definition by thresholds.
func TestWidest(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for try := range 60 {
		n := sizes[2+try%(len(sizes)-2)]
		l := randomGraph(r, n, 2*n, try%2 == 0, false)
		g := build(t, l)
		for method := Blocked; method <= Searches; method++ {
			m, _, err := Solve[int32](context.Background(), g, Options{Method: method, Algebra: Widest})
			if err != nil {
				t.Fatal(err)
			}
			u, least := r.IntN(n), int32(r.IntN(20))
			// The vertices that u reaches over arcs of at least that weight.
			wide := &graph.EdgeList{Vertices: n, Directed: l.Directed}
			weights, _ := graph.WeightsAs[int32](l.Weights)
			for i, e := range l.Edges {
				if weights[i] >= least {
					wide.Edges = append(wide.Edges, e)
				}
			}
			for v, level := range ref.Levels(wide, uint32(u)) {
				if (level >= 0) != (m.At(u, v) >= least) {
					t.Fatalf("%v: width %d from %d to %d, where arcs of %d or more give level %d", method, m.At(u, v), u, v, least, level)
				}
			}
			_ = m.Free()
		}
	}
}

// TestPredecessors: every path from the predecessors has the distance as its length, up to roundings, or the width
// as its least weight; of integers all methods and numbers of threads name the same vertices.
func TestPredecessors(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for try := range 35 {
		n := sizes[1+try%(len(sizes)-1)]
		l := randomGraph(r, n, r.IntN(5*n), r.IntN(3) > 0, r.IntN(2) == 0)
		if try%5 == 0 {
			l.Weights = graph.Weights{}
		}
		by := Algebra(try % 7 / 6)
		testPredecessors[int32](t, r, l, by)
		if w, _ := graph.WeightsAs[int32](l.Weights); len(w) > 0 && slices.Min(w) >= 0 {
			floats := make([]float32, len(w))
			for i := range w {
				floats[i] = float32(w[i]) / 7
			}
			l.Weights = graph.WeightsOf(floats)
		}
		testPredecessors[float32](t, r, l, by)
	}
}

func testPredecessors[T Value](t *testing.T, r *rand.Rand, l *graph.EdgeList, by Algebra) {
	g := build(t, l)
	n := g.NumVertices()
	a, err := newArcs[T](context.Background(), g, by, 1)
	if err != nil {
		t.Fatal(err)
	}
	largest := T(1)
	for _, w := range a.weights {
		largest = max(largest, w, -w)
	}
	var first []int32
	for method := Blocked; method <= Searches; method++ {
		m, _, err := Solve[T](context.Background(), g, Options{Method: method, Algebra: by, Predecessors: true, Threads: 1 + r.IntN(3)})
		if err != nil {
			t.Fatal(method, err)
		}
		for range 300 {
			u, v := r.IntN(n), r.IntN(n)
			path, d := m.Path(u, v), m.At(u, v)
			if (path == nil) != (d == Unreachable[T](by)) || path != nil && (path[0] != uint32(u) || path[len(path)-1] != uint32(v)) {
				t.Fatalf("%v: path %v from %d to %d, distance %v", method, path, u, v, d)
			}
			if path == nil {
				continue
			}
			length := own[T](by)
			for i, x := range path[1:] {
				least := far[T](by)
				for k, y := range g.Row(path[i]) {
					if w := a.weight(g.Offsets()[path[i]] + uint64(k)); y == x && (by == Shortest && w < least || by == Widest && w > least) {
						least = w
					}
				}
				if by == Shortest {
					length += least
				} else {
					length = min(length, least)
				}
			}
			if off := math.Abs(float64(length - d)); off > 8*float64(n)*rounding[T]()*float64(largest) {
				t.Fatalf("%v, algebra %d: path %v has length %v, want %v", method, by, path, length, d)
			}
		}
		if first == nil {
			first = slices.Clone(m.before.S)
		}
		if rounding[T]() == 0 && !slices.Equal(first, m.before.S) {
			t.Fatalf("%v names other predecessors", method)
		}
		seen := make([]bool, n)
		_, err = Rows(context.Background(), g, Options{Method: method, Algebra: by, Predecessors: true, Threads: 1}, func(_ int, x Row[T]) error {
			row := make([]T, n)
			m.Row(int(x.From), row)
			if seen[x.From] = true; !slices.Equal(x.Distances, row) || !slices.Equal(x.Predecessors, m.Predecessors(int(x.From))) {
				t.Fatalf("%v: row %+v differs from the matrix", method, x)
			}
			return nil
		})
		if err != nil || slices.Contains(seen, false) {
			t.Fatal(method, err)
		}
		if err := m.Free(); err != nil {
			t.Error(err)
		}
	}
}

// TestNegativeCycle: every method names a cycle whose arcs exist and whose weight is negative.
func TestNegativeCycle(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for try := range 60 {
		n := sizes[3+try%(len(sizes)-3)]
		l := randomGraph(r, n, 4*n, true, true)
		w, _ := graph.WeightsAs[int32](l.Weights)
		l.Edges = append(l.Edges, graph.Edge{U: 1, V: 2}, graph.Edge{U: 2, V: 1})
		w = append(w, 3, -4)
		if try%10 == 0 {
			l.Edges, w = append(l.Edges, graph.Edge{U: 0, V: 0}), append(w, -1)
		}
		l.Weights = graph.WeightsOf(w)
		g := build(t, l)
		for method := Auto; method <= Searches; method++ {
			_, _, err := Solve[int32](context.Background(), g, Options{Method: method})
			var cycle *NegativeCycleError
			if !errors.As(err, &cycle) {
				t.Fatalf("%v: %v, want a negative cycle", method, err)
			}
			sum := int32(0)
			for i, u := range cycle.Cycle {
				v, best := cycle.Cycle[(i+1)%len(cycle.Cycle)], int32(math.MaxInt32)
				for k, e := range l.Edges {
					if uint64(e.U) == u && uint64(e.V) == v {
						best = min(best, w[k])
					}
				}
				sum += best
			}
			if sum >= 0 {
				t.Fatalf("%v: the cycle %v has weight %d", method, cycle.Cycle, sum)
			}
		}
	}
}

// TestNegativeTour: a negative cycle through all vertices is found, whose number of arcs is more than a path has.
func TestNegativeTour(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5, 8, 9, 17, 65, 129} {
		l, w := &graph.EdgeList{Vertices: n, Directed: true}, make([]int32, n)
		for v := range n {
			l.Edges = append(l.Edges, graph.Edge{U: uint32(v), V: uint32((v + 1) % n)})
		}
		w[n/2] = -1
		l.Weights = graph.WeightsOf(w)
		for method := Auto; method <= Searches; method++ {
			var cycle *NegativeCycleError
			if _, _, err := Solve[int32](context.Background(), build(t, l), Options{Method: method}); !errors.As(err, &cycle) || len(cycle.Cycle) != n {
				t.Errorf("%d vertices, %v: %v", n, method, err)
			}
		}
	}
}

// TestZero: −0 of a file becomes 0, also where sums of opposite weights are 0; a NaN is refused (TestRefusals).
func TestZero(t *testing.T) {
	w := []float64{math.Copysign(0, -1), math.Copysign(0, -1), 2, -2}
	g := build(t, &graph.EdgeList{Vertices: 4, Directed: true, Weights: graph.WeightsOf(w),
		Edges: []graph.Edge{{U: 0, V: 1}, {U: 1, V: 0}, {U: 1, V: 2}, {U: 2, V: 3}}})
	for method := Blocked; method <= Searches; method++ {
		m, _, err := Solve[float64](context.Background(), g, Options{Method: method})
		if err != nil {
			t.Fatal(err)
		}
		for u := range 4 {
			for v := range 4 {
				if d := m.At(u, v); math.Signbit(d) && d == 0 || d != d {
					t.Errorf("%v: %v from %d to %d", method, d, u, v)
				}
			}
		}
		if m.At(0, 3) != 0 || m.At(2, 3) != -2 {
			t.Errorf("%v: %v, %v", method, m.At(0, 3), m.At(2, 3))
		}
		_ = m.Free()
	}
}

// TestSummary: of a matrix and of rows, against the definition.
func TestSummary(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for try := range 40 {
		n := sizes[1+try%(len(sizes)-1)]
		g := build(t, randomGraph(r, n, r.IntN(6*n), try%2 == 0, false))
		for _, method := range []Method{Blocked, Searches} {
			o := Options{Method: method, Threads: 1 + try%3}
			b := NewSummarizer[int32](n, o)
			if _, err := Rows(context.Background(), g, o, b.Add); err != nil {
				t.Fatal(err)
			}
			s := b.Summary()
			pairs, sum, diameter := int64(0), 0.0, 0.0
			histogram := map[int64]int64{}
			for u := range n {
				d, reached, _ := ref.ShortestPaths[int64](g, uint32(u))
				largest := 0.0
				for v := range d {
					if v != u && reached[v] {
						pairs, sum, largest = pairs+1, sum+float64(d[v]), max(largest, float64(d[v]))
						histogram[d[v]]++
					}
				}
				if s.Eccentricities[u] != largest {
					t.Fatalf("%v: eccentricity %v of %d, want %v", method, s.Eccentricities[u], u, largest)
				}
				diameter = max(diameter, largest)
			}
			if s.Pairs != pairs || s.Diameter != diameter || pairs > 0 && math.Abs(s.Average-sum/float64(pairs)) > 1e-9*s.Average ||
				s.Connected != (pairs == int64(n*(n-1))) {
				t.Fatalf("%v: %+v, want %d pairs, average %v, diameter %v", method, s, pairs, sum/float64(pairs), diameter)
			}
			for d, x := range s.Histogram {
				if histogram[int64(d)] != x {
					t.Fatalf("%v: %d pairs at distance %d, want %d", method, x, d, histogram[int64(d)])
				}
				delete(histogram, int64(d))
			}
			if len(histogram) > 0 {
				t.Fatalf("%v: distances without a bar: %v", method, histogram)
			}
		}
	}
}

// TestRefusals: weights that do not fit, too little memory, bad options, an ended context.
func TestRefusals(t *testing.T) {
	ctx := context.Background()
	one := func(w graph.Weights) *graph.CSR {
		return build(t, &graph.EdgeList{Vertices: 3, Directed: true, Edges: []graph.Edge{{U: 0, V: 1}}, Weights: w})
	}
	for _, g := range []*graph.CSR{one(graph.WeightsOf([]int64{1 << 40})), one(graph.WeightsOf([]float64{math.NaN()})),
		one(graph.WeightsOf([]float64{math.Inf(1)})), one(graph.WeightsOf([]float32{0.5})), one(graph.WeightsOf([]float64{0.5}))} {
		for method := Auto; method <= Searches; method++ {
			var e *WeightError
			if _, _, err := Solve[int32](ctx, g, Options{Method: method}); !errors.As(err, &e) || e.From != 0 || e.To != 1 {
				t.Errorf("%v: %v", method, err)
			}
		}
	}
	g := one(graph.Weights{})
	if _, _, err := Solve[int32](ctx, g, Options{Method: Blocked, MemoryLimit: 1000}); !errors.Is(err, graph.ErrMemory) {
		t.Errorf("little memory: %v", err)
	}
	for _, o := range []Options{{Method: Searches + 1}, {Algebra: 2}, {Threads: -1}, {Kernels: "none"}} {
		if _, _, err := Solve[int32](ctx, g, o); !errors.Is(err, ErrOptions) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	for _, c := range []struct {
		ctx context.Context
		g   *graph.CSR
	}{{nil, g}, {ctx, nil}} {
		_, _, err := Solve[int32](c.ctx, c.g, Options{})
		_, err2 := Rows(c.ctx, c.g, Options{}, func(int, Row[int32]) error { return nil })
		if !errors.Is(err, ErrOptions) || !errors.Is(err2, ErrOptions) {
			t.Errorf("no context or no graph: %v, %v", err, err2)
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for method := Auto; method <= Searches; method++ {
		if _, _, err := Solve[float64](ended, g, Options{Method: method}); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: %v", method, err)
		}
	}
}

// TestNarrow: rows of float64 are those of the float64 matrix to the bit, whether float32 holds the sums (whole weights
// and their negatives below 2^24) or not, also of widest paths and with predecessors.
func TestNarrow(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	for _, c := range []struct {
		scale  float64
		narrow bool
	}{{1, true}, {1 << 10, true}, {1 << 14, false}, {0.3, false}} {
		l := randomGraph(r, 130, 700, true, c.scale >= 1)
		w := make([]float64, len(l.Edges))
		whole, _ := graph.WeightsAs[int32](l.Weights)
		for i, x := range whole {
			w[i] = c.scale * float64(x)
		}
		l.Weights = graph.WeightsOf(w)
		g := build(t, l)
		for by := range Algebra(2) {
			o := Options{Method: Blocked, Algebra: by, Predecessors: c.scale == 1, Threads: 2}
			m, _, err := Solve[float64](context.Background(), g, o)
			if err != nil {
				t.Fatal(err)
			}
			p, err := Rows(context.Background(), g, o, func(_ int, x Row[float64]) error {
				row := make([]float64, m.n)
				m.Row(int(x.From), row)
				if !slices.Equal(row, x.Distances) || !slices.Equal(x.Predecessors, m.Predecessors(int(x.From))) {
					t.Errorf("scale %v, algebra %d: row %d differs", c.scale, by, x.From)
				}
				return nil
			})
			if err != nil || strings.HasSuffix(p.Kernels, ", float32") != c.narrow {
				t.Errorf("scale %v: %+v, %v", c.scale, p, err)
			}
			_ = m.Free()
		}
	}
}
