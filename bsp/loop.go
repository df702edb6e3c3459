package bsp

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/partition"
)

// ErrRoot is returned by Search where the root is not a rank of a vertex.
var ErrRoot = errors.New("bsp: root is not a vertex with edges")

// ErrProcessor is returned by Search where processors report what cannot be: more
// vertices than there are. Without it such a search would never end.
var ErrProcessor = errors.New("bsp: a processor breaks the contract")

// Loop runs searches over processors that have loaded their partitions. It runs one
// search at a time; the caller serialises.
type Loop struct {
	procs  []kernels.Processor
	ranges []kernels.Range
	facts  Facts
	place  *partition.Placement
	inArcs int64

	lanes   []lane
	order   *gate // the number of the job that the drivers shall run
	level   *gate // the number of the superstep that may begin
	job     func(i int)
	jobs    int64
	steps   int64 // supersteps of all searches so far
	closing bool

	host bool // all processors are CPUs
	// resident are the processors, if the memory of none is the host's.
	resident []kernels.DeviceResults

	// of the search under way
	ctx     context.Context
	dir     kernels.Direction
	clocked bool // levels are collected
	skips   int  // levels until StepMany is tried again
	backoff int  // skips after the last call that ran nothing
	stop    bool
	outcome Outcome
	sum     [1]kernels.Counts // over all processors, of one superstep
	failure atomic.Pointer[error]
}

// lane is one processor's part of the loop; its fields are written by its driver
// and read by others after a gate.
type lane struct {
	own     []int // its ranges
	many    kernels.MultiStepper
	limits  kernels.MultiStepLimits // Levels is 0 without many
	none    kernels.Counts          // of an empty frontier, nothing visited
	stepped bool                    // in the superstep of stepSmall
	box     []kernels.Message       // by range: published or outbox
	sent    *gate                   // box is complete, by superstep
	done    *gate                   // the superstep is finished, by superstep
	idle    *gate                   // the job is done, by job
	ready   *gate                   // the processor is reset, by job
	counts  kernels.Counts
	foreign [][]uint32
	answers [][]uint32
	times   clocked
	_       [64]byte
}

// clocked is one processor's times of one superstep.
type clocked struct {
	compute, push, pull, idle time.Duration
	sent, received            int64
	kernel                    string
}

// New returns a loop over the processors, which have loaded the parts of p in order.
func New(procs []kernels.Processor, p *partition.Placement) *Loop {
	l := &Loop{procs: procs, ranges: p.Ranges, place: p, order: newGate(), level: newGate(), lanes: make([]lane, len(procs))}
	l.facts = Facts{Hub: -1, Words: int64(p.Ranks / 64)}
	best := -1.0
	for r, rg := range p.Ranges {
		l.facts.Vertices += int64(rg.Vertices)
		arcs := int64(0)
		if s := p.Subgraphs[r]; s.Out != nil {
			arcs = s.Out.Arcs()
		} else if s.In != nil {
			arcs = s.In.Arcs()
		}
		l.facts.Arcs += arcs
		if s := p.Subgraphs[r]; s.In != nil {
			l.inArcs += s.In.Arcs()
		}
		if mean := float64(arcs) / float64(max(1, rg.Vertices)); len(procs) > 1 && rg.Vertices > 0 && mean > best {
			best, l.facts.Hub = mean, rg.Owner
		}
	}
	for _, p := range procs {
		r, is := p.(kernels.DeviceResults)
		if !is {
			l.resident = nil
			break
		}
		l.resident = append(l.resident, r)
	}
	l.host = len(procs) > 1
	for i := range l.lanes {
		ln := &l.lanes[i]
		ln.sent, ln.done, ln.idle, ln.ready = newGate(), newGate(), newGate(), newGate()
		if many, is := procs[i].(kernels.MultiStepper); is {
			ln.many, ln.limits = many, many.MultiStepLimits()
		}
		l.host = l.host && procs[i].Kind() == "cpu"
		ln.box = make([]kernels.Message, len(p.Ranges))
		for r, rg := range p.Ranges {
			if rg.Owner == i {
				ln.own = append(ln.own, r)
				ln.none.Unvisited += int64(rg.Vertices)
				if s := p.Subgraphs[r]; s.In != nil {
					ln.none.UnvisitedArcs += s.In.Arcs()
				}
				if i == l.facts.Hub {
					if s := p.Subgraphs[r]; s.Out != nil {
						l.facts.HubArcs += s.Out.Arcs()
					}
				}
			}
		}
		ln.foreign = make([][]uint32, len(procs))
		ln.answers = make([][]uint32, len(procs))
		if i > 0 {
			go l.drive(i)
		}
	}
	return l
}

