//go:build amd64 && !noasm

package cpu

import "github.com/totemgo/totemgo/internal/cpufeat"

// available lists the sets of this processor, best first.
func available() []kernelSet {
	f := cpufeat.Get()
	var sets []kernelSet
	if f.AVX512 {
		sets = append(sets, kernelSet{name: "avx512", probe: probe512, settle: settle512, spread: spreadAsm, fetch: fetch, scan: scan512, mapBack: mapBack})
	}
	if f.AVX2 {
		sets = append(sets, kernelSet{name: "avx2", probe: probe256, settle: settle256, spread: spreadAsm, fetch: fetch, scan: scanGeneric, mapBack: mapBack})
	}
	return append(sets, generic)
}

// The wrappers check what the assembly relies on: it reads and writes no more than
// they have compared with the slices' lengths, beside entries of front, out and all,
// which stand for ranks and ids below their lengths by the placement's word.

func probe512(seen, next []uint64, firsts, seconds, parent, rest []uint32, front []uint64) int {
	n := len(seen)
	if n == 0 {
		return 0
	}
	// The last word may be padded: its bits beyond the arrays are set.
	rows := min(len(firsts), len(seconds), len(parent), 64*n)
	_ = next[n-1]
	_ = rest[64*n+restSlack-1]
	if rows <= 64*(n-1) || rows < 64*n && ^seen[n-1]>>(rows%64) != 0 {
		panic("cpu: rows do not cover the words")
	}
	return probeAVX512(seen, next, firsts, seconds, parent, rest, front)
}

func probe256(seen, next []uint64, firsts, seconds, parent, rest []uint32, front []uint64) int {
	n := min(len(seen), len(firsts)/64)
	m := 0
	if n > 0 {
		_ = next[n-1]
		_, _, _, _ = firsts[64*n-1], seconds[64*n-1], parent[64*n-1], rest[64*n+restSlack-1]
		m = probeAVX2(seen[:n], next, firsts, seconds, parent, rest, front)
	}
	if n == len(seen) {
		return m
	}
	// A last word whose rows end within it.
	at := uint32(64 * n)
	k := probeGeneric(seen[n:], next[n:], firsts[at:], seconds[at:], parent[at:], rest[m:], front)
	for i := range rest[m : m+k] {
		rest[m+i] += at
	}
	return m + k
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

func scan512(row []uint32, front []uint64) int { return scanAVX512(row, front) }

func fetch(rest, offsets, row []uint32) {
	fetchAsm(rest, offsets, row)
}

func mapBack(out, vertexOf, parent, all []uint32, seen []uint64) {
	n := len(vertexOf)
	if n == 0 {
		return
	}
	_, _ = parent[n-1], seen[(n-1)/64]
	mapBackAsm(out, vertexOf, parent, all, seen)
}

//go:noescape
func probeAVX512(seen, next []uint64, firsts, seconds, parent, rest []uint32, front []uint64) int

//go:noescape
func probeAVX2(seen, next []uint64, firsts, seconds, parent, rest []uint32, front []uint64) int

//go:noescape
func settleAVX512(scatter []uint32, seen, next []uint64, parent []uint32)

//go:noescape
func settleAVX2(scatter []uint32, seen, next []uint64, parent []uint32)

//go:noescape
func scanAVX512(row []uint32, front []uint64) int

//go:noescape
func mapBackAsm(out, vertexOf, parent, all []uint32, seen []uint64)

//go:noescape
func fetchAsm(rest, offsets, row []uint32)

//go:noescape
func spreadAsm(row []uint32, u uint32, scatter, ahead []uint32)
