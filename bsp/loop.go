package bsp

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

// ErrRoot is wrapped by errors about a root or seed that is not the rank of a vertex.
var ErrRoot = errors.New("bsp: root is not a vertex with edges")

// ErrProcessor is returned by Search if processors report more reached vertices than the
// graph has: such a search might not end.
var ErrProcessor = errors.New("bsp: a processor breaks the contract")

// ErrBody is wrapped by the error of Run if the body panics.
var ErrBody = errors.New("bsp: the body of a program failed")

// Loop runs programs on the processors of this process, one at a time: its methods must not be
// called concurrently. Every process of its transport makes the same calls in one order.
type Loop struct {
	*Layout
	by           Transport
	kinds        []kernels.Kind // by processor
	lo, hi       int            // processors of this process
	expand, fold [2][3]routes   // by way and arcs
	participants []participant  // of all processes
	order        *sequence      // the job to run, by number
	level        *sequence      // the command that may begin, by number
	job          func(i int)
	jobs         int64
	commands     int64 // of all runs so far; the begin of each is one
	phase        int64 // of the transport, the last of the command: each has two
	closing      bool

	// of the current run
	ctx     context.Context
	program *program.Program
	runs    []kernels.Run // by processor
	command command
	timed   bool              // measures the parts of supersteps
	reports []kernels.Reduced // by processor
	failure atomic.Pointer[error]
	yielded time.Time
}

// command is what all processors do next.
type command struct {
	kind kind
	op   int
	step program.Step
	over program.Set
	args [4]float64
	late bool // devices fold after they have merged what CPUs sent
}

// kind is that of a command.
type kind uint8

const (
	stop    kind = iota
	publish      // the values of targets
	edgeMap
	vertexMap
	localOp
)

// participant is the loop's state of one processor. Its own goroutine writes the fields;
// others read them after the sequence that announces them.
type participant struct {
	own      []int             // indices of its ranges
	outgoing []kernels.Message // by range: expanded or folded
	news     [2][][]News       // by parity of the phase, by receiver
	done     *sequence         // the command is finished, by number
	idle     *sequence         // the job is finished, by number
	report   kernels.Reduced   // of the last command
	times    stepTimes
	_        [64]byte
}

// stepTimes is what one processor measured in one superstep.
type stepTimes struct {
	compute, push, pull, idle time.Duration
	sent, received            int64 // bytes
	kernel                    string
}

// New returns a loop over the processors of a layout, of the given kinds.
func New(layout *Layout, by Transport, kinds []kernels.Kind) *Loop {
	l := &Loop{Layout: layout, by: by, kinds: kinds, order: newSequence(), level: newSequence()}
	l.lo, l.hi = by.Here()
	l.participants = make([]participant, l.Processors)
	l.reports = make([]kernels.Reduced, l.Processors)
	for w := range l.expand {
		for a := range l.expand[w] {
			l.expand[w][a], l.fold[w][a] = layout.routes(layout.Expand[w][a], false), layout.routes(layout.Fold[w][a], true)
		}
	}
	for r, rg := range l.Ranges {
		pt := &l.participants[rg.Owner]
		pt.own = append(pt.own, r)
	}
	for i := range l.participants {
		pt := &l.participants[i]
		pt.done, pt.idle = newSequence(), newSequence()
		pt.outgoing = make([]kernels.Message, len(l.Ranges))
		for k := range pt.news {
			pt.news[k] = make([][]News, l.Processors)
		}
		if i > l.lo && i < l.hi {
			go l.drive(i)
		}
	}
	return l
}

// drive runs jobs on processor i until Close.
func (l *Loop) drive(i int) {
	last := false
	for n := int64(1); !last; n++ {
		l.order.park(n)
		last = l.closing
		l.job(i)
		l.participants[i].idle.advance(n)
	}
}

// all runs f for all processors of this process concurrently and returns when all have
// finished.
func (l *Loop) all(f func(i int)) {
	l.job = f
	l.jobs++
	l.order.advance(l.jobs)
	f(l.lo)
	for i := l.lo + 1; i < l.hi; i++ {
		l.participants[i].idle.wait(l.jobs)
	}
	l.job = nil // it refers to the caller's memory
}

// Close ends the loop's goroutines. It does not close runs and processors.
func (l *Loop) Close() {
	if l.closing {
		return
	}
	l.closing = true
	l.all(func(int) {})
}

