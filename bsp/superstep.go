package bsp

import (
	"time"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

// stopwatch measures the parts of a superstep.
type stopwatch struct {
	on   bool
	last time.Time
}

// lap adds the time since the last lap to d.
func (w *stopwatch) lap(d *time.Duration) {
	if w.on {
		now := time.Now()
		*d += now.Sub(w.last)
		w.last = now
	}
}

// superstep runs an edge operator on processor i: expand, step, fold, advance. After a failure it
// sends news of nothing, so that no processor blocks.
func (l *Loop) superstep(i int, w *stopwatch) {
	pt, way, arcs := &l.participants[i], l.command.step.Way, l.arcs()
	if to := l.expand[way][arcs]; to != nil {
		l.exchange(i, l.phase-1, to, l.expandOwn, &pt.times.pull, w, l.take)
	}
	l.step(i)
	w.lap(&pt.times.compute)
	if to := l.fold[way][arcs]; to != nil {
		l.exchange(i, l.phase, to, l.foldOthers, &pt.times.push, w, l.merge)
	}
	l.advance(i)
}

// arcs are those of the command's operator.
func (l *Loop) arcs() program.Arcs {
	if !l.Directed {
		return program.Forward
	}
	return l.program.Edges[l.command.op].Arcs
}

// tight reports that the command reads values of targets, of which a processor may own none.
func (l *Loop) tight() bool {
	e := &l.program.Edges[l.command.op]
	return l.Split && e.Rows == nil && (e.Map == program.Tight || e.Map == program.TightLow)
}

// publish hands processor i the values of From of all targets, which are the sources of the
// opposite arcs.
func (l *Loop) publish(i int) {
	opposite := [...]program.Arcs{program.Forward: program.Backward, program.Backward: program.Forward, program.Both: program.Both}
	if to := l.expand[l.command.step.Way][opposite[l.arcs()]]; to != nil {
		l.exchange(i, l.phase-1, to, l.expandOwn, new(time.Duration), &stopwatch{}, l.take)
	}
}

// late reports that processor i sends after it has received from processors that are not, in an exchange of a
// search that permits it: a device then waits once for both.
func (l *Loop) late(i int) bool { return l.command.late && l.kinds[i] != kernels.CPU }

// exchange sends processor i's messages of phase n, which fill makes, along routes and hands receive those of
// the others, in the order of senders, each as soon as its sender has sent. took is the part of i's times
// that this is.
func (l *Loop) exchange(i int, n int64, to routes, fill func(i int), took *time.Duration, w *stopwatch, receive func(i, from, r int, m kernels.Message)) {
	pt := &l.participants[i]
	sent := false
	send := func() {
		if sent {
			return
		}
		sent = true
		fill(i)
		news := pt.news[n%2]
		for d, ranges := range to[i] {
			news[d] = news[d][:0]
			for _, r := range ranges {
				news[d] = append(news[d], News{r, pt.outgoing[r]})
				pt.times.sent += pt.outgoing[r].Bytes()
			}
		}
		w.lap(took)
		l.fail(i, l.by.Send(n, i, news))
	}
	for s := range l.participants {
		if !l.late(i) || l.late(s) && s != i {
			send()
		}
		if s == i || len(to[s][i]) == 0 {
			continue
		}
		got := l.recv(n, s, i)
		w.lap(&pt.times.idle)
		for k := range got {
			receive(i, s, got[k].Range, got[k].Message)
		}
		w.lap(took)
	}
	send()
}

// recv returns the news of phase n from processor s to processor i, nil where that fails.
func (l *Loop) recv(n int64, s, i int) []News {
	got, err := l.by.Recv(l.ctx, n, s, i)
	if err != nil {
		l.fail(i, err)
		return nil
	}
	return got
}

// expandOwn fills processor i's outgoing messages with the sources of its own ranges.
func (l *Loop) expandOwn(i int) {
	pt, c := &l.participants[i], &l.command
	for _, r := range pt.own {
		pt.outgoing[r] = kernels.Message{}
		l.try(i, func() (err error) {
			pt.outgoing[r], err = l.runOf(i).Expand(c.op, c.step, r)
			return err
		})
	}
}

// foldOthers fills processor i's outgoing messages with the targets of other ranges.
func (l *Loop) foldOthers(i int) {
	pt := &l.participants[i]
	for _, r := range l.Fold[l.command.step.Way][l.arcs()][i] {
		pt.outgoing[r] = kernels.Message{}
		l.try(i, func() (err error) {
			pt.outgoing[r], err = l.runOf(i).Fold(r)
			return err
		})
	}
}

// take hands processor i the sources of range r.
func (l *Loop) take(i, _, r int, m kernels.Message) {
	l.participants[i].times.received += m.Bytes()
	l.try(i, func() error { return l.runOf(i).Take(l.command.op, l.command.step, r, m) })
}

// merge hands processor i what processor s has found in range r.
func (l *Loop) merge(i, s, r int, m kernels.Message) {
	l.participants[i].times.received += m.Bytes()
	l.try(i, func() error { return l.runOf(i).Merge(r, s, m) })
}

// step calls Step of processor i.
func (l *Loop) step(i int) {
	pt, c := &l.participants[i], &l.command
	l.try(i, func() (err error) {
		pt.times.kernel, err = l.runOf(i).Step(l.ctx, c.op, c.step)
		return err
	})
}

// advance calls Advance of processor i.
func (l *Loop) advance(i int) {
	pt := &l.participants[i]
	l.try(i, func() (err error) {
		pt.report.Counts, err = l.runOf(i).Advance()
		return err
	})
}
