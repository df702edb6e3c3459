package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/kernels/gpu"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/record"
)

func TestChoose(t *testing.T) {
	const gib = 1 << 30
	pocl := DeviceInfo{Name: "opencl:0", Kind: "opencl", Memory: 64 * gib, HostCPU: true}
	small := DeviceInfo{Name: "opencl:1", Kind: "opencl", Memory: gib}
	large := DeviceInfo{Name: "opencl:2", Kind: "opencl", Memory: 80 * gib}
	shared := DeviceInfo{Name: "opencl:3", Kind: "opencl", Memory: 80 * gib, Unified: true, InPlace: true}
	card := DeviceInfo{Name: "cuda:0", Kind: "cuda", Vendor: "NVIDIA Corporation", Memory: gib, InPlace: true}
	again := DeviceInfo{Name: "opencl:0", Kind: "opencl", Vendor: card.Vendor, Memory: gib}
	other := DeviceInfo{Name: "opencl:1", Kind: "opencl", Vendor: "AMD", Memory: gib}
	at := func(d DeviceInfo, bus string) DeviceInfo { d.Bus = bus; return d }
	for _, c := range []struct {
		devices []DeviceInfo
		edges   int64
		want    string
	}{
		{[]DeviceInfo{at(card, "0000:3b:00"), at(again, "0000:3b:00"), other}, 1 << 30, "[cpu cuda:0 opencl:1]"},
		{[]DeviceInfo{at(card, "0000:3b:00"), at(again, "0000:5e:00"), other}, 1 << 30, "[cpu cuda:0 opencl:0 opencl:1]"},
		{[]DeviceInfo{at(card, "0000:3b:00"), again}, 1 << 30, "[cpu cuda:0]"},
		{[]DeviceInfo{card, at(again, "0000:3b:00")}, 1 << 30, "[cpu cuda:0]"},
		{[]DeviceInfo{card, again}, 1 << 20, "[cuda:0]"},
		{[]DeviceInfo{card, again, other}, 1 << 30, "[cpu cuda:0 opencl:1]"},
		{[]DeviceInfo{again, other}, 1 << 30, "[cpu opencl:0 opencl:1]"},
		{nil, 1 << 20, "[cpu]"},
		{[]DeviceInfo{pocl}, 1 << 20, "[cpu]"},
		{[]DeviceInfo{pocl, small}, 1 << 20, "[opencl:1]"},
		{[]DeviceInfo{pocl, small}, 1 << 30, "[cpu opencl:1]"},
		{[]DeviceInfo{small, large}, 1 << 30, "[opencl:2]"},
		{[]DeviceInfo{small, large}, 1 << 36, "[cpu opencl:1 opencl:2]"},
		{[]DeviceInfo{shared}, 1 << 20, "[cpu opencl:3]"},
	} {
		if got := fmt.Sprint(choose(c.devices, GraphSize{Vertices: 1 << 16, Edges: c.edges}, 0, gpu.OnDevice)); got != c.want {
			t.Errorf("%d edges on %d devices: %s, want %s", c.edges, len(c.devices), got, c.want)
		}
	}
	if got := fmt.Sprint(choose([]DeviceInfo{large}, GraphSize{Vertices: 1 << 16, Edges: 1 << 20}, 1<<20, gpu.OnDevice)); got != "[cpu opencl:2]" {
		t.Errorf("with 1 MiB of the device: %s", got)
	}
	for _, c := range []struct {
		devices []DeviceInfo
		graph   gpu.GraphPlacement
		edges   int64
		want    string
	}{
		{[]DeviceInfo{large}, gpu.OnDevice, 1 << 20, "[opencl:2]"},
		{[]DeviceInfo{large}, gpu.OnHost, 1 << 20, "[cpu]"},
		{[]DeviceInfo{large}, gpu.Split, 1 << 20, "[cpu]"},
		{[]DeviceInfo{large, card}, gpu.OnHost, 1 << 20, "[cpu cuda:0]"},
		{[]DeviceInfo{large, card}, gpu.Split, 1 << 20, "[cuda:0]"},
		{[]DeviceInfo{large, card}, gpu.Split, 1 << 30, "[cpu cuda:0]"},
		{[]DeviceInfo{pocl, shared}, gpu.OnHost, 1 << 20, "[cpu opencl:3]"},
	} {
		if got := fmt.Sprint(choose(c.devices, GraphSize{Vertices: 1 << 16, Edges: c.edges}, 0, c.graph)); got != c.want {
			t.Errorf("%d edges, graph on %s: %s, want %s", c.edges, c.graph, got, c.want)
		}
	}
}

