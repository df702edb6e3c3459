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

// ask returns what f, which calls a director, returns. A panic fails the search.
func ask[T any](b *BFS, f func() T) (answer T) {
	err := guard(ErrDirectorFailed, func() error {
		answer = f()
		return nil
	})
	if err != nil {
		b.failBy(err)
	}
	return answer
}

// next returns d's choice; the search fails if d chooses no direction.
func (b *BFS) next(d Director, o *Observation) kernels.Direction {
	dir := ask(b, func() kernels.Direction { return d.Next(o) })
	if dir != kernels.TopDown && dir != kernels.BottomUp {
		b.failBy(fmt.Errorf("%w: %s chose direction %d", ErrDirectorFailed, ask(b, d.Name), dir))
	}
	return dir
}
