package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/gpu"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/partition"
)

// Place places a graph as New does, without processors: devices need not exist. The caller
// closes the placement. Errors are those of New without devices.
func Place(ctx context.Context, src graph.Source, o Options) (_ *partition.Placement, err error) {
	if err := checkArguments(ctx, src); err != nil {
		return nil, err
	}
	defer recovered(&err, ErrPanic)
	if err := o.ensureDefaults(); err != nil {
		return nil, err
	}
	if src, _, err = o.counted(ctx, src); err != nil {
		return nil, err
	}
	return o.place(ctx, src, o.Devices)
}

// place builds the placement of options that ensureDefaults has completed.
func (o *Options) place(ctx context.Context, src graph.Source, d *Devices) (*partition.Placement, error) {
	po := o.placement(d)
	if o.Consume {
		po.Consumed = func() { release(src) }
	}
	p, err := partition.New(ctx, src, po)
	if errors.Is(err, partition.ErrOptions) {
		err = fmt.Errorf("%w: %w", ErrOptions, err)
	}
	return p, d.roomFor(o, err)
}

// placement are the options of a placement.
func (o *Options) placement(d *Devices) partition.Options {
	po := partition.Options{
		Policy: o.Placement, Shares: o.Shares, Seed: o.Seed, Assignment: o.Assignment, TwoEnded: o.TwoEnded,
		Threads: o.Threads, MemoryLimit: o.MemoryLimit, Progress: o.Progress, InPlace: o.inPlace(), Weighted: o.Weights,
	}
	if d, only := o.oneWay(); only {
		po.NoOut, po.NoIn = d == kernels.BottomUp, d == kernels.TopDown
	}
	for _, p := range o.Processors {
		po.Processors = append(po.Processors, partition.Processor{
			Name: p.String(), Device: p.Kind != CPU, Rate: d.rate(p, o), Budget: d.budget(p, o),
		})
	}
	return po
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
		info, ok := d.Info(p)
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
	n, records, weight, counting := src.NumVertices(), src.NumEdges(), graph.Unweighted, int64(0)
	switch {
	case o.Multiplicities:
		weight = graph.Int32
		if counting = graph.BuildBytes(n, records, src.IsDirected(), graph.Int32); counting > math.MaxInt64/2 || records > math.MaxInt64/64 {
			return math.MaxInt64
		}
		counting += 12 * records
	case o.Weights:
		weight = src.WeightKind()
	}
	need := o.needFor(GraphSize{Vertices: int64(n), Edges: records, Directed: src.IsDirected(), Weights: weight})
	if need > math.MaxInt64-counting {
		return math.MaxInt64
	}
	return need + counting
}

// NeedFor is Need for a graph that need not exist yet, with weights of a kind. It is
// math.MaxInt64 for more.
func NeedFor(vertices, edges int64, directed bool, processors int, weights graph.WeightKind) int64 {
	o := Options{Processors: slices.Repeat([]Processor{{Kind: CPU}}, max(1, processors))}
	return o.needFor(GraphSize{Vertices: vertices, Edges: edges, Directed: directed, Weights: weights})
}

// needFor is the peak that FootprintOf says of a search, with CPUs in the place of devices.
func (o *Options) needFor(size GraphSize) int64 {
	on := Options{Processors: slices.Clone(o.Processors), Threads: o.Threads, Weights: size.Weights != graph.Unweighted, MemoryLimit: math.MaxInt64}
	for i := range on.Processors {
		if p := &on.Processors[i]; p.Kind != CPU {
			*p = Processor{Kind: CPU, Threads: 1}
		}
	}
	f, err := FootprintOf("bfs", size, on)
	if err != nil {
		return math.MaxInt64
	}
	return f.Peak()
}

// counted returns src as it is, or with Multiplicities a copy whose weights are the numbers of
// records, and the number of self-loops of vertices that have some. It consumes src then, if it may;
// the copy is to be consumed.
func (o *Options) counted(ctx context.Context, src graph.Source) (graph.Source, map[uint32]float64, error) {
	if !o.Multiplicities {
		return src, nil, nil
	}
	list, err := graph.RandomWeights(ctx, src, 1, 1, 0, o.Threads) // all are 1
	if err != nil {
		return nil, nil, err
	}
	g, err := graph.Build(ctx, list, graph.BuildOptions{Threads: o.Threads, Duplicates: graph.MergeSum})
	if err != nil {
		return nil, nil, err
	}
	if o.Consume {
		release(src)
	}
	o.Consume = true
	loops := map[uint32]float64{}
	for v := range uint32(g.NumVertices()) {
		if i, is := slices.BinarySearch(g.Row(v), v); is {
			loops[v] = g.RowWeights(v).Float64(i)
		}
	}
	return g, loops, nil
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
