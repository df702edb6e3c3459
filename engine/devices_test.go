package engine

import (
	"context"
	"fmt"
	"testing"

	"github.com/totemgo/totemgo/kernels/gpu"
	"github.com/totemgo/totemgo/kernels/gpu/device"
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

// TestTableSpeed: the speeds of kinds of processors, in CPU threads.
func TestTableSpeed(t *testing.T) {
	for _, c := range []struct {
		name string
		info DeviceInfo
		want float64
	}{
		{"cpu:3", DeviceInfo{}, 3},
		{"opencl:0", DeviceInfo{HostCPU: true, Unified: true, ComputeUnits: 8}, 8}, // PoCL
		{"opencl:0", DeviceInfo{Unified: true, ComputeUnits: 96}, speedIntegrated},
		{"opencl:0", DeviceInfo{ComputeUnits: 132}, speedDiscrete},
		{"cuda:0", DeviceInfo{Bandwidth: 2000e9}, 80},
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
	if got := (*Devices)(nil).rate(Processor{Kind: "opencl"}, &Options{}); got != speedDiscrete {
		t.Errorf("a device that is not open: %v", got)
	}
}

// described is a device that has nothing but a description.
type described struct {
	device.Device
	info DeviceInfo
}

func (d described) Info() device.Info { return d.info }
