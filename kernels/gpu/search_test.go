package gpu_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/gen"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/cpu"
	"github.com/totemgo/totemgo/kernels/gpu"
	"github.com/totemgo/totemgo/partition"
)

// hybrid is a graph on a list of processors, CPUs and devices.
type hybrid struct {
	list  *graph.EdgeList
	place *partition.Placement
	loop  *bsp.BFS
}

// newHybrid places list on cpus CPU processors of one thread, followed by one device
// processor for each of devices.
func newHybrid(t testing.TB, list *graph.EdgeList, o partition.Options, cpus int, program *gpu.Program, devices ...gpu.Options) *hybrid {
	t.Helper()
	var procs []kernels.Processor
	for i := 0; i < cpus; i++ {
		o.Processors = append(o.Processors, partition.Processor{Name: "cpu:1"})
		procs = append(procs, cpu.New(1))
	}
	for _, d := range devices {
		o.Processors = append(o.Processors, partition.Processor{Name: "opencl:0", Device: true})
		p, err := gpu.New(program, d)
		if err != nil {
			t.Fatal(err)
		}
		procs = append(procs, p)
	}
	o.Threads = 1
	h := &hybrid{list: list}
	var err error
	if h.place, err = partition.New(context.Background(), list, o); err != nil {
		t.Fatal(err)
	}
	for i, p := range procs {
		if err := p.Load(context.Background(), h.place.Part(i)); err != nil {
			t.Fatal(err)
		}
	}
	h.loop = searches(t, procs, h.place)
	t.Cleanup(func() {
		h.loop.Close()
		for _, p := range procs {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
		h.place.Close()
	})
	return h
}

// search returns the parents of a search from the vertex of the lowest rank.
func (h *hybrid) search(t testing.TB, d bsp.Director) (root uint32, parents []uint32) {
	t.Helper()
	root = h.place.VertexOf[0]
	parents = make([]uint32, h.list.Vertices)
	for v := range parents {
		parents[v] = graph.None
	}
	if _, err := h.loop.Search(context.Background(), bsp.Search{Root: 0, Director: d, Parents: parents}); err != nil {
		t.Fatal(err)
	}
	return root, parents
}

var directions = []bsp.Script{
	{kernels.TopDown}, {kernels.BottomUp}, {kernels.TopDown, kernels.BottomUp, kernels.BottomUp, kernels.TopDown},
}

func kronecker(t testing.TB, scale int) *graph.EdgeList {
	t.Helper()
	list, err := gen.Make(context.Background(), gen.KroneckerOptions{Scale: scale, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestHybridSearch runs searches of CPU and device together.
func TestHybridSearch(t *testing.T) {
	program := build(t, openCL(t), gpu.BuildOptions{})
	list := kronecker(t, 11)
	for _, c := range []struct {
		cpus    int
		devices []gpu.Options
		place   partition.Options
	}{
		{1, []gpu.Options{{}}, partition.Options{}},
		{1, []gpu.Options{{}}, partition.Options{Shares: []float64{0.9, 0.1}}},
		{1, []gpu.Options{{}, {}}, partition.Options{}},
		{0, []gpu.Options{{}}, partition.Options{}},
		{0, []gpu.Options{{}, {}}, partition.Options{Policy: partition.HubsOnCPU}},
		{1, []gpu.Options{{}}, partition.Options{Policy: partition.Random, Seed: 1}},
		{1, []gpu.Options{{}}, partition.Options{Policy: partition.HubsOnGPU}},
	} {
		t.Run(fmt.Sprintf("cpus=%d/devices=%v/policy=%s/shares=%v", c.cpus, c.devices, c.place.Policy, c.place.Shares), func(t *testing.T) {
			h := newHybrid(t, list, c.place, c.cpus, program, c.devices...)
			for _, d := range directions {
				root, parents := h.search(t, d)
				if err := ref.CheckTree(list, root, parents); err != nil {
					t.Errorf("directions %v: %v", d, err)
				}
			}
		})
	}
}
