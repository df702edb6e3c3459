package cpu

import (
	"math"
	"math/bits"

	"github.com/totemgo/totemgo/graph"
)

// blockWords is the most words of 64 ranks that one kernel call covers. Assembly
// cannot be preempted, so a call must be short.
const blockWords = 1024

// restSlack is how many entries beyond its last one probe may write to rest.
const restSlack = 16

// kernelSet holds the inner loops of one instruction set, or of those chosen for a
// processor. All give the same results; tests compare each with the plain Go one.
type kernelSet struct {
	name string // of the instruction set

	// probe is a bottom-up step over the words of b, at most blockWords, as far as the
	// first neighbours of each vertex tell: see probeBlock. It returns how many vertices
	// it has listed in b.rest.
	probe func(b *probeBlock) int

	// settle ends a scattered top-down step over whole words: an entry of scatter
	// that is not None and whose bit in seen is 0 becomes the parent and sets the bit;
	// next becomes the bits so set. scatter is None throughout afterwards.
	settle func(scatter []uint32, seen, next []uint64, parent []uint32)

	// spread writes u to scatter at every entry of row, and may ask for the places of
	// those of ahead. Several threads may do so at once: each place then holds what one
	// of them wrote. It is nil in plain Go, which has no such stores.
	spread func(row []uint32, u uint32, scatter, ahead []uint32)

	// prefetch asks for the cache lines of entries 0 and 16 of each row in rows;
	// offsets[i] is the start of row i in neighbours. Optional.
	prefetch func(rows, offsets, neighbours []uint32)

	// prefetchLines asks for the lines of addresses. Optional.
	prefetchLines func(at []uintptr)

	// scan returns the place of the first entry of row that is in front, or len(row).
	scan func(row []uint32, front []uint64) int

	// byVertex writes to out[i], for each i whose rank is not None, parent[rankOf[i]]. It is
	// nil in plain Go, where byRank is quicker.
	byVertex func(out, rankOf, parent []uint32)
}

// nearColumns is the number of neighbours of a vertex that a probe looks at.
const nearColumns = 4

// probeBlock is a run of words of an own range for one probe. Entry i of the arrays by
// vertex belongs to bit i%64 of word i/64; they may be shorter than 64 entries a word
// where the bits beyond them are set in seen.
type probeBlock struct {
	// seen has the bits of the visited. next is written: the bits found. far has the bits
	// of the vertices with more than two neighbours, long of those with more than nearColumns.
	seen, next, far, long []uint64
	// near[k] holds neighbour k of each vertex, its rank, or the number of ranks where
	// the row is shorter; nearID[k] the vertex ids of the same.
	near, nearID [nearColumns][]uint32
	// parent gets the vertex id of the first near neighbour in the frontier, for each
	// vertex found. Entries of vertices that stay unvisited may be overwritten.
	parent []uint32
	// rest gets the long vertices not found, as numbers within the block, rising. It has
	// room for 64 entries a word and restSlack more.
	rest []uint32
	// front has the frontier's bits over all ranks, and a word of zeros.
	front []uint64
}

var generic = kernelSet{name: "generic", probe: probeGeneric, settle: settleGeneric, prefetch: prefetchGeneric, prefetchLines: prefetchLinesGeneric, scan: scanGeneric}

func probeGeneric(b *probeBlock) int {
	n := probeTwo(b)
	return probeFar(b, n)
}

