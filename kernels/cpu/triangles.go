package cpu

import (
	"sort"

	"github.com/totemgo/totemgo/internal/hugemem"
)

// maxBitRows bounds the rows of BitRows: 256 MiB.
const maxBitRows = 1 << 16

// BitRows are the first rows of a graph whose rows hold smaller vertices, as bits.
type BitRows struct {
	Rows  uint32
	words hugemem.Slice[uint32]
	count func(row, list, hits []uint32) uint32
}

// bitRow is the word at which row v begins. A row has bit w%32 of word w/32 for each w < v; those of 32
// vertices have the same length.
func bitRow(v uint32) uint64 {
	b := uint64(v / 32)
	return 16*b*(b+1) + uint64(v%32)*(b+1)
}

// NewBitRows returns the bits of as many rows as take at most the memory of to. Row v is
// to[offsets[v]:offsets[v+1]]. The caller frees them.
func NewBitRows(offsets []uint64, to []uint32) BitRows {
	b := BitRows{Rows: bitRowsOf(int64(len(offsets)-1), int64(len(to))), count: countBitsOf()}
	b.words = hugemem.Make[uint32](int(bitRow(b.Rows)))
	for v := range b.Rows {
		row := b.words.S[bitRow(v):bitRow(v+1)]
		for _, w := range to[offsets[v]:offsets[v+1]] {
			row[w/32] |= 1 << (w % 32)
		}
	}
	return b
}

// bitRowsOf is the rows of BitRows of a graph of n rows and so many entries.
func bitRowsOf(n, entries int64) uint32 {
	return uint32(sort.Search(int(min(n, maxBitRows)), func(v int) bool { return bitRow(uint32(v)+1) > uint64(entries) }))
}

// BitRowsBytes is the memory of NewBitRows for a graph of n rows and so many entries.
func BitRowsBytes(n, entries int64) int64 {
	return hugemem.Taken(4 * int64(bitRow(bitRowsOf(n, entries))))
}

// Free frees the bits.
func (b *BitRows) Free() { b.words.Free() }

// Count returns the number of vertices of list, all below v < Rows, that row v holds, and adds 1 to
// the hits of each.
func (b *BitRows) Count(v uint32, list, hits []uint32) uint32 {
	return b.count(b.words.S[bitRow(v):bitRow(v+1)], list, hits)
}

func countBitsGeneric(row, list, hits []uint32) (n uint32) {
	hits = hits[:len(list)]
	for i, v := range list {
		x := row[v/32] >> (v % 32) & 1
		hits[i] += x
		n += x
	}
	return n
}
