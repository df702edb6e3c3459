package gpu_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/gpu"
	"github.com/totemgo/totemgo/kernels/gpu/device/opencl/opencltest"
	"github.com/totemgo/totemgo/partition"
)

// callsOf counts the driver's calls of searches, and their supersteps: the mean of a search. Without a root they are from
// random ones.
func callsOf(t *testing.T, list *graph.EdgeList, cpus, searches int, root func(h *hybrid) uint32) (calls map[string]float64, levels float64) {
	t.Helper()
	shim := opencltest.Interpose(t, opencltest.Options{})
	h := newHybrid(t, list, partition.Options{}, cpus, build(t, openCL(t), gpu.BuildOptions{}), gpu.Options{})
	d, err := bsp.NewDirector(bsp.DirectorAuto, bsp.Rates{ClaimNS: 2, VisitNS: 2, ProbeNS: 1, WordNS: .3, StepNS: 3000})
	if err != nil {
		t.Fatal(err)
	}
	parents := make([]uint32, list.Vertices)
	var stats bsp.Statistics
	shim.Reset()
	for range searches {
		s := bsp.Search{Root: root(h), Director: d, Parents: parents, Statistics: &stats}
		for v := range parents {
			parents[v] = graph.None
		}
		if _, err := h.loop.Search(context.Background(), s); err != nil {
			t.Fatal(err)
		}
		levels += float64(stats.Count) / float64(searches)
	}
	calls = map[string]float64{}
	for name, n := range shim.Counts() {
		calls[name] = float64(n) / float64(searches)
	}
	t.Logf("%.1f levels a search; calls %v", levels, calls)
	return calls, levels
}

// randomRoot returns ranks of all processors.
func randomRoot() func(h *hybrid) uint32 {
	r := rand.New(rand.NewPCG(15, 1))
	return func(h *hybrid) uint32 {
		rg := h.place.Ranges[r.IntN(len(h.place.Ranges))]
		return rg.First + r.Uint32N(rg.Vertices)
	}
}

func commandsOf(calls map[string]float64) float64 {
	return calls["clEnqueueNDRangeKernel"] + calls["clEnqueueFillBuffer"] + calls["clEnqueueReadBuffer"] + calls["clEnqueueWriteBuffer"]
}

func waitsOf(calls map[string]float64) float64 { return calls["clFinish"] + calls["clWaitForEvents"] }

// TestCountsAlone bounds what a search on a device alone asks of the driver, the copy of its result included.
func TestCountsAlone(t *testing.T) {
	calls, _ := callsOf(t, kronecker(t, 15), 0, 32, randomRoot())
	if n := commandsOf(calls); n > 20 {
		t.Errorf("%.1f commands a search", n)
	}
	if n := calls["clSetKernelArg"]; n > 40 {
		t.Errorf("%.1f arguments a search", n)
	}
	if n := waitsOf(calls); n > 3 {
		t.Errorf("%.1f waits a search", n)
	}
}

// TestCountsHybrid: a superstep waits once; the end of a search for vertices of its own that others found, with the parents
// that others ask for, and once for the result.
func TestCountsHybrid(t *testing.T) {
	calls, levels := callsOf(t, kronecker(t, 15), 1, 32, randomRoot())
	if n := waitsOf(calls); n > levels+2 {
		t.Errorf("%.1f waits a search of %.1f levels", n, levels)
	}
}

// TestCountsChain: a device runs many supersteps a wait whether it is alone or not, from an end of a chain and from
// within, where both processors have an end of the visited part from some level on.
func TestCountsChain(t *testing.T) {
	list := &graph.EdgeList{Vertices: 30_000}
	for v := 1; v < list.Vertices; v++ {
		list.Edges = append(list.Edges, graph.Edge{U: uint32(v - 1), V: uint32(v)})
	}
	for _, v := range []uint32{0, 5_000, 15_000, 20_000} {
		root := func(h *hybrid) uint32 { return h.place.RankOf[v] }
		alone, _ := callsOf(t, list, 0, 1, root)
		hybrid, _ := callsOf(t, list, 1, 1, root)
		if a, h := waitsOf(alone), waitsOf(hybrid); h > 1.5*a {
			t.Errorf("from %d: %.0f waits a search, the device alone %.0f", v, h, a)
		}
		if a, h := commandsOf(alone), commandsOf(hybrid); h > 1.5*a {
			t.Errorf("from %d: %.0f commands a search, the device alone %.0f", v, h, a)
		}
	}
}

// hubbed has a root whose 94 neighbours have 762,214 arcs, one of them 162,770.
func hubbed() *graph.EdgeList {
	const leaves, hubs, arcs = 162_769, 93, 762_214
	list := &graph.EdgeList{Vertices: 2 + hubs + leaves}
	edge := func(u, v uint32) { list.Edges = append(list.Edges, graph.Edge{U: u, V: v}) }
	leaf := uint32(2 + hubs)
	for h := range uint32(hubs + 1) {
		edge(0, 1+h)
	}
	for v := range uint32(leaves) {
		edge(1, leaf+v)
	}
	left := arcs - (leaves + 1) - hubs
	for h := range uint32(hubs) {
		n := left / (hubs - int(h))
		for k := range uint32(n) {
			edge(2+h, leaf+(k*23+h)%leaves)
		}
		left -= n
	}
	return list
}

// TestCountsTurns: a hub among few vertices is divided among lanes.
func TestCountsTurns(t *testing.T) {
	list := hubbed()
	h := newHybrid(t, list, partition.Options{}, 0, build(t, openCL(t), gpu.BuildOptions{}), gpu.Options{})
	for _, d := range []bsp.Script{{kernels.TopDown}, {kernels.BottomUp}} {
		var stats bsp.Statistics
		parents := make([]uint32, list.Vertices)
		s := bsp.Search{Root: h.place.RankOf[0], Director: d, Parents: parents, Statistics: &stats, Examined: true}
		if _, err := h.loop.Search(context.Background(), s); err != nil {
			t.Fatal(err)
		}
		levels := stats.All()
		if len(levels) < 2 || levels[1].Frontier != 94 {
			t.Fatalf("%d levels", len(levels))
		}
		for _, l := range levels {
			if *l.EdgesExamined > 0 && (l.LongestTurns == nil || *l.LongestTurns >= 16) {
				t.Errorf("%s: level %d: turns %v", l.Direction, l.Level, l.LongestTurns)
			}
		}
		if l := levels[1]; d[0] == kernels.TopDown && *l.LongestTurns != 8 { // of a piece
			t.Errorf("the hub's level: %v turns", *l.LongestTurns)
		}
	}
}
