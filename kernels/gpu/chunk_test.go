package gpu

import (
	"errors"
	"testing"

	"github.com/totemgo/totemgo/graph"
)

// regular is a subgraph of rows of degree d without its neighbours in memory.
func regular(rows uint32, d uint64) *graph.Subgraph {
	a := &graph.Adjacency{Offsets64: make([]uint64, rows+1)}
	for i := range a.Offsets64 {
		a.Offsets64[i] = uint64(i) * d
	}
	return &graph.Subgraph{First: 64, Rows: rows, Out: a, In: a}
}

// TestCutRange: chunks cover the rows in order, begin at multiples of 32, and stay
// within the largest allocation and below 2^31 arcs, where the range as a whole does
// not.
func TestCutRange(t *testing.T) {
	for _, c := range []struct {
		rows    uint32
		degree  uint64
		largest int64
		chunks  int // 0: refused
	}{
		{1, 1, 1 << 20, 1},
		{1000, 10, 1 << 20, 1},
		{1000, 10, 4 * 10000, 1},
		{1000, 10, 4 * 9999, 2},
		{1000, 10, 4 * 1700, 7},  // 160 rows a chunk
		{1000, 10, 4 * 1000, 11}, // 96 rows a chunk
		{2040, 10, 4 * 330, 64},  // 32 rows a chunk
		{2060, 10, 4 * 330, 0},   // too many
		{1000, 10, 4 * 319, 0},   // less than 32 rows
		{1000, 0, 4 * 400, 3},    // offsets alone
		{1 << 16, 1 << 16, 1 << 40, 3},
		{1 << 17, 1 << 16, 1 << 40, 5},
		{1 << 20, 1 << 15, 141 << 30, 17}, // 137 GB, a whole H200
	} {
		list, err := cutRange(regular(c.rows, c.degree), 3, 128, c.largest, -1)
		if c.chunks == 0 {
			if !errors.Is(err, ErrTooLarge) {
				t.Errorf("%+v: %d chunks, error %v", c, len(list), err)
			}
			continue
		}
		if err != nil || len(list) != c.chunks {
			t.Errorf("%+v: %d chunks, error %v", c, len(list), err)
		}
		next := uint32(0)
		for _, k := range list {
			arcs := uint64(k.n) * c.degree
			if k.lo != next || k.lo%32 != 0 || k.n == 0 || k.base != 128+k.lo || k.rng != 3 || k.rank() != 64+k.lo {
				t.Errorf("%+v: a chunk of %d rows from %d, base %d", c, k.n, k.lo, k.base)
			}
			if arcs > chunkArcs || 4*int64(arcs) > c.largest || 4*int64(k.n+1) > c.largest {
				t.Errorf("%+v: a chunk of %d rows, %d arcs", c, k.n, arcs)
			}
			next += k.n
		}
		if next != c.rows {
			t.Errorf("%+v: chunks end at row %d", c, next)
		}
	}
}

// TestSplitRange: the last rows are the device's, as many as there is room for.
func TestSplitRange(t *testing.T) {
	sub := regular(1000, 10)
	for _, c := range []struct {
		room int64
		from uint32 // the first row on the device
	}{
		{-1, 0}, {1 << 20, 0}, {4 * (13*1000 + maxChunks), 0}, {4*(13*1000+maxChunks) - 1, 32}, {4 * (13*500 + maxChunks), 512}, {100, 1000}, {0, 1000},
	} {
		list, err := cutRange(sub, 0, 0, 1<<20, c.room)
		if err != nil {
			t.Fatal(err)
		}
		next, bytes := uint32(0), int64(0)
		for _, k := range list {
			if k.lo != next || k.host != (k.lo < c.from) || k.n == 0 {
				t.Errorf("room for %d bytes: %d rows from %d, on the host: %v", c.room, k.n, k.lo, k.host)
			}
			if !k.host {
				bytes += 4 * (int64(k.n)*13 + 1)
			}
			next += k.n
		}
		if next != sub.Rows || c.room >= 0 && bytes > c.room {
			t.Errorf("room for %d bytes: %d rows, %d bytes on the device", c.room, next, bytes)
		}
	}
}