// drive runs jobs on processor i until the loop is closed.
func (l *Loop) drive(i int) {
	for n := int64(1); ; n++ {
		l.order.park(n)
		if l.closing {
			l.lanes[i].idle.open(n)
			return
		}
		l.job(i)
		l.lanes[i].idle.open(n)
	}
}

// all runs f for every processor at once and returns when all are done.
func (l *Loop) all(f func(i int)) {
	l.job = f
	l.jobs++
	l.order.open(l.jobs)
	f(0)
	for i := 1; i < len(l.lanes); i++ {
		l.lanes[i].idle.wait(l.jobs)
	}
}

// Close ends the drivers. It does not close the processors.
func (l *Loop) Close() {
	if l.closing {
		return
	}
	l.closing = true
	l.jobs++
	l.order.open(l.jobs)
	for i := 1; i < len(l.lanes); i++ {
		l.lanes[i].idle.wait(l.jobs)
	}
}

// Search says what to search.
type Search struct {
	// Root is a rank; Parents, by vertex id, gets the result: graph.None for a vertex
	// that has a rank and was not reached. Entries of vertices without a rank are
	// left alone. Nil parents are not made.
	Root    uint32
	Parents []uint32
	// Director chooses the directions.
	Director Director
	// Examined asks for the number of adjacency entries read at each level.
	Examined bool
	// Statistics collects the levels, if not nil.
	Statistics *Statistics

	// until, if set, is called after each superstep with the State of the next one; true
	// ends the search there, its tree incomplete.
	until func(*State) bool
}

// Outcome is what a search found.
type Outcome struct {
	// Reached is the number of vertices, the root included; Depth the largest level.
	Reached, Depth int64
	// Time is that of the supersteps, without the aggregation of parents.
	Time time.Duration
	// Copy is the time that the parents took from the memory of the processors, where
	// it ended the search, to the host's; 0 where a processor works in the host's.
	Copy time.Duration
}

// fail keeps the first error of a search.
func (l *Loop) fail(i int, err error) {
	if err != nil {
		first := fmt.Errorf("processor %d (%s): %w", i, l.procs[i].Kind(), err)
		l.failure.CompareAndSwap(nil, &first)
	}
}

func (l *Loop) failed() bool { return l.failure.Load() != nil }

// Search runs one search. It returns ctx's error within one superstep of its end, and
// a processor's error as it is; either way the loop is ready for the next search.
func (l *Loop) Search(ctx context.Context, s Search) (Outcome, error) {
	owner, ok := l.owner(s.Root)
	if !ok {
		return Outcome{}, fmt.Errorf("%w: rank %d", ErrRoot, s.Root)
	}
	l.ctx, l.stop = ctx, false
	l.clocked, l.skips, l.backoff = s.Statistics != nil, 0, 0
	l.failure.Store(nil)
	d := s.Director
	d.Start(l.facts)
	need := d.Need()
	if s.Examined {
		need |= kernels.NeedExamined
	}
	if s.Statistics != nil {
		s.Statistics.start(len(l.procs))
	}
	begin := l.steps
	l.all(func(i int) {
		err := l.procs[i].Reset(need)
		if err == nil && i == owner {
			err = l.procs[i].SetRoot(s.Root)
		}
		l.fail(i, err)
		if i == 0 {
			l.conduct(&s, d)
		} else {
			l.lanes[i].ready.open(l.jobs)
			l.follow(i, begin)
		}
		l.aggregate(i, s.Parents)
	})
	if l.resident != nil && s.Parents != nil && !l.failed() {
		begun := time.Now()
		l.all(func(i int) { l.fail(i, l.resident[i].CopyTo(s.Parents)) })
		l.outcome.Copy = time.Since(begun)
	}
	if e := l.failure.Load(); e != nil {
		if err := ctx.Err(); err != nil {
			return Outcome{}, err
		}
		return Outcome{}, *e
	}
	return l.outcome, ctx.Err()
}

func (l *Loop) owner(rank uint32) (int, bool) {
	for _, r := range l.ranges {
		if rank >= r.First && rank < r.First+r.Vertices {
			return r.Owner, true
		}
	}
	return 0, false
}

