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

// stepMany runs several top-down supersteps in one call if one partition holds the whole
// frontier, its processor is a MultiStepper and the director promises them: without exchange
// and without waking other processors. It returns each superstep's counts over all
// partitions, nil if it ran none.
func (l *Loop) stepMany(st *Observation, d Director) []kernels.Counts {
	f, is := d.(Lookahead)
	if !is || l.dir != kernels.TopDown {
		return nil
	}
	if l.skips > 0 {
		l.skips--
		return nil
	}
	i := 0 // the partition that holds the whole frontier
	for i < len(l.participants) && l.participants[i].counts.Next < st.Frontier {
		i++
	}
	if i == len(l.participants) {
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
		l.participants[k].times = stepTimes{}
		if k != i {
			c := &l.participants[k].counts
			c.NextArcs, c.Examined = 0, 0
			rest.Unvisited += c.Unvisited
			rest.UnvisitedArcs += c.UnvisitedArcs
		}
	}
	pt.times = stepTimes{compute: took, kernel: name}
	for k := range run {
		run[k].Unvisited += rest.Unvisited
		run[k].UnvisitedArcs += rest.UnvisitedArcs
	}
	return run
}

// small reports that the coordinator runs the superstep alone.
func (l *Loop) small(st *Observation) bool {
	return l.allCPU && len(l.procs) > 1 && l.dir == kernels.TopDown && st.Frontier <= smallVertices
}

// stepSmall runs a top-down superstep of all processors on the coordinator's goroutine, in
// the order of calls of the contract. It skips processors without frontier and messages.
func (l *Loop) stepSmall(started time.Time) {
	w := stopwatch{on: l.timed, last: started}
	for i := range l.participants {
		pt := &l.participants[i]
		pt.times, pt.stepped = stepTimes{}, false
		if pt.counts.Next > 0 {
			l.expand(i)
			w.lap(&pt.times.compute)
		} else {
			pt.counts.NextArcs, pt.counts.Examined = 0, 0
		}
	}
	for i := range l.participants {
		if l.participants[i].counts.Next > 0 {
			l.send(i)
			w.lap(&l.participants[i].times.push)
		}
	}
	for i := range l.participants {
		for r, rg := range l.ranges {
			if l.participants[i].counts.Next == 0 || rg.Owner == i || l.participants[i].outgoing[r].Count == 0 {
				continue
			}
			if !l.participants[rg.Owner].stepped {
				l.expand(rg.Owner)
			}
			l.receive(rg.Owner, i, r)
			w.lap(&l.participants[rg.Owner].times.push)
		}
	}
	for i := range l.participants {
		if l.participants[i].stepped {
			l.finish(i)
			w.lap(&l.participants[i].times.compute)
		}
	}
}
