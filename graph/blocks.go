package graph

import (
	"context"

	"github.com/totemgo/totemgo/internal/workers"
)

// EachBlock reads the records of src, cut into about wanted blocks, on up to threads
// goroutines (0: GOMAXPROCS), and calls f for each block with its number and its records,
// which are valid until f returns. worker numbers the goroutines; each gets blocks in
// rising order. It stops early at the first error and at the end of ctx, with that error,
// and with ErrUnreadable where a mapped source was cut short.
func EachBlock(ctx context.Context, src Source, threads, wanted int, f func(worker, block int, records []Edge) error) error {
	bufs := make([][]Edge, workers.Count(threads))
	_, own := src.(*EdgeList) // its blocks are its own memory
	return workers.Each(ctx, threads, src.Blocks(wanted), ErrUnreadable, func(worker, i int) error {
		records := src.Block(wanted, i, bufs[worker])
		if !own {
			bufs[worker] = records
		}
		return f(worker, i, records)
	})
}

// checkRecords demands that records join the n vertices there are.
func checkRecords(records []Edge, n int) error {
	for _, e := range records {
		if int64(max(e.U, e.V)) >= int64(n) {
			return badRecord(e, uint32(n))
		}
	}
	return nil
}

func badRecord(e Edge, n uint32) error {
	return invalid("records join vertices", "(%d, %d) in a graph with %d vertices", e.U, e.V, n)
}

// eachRecord calls f for blocks of records, in parallel, after checking their ids.
func eachRecord(ctx context.Context, src Source, threads int, f func(records []Edge)) error {
	// Small blocks: cancellation is looked for between them.
	wanted := max(4*workers.Count(threads), int(min(src.NumEdges()/blockRecords, 1<<16)))
	return EachBlock(ctx, src, threads, wanted, func(_, _ int, records []Edge) error {
		err := checkRecords(records, src.NumVertices())
		if err == nil {
			f(records)
		}
		return err
	})
}

// copyRecords calls f for all blocks of records with their weights, after it has called alloc with the number of records;
// at is the number of records in earlier blocks. Those that keep refuses are left out of both numbers; nil keeps all. The
// ids are checked.
func copyRecords(ctx context.Context, src Source, threads int, keep func(Edge) bool, alloc func(n int),
	f func(at int, records []Edge, w Weights)) error {
	wanted := max(workers.Count(threads), int(min(src.NumEdges()>>14, 1<<12)))
	first := make([]int, src.Blocks(wanted)+1)
	err := EachBlock(ctx, src, threads, wanted, func(_, i int, records []Edge) error {
		if err := checkRecords(records, src.NumVertices()); err != nil {
			return err
		}
		for _, e := range records {
			if keep == nil || keep(e) {
				first[i+1]++
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i := range first[1:] {
		first[i+1] += first[i]
	}
	alloc(first[len(first)-1])
	return EachBlock(ctx, src, threads, wanted, func(_, i int, records []Edge) error {
		f(first[i], records, src.BlockWeights(wanted, i))
		return nil
	})
}

// forEach calls f for 0 … n−1: see workers.Each. A memory fault is ErrUnreadable.
func forEach(ctx context.Context, threads, n int, f func(i int) error) error {
	return workers.Each(ctx, threads, n, ErrUnreadable, func(_, i int) error { return f(i) })
}

// span is part i of n parts of 0 … total−1.
func span(total, n, i int) (lo, hi int) {
	return int(uint64(total) * uint64(i) / uint64(n)), int(uint64(total) * uint64(i+1) / uint64(n))
}
