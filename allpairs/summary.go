package allpairs

import (
	"context"
	"math"

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

// Summary describes the matrix. It is incomplete where ctx ends.
func (m *Matrix[T]) Summary(ctx context.Context, threads int) *Summary {
	threads = workers.Count(threads)
	b := NewSummarizer[T](m.n, Options{Threads: threads, Algebra: m.by})
	_ = m.eachRow(ctx, threads, b.Add)
	return b.Summary()
}

// eachRow hands out the rows of the matrix.
func (m *Matrix[T]) eachRow(ctx context.Context, threads int, take func(worker int, r Row[T]) error) error {
	rows := make([][]T, threads)
	return workers.Each(ctx, threads, m.n, nil, func(worker, u int) error {
		if rows[worker] == nil {
			rows[worker] = make([]T, m.n)
		}
		m.Row(u, rows[worker])
		return take(worker, Row[T]{uint32(u), rows[worker], m.Predecessors(u)})
	})
}

// Summarizer adds a Summary up by rows, in any order. Sums are in the order of vertices.
type Summarizer[T Value] struct {
	none        T
	counted     bool // distances are integers from 0 on
	far, sum    []float64
	pairs       []int64
	histograms  [][]int64 // by worker
	noHistogram []bool
}

// NewSummarizer is for n vertices, and rows as Rows makes them with the options.
func NewSummarizer[T Value](n int, o Options) *Summarizer[T] {
	threads := workers.Count(o.Threads)
	_, integers := any(T(0)).(int32)
	b := &Summarizer[T]{none: Unreachable[T](o.Algebra), far: make([]float64, n), sum: make([]float64, n), pairs: make([]int64, n),
		histograms: make([][]int64, threads), noHistogram: make([]bool, threads)}
	b.counted = integers && o.Algebra == Shortest
	return b
}

// Add adds a row. Each worker may call it at once. The error is nil, for Rows.
func (b *Summarizer[T]) Add(worker int, r Row[T]) error {
	far, sum, pairs, u := math.Inf(-1), 0.0, int64(0), r.From
	for v, d := range r.Distances {
		if d == b.none || v == int(u) {
			continue
		}
		x := float64(d)
		pairs++
		sum += x
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
	if pairs > 0 {
		b.far[u], b.sum[u], b.pairs[u] = far, sum, pairs
	}
	return nil
}

// Summary is that of the rows that were added.
func (b *Summarizer[T]) Summary() *Summary {
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
