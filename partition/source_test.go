package partition_test

import (
	"context"
	"errors"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/partition"
)

// TestUnreadableSource takes the memory of the records away, as a file does that is cut
// short while it is mapped: an error, on every thread, and not the end of the process.
func TestUnreadableSource(t *testing.T) {
	if !hugemem.CanGuard() {
		t.Skip("this system cannot make memory inaccessible")
	}
	undo := hugemem.SetGuard(true)
	block := hugemem.Make[uint64](1 << 12)
	undo()
	defer block.Free()
	src := &unreadable{EdgeList: graph.EdgeList{Vertices: 1 << 10, Edges: make([]graph.Edge, 1<<10)}, memory: block.S}
	if err := block.Protect(hugemem.None); err != nil {
		t.Fatal(err)
	}
	defer block.Protect(hugemem.ReadWrite)
	for threads := 1; threads <= 4; threads++ {
		p, err := partition.New(context.Background(), src, partition.Options{Threads: threads})
		if !errors.Is(err, partition.ErrSource) {
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
