package bsp

import (
	"time"

	"github.com/totemgo/totemgo/kernels"
)

const (
	// smallVertices is the largest frontier that the coordinator steps on its own: waking and
	// waiting for another thread costs as much as stepping some tens of vertices.
	smallVertices = 32
	// mostSkips bounds how many levels go by between two calls of StepMany that run nothing.
	mostSkips = 64
)

// holder is the partition that holds the whole frontier, −1 where several do.
func (l *Loop) holder() int {
	holder := -1
	for i := range l.lanes {
		if l.lanes[i].counts.Next > 0 {
			if holder >= 0 {
				return -1
			}
			holder = i
		}
	}
	return holder
}

// stepMany runs several top-down supersteps in one call, without exchange and without waking
// other processors, where one partition holds the whole frontier, its processor can and the
// director knows already that it will want them. It returns the counts of each over all
// partitions, or nil where nothing was run.
func (l *Loop) stepMany(st *State, d Director) []kernels.Counts {
	f, is := d.(Lookahead)
	if !is || l.dir != kernels.TopDown || l.failed() {
		return nil
	}
	if l.skips > 0 {
		l.skips--
		return nil
	}
	i := l.holder()
	if i < 0 {
		return nil
	}
	ln := &l.lanes[i]
	if ln.limits.Levels < 2 || st.Frontier > ln.limits.Vertices {
		return nil
	}
	levels := min(f.Steps(st, ln.limits), ln.limits.Levels)
	if levels < 2 {
		return nil
	}
	begun := time.Now()
	name, run, err := ln.many.StepMany(l.ctx, levels)
	if err != nil {
		l.fail(i, err)
		return append(l.sum[:0], kernels.Counts{})
	}
	if len(run) < 2 {
		// A frontier that crosses to another partition again and again.
		l.backoff = min(2*l.backoff+1, mostSkips)
		l.skips = l.backoff
	} else {
		l.backoff = 0
	}
	if len(run) == 0 {
		return nil
	}
	took := time.Since(begun) / time.Duration(len(run))
	ln.counts = run[len(run)-1]
	var rest kernels.Counts // of the other partitions
	for k := range l.lanes {
		if k == i {
			ln.times = clocked{compute: took, kernel: name}
			continue
		}
		l.lanes[k].times = clocked{}
		c := &l.lanes[k].counts
		c.NextArcs, c.Examined = 0, 0
		rest.Unvisited += c.Unvisited
		rest.UnvisitedArcs += c.UnvisitedArcs
	}
	if len(l.lanes) > 1 {
		for k := range run {
			run[k].Unvisited += rest.Unvisited
			run[k].UnvisitedArcs += rest.UnvisitedArcs
		}
	}
	st.HubFrontier, st.HubArcs = 0, 0
	if i == l.facts.Hub {
		st.HubFrontier, st.HubArcs = ln.counts.Next, ln.counts.NextArcs
	}
	return run
}

// small tells that the coordinator had better run the superstep on its own.
func (l *Loop) small(st *State) bool {
	return l.host && l.dir == kernels.TopDown && st.Frontier <= smallVertices
}

// stepSmall runs a top-down superstep of all processors on the coordinator's goroutine, in
// the order of the contract. A partition that has no frontier and is sent nothing is left
// out: nothing of it would change.
func (l *Loop) stepSmall() {
	var last time.Time
	lap := func(d *time.Duration) {
		if l.clocked {
			now := time.Now()
			*d += now.Sub(last)
			last = now
		}
	}
	if l.clocked {
		last = time.Now()
	}
	for i := range l.lanes {
		ln := &l.lanes[i]
		ln.times, ln.stepped = clocked{}, false
		if ln.counts.Next > 0 {
			l.stepLane(i)
			lap(&ln.times.compute)
		} else {
			ln.counts.NextArcs, ln.counts.Examined = 0, 0
		}
	}
	for i := range l.lanes {
		ln := &l.lanes[i]
		if ln.counts.Next == 0 {
			continue
		}
		for r, rg := range l.ranges {
			ln.box[r] = kernels.Message{}
			if rg.Owner != i && !l.failed() {
				var err error
				ln.box[r], err = l.procs[i].Outbox(r)
				l.fail(i, err)
			}
		}
		lap(&ln.times.push)
	}
	for i := range l.lanes {
		if l.lanes[i].counts.Next == 0 {
			continue
		}
		for r, rg := range l.ranges {
			m := l.lanes[i].box[r]
			if rg.Owner == i || m.Count == 0 || l.failed() {
				continue
			}
			to := &l.lanes[rg.Owner]
			if !to.stepped {
				l.stepLane(rg.Owner)
			}
			l.fail(rg.Owner, l.procs[rg.Owner].MergeClaims(r, i, m))
			l.lanes[i].times.sent += m.Bytes()
			to.times.received += m.Bytes()
			lap(&to.times.push)
		}
	}
	for i := range l.lanes {
		ln := &l.lanes[i]
		if !ln.stepped || l.failed() {
			continue
		}
		var err error
		ln.counts, err = l.procs[i].Finish()
		l.fail(i, err)
		lap(&ln.times.compute)
	}
}

// stepLane runs Step of processor i for stepSmall.
func (l *Loop) stepLane(i int) {
	if l.failed() {
		return
	}
	ln := &l.lanes[i]
	ln.stepped = true
	var err error
	ln.times.kernel, err = l.procs[i].Step(l.ctx, l.dir)
	l.fail(i, err)
}