// TestAutoProcessors: a small graph probes nothing, and without a probe, or a device, there is the CPU.
func TestAutoProcessors(t *testing.T) {
	large := []DeviceInfo{{Name: "opencl:2", Kind: "opencl", Memory: 80 << 30}}
	for _, c := range []struct {
		edges   int64
		devices []DeviceInfo
		err     error
		want    string
		times   int
	}{
		{0, large, nil, "[cpu]", 0},
		{1<<20 - 1, large, nil, "[cpu]", 0},
		{1 << 20, large, nil, "[opencl:2]", 1},
		{1 << 20, nil, nil, "[cpu]", 1},
		{1 << 20, large, ErrNoDevice, "[cpu]", 1},
	} {
		times := 0
		size := GraphSize{Vertices: 1 << 10, Edges: c.edges}
		o := AutoProcessors(t.Context(), size, 1<<40, Options{Probe: func(context.Context) ([]DeviceInfo, error) {
			times++
			return c.devices, c.err
		}})
		p := o.Processors[0]
		if got := fmt.Sprint(o.Processors); got != c.want || times != c.times || p.Optional != (p.Kind != CPU) || (p.Memory == 1<<40) != (p.Kind != CPU) {
			t.Errorf("%d edges: %s, want %s; probed %d times; %+v", c.edges, got, c.want, times, p)
		}
		o = AutoProcessors(t.Context(), size, 0, Options{Drivers: []device.Driver{panics{}}})
		if got := fmt.Sprint(o.Processors); got != "[cpu]" {
			t.Errorf("%d edges without a probe: %s", c.edges, got)
		}
	}
}

// panics is a driver that nobody may ask.
type panics struct{ device.Driver }

// TestUnmeasured: the speeds of processors that nobody measured, in CPU threads.
func TestUnmeasured(t *testing.T) {
	for _, c := range []struct {
		name string
		info DeviceInfo
		want float64
	}{
		{"cpu:3", DeviceInfo{}, 3},
		{"opencl:0", DeviceInfo{HostCPU: true, Unified: true, ComputeUnits: 8}, 8}, // PoCL
		{"opencl:0", DeviceInfo{ComputeUnits: 132}, speedUnmeasured},
	} {
		p, err := ParseProcessors(c.name)
		if err != nil {
			t.Fatal(err)
		}
		d := &Devices{}
		if p[0].Kind != "cpu" {
			d.open = map[string]*openDevice{c.name: {dev: described{info: c.info}}}
		}
		if got := d.rate(p[0], &Options{}); got != c.want {
			t.Errorf("%s, %+v: %v, want %v", c.name, c.info, got, c.want)
		}
	}
	if got := (*Devices)(nil).rate(Processor{Kind: "opencl"}, &Options{}); got != speedUnmeasured {
		t.Errorf("a device that is not open: %v", got)
	}
}

