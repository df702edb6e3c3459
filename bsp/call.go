package bsp

import (
	"fmt"
	"runtime/debug"

	"github.com/totemgo/totemgo/kernels"
)

// ask calls f, which calls a director. A director may be a caller's own: its panic, as its
// error, fails the search, not the loop.
func (l *Loop) ask(f func() error) {
	defer func() {
		if v := recover(); v != nil {
			l.failBy(fmt.Errorf("%w: panic: %v\n\n%s", ErrDirectorFailed, v, debug.Stack()))
		}
	}()
	l.failBy(f())
}

// start begins a search with d and returns the counts that d needs.
func (l *Loop) start(d Director) (need kernels.Need) {
	l.ask(func() error {
		if d == nil {
			return fmt.Errorf("%w: there is none", ErrDirectorFailed)
		}
		d.Start(l.info)
		need = d.Need()
		return nil
	})
	return need
}

// next returns d's choice; the search fails if d chooses no direction.
func (l *Loop) next(d Director, o *Observation) (dir kernels.Direction) {
	l.ask(func() error {
		if dir = d.Next(o); dir != kernels.TopDown && dir != kernels.BottomUp {
			return fmt.Errorf("%w: %s chose direction %d", ErrDirectorFailed, d.Name(), dir)
		}
		return nil
	})
	return dir
}

// lookahead returns the number of top-down steps that d promises.
func (l *Loop) lookahead(d Lookahead, o *Observation, limits kernels.MultiStepLimits) (steps int) {
	l.ask(func() error {
		steps = d.Steps(o, limits)
		return nil
	})
	return steps
}

// failBy keeps err if it is the search's first.
func (l *Loop) failBy(err error) {
	if err != nil {
		first := err // allocated only here
		l.failure.CompareAndSwap(nil, &first)
	}
}

// fail keeps err, of processor i, if it is the search's first.
func (l *Loop) fail(i int, err error) {
	if err != nil {
		l.failBy(fmt.Errorf("processor %d (%s): %w", i, l.procs[i].Kind(), err))
	}
}

// try calls f, which calls processor i, unless the search has failed; an error of f fails it.
func (l *Loop) try(i int, f func() error) {
	if !l.failed() {
		l.fail(i, f())
	}
}

func (l *Loop) failed() bool { return l.failure.Load() != nil }
