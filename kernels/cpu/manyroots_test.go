package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/cpufeat"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/internal/hugetest"
)

// TestPullMany: blocks of rows of all lengths around a step's get what a loop over bits finds, from offsets of 4 and of 8
// bytes; nothing beyond the arrays is read or written.
func TestPullMany(t *testing.T) {
	avx2 := cpufeat.Get()
	avx2.AVX512 = false
	for name, f := range map[string]cpufeat.Features{"generic": {}, "avx2": avx2, "detected": cpufeat.Get()} {
		t.Run(name, func(t *testing.T) {
			defer cpufeat.Override(f)()
			hugetest.Guard(t)
			for seed := range uint64(200) {
				testPullMany(t, rand.New(rand.NewPCG(seed, 21)))
			}
		})
	}
}

func testPullMany(t *testing.T, r *rand.Rand) {
	t.Helper()
	const ranks = 70
	words := func(n, density int) []wide { // a bit is set with probability density/16
		s := hugemem.Make[uint64](n * manyWords)
		t.Cleanup(s.Free)
		for i := range s.S {
			for bit := range 64 {
				if r.IntN(16) < density {
					s.S[i] |= 1 << bit
				}
			}
		}
		return unsafe.Slice((*wide)(unsafe.Pointer(&s.S[0])), n)
	}
	n, skip := 1+r.IntN(manyVertices), r.IntN(3) // vertices before the block
	offsets, row := []uint64{0}, []uint32(nil)
	for range skip + n {
		for range r.IntN(1 + []int{0, 3, 9, 20, 200}[r.IntN(5)]) {
			row = append(row, uint32(r.IntN(ranks)))
		}
		offsets = append(offsets, uint64(len(row)))
	}
	neighbours, counts := hugemem.Make[uint32](len(row)), hugemem.Make[uint32](n)
	t.Cleanup(neighbours.Free)
	t.Cleanup(counts.Free)
	copy(neighbours.S, row)
	all, seen, next, front := &words(1, 14)[0], words(n, 12), words(n, 8), words(ranks, 1)
	want, sum, before := make([]wide, n), make([]uint32, n), slices.Clone(seen)
	for i := range n {
		for k := range manyWords * 64 {
			for _, u := range row[offsets[skip+i]:offsets[skip+i+1]] {
				if bit := uint64(1) << (k % 64); all[k/64]&bit != 0 && seen[i][k/64]&bit == 0 && front[u][k/64]&bit != 0 {
					want[i][k/64] |= bit
					sum[i]++
					break
				}
			}
		}
	}
	a := &graph.Adjacency{Neighbours: neighbours.S, Offsets64: offsets}
	if r.IntN(2) == 0 {
		for _, x := range offsets {
			a.Offsets32 = append(a.Offsets32, uint32(x))
		}
		a.Offsets64 = nil
	}
	b := manyBlock{seen: seen, next: next, front: front, all: all, counts: counts.S}
	b.set(a, uint32(skip), uint32(n), &[manyVertices]uint32{})
	pullManyOf()(&b)
	for i := range n {
		for k := range want[i] {
			before[i][k] |= want[i][k]
		}
	}
	if !slices.Equal(next, want) || !slices.Equal(counts.S, sum) || !slices.Equal(seen, before) {
		t.Fatalf("%d vertices: next %x, counts %v; want %x, %v", n, next, counts.S, want, sum)
	}
}