// TestKeepPaying: Optional devices are left out, slowest first, where a search without them is predicted to take
// less time; others stay.
func TestKeepPaying(t *testing.T) {
	const edges = 1 << 24
	cpu := clocked{edge: 1e-9, step: 1e-6}
	for _, c := range []struct {
		name     string
		list     string
		lists    map[string]clocked
		optional bool
		want     string
	}{
		{"both pay", "cpu,opencl:0,opencl:1", map[string]clocked{"cpu opencl:0 opencl:1": {1e-10, 1e-4}, "cpu opencl:0": {3e-10, 1e-4}}, true, "cpu opencl:0 opencl:1"},
		{"one is slow", "cpu,opencl:0,opencl:1", map[string]clocked{"cpu opencl:0 opencl:1": {9e-10, 1e-4}, "cpu opencl:0": {3e-10, 1e-4}}, true, "cpu opencl:0"},
		{"steps are long", "cpu,opencl:0,opencl:1", map[string]clocked{"cpu opencl:0 opencl:1": {1e-10, 1}, "cpu opencl:0": {3e-10, 1}}, true, "cpu"},
		{"a slow one alone", "opencl:1", map[string]clocked{"opencl:1": {2e-9, 1e-6}}, true, "cpu"},
		{"a fast one alone", "opencl:1", map[string]clocked{"opencl:1": {1e-10, 1e-6}}, true, "opencl:1"},
		{"named by the user", "cpu,opencl:0,opencl:1", nil, false, "cpu opencl:0 opencl:1"},
	} {
		procs, err := ParseProcessors(c.list)
		if err != nil {
			t.Fatal(err)
		}
		left := 0
		o := Options{Processors: procs, LeftOut: func(p Processor, err error) {
			left++
			if !errors.Is(err, ErrNoGain) || p.Kind == CPU {
				t.Errorf("%s: %s: %v", c.name, p, err)
			}
		}}
		o.Speeds = []record.Speed{{Processor: "cpu", EdgesPerS: 1e9}, {Processor: "opencl:0", EdgesPerS: 1e10}, {Processor: "opencl:1", EdgesPerS: 1e8}}
		for i := range o.Processors {
			o.Processors[i].Optional = c.optional && o.Processors[i].Kind != CPU
		}
		names := func(procs []Processor) string {
			var names []string
			for _, p := range procs {
				name, _, isCPU := strings.Cut(p.String(), "cpu")
				if isCPU { // whatever its threads
					name = "cpu"
				}
				names = append(names, name)
			}
			return strings.Join(names, " ")
		}
		err = (&Devices{}).keepPaying(&o, edges, func(procs []Processor) (clocked, error) {
			if r, is := c.lists[names(procs)]; is {
				return r, nil
			}
			if names(procs) != "cpu" {
				t.Errorf("%s: %s is clocked", c.name, names(procs))
			}
			return cpu, nil
		})
		if got := names(o.Processors); err != nil || got != c.want || (left > 0) != (c.want != strings.ReplaceAll(c.list, ",", " ")) {
			t.Errorf("%s: %s, %d left out, %v, want %s", c.name, got, left, err, c.want)
		}
	}
}

// TestSample: the graph that speeds are measured on has hubs, and a size within its limits.
func TestSample(t *testing.T) {
	for edges, scale := range map[int64]int{1: sampleLeast, autoEdges: sampleLeast, 1 << 24: 16, 1 << 40: sampleLargest} {
		g := sample(edges, 2)
		if !slices.Equal(g.Edges, sample(edges, 1).Edges) {
			t.Errorf("%d edges: the sample depends on the threads", edges)
		}
		degree := make([]int, g.Vertices)
		for _, e := range g.Edges {
			degree[e.U]++
			degree[e.V]++
		}
		if g.Vertices != 1<<scale || len(g.Edges) != sampleDegree<<scale || slices.Max(degree) < g.Vertices/32 {
			t.Errorf("%d edges: %d vertices, %d edges, degrees up to %d", edges, g.Vertices, len(g.Edges), slices.Max(degree))
		}
	}
}

// described is a device that has nothing but a description.
type described struct {
	device.Device
	info DeviceInfo
}

func (d described) Info() device.Info { return d.info }
