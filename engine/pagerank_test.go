package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/graphio"
	"github.com/totemgo/totemgo/internal/needs"
	"github.com/totemgo/totemgo/internal/ref"
)

// ranking is a case of PageRank with its oracle.
type ranking struct {
	name string
	o    engine.PageRankOptions
	ref  ref.Ranking
}

// rankings are random cases for a graph. Start has few vertices, isolated ones too.
func rankings(l *graph.EdgeList, rng *rand.Rand) []ranking {
	n := l.Vertices
	start, warm, ids := make([]float64, n), make([]float64, n), map[uint64]float64{}
	for range 1 + rng.IntN(3) {
		start[rng.IntN(n)] = 0.5 + rng.Float64()
	}
	for v := range warm {
		warm[v] = float64(rng.IntN(3)) + 0.25
	}
	labels := l.VertexLabels()
	for v, x := range start {
		if x > 0 {
			ids[labels.Label(uint32(v))] = x
		}
	}
	given := slices.Clone(warm)
	scale(start)
	scale(warm)
	const d, iterations = 0.7, 9
	o := engine.PageRankOptions{Damping: d, MaxIterations: iterations, Tolerance: -1}
	r := ref.Ranking{Damping: d, Iterations: iterations}
	list := []ranking{{"alike", o, r}}
	add := func(name string, change func(c *ranking)) {
		c := ranking{name, o, r}
		change(&c)
		list = append(list, c)
	}
	add("drop", func(c *ranking) { c.o.Dangling, c.ref.Drop = engine.DanglingDrop, true })
	add("start", func(c *ranking) { c.o.Start, c.ref.Start = ids, start })
	add("warm", func(c *ranking) { c.o.Warm, c.ref.Warm = given, warm })
	add("all", func(c *ranking) {
		c.o.Dangling, c.ref.Drop = engine.DanglingDrop, true
		c.o.Start, c.ref.Start = ids, start
		c.o.Warm, c.ref.Warm = given, warm
	})
	add("float32", func(c *ranking) { c.o.Float32, c.o.Start, c.ref.Start = true, ids, start })
	return list
}

// scale makes values add up to 1.
func scale(values []float64) {
	total := sum(values)
	for i := range values {
		values[i] /= total
	}
}

func sum(values []float64) (s float64) {
	for _, x := range values {
		s += x
	}
	return s
}

// TestRankings compares with the oracle: within 1e-12 on every placement, the same bits for every
// thread count.
func TestRankings(t *testing.T) {
	rng := rand.New(rand.NewPCG(26, 12))
	for _, g := range ref.Corpus() {
		if g.List.Vertices == 0 {
			continue
		}
		cases := rankings(g.List, rng)
		bits := map[string][]float64{}
		onPlacements(t, g.List, func(name string, e *engine.Engine) {
			for _, c := range cases {
				want := c.ref.Of(g.List)
				r, err := e.PageRank(t.Context(), c.o)
				if err != nil {
					t.Fatalf("%s, %s on %s: %v", c.name, g.Name, name, err)
				}
				most := 1e-12
				if c.o.Float32 {
					most = 1e-6
				}
				for v := range want {
					if !(math.Abs(r.Ranks[v]-want[v]) <= most) {
						t.Fatalf("%s, %s on %s: rank of %d is %g, want %g", c.name, g.Name, name, v, r.Ranks[v], want[v])
					}
				}
				if total := sum(r.Ranks); c.o.Dangling != engine.DanglingDrop && math.Abs(total-1) > most {
					t.Errorf("%s, %s on %s: ranks add up to %v", c.name, g.Name, name, total)
				}
				if processors, policy, _ := strings.Cut(name, " "); !strings.Contains(processors, ",") {
					key := fmt.Sprint(c.name, policy)
					if first := bits[key]; first != nil && !slices.Equal(first, r.Ranks) {
						t.Errorf("%s, %s on %s: ranks depend on the number of threads", c.name, g.Name, name)
					}
					bits[key] = r.Ranks
				}
			}
		})
	}
}

