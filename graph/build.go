package graph

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"sync/atomic"

	"github.com/totemgo/totemgo/internal/workers"
)

// Loops selects what Build does with self-loops.
type Loops uint8

// What Build does with self-loops.
const (
	KeepLoops Loops = iota // the default
	DropLoops
)

// Duplicates selects what Build does with records of the same ends; in an undirected
// graph (u, v) and (v, u) have the same ends.
type Duplicates uint8

// What Build does with duplicates. Without weights all merges are the same.
const (
	KeepDuplicates Duplicates = iota // the default
	MergeFirst                       // one record stays, with the weight of the first
	MergeMin                         // one record stays, with the smallest weight
	MergeMax                         // one record stays, with the largest weight
	MergeSum                         // one record stays, with the sum of the weights, added in the order of records
)

// BuildOptions say how Build makes a CSR. The zero value keeps everything.
type BuildOptions struct {
	// Threads bounds the goroutines; 0 means GOMAXPROCS.
	Threads    int
	Loops      Loops
	Duplicates Duplicates
	// MemoryLimit is the number of bytes that Build may allocate, its result
	// included; 0 means no limit.
	MemoryLimit int64
}

// Build makes a CSR of the records of a source; the result shares no memory with it
// but the labels. NumEdges counts the records after dropping and merging. The
// result is the same for every number of threads.
//
// It takes 8 bytes an arc beside the result (and the size of a weight), where an
// undirected edge is two arcs, and for each goroutine buffers as large as about
// 2^17 arcs, or the arcs of the largest vertex. Errors are a *MemoryError, before anything large is
// allocated; an *InvalidError where a record names a vertex that the source does not
// have, or for what CheckSource refuses; ErrOption; ErrWeightSum; ErrTooManyArcs; or that of ctx.
func Build(ctx context.Context, src Source, o BuildOptions) (*CSR, error) {
	if ctx == nil {
		return nil, errNilContext
	}
	if err := CheckSource(src); err != nil {
		return nil, err
	}
	if o.Loops > DropLoops || o.Duplicates > MergeSum {
		return nil, fmt.Errorf("%w: loops %d, duplicates %d", ErrOption, o.Loops, o.Duplicates)
	}
	return build(ctx, src, o, false)
}

// BuildBytes is the memory that Build needs for a source of so many records and
// vertices, its result included, in bytes, at most: for an undirected graph every
// record is counted as two arcs. Buffers of goroutines come on top.
func BuildBytes(vertices int, records int64, directed bool, weights WeightKind) int64 {
	arcs := uint64(records)
	if !directed {
		arcs *= 2
	}
	hi, b := bits.Mul64(arcs, uint64(12+2*weights.Size()))
	b, carry := bits.Add64(b, 8*(uint64(vertices)+1), 0)
	if hi != 0 || carry != 0 || b > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(b)
}

// Arcs are first distributed to buckets, each for a run of vertices; a bucket is
// then sorted by one goroutine, in a cache.
const (
	bucketArcs    = 1 << 17 // arcs that a bucket should have
	minBucketArcs = 1 << 10 // as few where there would be less than 4 buckets a goroutine
	maxBuckets    = 1 << 11
)

// The records are read in blocks; the context is checked between blocks.
const (
	blockRecords = 1 << 22
	maxBlocks    = 1 << 10
)

// builder is one run of Build.
type builder struct {
	src      Source
	opt      BuildOptions
	flip     bool // build the transpose
	threads  int
	n        int
	directed bool
	kind     WeightKind
	shift    int // bucket of vertex v is v >> shift
	buckets  int
	wanted   int // argument of Source.Blocks
	blocks   int // and its result
	// cursors[block·buckets + bucket] is first the number of arcs of that block in that
	// bucket, then their write position.
	cursors []uint64
	starts  []uint64 // first arc of each bucket, and the end
	kept    []uint64 // arcs of each bucket after merging

	arcs    []Edge // by bucket
	weights Weights

	loops, duplicates, records atomic.Int64
}

func build(ctx context.Context, src Source, o BuildOptions, flip bool) (*CSR, error) {
	b := &builder{src: src, opt: o, flip: flip, threads: workers.Count(o.Threads), n: src.NumVertices(),
		directed: src.IsDirected(), kind: src.WeightKind()}
	if b.n < 0 || uint64(b.n) > MaxVertices {
		return nil, fmt.Errorf("%w: %d", ErrTooManyVertices, b.n)
	}
	if err := b.checkMemory(0); err != nil {
		return nil, err
	}
	for _, step := range []func(context.Context) error{b.count, b.distribute, b.sort} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return b.finish(ctx)
}

