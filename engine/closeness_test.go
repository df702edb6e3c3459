package engine_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/gen"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/kernels/gpu/device/fake"
	"github.com/totemgo/totemgo/partition"
)

// checkCloseness compares with searches from each root. chosen is nil for all vertices.
func checkCloseness(t *testing.T, name string, list *graph.EdgeList, r *engine.ClosenessResult, outward bool) {
	t.Helper()
	roots := make([]uint32, list.Vertices)
	for v := range roots {
		roots[v] = uint32(v)
	}
	want := ref.SumsFrom(list, roots, outward)
	if !slices.Equal(r.Reach, want.Reach) || !slices.Equal(r.Eccentricity, want.Far) || !slices.Equal(r.Hops, want.Hops) {
		t.Fatalf("%s: reach %v, eccentricity %v, hops %v; want %v, %v, %v", name, r.Reach, r.Eccentricity, r.Hops, want.Reach, want.Far, want.Hops)
	}
	n, sum, pairs := float64(list.Vertices), 0.0, 0.0
	for v := range uint32(list.Vertices) {
		others, closeness := float64(want.Reach[v]-1), 0.0
		sum, pairs = sum+want.Total[v], pairs+others
		if others > 0 {
			closeness = others / want.Total[v]
			if got := r.Closeness(v, true); math.Abs(got-closeness) > 1e-12 {
				t.Fatalf("%s: closeness of %d in what reaches it: %v, want %v", name, v, got, closeness)
			}
			closeness *= others / (n - 1)
		}
		if float64(r.Total[v]) != want.Total[v] || math.Abs(r.Closeness(v, false)-closeness) > 1e-12 || math.Abs(r.Harmonic(v)-want.Harmonic[v]) > 1e-9 {
			t.Fatalf("%s: vertex %d: total %d, closeness %v, harmonic %v; want %v, %v, %v", name, v, r.Total[v], r.Closeness(v, false), r.Harmonic(v),
				want.Total[v], closeness, want.Harmonic[v])
		}
	}
	if pairs > 0 && math.Abs(r.Average()-sum/pairs) > 1e-9 {
		t.Errorf("%s: average %v, want %v", name, r.Average(), sum/pairs)
	}
}

func TestCloseness(t *testing.T) {
	graphs := ref.Corpus()
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 11))
		n := 600 + r.IntN(1500) // more than a batch of 512 roots
		graphs = append(graphs, ref.Named{Name: "uniform", List: &graph.EdgeList{Vertices: n, Directed: seed%2 == 0, Edges: ref.Uniform(seed, n, n+r.IntN(9*n))}})
	}
	for i, g := range graphs {
		if g.List.Vertices > 2500 || raceEnabled && i%5 != 0 {
			continue
		}
		for _, processors := range []string{"cpu:1", "cpu:2", "cpu:1,cpu:2,cpu:1"} {
			list, err := engine.ParseProcessors(processors)
			if err != nil {
				t.Fatal(err)
			}
			e := open(t, g.List, engine.Options{Processors: list, Placement: []partition.Policy{partition.HubsOnCPU, partition.Random}[i%2]})
			outward := i%3 == 0
			done := int64(0)
			o := engine.ClosenessOptions{Outward: outward, Progress: func(now, of int64, left time.Duration) {
				if now <= done || of != int64(g.List.Vertices) || left < 0 || (now == of) != (left == 0) {
					t.Errorf("%s: %d of %d roots, %v left, after %d", g.Name, now, of, left, done)
				}
				done = now
			}}
			r, err := e.Closeness(t.Context(), o)
			if err != nil {
				t.Fatalf("%s: %v", g.Name, err)
			}
			checkCloseness(t, g.Name, g.List, r, outward)
		}
	}
}

// TestClosenessOnDevices: lists with devices run the program, with the same bits.
func TestClosenessOnDevices(t *testing.T) {
	drivers := []device.Driver{bench{openCL(t, fake.Options{})}}
	for name, processors := range map[string][]engine.Processor{
		"opencl:0": {{Kind: "opencl"}}, "cpu:2,opencl:0": {{Kind: "cpu", Threads: 2}, {Kind: "opencl"}},
	} {
		for seed := range uint64(4) {
			r := rand.New(rand.NewPCG(seed, 12))
			n := 100 + r.IntN(400)
			list := &graph.EdgeList{Vertices: n, Directed: seed%2 == 0, Edges: ref.Uniform(seed, n, n+r.IntN(3*n))}
			e := open(t, list, engine.Options{Processors: processors, Drivers: drivers, NoKernelCache: true})
			outward := seed%3 == 0
			got, err := e.Closeness(t.Context(), engine.ClosenessOptions{Outward: outward})
			if err != nil {
				t.Fatal(err)
			}
			checkCloseness(t, name, list, got, outward)
			host := open(t, list, engine.Options{Processors: cpus(2)})
			again, err := host.Closeness(t.Context(), engine.ClosenessOptions{Outward: outward})
			if err != nil {
				t.Fatal(err)
			}
			for v := range uint32(n) {
				if got.Harmonic(v) != again.Harmonic(v) {
					t.Errorf("%s: harmonic of %d: %v, on CPUs %v", name, v, got.Harmonic(v), again.Harmonic(v))
				}
			}
		}
	}
}

