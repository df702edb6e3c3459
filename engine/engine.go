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

// Engine holds a placed graph and runs algorithms on it.
type Engine struct {
	opts     Options
	n        int
	edges    int64
	directed bool
	labels   *graph.Labels
	place    *partition.Placement
	devices  *Devices
	procs    []kernels.Processor
	loop     *bsp.Loop
	director bsp.Director // of the options; nil where NewDirector makes one for each search
	override bsp.Director // from SetDirector; nil for the options' director

	report   report
	turn     chan struct{} // holds one token: whose turn it is to search
	closed   chan struct{} // closed once Close is called
	closing  sync.Once
	engineID *engineID
}

// chooseFor bounds the time that a processor takes to choose its kernels; 1% of the time
// that placing took is the other bound.
const chooseFor = 10 * time.Millisecond

// engineID tells the results of one engine from those of another without keeping the
// engine alive. It has a size, so that no two share an address.
type engineID struct{ _ byte }

// calibratePart is the part of New's time, one in calibratePart, after which searches that
// calibrate give up.
const calibratePart = 8

// New places a graph, an *graph.EdgeList or a *graph.CSR, on the processors and
// readies them. It keeps nothing of src but its labels, and a copy of those that are
// mapped from a file: src may be closed afterwards. Errors wrap ErrOptions, ErrMemory,
// ErrCapacity, ErrNoDevice or one of package partition, or are ctx's.
func New(ctx context.Context, src graph.Source, o Options) (*Engine, error) {
	o.Processors = append([]Processor(nil), o.Processors...)
	if err := o.ensureDefaults(); err != nil {
		return nil, err
	}
	if n, labels := src.NumVertices(), src.VertexLabels().Len(); n < 0 || labels != n {
		return nil, fmt.Errorf("engine: %w: %d vertices, %d labels", partition.ErrInvalid, n, labels)
	}
	if need := Need(src, o); o.MemoryLimit > 0 && need > o.MemoryLimit {
		return nil, fmt.Errorf("%w: %d vertices and %d edges need %d bytes, the limit is %d",
			ErrMemory, src.NumVertices(), src.NumEdges(), need, o.MemoryLimit)
	}
	var labels *graph.Labels
	err := memfault.Catch(func() error { labels = src.VertexLabels().Kept(); return nil }, func(error) error { return graph.ErrUnreadable })
	if err != nil {
		return nil, err
	}
	e := &Engine{
		opts: o, n: src.NumVertices(), edges: src.NumEdges(), directed: src.IsDirected(), labels: labels,
		turn: make(chan struct{}, 1), closed: make(chan struct{}), engineID: &engineID{},
	}
	e.turn <- struct{}{}
	if e.devices = o.Devices; e.devices == nil {
		if e.devices, err = OpenDevices(ctx, o); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(e.devices.checkOpened(&o), e.devices.checkInPlace(&o)); err != nil {
		return nil, e.abandon(err)
	}
	placing := time.Now()
	if e.place, err = o.place(ctx, src, e.devices); err != nil {
		return nil, e.abandon(err)
	}
	o.Logger.Debug("placed", "policy", string(e.place.Policy), "why", e.place.Reason, "ranks", e.place.Ranks, "took", time.Since(placing))
	measure := o.Director == bsp.DirectorAuto && o.NewDirector == nil && o.Rates.IsZero()
	if measure {
		e.opts.Rates = bsp.MeasureRates(ctx, e.place, o.Threads)
	}
	for i, p := range o.Processors {
		k, err := e.devices.processor(p, &o)
		if err != nil {
			return nil, e.abandon(err)
		}
		e.procs = append(e.procs, k)
		if err := k.Load(ctx, e.place.Part(i)); err != nil {
			err = fmt.Errorf("engine: loading processor %d (%s): %w", i, p, err)
			return nil, e.abandon(e.devices.roomFor(&o, err))
		}
		if c, is := k.(*cpu.Processor); is {
			c.Choose(min(chooseFor, time.Since(placing)/100))
		}
		if o.ReleaseHost && p.Kind != CPU {
			e.place.Release(i)
		}
	}
	e.loop = bsp.New(e.procs, e.place)
	if measure {
		within := max(time.Millisecond, time.Since(placing)/calibratePart)
		if e.opts.Rates, err = e.loop.Calibrate(ctx, e.opts.Rates, within); err != nil {
			return nil, e.abandon(err)
		}
		o.Logger.Debug("measured rates", "rates", e.opts.Rates)
	}
	if o.NewDirector == nil {
		if e.director, err = bsp.NewDirector(o.Director, e.opts.Rates); err != nil {
			return nil, e.abandon(fmt.Errorf("%w: %w", ErrOptions, err))
		}
		e.report.rule(e.director)
	}
	e.report.processors = e.describe()
	e.report.kernelsOf(e.procs)
	e.report.launched(e.procs)
	return e, nil
}

// Close waits for the search under way, ends the engine's goroutines and frees its
// memory. Calls that wait for their turn, and later ones, get ErrClosed; a second
// Close waits for the first, and returns nil. An error is a device's first failure; all
// is freed nevertheless.
func (e *Engine) Close() (err error) {
	e.closing.Do(func() {
		close(e.closed)
		<-e.turn
		err = e.free()
	})
	return err
}

// free frees everything and returns the first failure.
func (e *Engine) free() (first error) {
	keep := func(err error) {
		if first == nil {
			first = err
		}
	}
	if e.loop != nil {
		e.loop.Close()
	}
	for i, p := range e.procs {
		if err := p.Close(); err != nil {
			keep(fmt.Errorf("engine: closing processor %d (%s): %w", i, e.opts.Processors[i], err))
		}
	}
	if e.place != nil {
		e.place.Close()
	}
	if e.opts.Devices == nil && e.devices != nil {
		keep(e.devices.Close())
	}
	return first
}

// abandon frees what New made before err, which is the failure to tell.
func (e *Engine) abandon(err error) error {
	_ = e.free()
	return err
}

// take waits for the caller's turn.
func (e *Engine) take(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-e.closed:
		return ErrClosed
	default:
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

// release ends the caller's turn, and reports what it did.
func (e *Engine) release() {
	e.report.launched(e.procs)
	e.turn <- struct{}{}
}

// newDirector is the director of the search to come; it takes the caller's turn.
func (e *Engine) newDirector() bsp.Director {
	d := e.override
	if d == nil {
		if d = e.director; d == nil {
			d = e.opts.NewDirector()
		}
	}
	e.report.rule(d)
	return d
}

// Tune sets the limits between the CPU processors' ways to run a step, after the search
// under way. The error wraps cpu.ErrTuning or is ErrClosed.
func (e *Engine) Tune(ctx context.Context, t cpu.Tuning) error {
	if err := e.take(ctx); err != nil {
		return err
	}
	defer e.release()
	for _, p := range e.procs {
		if c, ok := p.(*cpu.Processor); ok {
			if err := c.Tune(t); err != nil {
				return err
			}
		}
	}
	e.opts.Tuning = &t
	return nil
}

// UseKernels chooses the inner loops of the CPU processors, as Options.Kernels does, after
// the search under way: "auto" measures those that no call has measured before. The error
// wraps cpu.ErrKernels, or is ErrClosed or ctx's.
func (e *Engine) UseKernels(ctx context.Context, spec string) error {
	if err := e.take(ctx); err != nil {
		return err
	}
	defer e.release()
	for _, p := range e.procs {
		if c, ok := p.(*cpu.Processor); ok {
			if err := c.Use(spec); err != nil {
				return err
			}
			c.Choose(chooseFor)
		}
	}
	e.report.kernelsOf(e.procs)
	return nil
}

// SetDirector lets d choose the directions of later searches, after the search under way; nil
// gives that back to the director of Options. An engine of the directors "top-down" and
// "bottom-up" holds the arcs of one direction only and takes no other: ErrOptions. Else
// the error is ErrClosed or ctx's.
func (e *Engine) SetDirector(ctx context.Context, d bsp.Director) error {
	if err := e.take(ctx); err != nil {
		return err
	}
	defer e.release()
	if only, is := e.opts.oneWay(); is && d != nil {
		if one, is := d.(bsp.OneWay); !is || one.Direction() != only {
			return fmt.Errorf("%w: an engine for %s searches takes no other director", ErrOptions, only)
		}
	}
	if e.override = d; d == nil {
		d = e.director
	}
	e.report.rule(d)
	return nil
}
