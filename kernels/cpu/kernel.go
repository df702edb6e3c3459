package cpu

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"github.com/totemgo/totemgo/graph"
)

// ErrKernels is returned where a set of kernels is unknown or cannot run here.
var ErrKernels = errors.New("cpu: no such kernels")

// blockWords is the most words of 64 ranks that one kernel call covers. Assembly
// cannot be preempted, so a call must be short.
const blockWords = 1024

// restSlack is how many entries beyond its last one probe may write to rest.
const restSlack = 16

// kernelSet holds the inner loops of one instruction set. All sets give the same
// results; tests compare each with the plain Go one.
type kernelSet struct {
	name string

	// probe is a bottom-up step over whole words, at most blockWords. seen and next
	// are the words, firsts, seconds and parent the block's part of the arrays by
	// vertex, front the frontier over all ranks and one word more. A vertex whose bit in
	// seen is 0 and whose first or second neighbour is in the frontier gets that one as
	// its parent and its bit in seen; next becomes the bits so found. The others of
	// bit 0 are listed in rest, as numbers within the block, rising; probe returns how
	// many, and may write to their parents. firsts, seconds and parent may be shorter
	// than 64 entries a word where the bits beyond them are set in seen. rest has room
	// for all, and restSlack.
	probe func(seen, next []uint64, firsts, seconds, parent, rest []uint32, front []uint64) int

	// settle ends a scattered top-down step over whole words: an entry of scatter
	// that is not None and whose bit in seen is 0 becomes the parent and sets the bit;
	// next becomes the bits so set. scatter is None throughout afterwards.
	settle func(scatter []uint32, seen, next []uint64, parent []uint32)

	// spread writes u to scatter at every entry of row, and may ask for the places of
	// those of ahead. Several threads may do so at once: each place then holds what one
	// of them wrote. It is nil in plain Go, which has no such stores.
	spread func(row []uint32, u uint32, scatter, ahead []uint32)

	// fetch asks for the lines that hold the third and the nineteenth entry of the rows
	// listed in rest, which begin at offsets in row. offsets has an entry for each. It
	// may do nothing.
	fetch func(rest, offsets, row []uint32)

	// scan returns the place of the first entry of row that is in front, or len(row).
	scan func(row []uint32, front []uint64) int

	// mapBack writes to out[vertexOf[i]], for each i, all[parent[i]], or None where
	// bit i of seen is 0. Whole words but for the last: seen has a bit for each i.
	mapBack func(out, vertexOf, parent, all []uint32, seen []uint64)
}

var generic = kernelSet{name: "generic", probe: probeGeneric, settle: settleGeneric, fetch: fetchGeneric, scan: scanGeneric, mapBack: mapBackGeneric}

// Kernels lists the names of the sets that run on this processor, best first.
func Kernels() []string {
	var names []string
	for _, s := range available() {
		names = append(names, s.name)
	}
	return names
}

// kernelsByName finds a set; "" and "auto" mean the best.
func kernelsByName(name string) (kernelSet, error) {
	sets := available()
	if name == "" || name == "auto" {
		return sets[0], nil
	}
	for _, s := range sets {
		if s.name == name {
			return s, nil
		}
	}
	return kernelSet{}, fmt.Errorf("%w: %q; this processor runs %s", ErrKernels, name, strings.Join(Kernels(), ", "))
}

func probeGeneric(seen, next []uint64, firsts, seconds, parent, rest []uint32, front []uint64) int {
	rested := 0
	for word, old := range seen {
		hits := uint64(0)
		miss := ^old
		if bits.OnesCount64(miss) >= 16 && 64*word+64 <= len(firsts) {
			// All first neighbours without a branch, which would be mispredicted.
			block := firsts[64*word : 64*word+64]
			to := parent[64*word : 64*word+64]
			for i, u := range block {
				hits |= front[u/64] >> (u % 64) & 1 << i
			}
			if old == 0 {
				copy(to, block)
			} else {
				for w := miss & hits; w != 0; w &= w - 1 {
					i := bits.TrailingZeros64(w)
					to[i] = block[i]
				}
			}
			hits &= miss
			miss &^= hits
			for ; miss != 0; miss &= miss - 1 {
				bit := bits.TrailingZeros64(miss)
				i := 64*word + bit
				u := seconds[i]
				parent[i] = u
				hit := front[u/64] >> (u % 64) & 1
				hits |= hit << bit
				rest[rested] = uint32(i)
				rested += 1 - int(hit)
			}
		}
		for ; miss != 0; miss &= miss - 1 {
			bit := bits.TrailingZeros64(miss)
			i := 64*word + bit
			u := firsts[i]
			if front[u/64]>>(u%64)&1 == 0 {
				if u = seconds[i]; front[u/64]>>(u%64)&1 == 0 {
					rest[rested] = uint32(i)
					rested++
					continue
				}
			}
			hits |= 1 << bit
			parent[i] = u
		}
		next[word] = hits
		seen[word] = old | hits
	}
	return rested
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

// spreadGeneric is the plain Go twin of spread, for one thread: tests compare with it,
// and no set has it.
func spreadGeneric(row []uint32, u uint32, scatter, _ []uint32) {
	for _, v := range row {
		scatter[v] = u
	}
}

func fetchGeneric(_, _, _ []uint32) {}

func scanGeneric(row []uint32, front []uint64) int {
	for i, u := range row {
		if front[u/64]>>(u%64)&1 != 0 {
			return i
		}
	}
	return len(row)
}

func mapBackGeneric(out, vertexOf, parent, all []uint32, seen []uint64) {
	for i, v := range vertexOf {
		if seen[i/64]>>(i%64)&1 == 0 {
			out[v] = graph.None
		} else {
			out[v] = all[parent[i]]
		}
	}
}
