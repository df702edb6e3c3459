package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/mix"
	"github.com/totemgo/totemgo/internal/workers"
	"github.com/totemgo/totemgo/record"
)

// speedUnmeasured is the speed, in CPU threads, of a GPU that nobody measured: it is not open, as where a
// graph is placed for another machine, or has no part in given Speeds.
const speedUnmeasured = 24

// unmeasured is the speed of p relative to one CPU thread, without a measurement: the host's CPU as a
// device counts its compute units.
func (d *Devices) unmeasured(p Processor) float64 {
	info, ok := d.Info(p)
	switch {
	case p.Kind == CPU:
		return float64(max(1, p.Threads))
	case ok && info.HostCPU:
		return float64(max(1, info.ComputeUnits))
	}
	return speedUnmeasured
}

// speed is the measured speed of p in edges a second, 0 without one. That of a CPU is
// proportional to its threads.
func (o *Options) speed(p Processor) (float64, error) {
	name := p.String()
	if p.Kind == CPU {
		name = p.Kind.String()
	}
	for _, s := range o.Speeds {
		if s.Processor != name {
			continue
		}
		if !(s.EdgesPerS > 0) || math.IsInf(s.EdgesPerS, 0) || s.Threads < 0 {
			return 0, fmt.Errorf("the speed of %s is %v edges a second on %d threads", s.Processor, s.EdgesPerS, s.Threads)
		}
		if p.Kind == CPU {
			return s.EdgesPerS / float64(max(1, s.Threads)) * float64(max(1, p.Threads)), nil
		}
		return s.EdgesPerS, nil
	}
	return 0, nil
}

// rate is the speed of p relative to the other processors: measured, else unmeasured, scaled
// to the measured ones.
func (d *Devices) rate(p Processor, o *Options) float64 {
	if speed, err := o.speed(p); err == nil && speed > 0 {
		return speed
	}
	given, table := 0.0, 0.0
	for _, q := range o.Processors {
		if speed, err := o.speed(q); err == nil && speed > 0 {
			given += speed
			table += d.unmeasured(q)
		}
	}
	if given == 0 {
		return d.unmeasured(p)
	}
	return d.unmeasured(p) * given / table
}

// Speeds are measured on a sample: a random graph with hubs, of 16 edges a vertex and at most a sixteenth of
// the graph's edges within its limits.
const (
	sampleDegree   = 16
	sampleLeast    = 14 // log2 of the vertices
	sampleLargest  = 17
	sampleSearches = 4
	// searchLevels is the number of supersteps of a predicted search: Kronecker graphs of scale 18 to 26 have 5 to 9.
	searchLevels = 8
)

// sample is the graph that speeds are measured on, for a graph of so many edges; it is the same for any number of threads.
func sample(edges int64, threads int) *graph.EdgeList {
	scale := min(max(bits.Len64(uint64(edges/16/sampleDegree))-1, sampleLeast), sampleLargest)
	list := &graph.EdgeList{Vertices: 1 << scale, Edges: make([]graph.Edge, sampleDegree<<scale)}
	team := workers.Acquire(threads)
	defer team.Close()
	team.For(len(list.Edges), 1<<14, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			e, draw := &list.Edges[i], uint64(0)
			for level := range scale {
				if level%8 == 0 {
					draw = mix.Mix(uint64(i)<<8 | uint64(level))
				}
				// Of 256, 146 go to the quadrant of both lower halves, 49 to each of the next two: 57%, 19%, 19%.
				switch d := draw & 0xff; {
				case d < 146:
				case d < 195:
					e.V |= 1 << level
				case d < 244:
					e.U |= 1 << level
				default:
					e.U, e.V = e.U|1<<level, e.V|1<<level
				}
				draw >>= 8
			}
		}
	})
	return list
}

// clocked is what searches of the sample took.
type clocked struct {
	edge float64 // seconds an edge of the graph, steps left out
	step float64 // of the shortest superstep, which has next to no work: commands, waits and exchange
}

// search is the predicted time in seconds of a search of a graph of so many edges.
func (c clocked) search(edges int64) float64 { return float64(edges)*c.edge + searchLevels*c.step }

