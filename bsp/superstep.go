package bsp

import (
	"context"
	"fmt"
	"time"

	"github.com/totemgo/totemgo/kernels"
)

// Search runs one search. Errors are ErrRoot, ErrProcessor, ctx's, at the latest one
// superstep after ctx ends, a processor's with its number, or wrap ErrDirectorFailed. The loop
// can search again afterwards.
func (l *Loop) Search(ctx context.Context, s Search) (Outcome, error) {
	owner, ok := l.owner(s.Root)
	if !ok {
		return Outcome{}, fmt.Errorf("%w: rank %d", ErrRoot, s.Root)
	}
	l.ctx, l.stop = ctx, false
	l.timed, l.skips, l.backoff = s.Statistics != nil, 0, 0
	l.failure.Store(nil)
	need := l.start(s.Director)
	if e := l.failure.Load(); e != nil {
		return Outcome{}, *e
	}
	if s.Examined {
		need |= kernels.NeedExamined
	}
	if s.Statistics != nil {
		s.Statistics.start(len(l.procs))
	}
	l.steps++
	begin := l.steps
	l.all(func(i int) {
		l.try(i, func() error { return l.procs[i].Reset(need) })
		if i == owner {
			l.try(i, func() error { return l.procs[i].SetRoot(s.Root) })
		}
		l.participants[i].done.advance(begin)
		if i == 0 {
			l.coordinate(&s, owner)
		} else {
			l.work(i, begin)
		}
		l.aggregate(i, s.Parents)
	})
	if l.inDevices != nil && s.Parents != nil && !l.failed() {
		begun := time.Now()
		l.all(func(i int) { l.fail(i, l.inDevices[i].CopyTo(s.Parents)) })
		l.outcome.Copy = time.Since(begun)
	}
	if err := ctx.Err(); err != nil {
		return Outcome{}, err
	}
	if e := l.failure.Load(); e != nil {
		return Outcome{}, *e
	}
	return l.outcome, nil
}

func (l *Loop) owner(rank uint32) (int, bool) {
	for _, r := range l.ranges {
		if rank >= r.First && rank < r.First+r.Vertices {
			return r.Owner, true
		}
	}
	return 0, false
}

// coordinate drives processor 0, chooses directions and ends the search, whose root owner owns.
func (l *Loop) coordinate(s *Search, owner int) {
	d := s.Director
	st := &Observation{Frontier: 1}
	l.outcome = Outcome{Reached: 1}
	begun := time.Now()
	// As the root's owner would count.
	st.Arcs, st.Unvisited, st.UnvisitedArcs = l.countRoot(s.Root)
	for i := range l.participants {
		l.participants[i].counts = l.participants[i].none
	}
	l.participants[owner].counts.Next, l.participants[owner].counts.NextArcs = 1, st.Arcs
	l.observeHub(st)
	l.awaitOthers()
	for going := true; going; {
		if l.dir = l.next(d, st); l.failed() {
			break
		}
		var started time.Time
		if l.timed {
			started = time.Now()
		}
		run := l.stepMany(st, d)
		if run == nil {
			run = l.superstep(st, started)
		}
		l.observeHub(st)
		took := time.Duration(0) // of each superstep of a call: an equal part
		if l.timed {
			took = time.Since(started) / time.Duration(len(run))
		}
		for i := range run {
			c := &run[i]
			if s.Statistics != nil {
				s.Statistics.add(st.Level, l.dir, st.Frontier, c.Examined, s.Examined, took, l.participants)
			}
			l.outcome.Reached += c.Next
			l.outcome.Depth = int64(st.Level)
			if l.outcome.Reached > l.info.Vertices {
				l.fail(0, fmt.Errorf("%w: %d vertices reached of %d", ErrProcessor, l.outcome.Reached, l.info.Vertices))
			}
			if c.Next == 0 || l.failed() || l.ctx.Err() != nil && i == len(run)-1 {
				going = false
				break
			}
			st.Level++
			st.Last = l.dir
			st.Before, st.Frontier, st.Arcs = st.Frontier, c.Next, c.NextArcs
			st.Unvisited, st.UnvisitedArcs = c.Unvisited, c.UnvisitedArcs
		}
		going = going && (s.until == nil || !s.until(st))
	}
	l.outcome.Time = time.Since(begun)
	l.stop = true
	l.failBy(l.ctx.Err())
	l.steps++
	l.level.advance(l.steps)
}

// observeHub sets the hub partition's part of an observation.
func (l *Loop) observeHub(st *Observation) {
	if l.info.Hub >= 0 {
		c := &l.participants[l.info.Hub].counts
		st.HubFrontier, st.HubArcs = c.Next, c.NextArcs
	}
}

// awaitOthers returns when all others have finished superstep l.steps; a search's first is
// the reset.
func (l *Loop) awaitOthers() {
	for i := 1; i < len(l.participants); i++ {
		l.participants[i].done.wait(l.steps)
	}
}

// superstep runs one superstep on all processors and returns the sums of their counts.
func (l *Loop) superstep(st *Observation, started time.Time) []kernels.Counts {
	if l.small(st) {
		l.stepSmall(started)
	} else {
		l.steps++
		l.level.advance(l.steps)
		l.step(0, l.steps, started)
		l.awaitOthers()
	}
	sum := &l.sum[0]
	*sum = kernels.Counts{}
	uncounted := false
	for i := range l.participants {
		c := &l.participants[i].counts
		sum.Next += c.Next
		sum.NextArcs += c.NextArcs
		uncounted = uncounted || c.NextArcs < 0
		sum.Examined += c.Examined
		sum.Unvisited += c.Unvisited
		sum.UnvisitedArcs += c.UnvisitedArcs
	}
	if uncounted {
		sum.NextArcs = -1
	}
	return l.sum[:]
}

// countRoot counts the root's out-arcs, and the unvisited vertices and their in-arcs once the
// root is visited.
func (l *Loop) countRoot(root uint32) (arcs, unvisited, unvisitedArcs int64) {
	s := l.place.Subgraphs[l.place.RangeOf(root)]
	unvisited = l.info.Vertices - 1
	for i := range l.participants {
		unvisitedArcs += l.participants[i].none.UnvisitedArcs
	}
	if s.Out != nil {
		arcs = int64(s.Out.Degree(root - s.First))
	}
	if s.In != nil {
		unvisitedArcs -= int64(s.In.Degree(root - s.First))
	}
	return arcs, unvisited, unvisitedArcs
}

// work runs supersteps on processor i until the coordinator stops.
func (l *Loop) work(i int, begin int64) {
	for n := begin + 1; ; n++ {
		l.level.wait(n)
		if l.stop {
			return
		}
		l.step(i, n, time.Now())
	}
}

// step runs superstep n on processor i. After a failure it only advances the sequences, so
// that no participant blocks.
func (l *Loop) step(i int, n int64, started time.Time) {
	pt := &l.participants[i]
	pt.times, pt.counts = stepTimes{}, kernels.Counts{}
	w := stopwatch{on: l.timed, last: started}
	single := len(l.procs) == 1
	if l.dir == kernels.BottomUp && !single {
		l.exchange(i, n, &pt.times.pull, &w)
	}
	l.expand(i)
	w.lap(&pt.times.compute)
	if l.dir == kernels.TopDown && !single {
		l.exchange(i, n, &pt.times.push, &w)
	}
	l.finish(i)
	w.lap(&pt.times.compute)
	pt.done.advance(n)
	// Statistics.add counts the rest of the superstep as idle.
}
