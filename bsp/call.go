package bsp

import (
	"fmt"

	"github.com/totemgo/totemgo/kernels"
)

// A director may be a caller's own: its panic, as its error, fails the search, not the loop.

// start begins a search with d and returns the counts that d needs.
func (b *BFS) start(d Director) (need kernels.Need, err error) {
	if d == nil {
		return 0, fmt.Errorf("%w: there is none", ErrDirectorFailed)
	}
	err = guard(ErrDirectorFailed, func() error {
		d.Start(b.info)
		need = d.Need()
		return nil
	})
	return need, err
}

// next returns d's choice; the search fails if d chooses no direction.
func (b *BFS) next(d Director, o *Observation) (dir kernels.Direction) {
	err := guard(ErrDirectorFailed, func() error {
		if dir = d.Next(o); dir != kernels.TopDown && dir != kernels.BottomUp {
			return fmt.Errorf("%w: %s chose direction %d", ErrDirectorFailed, d.Name(), dir)
		}
		return nil
	})
	if err != nil {
		b.failBy(err)
	}
	return dir
}

// rule returns d's rule.
func (b *BFS) rule(d Ruled, o *Observation) (rule *kernels.Rule) {
	err := guard(ErrDirectorFailed, func() error {
		rule = d.Rule(o)
		return nil
	})
	if err != nil {
		b.failBy(err)
	}
	return rule
}

// lookahead returns the number of top-down steps that d promises.
func (b *BFS) lookahead(d Lookahead, o *Observation, limits kernels.MultiStepLimits) (steps int) {
	err := guard(ErrDirectorFailed, func() error {
		steps = d.Steps(o, limits)
		return nil
	})
	if err != nil {
		b.failBy(err)
	}
	return steps
}
