package allpairs

import (
	"context"
	"slices"

	"github.com/totemgo/totemgo/internal/workers"
)

// solver runs one method on a matrix.
type solver[T Value] struct {
	*Matrix[T]
	kernel   algebra[T]
	threads  int
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

// blocked is Floyd-Warshall by blocks (Venkataraman, Sahni and Mukhopadhyaya 2003; Katz and
// Kider 2008): for each block of the diagonal its closure, then the blocks of its row and
// column, then all others. The last two are products of tiles.
func (s *solver[T]) blocked(ctx context.Context) error {
	side := blockTiles(s.tiles)
	blocks := (s.tiles + side - 1) / side
	s.of = int64(blocks)
	for b := range blocks {
		lo, hi := b*side, min(s.tiles, (b+1)*side)
		if err := s.closure(ctx, lo, hi); err != nil {
			return err
		}
		others := slices.Concat(span(0, lo), span(hi, s.tiles))
		if err := s.each(ctx, 2*len(others), func(i int) {
			if x := others[i/2]; i%2 == 0 {
				s.rowPanel(lo, hi, x)
			} else {
				s.columnPanel(lo, hi, x)
			}
		}); err != nil {
			return err
		}
		// Blocks of tiles: that of A and of B stay in a level-2 cache.
		if err := s.each(ctx, blocks*blocks, func(i int) {
			y, x := i/blocks, i%blocks
			if y == b || x == b {
				return
			}
			for i := y * side; i < min(s.tiles, (y+1)*side); i++ {
				for j := x * side; j < min(s.tiles, (x+1)*side); j++ {
					for k := lo; k < hi; k++ {
						s.kernel.product(s.tile(i, j), s.tile(i, k), s.tile(k, j))
					}
				}
			}
		}); err != nil {
			return err
		}
		s.advance(1)
	}
	return nil
}

// span is lo, lo+1 … hi−1.
func span(lo, hi int) []int {
	list := make([]int, 0, max(0, hi-lo))
	for i := lo; i < hi; i++ {
		list = append(list, i)
	}
	return list
}

// closure solves the block of tiles lo … hi−1 of the diagonal, or returns a negative. Before the
// step of a vertex its distance to itself is that of the shortest cycle through the vertices
// before it: a first negative cycle shows there, before any sum repeats it.
func (s *solver[T]) closure(ctx context.Context, lo, hi int) error {
	for k := lo; k < hi; k++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		diagonal := s.tile(k, k)
		for v := range Side {
			if s.by == Shortest && diagonal[v*Side+v] < 0 {
				return negative(k*Side + v)
			}
			s.kernel.step(diagonal, diagonal[v:], diagonal[v*Side:])
		}
		for x := lo; x < hi; x++ {
			if x != k {
				s.rowPanel(k, k+1, x)
				s.columnPanel(k, k+1, x)
			}
		}
		for i := lo; i < hi; i++ {
			for j := lo; j < hi; j++ {
				if i != k && j != k {
					s.kernel.product(s.tile(i, j), s.tile(i, k), s.tile(k, j))
				}
			}
		}
	}
	return nil
}

// rowPanel multiplies the closed block lo … hi−1 by the tiles of its rows in column x.
func (s *solver[T]) rowPanel(lo, hi, x int) {
	var before [4][tileLen]T
	for k := lo; k < hi; k++ {
		copy(before[k-lo][:], s.tile(k, x))
	}
	for i := lo; i < hi; i++ {
		for k := lo; k < hi; k++ {
			s.kernel.product(s.tile(i, x), s.tile(i, k), before[k-lo][:])
		}
	}
}

// columnPanel multiplies the tiles of the closed block's columns in row y by the block.
func (s *solver[T]) columnPanel(lo, hi, y int) {
	var before [4][tileLen]T
	for k := lo; k < hi; k++ {
		copy(before[k-lo][:], s.tile(y, k))
	}
	for j := lo; j < hi; j++ {
		for k := lo; k < hi; k++ {
			s.kernel.product(s.tile(y, j), before[k-lo][:], s.tile(k, j))
		}
	}
}
