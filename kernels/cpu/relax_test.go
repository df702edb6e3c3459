package cpu

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/totemgo/totemgo/program"
)

// TestSortRow: rows of any length and spread of weights come out sorted, with the arcs that went in.
func TestSortRow(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	small := func() int64 { return 1 + r.Int64N(255) }
	sortRows(t, func() int32 { return int32(small()) })
	sortRows(t, func() int32 { return 7 })
	sortRows(t, func() int64 { return small() << r.IntN(50) })
	sortRows(t, func() int64 { return []int64{math.MinInt64, -1, 0, math.MaxInt64}[r.IntN(4)] })
	sortRows(t, func() float32 { return float32(small()) / 8 })
	sortRows(t, func() float64 { return []float64{0, 1e-300, 1, math.MaxFloat64, -math.MaxFloat64}[r.IntN(5)] })
}

func sortRows[T program.Value](t *testing.T, weight func() T) {
	for _, n := range []int{0, 1, 2, 12, 13, 14, 100, 3000} {
		row, w, want := make([]uint32, n), make([]T, n), map[sent[T]]int{}
		for i := range row {
			row[i], w[i] = uint32(i%100), weight()
			want[sent[T]{row[i], w[i]}]++
		}
		out := make([]sent[T], n)
		sortRow(out, row, w)
		for i, a := range out {
			if i > 0 && a.v < out[i-1].v {
				t.Fatalf("%T: row of %d: %v after %v", a.v, n, a.v, out[i-1].v)
			}
			if want[a]--; want[a] < 0 {
				t.Fatalf("%T: row of %d: arc %v was not there, or once less", a.v, n, a)
			}
		}
	}
}

// TestPrefetchLines: any address may be asked for.
func TestPrefetchLines(t *testing.T) {
	for _, s := range available() {
		s.prefetchLines(nil)
		s.prefetchLines([]uintptr{0, 1, math.MaxInt64, ^uintptr(0)})
	}
}

// TestRelaxIndex: bins rise with values, whatever the width.
func TestRelaxIndex(t *testing.T) {
	x := &relaxer[int64]{}
	for _, width := range []float64{0, 1, 3, 1e18, math.Inf(1), -2} {
		x.reset(5, width)
		last := 0
		for _, v := range []int64{math.MinInt64, 0, 5, 6, 7, 8, 100, 3000, 1 << 40, math.MaxInt64} {
			i := x.index(v)
			if i < last || i >= relaxBins {
				t.Fatalf("width %v: bin of %d is %d, of a lower value %d", width, v, i, last)
			}
			last = i
		}
	}
}
