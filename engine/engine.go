package engine

import (
	"context"
	"errors"
	"fmt"
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
	tree     []kernels.Run    // of bsp.Tree, by processor
	kind     graph.WeightKind // of the weights kept
	weights  *weighed         // nil until weigh has read them
	weighing sync.Mutex
	loop     *bsp.Loop
	bfs      *bsp.BFS
	director bsp.Director // of the options; nil where NewDirector makes one for each search
	override bsp.Director // of SetDirector; nil for the options' director

	report   report
	turn     chan struct{} // holds one token: whose turn it is to search
	closed   chan struct{} // closed once Close is called
	closing  sync.Once
	mapping  sync.RWMutex // held to read place, and to close it
	unmapped bool
	points   points
	engineID *engineID
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
			_ = e.free()
		}
	}()
	defer recovered(&err, ErrPanic)
	if err := o.ensureDefaults(); err != nil {
		return nil, err
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
		turn: make(chan struct{}, 1), closed: make(chan struct{}), engineID: &engineID{},
	}
	if o.Weights {
		e.kind = src.WeightKind()
	}
	e.turn <- struct{}{}
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
	if err := errors.Join(e.devices.keepOpened(&o), e.devices.checkOpened(&o), e.devices.checkInPlace(&o)); err != nil {
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
		e.opts.Rates = bsp.MeasureRates(ctx, e.place, o.Threads)
	}
	var kinds []kernels.Kind
	for i, p := range o.Processors {
		k, run, err := e.load(ctx, i, &o)
		if err != nil && p.Kind != CPU && p.Optional && ctx.Err() == nil {
			o.leaveOut(p, err)
			p = Processor{Kind: CPU, Threads: o.Threads} // takes the part that the placement has made
			o.Processors[i] = p
			k, run, err = e.load(ctx, i, &o)
		}
		if err != nil {
			return nil, err
		}
		e.procs, e.tree, kinds = append(e.procs, k), append(e.tree, run), append(kinds, k.Kind())
		if c, is := k.(*cpu.Processor); is {
			c.Choose(run, min(chooseFor, time.Since(placing)/100))
		}
		if o.ReleaseHost && p.Kind != CPU {
			e.place.Release(i)
		}
	}
	e.loop = bsp.New(bsp.NewLayout(e.place), bsp.Local(len(e.procs)), kinds)
	if e.bfs, err = bsp.NewBFS(e.loop, e.tree); err != nil {
		return nil, err
	}
	if measure {
		within := max(time.Millisecond, time.Since(placing)/calibratePart)
		if e.opts.Rates, err = e.bfs.Calibrate(ctx, e.opts.Rates, within); err != nil {
			return nil, err
		}
		o.Logger.Debug("measured rates", "rates", e.opts.Rates)
	}
	if o.NewDirector == nil {
		if e.director, err = bsp.NewDirector(o.Director, e.opts.Rates); err != nil {
			return nil, err
		}
		e.report.rule(e.director)
	}
	e.report.processors = e.describe()
	e.report.kernelsOf(e.procs)
	e.report.launched(e.procs)
	return e, nil
}

// load makes processor i, loads its part of the graph and opens its search. It frees the processor
// on errors.
func (e *Engine) load(ctx context.Context, i int, o *Options) (k kernels.Processor, run kernels.Run, err error) {
	p := o.Processors[i]
	if k, err = e.devices.processor(p, o); err != nil {
		return nil, nil, err
	}
	if err = k.Load(ctx, e.place.Part(i)); err != nil {
		err = fmt.Errorf("engine: loading processor %d (%s): %w", i, p, err)
	} else if run, err = k.Open(ctx, bsp.Tree); err != nil {
		err = fmt.Errorf("engine: opening a search on processor %d (%s): %w", i, p, err)
	}
	if err != nil {
		return nil, nil, errors.Join(e.devices.roomFor(o, err), k.Close())
	}
	return k, run, nil
}

