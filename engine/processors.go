package engine

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/workers"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/gpu"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/partition"
)

// Kind is the kind of a processor: CPU, or that of a device's driver.
type Kind = kernels.Kind

// The kinds of this module. Options.Drivers may bring others.
const (
	CPU    = kernels.CPU
	OpenCL = kernels.OpenCL
	CUDA   = kernels.CUDA
)

// Processor is one processor of an engine.
type Processor struct {
	// Kind is CPU, OpenCL, CUDA or the kind of one of Options.Drivers.
	Kind Kind
	// Threads is the number of threads of a CPU processor; 0 is a share of the
	// Options.Threads that others leave, at least 1.
	Threads int
	// Device is the number of a device among those of its kind.
	Device int
	// Memory limits the bytes of the processor's part of the graph. 0 is no limit for a CPU
	// and 80% of its memory for a device.
	Memory int64
	// Optional lets New and OpenDevices leave the processor out if its device cannot be opened, built
	// for or loaded, or does not pay (ErrNoGain): other processors, or else a CPU, take its part. See Options.LeftOut.
	Optional bool
}

// String is the form that ParseProcessors reads.
func (p Processor) String() string {
	switch {
	case p.Kind == CPU && p.Threads == 0:
		return p.Kind.String()
	case p.Kind == CPU:
		return p.Kind.String() + ":" + strconv.Itoa(p.Threads)
	}
	return p.Kind.String() + ":" + strconv.Itoa(p.Device)
}

// same reports that p and q have one name.
func (p Processor) same(q Processor) bool { return p.String() == q.String() }

// ParseProcessors reads a list such as "cpu", "cpu:2", "cpu:1,cpu:1" or "cpu,opencl:0":
// kinds, each with a number of threads or of a device. It looks for no driver: New and
// OpenDevices do. The error wraps ErrOptions.
func ParseProcessors(s string) ([]Processor, error) {
	var list []Processor
	for _, f := range strings.Split(s, ",") {
		kind, num, has := strings.Cut(strings.TrimSpace(f), ":")
		var p Processor
		n := 0
		if has {
			var err error
			if n, err = strconv.Atoi(num); err != nil || n < 0 {
				return nil, fmt.Errorf("%w: processor %q: %q is no number", ErrOptions, f, num)
			}
		}
		if err := p.Kind.UnmarshalText([]byte(kind)); err != nil {
			return nil, fmt.Errorf("%w: processor %q has no kind", ErrOptions, f)
		}
		switch {
		case p.Kind != CPU:
			p.Device = n
		case has && n == 0:
			return nil, fmt.Errorf("%w: processor %q has no threads", ErrOptions, f)
		default:
			p.Threads = n
		}
		list = append(list, p)
	}
	return list, nil
}

// kinds lists the kinds of devices that processors may have. CUDA without a driver is one
// of them: its error names the driver that is missing.
func (o *Options) kinds() []string {
	kinds := []string{OpenCL.String(), CUDA.String()}
	for _, d := range o.Drivers {
		if !slices.Contains(kinds, d.Kind()) {
			kinds = append(kinds, d.Kind())
		}
	}
	return kinds
}

// shareThreads sets the processors and their threads where the options leave them open. It
// hands the faults of both, by field, to check.
func (o *Options) shareThreads(check func(field string, err error) bool) {
	if o.Threads < 0 {
		check("Threads", fmt.Errorf("%d threads", o.Threads))
	}
	if o.Threads <= 0 {
		named := 0
		for _, p := range o.Processors {
			named += max(p.Threads, 0)
		}
		o.Threads = max(workers.Count(0), named)
	}
	o.Threads = min(o.Threads, runtime.GOMAXPROCS(0))
	if o.Processors = slices.Clone(o.Processors); len(o.Processors) == 0 {
		o.Processors = []Processor{{Kind: CPU}}
	}
	sharing, left, kinds := 0, o.Threads, o.kinds()
	for i := range o.Processors {
		p := &o.Processors[i]
		if p.Kind == CPU {
			if p.Threads < 0 {
				check("Processors", fmt.Errorf("processor %d has %d threads", i, p.Threads))
			}
			if p.Threads = min(p.Threads, o.Threads); p.Threads == 0 {
				sharing++
			}
			left -= p.Threads
			continue
		}
		if !slices.Contains(kinds, p.Kind.String()) {
			check("Processors", fmt.Errorf("unknown processor %q; known are cpu, cpu:THREADS, %s:N", p.Kind, strings.Join(kinds, ":N, ")))
		}
		if p.Device < 0 || p.Memory < 0 {
			check("Processors", fmt.Errorf("processor %d is device %d with %d bytes of memory", i, p.Device, p.Memory))
		}
	}
	// Lower the largest numbers, to one thread each, until the sum is at most o.Threads.
	for left < sharing {
		most := -1
		for i, p := range o.Processors {
			if p.Kind == CPU && p.Threads > 1 && (most < 0 || p.Threads > o.Processors[most].Threads) {
				most = i
			}
		}
		if most < 0 {
			break
		}
		o.Processors[most].Threads--
		left++
	}
	for i := range o.Processors {
		if p := &o.Processors[i]; p.Kind == CPU && p.Threads == 0 {
			p.Threads = max(1, (left+sharing-1)/sharing)
			left -= p.Threads
			sharing--
		}
	}
}

