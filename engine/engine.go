package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/memfault"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/cpu"
	"github.com/totemgo/totemgo/partition"
)

// Engine holds a placed graph and runs algorithms on it. New makes one; the zero Engine is a
// closed one without a graph.
type Engine struct {
	opts     Options
	n        int
	labels   *graph.Labels
	loops    map[uint32]float64 // self-loops by dense id, with Options.Multiplicities
	place    *partition.Placement
	devices  *Devices
	procs    []kernels.Processor
	layout   *bsp.Layout
	kind     graph.WeightKind // of the weights kept
	weights  *weighed         // nil until weigh has read them
	weighing sync.Mutex
	making   sync.Mutex   // serialises NewDirector
	few      bsp.Rates    // of runs on fewer threads than there are: those of one thread
	override bsp.Director // of SetDirector; nil for the options' director

	report   report
	queue    *queue
	closed   chan struct{} // closed once Close is called
	closing  sync.Once
	mapping  sync.RWMutex // held to read place, and to close it
	unmapped bool
	states   *states
	points   *points
	engineID *engineID
	cleanup  runtime.Cleanup
}

// chooseFor limits the time in which a processor measures its kernels. 1% of the time of
// placing is another limit.
const chooseFor = 10 * time.Millisecond

// engineID identifies the engine of a result without keeping the engine alive. It has a
// size, so that each has an address of its own.
type engineID struct{ _ byte }

// New's time ÷ calibratePart is the time limit of a calibrating search.
const calibratePart = 8

// New places a graph, a *graph.EdgeList or a *graph.CSR, on the processors. It keeps the
// labels of src, copied if they are mapped from a file, and nothing else: src may be closed
// afterwards. Errors wrap ErrOptions, ErrArgument, ErrMemory, ErrCapacity, ErrNoDevice,
// ErrNotInPlace, ErrPanic, graph.ErrInvalid (graph.ErrConsumed is one) or an error of package
// partition, or are ctx's.
func New(ctx context.Context, src graph.Source, o Options) (_ *Engine, err error) {
	if err := checkArguments(ctx, src); err != nil {
		return nil, err
	}
	var e *Engine
	defer func() {
		if e != nil && err != nil {
			_ = e.resources().free()
		}
	}()
	defer recovered(&err, ErrPanic)
	if err := o.ensureDefaults(); err != nil {
		return nil, err
	}
	if n := src.NumVertices(); n > graph.MaxVertices {
		return nil, fmt.Errorf("%w: %d", graph.ErrTooManyVertices, n)
	}
	if need := Need(src, o); o.MemoryLimit > 0 && need > o.MemoryLimit {
		return nil, fmt.Errorf("%w: %d vertices and %d edges need %d bytes, the limit is %d",
			ErrMemory, src.NumVertices(), src.NumEdges(), need, o.MemoryLimit)
	}
	var labels *graph.Labels
	err = memfault.Catch(func() error { labels = src.VertexLabels().Kept(); return nil }, func(error) error { return graph.ErrUnreadable })
	if err != nil {
		return nil, err
	}
	e = &Engine{
		opts: o, n: src.NumVertices(), labels: labels,
		closed: make(chan struct{}), states: &states{change: make(chan struct{}), kept: true}, points: &points{}, engineID: &engineID{},
	}
	if o.Weights {
		e.kind = src.WeightKind()
	}
	o.LeftOut = e.report.notes(o.LeftOut)
	if e.devices = o.Devices; e.devices == nil {
		if e.devices, err = OpenDevices(ctx, o); err != nil {
			return nil, err
		}
	}
	for _, p := range o.Processors {
		if err := e.devices.failed[p.String()]; err != nil && p.Optional {
			e.report.leave(p, err) // OpenDevices has told
		}
	}
	if err := errors.Join(e.devices.keepOpened(&o), e.devices.check(&o)); err != nil {
		return nil, err
	}
	if err := e.devices.measureSpeeds(ctx, &o, src.NumEdges()); err != nil {
		return nil, err
	}
	e.opts.Processors = o.Processors
	placing := time.Now()
	if src, e.loops, err = o.counted(ctx, src); err != nil {
		return nil, err
	}
	if e.place, err = o.place(ctx, src, e.devices); err != nil {
		return nil, err
	}
	o.Logger.Debug("placed", "policy", string(e.place.Policy), "why", e.place.Reason, "ranks", e.place.Ranks, "took", time.Since(placing))
	measure := o.Director == bsp.DirectorAuto && o.NewDirector == nil && o.Rates.IsZero()
	if measure {
		e.opts.Rates = bsp.DefaultRates(o.Threads)
	}
	tree := make([]kernels.Run, len(o.Processors))
	e.states.idle = []*state{{program: bsp.Tree, runs: tree}}
	for i, p := range o.Processors {
		k, err := e.load(ctx, i, &o, tree)
		if err != nil && p.Kind != CPU && p.Optional && ctx.Err() == nil {
			o.leaveOut(p, err)
			p = Processor{Kind: CPU, Threads: o.Threads} // takes the part that the placement has made
			o.Processors[i] = p
			k, err = e.load(ctx, i, &o, tree)
		}
		if err != nil {
			return nil, err
		}
		e.procs = append(e.procs, k)
		if c, is := k.(*cpu.Processor); is {
			c.Choose(tree[i], min(chooseFor, time.Since(placing)/100))
		} else {
			e.states.kept = false
		}
		if o.ReleaseHost && p.Kind != CPU {
			e.place.Release(i)
		}
	}
	e.layout = bsp.NewLayout(e.place)
	first, err := e.newState(bsp.Tree, tree)
	e.states.idle[0] = first
	if err != nil {
		return nil, err
	}
	if measure {
		within := max(time.Millisecond, time.Since(placing)/calibratePart)
		if e.opts.Rates, err = first.bfs.Calibrate(ctx, e.opts.Rates, within); err != nil {
			return nil, err
		}
		one := &turn{threads: slices.Repeat([]int{1}, len(e.procs))}
		if e.few = e.opts.Rates; e.states.kept && o.Threads > 1 && e.assign(first, one) {
			if e.few, err = first.bfs.Calibrate(ctx, e.few, within); err != nil {
				return nil, err
			}
		}
		o.Logger.Debug("measured rates", "rates", e.opts.Rates, "one thread", e.few)
	} else {
		e.few = e.opts.Rates
	}
	e.rule(nil)
	e.states.bytes = first.bytes
	e.assign(first, nil)
	e.queue = newQueue(e.procs, e.most(first.bytes))
	e.report.processors = e.describe()
	e.report.kernelsOf(e.procs)
	e.report.launched(e.procs)
	if e.states.kept || o.Devices == nil {
		e.cleanup = runtime.AddCleanup(e, func(r *resources) { _ = r.free() }, e.resources())
	}
	return e, nil
}

