package allpairs

import (
	"context"
	"math"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/workers"
)

// Summary describes the distances between all ordered pairs of different vertices that have a path.
type Summary struct {
	Pairs int64 `json:"pairs"` // ordered pairs with a path
	// Connected says that all pairs have one.
	Connected bool    `json:"connected"`
	Diameter  float64 `json:"diameter"` // the largest distance, 0 without pairs
	Radius    float64 `json:"radius"`   // the smallest eccentricity
	Average   float64 `json:"average"`  // the mean distance
	// Eccentricities has the largest distance from each vertex, by dense id, 0 where it reaches none.
	Eccentricities []float64 `json:"-"`
	// Histogram has the number of pairs by distance, of integer distances from 0 to below 2^20; else nil.
	Histogram []int64 `json:"histogram,omitempty"`
}

// histogramLimit is the number of distances that a histogram has at most.
const histogramLimit = 1 << 20

// Summarize computes the distances between all pairs and keeps no matrix of them where it searches
// from every vertex. Errors are those of Solve.
func Summarize[T Value](ctx context.Context, g *graph.CSR, o Options) (*Summary, *Plan, error) {
	o.rows = true
	p, err := Prepare[T](ctx, g, o)
	if err != nil {
		return nil, nil, err
	}
	b := newSummary[T](g.NumVertices(), workers.Count(o.Threads), o.Algebra)
	if p.Method == Searches {
		err = eachRow(ctx, g, o, b.add)
	} else {
		var m *Matrix[T]
		o.Method = p.Method
		if m, p, err = Solve[T](ctx, g, o); err == nil {
			defer func() { _ = m.Free() }()
			return m.Summary(ctx, o.Threads), p, ctx.Err()
		}
	}
	if err != nil {
		return nil, nil, err
	}
	return b.total(), p, nil
}

// Summary describes the matrix. It is incomplete where ctx ends.
func (m *Matrix[T]) Summary(ctx context.Context, threads int) *Summary {
	threads = workers.Count(threads)
	b, rows := newSummary[T](m.n, threads, m.by), make([][]T, threads)
	_ = workers.Each(ctx, threads, m.n, nil, func(worker, u int) error {
		if rows[worker] == nil {
			rows[worker] = make([]T, m.n)
		}
		m.Row(u, rows[worker])
		b.add(worker, uint32(u), rows[worker])
		return nil
	})
	return b.total()
}

// summary is a Summary that is added up by rows; sums are in the order of vertices.
type summary[T Value] struct {
	none        T
	counted     bool // distances are integers from 0 on
	far, sum    []float64
	pairs       []int64
	histograms  [][]int64 // by worker
	noHistogram []bool
}

func newSummary[T Value](n, threads int, by Algebra) *summary[T] {
	_, integers := any(T(0)).(int32)
	b := &summary[T]{none: Unreachable[T](by), far: make([]float64, n), sum: make([]float64, n), pairs: make([]int64, n),
		histograms: make([][]int64, threads), noHistogram: make([]bool, threads)}
	b.counted = integers && by == Shortest
	return b
}

func (b *summary[T]) add(worker int, u uint32, row []T) {
	far := math.Inf(-1)
	for v, d := range row {
		if d == b.none || v == int(u) {
			continue
		}
		x := float64(d)
		b.pairs[u]++
		b.sum[u] += x
		far = max(far, x)
		if i := int64(d); b.counted {
			if i < 0 || i >= histogramLimit {
				b.noHistogram[worker] = true
				continue
			}
			if h := b.histograms[worker]; i >= int64(len(h)) {
				b.histograms[worker] = append(h, make([]int64, max(i+1, int64(2*len(h)))-int64(len(h)))...)
			}
			b.histograms[worker][i]++
		}
	}
	if b.pairs[u] > 0 {
		b.far[u] = far
	}
}

func (b *summary[T]) total() *Summary {
	s := &Summary{Eccentricities: b.far}
	sum, last, n := 0.0, 0, int64(len(b.far))
	for u, far := range b.far {
		if b.pairs[u] == 0 {
			continue
		}
		if s.Pairs == 0 {
			s.Diameter, s.Radius = far, far
		}
		s.Pairs += b.pairs[u]
		s.Diameter, s.Radius = max(s.Diameter, far), min(s.Radius, far)
		sum += b.sum[u]
	}
	if s.Connected = s.Pairs == n*(n-1); s.Pairs > 0 {
		s.Average = sum / float64(s.Pairs)
	}
	for w, h := range b.histograms {
		if !b.counted || b.noHistogram[w] {
			return s
		}
		for i, x := range h {
			if x > 0 {
				last = max(last, i+1)
			}
		}
	}
	s.Histogram = make([]int64, last)
	for _, h := range b.histograms {
		for i, x := range h[:min(len(h), last)] {
			s.Histogram[i] += x
		}
	}
	return s
}
