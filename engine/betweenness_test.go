package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/kernels/gpu/device/fake"
	"github.com/totemgo/totemgo/partition"
)

// closeTo compares scores, within 1e-9 of the larger of each and 1.
func closeTo(t *testing.T, name string, got, want []float64, times float64) {
	t.Helper()
	for v, x := range want {
		if x *= times; !(math.Abs(got[v]-x) <= 1e-9*max(1, x)) {
			t.Fatalf("%s: score of vertex %d: %v, want %v", name, v, got[v], x)
		}
	}
}

func betweennessOf(t *testing.T, e *engine.Engine, o engine.BetweennessOptions) *engine.BetweennessResult {
	t.Helper()
	r, err := e.Betweenness(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestBetweenness(t *testing.T) {
	graphs := ref.Corpus()
	for seed := range uint64(16) {
		r := rand.New(rand.NewPCG(seed, 17))
		n := 3 + r.IntN(150)
		graphs = append(graphs, ref.Named{Name: "uniform", List: &graph.EdgeList{Vertices: n, Directed: seed%3 == 0, Edges: ref.Uniform(seed, n, n/2+r.IntN(4*n))}})
	}
	for i, g := range graphs {
		if g.List.Vertices > 130 || raceEnabled && i%5 != 0 {
			continue
		}
		want, n := ref.Betweenness(g.List), float64(g.List.Vertices)
		pairs := max(1, (n-1)*(n-2))
		half := 0.5
		if g.List.Directed {
			half = 1
		}
		var last [2][]float64
		for _, threads := range [][]int{{1}, {2}, {5}, {1, 2, 1}} {
			placement := []partition.Policy{partition.HubsOnCPU, partition.Random}[i%2]
			e := open(t, g.List, engine.Options{Processors: cpus(threads...), Placement: placement})
			for k := range 2 - min(i%3, 1) { // by levels too for each third graph
				search := func(o engine.BetweennessOptions) []float64 {
					if k > 0 {
						engine.ByLevels(&o)
					}
					return betweennessOf(t, e, o).Scores
				}
				scores := search(engine.BetweennessOptions{})
				closeTo(t, g.Name, scores, want, half)
				closeTo(t, g.Name, search(engine.BetweennessOptions{NoReduction: true, Ordered: true}), want, 1)
				closeTo(t, g.Name, search(engine.BetweennessOptions{Normalized: true}), want, 1/pairs)
				if len(threads) > 1 {
					continue
				}
				if last[k] != nil && !slices.Equal(scores, last[k]) {
					t.Errorf("%s: %d threads give other bits", g.Name, threads[0])
				}
				last[k] = scores
			}
		}
	}
}

// TestBetweennessOfDiamonds: 2^3000 shortest paths lead from one end of a chain of diamonds to the other.
func TestBetweennessOfDiamonds(t *testing.T) {
	const k = 3000
	list := &graph.EdgeList{Vertices: 3*k + 1}
	for i := range uint32(k) {
		for m := 3*i + 1; m < 3*i+3; m++ {
			list.Edges = append(list.Edges, graph.Edge{U: 3 * i, V: m}, graph.Edge{U: m, V: 3*i + 3})
		}
	}
	e := open(t, list, engine.Options{Processors: cpus(1, 1)})
	o := engine.BetweennessOptions{Roots: []uint64{0}, Ordered: true}
	r := betweennessOf(t, e, o)
	engine.ByLevels(&o)
	levels := betweennessOf(t, e, o)
	want := make([]float64, list.Vertices)
	for v := 1; v < len(want); v++ {
		if after := float64(len(want) - 1 - (v+2)/3*3 + 1); v%3 == 0 {
			want[v] = after - 1
		} else {
			want[v] = after / 2
		}
	}
	closeTo(t, "diamonds", r.Scores, want, 1)
	closeTo(t, "diamonds by levels", levels.Scores, want, 1)
	if raceEnabled {
		return
	}
	// Of all pairs, those of the two sides lead through a vertex that joins diamonds, and half of the two pairs beside it.
	all := betweennessOf(t, e, engine.BetweennessOptions{})
	for v := 3; v < len(want)-1; v += 3 {
		if x := float64(v)*float64(len(want)-1-v) + 1; !(math.Abs(all.Scores[v]-x) <= 1e-9*x) {
			t.Fatalf("vertex %d has %v, want %v", v, all.Scores[v], x)
		}
	}
}

// TestBetweennessChanges: a search of all processors that finds too many levels leaves the rest to one thread each, and
// a cancelled one ends.
func TestBetweennessChanges(t *testing.T) {
	const bushes, leaves, chain = 40, 2500, 60
	list := &graph.EdgeList{Vertices: 1}
	for i := range uint32(bushes * leaves) { // two levels of many arcs
		list.Edges = append(list.Edges, graph.Edge{U: i % bushes, V: bushes + i/bushes})
	}
	list.Vertices = bushes + leaves + 1
	for range chain { // and a chain apart
		list.Edges = append(list.Edges, graph.Edge{U: uint32(list.Vertices - 1), V: uint32(list.Vertices)})
		list.Vertices++
	}
	roots := []uint64{0, uint64(list.Vertices - 1), 1, bushes, 7}
	for _, threads := range []int{1, 3} {
		e := open(t, list, engine.Options{Processors: cpus(threads)})
		o := engine.BetweennessOptions{Roots: roots}
		got := betweennessOf(t, e, o)
		engine.ByLevels(&o)
		closeTo(t, "chain", got.Scores, betweennessOf(t, e, o).Scores, 1)
		ctx, cancel := context.WithCancel(t.Context())
		_, err := e.Betweenness(ctx, engine.BetweennessOptions{Progress: func(done, of int64, _ time.Duration) { cancel() }})
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

func TestBetweennessOfSources(t *testing.T) {
	list := &graph.EdgeList{Vertices: 300, Edges: ref.Uniform(4, 300, 800)}
	e := open(t, list, engine.Options{Processors: cpus(2)})
	exact, calls := betweennessOf(t, e, engine.BetweennessOptions{}), int64(0)
	if exact.Searches >= 300 || exact.Searches < 200 {
		t.Errorf("%d searches", exact.Searches)
	}
	sampled := betweennessOf(t, e, engine.BetweennessOptions{Samples: 150, Seed: 9, Progress: func(done, of int64, left time.Duration) {
		if done <= calls || of > 150 || (done == of) != (left == 0) {
			t.Errorf("%d of %d, %v", done, of, left)
		}
		calls = done
	}})
	sum, sampledSum := 0.0, 0.0
	for v, x := range exact.Scores {
		sum, sampledSum = sum+x, sampledSum+sampled.Scores[v]
	}
	if calls != sampled.Searches || math.Abs(sum-sampledSum) > 0.1*sum {
		t.Errorf("%d searches add up to %v, all to %v", sampled.Searches, sampledSum, sum)
	}
	all := make([]uint64, 300)
	for v := range all {
		all[v] = uint64(v)
	}
	closeTo(t, "all roots", betweennessOf(t, e, engine.BetweennessOptions{Roots: all}).Scores, exact.Scores, 1)
	for _, o := range []engine.BetweennessOptions{{Samples: -1}, {Samples: 2, Roots: all}} {
		if _, err := e.Betweenness(t.Context(), o); !errors.Is(err, engine.ErrArgument) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if _, err := e.Betweenness(t.Context(), engine.BetweennessOptions{Roots: []uint64{300}}); !errors.Is(err, graph.ErrNoVertex) {
		t.Error(err)
	}
}

func TestBetweennessOnDevices(t *testing.T) {
	drivers := []device.Driver{bench{openCL(t, fake.Options{})}}
	for name, processors := range map[string][]engine.Processor{
		"opencl:0": {{Kind: "opencl"}}, "cpu:2,opencl:0": {{Kind: "cpu", Threads: 2}, {Kind: "opencl"}},
	} {
		for seed := range uint64(4) {
			r := rand.New(rand.NewPCG(seed, 18))
			n := 20 + r.IntN(80)
			list := &graph.EdgeList{Vertices: n, Directed: seed%2 == 0, Edges: ref.Uniform(seed, n, n/2+r.IntN(3*n))}
			e := open(t, list, engine.Options{Processors: processors, Drivers: drivers, NoKernelCache: true})
			closeTo(t, name, betweennessOf(t, e, engine.BetweennessOptions{Ordered: true}).Scores, ref.Betweenness(list), 1)
		}
	}
}

// go test ./engine -run - -bench 'Betweenness$' -count 6
//
// An operation is the search of one root and its scores.
func BenchmarkBetweenness(b *testing.B) {
	list := kron(b, 20)
	e := open(b, list, engine.Options{})
	for _, root := range []uint64{12, 1000, 99_999, 777_777} {
		b.Run(fmt.Sprintf("graph=kron/scale=20/root=%d", root), func(b *testing.B) {
			for b.Loop() {
				if _, err := e.Betweenness(b.Context(), engine.BetweennessOptions{Roots: []uint64{root}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