// probeTwo is a probe of the first two neighbours. It lists in rest the vertices not found
// that have more.
func probeTwo(b *probeBlock) int {
	rested := 0
	firsts, seconds, firstID, secondID := b.near[0], b.near[1], b.nearID[0], b.nearID[1]
	next, parent, rest, front := b.next, b.parent, b.rest, b.front
	for word, old := range b.seen {
		hits := uint64(0)
		miss := ^old
		if bits.OnesCount64(miss) >= 16 && 64*word+64 <= len(firsts) {
			// All first neighbours without a branch, which would be mispredicted.
			block := firsts[64*word : 64*word+64]
			from := firstID[64*word : 64*word+64]
			to := parent[64*word : 64*word+64]
			for i, u := range block {
				hits |= front[u/64] >> (u % 64) & 1 << i
			}
			if old == 0 {
				copy(to, from)
			} else {
				for w := miss & hits; w != 0; w &= w - 1 {
					i := bits.TrailingZeros64(w)
					to[i] = from[i]
				}
			}
			hits &= miss
			miss &^= hits
			second := uint64(0)
			if bits.OnesCount64(miss) >= 16 {
				for i, u := range seconds[64*word : 64*word+64] {
					second |= front[u/64] >> (u % 64) & 1 << i
				}
				second &= miss
			} else {
				for w := miss; w != 0; w &= w - 1 {
					bit := bits.TrailingZeros64(w)
					u := seconds[64*word+bit]
					second |= front[u/64] >> (u % 64) & 1 << bit
				}
			}
			for w := second; w != 0; w &= w - 1 {
				i := bits.TrailingZeros64(w)
				to[i] = secondID[64*word+i]
			}
			hits |= second
			for w := miss &^ second & b.far[word]; w != 0; w &= w - 1 {
				rest[rested] = uint32(64*word + bits.TrailingZeros64(w))
				rested++
			}
			miss = 0
		}
		for ; miss != 0; miss &= miss - 1 {
			bit := bits.TrailingZeros64(miss)
			i := 64*word + bit
			u, id := firsts[i], firstID[i]
			if front[u/64]>>(u%64)&1 == 0 {
				if u, id = seconds[i], secondID[i]; front[u/64]>>(u%64)&1 == 0 {
					rest[rested] = uint32(i)
					rested += int(b.far[word] >> bit & 1)
					continue
				}
			}
			hits |= 1 << bit
			parent[i] = id
		}
		next[word] = hits
		b.seen[word] = old | hits
	}
	return rested
}

// probeFar looks at the other near neighbours of those of the n vertices in rest that have
// any, and keeps the long ones not found.
func probeFar(b *probeBlock, n int) int {
	none := uint32(len(b.front)-1) * 64
	kept := 0
	for _, i := range b.rest[:n] {
		word, bit := i/64, uint64(1)<<(i%64)
		if b.far[word]&bit == 0 {
			continue
		}
		hit := false
		for k := 2; k < nearColumns; k++ {
			u := b.near[k][i]
			if u == none {
				break
			}
			if b.front[u/64]>>(u%64)&1 != 0 {
				b.parent[i] = b.nearID[k][i]
				b.next[word] |= bit
				b.seen[word] |= bit
				hit = true
				break
			}
		}
		if !hit && b.long[word]&bit != 0 {
			b.rest[kept] = i
			kept++
		}
	}
	return kept
}

func settleGeneric(scatter []uint32, seen, next []uint64, parent []uint32) {
	for word, old := range seen {
		block := scatter[word*64 : word*64+64]
		to := parent[word*64 : word*64+64]
		fresh := uint64(0)
		for i, u := range block {
			if u == graph.None {
				continue
			}
			block[i] = graph.None
			if old>>i&1 == 0 {
				to[i] = u
				fresh |= 1 << i
			}
		}
		next[word] = fresh
		seen[word] = old | fresh
	}
}

// spreadGeneric is the plain Go twin of spread, for one thread; no set has it.
func spreadGeneric(row []uint32, u uint32, scatter, _ []uint32) {
	for _, v := range row {
		scatter[v] = u
	}
}

func prefetchGeneric(_, _, _ []uint32) {}

func prefetchLinesGeneric([]uintptr) {}

func scanGeneric(row []uint32, front []uint64) int {
	for i, u := range row {
		if front[u/64]>>(u%64)&1 != 0 {
			return i
		}
	}
	return len(row)
}

// byRank writes to out[vertexOf[i]], for each i, parent[i], or None where bit i of seen is
// 0. Whole words but for the last: seen has a bit for each i.
func byRank(out, vertexOf, parent []uint32, seen []uint64) {
	for k, word := range seen {
		ids := vertexOf[min(64*k, len(vertexOf)):min(64*k+64, len(vertexOf))]
		from := parent[64*k:][:len(ids)]
		if word == math.MaxUint64 {
			for i, v := range ids {
				out[v] = from[i]
			}
			continue
		}
		for i, v := range ids {
			u := from[i]
			if word>>i&1 == 0 {
				u = graph.None
			}
			out[v] = u
		}
	}
}

// byVertexGeneric is the plain Go twin of byVertex.
func byVertexGeneric(out, rankOf, parent []uint32) {
	for i, rank := range rankOf {
		if rank != graph.None {
			out[i] = parent[rank]
		}
	}
}
