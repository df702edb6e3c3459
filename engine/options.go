package engine

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/cpu"
	"github.com/totemgo/totemgo/kernels/gpu"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/partition"
	"github.com/totemgo/totemgo/record"
)

// Options configure an engine. The zero value runs on all cores with a placement and
// a director chosen for the graph.
type Options struct {
	// Processors lists the processors, one partition each; none means one CPU
	// processor of all threads. See ParseProcessors.
	Processors []Processor
	// Threads is the most threads of any CPU processor, and of all together that have no
	// number of their own: these share what the others leave, with one each at least.
	// 0 means GOMAXPROCS.
	Threads int
	// Placement is the rule that gives each vertex to a processor; partition.Auto
	// chooses by the graph.
	Placement partition.Policy
	// Assignment is the processor of each vertex (by dense id) for
	// partition.Assigned.
	Assignment []uint8
	// Shares are the fractions of adjacency entries per processor, adding up to 1,
	// what TwoEnded gives included; nil leaves them to the placement.
	Shares []float64
	// Seed drives partition.Random.
	Seed uint64
	// TwoEnded is the part of the arcs at the top of the degree order that goes to
	// the first device (Totem's λ); 0 for none.
	TwoEnded float64
	// Director names the rule that chooses between top-down and bottom-up:
	// "" and "auto", or another of bsp.Directors.
	Director bsp.DirectorName
	// NewDirector, if set, makes the director of each search and overrides Director.
	NewDirector func() bsp.Director
	// Rates are the costs that "auto" predicts from; zero lets New measure them, which
	// takes less time than a search. Results do not depend on them, directions do.
	Rates bsp.Rates
	// MemoryLimit is the number of bytes that New may take, the graph given to it not
	// counted; 0 means 80% of the smaller of the control group's limit and the
	// available memory; negative means no limit.
	MemoryLimit int64
	// Consume lets New free the graph given to it: an EdgeList loses its records, a
	// CSR its rows. Labels are kept.
	Consume bool
	// Drivers are the drivers of devices besides the system's OpenCL, such as package cuda's;
	// one of kind "opencl" takes the place of that.
	Drivers []device.Driver
	// Devices are opened devices to use, as OpenDevices returned them; nil lets New
	// open and Close close them.
	Devices *Devices
	// DeviceGraph is where the adjacency of devices lies: "" or "device", in their memory;
	// "host", in the host's, read in place; "split", in theirs while it fits, the rest as
	// with "host". The last two need devices that read the host's memory in place.
	DeviceGraph gpu.GraphPlacement
	// ReleaseHost frees the host's copy of a device's rows once they are loaded, but for
	// the offsets: 4 bytes a vertex.
	ReleaseHost bool
	// Speeds, if given, are the speeds of processors, from which default shares follow. A
	// processor without one counts by a table of kinds, in proportion to those with one.
	Speeds []record.Speed
	// GPUStrategy is the load balancing of top-down steps on devices, GPUBottomUp the
	// strategy of bottom-up steps.
	GPUStrategy, GPUBottomUp gpu.Strategy
	// Kernels names the inner loops of the CPU processors: "" and "auto" for those that New
	// measures to be the quickest, one of cpu.Kernels, or a list such as
	// "probe=generic,settle=avx2", whose other loops are "auto".
	Kernels string
	// Tuning holds the limits between a CPU processor's ways to run a step; nil for
	// cpu.DefaultTuning.
	Tuning *cpu.Tuning
	// NoKernelCache builds device kernels anew instead of keeping them in the user's
	// cache folder.
	NoKernelCache bool
	// Logger gets what New decides; nil is silent.
	Logger *slog.Logger
	// Progress, if set, is called from several goroutines while New builds.
	Progress func(done, total int64)
}

// memoryPart is the part of the memory at hand that an engine takes at most.
const memoryPart = 0.8

// DefaultMemoryLimit is 80% of the smaller of the control group's limit and the
// available memory, in bytes; 0 where neither is known.
func DefaultMemoryLimit() int64 { return int64(memoryPart * float64(hugemem.Available())) }

