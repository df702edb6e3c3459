package engine_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/kernels/gpu/device/fake"
	"github.com/totemgo/totemgo/program"
)

// TestDevicePrograms runs all programs of the engine on lists with devices, on random graphs.
func TestDevicePrograms(t *testing.T) {
	lists := map[string][]engine.Processor{
		"opencl:0":          {{Kind: "opencl"}},
		"cpu:1,opencl:0":    {{Kind: "cpu", Threads: 1}, {Kind: "opencl"}},
		"opencl:0,opencl:0": {{Kind: "opencl"}, {Kind: "opencl"}},
	}
	drivers := []device.Driver{bench{openCL(t, fake.Options{})}}
	for name, processors := range lists {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(4) {
				if raceEnabled && seed%3 != 0 {
					continue
				}
				r := rand.New(rand.NewPCG(seed, 3))
				n := 60 + r.IntN(1500)
				list := &graph.EdgeList{Vertices: n, Edges: ref.Uniform(seed, n, n+r.IntN(4*n)), Directed: seed%2 == 1}
				o := engine.Options{Processors: processors, Drivers: drivers, Weights: true, NoKernelCache: true}
				root := list.Edges[r.IntN(len(list.Edges))].U
				if seed < 2 {
					onDevice[int64](t, weighted(list, 9, int32(1), r), o, root)
				} else {
					onDevice[float32](t, weighted(list, 9, float32(0.3), r), o, root)
				}
			}
		})
	}
}

// onDevice compares all results of an engine with plain searches. T is the type of distances.
func onDevice[T ref.Length](t *testing.T, list *graph.EdgeList, o engine.Options, root uint32) {
	t.Helper()
	e := open(t, list, o)
	reached, err := e.Reach(t.Context(), uint64(root))
	if err != nil {
		t.Fatal(err)
	}
	for v, level := range ref.Levels(list, root) {
		if reached.Has(uint32(v)) != (level >= 0) {
			t.Fatalf("vertex %d at level %d: reached %v", v, level, reached.Has(uint32(v)))
		}
	}
	c, err := e.Components(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for v, label := range ref.Components(list) {
		if c.Labels[v] != label {
			t.Fatalf("component of vertex %d: %d, want %d", v, c.Labels[v], label)
		}
	}
	paths, err := e.SSSP(t.Context(), uint64(root), engine.SSSPOptions{Parents: true})
	if err != nil {
		t.Fatal(err)
	}
	want, has, _ := ref.ShortestPaths[T](list, root)
	for v, d := range want {
		got, ok := paths.Distance(uint32(v))
		if ok != has[v] || ok && got != float64(d) {
			t.Fatalf("distance of vertex %d: %v, %v, want %v, %v", v, got, ok, d, has[v])
		}
		if p := paths.Parents[v]; (p != graph.None) != has[v] || has[v] && uint32(v) != root && !(want[p] <= d) {
			t.Fatalf("parent of vertex %d: %d", v, p)
		}
	}
	for _, po := range []engine.PageRankOptions{{Tolerance: 1e-12}, {Tolerance: 1e-6, Float32: true}, {Tolerance: 1e-12, Method: engine.PageRankDelta}} {
		ranks, err := e.PageRank(t.Context(), po)
		if err != nil {
			t.Fatal(err)
		}
		again, err := e.PageRank(t.Context(), po)
		if err != nil {
			t.Fatal(err)
		}
		most := 1e-9
		if po.Float32 {
			most = 1e-5
		}
		for v, x := range ref.PageRank(list, 0.85, 200) {
			if !(math.Abs(ranks.Ranks[v]-x) <= most) || math.Float64bits(ranks.Ranks[v]) != math.Float64bits(again.Ranks[v]) {
				t.Fatalf("%+v: rank of vertex %d: %v, then %v, want %v", po, v, ranks.Ranks[v], again.Ranks[v], x)
			}
		}
	}
}

// TestDeviceRefusals: a program that a device cannot run is refused by the names of processor and operator.
func TestDeviceRefusals(t *testing.T) {
	list := &graph.EdgeList{Vertices: 100, Edges: ref.Chain(100)}
	e := open(t, list, engine.Options{Processors: []engine.Processor{{Kind: "opencl"}}, NoKernelCache: true,
		Drivers: []device.Driver{bench{openCL(t, fake.Options{})}}})
	plain := &program.Program{Vertices: []program.VertexOp{{Name: "in Go alone", Block: func(*program.Block) {}}}}
	_, run := e.Run(t.Context(), plain, func(program.Machine) error { return nil })
	_, start := e.PageRank(t.Context(), engine.PageRankOptions{Start: map[uint64]float64{3: 1}})
	for want, err := range map[string]error{"in Go alone": run, "begin": start} {
		if !errors.Is(err, kernels.ErrUnsupported) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "opencl:0") {
			t.Errorf("%s: %v", want, err)
		}
	}
}
