package bsp

import (
	"time"

	"github.com/totemgo/totemgo/kernels"
)

const (
	// smallVertices is the largest frontier, in vertices, that the coordinator steps alone:
	// waking another thread costs as much as stepping some tens of vertices.
	smallVertices = 32
	// mostSkips limits the levels between two tries of StepMany.
	mostSkips = 64
)

// holder returns the partition that holds the whole frontier, −1 if there are several.
func (l *Loop) holder() int {
	holder := -1
	for i := range l.participants {
		if l.participants[i].counts.Next > 0 {
			if holder >= 0 {
				return -1
			}
			holder = i
		}
	}
	return holder
}

// stepMany runs several top-down supersteps in one call if one partition holds the whole
// frontier, its processor is a MultiStepper and the director promises them: without exchange
// and without waking other processors. It returns each superstep's counts over all
// partitions, nil if it ran none.
func (l *Loop) stepMany(st *Observation, d Director) []kernels.Counts {
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
	pt := &l.participants[i]
	if pt.limits.Levels < 2 || st.Frontier > pt.limits.Vertices {
		return nil
	}
	levels := min(l.lookahead(f, st, pt.limits), pt.limits.Levels)
	if levels < 2 {
		return nil
	}
	begun := time.Now()
	name, run, err := pt.many.StepMany(l.ctx, levels)
	if err != nil {
		l.fail(i, err)
		return append(l.sum[:0], kernels.Counts{})
	}
	if len(run) < 2 {
		// The frontier keeps crossing to another partition.
		l.backoff = min(2*l.backoff+1, mostSkips)
		l.skips = l.backoff
	} else {
		l.backoff = 0
	}
	if len(run) == 0 {
		return nil
	}
	took := time.Since(begun) / time.Duration(len(run))
	pt.counts = run[len(run)-1]
	var rest kernels.Counts // of the other partitions
	for k := range l.participants {
		if k == i {
			pt.times = stepTimes{compute: took, kernel: name}
			continue
		}
		l.participants[k].times = stepTimes{}
		c := &l.participants[k].counts
		c.NextArcs, c.Examined = 0, 0
		rest.Unvisited += c.Unvisited
		rest.UnvisitedArcs += c.UnvisitedArcs
	}
	if len(l.participants) > 1 {
		for k := range run {
			run[k].Unvisited += rest.Unvisited
			run[k].UnvisitedArcs += rest.UnvisitedArcs
		}
	}
	st.HubFrontier, st.HubArcs = 0, 0
	if i == l.info.Hub {
		st.HubFrontier, st.HubArcs = pt.counts.Next, pt.counts.NextArcs
	}
	return run
}

// small reports that the coordinator runs the superstep alone.
func (l *Loop) small(st *Observation) bool {
	return l.allCPU && l.dir == kernels.TopDown && st.Frontier <= smallVertices
}

// stepSmall runs a top-down superstep of all processors on the coordinator's goroutine, in
// the order of calls of the contract. It skips processors without frontier and messages.
func (l *Loop) stepSmall() {
	var last time.Time
	lap := func(d *time.Duration) {
		if l.timed {
			now := time.Now()
			*d += now.Sub(last)
			last = now
		}
	}
	if l.timed {
		last = time.Now()
	}
	for i := range l.participants {
		pt := &l.participants[i]
		pt.times, pt.stepped = stepTimes{}, false
		if pt.counts.Next > 0 {
			l.stepOne(i)
			lap(&pt.times.compute)
		} else {
			pt.counts.NextArcs, pt.counts.Examined = 0, 0
		}
	}
	for i := range l.participants {
		pt := &l.participants[i]
		if pt.counts.Next == 0 {
			continue
		}
		for r, rg := range l.ranges {
			pt.outgoing[r] = kernels.Message{}
			if rg.Owner != i && !l.failed() {
				var err error
				pt.outgoing[r], err = l.procs[i].Outbox(r)
				l.fail(i, err)
			}
		}
		lap(&pt.times.push)
	}
	for i := range l.participants {
		if l.participants[i].counts.Next == 0 {
			continue
		}
		for r, rg := range l.ranges {
			m := l.participants[i].outgoing[r]
			if rg.Owner == i || m.Count == 0 || l.failed() {
				continue
			}
			to := &l.participants[rg.Owner]
			if !to.stepped {
				l.stepOne(rg.Owner)
			}
			l.fail(rg.Owner, l.procs[rg.Owner].MergeClaims(r, i, m))
			l.participants[i].times.sent += m.Bytes()
			to.times.received += m.Bytes()
			lap(&to.times.push)
		}
	}
	for i := range l.participants {
		pt := &l.participants[i]
		if !pt.stepped || l.failed() {
			continue
		}
		var err error
		pt.counts, err = l.procs[i].Finish()
		l.fail(i, err)
		lap(&pt.times.compute)
	}
}

// stepOne calls Step of processor i for stepSmall.
func (l *Loop) stepOne(i int) {
	if l.failed() {
		return
	}
	pt := &l.participants[i]
	pt.stepped = true
	var err error
	pt.times.kernel, err = l.procs[i].Step(l.ctx, l.dir)
	l.fail(i, err)
}
