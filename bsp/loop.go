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
	info   GraphInfo
	place  *partition.Placement
	inArcs int64

	participants []participant
	order        *sequence // the number of the job that the drivers shall run
	level        *sequence // the number of the superstep that may begin
	job          func(i int)
	jobs         int64
	steps        int64 // supersteps of all searches so far
	closing      bool

	allCPU bool // every processor is a CPU
	// inDevices are the processors, if the memory of none is the host's.
	inDevices []kernels.DeviceResults

	// of the search under way
	ctx     context.Context
	dir     kernels.Direction
	timed   bool // levels are collected
	skips   int  // levels until StepMany is tried again
	backoff int  // skips after the last call that ran nothing
	stop    bool
	outcome Outcome
	sum     [1]kernels.Counts // over all processors, of one superstep
	failure atomic.Pointer[error]
}

// participant is one processor's part of the loop; its fields are written by its driver
// and read by others after a sequence.
type participant struct {
	own           []int // its ranges
	many          kernels.MultiStepper
	limits        kernels.MultiStepLimits // Levels is 0 without many
	none          kernels.Counts          // of an empty frontier, nothing visited
	stepped       bool                    // in the superstep of stepSmall
	outgoing      []kernels.Message       // by range: published or outbox
	sent          *sequence               // outgoing is complete, by superstep
	done          *sequence               // the superstep is finished, by superstep
	idle          *sequence               // the job is done, by job
	ready         *sequence               // the processor is reset, by job
	counts        kernels.Counts
	remoteClaims  [][]uint32
	remoteParents [][]uint32
	times         stepTimes
	_             [64]byte
}

// stepTimes is one processor's times of one superstep.
type stepTimes struct {
	compute, push, pull, idle time.Duration
	sent, received            int64
	kernel                    string
}

// New returns a loop over the processors, which have loaded the parts of p in order.
func New(procs []kernels.Processor, p *partition.Placement) *Loop {
	l := &Loop{procs: procs, ranges: p.Ranges, place: p, order: newSequence(), level: newSequence(), participants: make([]participant, len(procs))}
	l.info = GraphInfo{Hub: -1, Words: int64(p.Ranks / 64)}
	best := -1.0
	for r, rg := range p.Ranges {
		l.info.Vertices += int64(rg.Vertices)
		arcs := int64(0)
		if s := p.Subgraphs[r]; s.Out != nil {
			arcs = s.Out.Arcs()
		} else if s.In != nil {
			arcs = s.In.Arcs()
		}
		l.info.Arcs += arcs
		if s := p.Subgraphs[r]; s.In != nil {
			l.inArcs += s.In.Arcs()
		}
		if mean := float64(arcs) / float64(max(1, rg.Vertices)); len(procs) > 1 && rg.Vertices > 0 && mean > best {
			best, l.info.Hub = mean, rg.Owner
		}
	}
	for _, p := range procs {
		r, is := p.(kernels.DeviceResults)
		if !is {
			l.inDevices = nil
			break
		}
		l.inDevices = append(l.inDevices, r)
	}
	l.allCPU = len(procs) > 1
	for i := range l.participants {
		pt := &l.participants[i]
		pt.sent, pt.done, pt.idle, pt.ready = newSequence(), newSequence(), newSequence(), newSequence()
		if many, is := procs[i].(kernels.MultiStepper); is {
			pt.many, pt.limits = many, many.MultiStepLimits()
		}
		l.allCPU = l.allCPU && procs[i].Kind() == kernels.CPU
		pt.outgoing = make([]kernels.Message, len(p.Ranges))
		for r, rg := range p.Ranges {
			if rg.Owner == i {
				pt.own = append(pt.own, r)
				pt.none.Unvisited += int64(rg.Vertices)
				if s := p.Subgraphs[r]; s.In != nil {
					pt.none.UnvisitedArcs += s.In.Arcs()
				}
				if i == l.info.Hub {
					if s := p.Subgraphs[r]; s.Out != nil {
						l.info.HubArcs += s.Out.Arcs()
					}
				}
			}
		}
		pt.remoteClaims = make([][]uint32, len(procs))
		pt.remoteParents = make([][]uint32, len(procs))
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
			l.participants[i].idle.advance(n)
			return
		}
		l.job(i)
		l.participants[i].idle.advance(n)
	}
}

// all runs f for every processor at once and returns when all are done.
func (l *Loop) all(f func(i int)) {
	l.job = f
	l.jobs++
	l.order.advance(l.jobs)
	f(0)
	for i := 1; i < len(l.participants); i++ {
		l.participants[i].idle.wait(l.jobs)
	}
}

// Close ends the drivers. It does not close the processors.
func (l *Loop) Close() {
	if l.closing {
		return
	}
	l.closing = true
	l.jobs++
	l.order.advance(l.jobs)
	for i := 1; i < len(l.participants); i++ {
		l.participants[i].idle.wait(l.jobs)
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

	// until, if set, is called after each superstep with the Observation of the next one; true
	// ends the search there, its tree incomplete.
	until func(*Observation) bool
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
	l.timed, l.skips, l.backoff = s.Statistics != nil, 0, 0
	l.failure.Store(nil)
	d := s.Director
	d.Start(l.info)
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
			l.coordinate(&s, d)
		} else {
			l.participants[i].ready.advance(l.jobs)
			l.work(i, begin)
		}
		l.aggregate(i, s.Parents)
	})
	if l.inDevices != nil && s.Parents != nil && !l.failed() {
		begun := time.Now()
		l.all(func(i int) { l.fail(i, l.inDevices[i].CopyTo(s.Parents)) })
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
