package engine_test

import (
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/graphio"
	"github.com/totemgo/totemgo/internal/needs"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/partition"
	"github.com/totemgo/totemgo/program"
	"github.com/totemgo/totemgo/record"
)

// onPlacements calls f with an engine of g for lists of processors and placements.
func onPlacements(t *testing.T, g graph.Source, f func(name string, e *engine.Engine)) {
	t.Helper()
	for _, processors := range []string{"cpu:1", "cpu:3", "cpu:1,cpu:2", "cpu:2,cpu:1,cpu:1,cpu:1"} {
		for _, policy := range []partition.Policy{partition.HubsOnCPU, partition.Random} {
			list, err := engine.ParseProcessors(processors)
			if err != nil {
				t.Fatal(err)
			}
			e, err := engine.New(context.Background(), g, engine.Options{Processors: list, Placement: policy})
			if err != nil {
				t.Fatal(err)
			}
			f(processors+" "+string(policy), e)
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestPageRank(t *testing.T) {
	const iterations = 12
	for _, g := range ref.Corpus() {
		if g.List.Vertices == 0 {
			continue
		}
		want := ref.PageRank(g.List, 0.85, iterations)
		bits := map[string][]float64{} // by placement, for every thread count
		onPlacements(t, g.List, func(name string, e *engine.Engine) {
			r, err := e.PageRank(context.Background(), engine.PageRankOptions{MaxIterations: iterations, Tolerance: -1})
			if err != nil {
				t.Fatalf("%s on %s: %v", g.Name, name, err)
			}
			for v := range want {
				if math.Abs(r.Ranks[v]-want[v]) > 1e-12 {
					t.Fatalf("%s on %s: rank of %d is %g, want %g", g.Name, name, v, r.Ranks[v], want[v])
				}
			}
			if r.Iterations != iterations {
				t.Errorf("%s on %s: %d iterations", g.Name, name, r.Iterations)
			}
			if list, policy, _ := strings.Cut(name, " "); !strings.Contains(list, ",") {
				if first := bits[policy]; first != nil && !slices.Equal(first, r.Ranks) {
					t.Errorf("%s on %s: ranks depend on the number of threads", g.Name, name)
				}
				bits[policy] = r.Ranks
			}
		})
	}
}

// TestGraphalytics compares with the expected outputs of LDBC Graphalytics: PageRank of 2
// iterations within 1e-4, weakly connected components up to names.
func TestGraphalytics(t *testing.T) {
	ctx := context.Background()
	for name, direction := range map[string]graphio.Direction{"example-directed": graphio.Directed, "example-undirected": graphio.Undirected} {
		for _, processors := range []string{"cpu:2", "cpu:1,cpu:1"} {
			list, err := engine.ParseProcessors(processors)
			if err != nil {
				t.Fatal(err)
			}
			f, err := graphio.Open(ctx, needs.Data(t, "graphalytics", name+".e"), graphio.Options{Direction: direction})
			if err != nil {
				t.Fatal(err)
			}
			e, err := engine.New(ctx, f.Source, engine.Options{Processors: list})
			if err := errors.Join(err, f.Close()); err != nil {
				t.Fatal(err)
			}
			r, err := e.PageRank(ctx, engine.PageRankOptions{MaxIterations: 2, Tolerance: -1})
			if err != nil {
				t.Fatal(err)
			}
			for label, value := range expected(t, name+"-PR") {
				want, err := strconv.ParseFloat(value, 64)
				if err != nil {
					t.Fatal(err)
				}
				v, err := r.ID(label)
				if err != nil {
					t.Fatal(err)
				}
				if got := r.Ranks[v]; math.Abs(got-want) > 1e-4*want {
					t.Errorf("%s: PageRank of %d is %g, want %g", name, label, got, want)
				}
			}
			c, err := e.Components(ctx)
			if err != nil {
				t.Fatal(err)
			}
			names := map[string]uint32{}
			for label, value := range expected(t, name+"-WCC") {
				v, err := c.ID(label)
				if err != nil {
					t.Fatal(err)
				}
				if first, known := names[value]; known && first != c.Labels[v] {
					t.Errorf("%s: %d is in component %d, others of %s in %d", name, label, c.Labels[v], value, first)
				}
				names[value] = c.Labels[v]
			}
			if len(c.Sizes()) != len(names) {
				t.Errorf("%s: %d components, want %d", name, len(c.Sizes()), len(names))
			}
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// expected reads a file of lines of a vertex and a value.
func expected(t *testing.T, name string) map[uint64]string {
	t.Helper()
	text, err := os.ReadFile(needs.Data(t, "graphalytics", name))
	if err != nil {
		t.Fatal(err)
	}
	values := map[uint64]string{}
	for line := range strings.Lines(string(text)) {
		vertex, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		label, err := strconv.ParseUint(vertex, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		values[label] = value
	}
	return values
}

// distances is shortest paths in one call: Below without a bound.
var distances = &program.Program{
	Name:   "distances",
	Arrays: []program.Array{{Name: "distance", Type: program.F64, Init: program.Top}},
	Edges:  []program.EdgeOp{{Name: "relax", From: 0, To: 0, Map: program.Plus, Combine: program.Min}},
}

// TestWeights: programs read the weights that an engine keeps, else every arc weighs 1.
func TestWeights(t *testing.T) {
	g := &graph.EdgeList{Vertices: 300, Edges: ref.Uniform(3, 300, 900)}
	weights := make([]float32, len(g.Edges))
	for i := range weights {
		weights[i] = float32(i % 7)
	}
	g.Weights = graph.WeightsOf(weights)
	plain := &graph.EdgeList{Vertices: g.Vertices, Edges: g.Edges}
	for _, keep := range []bool{true, false} {
		src := plain
		if keep {
			src = g
		}
		want := ref.Distances(src, g.Edges[0].U)
		for _, processors := range []string{"cpu:1", "cpu:2,cpu:1,cpu:1"} {
			list, err := engine.ParseProcessors(processors)
			if err != nil {
				t.Fatal(err)
			}
			e, err := engine.New(t.Context(), g, engine.Options{Processors: list, Weights: keep})
			if err != nil {
				t.Fatal(err)
			}
			root, _, err := e.RankOf(uint64(g.Edges[0].U))
			if err != nil {
				t.Fatal(err)
			}
			r, err := e.Run(t.Context(), distances, func(m program.Machine) error {
				f, err := m.Seed(root, 0, program.Pack(0.0))
				for err == nil && f.Count > 0 {
					f, err = m.EdgeMap(0, program.Step{Below: program.TopOf(program.F64)})
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if got := engine.ArrayOf[float64](r, 0); !slices.Equal(got, want) {
				t.Errorf("%s, weights %v: distances %v, want %v", processors, keep, got, want)
			}
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// everyOperator has an operator of each kind.
var everyOperator = &program.Program{
	Name:     "every",
	Arrays:   []program.Array{{Name: "label", Type: program.U32, Init: program.ID}},
	Edges:    []program.EdgeOp{{Name: "flood", From: 0, To: 0, Arcs: program.Both, Map: program.Copy, Combine: program.Min}},
	Vertices: []program.VertexOp{{Name: "halve", Block: func(b *program.Block) { b.Set[0] &= 0x5555555555555555 }}},
	Locals:   []program.LocalOp{{Name: "nothing", Run: func(context.Context, program.Local) error { return nil }}},
}

// TestRunStatistics demands a level for each operator that a body runs, with the set that it runs over.
func TestRunStatistics(t *testing.T) {
	ctx := context.Background()
	g := &graph.EdgeList{Vertices: 3000, Edges: ref.Uniform(3, 2900, 9000)} // some are isolated
	if r, err := open(t, g, engine.Options{Processors: cpus(1)}).Components(ctx); err != nil || r.Statistics != nil {
		t.Errorf("statistics that nobody asked for: %v, %v", r, err)
	}
	for _, threads := range [][]int{{2}, {1, 2}, {1, 1, 1}} {
		e := open(t, g, engine.Options{Processors: cpus(threads...), RunStatistics: true})
		whole := program.Frontier{Count: int64(g.Vertices) - e.Isolated()}
		for _, p := range e.Processors() {
			whole.Arcs += p.Edges
		}
		var want []record.Level
		from := func(f program.Frontier, direction, operator string) {
			arcs := float64(f.Arcs)
			want = append(want, record.Level{Level: len(want), Direction: direction, Operator: operator, Frontier: float64(f.Count), FrontierArcs: &arcs})
		}
		check := func(name string, s *bsp.Statistics) {
			t.Helper()
			if s.Count != len(want) || len(s.Levels) != len(want) {
				t.Fatalf("%s: %d levels, want %d", name, len(s.Levels), len(want))
			}
			for i, got := range s.Levels {
				w := want[i]
				if got.Level != w.Level || got.Direction != w.Direction || got.Operator != w.Operator || got.Frontier != w.Frontier ||
					got.FrontierArcs == nil || *got.FrontierArcs != *w.FrontierArcs || got.EdgesExamined != nil || len(got.Processors) != len(threads) {
					t.Errorf("%s: level %d is %+v, want %+v", name, i, got, w)
				}
				for k, p := range got.Processors {
					if sum := p.ComputeS + p.PushS + p.PullS + p.IdleS; math.Abs(sum-got.TimeS) > max(0.05*got.TimeS, 20e-6) {
						t.Errorf("%s: level %d, processor %d: times add up to %v of %v s: %+v", name, i, k, sum, got.TimeS, p)
					}
					operator := got.Direction == record.Vertex || got.Direction == record.Local
					if (p.Kernel == "") != (got.Direction == record.Local) || (p.Kernel == "blocks") != (got.Direction == record.Vertex) ||
						p.ComputeS <= 0 && got.Direction != record.Local || operator && (p.PushS+p.PullS+p.BytesSent+p.BytesReceived != 0) {
						t.Errorf("%s: level %d, %s: processor %d: %+v", name, i, got.Direction, k, p)
					}
				}
			}
			want = nil
		}

		r, err := e.Run(ctx, everyOperator, func(m program.Machine) error {
			f, err := m.EdgeMap(0, program.Step{Way: program.Pull, From: program.All})
			from(whole, record.Pull, "flood")
			first := f
			err = errors.Join(err, m.Keep(3))
			from(f, record.Push, "flood")
			f, failed := m.EdgeMap(0, program.Step{Way: program.Push})
			err = errors.Join(err, failed)
			from(f, record.Vertex, "halve")
			if f, _, failed = m.VertexMap(0, program.Default); failed != nil {
				return failed
			}
			from(whole, record.Local, "nothing")
			err = errors.Join(err, m.Local(0))
			from(f, record.Pull, "flood") // the same frontier
			if _, failed = m.EdgeMap(0, program.Step{Way: program.Pull}); failed != nil {
				return failed
			}
			from(first, record.Vertex, "halve")
			_, _, failed = m.VertexMap(0, 3)
			err = errors.Join(err, failed)
			from(first, record.Push, "flood")
			_, failed = m.EdgeMap(0, program.Step{Way: program.Push, From: 3})
			err = errors.Join(err, failed)
			if f, failed = m.Use(3); f.Count != first.Count || f.Arcs != first.Arcs {
				t.Errorf("set 3 is %+v, was %+v", f, first)
			}
			from(first, record.Push, "flood")
			_, last := m.EdgeMap(0, program.Step{Way: program.Push})
			return errors.Join(err, failed, last)
		})
		if err != nil {
			t.Fatal(err)
		}
		check("every operator", r.Statistics)

		ranks, err := e.PageRank(ctx, engine.PageRankOptions{MaxIterations: 3, Tolerance: -1})
		if err != nil {
			t.Fatal(err)
		}
		from(whole, record.Pull, "count")
		from(whole, record.Vertex, "begin")
		for range 3 {
			from(whole, record.Pull, "sum")
			from(whole, record.Vertex, "damp")
		}
		check("pagerank", ranks.Statistics)

		c, err := e.Components(ctx)
		if err != nil {
			t.Fatal(err)
		}
		from(whole, record.Local, "hook")
		from(whole, record.Local, "link")
		check("components", c.Statistics)
		e.Close()
	}
}

// failing is a program whose operators fail on demand.
func failing(block func(*program.Block)) *program.Program {
	return &program.Program{
		Name:     "failing",
		Arrays:   []program.Array{{Name: "x", Type: program.U32}},
		Edges:    []program.EdgeOp{{Name: "sum", From: -1, To: 0, Map: program.One, Combine: program.Sum}},
		Vertices: []program.VertexOp{{Name: "v", Block: block}},
	}
}

func TestRunFails(t *testing.T) {
	g := &graph.EdgeList{Vertices: 3000, Edges: ref.Uniform(1, 3000, 9000)}
	fine := func(m program.Machine) error {
		_, err := m.EdgeMap(0, program.Step{Way: program.Pull, From: program.All})
		return err
	}
	onPlacements(t, g, func(name string, e *engine.Engine) {
		ctx, cancel := context.WithCancel(context.Background())
		_, err := e.Run(ctx, failing(func(*program.Block) { panic("operator") }), func(m program.Machine) error {
			_, _, err := m.VertexMap(0, program.All)
			return err
		})
		if err == nil || !strings.Contains(err.Error(), "operator") {
			t.Errorf("%s: an operator that panics: %v", name, err)
		}
		_, err = e.Run(ctx, failing(func(*program.Block) {}), func(program.Machine) error { panic("body") })
		if !errors.Is(err, bsp.ErrBody) {
			t.Errorf("%s: a body that panics: %v", name, err)
		}
		_, err = e.Run(ctx, failing(func(*program.Block) {}), func(m program.Machine) error {
			_, _ = m.EdgeMap(7, program.Step{})
			_, err := m.Use(program.Default)
			return err
		})
		if !errors.Is(err, program.ErrInvalid) {
			t.Errorf("%s: an operator that does not exist: %v", name, err)
		}
		_, err = e.Run(ctx, failing(nil), fine)
		if !errors.Is(err, program.ErrInvalid) {
			t.Errorf("%s: an invalid program: %v", name, err)
		}
		_, err = e.Run(ctx, failing(func(*program.Block) {}), func(m program.Machine) error {
			cancel()
			return fine(m)
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: a context that ends: %v", name, err)
		}
		own := errors.New("own")
		if _, err = e.Run(context.Background(), failing(func(*program.Block) {}), func(program.Machine) error { return own }); !errors.Is(err, own) {
			t.Errorf("%s: the body's own error: %v", name, err)
		}
		r, err := e.Run(context.Background(), failing(func(*program.Block) {}), fine)
		if err != nil || len(engine.ArrayOf[uint32](r, 0)) != 3000 || engine.ArrayOf[float64](r, 0) != nil || engine.ArrayOf[uint32](r, 1) != nil {
			t.Errorf("%s: a run after failures: %v", name, err)
		}
		if r, err := e.Reach(context.Background(), 0); err != nil || r.NumReached < 2 {
			t.Errorf("%s: a run of another program after failures: %v", name, err)
		}
	})
}
