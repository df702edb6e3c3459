package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/totemgo/totemgo/kernels/gpu"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/partition"
)

// Processor is one processor of an engine.
type Processor struct {
	// Kind is "cpu", "opencl", or that of one of Options.Drivers, such as "cuda".
	Kind string
	// Threads is the number of threads of a CPU processor; 0 means a share of those that
	// Options.Threads allows.
	Threads int
	// Device is the number of a device.
	Device int
	// Memory is the number of bytes that its part of the graph may take; 0 means
	// no bound.
	Memory int64
}

// String is the form that ParseProcessors reads.
func (p Processor) String() string {
	switch {
	case p.Kind == "cpu" && p.Threads == 0:
		return "cpu"
	case p.Kind == "cpu":
		return "cpu:" + strconv.Itoa(p.Threads)
	}
	return p.Kind + ":" + strconv.Itoa(p.Device)
}

// ParseProcessors reads a list such as "cpu", "cpu:2", "cpu:1,cpu:1" or
// "cpu,opencl:0": kinds with a number of threads or of a device. Whether there is such a
// kind and device shows when New or OpenDevices looks for its driver. The error wraps ErrOptions.
func ParseProcessors(s string) ([]Processor, error) {
	var list []Processor
	for _, f := range strings.Split(s, ",") {
		kind, num, has := strings.Cut(strings.TrimSpace(f), ":")
		n := 0
		if has {
			var err error
			if n, err = strconv.Atoi(num); err != nil || n < 0 {
				return nil, fmt.Errorf("%w: processor %q: %q is no number", ErrOptions, f, num)
			}
		}
		switch {
		case kind == "":
			return nil, fmt.Errorf("%w: processor %q has no kind", ErrOptions, f)
		case kind != "cpu":
			list = append(list, Processor{Kind: kind, Device: n})
		case has && n == 0:
			return nil, fmt.Errorf("%w: processor %q has no threads", ErrOptions, f)
		default:
			list = append(list, Processor{Kind: kind, Threads: n})
		}
	}
	return list, nil
}

// kinds are those of devices that processors may be of: cuda without a driver too, whose
// error says what it needs.
func (o *Options) kinds() []string {
	kinds := []string{"opencl", "cuda"}
	for _, d := range o.Drivers {
		if !slices.Contains(kinds, d.Kind()) {
			kinds = append(kinds, d.Kind())
		}
	}
	return kinds
}

// partitions is the number of processors on each device, by name.
func (o *Options) partitions() map[string]int {
	n := map[string]int{}
	for _, p := range o.Processors {
		n[p.String()]++
	}
	return n
}

// autoEdges is the number of edges below which no GPU pays: opening its driver takes longer
// than the CPU takes for hundreds of searches.
const autoEdges = 1 << 20

// AutoProcessors chooses processors for a graph of so many vertices and edges: the CPU alone
// below 2^20 edges, where no driver is opened, or without a GPU; one discrete GPU where one
// holds the graph; else the CPU with all GPUs. Of each device memory bytes may be taken, 0
// for 80% of what it has. deviceGraph is Options.DeviceGraph: where it leaves adjacency in
// the host's memory, GPUs that do not read that in place are left out. A device that is the
// host's own CPU is never chosen, nor a card by OpenCL that CUDA lists. drivers are those of
// ListDevices.
func AutoProcessors(vertices, edges int64, directed bool, memory int64, deviceGraph string, drivers ...device.Driver) []Processor {
	if edges >= autoEdges {
		if list, err := ListDevices(drivers...); err == nil {
			return choose(list, vertices, edges, directed, memory, deviceGraph)
		}
	}
	return []Processor{{Kind: "cpu"}}
}

// choose is AutoProcessors for a large graph on a list of devices.
func choose(list []DeviceInfo, vertices, edges int64, directed bool, memory int64, deviceGraph string) []Processor {
	o := Options{DeviceGraph: deviceGraph}
	byCUDA := map[string]bool{} // vendors
	for _, d := range list {
		byCUDA[d.Vendor] = byCUDA[d.Vendor] || d.Kind == "cuda"
	}
	structures, entries := 1, 2*edges
	if directed {
		structures = 2
	}
	need := partition.PartBytes(entries, vertices, vertices, structures, 8, 0) + partition.DeviceBytes(vertices)
	hybrid := []Processor{{Kind: "cpu"}}
	best := -1
	for i, d := range list {
		if d.HostCPU || o.inPlace() && !d.InPlace || d.Kind == "opencl" && byCUDA[d.Vendor] {
			continue
		}
		p, err := ParseProcessors(d.Name)
		if err != nil {
			continue // a name that does not say which device
		}
		hybrid = append(hybrid, p...)
		room := int64(deviceMemoryPart * float64(d.Memory))
		if memory > 0 {
			room = memory
		}
		holds := room >= need && deviceGraph != gpu.OnHost.String()
		if holds && !d.Unified && (best < 0 || d.Memory > list[best].Memory) {
			best = i
		}
	}
	if best >= 0 {
		p, _ := ParseProcessors(list[best].Name) // parsed above
		return p
	}
	return hybrid
}
