package allpairs

import (
	"context"

	"github.com/totemgo/totemgo/internal/workers"
)

// solver runs one method on a matrix.
type solver[T Value] struct {
	*Matrix[T]
	product  func(c, a, b, next []T, terms int)
	threads  int
	scratch  [][]T                // by worker: a tile
	progress func(done, of int64) // or nil; in tile products, or the like
	done, of int64
}

// each runs f for 0 … n−1 on all threads.
func (s *solver[T]) each(ctx context.Context, n int, f func(i int)) error {
	return workers.Each(ctx, s.threads, n, nil, func(_, i int) error { f(i); return nil })
}

// advance reports work that was done.
func (s *solver[T]) advance(work int64) {
	if s.done += work; s.progress != nil {
		s.progress(s.done, s.of)
	}
}

// negative is a pair of a vertex and itself with a distance below 0.
type negative int

func (n negative) Error() string { return "a cycle of negative weight" }

// blockTiles is the number of tiles of a block's side: a stage reads and writes the whole matrix
// once, so large blocks need less bandwidth, and small ones leave more work to share.
func blockTiles(tiles int) int { return min(4, max(1, tiles/8)) }

// blocked is Floyd-Warshall by blocks (Venkataraman, Sahni and Mukhopadhyaya 2003; Katz and Kider 2008): for each
// block of the diagonal its closure, then the blocks of its row and column, then all others: products of tiles.
// The first of these others is the next block of the diagonal, whose closure runs beside them.
func (s *solver[T]) blocked(ctx context.Context) error {
	side := blockTiles(s.tiles)
	blocks := (s.tiles + side - 1) / side
	s.of = int64(blocks)
	s.scratch = make([][]T, s.threads)
	for worker := range s.scratch {
		s.scratch[worker] = make([]T, tileLen)
	}
	if err := s.closure(ctx, 0, 0, min(s.tiles, side)); err != nil {
		return err
	}
	for b := range blocks {
		lo, hi := b*side, min(s.tiles, (b+1)*side)
		next := min(s.tiles, hi+side)
		if err := workers.Each(ctx, s.threads, 2*s.tiles, nil, func(worker, i int) error {
			if x := i / 2; x < lo || x >= hi {
				s.panel(worker, lo, hi, x, i%2 > 0)
			}
			return nil
		}); err != nil {
			return err
		}
		// Strips of side tiles: those of B stay in a level-2 cache for all rows.
		if err := workers.Each(ctx, s.threads, 1+blocks*s.tiles, nil, func(worker, item int) error {
			if item == 0 {
				for i := hi; i < next; i++ {
					s.strip(i, hi, next, lo, hi)
				}
				return s.closure(ctx, worker, hi, next)
			}
			i, left := (item-1)%s.tiles, (item-1)/s.tiles*side
			if (i < lo || i >= hi) && left != lo && (i < hi || i >= next || left != hi) {
				s.strip(i, left, min(s.tiles, left+side), lo, hi)
			}
			return nil
		}); err != nil {
			return err
		}
		s.advance(1)
	}
	return nil
}

// strip multiplies the tiles lo … hi−1 of row i by those of columns left … right−1, and prefetches the tiles of the row
// that this thread is likely to take next.
func (s *solver[T]) strip(i, left, right, lo, hi int) {
	for j := left; j < right; j++ {
		for k := lo; k < hi; k++ {
			next := s.tile(i, j)
			if after := i + s.threads; after < s.tiles && k == lo {
				next = s.tile(after, j)
			} else if after < s.tiles && k == lo+1 {
				next = s.tile(after, min(hi-1, lo+j-left))
			}
			s.product(s.tile(i, j), s.tile(i, k), s.tile(k, j), next, Side)
		}
	}
}

// closure solves the block of tiles lo … hi−1 of the diagonal, or returns a negative. Before the step of a vertex
// its distance to itself is that of the shortest cycle through the vertices before it: a first negative cycle shows
// there, before any sum repeats it.
func (s *solver[T]) closure(ctx context.Context, worker, lo, hi int) error {
	for k := lo; k < hi; k++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		diagonal := s.tile(k, k)
		for v := range Side {
			if s.by == Shortest && diagonal[v*Side+v] < 0 {
				return negative(k*Side + v)
			}
			s.product(diagonal, diagonal[v:], diagonal[v*Side:], diagonal, 1)
		}
		for x := lo; x < hi; x++ {
			if x != k {
				s.panel(worker, k, k+1, x, false)
				s.panel(worker, k, k+1, x, true)
			}
		}
		for i := lo; i < hi; i++ {
			for j := lo; j < hi; j++ {
				if i != k && j != k {
					s.strip(i, j, j+1, k, k+1)
				}
			}
		}
	}
	return nil
}

// panel multiplies the closed block of tiles lo … hi−1 by the tiles of its rows in column x, or those of its columns
// in row x by the block. In place: a tile that is done is as good a factor, since the block is closed.
func (s *solver[T]) panel(worker, lo, hi, x int, inRow bool) {
	at, old := func(i int) []T { return s.tile(i, x) }, s.scratch[worker]
	if inRow {
		at = func(i int) []T { return s.tile(x, i) }
	}
	for i := lo; i < hi; i++ {
		copy(old, at(i))
		for k := lo; k < hi; k++ {
			factor := at(k)
			if k == i {
				factor = old
			}
			if inRow {
				s.product(at(i), factor, s.tile(k, i), at(min(i+1, hi-1)), Side)
			} else {
				s.product(at(i), s.tile(i, k), factor, at(min(i+1, hi-1)), Side)
			}
		}
	}
}
