package engine

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/gpu"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/partition"
)

// Place places a graph as New does, without processors: devices need not exist. The caller
// closes the placement.
func Place(ctx context.Context, src graph.Source, o Options) (_ *partition.Placement, err error) {
	if err := checkArguments(ctx, src); err != nil {
		return nil, err
	}
	defer recovered(&err, ErrPanic)
	if err := o.ensureDefaults(); err != nil {
		return nil, err
	}
	return o.place(ctx, src, o.Devices)
}

// place builds the placement of options that ensureDefaults has completed.
func (o *Options) place(ctx context.Context, src graph.Source, d *Devices) (*partition.Placement, error) {
	po := partition.Options{
		Policy: o.Placement, Shares: o.Shares, Seed: o.Seed, Assignment: o.Assignment, TwoEnded: o.TwoEnded,
		Threads: o.Threads, MemoryLimit: o.MemoryLimit, Progress: o.Progress, InPlace: o.inPlace(), Weighted: o.Weights,
	}
	if d, only := o.oneWay(); only {
		po.NoOut, po.NoIn = d == kernels.BottomUp, d == kernels.TopDown
	}
	if o.Consume {
		po.Consumed = func() { release(src) }
	}
	for _, p := range o.Processors {
		po.Processors = append(po.Processors, partition.Processor{
			Name: p.String(), Device: p.Kind != CPU, Rate: d.rate(p, o), Budget: d.budget(p, o),
		})
	}
	p, err := partition.New(ctx, src, po)
	if errors.Is(err, partition.ErrOptions) {
		err = fmt.Errorf("%w: %w", ErrOptions, err)
	}
	return p, d.roomFor(o, err)
}

// roomFor wraps out-of-memory errors of devices in ErrCapacity and adds a hint, except where
// none helps (rank space too large; fixed assignment; a CPU among the processors).
func (d *Devices) roomFor(o *Options, err error) error {
	if !errors.Is(err, partition.ErrCapacity) && !errors.Is(err, gpu.ErrTooLarge) && !errors.Is(err, device.ErrMemory) {
		return err
	}
	err = fmt.Errorf("%w: %w", ErrCapacity, err)
	if errors.Is(err, partition.ErrRankSpace) || o.Placement == partition.Assigned {
		return err
	}
	list, inPlace := CPU.String(), !o.inPlace()
	for _, p := range o.Processors {
		if p.Kind == CPU {
			return err
		}
		list += "," + p.String()
		info, ok := d.info(p)
		inPlace = inPlace && ok && info.InPlace
	}
	text := "the processors " + list + " keep on the CPU what does not fit"
	if inPlace {
		text += fmt.Sprintf("; a device graph that is %v keeps it in the host's memory", gpu.Split)
	}
	return fmt.Errorf("%w; %s", err, text)
}

// Need is the most memory in bytes that New takes for src, with the result of one search;
// 0 for a nil src.
func Need(src graph.Source, o Options) int64 {
	if absent(src) {
		return 0
	}
	weight := 0
	if o.Weights {
		weight = src.WeightKind().Size()
	}
	return NeedFor(int64(src.NumVertices()), src.NumEdges(), src.IsDirected(), len(o.Processors), weight)
}

// NeedFor is Need for a graph that need not exist yet, with weights of so many bytes, 0 for none. It is
// math.MaxInt64 for more.
func NeedFor(vertices, edges int64, directed bool, processors, weight int) int64 {
	k := int64(max(1, processors))
	placing, searching := partition.NeedFor(vertices, edges, directed, weight), k*(vertices*8+5*vertices/8)+4*vertices
	if placing > math.MaxInt64-searching {
		return math.MaxInt64
	}
	return placing + searching
}

// release frees the records or rows of a consumed source.
func release(src graph.Source) {
	switch s := src.(type) {
	case *graph.EdgeList:
		s.Consume()
	case *graph.CSR:
		s.Release()
	}
}