// autoEdges is the number of edges from which a GPU pays: opening its driver takes as long
// as hundreds of searches of a smaller graph on the CPU.
const autoEdges = 1 << 20

// GraphSize is the size of a graph that need not exist yet. Isolated of its vertices have no edges; Hubs says that the
// largest degree is partition.HubRatio times the mean. Records are its edges as read, with duplicates and self-loops,
// which placing leaves out; 0 is as many as Edges.
type GraphSize struct {
	Vertices, Isolated, Edges int64
	Records                   int64
	Directed, Hubs            bool
	Weights                   graph.WeightKind
}

// AutoProcessors chooses processors for a graph and returns o with them. It chooses the CPU below
// 2^20 edges, without o.Probe, or if o.Probe lists no GPU; one discrete GPU if one holds the graph; else
// the CPU with all GPUs. It opens no driver itself, and makes devices Optional. deviceMemory is the
// Memory of each device chosen, in bytes. It skips devices that are the host's CPU, the OpenCL twins
// of the cards that CUDA lists, and, if o.DeviceGraph is not gpu.OnDevice, devices that cannot
// read host memory in place.
func AutoProcessors(ctx context.Context, size GraphSize, deviceMemory int64, o Options) Options {
	o.Processors = []Processor{{Kind: CPU}}
	if size.Edges < autoEdges || o.Probe == nil {
		return o
	}
	list, err := o.Probe(ctx)
	if err != nil {
		return o
	}
	o.Processors = choose(list, size, deviceMemory, o.DeviceGraph)
	return o
}

// choose is AutoProcessors for a large graph and a list of devices.
func choose(list []device.Info, size GraphSize, deviceMemory int64, where gpu.GraphPlacement) []Processor {
	structures := 1
	if size.Directed {
		structures = 2
	}
	part := partition.PartSize{Entries: 2 * size.Edges, Rows: size.Vertices, Ranks: size.Vertices, Structures: structures, Offset: 8}
	need := partition.PartBytes(part) + partition.DeviceBytes(size.Vertices, size.Vertices)
	hybrid := []Processor{{Kind: CPU}}
	var alone []Processor // the discrete GPU with the most memory that holds the graph
	most := int64(-1)
	for _, d := range list {
		if d.HostCPU || where != gpu.OnDevice && !d.InPlace || byCUDA(d, list) {
			continue
		}
		p, err := ParseProcessors(d.Name)
		if err != nil {
			continue // the driver's name has no number
		}
		p[0].Memory, p[0].Optional = deviceMemory, true
		hybrid = append(hybrid, p...)
		room := int64(deviceMemoryPart * float64(d.Memory))
		if deviceMemory > 0 {
			room = deviceMemory
		}
		if room >= need && where != gpu.OnHost && !d.Unified && d.Memory > most {
			alone, most = p, d.Memory
		}
	}
	if alone != nil {
		return alone
	}
	return hybrid
}

// byCUDA reports that CUDA lists the card of d under another name: one at the same PCI address, or
// of the same vendor where one of the two addresses is unknown.
func byCUDA(d device.Info, list []device.Info) bool {
	return Kind(d.Kind) != CUDA && slices.ContainsFunc(list, func(c device.Info) bool {
		known := c.Bus != "" && d.Bus != ""
		return Kind(c.Kind) == CUDA && (known && c.Bus == d.Bus || !known && c.Vendor == d.Vendor)
	})
}
