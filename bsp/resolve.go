package bsp

// aggregate makes the parents: each owner asks the finders of its vertices.
func (l *Loop) aggregate(i int, parents []uint32) {
	if parents == nil {
		return
	}
	if len(l.procs) == 1 {
		if !l.failed() {
			l.fail(i, l.settle(i, parents, nil, nil))
		}
		return
	}
	ln, p := &l.lanes[i], l.procs[i]
	n := l.steps // the conductor has opened it already
	for q := range l.procs {
		ln.foreign[q], ln.answers[q] = nil, nil
		if q != i && !l.failed() {
			var err error
			ln.foreign[q], err = p.RemoteClaims(q)
			l.fail(i, err)
		}
	}
	ln.sent.open(n)
	for q := range l.lanes {
		if q == i {
			continue
		}
		l.lanes[q].sent.wait(n)
		l.lanes[q].answers[i] = nil
		if ask := l.lanes[q].foreign[i]; len(ask) > 0 && !l.failed() {
			a, err := p.LookupParents(ask)
			l.lanes[q].answers[i] = a
			l.fail(i, err)
		}
	}
	ln.done.open(n)
	for q := range l.lanes {
		l.lanes[q].done.wait(n)
	}
	if !l.failed() {
		l.fail(i, l.settle(i, parents, ln.foreign, ln.answers))
	}
}

// settle makes the parents of processor i, in its own memory where CopyTo is to come.
func (l *Loop) settle(i int, parents []uint32, foreign, answers [][]uint32) error {
	if l.resident != nil {
		return l.resident[i].Resolve(foreign, answers)
	}
	return l.procs[i].Parents(parents, foreign, answers)
}