// Check returns every fault that the options show by themselves, without a graph; New
// finds the same and more. The errors wrap ErrOptions.
func (o Options) Check() error {
	o.Processors = append([]Processor(nil), o.Processors...)
	return o.ensureDefaults()
}

// ensureDefaults fills in what is left open and returns all faults together.
func (o *Options) ensureDefaults() error {
	var errs []error
	if o.Threads < 0 {
		errs = append(errs, fmt.Errorf("%w: %d threads", ErrOptions, o.Threads))
	}
	procs := runtime.GOMAXPROCS(0)
	if o.Threads <= 0 || o.Threads > procs {
		o.Threads = procs
	}
	if len(o.Processors) == 0 {
		o.Processors = []Processor{{Kind: CPU}}
	}
	sharing, left := 0, o.Threads
	for i := range o.Processors {
		p := &o.Processors[i]
		switch p.Kind {
		case CPU:
			if p.Threads < 0 {
				errs = append(errs, fmt.Errorf("%w: processor %d has %d threads", ErrOptions, i, p.Threads))
			}
			if p.Threads = min(p.Threads, o.Threads); p.Threads == 0 {
				sharing++
			}
			left -= p.Threads
		default:
			if kinds := o.kinds(); !slices.Contains(kinds, p.Kind.String()) {
				errs = append(errs, fmt.Errorf("%w: unknown processor %q; known are cpu, cpu:THREADS, %s:N", ErrOptions, p.Kind, strings.Join(kinds, ":N, ")))
			}
			if p.Device < 0 || p.Memory < 0 {
				errs = append(errs, fmt.Errorf("%w: processor %d is device %d with %d bytes of memory", ErrOptions, i, p.Device, p.Memory))
			}
		}
	}
	// Numbers that add up to more than there are shrink, the largest first, to one each.
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
	placing := partition.Options{Policy: o.Placement, Shares: o.Shares, TwoEnded: o.TwoEnded, Processors: make([]partition.Processor, len(o.Processors))}
	if err := placing.Check(); err != nil {
		errs = append(errs, fmt.Errorf("%w: %w", ErrOptions, err))
	}
	if o.Director == "" {
		o.Director = bsp.DirectorAuto
	}
	if _, err := bsp.NewDirector(o.Director, o.Rates); err != nil && o.NewDirector == nil {
		errs = append(errs, fmt.Errorf("%w: %w", ErrOptions, err))
	}
	for _, p := range o.Processors {
		if _, err := o.speed(p); err != nil {
			errs = append(errs, err)
		}
	}
	if err := o.gpuOptions(0).Validate(); err != nil {
		errs = append(errs, fmt.Errorf("%w: %w", ErrOptions, err))
	}
	if err := cpu.New(1).Use(o.Kernels); err != nil {
		errs = append(errs, fmt.Errorf("%w: %w", ErrOptions, err))
	}
	if o.Tuning == nil {
		t := cpu.DefaultTuning()
		o.Tuning = &t
	}
	if err := o.Tuning.Validate(); err != nil {
		errs = append(errs, fmt.Errorf("%w: %w", ErrOptions, err))
	}
	if o.MemoryLimit == 0 {
		o.MemoryLimit = DefaultMemoryLimit()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return errors.Join(errs...)
}

// gpuOptions are those of a processor on a device with so much memory for its part; 0 is
// no bound.
func (o *Options) gpuOptions(memory int64) gpu.Options {
	return gpu.Options{TopDown: o.GPUStrategy, BottomUp: o.GPUBottomUp, Graph: o.DeviceGraph, Memory: memory}
}

// inPlace tells that adjacency of devices may lie in the host's memory.
func (o *Options) inPlace() bool { return o.DeviceGraph != gpu.OnDevice }

// oneWay returns the direction of all searches if the director has only one.
func (o *Options) oneWay() (d kernels.Direction, only bool) {
	if o.NewDirector != nil {
		return 0, false
	}
	made, err := bsp.NewDirector(o.Director, o.Rates)
	one, only := made.(bsp.OneWay)
	if err != nil || !only {
		return 0, false
	}
	return one.Direction(), true
}
