package bsp

import "time"

// exchange hands processor i the messages of superstep n for it, in the order of senders,
// each as soon as its sender has advanced sent. pull exchanges frontier slices, else
// outboxes.
func (l *Loop) exchange(i int, n int64, pull bool, lap func(*time.Duration)) {
	pt, p := &l.participants[i], l.procs[i]
	t := &pt.times
	for s := range l.participants {
		if s == i {
			continue
		}
		from := &l.participants[s]
		from.sent.wait(n)
		lap(&t.idle)
		var err error
		if pull {
			for _, r := range from.own {
				if err == nil && !l.failed() {
					err = p.SetRemoteFrontier(r, from.outgoing[r])
					t.received += from.outgoing[r].Bytes()
				}
			}
			for _, r := range pt.own {
				t.sent += pt.outgoing[r].Bytes()
			}
			l.fail(i, err)
			lap(&t.pull)
			continue
		}
		for _, r := range pt.own {
			if err == nil && !l.failed() {
				err = p.MergeClaims(r, s, from.outgoing[r])
				t.received += from.outgoing[r].Bytes()
			}
		}
		l.fail(i, err)
		lap(&t.push)
	}
}
