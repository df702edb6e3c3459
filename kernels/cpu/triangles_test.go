package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/totemgo/totemgo/internal/cpufeat"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/internal/hugetest"
)

// TestBitRows: counts and hits are those of a search in lists, for lists of all lengths around a vector's; nothing
// beyond the arrays is read or written.
func TestBitRows(t *testing.T) {
	for name, f := range map[string]cpufeat.Features{"generic": {}, "detected": cpufeat.Get()} {
		t.Run(name, func(t *testing.T) {
			defer cpufeat.Override(f)()
			hugetest.Guard(t)
			testBitRows(t)
		})
	}
}

func testBitRows(t *testing.T) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	const n = 400
	offsets, to := make([]uint64, n+1), []uint32(nil)
	for v := range uint32(n) {
		for w := range v {
			if r.IntN(3) == 0 {
				to = append(to, w)
			}
		}
		offsets[v+1] = uint64(len(to))
	}
	b := NewBitRows(offsets, to)
	defer b.Free()
	if b.Rows != n {
		t.Fatalf("%d rows", b.Rows)
	}
	for v := range uint32(n) {
		for _, k := range []int{0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 100} {
			k = min(k, int(v))
			list, hits := hugemem.Make[uint32](k), hugemem.Make[uint32](k)
			want := make([]uint32, k)
			sum := uint32(0)
			for i, w := range r.Perm(int(v))[:k] {
				list.S[i], hits.S[i], want[i] = uint32(w), 7, 7
				if _, is := slices.BinarySearch(to[offsets[v]:offsets[v+1]], uint32(w)); is {
					want[i]++
					sum++
				}
			}
			if got := b.Count(v, list.S, hits.S); got != sum || !slices.Equal(hits.S, want) {
				t.Fatalf("row %d, list of %d: %d, hits %v, want %d, %v", v, k, got, hits.S, sum, want)
			}
			list.Free()
			hits.Free()
		}
	}
	none := NewBitRows(offsets[:1], nil)
	defer none.Free()
	if none.Rows != 0 {
		t.Errorf("%d rows of no graph", none.Rows)
	}
}
