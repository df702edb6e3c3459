package bsp

import (
	"time"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

const (
	// smallVertices is the largest frontier, in vertices, that the coordinator steps alone:
	// waking another thread costs as much as stepping some tens of vertices.
	smallVertices = 32
	// mostSkips limits the levels between two tries of StepMany.
	mostSkips = 64
)

// stepRule runs several supersteps in one call, either way, if the only processor evaluates rules and the
// director has one. It returns nil if it ran none.
func (b *BFS) stepRule(st *Observation, d Director) []kernels.Stepped {
	f, is := d.(Ruled)
	if !is || b.rules == nil {
		return nil
	}
	rule := b.rule(f, st)
	if rule == nil {
		return nil
	}
	begun := time.Now()
	run, err := b.rules.StepRule(b.ctx, kernels.Direction(b.command.step.Way), rule)
	if err != nil || len(run) == 0 {
		b.fail(0, err)
		return b.one(kernels.Counts{})
	}
	pt := &b.participants[0]
	pt.report.Counts = run[len(run)-1].Counts
	pt.times = stepTimes{compute: time.Since(begun) / time.Duration(len(run))}
	b.share()
	return run
}

// stepMany runs several top-down supersteps in one call if one partition holds the whole
// frontier, its run is a MultiStepper and the director promises them: without exchange
// and without waking other processors. It returns each superstep's counts over all
// partitions, nil if it ran none.
func (b *BFS) stepMany(st *Observation, d Director) []kernels.Stepped {
	f, is := d.(Lookahead)
	if !is || b.command.step.Way != program.Push || len(b.tree) < b.Processors {
		return nil
	}
	if b.skips > 0 {
		b.skips--
		return nil
	}
	i := 0 // the partition that holds the whole frontier
	for i < len(b.reports) && b.reports[i].Next < st.Frontier {
		i++
	}
	if i == len(b.reports) || b.limits[i].Levels < 2 || st.Frontier > b.limits[i].Vertices {
		return nil
	}
	levels := min(b.lookahead(f, st, b.limits[i]), b.limits[i].Levels)
	if levels < 2 {
		return nil
	}
	begun := time.Now()
	name, run, err := b.many[i].StepMany(b.ctx, levels)
	if err != nil {
		b.fail(i, err)
		return b.one(kernels.Counts{})
	}
	if len(run) < 2 {
		// The frontier keeps crossing to another partition.
		b.backoff = min(2*b.backoff+1, mostSkips)
		b.skips = b.backoff
	} else {
		b.backoff = 0
	}
	if len(run) == 0 {
		return nil
	}
	took := time.Since(begun) / time.Duration(len(run))
	var rest kernels.Counts // of the other partitions
	for k := range b.participants {
		pt := &b.participants[k]
		pt.times = stepTimes{}
		if k != i {
			pt.report.NextArcs, pt.report.Examined = 0, 0
			rest.Unvisited += pt.report.Unvisited
			rest.UnvisitedArcs += pt.report.UnvisitedArcs
		}
	}
	b.participants[i].report.Counts = run[len(run)-1]
	b.participants[i].times = stepTimes{compute: took, kernel: name}
	b.share()
	b.ran = b.ran[:0]
	for _, c := range run {
		c.Unvisited += rest.Unvisited
		c.UnvisitedArcs += rest.UnvisitedArcs
		b.ran = append(b.ran, kernels.Stepped{Counts: c})
	}
	return b.ran
}

// small reports that the coordinator runs the superstep alone.
func (b *BFS) small(st *Observation) bool {
	return b.allCPU && b.Processors > 1 && b.command.step.Way == program.Push && b.expand[program.Push][program.Forward] == nil && st.Frontier <= smallVertices
}

// stepSmall runs a top-down superstep of all processors on the coordinator's goroutine, in
// the order of calls of the contract. It skips processors without frontier and messages.
func (b *BFS) stepSmall(started time.Time) {
	w := stopwatch{on: b.timed, last: started}
	for i := range b.participants {
		pt := &b.participants[i]
		pt.times, pt.stepped = stepTimes{}, false
		if pt.report.Next > 0 {
			b.step(i)
			w.lap(&pt.times.compute)
		} else {
			pt.report.NextArcs, pt.report.Examined = 0, 0
		}
	}
	for i := range b.participants {
		if b.participants[i].report.Next > 0 {
			b.foldOthers(i)
			w.lap(&b.participants[i].times.push)
		}
	}
	for i := range b.participants {
		if b.participants[i].report.Next == 0 {
			continue
		}
		for _, r := range b.Fold[program.Push][program.Forward][i] {
			m, owner := b.participants[i].outgoing[r], b.Ranges[r].Owner
			if m.Count == 0 {
				continue
			}
			if !b.participants[owner].stepped {
				b.step(owner)
			}
			b.participants[i].times.sent += m.Bytes()
			b.merge(owner, i, r, m)
			w.lap(&b.participants[owner].times.push)
		}
	}
	for i := range b.participants {
		if b.participants[i].stepped {
			b.advance(i)
			w.lap(&b.participants[i].times.compute)
		}
	}
}