// conduct drives processor 0 and decides for all.
func (l *Loop) conduct(s *Search, d Director) {
	st := &State{Frontier: 1}
	l.outcome = Outcome{Reached: 1}
	begun := time.Now()
	// The counts of the root are those that its owner would report.
	st.Arcs, st.Unvisited, st.UnvisitedArcs = l.rootCounts(s.Root)
	if l.facts.Hub >= 0 {
		if o, _ := l.owner(s.Root); o == l.facts.Hub {
			st.HubFrontier, st.HubArcs = 1, st.Arcs
		}
	}
	for i := range l.lanes {
		l.lanes[i].counts = l.lanes[i].none
	}
	holder, _ := l.owner(s.Root)
	l.lanes[holder].counts.Next = 1
	for i := 1; i < len(l.lanes); i++ {
		l.lanes[i].ready.wait(l.jobs)
	}
	for going := true; going; {
		l.dir = d.Next(st)
		var started time.Time
		if l.clocked {
			started = time.Now()
		}
		run := l.stepMany(st, d)
		if run == nil {
			run = l.superstep(st, started)
		}
		took := time.Duration(0) // supersteps of one call share its time evenly
		if l.clocked {
			took = time.Since(started) / time.Duration(len(run))
		}
		for i := range run {
			c := &run[i]
			if s.Statistics != nil {
				s.Statistics.add(st.Level, l.dir, st.Frontier, c.Examined, s.Examined, took, l.lanes)
			}
			l.outcome.Reached += c.Next
			l.outcome.Depth = int64(st.Level)
			if c.Next == 0 || l.failed() || l.ctx.Err() != nil && i == len(run)-1 {
				going = false
				break
			}
			if l.outcome.Reached > l.facts.Vertices {
				l.fail(0, fmt.Errorf("%w: %d vertices reached of %d", ErrProcessor, l.outcome.Reached, l.facts.Vertices))
				going = false
				break
			}
			st.Level++
			st.Last = l.dir
			st.Before, st.Frontier, st.Arcs = st.Frontier, c.Next, c.NextArcs
			st.Unvisited, st.UnvisitedArcs = c.Unvisited, c.UnvisitedArcs
		}
		if going && s.until != nil && s.until(st) {
			going = false
		}
	}
	l.outcome.Time = time.Since(begun)
	l.stop = true
	if err := l.ctx.Err(); err != nil {
		l.failure.CompareAndSwap(nil, &err)
	}
	l.steps++
	l.level.open(l.steps)
}

// superstep runs one superstep on all processors, and returns the sums of what they
// count; those of the hub partition go to st.
func (l *Loop) superstep(st *State, started time.Time) []kernels.Counts {
	if l.small(st) {
		l.stepSmall()
	} else {
		l.steps++
		l.level.open(l.steps)
		l.step(0, l.steps, started)
		for i := 1; i < len(l.lanes); i++ {
			l.lanes[i].done.wait(l.steps)
		}
	}
	var sum kernels.Counts
	many := false
	st.HubFrontier, st.HubArcs = 0, 0
	for i := range l.lanes {
		c := &l.lanes[i].counts
		sum.Next += c.Next
		sum.NextArcs += c.NextArcs
		many = many || c.NextArcs < 0
		sum.Examined += c.Examined
		sum.Unvisited += c.Unvisited
		sum.UnvisitedArcs += c.UnvisitedArcs
		if i == l.facts.Hub {
			st.HubFrontier, st.HubArcs = c.Next, c.NextArcs
		}
	}
	if many {
		sum.NextArcs = -1
	}
	l.sum[0] = sum
	return l.sum[:]
}

// rootCounts are the out-arcs of the root, and the vertices and in-arcs unvisited
// once it is placed.
func (l *Loop) rootCounts(root uint32) (arcs, unvisited, unvisitedArcs int64) {
	s := l.place.Subgraphs[l.place.RangeOf(root)]
	unvisited, unvisitedArcs = l.facts.Vertices-1, l.inArcs
	if s.Out != nil {
		arcs = int64(s.Out.Degree(root - s.First))
	}
	if s.In != nil {
		unvisitedArcs -= int64(s.In.Degree(root - s.First))
	}
	return arcs, unvisited, unvisitedArcs
}

// follow drives processor i until the conductor stops.
func (l *Loop) follow(i int, begin int64) {
	for n := begin + 1; ; n++ {
		l.level.wait(n)
		if l.stop {
			return
		}
		l.step(i, n, time.Now())
	}
}

