package bsp

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/partition"
)

// ErrRoot is returned by Search if the root is not the rank of a vertex.
var ErrRoot = errors.New("bsp: root is not a vertex with edges")

// ErrProcessor is returned by Search if processors report more reached vertices than the
// graph has: such a search might not end.
var ErrProcessor = errors.New("bsp: a processor breaks the contract")

// Loop runs searches over processors that have loaded their partitions, one at a time: its
// methods must not be called concurrently.
type Loop struct {
	procs  []kernels.Processor
	ranges []kernels.Range
	info   GraphInfo
	place  *partition.Placement

	participants []participant
	order        *sequence // the job to run, by number
	level        *sequence // the superstep that may begin, by number
	job          func(i int)
	jobs         int64
	steps        int64 // supersteps of all searches so far
	closing      bool

	allCPU bool // every processor is a CPU
	// inDevices holds the processors if all keep their parents in device memory, else nil.
	inDevices []kernels.DeviceResults

	// of the current search
	ctx     context.Context
	dir     kernels.Direction
	timed   bool // collects statistics
	skips   int  // levels until the next try of StepMany
	backoff int  // skips after the last call that ran less than two levels
	stop    bool
	outcome Outcome
	sum     [1]kernels.Counts // of all processors in one superstep
	failure atomic.Pointer[error]
}

// participant is the loop's state of one processor. Its own goroutine writes the fields;
// others read them after the sequence that announces them.
type participant struct {
	own           []int // indices of its ranges
	many          kernels.MultiStepper
	limits        kernels.MultiStepLimits // Levels is 0 without many
	none          kernels.Counts          // before the root is set
	stepped       bool                    // in this superstep
	outgoing      []kernels.Message       // by range: frontier slice or outbox
	sent          *sequence               // outgoing is complete, by superstep
	done          *sequence               // the superstep is finished, by superstep; the reset is one
	idle          *sequence               // the job is finished, by job
	counts        kernels.Counts          // of the last superstep
	remoteClaims  [][]uint32              // by finder: ranks whose parents to ask for
	remoteParents [][]uint32              // by finder: their parents
	times         stepTimes
	_             [64]byte
}

// stepTimes is what one processor measured in one superstep.
type stepTimes struct {
	compute, push, pull, idle time.Duration
	sent, received            int64 // bytes
	kernel                    string
}

// New returns a loop over processors; processor i has loaded part i of p.
func New(procs []kernels.Processor, p *partition.Placement) *Loop {
	l := &Loop{procs: procs, ranges: p.Ranges, place: p, order: newSequence(), level: newSequence(), participants: make([]participant, len(procs))}
	l.info = GraphInfo{Hub: -1, Words: int64(p.Ranks / 64)}
	out := make([]int64, len(procs)) // out-arcs
	best := -1.0
	for r, rg := range p.Ranges {
		pt, s := &l.participants[rg.Owner], p.Subgraphs[r]
		pt.own = append(pt.own, r)
		arcs := int64(0)
		if s.In != nil {
			arcs = s.In.Arcs()
			pt.none.UnvisitedArcs += arcs
		}
		if s.Out != nil {
			arcs = s.Out.Arcs()
			out[rg.Owner] += arcs
		}
		l.info.Arcs += arcs
		l.info.Vertices += int64(rg.Vertices)
		pt.none.Unvisited += int64(rg.Vertices)
		if mean := float64(arcs) / float64(max(1, rg.Vertices)); len(procs) > 1 && rg.Vertices > 0 && mean > best {
			best, l.info.Hub = mean, rg.Owner
		}
	}
	if l.info.Hub >= 0 {
		l.info.HubArcs = out[l.info.Hub]
	}
	for _, p := range procs {
		r, is := p.(kernels.DeviceResults)
		if !is {
			l.inDevices = nil
			break
		}
		l.inDevices = append(l.inDevices, r)
	}
	l.allCPU = true
	for i := range l.participants {
		pt := &l.participants[i]
		pt.sent, pt.done, pt.idle = newSequence(), newSequence(), newSequence()
		if many, is := procs[i].(kernels.MultiStepper); is {
			pt.many, pt.limits = many, many.MultiStepLimits()
		}
		l.allCPU = l.allCPU && procs[i].Kind() == kernels.CPU
		pt.outgoing = make([]kernels.Message, len(p.Ranges))
		pt.remoteClaims = make([][]uint32, len(procs))
		pt.remoteParents = make([][]uint32, len(procs))
		if i > 0 {
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

// all runs f for all processors concurrently and returns when all have finished.
func (l *Loop) all(f func(i int)) {
	l.job = f
	l.jobs++
	l.order.advance(l.jobs)
	f(0)
	for i := 1; i < len(l.participants); i++ {
		l.participants[i].idle.wait(l.jobs)
	}
}

// Close ends the loop's goroutines. It does not close the processors.
func (l *Loop) Close() {
	if l.closing {
		return
	}
	l.closing = true
	l.all(func(int) {})
}

// Search describes a search.
type Search struct {
	// Root is a rank. Parents, if not nil, has an entry per vertex id and receives the
	// parents' vertex ids, graph.None for an unreached vertex with a rank. Entries of
	// vertices without a rank are not written.
	Root    uint32
	Parents []uint32
	// Director chooses the directions.
	Director Director
	// Examined counts the adjacency entries read at each level, which takes time.
	Examined bool
	// Statistics, if not nil, receives the levels.
	Statistics *Statistics

	// until, if set, is called after each superstep with the observation before the next; true
	// ends the search with an incomplete tree.
	until func(*Observation) bool
}

// Outcome is the result of a search.
type Outcome struct {
	// Reached is the number of vertices, the root included; Depth the largest level.
	Reached, Depth int64
	// Time is the time of the supersteps, without the aggregation of parents.
	Time time.Duration
	// Copy is the time to copy the parents from devices to the host, after the search. It is
	// 0 unless all processors are devices.
	Copy time.Duration
}
