package graph500

import (
	"context"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/workers"
)

// chunks calls f once for each chunk of grain items of [0, n), the last one shorter, on
// up to threads goroutines. A worker gets its chunks in rising order. It stops early at
// the end of ctx, with its error, and with graph.ErrUnreadable where a mapped source was
// cut short.
func chunks(ctx context.Context, threads, n, grain int, f func(worker, lo, hi int)) error {
	return workers.Each(ctx, threads, (n+grain-1)/grain, graph.ErrUnreadable, func(worker, i int) error {
		f(worker, i*grain, min((i+1)*grain, n))
		return nil
	})
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
