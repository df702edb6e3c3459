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
	d := s.Director
	need, err := start(d, l.info)
	if err != nil {
		return Outcome{}, err
	}
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

// coordinate drives processor 0, chooses directions and ends the search.
func (l *Loop) coordinate(s *Search, d Director) {
	st := &Observation{Frontier: 1}
	l.outcome = Outcome{Reached: 1}
	begun := time.Now()
	// As the root's owner would count.
	st.Arcs, st.Unvisited, st.UnvisitedArcs = l.countRoot(s.Root)
	if l.info.Hub >= 0 {
		if o, _ := l.owner(s.Root); o == l.info.Hub {
			st.HubFrontier, st.HubArcs = 1, st.Arcs
		}
	}
	for i := range l.participants {
		l.participants[i].counts = l.participants[i].none
	}
	holder, _ := l.owner(s.Root)
	l.participants[holder].counts.Next = 1
	for i := 1; i < len(l.participants); i++ {
		l.participants[i].ready.wait(l.jobs)
	}
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
			if c.Next == 0 || l.failed() || l.ctx.Err() != nil && i == len(run)-1 {
				going = false
				break
			}
			if l.outcome.Reached > l.info.Vertices {
				l.fail(0, fmt.Errorf("%w: %d vertices reached of %d", ErrProcessor, l.outcome.Reached, l.info.Vertices))
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
	l.level.advance(l.steps)
}

// superstep runs one superstep on all processors and returns the sums of their counts. It
// sets st's counts of the hub partition.
func (l *Loop) superstep(st *Observation, started time.Time) []kernels.Counts {
	if l.small(st) {
		l.stepSmall()
	} else {
		l.steps++
		l.level.advance(l.steps)
		l.step(0, l.steps, started)
		for i := 1; i < len(l.participants); i++ {
			l.participants[i].done.wait(l.steps)
		}
	}
	var sum kernels.Counts
	uncounted := false
	st.HubFrontier, st.HubArcs = 0, 0
	for i := range l.participants {
		c := &l.participants[i].counts
		sum.Next += c.Next
		sum.NextArcs += c.NextArcs
		uncounted = uncounted || c.NextArcs < 0
		sum.Examined += c.Examined
		sum.Unvisited += c.Unvisited
		sum.UnvisitedArcs += c.UnvisitedArcs
		if i == l.info.Hub {
			st.HubFrontier, st.HubArcs = c.Next, c.NextArcs
		}
	}
	if uncounted {
		sum.NextArcs = -1
	}
	l.sum[0] = sum
	return l.sum[:]
}

// countRoot counts the root's out-arcs, and the unvisited vertices and their in-arcs once the
// root is visited.
func (l *Loop) countRoot(root uint32) (arcs, unvisited, unvisitedArcs int64) {
	s := l.place.Subgraphs[l.place.RangeOf(root)]
	unvisited, unvisitedArcs = l.info.Vertices-1, l.inArcs
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
	pt, p := &l.participants[i], l.procs[i]
	t := &pt.times
	*t = stepTimes{}
	pt.counts = kernels.Counts{}
	last := started
	lap := func(d *time.Duration) {
		now := time.Now()
		*d += now.Sub(last)
		last = now
	}
	pull := l.dir == kernels.BottomUp
	single := len(l.procs) == 1
	var err error
	if pull && !single {
		for _, r := range pt.own {
			pt.outgoing[r] = kernels.Message{}
			if err == nil && !l.failed() {
				pt.outgoing[r], err = p.FrontierSlice(r)
			}
		}
		l.fail(i, err)
		lap(&t.pull)
		pt.sent.advance(n)
		l.exchange(i, n, true, lap)
	}
	if !l.failed() {
		t.kernel, err = p.Step(l.ctx, l.dir)
		l.fail(i, err)
	}
	if !pull && !single {
		lap(&t.compute)
		for r, rg := range l.ranges {
			pt.outgoing[r] = kernels.Message{}
			if rg.Owner != i && err == nil && !l.failed() {
				pt.outgoing[r], err = p.Outbox(r)
				t.sent += pt.outgoing[r].Bytes()
			}
		}
		l.fail(i, err)
		lap(&t.push)
		pt.sent.advance(n)
		l.exchange(i, n, false, lap)
	}
	if !l.failed() {
		pt.counts, err = p.Finish()
		l.fail(i, err)
	}
	lap(&t.compute)
	pt.done.advance(n)
	// Statistics.add counts the rest of the superstep as idle.
}
