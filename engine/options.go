package engine

import (
	"context"
	"errors"
	"log/slog"
	"math"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/cpu"
	"github.com/totemgo/totemgo/kernels/gpu"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/partition"
	"github.com/totemgo/totemgo/record"
)

// Options configure an engine. The zero value runs on all cores and chooses placement and
// director by the graph.
type Options struct {
	// Processors lists the processors, one partition each; nil is one CPU processor with all
	// threads. See ParseProcessors and AutoProcessors.
	Processors []Processor
	// Threads is the number of threads of all CPU processors together, unless each needs one.
	// Those with Processor.Threads 0 share the threads that the others leave. 0 is
	// GOMAXPROCS, or the processors that the process may use if they are fewer; more than
	// GOMAXPROCS are GOMAXPROCS.
	Threads int
	// Placement assigns vertices to processors; partition.Auto, "", chooses by the graph.
	Placement partition.Policy
	// Assignment is the index of each vertex's processor, by dense id, for
	// partition.Assigned.
	Assignment []uint8
	// Shares are the fractions of the adjacency entries per processor, with sum 1. The first
	// device's includes TwoEnded. nil is by the processors' speeds.
	Shares []float64
	// Weights keeps the weights of the graph for programs, 4 or 8 bytes an arc. Without it every
	// arc of a program weighs 1.
	Weights bool
	// Multiplicities makes the number of its records the weight of an arc, instead of the graph's
	// own weights, and keeps the number of self-loops of each vertex: PageRankOptions.Multi needs
	// both. It takes Weights, and beside the graph, until it is placed, another 12 bytes a record
	// and graph.BuildBytes.
	Multiplicities bool
	// RunStatistics makes Run, and the algorithms that are programs, fill RunResult.Statistics: some
	// 0.5 µs a superstep.
	RunStatistics bool
	// Seed is the seed of partition.Random.
	Seed uint64
	// TwoEnded is the fraction of the arcs, from the highest degrees, that the first device
	// gets (Totem's λ), from 0 to below 1.
	TwoEnded float64
	// Director names the rule that chooses between top-down and bottom-up; "" is
	// bsp.DirectorAuto.
	Director bsp.DirectorName
	// NewDirector, if not nil, makes the director of each search instead.
	NewDirector func() bsp.Director
	// Rates are the costs by which bsp.DirectorAuto chooses; if zero, New measures them.
	// Levels do not depend on them, directions do.
	Rates bsp.Rates
	// MemoryLimit is the most bytes that New and runs may allocate beside the graph given to New. 0 is
	// DefaultMemoryLimit, a negative value is no limit.
	MemoryLimit int64
	// Consume lets New free the records of an EdgeList or the rows of a CSR given to it.
	// Labels remain.
	Consume bool
	// Drivers are drivers of devices. The system's OpenCL and CUDA are added unless one has
	// their kind.
	Drivers []device.Driver
	// Probe lists the devices that AutoProcessors may choose; nil lists none. A driver may crash or
	// hang: a program that must not do so lists them in another process. ListDevices loads the
	// drivers into this one.
	Probe func(ctx context.Context) ([]DeviceInfo, error)
	// LeftOut, if not nil, is called for each Optional processor that fails, or that New leaves out with ErrNoGain, with
	// the reason.
	LeftOut func(p Processor, err error)
	// Devices are the open devices of OpenDevices. If nil, New opens devices and
	// Engine.Close closes them.
	Devices *Devices
	// DeviceGraph is the memory of the devices' adjacency. All but gpu.OnDevice need devices
	// that read host memory in place.
	DeviceGraph gpu.GraphPlacement
	// ReleaseHost frees the host's copy of a device's rows after loading, except the offsets
	// (4 bytes a vertex).
	ReleaseHost bool
	// Speeds are measured speeds of processors, by which default Shares are computed. A
	// processor without one counts by its kind, in proportion to those with one. If nil, New measures them where a
	// device is among the processors and the graph has 2^20 edges.
	Speeds []record.Speed
	// Kernels names the kernels of CPU processors, as cpu.Processor.Use reads it; "" and
	// "auto" choose by measurement.
	Kernels string
	// Tuning holds the limits by which CPU processors choose how to step; nil is
	// cpu.DefaultTuning.
	Tuning *cpu.Tuning
	// NoKernelCache disables the cache of built device kernels in the user's cache folder.
	NoKernelCache bool
	// Logger receives the decisions of New; nil discards them.
	Logger *slog.Logger
	// Progress, if not nil, is called from several goroutines while New builds, in records.
	Progress func(done, total int64)
}

// memoryPart is the largest part of the available memory for an engine.
const memoryPart = 0.8

// DefaultMemoryLimit is 80% of the available memory, in bytes, or of what the limits of the process and its control groups
// leave if that is less; 0 if none is known.
func DefaultMemoryLimit() int64 { return int64(math.Ceil(memoryPart * float64(hugemem.Available()))) }

// Check returns all faults of the options that show without a graph, joined (errors.Join); New
// returns them too. Each is an *OptionError.
func (o Options) Check() error { return o.ensureDefaults() }

// ensureDefaults sets defaults and returns all faults.
func (o *Options) ensureDefaults() error {
	var errs []error
	check := func(field string, err error) bool {
		if err != nil {
			errs = append(errs, &OptionError{Field: field, Reason: err})
		}
		return err == nil
	}
	o.shareThreads(check)
	o.Weights = o.Weights || o.Multiplicities
	policy, owners := o.Placement, make([]partition.Processor, len(o.Processors))
	check("Processors", partition.Options{Processors: owners}.Check())
	if !check("Placement", partition.Options{Policy: policy}.Check()) {
		policy = partition.Auto
	}
	if o.Shares != nil {
		check("Shares", partition.Options{Policy: policy, Shares: o.Shares, Processors: owners}.Check())
	}
	check("TwoEnded", partition.Options{Policy: policy, TwoEnded: o.TwoEnded}.Check())
	if o.Director == "" {
		o.Director = bsp.DirectorAuto
	}
	if o.NewDirector == nil {
		_, err := bsp.NewDirector(o.Director, o.Rates)
		check("Director", err)
	}
	if r := o.Rates; !(min(r.ClaimNS, r.VisitNS, r.ProbeNS, r.WordNS) >= 0) {
		check("Rates", errors.New("one of the rates is less than 0 or no number"))
	}
	for _, p := range o.Processors {
		_, err := o.speed(p)
		check("Speeds", err)
	}
	check("DeviceGraph", gpu.Options{Graph: o.DeviceGraph}.Validate())
	check("Kernels", cpu.New(1).Use(o.Kernels))
	if o.Tuning == nil {
		t := cpu.DefaultTuning()
		o.Tuning = &t
	}
	check("Tuning", o.Tuning.Validate())
	if o.MemoryLimit == 0 {
		o.MemoryLimit = DefaultMemoryLimit()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return errors.Join(errs...)
}

// inPlace reports that adjacency of devices may be in host memory.
func (o *Options) inPlace() bool { return o.DeviceGraph != gpu.OnDevice }

// oneWay returns the direction of all searches if the director has only one.
func (o *Options) oneWay() (d kernels.Direction, only bool) {
	if o.NewDirector == nil {
		made, _ := bsp.NewDirector(o.Director, o.Rates) // nil for a name that ensureDefaults refuses
		if one, is := made.(bsp.OneWay); is {
			return one.Direction(), true
		}
	}
	return 0, false
}
