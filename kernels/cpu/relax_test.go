package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/totemgo/totemgo/internal/hugetest"
	"github.com/totemgo/totemgo/program"
)

// fencedValues is fence for values.
func fencedValues[T program.Value](t *testing.T, f *fences, s []T) []T {
	if len(s) == 0 {
		return s
	}
	n := len(s)
	if unsafe.Sizeof(s[0]) == 4 {
		got := fence(t, f, unsafe.Slice((*uint32)(unsafe.Pointer(&s[0])), n), false)
		return unsafe.Slice((*T)(unsafe.Pointer(&got[0])), n)
	}
	got := fence(t, f, unsafe.Slice((*uint64)(unsafe.Pointer(&s[0])), n), false)
	return unsafe.Slice((*T)(unsafe.Pointer(&got[0])), n)
}

// guardRelax compares the kernels of a type with their twin. values are some of it.
func guardRelax[T program.Value](t *testing.T, values func(r *rand.Rand) T, xs ...T) {
	r := rand.New(rand.NewPCG(21, 22))
	for n := range 70 {
		if n == 69 {
			n = relaxPiece
		}
		for _, x := range xs {
			ranks := 1 + r.IntN(100)
			row, w, dst := make([]uint32, n), make([]T, n), make([]T, ranks)
			for i := range row {
				row[i], w[i] = r.Uint32N(uint32(ranks)), values(r)
			}
			if n > 0 {
				row[n-1] = uint32(ranks - 1)
			}
			for i := range dst {
				if dst[i] = program.Largest[T](); r.IntN(3) > 0 {
					dst[i] = values(r)
				}
			}
			want := make([]uint32, n+restSlack)
			twins := kernelSet{relaxI32: relaxI32Generic, relaxF32: relaxF32Generic, relaxI64: relaxI64Generic, relaxF64: relaxF64Generic}
			k := relaxKernel[T](&twins)(row, w, dst, x, want)
			for _, s := range available() {
				kernel := relaxKernel[T](&s)
				if kernel == nil {
					continue
				}
				what := fmt.Sprintf("%s: %T: row of %d, %d ranks, from %v", s.name, x, n, ranks, x)
				fenced(t, what, func(f *fences) {
					out := fence(t, f, make([]uint32, n+restSlack), true)
					got := kernel(fence(t, f, row, false), fencedValues(t, f, w), fencedValues(t, f, dst), x, out)
					if got != k || !slices.Equal(out[:got], want[:k]) {
						t.Fatalf("%s: %v, want %v", what, out[:got], want[:k])
					}
				})
			}
		}
	}
}

// TestGuardRelax is TestGuardProbe for the kernels that relax a row: sums that overflow are among them.
func TestGuardRelax(t *testing.T) {
	hugetest.Guard(t)
	whole := func(r *rand.Rand) int64 { return int64(r.IntN(40) - 5) }
	guardRelax(t, func(r *rand.Rand) int32 { return int32(whole(r)) }, 0, 7, -30, math.MaxInt32-3, math.MinInt32)
	guardRelax(t, whole, 0, 7, -30, math.MaxInt64-3, math.MinInt64)
	guardRelax(t, func(r *rand.Rand) float32 { return float32(r.IntN(20)) / 8 }, 0, 1.125, 1e30, float32(math.Inf(1)))
	guardRelax(t, func(r *rand.Rand) float64 { return float64(r.IntN(20)) / 8 }, 0, 1.125, 1e300, math.Inf(1))
}

// TestGuardPrefetchRows: prefetchRows reads nothing but rows and offsets, and may ask for lines beyond the last row.
func TestGuardPrefetchRows(t *testing.T) {
	hugetest.Guard(t)
	r := rand.New(rand.NewPCG(23, 24))
	for _, n := range []int{0, 1, 2, 3, 64} {
		for width := range 3 {
			offsets, rows := []uint32{0}, make([]uint32, n)
			for i := range n {
				offsets = append(offsets, offsets[i]+r.Uint32N(40))
				rows[i] = uint32(n - 1 - i)
			}
			arcs := int(offsets[n])
			for _, s := range available() {
				fenced(t, fmt.Sprintf("%s: %d rows", s.name, n), func(f *fences) {
					s.prefetchRows(fence(t, f, rows, false), fence(t, f, offsets, false), fence(t, f, make([]uint32, arcs), false),
						fence(t, f, make([]uint32, width*arcs), false))
				})
			}
		}
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
