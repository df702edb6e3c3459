package bsp

import (
	"time"

	"github.com/totemgo/totemgo/kernels"
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

// exchange sends processor i's messages of superstep n and hands it those of the others, in
// the order of senders, each as soon as its sender has advanced sent. took is the part of
// i's times that this is.
func (l *Loop) exchange(i int, n int64, took *time.Duration, w *stopwatch) {
	pt := &l.participants[i]
	l.send(i)
	w.lap(took)
	pt.sent.advance(n)
	for s := range l.participants {
		if s == i {
			continue
		}
		from := &l.participants[s]
		from.sent.wait(n)
		w.lap(&pt.times.idle)
		ranges := pt.own
		if l.dir == kernels.BottomUp {
			ranges = from.own
		}
		for _, r := range ranges {
			l.receive(i, s, r)
		}
		w.lap(took)
	}
}

// send fills processor i's outgoing messages: bottom-up the frontier slices of own ranges, for
// all others, top-down the outboxes of remote ranges, for their owners.
func (l *Loop) send(i int) {
	pt, pull := &l.participants[i], l.dir == kernels.BottomUp
	for r, rg := range l.ranges {
		if (rg.Owner == i) != pull {
			continue
		}
		pt.outgoing[r] = kernels.Message{}
		l.try(i, func() (err error) {
			if pull {
				pt.outgoing[r], err = l.procs[i].FrontierSlice(r)
			} else {
				pt.outgoing[r], err = l.procs[i].Outbox(r)
			}
			return err
		})
		receivers := int64(1)
		if pull {
			receivers = int64(len(l.procs) - 1)
		}
		pt.times.sent += receivers * pt.outgoing[r].Bytes()
	}
}

// receive hands processor i the message of partition s about range r.
func (l *Loop) receive(i, s, r int) {
	m := l.participants[s].outgoing[r]
	l.participants[i].times.received += m.Bytes()
	l.try(i, func() error {
		if l.dir == kernels.BottomUp {
			return l.procs[i].SetRemoteFrontier(r, m)
		}
		return l.procs[i].MergeClaims(r, s, m)
	})
}

// expand calls Step of processor i.
func (l *Loop) expand(i int) {
	pt := &l.participants[i]
	pt.stepped = true
	l.try(i, func() (err error) {
		pt.times.kernel, err = l.procs[i].Step(l.ctx, l.dir)
		return err
	})
}

// finish calls Finish of processor i.
func (l *Loop) finish(i int) {
	l.try(i, func() (err error) {
		l.participants[i].counts, err = l.procs[i].Finish()
		return err
	})
}
