package bsp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"sync/atomic"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

// ErrBody is wrapped by the error of Run if the body panics.
var ErrBody = errors.New("bsp: the body of a program failed")

// Execution runs one program on the processors of this process: it is the program.Machine that a
// body drives. Every process of a transport executes the same body.
type Execution struct {
	p      *program.Program
	layout *Layout
	by     Transport
	runs   []kernels.Run // by processor, nil for those of other processes
	lo, hi int           // processors of this process

	expand, fold [2]routes
	members      []member
	order        *sequence // commands, by number
	phase        int64     // of the last command; each takes two phases
	commands     int64
	command      command
	reports      []kernels.Reduced // of all processors
	ctx          context.Context
	failure      atomic.Pointer[error]
	stopped      bool
}

// command is what all processors do next.
type command struct {
	kind kind
	op   int
	step program.Step
	over program.Set
	args [4]float64
}

type kind uint8

const (
	stop kind = iota
	edgeMap
	vertexMap
	localOp
)

// member is the state of one processor. Its goroutine writes the fields; the coordinator reads
// them after done.
type member struct {
	own    []int    // its ranges
	news   [][]News // by receiver
	slices []kernels.Message
	done   *sequence // the command is finished, by number
	report kernels.Reduced
	_      [64]byte
}

// NewExecution returns an execution of runs of p. runs has an entry for each processor of this
// process, by number from Here on.
func NewExecution(p *program.Program, layout *Layout, by Transport, runs []kernels.Run) *Execution {
	x := &Execution{p: p, layout: layout, by: by, order: newSequence(), members: make([]member, layout.Processors)}
	x.lo, x.hi = by.Here()
	x.runs = make([]kernels.Run, layout.Processors)
	copy(x.runs[x.lo:x.hi], runs)
	for w := range x.expand {
		x.expand[w], x.fold[w] = layout.expandRoutes(program.Way(w)), layout.foldRoutes(program.Way(w))
	}
	for i := range x.members {
		m := &x.members[i]
		m.done = newSequence()
		m.news = make([][]News, layout.Processors)
		m.slices = make([]kernels.Message, len(layout.Ranges))
		for r, rg := range layout.Ranges {
			if rg.Owner == i {
				m.own = append(m.own, r)
			}
		}
	}
	return x
}

// Local returns the transport of processors of one process.
func Local(processors int) Transport { return newLocal(processors) }

// Run begins the runs and calls body. It returns body's error or the first failure of a
// processor; a failed call of the Machine returns that too. Errors are ctx's, a processor's with
// its number, the transport's, or wrap ErrBody. It may be called again.
func (x *Execution) Run(ctx context.Context, body func(program.Machine) error) (err error) {
	x.ctx, x.stopped = ctx, false
	x.failure.Store(nil)
	x.reports = make([]kernels.Reduced, x.layout.Processors)
	for i := x.lo; i < x.hi; i++ {
		x.fail(i, x.runs[i].Begin(kernels.NeedNextArcs))
	}
	begun := x.commands
	for i := x.lo + 1; i < x.hi; i++ {
		go x.drive(i, begun)
	}
	defer func() {
		x.issue(command{kind: stop})
		if e := x.failure.Load(); e != nil {
			x.by.Abort(*e)
			if err = *e; ctx.Err() != nil {
				err = ctx.Err()
			}
		}
	}()
	return x.call(body)
}

// call runs the body and turns its panic into an error.
func (x *Execution) call(body func(program.Machine) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%w: panic: %v\n\n%s", ErrBody, v, debug.Stack())
		}
	}()
	if e := x.failure.Load(); e != nil {
		return *e
	}
	return body(x)
}

// drive runs commands on processor i until stop.
func (x *Execution) drive(i int, n int64) {
	for {
		n++
		x.order.wait(n)
		c := x.command
		x.do(i)
		x.members[i].done.advance(n)
		if c.kind == stop {
			return
		}
	}
}

// issue runs a command on all processors of this process.
func (x *Execution) issue(c command) {
	x.command = c
	x.commands++
	x.phase += 2
	n := x.commands
	x.order.advance(n)
	x.do(x.lo)
	for i := x.lo + 1; i < x.hi; i++ {
		x.members[i].done.wait(n)
	}
}

// do runs the command on processor i.
func (x *Execution) do(i int) {
	m, run, c := &x.members[i], x.runs[i], &x.command
	var err error
	switch c.kind {
	case edgeMap:
		x.superstep(i)
	case vertexMap:
		if !x.failed() {
			m.report, err = run.VertexMap(x.ctx, c.op, c.over, c.args)
		}
	case localOp:
		if !x.failed() {
			err = run.Local(x.ctx, c.op)
		}
	}
	x.fail(i, err)
}

