package bsp

import "time"

// exchange takes in what the other processors have for processor i, in the order of
// senders, each as soon as it is there.
func (l *Loop) exchange(i int, n int64, pull bool, lap func(*time.Duration)) {
	ln, p := &l.lanes[i], l.procs[i]
	t := &ln.times
	for s := range l.lanes {
		if s == i {
			continue
		}
		from := &l.lanes[s]
		from.sent.wait(n)
		lap(&t.idle)
		var err error
		if pull {
			for _, r := range from.own {
				if err == nil && !l.failed() {
					err = p.SetRemoteFrontier(r, from.box[r])
					t.received += from.box[r].Bytes()
				}
			}
			for _, r := range ln.own {
				t.sent += ln.box[r].Bytes()
			}
			l.fail(i, err)
			lap(&t.pull)
			continue
		}
		for _, r := range ln.own {
			if err == nil && !l.failed() {
				err = p.MergeClaims(r, s, from.box[r])
				t.received += from.box[r].Bytes()
			}
		}
		l.fail(i, err)
		lap(&t.push)
	}
}
