package bsp

// aggregate computes the parents of processor i's vertices: each owner asks the finders of
// its vertices for their parents.
func (l *Loop) aggregate(i int, parents []uint32) {
	if parents == nil {
		return
	}
	pt, p := &l.participants[i], l.procs[i]
	n := l.steps // the coordinator has advanced level to it
	for q := range l.procs {
		pt.remoteClaims[q], pt.remoteParents[q] = nil, nil
		if q != i {
			l.try(i, func() (err error) {
				pt.remoteClaims[q], err = p.RemoteClaims(q)
				return err
			})
		}
	}
	pt.sent.advance(n)
	for q := range l.participants {
		if q == i {
			continue
		}
		asks := &l.participants[q]
		asks.sent.wait(n)
		asks.remoteParents[i] = nil
		if len(asks.remoteClaims[i]) > 0 {
			l.try(i, func() (err error) {
				asks.remoteParents[i], err = p.LookupParents(asks.remoteClaims[i])
				return err
			})
		}
	}
	pt.done.advance(n)
	for q := range l.participants {
		l.participants[q].done.wait(n)
	}
	l.try(i, func() error {
		if l.inDevices != nil { // CopyTo follows
			return l.inDevices[i].Resolve(pt.remoteClaims, pt.remoteParents)
		}
		return p.Parents(parents, pt.remoteClaims, pt.remoteParents)
	})
}