// load makes processor i, loads its part of the graph and opens its search in tree. It frees the processor
// on errors.
func (e *Engine) load(ctx context.Context, i int, o *Options, tree []kernels.Run) (k kernels.Processor, err error) {
	p := o.Processors[i]
	if k, err = e.devices.processor(p, o); err != nil {
		return nil, err
	}
	if err = k.Load(ctx, e.place.Part(i)); err != nil {
		err = fmt.Errorf("engine: loading processor %d (%s): %w", i, p, err)
	} else if tree[i], err = k.Open(ctx, bsp.Tree); err != nil {
		err = fmt.Errorf("engine: opening a search on processor %d (%s): %w", i, p, err)
	}
	if err != nil {
		tree[i] = nil
		return nil, errors.Join(e.devices.roomFor(o, err), k.Close())
	}
	return k, nil
}

// most is how many searches at once the memory limit has room for, whose states take so many bytes each: at least 1.
func (e *Engine) most(bytes int64) int {
	if e.opts.MemoryLimit <= 0 {
		return math.MaxInt
	}
	return int(max(1, (e.opts.MemoryLimit-e.held())/max(1, bytes)))
}

// Close waits for the current runs, ends the engine's goroutines and frees its memory.
// Queued and later calls return ErrClosed; a second Close waits for the first and returns
// nil. The error is the first failure of a device; everything is freed nevertheless. An engine that
// becomes unreachable without Close is freed by the garbage collector some time later, as a safety net;
// one that uses devices of Options.Devices is not.
func (e *Engine) Close() (err error) {
	if e.queue == nil {
		return nil // New did not make it
	}
	e.closing.Do(func() {
		e.cleanup.Stop()
		close(e.closed)
		e.queue.close()
		e.mapping.Lock()
		defer e.mapping.Unlock()
		e.unmapped = true
		err = e.resources().free()
	})
	return err
}

// resources are what Close frees. They do not refer to the engine.
type resources struct {
	states  *states
	points  *points
	procs   []kernels.Processor
	names   []Processor
	place   *partition.Placement
	devices *Devices // nil for those of Options.Devices
}

func (e *Engine) resources() *resources {
	r := &resources{e.states, e.points, e.procs, e.opts.Processors, e.place, nil}
	if e.opts.Devices == nil {
		r.devices = e.devices
	}
	return r
}

