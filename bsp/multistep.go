package bsp

import (
	"math"
	"slices"
	"time"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

const (
	// mostSkips limits the levels between two tries of StepMany.
	mostSkips = 64
	// deviceFrom is the level from which StepMany of a device is tried: a call that runs nothing costs a
	// wait, and few searches of graphs with hubs get so far.
	deviceFrom = 8
	// firstAhead is the number of supersteps that partitions first run apart.
	firstAhead = 8
)

// stepRule runs several supersteps in one call, either way, if the only processor evaluates rules and the
// director has one. It returns nil if it ran none.
func (b *BFS) stepRule(st *Observation, d Director) []kernels.Stepped {
	f, is := d.(Ruled)
	if !is || b.rules == nil {
		return nil
	}
	rule := ask(b, func() *kernels.Rule { return f.Rule(st) })
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

// stepMany runs several top-down supersteps without exchange and without waking other processors, if
// every partition with a part of the frontier is a MultiStepper, all but one an Undoer, and the director
// promises them. The partitions run one after the other, the Undoers first; those that ran more supersteps
// than a later one undo them. It returns each superstep's counts over all partitions, nil if it ran none.
func (b *BFS) stepMany(st *Observation, d Director) []kernels.Stepped {
	f, is := d.(Lookahead)
	if !is || b.command.step.Way != program.Push || len(b.tree) < b.Processors {
		return nil
	}
	if b.skips > 0 {
		b.skips--
		return nil
	}
	limits := kernels.MultiStepLimits{Levels: math.MaxInt}
	b.holders = b.holders[:0]
	fixed := 0 // holders that undo nothing
	for i := range b.reports {
		n, most := b.reports[i].Next, &b.limits[i]
		switch {
		case n == 0:
			continue
		case most.Levels < 2 || n > most.Vertices || b.kinds[i] != kernels.CPU && st.Level < deviceFrom:
			return nil
		case b.undo[i] != nil:
			b.holders = slices.Insert(b.holders, 0, i)
		default:
			b.holders = append(b.holders, i)
			fixed++
		}
		limits.Levels = min(limits.Levels, most.Levels)
		limits.Vertices += most.Vertices
		limits.Arcs += most.Arcs
	}
	if fixed > 1 {
		return nil
	}
	levels, shared := min(ask(b, func() int { return f.Steps(st, limits) }), limits.Levels), len(b.holders) > 1
	if shared {
		levels = min(levels, b.ahead)
	}
	if levels < 2 {
		return nil
	}
	for i := range b.participants {
		b.participants[i].times, b.multi[i] = stepTimes{}, nil
	}
	ran, most := levels, 0
	for k, i := range b.holders {
		if k > 0 && ran < 2 {
			ran = 0
			break
		}
		begun := time.Now()
		name, run, err := b.many[i].StepMany(b.ctx, ran)
		if err != nil {
			b.fail(i, err)
			return b.one(kernels.Counts{})
		}
		n := len(run)
		b.multi[i], most = run, max(most, n)
		b.participants[i].times = stepTimes{compute: time.Since(begun) / time.Duration(max(1, n)), kernel: name}
		if n == 0 || run[n-1].Next > 0 {
			ran = min(ran, n)
		}
	}
	ran = min(ran, most)
	for _, i := range b.holders {
		if n := len(b.multi[i]) - ran; n > 0 {
			b.multi[i] = b.multi[i][:ran]
			b.try(i, func() error { return b.undo[i].Undo(n) })
		}
	}
	if ran < 2 {
		// The frontier keeps crossing to another partition.
		b.backoff = min(2*b.backoff+1, mostSkips)
		b.skips = b.backoff
	} else {
		b.backoff = 0
	}
	if shared {
		b.ahead = max(2, ran)
		if ran == levels {
			b.ahead *= 2
		}
	}
	if ran == 0 {
		return nil
	}
	b.ran = b.ran[:0]
	for k := range ran {
		for i, run := range b.multi {
			c := &b.participants[i].report.Counts
			if c.Next, c.NextArcs, c.Examined, c.Turns = 0, 0, 0, 0; k < len(run) {
				*c = run[k]
			}
			b.reports[i].Counts = *c
		}
		c := b.total()
		if k < ran-1 {
			c.NextArcs = b.frontierArcs()
		}
		b.ran = append(b.ran, kernels.Stepped{Counts: c})
	}
	b.share()
	return b.ran
}
