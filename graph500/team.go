package graph500

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/memfault"
	"github.com/totemgo/totemgo/internal/workers"
)

// team is a number of threads that share loops.
type team struct{ threads int }

// newTeam returns a team of at most GOMAXPROCS threads; 0 means GOMAXPROCS.
func newTeam(threads int) team {
	procs := runtime.GOMAXPROCS(0)
	if threads <= 0 || threads > procs {
		threads = procs
	}
	return team{threads}
}

// split calls f once for each chunk of grain items of [0, n), the last one shorter.
// A worker gets its chunks in rising order. It stops early, with the context's
// error, when ctx ends, and with graph.ErrUnreadable where a mapped source was cut short.
// Helpers belong to the team for the length of the call only.
func (t team) split(ctx context.Context, n, grain int, f func(worker, lo, hi int)) error {
	threads := t.threads
	if n <= grain {
		threads = 1
	}
	w := workers.Acquire(threads)
	defer w.Close()
	var cut atomic.Bool
	w.For(n, grain, func(worker, lo, hi int) {
		if ctx.Err() != nil || cut.Load() {
			return
		}
		err := memfault.Catch(func() error { f(worker, lo, hi); return nil }, func(error) error { return graph.ErrUnreadable })
		if err != nil {
			cut.Store(true)
		}
	})
	if cut.Load() {
		return graph.ErrUnreadable
	}
	return ctx.Err()
}

const (
	// vertexGrain is the number of vertices a worker takes at a time: a multiple of
	// 64, so that words of a bitmap have one writer.
	vertexGrain = 1 << 15
	// recordGrain is the number of records of a block. It does not depend on the
	// number of threads, so neither does the division of a source into blocks.
	recordGrain = 1 << 16
)

// blocksOf is the number of blocks that records are read in, as an argument of
// Source.Blocks.
func blocksOf(src graph.Source) int {
	return int(max(1, min((src.NumEdges()+recordGrain-1)/recordGrain, 1<<20)))
}

// blockBuffers returns one buffer per worker for Source.Block. A list returns its
// own memory and needs none.
func blockBuffers(src graph.Source, t team) [][]graph.Edge {
	bufs := make([][]graph.Edge, t.threads)
	if _, ok := src.(*graph.EdgeList); ok {
		return bufs
	}
	for w := range bufs {
		bufs[w] = make([]graph.Edge, 0, recordGrain+recordGrain/4)
	}
	return bufs
}
