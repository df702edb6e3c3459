package bsp

// aggregate computes the parents of processor i's vertices: each owner asks the finders of
// its vertices for their parents.
func (l *Loop) aggregate(i int, parents []uint32) {
	if parents == nil {
		return
	}
	if len(l.procs) == 1 {
		if !l.failed() {
			l.fail(i, l.resolve(i, parents, nil, nil))
		}
		return
	}
	pt, p := &l.participants[i], l.procs[i]
	n := l.steps // the coordinator has advanced level to it
	for q := range l.procs {
		pt.remoteClaims[q], pt.remoteParents[q] = nil, nil
		if q != i && !l.failed() {
			var err error
			pt.remoteClaims[q], err = p.RemoteClaims(q)
			l.fail(i, err)
		}
	}
	pt.sent.advance(n)
	for q := range l.participants {
		if q == i {
			continue
		}
		l.participants[q].sent.wait(n)
		l.participants[q].remoteParents[i] = nil
		if ask := l.participants[q].remoteClaims[i]; len(ask) > 0 && !l.failed() {
			a, err := p.LookupParents(ask)
			l.participants[q].remoteParents[i] = a
			l.fail(i, err)
		}
	}
	pt.done.advance(n)
	for q := range l.participants {
		l.participants[q].done.wait(n)
	}
	if !l.failed() {
		l.fail(i, l.resolve(i, parents, pt.remoteClaims, pt.remoteParents))
	}
}

// resolve maps the parents of processor i to vertex ids: in device memory if CopyTo follows,
// else in parents.
func (l *Loop) resolve(i int, parents []uint32, remoteClaims, remoteParents [][]uint32) error {
	if l.inDevices != nil {
		return l.inDevices[i].Resolve(remoteClaims, remoteParents)
	}
	return l.procs[i].Parents(parents, remoteClaims, remoteParents)
}
