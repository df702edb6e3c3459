//go:build amd64 && !noasm

package cpu

import (
	"math"

	"github.com/totemgo/totemgo/internal/cpufeat"
)

// available lists the sets of this processor, best first.
func available() []kernelSet {
	f := cpufeat.Get()
	var sets []kernelSet
	if f.AVX512 {
		sets = append(sets, kernelSet{name: "avx512", probe: probe512, settle: settle512, spread: spreadAsm, prefetch: prefetchAsm, prefetchLines: prefetchLinesAsm, scan: scanAVX512, byVertex: byVertex512})
	}
	if f.AVX2 {
		sets = append(sets, kernelSet{name: "avx2", probe: probe256, settle: settle256, spread: spreadAsm, prefetch: prefetchAsm, prefetchLines: prefetchLinesAsm, scan: scanGeneric, byVertex: byVertex256})
	}
	return append(sets, generic)
}

// The wrappers check what the assembly relies on: it reads and writes no more than
// they have compared with the slices' lengths, beside entries of front, out and all,
// which stand for ranks and ids below their lengths by the placement's word.

// check panics where the arrays do not cover the first n words.
func (b *probeBlock) check(n int) {
	if n == 0 {
		return
	}
	rows := len(b.parent)
	for k := range nearColumns {
		rows = min(rows, len(b.near[k]), len(b.nearID[k]))
	}
	_, _, _ = b.next[n-1], b.far[n-1], b.long[n-1]
	_ = b.rest[64*n+restSlack-1]
	// The last word may be padded: its bits beyond the arrays are set.
	if rows <= 64*(n-1) || rows < 64*n && ^b.seen[n-1]>>(rows%64) != 0 {
		panic("cpu: rows do not cover the words")
	}
}

func probe512(b *probeBlock) int {
	b.check(len(b.seen))
	return probeAVX512(b)
}

func probe256(b *probeBlock) int {
	n := min(len(b.seen), len(b.parent)/64)
	b.check(n)
	m := probeAVX2(b, n)
	if n < len(b.seen) {
		// A last word whose rows end within it.
		at := uint32(64 * n)
		tail := probeBlock{seen: b.seen[n:], next: b.next[n:], far: b.far[n:], long: b.long[n:], parent: b.parent[at:], rest: b.rest[m:], front: b.front}
		for k := range nearColumns {
			tail.near[k], tail.nearID[k] = b.near[k][at:], b.nearID[k][at:]
		}
		k := probeTwo(&tail)
		for i := range tail.rest[:k] {
			tail.rest[i] += at
		}
		m += k
	}
	return probeFar(b, m)
}

func checkSettle(scatter []uint32, seen, next []uint64, parent []uint32) {
	if n := len(seen); n > 0 {
		_, _, _ = next[n-1], scatter[64*n-1], parent[64*n-1]
	}
}

func settle512(scatter []uint32, seen, next []uint64, parent []uint32) {
	checkSettle(scatter, seen, next, parent)
	settleAVX512(scatter, seen, next, parent)
}

func settle256(scatter []uint32, seen, next []uint64, parent []uint32) {
	checkSettle(scatter, seen, next, parent)
	settleAVX2(scatter, seen, next, parent)
}

// byVertex512 leaves ranks that do not fit in the 31 bits of a gather's index to plain Go.
func byVertex512(out, rankOf, parent []uint32) {
	if len(parent) > math.MaxInt32 || len(rankOf) == 0 {
		byVertexGeneric(out, rankOf, parent)
		return
	}
	_ = out[len(rankOf)-1]
	byVertexAVX512(out, rankOf, parent)
}

// byVertex256 is byVertex512 by 8 vertices at a time.
func byVertex256(out, rankOf, parent []uint32) {
	n := len(rankOf) &^ 7
	if len(parent) > math.MaxInt32 {
		n = 0
	}
	if n > 0 {
		_ = out[n-1]
		byVertexAVX2(out, rankOf[:n], parent)
	}
	byVertexGeneric(out[n:], rankOf[n:], parent)
}

//go:noescape
func probeAVX512(b *probeBlock) int

//go:noescape
func probeAVX2(b *probeBlock, words int) int

//go:noescape
func settleAVX512(scatter []uint32, seen, next []uint64, parent []uint32)

//go:noescape
func settleAVX2(scatter []uint32, seen, next []uint64, parent []uint32)

//go:noescape
func scanAVX512(row []uint32, front []uint64) int

//go:noescape
func byVertexAVX512(out, rankOf, parent []uint32)

//go:noescape
func byVertexAVX2(out, rankOf, parent []uint32)

//go:noescape
func prefetchAsm(rows, offsets, neighbours []uint32)

//go:noescape
func spreadAsm(row []uint32, u uint32, scatter, ahead []uint32)