// clock searches the sample with the given processors.
func (d *Devices) clock(ctx context.Context, o *Options, procs []Processor, list *graph.EdgeList) (c clocked, err error) {
	few := Options{
		Processors: slices.Clone(procs), Devices: d, Drivers: o.Drivers, Threads: o.Threads, Speeds: o.Speeds, MemoryLimit: o.MemoryLimit,
		DeviceGraph: o.DeviceGraph, Kernels: o.Kernels, Tuning: o.Tuning,
	}
	for i := range few.Processors {
		few.Processors[i].Optional = false
	}
	e, err := New(ctx, list, few)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	r := e.NewResult().Collect()
	defer r.Free()
	if err := e.ProfileDevices(ctx, true); err != nil { // each superstep has a time of its own
		return c, err
	}
	c.step = math.Inf(1)
	total := 0.0
	for i := range sampleSearches {
		root, least := list.Edges[i*len(list.Edges)/sampleSearches].U, math.Inf(1) // a vertex with an edge
		for range 3 {
			if err := e.BFSInto(ctx, uint64(root), r); err != nil {
				return c, err
			}
			took := 0.0
			levels := r.Statistics.All()
			for _, l := range levels {
				took, c.step = took+l.TimeS, min(c.step, l.TimeS)
			}
			// A tenth at least, where a search is hardly longer than its steps' least times.
			least = min(least, max(took/10, took-float64(len(levels))*c.step))
		}
		total += least / sampleSearches
	}
	c.edge = total / float64(len(list.Edges))
	return c, nil
}

// measureSpeeds sets Speeds from searches of a sample by each processor alone, where a device is among them and
// neither Shares nor Speeds are given, of graphs that AutoProcessors takes a GPU for. Then it leaves out Optional
// processors that fail or do not pay. Errors are ctx's and those of processors.
func (d *Devices) measureSpeeds(ctx context.Context, o *Options, edges int64) error {
	optional := slices.ContainsFunc(o.Processors, func(p Processor) bool { return p.Optional })
	devices := slices.ContainsFunc(o.Processors, func(p Processor) bool { return p.Kind != CPU })
	if edges < autoEdges || !devices || len(o.Processors) < 2 && !optional || o.Shares != nil || o.Assignment != nil || len(o.Speeds) > 0 {
		return nil
	}
	list, alone := sample(edges, o.Threads), map[string]clocked{}
	for _, p := range append(slices.Clone(o.Processors), Processor{Kind: CPU, Threads: o.Threads}) {
		name := p.String()
		if _, known := alone[name]; known || p.Kind == CPU && !optional && !slices.ContainsFunc(o.Processors, p.same) {
			continue
		}
		c, err := d.clock(ctx, o, []Processor{p}, list)
		if err != nil && (!p.Optional || ctx.Err() != nil) {
			return fmt.Errorf("engine: measuring %s: %w", p, err)
		}
		if err != nil {
			o.leaveOut(p, err)
			o.drop(p.same)
			continue
		}
		alone[name] = c
	}
	for _, p := range o.Processors {
		s := record.Speed{Processor: p.String(), EdgesPerS: 1 / alone[p.String()].edge}
		if p.Kind == CPU {
			s.Processor, s.Threads = p.Kind.String(), p.Threads
		}
		if !slices.ContainsFunc(o.Speeds, func(t record.Speed) bool { return t.Processor == s.Processor }) {
			o.Speeds = append(o.Speeds, s)
		}
	}
	o.Logger.Debug("measured speeds", "speeds", o.Speeds)
	return d.keepPaying(o, edges, func(procs []Processor) (clocked, error) {
		if c, is := alone[procs[0].String()]; is && len(procs) == 1 {
			return c, nil
		}
		return d.clock(ctx, o, procs, list)
	})
}

// ErrNoGain is the reason that Options.LeftOut gets for an Optional processor with which searches take longer, by
// searches of a small graph.
var ErrNoGain = errors.New("engine: searches are faster without it")

// keepPaying leaves out as many of the slowest Optional devices as make the predicted search shortest.
func (d *Devices) keepPaying(o *Options, edges int64, clock func([]Processor) (clocked, error)) error {
	var slowest []Processor // first
	for _, p := range o.Processors {
		if p.Optional && p.Kind != CPU {
			slowest = append(slowest, p)
		}
	}
	if len(slowest) == 0 {
		return nil
	}
	slices.SortStableFunc(slowest, func(p, q Processor) int { return cmp.Compare(d.rate(p, o), d.rate(q, o)) })
	all, best, out, fewer := 0.0, math.Inf(1), 0, *o
	for i := range len(slowest) + 1 {
		if i > 0 {
			fewer.drop(slowest[i-1].same)
		}
		c, err := clock(fewer.Processors)
		if err != nil {
			return err
		}
		took := c.search(edges)
		if i == 0 {
			all = took
		}
		if took < best {
			best, out = took, i
		}
	}
	for _, p := range slowest[:out] {
		o.leaveOut(p, fmt.Errorf("%w: %v a search with it, %v without, predicted", ErrNoGain, seconds(all), seconds(best)))
		o.drop(p.same)
	}
	return nil
}

func seconds(s float64) time.Duration {
	return time.Duration(s * float64(time.Second)).Round(time.Microsecond)
}
