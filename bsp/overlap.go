package bsp

import (
	"slices"
	"time"

	"github.com/totemgo/totemgo/kernels"
)

// overlap is the time of transfers during which something was computed.
func overlap(transfers, computing []kernels.Span) (sum time.Duration) {
	merged := union(computing)
	for _, x := range transfers {
		for _, c := range merged {
			from, to := x.From, x.To
			if c.From.After(from) {
				from = c.From
			}
			if c.To.Before(to) {
				to = c.To
			}
			sum += max(0, to.Sub(from))
		}
	}
	return sum
}

// union is the same time in spans apart.
func union(spans []kernels.Span) (list []kernels.Span) {
	spans = slices.SortedFunc(slices.Values(spans), func(a, b kernels.Span) int { return a.From.Compare(b.From) })
	for _, s := range spans {
		if last := len(list) - 1; last >= 0 && !s.From.After(list[last].To) {
			if s.To.After(list[last].To) {
				list[last].To = s.To
			}
			continue
		}
		list = append(list, s)
	}
	return list
}

// overlaps states, for each lane whose transfers are known, how much of them was
// hidden: behind kernels of the same processor or behind the step of another.
func (l *Loop) overlaps() {
	l.computing = l.computing[:0]
	for i := range l.lanes {
		l.computing = append(l.computing, l.lanes[i].computing...)
	}
	for i := range l.lanes {
		if ln := &l.lanes[i]; ln.profiled {
			x := overlap(ln.transfers, l.computing)
			ln.times.overlapped = &x
		}
	}
}

// profile asks processor i when it moved and computed in the superstep; step is when
// its Step ran. A CPU moves nothing.
func (l *Loop) profile(i int, step kernels.Span) error {
	ln := &l.lanes[i]
	ln.transfers, ln.computing = nil, append(ln.computing[:0], step)
	ln.profiled = l.procs[i].Kind() == "cpu"
	p, is := l.procs[i].(kernels.Profiler)
	if !is {
		return nil
	}
	transfers, computing, ok, err := p.Profile()
	if err == nil && ok {
		ln.transfers, ln.computing, ln.profiled = transfers, computing, true
	}
	return err
}
