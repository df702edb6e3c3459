package engine_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/partition"
)

// checkShortest compares a path with the oracle's distance and its sums with the lightest arcs between its vertices, added
// in T. Rounding is that of so many sums as the path has arcs.
func checkShortest[T ref.Length](g *graph.EdgeList, from, to uint32, p *engine.WeightedPath, want T, reached bool) error {
	if p == nil || !reached {
		if (p == nil) == reached {
			return fmt.Errorf("path %v, reached %v", p, reached)
		}
		return nil
	}
	last := len(p.Vertices) - 1
	if p.Vertices[0] != uint64(from) || p.Vertices[last] != uint64(to) || len(p.Lengths) != last+1 {
		return fmt.Errorf("ends of %v", p)
	}
	weights, sum := g.BlockWeights(1, 0), T(0)
	for i, u := range p.Vertices[:last] {
		lightest, is := T(0), false
		for k, x := range g.Edges {
			if v := p.Vertices[i+1]; uint64(x.U) == u && uint64(x.V) == v || !g.Directed && uint64(x.V) == u && uint64(x.U) == v {
				if w := T(weights.Float64(k)); !is || w < lightest {
					lightest, is = w, true
				}
			}
		}
		if sum += lightest; !is || p.Lengths[i+1] != float64(sum) {
			return fmt.Errorf("%v: sum %v at vertex %d, arc %v", p, sum, p.Vertices[i+1], is)
		}
	}
	step := 0.0 // of rounding
	switch any(want).(type) {
	case float32:
		step = math.Ldexp(float64(want), -23)
	case float64:
		step = math.Ldexp(float64(want), -52)
	}
	if math.Abs(p.Lengths[last]-float64(want)) > float64(last)*step {
		return fmt.Errorf("%v: length %v, want %v", p, p.Lengths[last], want)
	}
	return nil
}

func shortestPaths[W graph.Weight, T ref.Length](t *testing.T, seed uint64, scale W) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	n := 2 + r.IntN(40)
	g := &graph.EdgeList{Vertices: n, Directed: seed%2 == 0}
	for range r.IntN(4 * n) {
		g.Edges = append(g.Edges, graph.Edge{U: uint32(r.IntN(n)), V: uint32(r.IntN(n))})
	}
	g = weighted(g, []int{0, 3, 1000}[seed%3], scale, r)
	back := &graph.EdgeList{Vertices: n, Directed: g.Directed, Weights: g.Weights}
	for _, x := range g.Edges {
		back.Edges = append(back.Edges, graph.Edge{U: x.V, V: x.U})
	}
	e := weighedEngine(t, g, 1+int(seed%3), 1, []partition.Policy{partition.HubsOnCPU, partition.Random}[seed/2%2])
	defer e.Close()
	for range 8 {
		from, to := uint32(r.IntN(n)), uint32(r.IntN(n))
		dist, reached, _ := ref.ShortestPaths[T](g, from)
		left, leads, _ := ref.ShortestPaths[T](back, to)
		bounds := make([]float64, n) // below the distances, and not consistent
		for v := range bounds {
			if bounds[v] = float64(left[v]) * r.Float64() * 0.999; !leads[v] {
				bounds[v] = math.Inf(r.IntN(2)*2 - 1)
			}
		}
		for _, h := range []func(v uint64) float64{nil, func(v uint64) float64 { return bounds[v] }} {
			p, err := e.ShortestPath(t.Context(), uint64(from), uint64(to), engine.ShortestPathOptions{Heuristic: h})
			if err == nil {
				err = checkShortest(g, from, to, p, dist[to], reached[to])
			}
			if err != nil {
				t.Errorf("seed %d, %T, from %d to %d, A* %v: %v", seed, scale, from, to, h != nil, err)
			}
		}
	}
}

func TestShortestPath(t *testing.T) {
	for seed := range uint64(60) {
		shortestPaths[int32, int64](t, seed, 1)
		shortestPaths[int64, int64](t, seed, 1<<40)
		shortestPaths[float32, float32](t, seed, 0.1)
		shortestPaths[float64, float64](t, seed, 0.1)
	}
}

// TestShortestPathRefused holds what weights and heuristics show.
func TestShortestPathRefused(t *testing.T) {
	for _, c := range []struct {
		weights graph.Weights
		reason  engine.WeightReason
	}{
		{graph.Weights{}, engine.WeightsMissing}, {graph.WeightsOf([]int32{1, -1}), engine.WeightNegative},
		{graph.WeightsOf([]float32{1, float32(math.NaN())}), engine.WeightNotFinite},
		{graph.WeightsOf([]int64{math.MaxInt64 - 1, math.MaxInt64 - 1}), engine.DistanceTooLarge},
		{graph.WeightsOf([]float64{math.MaxFloat64, math.MaxFloat64}), engine.DistanceTooLarge},
	} {
		g := &graph.EdgeList{Vertices: 3, Directed: true, Edges: []graph.Edge{{U: 0, V: 1}, {U: 1, V: 2}}, Weights: c.weights}
		e := weighedEngine(t, g, 1, 1, partition.Auto)
		var bad *engine.WeightError
		for _, h := range []func(uint64) float64{nil, func(uint64) float64 { return 0 }} {
			if p, err := e.ShortestPath(t.Context(), 0, 2, engine.ShortestPathOptions{Heuristic: h}); !errors.As(err, &bad) || bad.Reason != c.reason {
				t.Errorf("%v: %v, %v", c.reason, p, err)
			}
		}
	}
	g := &graph.EdgeList{Vertices: 3, Edges: []graph.Edge{{U: 0, V: 1}, {U: 1, V: 2}}, Weights: graph.WeightsOf([]int32{1, 2})}
	o := engine.ShortestPathOptions{Heuristic: func(uint64) float64 { return math.NaN() }}
	if _, err := weighedEngine(t, g, 1, 1, partition.Auto).ShortestPath(t.Context(), 0, 2, o); !errors.Is(err, engine.ErrArgument) {
		t.Errorf("a heuristic that is not a number: %v", err)
	}
}
