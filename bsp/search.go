package bsp

import (
	"context"
	"fmt"
	"time"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
	"github.com/totemgo/totemgo/record"
)

// Tree is the program of a breadth-first search: each superstep claims the unvisited
// out-neighbours of the frontier. Which way a superstep goes is a Director's choice.
var Tree = &program.Program{
	Name:  "bfs",
	Edges: []program.EdgeOp{{Name: "visit", From: -1, To: -1, Map: program.Source, Combine: program.Claim, Once: true}},
}

// BFS runs breadth-first searches on a loop.
type BFS struct {
	*Loop
	info   GraphInfo
	tree   []kernels.Run // by processor of this process
	claims []kernels.Claims
	many   []kernels.MultiStepper // nil where it is none
	undo   []kernels.Undoer       // nil where it is none
	limits []kernels.MultiStepLimits
	rules  kernels.RuleStepper // the run of the only processor, nil where it is none
	allCPU bool                // every processor is a CPU, of this process
	// inDevices holds the runs if all keep their parents in device memory, else nil.
	inDevices []kernels.DeviceResults

	// of the current search
	need    kernels.Need
	skips   int // levels until the next try of StepMany
	backoff int // skips after the last call that ran less than two levels
	ahead   int // supersteps that several partitions run apart next time
	outcome Outcome
	ran     []kernels.Stepped  // the supersteps of a call, over all processors
	holders []int              // the processors of the call
	multi   [][]kernels.Counts // by processor: its supersteps of the call
}

// NewBFS returns searches on runs of Tree, one for each processor of this process. The error wraps ErrProcessor if a run is no kernels.Claims.
func NewBFS(l *Loop, runs []kernels.Run) (*BFS, error) {
	b := &BFS{Loop: l, tree: runs, many: make([]kernels.MultiStepper, len(runs)), limits: make([]kernels.MultiStepLimits, len(runs)),
		undo: make([]kernels.Undoer, len(runs)), multi: make([][]kernels.Counts, len(runs))}
	b.info = GraphInfo{Vertices: l.Vertices, Arcs: l.Arcs, Words: int64(l.Ranks / 64), Hub: l.Hub, HubArcs: l.HubArcs}
	b.allCPU = len(runs) == l.Processors
	for i, r := range runs {
		c, is := r.(kernels.Claims)
		if !is {
			return nil, fmt.Errorf("%w: processor %d builds no tree", ErrProcessor, l.lo+i)
		}
		b.claims = append(b.claims, c)
		if d, is := r.(kernels.DeviceResults); is {
			b.inDevices = append(b.inDevices, d)
		}
		if many, is := r.(kernels.MultiStepper); is {
			b.many[i], b.limits[i] = many, many.MultiStepLimits()
			b.undo[i], _ = r.(kernels.Undoer)
		}
		b.allCPU = b.allCPU && l.kinds[l.lo+i] == kernels.CPU
	}
	if r, is := runs[0].(kernels.RuleStepper); is && l.Processors == 1 && r.HasRules() {
		b.rules = r
	}
	if len(b.inDevices) < l.Processors {
		b.inDevices = nil
	}
	return b, nil
}

// Search describes a search.
type Search struct {
	// Root is a rank. Parents, if not nil, has an entry per vertex id and receives the
	// parents' vertex ids, graph.None for an unreached vertex with a rank. Entries of
	// vertices without a rank and of other processes' processors are not written.
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
	// Reset is the time of Begin and Seed of all processors, Time that of the supersteps, Aggregate
	// that of the aggregation of parents. They follow one another.
	Reset, Time, Aggregate time.Duration
	// Copy is the time to copy the parents from devices to the host, after the search. It is
	// 0 unless all processors are devices.
	Copy time.Duration
}

// Search runs one search. Errors are ErrRoot, ErrProcessor, ctx's, at the latest one
// superstep after ctx ends, a processor's with its number, the transport's, or wrap
// ErrDirectorFailed. In one process the loop can search again afterwards. Several processes pass
// the same root and director, which decides by the observations alone, and Parents all or none. A
// failure of one after the last exchange shows in the next call of the others.
func (b *BFS) Search(ctx context.Context, s Search) (Outcome, error) {
	r := b.rangeOf(s.Root)
	if r < 0 {
		return Outcome{}, fmt.Errorf("%w: rank %d", ErrRoot, s.Root)
	}
	b.timed, b.skips, b.backoff, b.ahead = s.Statistics != nil, 0, 0, firstAhead
	need, err := b.start(s.Director)
	if err != nil {
		b.by.Abort(err)
		return Outcome{}, err
	}
	if s.Examined {
		need |= kernels.NeedExamined
	}
	if s.Statistics != nil {
		s.Statistics.start(len(b.tree))
	}
	b.need = need
	b.outcome = Outcome{Reached: 1}
	var begun, ended time.Time // of the supersteps
	started := time.Now()
	b.run(ctx, Tree, b.tree,
		func(i int) {
			b.try(i, func() error { return b.runOf(i).Begin(need) })
			if i == b.Ranges[r].Owner {
				b.try(i, func() error { return b.runOf(i).Seed(s.Root, -1, 0) })
			}
			pt := &b.participants[i]
			b.try(i, func() (err error) {
				pt.report.Counts, err = b.runOf(i).Use(program.Default)
				return err
			})
		},
		func() { begun, ended = b.coordinate(&s) },
		func(i int) { b.aggregate(i, s.Parents) })
	aggregated := time.Now()
	b.outcome.Reset, b.outcome.Time, b.outcome.Aggregate = begun.Sub(started), ended.Sub(begun), aggregated.Sub(ended)
	if b.inDevices != nil && s.Parents != nil && !b.failed() {
		b.all(func(i int) { b.fail(i, b.inDevices[i].CopyTo(s.Parents)) })
		b.outcome.Copy = time.Since(aggregated)
	}
	if err := b.firstFailure(); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return Outcome{}, err
	}
	return b.outcome, ctx.Err()
}

