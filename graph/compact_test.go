package graph_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/totemgo/totemgo/graph"
)

func checkCompact(t *testing.T, blocks [][]graph.Pair64, threads int) {
	t.Helper()
	var pairs []graph.Pair64
	var ids []uint64
	for _, b := range blocks {
		pairs = append(pairs, b...)
		for _, p := range b {
			ids = append(ids, p.U, p.V)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	edges, labels, err := graph.Compact(context.Background(), slices.Clone(blocks), graph.CompactOptions{Threads: threads})
	if err != nil {
		t.Fatal(err)
	}
	if labels.Len() != len(ids) || len(edges) != len(pairs) {
		t.Fatalf("%d labels, %d edges, want %d, %d", labels.Len(), len(edges), len(ids), len(pairs))
	}
	for i, id := range ids {
		if got := labels.Label(uint32(i)); got != id {
			t.Fatalf("label %d is %d, want %d", i, got, id)
		}
	}
	for i, p := range pairs {
		if got := (graph.Pair64{U: labels.Label(edges[i].U), V: labels.Label(edges[i].V)}); got != p {
			t.Fatalf("record %d is %v, want %v", i, got, p)
		}
	}
}

func TestCompact(t *testing.T) {
	const top = math.MaxUint64
	for _, blocks := range [][][]graph.Pair64{
		nil,
		{{}},
		{{{0, 0}}},
		{{{top, top}}},
		{{{0, top}}, {}, {{top - 1, 5}}},
		{{{1, 2}, {2, 3}}, {{3, 1}}},
		{{{100, 163}, {164, 164}, {164, 228}}},
	} {
		checkCompact(t, blocks, 3)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i, spread := range []uint64{10, 1000, 1 << 20, 1 << 40, top} {
		for _, base := range []uint64{0, 1, 1 << 50} {
			if base > top-spread {
				continue
			}
			var blocks [][]graph.Pair64
			for range 1 + r.IntN(9) {
				b := make([]graph.Pair64, r.IntN(3000))
				for j := range b {
					b[j] = graph.Pair64{U: base + r.Uint64N(spread), V: base + r.Uint64N(spread)}
				}
				blocks = append(blocks, b)
			}
			t.Run(fmt.Sprintf("spread=%d/base=%d", spread, base), func(t *testing.T) { checkCompact(t, blocks, 1+i) })
		}
	}
}

// TestCompactMemory has ids that lie close together, numbered by a bitmap, and ids that
// do not.
func TestCompactMemory(t *testing.T) {
	for _, spread := range []uint64{1 << 20, math.MaxUint64} {
		r := rand.New(rand.NewPCG(3, 4))
		blocks := make([][]graph.Pair64, 4)
		for i := range blocks {
			for range 20000 {
				blocks[i] = append(blocks[i], graph.Pair64{U: r.Uint64N(spread), V: r.Uint64N(spread)})
			}
		}
		for limit := int64(1); ; limit *= 2 {
			_, labels, err := graph.Compact(context.Background(), slices.Clone(blocks), graph.CompactOptions{Threads: 2, MemoryLimit: limit})
			if err == nil {
				// The labels alone are 8 bytes an id, and 48 for each thread is the most.
				if n := int64(labels.Len()); limit < 8*n || limit > 4*48*n {
					t.Errorf("spread %d: %d ids are numbered within %d bytes", spread, n, limit)
				}
				break
			}
			var m *graph.MemoryError
			if !errors.As(err, &m) || m.Limit != limit || m.Need <= limit {
				t.Fatalf("spread %d, limit %d: %v", spread, limit, err)
			}
		}
	}
}

func BenchmarkCompact(b *testing.B) {
	// go test ./graph -bench Compact -run -
	for _, spread := range []uint64{1 << 20, 1 << 40} {
		b.Run(fmt.Sprintf("ids=%d/threads=2", spread), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			names := make([]uint64, 1<<18)
			for i := range names {
				names[i] = r.Uint64N(spread)
			}
			blocks := make([][]graph.Pair64, 16)
			for i := range blocks {
				blocks[i] = make([]graph.Pair64, 1<<16)
				for j := range blocks[i] {
					blocks[i][j] = graph.Pair64{U: names[r.IntN(len(names))], V: names[r.IntN(len(names))]}
				}
			}
			for b.Loop() {
				if _, _, err := graph.Compact(context.Background(), slices.Clone(blocks), graph.CompactOptions{Threads: 2}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*(1<<20)/b.Elapsed().Seconds()/1e6, "Mrecords/s")
		})
	}
}

// Arbitrary ids come back through the labels.
func FuzzCompact(f *testing.F) {
	f.Add([]byte("0123456789abcdef0123456789ABCDEF"), uint8(3), uint8(0))
	f.Add([]byte("\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff"), uint8(1), uint8(9))
	f.Fuzz(func(t *testing.T, ids []byte, size, shift uint8) {
		var blocks [][]graph.Pair64
		var block []graph.Pair64
		for len(ids) >= 16 {
			block = append(block, graph.Pair64{
				U: binary.LittleEndian.Uint64(ids) >> (shift % 64),
				V: binary.LittleEndian.Uint64(ids[8:]) >> (shift % 64),
			})
			if len(block) > int(size) {
				blocks, block = append(blocks, block), nil
			}
			ids = ids[16:]
		}
		checkCompact(t, append(blocks, block), 2)
	})
}