// TestRankArguments: what PageRank refuses, each by its reason.
func TestRankArguments(t *testing.T) {
	l := &graph.EdgeList{Vertices: 3, Edges: []graph.Edge{{U: 0, V: 1}}, Labels: graph.IdentityLabels(3, 10)}
	e := open(t, l, engine.Options{})
	for want, o := range map[string]engine.PageRankOptions{
		"damping 1":                   {Damping: 1},
		"tolerance NaN":               {Tolerance: math.NaN()},
		"no method":                   {Method: "push"},
		"no dangling rule":            {Dangling: "keep"},
		"Start of vertex 11 is -1":    {Start: map[uint64]float64{10: 2, 11: -1}},
		"Start of vertex 10 is NaN":   {Start: map[uint64]float64{10: math.NaN()}},
		"Start of vertex 10 is +Inf":  {Start: map[uint64]float64{10: math.Inf(1)}},
		"Start add up to 0":           {Start: map[uint64]float64{10: 0}},
		"no such vertex: 9":           {Start: map[uint64]float64{9: 1}},
		"Start add up to 0 ":          {Start: map[uint64]float64{}},
		"Warm has 2 ranks":            {Warm: make([]float64, 2)},
		"Warm add up to 0":            {Warm: make([]float64, 3)},
		"Warm of vertex 12 is -0.5":   {Warm: []float64{1, 1, -0.5}},
		"Warm add up to +Inf":         {Warm: []float64{math.MaxFloat64, math.MaxFloat64, 1}},
		"Warm add up to 5e-324":       {Warm: []float64{math.SmallestNonzeroFloat64, 0, 0}},
		"Float32 is for method pull":  {Float32: true, Multi: true},
		"method delta needs a tolera": {Method: engine.PageRankDelta, Tolerance: -1},
	} {
		_, err := e.PageRank(t.Context(), o)
		if !errors.Is(err, engine.ErrArgument) || !strings.Contains(err.Error(), strings.TrimSpace(want)) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

// TestRankMulti counts loops and parallel arcs as networkx does: every copy of an arc carries a part
// of its own, a loop carries one back.
func TestRankMulti(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 12))
	loops, copies := 0, 0
	for _, g := range ref.Corpus() {
		if g.List.Vertices == 0 {
			continue
		}
		l := *g.List
		l.Edges = slices.Clone(l.Edges)
		for range len(l.Edges) / 3 {
			e := l.Edges[rng.IntN(len(l.Edges))]
			if l.Edges = append(l.Edges, e); rng.IntN(3) == 0 {
				l.Edges = append(l.Edges, graph.Edge{U: e.U, V: e.U})
				loops++
			}
			copies++
		}
		if rng.IntN(2) == 0 { // of a vertex without other arcs, perhaps
			v := uint32(rng.IntN(l.Vertices))
			l.Edges = append(l.Edges, graph.Edge{U: v, V: v}, graph.Edge{U: v, V: v})
		}
		if l.Weights = (graph.Weights{}); rng.IntN(2) == 0 {
			l.Weights = graph.MakeWeights(graph.Float32, len(l.Edges)) // not read
		}
		cases := rankings(&l, rng)
		for _, processors := range []string{"cpu:2", "cpu:1,cpu:2"} {
			list, err := engine.ParseProcessors(processors)
			if err != nil {
				t.Fatal(err)
			}
			e := open(t, &l, engine.Options{Processors: list, Multiplicities: true})
			for _, c := range cases {
				if c.o.Float32 {
					continue
				}
				c.o.Multi, c.ref.Multi = true, true
				want := c.ref.Of(&l)
				r, err := e.PageRank(t.Context(), c.o)
				if err != nil {
					t.Fatalf("%s, %s on %s: %v", c.name, g.Name, processors, err)
				}
				for v := range want {
					if !(math.Abs(r.Ranks[v]-want[v]) <= 1e-12) {
						t.Fatalf("%s, %s on %s: rank of %d is %g, want %g", c.name, g.Name, processors, v, r.Ranks[v], want[v])
					}
				}
			}
			want := ref.PageRank(&l, 0.85, 5)
			r, err := e.PageRank(t.Context(), engine.PageRankOptions{MaxIterations: 5, Tolerance: -1})
			if err != nil {
				t.Fatal(err)
			}
			for v := range want {
				if !(math.Abs(r.Ranks[v]-want[v]) <= 1e-12) {
					t.Fatalf("%s on %s, simple: rank of %d is %g, want %g", g.Name, processors, v, r.Ranks[v], want[v])
				}
			}
		}
	}
	if loops < 10 || copies < 100 {
		t.Errorf("%d loops, %d copies", loops, copies)
	}
}

