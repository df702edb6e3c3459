package graph

import (
	"context"

	"github.com/totemgo/totemgo/internal/workers"
)

// Side selects the arcs that Scatter makes of a record (U, V).
type Side uint8

// The arcs of a record (U, V).
const (
	BothArcs Side = iota // U→V and V→U, a self-loop once: an undirected graph
	OutArcs              // U→V
	InArcs               // V→U
)

// ScatterOptions say how Scatter distributes arcs.
type ScatterOptions struct {
	// Threads bounds the goroutines; 0 means GOMAXPROCS.
	Threads int
	Side    Side
	// Shift is log2 of the number of vertices of a bucket, below 32.
	Shift uint
	// DropLoops leaves self-loops out.
	DropLoops bool
	// Weighted keeps the weights.
	Weighted bool
	// Alloc allocates the arcs of all buckets, given their bounds; nil means the Go heap.
	Alloc func(begin []uint64) ([]uint64, error)
	// Progress, unless nil, is called after each block with its number of records, in both passes.
	Progress func(records int64)
}

// Buckets are arcs by source: bucket k holds the arcs of the vertices k<<Shift …
// (k+1)<<Shift−1, in the order of records.
type Buckets struct {
	// Begin is the first arc of each bucket, and the end.
	Begin []uint64
	// Arcs are source<<32 | target.
	Arcs []uint64
	// Weights has one weight an arc, or is empty.
	Weights Weights
}

// The records are read in blocks; the context is checked between blocks.
const (
	blockRecords = 1 << 16
	maxBlocks    = 1 << 10
)

// Scatter reads the records of src twice and distributes their arcs to buckets. Its result
// is the same for every number of threads. Errors are an *InvalidError where a record
// names a vertex that the source does not have or its offsets fall, and those of Alloc, EachBlock and ctx.
func Scatter(ctx context.Context, src Source, o ScatterOptions) (*Buckets, error) {
	if rows, ok := src.(interface{ Offsets() []uint64 }); ok { // else records would be dropped without an error
		if err := checkOffsets(ctx, o.Threads, rows.Offsets()); err != nil {
			return nil, err
		}
	}
	wanted := max(8*workers.Count(o.Threads), int(min(src.NumEdges()/blockRecords, maxBlocks)))
	blocks, buckets := src.Blocks(wanted), src.NumVertices()>>o.Shift+1
	each := func(f func(block int, records []Edge) error) error {
		return EachBlock(ctx, src, o.Threads, wanted, func(_, i int, records []Edge) error {
			err := f(i, records)
			if o.Progress != nil {
				o.Progress(int64(len(records)))
			}
			return err
		})
	}
	n := uint32(src.NumVertices())
	// cursors[block] is first the number of its arcs in each bucket, then their write position.
	cursors := make([][]uint64, blocks)
	err := each(func(i int, records []Edge) error {
		cursors[i] = make([]uint64, buckets)
		return o.count(n, records, cursors[i])
	})
	if err != nil {
		return nil, err
	}
	b := &Buckets{Begin: make([]uint64, buckets+1)}
	at := uint64(0)
	for k := range buckets {
		b.Begin[k] = at
		for _, c := range cursors {
			at, c[k] = at+c[k], at
		}
	}
	b.Begin[buckets] = at
	if o.Alloc == nil {
		b.Arcs = make([]uint64, at)
	} else if b.Arcs, err = o.Alloc(b.Begin); err != nil {
		return nil, err
	}
	if o.Weighted {
		b.Weights = MakeWeights(src.WeightKind(), int(at))
	}
	err = each(func(i int, records []Edge) error {
		if b.Weights.kind == Unweighted {
			return scatter(&o, n, records, make([]struct{}, len(records)), cursors[i], b.Arcs, make([]struct{}, at))
		}
		return b.Weights.vector.scatter(&o, n, records, src.BlockWeights(wanted, i).vector, cursors[i], b.Arcs)
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// count counts the arcs of records, which must join vertices below n, by bucket.
func (o *ScatterOptions) count(n uint32, records []Edge, counts []uint64) error {
	side, drop, shift := o.Side, o.DropLoops, o.Shift&31
	for _, e := range records {
		if max(e.U, e.V) >= n {
			return badRecord(e, n)
		}
		loop := e.U == e.V
		if loop && drop {
			continue
		}
		if side != InArcs {
			counts[e.U>>shift]++
		}
		if side == InArcs || side == BothArcs && !loop {
			counts[e.V>>shift]++
		}
	}
	return nil
}

// scatter writes the arcs of records, each at the write position of its bucket, at, and
// their weights to the same indices of to. T is struct{} if there are none.
func scatter[T any](o *ScatterOptions, n uint32, records []Edge, from []T, at, arcs []uint64, to []T) error {
	side, drop, shift := o.Side, o.DropLoops, o.Shift&31
	from, to = from[:len(records)], to[:len(arcs)]
	for i, e := range records {
		if max(e.U, e.V) >= n {
			return badRecord(e, n)
		}
		loop := e.U == e.V
		if loop && drop {
			continue
		}
		if side != InArcs {
			q := at[e.U>>shift]
			at[e.U>>shift] = q + 1
			arcs[q], to[q] = uint64(e.U)<<32|uint64(e.V), from[i]
		}
		if side == InArcs || side == BothArcs && !loop {
			q := at[e.V>>shift]
			at[e.V>>shift] = q + 1
			arcs[q], to[q] = uint64(e.V)<<32|uint64(e.U), from[i]
		}
	}
	return nil
}