// superstep runs an edge operator on processor i. After a failure it sends empty news, so that
// no processor blocks.
func (x *Execution) superstep(i int) {
	m, run, c := &x.members[i], x.runs[i], &x.command
	w := c.step.Way
	if to := x.expand[w]; to != nil {
		for _, r := range m.own {
			m.slices[r] = kernels.Message{}
			if !x.failed() {
				var err error
				m.slices[r], err = run.Expand(c.op, c.step, r)
				x.fail(i, err)
			}
		}
		x.send(i, x.phase-1, to[i], m.slices)
		x.receive(i, x.phase-1, to, func(_, r int, msg kernels.Message) error { return run.Take(c.op, c.step, r, msg) })
	}
	if !x.failed() {
		_, err := run.Step(x.ctx, c.op, c.step)
		x.fail(i, err)
	}
	if to := x.fold[w]; to != nil {
		for _, r := range x.layout.Fold[w][i] {
			m.slices[r] = kernels.Message{}
			if !x.failed() {
				var err error
				m.slices[r], err = run.Fold(r)
				x.fail(i, err)
			}
		}
		x.send(i, x.phase, to[i], m.slices)
		x.receive(i, x.phase, to, func(from, r int, msg kernels.Message) error { return run.Merge(r, from, msg) })
	}
	if !x.failed() {
		c, err := run.Advance()
		m.report = kernels.Reduced{Counts: c}
		x.fail(i, err)
	}
}

// send sends the slices of the ranges of to, by receiver.
func (x *Execution) send(i int, n int64, to [][]int, slices []kernels.Message) {
	m := &x.members[i]
	for d, ranges := range to {
		m.news[d] = m.news[d][:0]
		for _, r := range ranges {
			m.news[d] = append(m.news[d], News{r, slices[r]})
		}
	}
	x.fail(i, x.by.Send(n, i, m.news))
}

// receive calls take for all news of phase n to processor i, in the order of senders.
func (x *Execution) receive(i int, n int64, to routes, take func(from, r int, m kernels.Message) error) {
	for from := range x.members {
		if from == i || len(to[from][i]) == 0 {
			continue
		}
		news, err := x.by.Recv(x.ctx, n, from, i)
		x.fail(i, err)
		for _, m := range news {
			if !x.failed() {
				x.fail(i, take(from, m.Range, m.Message))
			}
		}
	}
}

func (x *Execution) fail(i int, err error) {
	if err != nil {
		first := fmt.Errorf("processor %d: %w", i, err)
		if x.failure.CompareAndSwap(nil, &first) {
			x.by.Abort(err)
		}
	}
}

// refuse fails the execution by err and returns its first failure.
func (x *Execution) refuse(err error) error {
	x.failure.CompareAndSwap(nil, &err)
	return *x.failure.Load()
}

func (x *Execution) failed() bool { return x.failure.Load() != nil }

// share exchanges the reports of all processors.
func (x *Execution) share() error {
	if e := x.failure.Load(); e != nil {
		return *e
	}
	mine := make([]kernels.Reduced, 0, x.hi-x.lo)
	for i := x.lo; i < x.hi; i++ {
		mine = append(mine, x.members[i].report)
	}
	all, err := x.by.Share(x.ctx, x.phase, mine)
	if err != nil {
		x.fail(x.lo, err)
		return err
	}
	x.reports = all
	if err := x.ctx.Err(); err != nil {
		return x.refuse(err)
	}
	return nil
}

// frontier sums up the reports.
func (x *Execution) frontier() program.Frontier {
	t := program.U32
	if a := x.p.LeastArray(); a >= 0 {
		t = x.p.Arrays[a].Type
	}
	f := program.Frontier{Least: program.TopOf(t)}
	for _, r := range x.reports {
		f.Count += r.Next
		f.Arcs += r.NextArcs
		if r.Next > 0 && program.Less(t, r.Least, f.Least) {
			f.Least = r.Least
		}
	}
	return f
}

// Info implements program.Machine.
func (x *Execution) Info() program.Info { return x.layout.Info }