// coordinate chooses directions and ends the search. It returns when the supersteps began and ended.
func (b *BFS) coordinate(s *Search) (begun, ended time.Time) {
	d := s.Director
	b.phase += 2
	b.share()
	begun = time.Now()
	if b.failed() {
		return begun, begun
	}
	root := b.total()
	st := &Observation{Frontier: 1, Arcs: root.NextArcs, Unvisited: root.Unvisited, UnvisitedArcs: root.UnvisitedArcs}
	b.observeHub(st)
	arcs := b.frontierArcs()
	for going := true; going; {
		dir := b.next(d, st)
		if b.failed() {
			break
		}
		b.command = command{kind: edgeMap, step: program.Step{Way: program.Way(dir)}, late: dir == kernels.TopDown}
		var started time.Time
		if b.timed {
			started = time.Now()
		}
		run := b.stepRule(st, d)
		if run == nil {
			run = b.stepMany(st, d)
		}
		if run == nil {
			run = b.stepOnce(started)
		}
		b.observeHub(st)
		took := time.Duration(0) // of each superstep of a call: an equal part
		if b.timed {
			took = time.Since(started) / time.Duration(len(run))
		}
		for i := range run {
			c := &run[i].Counts
			if s.Statistics != nil {
				if name := run[i].Kernel; name != "" {
					b.participants[b.lo].times.kernel = name
				}
				r := record.Level{Level: st.Level, Direction: run[i].Way.String(), Frontier: float64(st.Frontier)}
				if s.Examined {
					x := float64(c.Examined)
					r.EdgesExamined = &x
					if c.Turns > 0 {
						turns := float64(c.Turns)
						r.LongestTurns = &turns
					}
				}
				s.Statistics.add(r, arcs, took, b.participants[b.lo:b.hi])
				if arcs = b.frontierArcs(); i < len(run)-1 {
					arcs = b.exactArcs(c)
				}
			}
			b.outcome.Reached += c.Next
			b.outcome.Depth = int64(st.Level)
			if b.outcome.Reached > b.info.Vertices {
				b.failBy(fmt.Errorf("%w: %d vertices reached of %d", ErrProcessor, b.outcome.Reached, b.info.Vertices))
			}
			if c.Next == 0 || b.failed() || b.ctx.Err() != nil && i == len(run)-1 {
				going = false
				break
			}
			st.Level++
			st.Last = run[i].Way
			st.Before, st.Frontier, st.Arcs = st.Frontier, c.Next, c.NextArcs
			st.Unvisited, st.UnvisitedArcs = c.Unvisited, c.UnvisitedArcs
		}
		going = going && (s.until == nil || !s.until(st))
	}
	ended = time.Now()
	if err := b.ctx.Err(); err != nil {
		b.failBy(err)
	}
	return begun, ended
}

// frontierArcs returns the out-arcs of the frontier, −1 if a processor's count may be a bound.
func (b *BFS) frontierArcs() (sum int64) {
	for i := range b.reports {
		n := b.exactArcs(&b.reports[i].Counts)
		if n < 0 {
			return -1
		}
		sum += n
	}
	return sum
}

// exactArcs returns the out-arcs of a processor's frontier, −1 if its count may be a bound or was not needed.
func (b *BFS) exactArcs(c *kernels.Counts) int64 {
	switch {
	case b.need&kernels.NeedNextArcs != 0:
		return c.NextArcs
	case b.need&kernels.NeedFewArcs == 0:
		return -1
	case c.Next == 0:
		return 0
	case c.NextArcs <= b.info.Words: // see NeedFewArcs
		return -1
	}
	return c.NextArcs
}

// observeHub sets the hub partition's part of an observation.
func (b *BFS) observeHub(st *Observation) {
	if b.info.Hub >= 0 {
		c := &b.reports[b.info.Hub].Counts
		st.HubFrontier, st.HubArcs = c.Next, c.NextArcs
	}
}

// stepOnce runs one superstep on all processors and returns the sums of their counts.
func (b *BFS) stepOnce(started time.Time) []kernels.Stepped {
	b.issue(started)
	b.share()
	return b.one(b.total())
}

// one returns one superstep of the command's way.
func (b *BFS) one(c kernels.Counts) []kernels.Stepped {
	b.ran = append(b.ran[:0], kernels.Stepped{Counts: c, Way: kernels.Direction(b.command.step.Way)})
	return b.ran
}

// total sums up the counts of all processors.
func (b *BFS) total() (sum kernels.Counts) {
	uncounted := false
	for i := range b.reports {
		c := &b.reports[i].Counts
		sum.Next += c.Next
		sum.NextArcs += c.NextArcs
		uncounted = uncounted || c.NextArcs < 0
		sum.Examined += c.Examined
		sum.Turns = max(sum.Turns, c.Turns)
		sum.Unvisited += c.Unvisited
		sum.UnvisitedArcs += c.UnvisitedArcs
	}
	if uncounted {
		sum.NextArcs = -1
	}
	return sum
}