// step runs superstep n on processor i. After a failure it only opens the gates, so
// that every waiter returns.
func (l *Loop) step(i int, n int64, started time.Time) {
	ln, p := &l.lanes[i], l.procs[i]
	t := &ln.times
	*t = clocked{}
	ln.counts = kernels.Counts{}
	last := started
	lap := func(d *time.Duration) {
		now := time.Now()
		*d += now.Sub(last)
		last = now
	}
	run := func() (err error) {
		t.kernel, err = p.Step(l.ctx, l.dir)
		return err
	}
	up := l.dir == kernels.BottomUp
	single := len(l.procs) == 1
	var err error
	if up {
		if !single {
			for _, r := range ln.own {
				ln.box[r] = kernels.Message{}
				if err == nil && !l.failed() {
					ln.box[r], err = p.FrontierSlice(r)
				}
			}
			l.fail(i, err)
			lap(&t.pull)
			ln.sent.open(n)
			l.exchange(i, n, true, lap)
		}
		if !l.failed() {
			l.fail(i, run())
		}
	} else {
		if !l.failed() {
			l.fail(i, run())
		}
		if !single {
			lap(&t.compute)
			for r, rg := range l.ranges {
				ln.box[r] = kernels.Message{}
				if rg.Owner != i && err == nil && !l.failed() {
					ln.box[r], err = p.Outbox(r)
					t.sent += ln.box[r].Bytes()
				}
			}
			l.fail(i, err)
			lap(&t.push)
			ln.sent.open(n)
			l.exchange(i, n, false, lap)
		}
	}
	if !l.failed() {
		ln.counts, err = p.Finish()
		l.fail(i, err)
	}
	lap(&t.compute)
	ln.done.open(n)
	// The rest of the superstep is idle: see Statistics.add.
}

// exchange takes in what the other processors have for processor i, in the order of
// senders, each as soon as it is there.
func (l *Loop) exchange(i int, n int64, pull bool, lap func(*time.Duration)) {
	ln, p := &l.lanes[i], l.procs[i]
	t := &ln.times
	for s := range l.lanes {
		if s == i {
			continue
		}
		from := &l.lanes[s]
		from.sent.wait(n)
		lap(&t.idle)
		var err error
		if pull {
			for _, r := range from.own {
				if err == nil && !l.failed() {
					err = p.SetRemoteFrontier(r, from.box[r])
					t.received += from.box[r].Bytes()
				}
			}
			for _, r := range ln.own {
				t.sent += ln.box[r].Bytes()
			}
			l.fail(i, err)
			lap(&t.pull)
			continue
		}
		for _, r := range ln.own {
			if err == nil && !l.failed() {
				err = p.MergeClaims(r, s, from.box[r])
				t.received += from.box[r].Bytes()
			}
		}
		l.fail(i, err)
		lap(&t.push)
	}
}

// aggregate makes the parents: each owner asks the finders of its vertices.
func (l *Loop) aggregate(i int, parents []uint32) {
	if parents == nil {
		return
	}
	if len(l.procs) == 1 {
		if !l.failed() {
			l.fail(i, l.settle(i, parents, nil, nil))
		}
		return
	}
	ln, p := &l.lanes[i], l.procs[i]
	n := l.steps // the conductor has opened it already
	for q := range l.procs {
		ln.foreign[q], ln.answers[q] = nil, nil
		if q != i && !l.failed() {
			var err error
			ln.foreign[q], err = p.RemoteClaims(q)
			l.fail(i, err)
		}
	}
	ln.sent.open(n)
	for q := range l.lanes {
		if q == i {
			continue
		}
		l.lanes[q].sent.wait(n)
		l.lanes[q].answers[i] = nil
		if ask := l.lanes[q].foreign[i]; len(ask) > 0 && !l.failed() {
			a, err := p.LookupParents(ask)
			l.lanes[q].answers[i] = a
			l.fail(i, err)
		}
	}
	ln.done.open(n)
	for q := range l.lanes {
		l.lanes[q].done.wait(n)
	}
	if !l.failed() {
		l.fail(i, l.settle(i, parents, ln.foreign, ln.answers))
	}
}

// settle makes the parents of processor i, in its own memory where CopyTo is to come.
func (l *Loop) settle(i int, parents []uint32, foreign, answers [][]uint32) error {
	if l.resident != nil {
		return l.resident[i].Resolve(foreign, answers)
	}
	return l.procs[i].Parents(parents, foreign, answers)
}
