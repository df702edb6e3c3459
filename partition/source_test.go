package partition_test

import (
	"context"
	"errors"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/internal/hugetest"
	"github.com/totemgo/totemgo/partition"
)

// TestUnreadableSource takes the memory of the records away, as a file does that is cut
// short while it is mapped: an error, on every thread, and not the end of the process.
func TestUnreadableSource(t *testing.T) {
	guard := hugetest.Guard(t)
	block := hugemem.Make[uint64](1 << 12)
	guard.Stop()
	defer block.Free()
	src := &unreadable{EdgeList: graph.EdgeList{Vertices: 1 << 10, Edges: make([]graph.Edge, 1<<10)}, memory: block.S}
	if err := guard.Protect(hugetest.None); err != nil {
		t.Fatal(err)
	}
	defer guard.Protect(hugetest.ReadWrite)
	for threads := 1; threads <= 4; threads++ {
		p, err := partition.New(context.Background(), src, partition.Options{Threads: threads})
		if !errors.Is(err, graph.ErrUnreadable) {
			t.Errorf("%d threads: %v", threads, err)
		}
		if p != nil {
			p.Close()
		}
	}
}

// unreadable is a source whose blocks are read out of memory of its own.
type unreadable struct {
	graph.EdgeList
	memory []uint64
}

func (u *unreadable) Block(n, i int, buf []graph.Edge) []graph.Edge {
	buf = buf[:0]
	for _, w := range u.memory[i:] {
		buf = append(buf, graph.Edge{U: uint32(w), V: uint32(w)})
	}
	return buf
}

// TestFallingOffsets refuses rows whose offsets fall, wherever they do; the ends of the
// offsets, and all targets, are right.
func TestFallingOffsets(t *testing.T) {
	const n = 1 << 17
	for _, at := range []int{1, 2, 1 << 16, 1<<16 + 1, n - 1} {
		for _, to := range []uint64{0, 1 << 40, 1<<64 - 1} {
			for _, directed := range []bool{false, true} {
				offsets := make([]uint64, n+1)
				targets := make([]uint32, 2*n)
				for v := range n {
					offsets[v+1] = uint64(2 * (v + 1))
					targets[2*v], targets[2*v+1] = uint32((v+1)%n), uint32((v+n-1)%n)
				}
				offsets[at] = to
				if to == 0 && at == 1 { // a row of none, then one of four
					continue
				}
				g, err := graph.NewCSR(graph.CSRParts{Directed: directed, Offsets: offsets, Targets: targets, Trusted: true})
				if err != nil {
					t.Fatal(err)
				}
				p, err := partition.New(t.Context(), g, partition.Options{Threads: 2})
				if !errors.Is(err, partition.ErrInvalid) {
					t.Errorf("offset %d of vertex %d, directed %v: %v", to, at, directed, err)
				}
				if p != nil {
					p.Close()
				}
				if _, _, err := partition.Duplicates(t.Context(), g, 2); !errors.Is(err, partition.ErrInvalid) {
					t.Errorf("offset %d of vertex %d, directed %v: Duplicates: %v", to, at, directed, err)
				}
			}
		}
	}
}
