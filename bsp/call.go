package bsp

import (
	"fmt"
	"runtime/debug"

	"github.com/totemgo/totemgo/kernels"
)

// Calls of a director, which may be a caller's own: a panic fails the search, not the loop.

// directorFailed returns a panic's value as an error with the stack; call it in the function
// that recovers.
func directorFailed(value any) error {
	return fmt.Errorf("%w: panic: %v\n\n%s", ErrDirectorFailed, value, debug.Stack())
}

// start begins a search with d and returns the counts that d needs.
func start(d Director, g GraphInfo) (need kernels.Need, err error) {
	if d == nil {
		return 0, fmt.Errorf("%w: there is none", ErrDirectorFailed)
	}
	defer func() {
		if v := recover(); v != nil {
			err = directorFailed(v)
		}
	}()
	d.Start(g)
	return d.Need(), nil
}

// next returns d's choice; the search fails if d panics or chooses no direction.
func (l *Loop) next(d Director, o *Observation) (dir kernels.Direction) {
	defer func() {
		if v := recover(); v != nil {
			l.failBy(directorFailed(v))
		}
	}()
	dir = d.Next(o)
	if dir != kernels.TopDown && dir != kernels.BottomUp {
		l.failBy(fmt.Errorf("%w: %s chose direction %d", ErrDirectorFailed, d.Name(), dir))
	}
	return dir
}

// lookahead returns the number of top-down steps that d promises; the search fails if d panics.
func (l *Loop) lookahead(d Lookahead, o *Observation, limits kernels.MultiStepLimits) (steps int) {
	defer func() {
		if v := recover(); v != nil {
			l.failBy(directorFailed(v))
		}
	}()
	return d.Steps(o, limits)
}

// failBy keeps the director's err if it is the search's first.
func (l *Loop) failBy(err error) { l.failure.CompareAndSwap(nil, &err) }