// TestRankDelta: method delta is within 1e-9 of pull on every placement, and the bound that a
// Tolerance states holds for both.
func TestRankDelta(t *testing.T) {
	rng := rand.New(rand.NewPCG(28, 12))
	for n, g := range ref.Corpus() {
		if g.List.Vertices == 0 || raceEnabled && n%7 != 0 {
			continue
		}
		cases := rankings(g.List, rng)
		onPlacements(t, g.List, func(name string, e *engine.Engine) {
			for _, c := range cases {
				if c.o.Warm != nil || c.o.Float32 {
					continue
				}
				c.ref.Iterations = 90 // 0.7^90 is 1e-14
				exact := c.ref.Of(g.List)
				ranks := map[engine.PageRankMethod][]float64{}
				for _, tolerance := range []float64{1e-3, 1e-11} {
					for _, method := range []engine.PageRankMethod{engine.PageRankPull, engine.PageRankDelta} {
						c.o.Method, c.o.MaxIterations, c.o.Tolerance = method, 1000, tolerance
						r, err := e.PageRank(t.Context(), c.o)
						if err != nil || !r.Converged || !(r.Change < tolerance) {
							t.Fatalf("%s, %s, %s on %s: %v, %+v", method, c.name, g.Name, name, err, r)
						}
						off := 0.0
						for v, x := range r.Ranks {
							if off += math.Abs(x - exact[v]); x < 0 {
								t.Errorf("%s, %s, %s on %s: rank of %d is %g", method, c.name, g.Name, name, v, x)
							}
						}
						if bound := r.Change*c.o.Damping/(1-c.o.Damping) + 1e-12; off > bound {
							t.Errorf("%s, %s, %s on %s: off by %g, the bound is %g", method, c.name, g.Name, name, off, bound)
						}
						ranks[method] = r.Ranks
					}
				}
				for v, x := range ranks[engine.PageRankPull] {
					if d := ranks[engine.PageRankDelta][v]; !(math.Abs(d-x) <= 1e-9) {
						t.Fatalf("%s, %s on %s: rank of %d is %g by delta, %g by pull", c.name, g.Name, name, v, d, x)
					}
				}
			}
		})
	}
}

// readRanks reads a case of PageRank: its arcs and what is expected.
func readRanks(t *testing.T, id string) (l *graph.EdgeList, want map[string]any) {
	t.Helper()
	var c struct {
		Vertices int
		Edges    [][2]uint32
	}
	text, err := os.ReadFile(needs.Cases(t, id, "expected.json"))
	if err := errors.Join(err, json.Unmarshal(text, &c), json.Unmarshal(text, &want)); err != nil {
		t.Fatal(err)
	}
	l = &graph.EdgeList{Vertices: c.Vertices, Directed: want["input"].(map[string]any)["directed"].(bool)}
	for _, e := range c.Edges {
		l.Edges = append(l.Edges, graph.Edge{U: e[0], V: e[1]})
	}
	return l, want
}

// distance is the sum of differences (L1) from expected ranks, by id.
func distance(r *engine.PageRankResult, want any) (off float64) {
	for id, x := range r.All() {
		off += math.Abs(x - want.(map[string]any)[fmt.Sprint(id)].(float64))
	}
	return off
}

var methodsOfRank = []engine.PageRankMethod{engine.PageRankPull, engine.PageRankDelta}

// TestRankCases: a chain into a sink, spread and dropped, and small graphs of other cases.
func TestRankCases(t *testing.T) {
	for _, id := range []string{"c26g", "c37g", "c38g"} {
		l, want := readRanks(t, id)
		e := open(t, l, engine.Options{Processors: cpus(1, 1)})
		results := want["results"].(map[string]any)
		for _, method := range methodsOfRank {
			for key, rule := range map[string]engine.DanglingRule{"pagerank": engine.DanglingSpread, "gap_style": engine.DanglingDrop} {
				if results[key] == nil {
					continue
				}
				r, err := e.PageRank(t.Context(), engine.PageRankOptions{Method: method, Dangling: rule, Tolerance: 1e-14, MaxIterations: 1000})
				if err != nil || !r.Converged {
					t.Fatalf("%s: %v", id, err)
				}
				if off := distance(r, results[key]); off > 1e-12 {
					t.Errorf("%s, %s, %s: off by %g: %v", id, method, key, off, r.Ranks)
				}
			}
		}
	}
}

// TestRankTolerance: a change below ε means at most ε·d/(1−d) from the exact ranks, and a result that
// has not got there says so.
func TestRankTolerance(t *testing.T) {
	l, want := readRanks(t, "c26g2")
	e := open(t, l, engine.Options{Processors: cpus(2)})
	exact := want["results"].(map[string]any)["pagerank"]
	bounds := want["bounds"].([]any)
	for _, method := range methodsOfRank {
		last := 0
		for _, b := range bounds {
			eps, most := b.(map[string]any)["eps"].(float64), b.(map[string]any)["max_L1_error"].(float64)
			r, err := e.PageRank(t.Context(), engine.PageRankOptions{Method: method, Tolerance: eps, MaxIterations: 1000})
			if err != nil || !r.Converged || r.Change >= eps || r.Iterations <= last {
				t.Fatalf("%s: %g after %d iterations: %v, %v", method, r.Change, r.Iterations, r.Converged, err)
			}
			if off := distance(r, exact); off > most {
				t.Errorf("%s, tolerance %g: off by %g, at most %g is right", method, eps, off, most)
			}
			last = r.Iterations
			r, err = e.PageRank(t.Context(), engine.PageRankOptions{Method: method, Tolerance: eps, MaxIterations: last - 1})
			if err != nil || r.Converged || r.Change < eps || r.Iterations != last-1 {
				t.Errorf("%s: %d of %d iterations: converged %v, %v", method, r.Iterations, last, r.Converged, err)
			}
		}
	}
}