// run begins runs, an entry for each processor of this process, and calls coordinate, which
// issues commands, while the other processors carry them out. begin prepares processor i, end
// follows the last command.
func (l *Loop) run(ctx context.Context, p *program.Program, runs []kernels.Run, begin func(i int), coordinate func(), end func(i int)) {
	l.ctx, l.program, l.runs = ctx, p, runs
	l.failure.Store(nil)
	l.commands++
	first := l.commands
	l.all(func(i int) {
		begin(i)
		l.participants[i].done.advance(first)
		if i > l.lo {
			l.work(i, first)
		} else {
			l.awaitOthers()
			coordinate()
			l.command.kind = stop
			l.advanceCommand()
		}
		end(i)
	})
	l.ctx, l.program, l.runs = nil, nil, nil
}

// work carries out commands on processor i until stop.
func (l *Loop) work(i int, n int64) {
	for {
		n++
		l.level.wait(n)
		if l.command.kind == stop {
			return
		}
		l.do(i, time.Now())
		l.participants[i].done.advance(n)
	}
}

// advanceCommand lets all processors begin the command.
func (l *Loop) advanceCommand() {
	l.phase += 2
	l.commands++
	l.level.advance(l.commands)
}

// issue runs the command on all processors of this process.
func (l *Loop) issue(started time.Time) {
	l.advanceCommand()
	l.do(l.lo, started)
	l.awaitOthers()
}

// awaitOthers returns when all other processors of this process have finished the command.
func (l *Loop) awaitOthers() {
	for i := l.lo + 1; i < l.hi; i++ {
		l.participants[i].done.wait(l.commands)
	}
}

// do runs the command on processor i.
func (l *Loop) do(i int, started time.Time) {
	pt, c := &l.participants[i], &l.command
	pt.times, pt.report = stepTimes{}, kernels.Reduced{}
	w := stopwatch{on: l.timed, last: started}
	switch c.kind {
	case publish:
		l.publish(i)
	case edgeMap:
		l.superstep(i, &w)
	case vertexMap:
		l.try(i, func() (err error) {
			pt.report, err = l.runOf(i).VertexMap(l.ctx, c.op, c.over, c.args)
			return err
		})
		pt.times.kernel = pt.report.Kernel
	case localOp:
		l.try(i, func() (err error) {
			if err = l.runOf(i).Local(l.ctx, c.op); err == nil {
				pt.report.Counts, err = l.runOf(i).Use(program.Default)
			}
			return err
		})
	}
	w.lap(&pt.times.compute)
	// Statistics.add counts the rest as idle.
}

// runOf is the run of processor i, of this process.
func (l *Loop) runOf(i int) kernels.Run { return l.runs[i-l.lo] }

// turn is how long a run keeps its processor where other goroutines wait for one: the scheduler would take it away after 10 ms.
const turn = time.Millisecond

// share exchanges the reports of all processors; it fails the run where ctx has ended. It yields to other goroutines once in turn.
func (l *Loop) share() {
	if now := time.Now(); now.Sub(l.yielded) > turn {
		l.yielded = now
		runtime.Gosched()
	}
	if l.failed() {
		return
	}
	for i := l.lo; i < l.hi; i++ {
		l.reports[i] = l.participants[i].report
	}
	all, err := l.by.Share(l.ctx, l.phase, l.reports[l.lo:l.hi])
	if err == nil {
		err = l.ctx.Err()
	}
	if err != nil {
		l.failBy(err)
		return
	}
	if l.hi-l.lo < len(l.reports) {
		copy(l.reports, all)
	}
}

// failBy keeps err if it is the run's first.
func (l *Loop) failBy(err error) {
	first := err // allocated here, not by callers without an error
	if l.failure.CompareAndSwap(nil, &first) {
		l.by.Abort(err)
	}
}

// fail keeps err, of processor i, if it is the run's first.
func (l *Loop) fail(i int, err error) {
	if err != nil {
		l.failBy(fmt.Errorf("processor %d (%s): %w", i, l.kinds[i], err))
	}
}

// try calls f, which calls processor i, unless the run has failed; an error of f fails it.
func (l *Loop) try(i int, f func() error) {
	if !l.failed() {
		l.fail(i, f())
	}
}

func (l *Loop) failed() bool { return l.failure.Load() != nil }

// firstFailure is the run's first failure.
func (l *Loop) firstFailure() error {
	if e := l.failure.Load(); e != nil {
		return *e
	}
	return nil
}

// guard calls f, a caller's own code, and returns its panic as an error that wraps kind.
func guard(kind error, f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			if err = hugemem.Refusal(v); err != nil {
				return
			}
			err = fmt.Errorf("%w: panic: %v\n\n%s", kind, v, debug.Stack())
		}
	}()
	return f()
}