// Close waits for the current search, ends the engine's goroutines and frees its memory.
// Queued and later calls return ErrClosed; a second Close waits for the first and returns
// nil. The error is the first failure of a device; everything is freed nevertheless.
func (e *Engine) Close() (err error) {
	if e.turn == nil {
		return nil // New did not make it
	}
	e.closing.Do(func() {
		close(e.closed)
		<-e.turn
		err = e.free()
	})
	return err
}

// free frees all resources and returns the first failure.
func (e *Engine) free() (first error) {
	keep := func(err error) {
		if first == nil {
			first = err
		}
	}
	if e.loop != nil {
		e.loop.Close()
	}
	for i, r := range e.tree {
		if err := r.Close(); err != nil {
			keep(fmt.Errorf("engine: closing the search of processor %d (%s): %w", i, e.opts.Processors[i], err))
		}
	}
	for i, p := range e.procs {
		if err := p.Close(); err != nil {
			keep(fmt.Errorf("engine: closing processor %d (%s): %w", i, e.opts.Processors[i], err))
		}
	}
	e.mapping.Lock()
	e.points.free()
	if e.place != nil {
		e.place.Close()
	}
	e.unmapped = true
	e.mapping.Unlock()
	if e.opts.Devices == nil && e.devices != nil {
		keep(e.devices.Close())
	}
	return first
}

// callable returns what refuses every call: a context that is nil or has ended, an engine that New did not make.
func (e *Engine) callable(ctx context.Context) error {
	if ctx == nil {
		return fmt.Errorf("%w: the context is nil", ErrArgument)
	}
	if e.turn == nil {
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

// take queues the caller until its turn.
func (e *Engine) take(ctx context.Context) error {
	if err := e.callable(ctx); err != nil {
		return err
	}
	select {
	case <-e.turn:
	case <-e.closed:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-e.closed:
		e.turn <- struct{}{}
		return ErrClosed
	default:
		return nil
	}
}

// release ends the caller's turn and updates the report.
func (e *Engine) release() {
	e.report.launched(e.procs)
	e.turn <- struct{}{}
}

// newDirector returns the director of the next search, in the caller's turn.
func (e *Engine) newDirector() (d bsp.Director, err error) {
	defer recovered(&err, ErrDirector)
	if d = e.override; d == nil {
		if d = e.director; d == nil {
			d = e.opts.NewDirector()
		}
	}
	e.report.rule(d)
	return d, nil
}

// onCPUs calls f for each CPU processor, with its search, after the current search, up to the first error.
func (e *Engine) onCPUs(ctx context.Context, f func(c *cpu.Processor, tree kernels.Run) error) error {
	if err := e.take(ctx); err != nil {
		return err
	}
	defer e.release()
	for i, p := range e.procs {
		if c, is := p.(*cpu.Processor); is {
			if err := f(c, e.tree[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// Tune sets the limits by which CPU processors choose kernels, after the current search. The
// error wraps cpu.ErrTuning, or is ErrClosed or ctx's.
func (e *Engine) Tune(ctx context.Context, t cpu.Tuning) error {
	return e.onCPUs(ctx, func(c *cpu.Processor, _ kernels.Run) error { return c.Tune(t) })
}

// UseKernels chooses the kernels of the CPU processors, as Options.Kernels does, after the
// current search: "auto" measures those not measured before. The error wraps cpu.ErrKernels,
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

// SetDirector sets the director of later searches, after the current one; nil is that of
// Options. An engine whose Options.Director has one direction holds no arcs of the other: it
// accepts directors of the same direction only (bsp.OneWay) and returns ErrOptions for all
// others. Else the error is ErrDirector if a method of d panics, ErrArgument, ErrClosed or ctx's.
func (e *Engine) SetDirector(ctx context.Context, d bsp.Director) (err error) {
	if err := e.take(ctx); err != nil {
		return err
	}
	defer e.release()
	defer recovered(&err, ErrDirector)
	if only, is := e.opts.oneWay(); is && d != nil {
		if one, is := d.(bsp.OneWay); !is || one.Direction() != only {
			return fmt.Errorf("%w: an engine for %s searches takes no other director", ErrOptions, only)
		}
	}
	rule := d
	if d == nil {
		rule = e.director
	}
	e.report.rule(rule) // may panic: then nothing has changed
	e.override = d
	return nil
}