// TestRankWiki: ranks of wiki-Vote are those of the oracle, and vertex 4037 is the first, as in
// Stanford's examples.
func TestRankWiki(t *testing.T) {
	f, err := graphio.Open(t.Context(), needs.Data(t, "wiki-Vote.txt"), graphio.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	e := open(t, f.Source, engine.Options{Processors: cpus(1, 1)})
	want := ref.PageRank(f.Source, 0.85, 150)
	for _, o := range []engine.PageRankOptions{{Tolerance: 1e-13, MaxIterations: 1000}, {Tolerance: 1e-11, Method: engine.PageRankDelta}, {Float32: true}} {
		r, err := e.PageRank(t.Context(), o)
		if err != nil || !r.Converged {
			t.Fatal(err)
		}
		first := 0
		for v := range want {
			if math.Abs(r.Ranks[v]-want[v]) > max(1e-12, 10*o.Tolerance) && !o.Float32 || math.Abs(r.Ranks[v]-want[v]) > 1e-5 {
				t.Fatalf("%+v: rank of %d is %g, want %g", o, r.Label(uint32(v)), r.Ranks[v], want[v])
			}
			if r.Ranks[v] > r.Ranks[first] {
				first = v
			}
		}
		if r.Label(uint32(first)) != 4037 {
			t.Errorf("%+v: %d is first, with %g", o, r.Label(uint32(first)), r.Ranks[first])
		}
	}
}

// TestRankEnds: no vertices, no arcs, a warm start, the end of the context, what Multi needs.
func TestRankEnds(t *testing.T) {
	e := open(t, &graph.EdgeList{}, engine.Options{})
	if r, err := e.PageRank(t.Context(), engine.PageRankOptions{}); err != nil || len(r.Ranks) != 0 || !r.Converged {
		t.Errorf("no vertices: %v", err)
	}
	e = open(t, &graph.EdgeList{Vertices: 5, Edges: []graph.Edge{{U: 2, V: 2}}}, engine.Options{})
	for _, method := range methodsOfRank {
		r, err := e.PageRank(t.Context(), engine.PageRankOptions{Method: method})
		if err != nil || !r.Converged || slices.ContainsFunc(r.Ranks, func(x float64) bool { return math.Abs(x-0.2) > 1e-15 }) {
			t.Errorf("no arcs, %s: %v", method, err)
		}
		r, err = e.PageRank(t.Context(), engine.PageRankOptions{Method: method, Start: map[uint64]float64{1: 3, 3: 1}})
		if err != nil || !r.Converged || !near(r.Ranks, []float64{0, 0.75, 0, 0.25, 0}, 1e-5) {
			t.Errorf("no arcs, %s, from 1 and 3: %v", method, err)
		}
	}
	l := &graph.EdgeList{Vertices: 1000, Directed: true, Edges: ref.Uniform(3, 1000, 5000)}
	e = open(t, l, engine.Options{Processors: cpus(2), RunStatistics: true})
	cold, err := e.PageRank(t.Context(), engine.PageRankOptions{Tolerance: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	warm, err := e.PageRank(t.Context(), engine.PageRankOptions{Tolerance: 1e-9, Warm: cold.Ranks})
	if err != nil || warm.Iterations >= cold.Iterations/2 || !warm.Converged {
		t.Errorf("warm: %d iterations, cold %d: %v", warm.Iterations, cold.Iterations, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.PageRank(ctx, engine.PageRankOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	at := time.Now()
	_, err = e.PageRank(ctx, engine.PageRankOptions{Tolerance: -1, MaxIterations: math.MaxInt})
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(at) > 5*time.Second {
		t.Errorf("cancelled while it runs: %v", err)
	}
	many := engine.Need(l, engine.Options{Multiplicities: true})
	if _, err := engine.New(t.Context(), l, engine.Options{Multiplicities: true, MemoryLimit: many - 1}); !errors.Is(err, engine.ErrMemory) {
		t.Errorf("%d bytes for multiplicities: %v", many-1, err)
	}
	if _, err := e.PageRank(t.Context(), engine.PageRankOptions{Multi: true}); !errors.Is(err, engine.ErrArgument) ||
		!strings.Contains(err.Error(), "Options.Multiplicities") {
		t.Errorf("Multi without Multiplicities: %v", err)
	}
}

// near reports that values differ by at most some.
func near(a, b []float64, most float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= most })
}
