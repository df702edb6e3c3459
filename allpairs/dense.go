package allpairs

import "context"

// naive is Floyd-Warshall by vertices: one sweep over the matrix each.
func (s *solver[T]) naive(ctx context.Context) error {
	s.of = int64(s.n)
	row := make([]T, s.tiles*Side)
	for v := range s.n {
		k, at := v/Side, v%Side
		if s.by == Shortest && s.tile(k, k)[at*Side+at] < 0 {
			return negative(v)
		}
		for j := range s.tiles {
			copy(row[j*Side:][:Side], s.tile(k, j)[at*Side:])
		}
		if err := s.each(ctx, s.tiles, func(i int) {
			for j := range s.tiles {
				s.product(s.tile(i, j), s.tile(i, k)[at:], row[j*Side:], s.tile(i, min(j+1, s.tiles-1)), 1)
			}
		}); err != nil {
			return err
		}
		s.advance(1)
	}
	return nil
}

// squaring multiplies the matrix by itself until paths of n−1 arcs are covered: ⌈log₂(n−1)⌉ products.
func (s *solver[T]) squaring(ctx context.Context) error {
	for arcs := 1; arcs < s.n-1; arcs *= 2 {
		s.of++
	}
	side := blockTiles(s.tiles)
	blocks := (s.tiles + side - 1) / side
	other := newMatrix[T](s.n, s.by)
	defer func() { _ = other.Free() }()
	from, to := s.Matrix, other
	for arcs := 1; ; arcs *= 2 {
		for v := 0; v < s.n && s.by == Shortest; v++ {
			if from.At(v, v) < 0 {
				return negative(v)
			}
		}
		if arcs >= s.n-1 {
			if err := from.backAndForth(); err != nil {
				return err
			}
			break
		}
		if err := s.each(ctx, blocks*blocks, func(b int) {
			top, left := b/blocks*side, b%blocks*side
			for k := range s.tiles {
				for i := top; i < min(s.tiles, top+side); i++ {
					for j := left; j < min(s.tiles, left+side); j++ {
						if k == 0 {
							copy(to.tile(i, j), from.tile(i, j))
						}
						s.product(to.tile(i, j), from.tile(i, k), from.tile(k, j), from.tile(k, j), Side)
					}
				}
			}
		}); err != nil {
			return err
		}
		from, to = to, from
		s.advance(1)
	}
	if from != s.Matrix {
		s.data, other.data, s.free, other.free = other.data, s.data, other.free, s.free
	}
	return nil
}

// backAndForth returns a negative for a cycle of up to twice as many arcs as the paths of the matrix have: those of n−1
// arcs do not close a cycle through all n vertices.
func (m *Matrix[T]) backAndForth() error {
	for u := 0; u < m.n && m.by == Shortest; u++ {
		for v := range u {
			if m.At(u, v)+m.At(v, u) < 0 {
				return negative(u)
			}
		}
	}
	return nil
}