// Seed implements program.Machine.
func (x *Execution) Seed(rank uint32, array int, value program.Bits) (program.Frontier, error) {
	r := x.layout.rangeOf(rank)
	if r < 0 {
		return program.Frontier{}, x.refuse(fmt.Errorf("%w: rank %d", ErrRoot, rank))
	}
	if array >= len(x.p.Arrays) {
		return program.Frontier{}, x.refuse(fmt.Errorf("%w %q: there is no array %d", program.ErrInvalid, x.p.Name, array))
	}
	if i := x.layout.Ranges[r].Owner; i >= x.lo && i < x.hi && !x.failed() {
		x.fail(i, x.runs[i].Seed(rank, array, value))
	}
	return x.Use(program.Default)
}

// EdgeMap implements program.Machine.
func (x *Execution) EdgeMap(op int, s program.Step) (program.Frontier, error) {
	if err := errors.Join(x.p.CheckStep(op, s), x.ctx.Err()); err != nil {
		return program.Frontier{}, x.refuse(err)
	}
	x.issue(command{kind: edgeMap, op: op, step: s})
	if err := x.share(); err != nil {
		return program.Frontier{}, err
	}
	return x.frontier(), nil
}

// VertexMap implements program.Machine.
func (x *Execution) VertexMap(op int, over program.Set, args ...float64) (program.Frontier, program.Reduced, error) {
	c := command{kind: vertexMap, op: op, over: over}
	if op < 0 || op >= len(x.p.Vertices) || over < program.All || over > program.MaxSets || len(args) > len(c.args) {
		return program.Frontier{}, program.Reduced{}, x.refuse(fmt.Errorf("%w %q: no vertex operator %d over set %d with %d arguments",
			program.ErrInvalid, x.p.Name, op, over, len(args)))
	}
	copy(c.args[:], args)
	x.issue(c)
	if err := x.share(); err != nil {
		return program.Frontier{}, program.Reduced{}, err
	}
	total := program.Reduced{Min: math.Inf(1)}
	next := make([]int, len(x.reports))
	for _, rg := range x.layout.Ranges {
		if rg.Vertices == 0 {
			continue
		}
		part := x.reports[rg.Owner].Sums[next[rg.Owner]]
		next[rg.Owner]++
		for k := range total.Sum {
			total.Sum[k] += part.Sum[k]
		}
		total.Min = min(total.Min, part.Min)
	}
	return x.frontier(), total, nil
}

// Local implements program.Machine.
func (x *Execution) Local(op int) error {
	if op < 0 || op >= len(x.p.Locals) {
		return x.refuse(fmt.Errorf("%w %q: there is no local operator %d", program.ErrInvalid, x.p.Name, op))
	}
	x.issue(command{kind: localOp, op: op})
	if e := x.failure.Load(); e != nil {
		return *e
	}
	return x.ctx.Err()
}

// Gather implements program.Machine.
func (x *Execution) Gather(array int) ([][]uint32, error) {
	if array < 0 || array >= len(x.p.Arrays) || x.p.Arrays[array].Type != program.U32 {
		return nil, x.refuse(fmt.Errorf("%w %q: no array %d of type U32", program.ErrInvalid, x.p.Name, array))
	}
	if x.hi-x.lo != len(x.members) {
		return nil, x.refuse(fmt.Errorf("bsp: Gather is for one process: %w", errors.ErrUnsupported))
	}
	out := make([][]uint32, len(x.runs))
	for i, r := range x.runs {
		if x.failed() {
			break
		}
		var err error
		out[i], err = r.Whole(array)
		x.fail(i, err)
	}
	if e := x.failure.Load(); e != nil {
		return nil, *e
	}
	return out, nil
}

// Keep implements program.Machine.
func (x *Execution) Keep(k program.Set) error {
	if k < 1 || k > program.MaxSets {
		return x.refuse(fmt.Errorf("%w %q: set %d cannot be stored", program.ErrInvalid, x.p.Name, k))
	}
	for i := x.lo; i < x.hi && !x.failed(); i++ {
		x.fail(i, x.runs[i].Keep(k))
	}
	if e := x.failure.Load(); e != nil {
		return *e
	}
	return nil
}

// Use implements program.Machine.
func (x *Execution) Use(k program.Set) (program.Frontier, error) {
	if k < program.All || k > program.MaxSets {
		return program.Frontier{}, x.refuse(fmt.Errorf("%w %q: there is no set %d", program.ErrInvalid, x.p.Name, k))
	}
	x.phase += 2
	for i := x.lo; i < x.hi && !x.failed(); i++ {
		c, err := x.runs[i].Use(k)
		x.members[i].report = kernels.Reduced{Counts: c}
		x.fail(i, err)
	}
	if err := x.share(); err != nil {
		return program.Frontier{}, err
	}
	return x.frontier(), nil
}