// free frees all and returns the first failure.
func (r *resources) free() error {
	var errs []error
	for _, st := range r.states.idle {
		if err := st.close(); err != nil {
			errs = append(errs, fmt.Errorf("engine: closing a run: %w", err))
		}
	}
	for i, p := range r.procs {
		if err := p.Close(); err != nil {
			errs = append(errs, fmt.Errorf("engine: closing processor %d (%s): %w", i, r.names[i], err))
		}
	}
	r.points.free()
	if r.place != nil {
		r.place.Close()
	}
	if r.devices != nil {
		errs = append(errs, r.devices.Close())
	}
	return cmp.Or(errs...)
}

// callable returns what refuses every call: a context that is nil or has ended, an engine that New did not make.
func (e *Engine) callable(ctx context.Context) error {
	if ctx == nil {
		return fmt.Errorf("%w: the context is nil", ErrArgument)
	}
	if e.queue == nil {
		return ErrClosed // New did not make it
	}
	return ctx.Err()
}

// enter locks the placed graph for reading: on success the caller unlocks mapping.
func (e *Engine) enter(ctx context.Context) error {
	if err := e.callable(ctx); err != nil {
		return err
	}
	select {
	case <-e.closed: // waits for no run
		return ErrClosed
	default:
	}
	if e.mapping.RLock(); e.unmapped {
		e.mapping.RUnlock()
		return ErrClosed
	}
	return nil
}

// newDirector returns the director of the next search, in turn t.
func (e *Engine) newDirector(st *state, t *turn) (d bsp.Director, err error) {
	defer recovered(&err, ErrDirector)
	switch d = e.override; {
	case d != nil:
	case e.opts.NewDirector != nil:
		e.making.Lock()
		defer e.making.Unlock()
		d = e.opts.NewDirector()
	default:
		rates, made := e.opts.Rates, &st.directors[0]
		if !slices.Equal(t.threads, e.queue.threads) {
			rates, made = e.few, &st.directors[1]
		}
		if *made == nil {
			*made, err = bsp.NewDirector(e.opts.Director, rates)
		}
		d = *made
	}
	e.rule(d)
	return d, err
}

// onCPUs calls f for each CPU processor, with a search, after the current runs, up to the first error.
func (e *Engine) onCPUs(ctx context.Context, f func(c *cpu.Processor, tree kernels.Run) error) error {
	return e.alone(ctx, func(t *turn) error {
		st, err := e.open(ctx, t, bsp.Tree, 0)
		if err != nil {
			return err
		}
		for i, p := range e.procs {
			if c, is := p.(*cpu.Processor); is && err == nil {
				err = f(c, st.runs[i])
			}
		}
		return errors.Join(err, e.giveBack(st, true))
	})
}

// Tune sets the limits by which CPU processors choose kernels, after the current runs. The
// error wraps cpu.ErrTuning, or is ErrClosed or ctx's.
func (e *Engine) Tune(ctx context.Context, t cpu.Tuning) error {
	return e.onCPUs(ctx, func(c *cpu.Processor, _ kernels.Run) error { return c.Tune(t) })
}

// UseKernels chooses the kernels of the CPU processors, as Options.Kernels does, after the
// current runs: "auto" measures those not measured before. The error wraps cpu.ErrKernels,
// or is ErrClosed or ctx's.
func (e *Engine) UseKernels(ctx context.Context, spec string) error {
	return e.onCPUs(ctx, func(c *cpu.Processor, tree kernels.Run) error {
		if err := c.Use(spec); err != nil {
			return err
		}
		c.Choose(tree, chooseFor)
		e.report.kernelsOf(e.procs)
		return nil
	})
}

// SetDirector sets the director of later searches, which then run one at a time, after the current
// runs; nil is that of Options. An engine whose Options.Director has one direction holds no arcs of the other: it
// accepts directors of the same direction only (bsp.OneWay) and returns ErrOptions for all
// others. Else the error is ErrDirector if a method of d panics, ErrArgument, ErrClosed or ctx's.
func (e *Engine) SetDirector(ctx context.Context, d bsp.Director) error {
	return e.alone(ctx, func(*turn) (err error) {
		defer recovered(&err, ErrDirector)
		if only, is := e.opts.oneWay(); is && d != nil {
			if one, is := d.(bsp.OneWay); !is || one.Direction() != only {
				return fmt.Errorf("%w: an engine for %s searches takes no other director", ErrOptions, only)
			}
		}
		e.rule(d) // may panic: then nothing has changed
		e.override = d
		e.queue.share(d == nil)
		return nil
	})
}