// checkMemory returns a *MemoryError if the build and scratch bytes exceed the limit.
func (b *builder) checkMemory(scratch int64) error {
	need := BuildBytes(b.n, b.src.NumEdges(), b.directed, b.kind)
	limit := b.opt.MemoryLimit
	if limit <= 0 {
		limit = math.MaxInt64 - 1
	}
	if need > limit-min(limit, scratch) {
		return &MemoryError{What: "building the graph", Need: need + scratch, Limit: limit}
	}
	return nil
}

// count counts the arcs of each block in each bucket.
func (b *builder) count(ctx context.Context) error {
	arcs := b.src.NumEdges()
	if !b.directed {
		arcs *= 2
	}
	wanted := min(max(arcs/bucketArcs, 1), maxBuckets)
	wanted = max(wanted, min(int64(4*b.threads), arcs/minBucketArcs))
	for b.n > 0 && int64((b.n-1)>>b.shift)+1 > wanted {
		b.shift++
	}
	b.buckets = max(1, b.n-1)>>b.shift + 1
	b.wanted = max(4*b.threads, int(min(b.src.NumEdges()/blockRecords, maxBlocks)))
	b.blocks = b.src.Blocks(b.wanted)
	b.cursors = make([]uint64, b.blocks*b.buckets)
	err := EachBlock(ctx, b.src, b.threads, b.wanted, func(_, i int, records []Edge) error {
		if err := checkRecords(records, b.n); err != nil {
			return err
		}
		counts := b.cursors[i*b.buckets : (i+1)*b.buckets]
		for _, e := range records {
			if b.flip {
				e.U, e.V = e.V, e.U
			}
			if e.U == e.V {
				if b.opt.Loops == KeepLoops {
					counts[e.U>>b.shift]++
				}
				continue
			}
			counts[e.U>>b.shift]++
			if !b.directed {
				counts[e.V>>b.shift]++
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	b.starts = make([]uint64, b.buckets+1)
	at := uint64(0)
	for k := range b.buckets {
		b.starts[k] = at
		for i := range b.blocks {
			p := &b.cursors[i*b.buckets+k]
			at, *p = at+*p, at
		}
	}
	b.starts[b.buckets] = at
	return nil
}

// scratch is the number of bytes that sort needs: buffers of the largest bucket for
// each goroutine.
func (b *builder) scratch() int64 {
	largest := uint64(0)
	for k := range b.buckets {
		largest = max(largest, b.starts[k+1]-b.starts[k])
	}
	bytes := int64(8)
	if b.kind != Unweighted {
		bytes += 8 + int64(b.kind.Size())
	}
	return int64(largest) * bytes * int64(min(b.threads, b.buckets))
}

// distribute writes the arcs to their buckets, in the order of records.
func (b *builder) distribute(ctx context.Context) error {
	if err := b.checkMemory(b.scratch()); err != nil {
		return err
	}
	total := b.starts[b.buckets]
	b.arcs = make([]Edge, total)
	b.weights = MakeWeights(b.kind, int(total))
	err := EachBlock(ctx, b.src, b.threads, b.wanted, func(_, i int, records []Edge) error {
		if err := checkRecords(records, b.n); err != nil {
			return err
		}
		at := b.cursors[i*b.buckets : (i+1)*b.buckets]
		if b.kind == Unweighted {
			distribute[int32](b, at, records, nil, nil)
		} else {
			b.src.BlockWeights(b.wanted, i).vector.distribute(b, at, records, b.weights.vector)
		}
		return nil
	})
	b.cursors = nil
	return err
}

// distribute writes the arcs of records at the write positions of their buckets, at, and
// their weights, unless from is nil, to the same indices of to.
func distribute[T Weight](b *builder, at []uint64, records []Edge, from, to []T) {
	arcs, shift := b.arcs, b.shift
	for i, e := range records {
		if b.flip {
			e.U, e.V = e.V, e.U
		}
		if e.U == e.V && b.opt.Loops == DropLoops {
			continue
		}
		p := &at[e.U>>shift]
		arcs[*p] = e
		if from != nil {
			to[*p] = from[i]
		}
		*p++
		if b.directed || e.U == e.V {
			continue
		}
		p = &at[e.V>>shift]
		arcs[*p] = Edge{e.V, e.U}
		if from != nil {
			to[*p] = from[i]
		}
		*p++
	}
}

// sort sorts every bucket by source and target, and merges its duplicates.
func (b *builder) sort(ctx context.Context) error {
	b.kept = make([]uint64, b.buckets)
	scratch := make([]sorter, b.threads)
	return workers.Each(ctx, b.threads, b.buckets, ErrUnreadable, func(worker, k int) error {
		lo, hi := b.starts[k], b.starts[k+1]
		s := &scratch[worker]
		arcs := b.arcs[lo:hi]
		if b.kind == Unweighted {
			s.sort(arcs, false, uint32(b.n), b.shift)
			b.kept[k] = b.mergePlain(arcs)
			return nil
		}
		if uint64(len(arcs)) > math.MaxUint32 {
			return fmt.Errorf("%w: %d between vertices %d and %d", ErrTooManyArcs, len(arcs), arcs[0].U, arcs[len(arcs)-1].U)
		}
		w := b.weights.Slice(int(lo), int(hi))
		s.sort(arcs, true, uint32(b.n), b.shift)
		s.permute(w)
		kept, err := b.mergeWeighted(arcs, w)
		b.kept[k] = kept
		return err
	})
}

// mergePlain counts the records of a sorted bucket and, if asked to, removes duplicates in place. It returns
// the number of arcs kept, which are at its front.
func (b *builder) mergePlain(arcs []Edge) uint64 {
	var loops, duplicates, records int64
	merge := b.opt.Duplicates != KeepDuplicates
	kept := 0
	for i, a := range arcs {
		own := b.directed || a.U <= a.V // the arc that stands for its record
		if i > 0 && a == arcs[i-1] {
			if own {
				duplicates++
			}
			if merge {
				continue
			}
		}
		if own {
			records++
			if a.U == a.V {
				loops++
			}
		}
		if merge {
			arcs[kept] = a
		}
		kept++
	}
	b.add(loops, duplicates, records)
	return uint64(kept)
}

func (b *builder) add(loops, duplicates, records int64) {
	b.loops.Add(loops)
	b.records.Add(records)
	if b.opt.Duplicates == KeepDuplicates {
		b.duplicates.Add(duplicates)
	}
}

// mergeWeighted is mergePlain for arcs with weights.
func (b *builder) mergeWeighted(arcs []Edge, w Weights) (uint64, error) {
	if b.opt.Duplicates == KeepDuplicates {
		return b.mergePlain(arcs), nil
	}
	kept := 0
	for i, a := range arcs {
		if kept > 0 && a == arcs[kept-1] {
			switch b.opt.Duplicates {
			case MergeMin:
				if w.Less(i, w, kept-1) {
					w.Copy(kept-1, w, i)
				}
			case MergeMax:
				if w.Less(kept-1, w, i) {
					w.Copy(kept-1, w, i)
				}
			case MergeSum:
				if !w.vector.add(kept-1, i) {
					return 0, fmt.Errorf("%w: %v, between vertices %d and %d", ErrWeightSum, w.kind, a.U, a.V)
				}
			}
			continue
		}
		arcs[kept] = a
		w.Copy(kept, w, i)
		kept++
	}
	return b.mergePlain(arcs[:kept]), nil
}

// finish makes the arrays of the CSR.
func (b *builder) finish(ctx context.Context) (*CSR, error) {
	total := uint64(0)
	first := make([]uint64, b.buckets+1)
	for k, n := range b.kept {
		total += n
		first[k+1] = total
	}
	g := &CSR{
		n: b.n, directed: b.directed, edges: b.records.Load(), loops: b.loops.Load(), duplicates: b.duplicates.Load(),
		offsets: make([]uint64, b.n+1), targets: make([]uint32, total),
		labels: b.src.VertexLabels(),
	}
	if total == uint64(len(b.arcs)) {
		g.weights = b.weights
	} else {
		g.weights = MakeWeights(b.kind, int(total))
	}
	err := forEach(ctx, b.threads, b.buckets, func(k int) error {
		at, from := first[k], b.starts[k]
		arcs := b.arcs[from : from+b.kept[k]]
		out := g.targets[at : at+b.kept[k]]
		for i, a := range arcs {
			out[i] = a.V
			g.offsets[a.U]++ // the vertex is of this bucket alone
		}
		if total != uint64(len(b.arcs)) && b.kind != Unweighted {
			for i := range arcs {
				g.weights.Copy(int(at)+i, b.weights, int(from)+i)
			}
		}
		// Degrees become offsets.
		for v, end := k<<b.shift, min((k+1)<<b.shift, b.n); v < end; v++ {
			at, g.offsets[v] = at+g.offsets[v], at
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	g.offsets[b.n] = total
	return g, nil
}