func TestClosenessOfSample(t *testing.T) {
	const k = 700
	list := &graph.EdgeList{Vertices: 2000, Edges: ref.Uniform(5, 2000, 9000)}
	e := open(t, list, engine.Options{Processors: cpus(2)})
	all, err := e.Closeness(t.Context(), engine.ClosenessOptions{})
	if err != nil {
		t.Fatal(err)
	}
	some, err := e.Closeness(t.Context(), engine.ClosenessOptions{Samples: k, Seed: 3})
	if err != nil || some.Roots != k || some.Hops[0] != k {
		t.Fatalf("%d roots, hops %v, %v", some.Roots, some.Hops, err)
	}
	for v := range uint32(2000) {
		if x, y := all.Closeness(v, false), some.Closeness(v, false); math.Abs(x-y) > 0.1*x {
			t.Errorf("vertex %d: %v by all roots, %v by %d", v, x, y, k)
		}
		if x, y := all.Harmonic(v), some.Harmonic(v); math.Abs(x-y) > 0.1*x {
			t.Errorf("vertex %d: harmonic %v by all roots, %v by %d", v, x, y, k)
		}
	}
	if _, err := e.Closeness(t.Context(), engine.ClosenessOptions{Samples: -1}); !errors.Is(err, engine.ErrArgument) {
		t.Error(err)
	}
	engine.LimitMemory(e, 1<<10)
	if _, err := e.Closeness(t.Context(), engine.ClosenessOptions{}); !errors.Is(err, engine.ErrMemory) {
		t.Error(err)
	}
}

// BenchmarkCloseness compares one search from all roots with separate ones: from every stride-th vertex, all from the same engine.
func BenchmarkCloseness(b *testing.B) {
	const stride = 8
	list, err := gen.Make(b.Context(), gen.KroneckerOptions{Scale: 16})
	if err != nil {
		b.Fatal(err)
	}
	e := open(b, list, engine.Options{})
	n, search := uint64(e.NumVertices()), e.NewResult()
	b.Run("graph=kron/scale=16", func(b *testing.B) {
		var together, separate time.Duration
		for b.Loop() {
			r, err := e.Closeness(b.Context(), engine.ClosenessOptions{})
			if err != nil {
				b.Fatal(err)
			}
			together += r.Time
			start := time.Now()
			for v := uint64(0); v < n; v += stride {
				if err := e.BFSInto(b.Context(), v, search); err != nil {
					b.Fatal(err)
				}
			}
			separate += stride * time.Since(start)
		}
		b.ReportMetric(together.Seconds()/float64(b.N), "s/closeness")
		b.ReportMetric(separate.Seconds()/float64(b.N), "s/separate")
		b.ReportMetric(separate.Seconds()/together.Seconds(), "ratio")
	})
}

// TestDiameterWithLittleMemory: where searches at once have no room, a diameter is found by one at a time.
func TestDiameterWithLittleMemory(t *testing.T) {
	const n = 600
	ring := &graph.EdgeList{Vertices: n}
	for v := range uint32(n) {
		ring.Edges = append(ring.Edges, graph.Edge{U: v, V: (v + 1) % n})
	}
	e := open(t, ring, engine.Options{Processors: cpus(2)})
	want, err := e.Diameter(t.Context())
	if err != nil || want.Diameter != n/2 {
		t.Fatal(want, err)
	}
	engine.LimitMemory(e, engine.MemoryFor(e, 1)+64*n)
	if _, err := e.Closeness(t.Context(), engine.ClosenessOptions{}); !errors.Is(err, engine.ErrMemory) {
		t.Fatalf("searches at once have room: %v", err)
	}
	got, err := e.Diameter(t.Context())
	if err != nil || got.Diameter != want.Diameter || got.From != want.From || got.To != want.To || got.Roots >= n {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	engine.LimitMemory(e, engine.MemoryFor(e, 0)+16*n)
	if _, err := e.Diameter(t.Context()); !errors.Is(err, engine.ErrMemory) {
		t.Errorf("no room at all: %v", err)
	}
}
