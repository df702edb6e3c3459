package graph

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"sync/atomic"

	"github.com/totemgo/totemgo/internal/hugemem"
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
// have, or for what CheckSource refuses; ErrOption; ErrWeightSum; or that of ctx.
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

// builder is one run of Build.
type builder struct {
	*Buckets
	opt      BuildOptions
	threads  int
	n        int
	directed bool
	shift    uint
	kept     []uint64 // arcs of each bucket after merging, at its front

	loops, duplicates, records atomic.Int64
}

// build builds the graph of src, or its transpose if flip is set.
func build(ctx context.Context, src Source, o BuildOptions, flip bool) (*CSR, error) {
	b := &builder{opt: o, threads: workers.Count(o.Threads), n: src.NumVertices(), directed: src.IsDirected()}
	if b.n < 0 || uint64(b.n) > MaxVertices {
		return nil, fmt.Errorf("%w: %d", ErrTooManyVertices, b.n)
	}
	if err := b.checkMemory(src, nil); err != nil {
		return nil, err
	}
	arcs, side := src.NumEdges(), OutArcs
	if !b.directed {
		arcs, side = 2*arcs, BothArcs
	} else if flip {
		side = InArcs
	}
	wanted := min(max(arcs/bucketArcs, 1), maxBuckets)
	wanted = max(wanted, min(int64(4*b.threads), arcs/minBucketArcs))
	for b.n > 0 && int64((b.n-1)>>b.shift)+1 > wanted {
		b.shift++
	}
	var err error
	b.Buckets, err = Scatter(ctx, src, ScatterOptions{
		Threads: b.threads, Side: side, Shift: b.shift, DropLoops: o.Loops == DropLoops, Weighted: true,
		Alloc: func(begin []uint64) ([]uint64, error) {
			if err := b.checkMemory(src, begin); err != nil {
				return nil, err
			}
			return make([]uint64, begin[len(begin)-1]), nil
		}})
	if err != nil {
		return nil, err
	}
	if b.Weights.kind == Unweighted {
		_, err = sortBuckets(ctx, b, make([]struct{}, len(b.Arcs)), func(a, _ struct{}) (struct{}, bool) { return a, true })
	} else {
		b.Weights.vector, err = b.Weights.vector.sortBuckets(ctx, b)
	}
	if err != nil {
		return nil, err
	}
	return b.finish(ctx, src.VertexLabels())
}

// checkMemory returns a *MemoryError if the build exceeds the limit, with a buffer of the
// largest bucket for each goroutine if the bounds of buckets are known.
func (b *builder) checkMemory(src Source, begin []uint64) error {
	largest := uint64(0)
	for k := range max(1, len(begin)) - 1 {
		largest = max(largest, begin[k+1]-begin[k])
	}
	scratch := int64(largest) * int64(8+src.WeightKind().Size()) * int64(min(b.threads, len(begin)))
	need := BuildBytes(b.n, src.NumEdges(), b.directed, src.WeightKind())
	limit := b.opt.MemoryLimit
	if limit <= 0 {
		limit = math.MaxInt64 - 1
	}
	if need > limit-min(limit, scratch) {
		return &MemoryError{What: "building the graph", Need: need + scratch, Limit: limit}
	}
	if begin == nil {
		return hugemem.Check(need)
	}
	return nil
}

// sortBuckets sorts every bucket by source and target, and merges its duplicates. It returns the
// weights of the arcs kept. T is struct{} if there are none.
func sortBuckets[T any](ctx context.Context, b *builder, weights []T, merge func(a, b T) (T, bool)) ([]T, error) {
	b.kept = make([]uint64, len(b.Begin)-1)
	sorters := make([]sorter[T], b.threads)
	err := workers.Each(ctx, b.threads, len(b.kept), ErrUnreadable, func(worker, k int) error {
		lo, hi := b.Begin[k], b.Begin[k+1]
		arcs, w := b.Arcs[lo:hi], weights[lo:hi]
		sorters[worker].sort(arcs, w, uint32(b.n), int(b.shift))
		kept, err := mergeDuplicates(b, arcs, w, merge)
		b.kept[k] = uint64(kept)
		return err
	})
	total := uint64(0)
	for _, n := range b.kept {
		total += n
	}
	if err != nil || total == uint64(len(weights)) {
		return weights, err
	}
	out := make([]T, 0, total)
	for k, n := range b.kept {
		out = append(out, weights[b.Begin[k]:b.Begin[k]+n]...)
	}
	return out, nil
}

// mergeDuplicates counts the records of a sorted bucket and, if asked to, merges duplicates in place. It
// returns the number of arcs kept, which are at its front.
func mergeDuplicates[T any](b *builder, arcs []uint64, w []T, merge func(a, b T) (T, bool)) (kept int, err error) {
	var loops, duplicates, records int64
	keep := b.opt.Duplicates == KeepDuplicates
	w = w[:len(arcs)]
	for i, a := range arcs {
		u, v := uint32(a>>32), uint32(a)
		own := b.directed || u <= v // the arc that stands for its record
		if kept > 0 && a == arcs[kept-1] {
			if !keep {
				sum, ok := merge(w[kept-1], w[i])
				if !ok {
					return 0, fmt.Errorf("%w: %v, between vertices %d and %d", ErrWeightSum, b.Weights.kind, u, v)
				}
				w[kept-1] = sum
				continue
			}
			if own {
				duplicates++
			}
		}
		if own {
			records++
			if u == v {
				loops++
			}
		}
		arcs[kept], w[kept] = a, w[i]
		kept++
	}
	b.loops.Add(loops)
	b.records.Add(records)
	b.duplicates.Add(duplicates)
	return kept, nil
}

// merger is how weights of duplicates are merged. Its result is false if the sum leaves the range of T.
func merger[T Weight](d Duplicates) func(a, b T) (T, bool) {
	return func(a, b T) (T, bool) {
		switch {
		case d == MergeSum:
			if T(1)/2 == 0 {
				return a + b, (a+b < a) == (b < 0)
			}
			return a + b, !math.IsInf(float64(a+b), 0)
		case d == MergeMin && b < a, d == MergeMax && a < b:
			return b, true
		}
		return a, true
	}
}

// finish makes the arrays of the CSR.
func (b *builder) finish(ctx context.Context, labels *Labels) (*CSR, error) {
	first := make([]uint64, len(b.kept)+1)
	for k, n := range b.kept {
		first[k+1] = first[k] + n
	}
	total := first[len(b.kept)]
	g := &CSR{
		n: b.n, directed: b.directed, edges: b.records.Load(), loops: b.loops.Load(), duplicates: b.duplicates.Load(),
		offsets: make([]uint64, b.n+1), targets: make([]uint32, total), weights: b.Weights, labels: labels,
	}
	err := forEach(ctx, b.threads, len(b.kept), func(k int) error {
		at := first[k]
		out := g.targets[at:first[k+1]]
		for i, a := range b.Arcs[b.Begin[k]:][:len(out)] {
			out[i] = uint32(a)
			g.offsets[a>>32]++ // the vertex is of this bucket alone
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

// radixBits is the largest number of bits of one sorting pass.
const radixBits = 12

// sorter sorts buckets of arcs with their weights. Its buffers are kept from bucket to bucket.
type sorter[T any] struct {
	counts  [1 << radixBits]uint64
	arcs    []uint64
	weights []T
}

// sort sorts arcs by source, then target, stably, and w with them. Vertices are below n,
// and the sources differ in their low sourceBits bits alone.
func (s *sorter[T]) sort(arcs []uint64, w []T, n uint32, sourceBits int) {
	if len(arcs) == 0 {
		return
	}
	if len(s.arcs) < len(arcs) {
		s.arcs, s.weights = make([]uint64, len(arcs)), make([]T, len(arcs))
	}
	a, b, wa, wb := arcs, s.arcs[:len(arcs)], w, s.weights[:len(arcs)]
	// Digits are taken from the low end of an arc.
	digits := func(low, width int) {
		passes := (width + radixBits - 1) / radixBits
		for p := range passes {
			from, to := low+width*p/passes, low+width*(p+1)/passes
			if s.pass(a, b, wa, wb, from, to-from) {
				a, b, wa, wb = b, a, wb, wa
			}
		}
	}
	digits(0, bits.Len32(n-1))
	digits(32, sourceBits)
	if &a[0] != &arcs[0] {
		copy(arcs, a)
		copy(w, wa)
	}
}

// pass moves a to b and wa to wb, in the order of width bits of the arcs. It returns false
// without a move if these bits are the same in all arcs.
func (s *sorter[T]) pass(a, b []uint64, wa, wb []T, shift, width int) bool {
	mask := uint64(1)<<width - 1
	counts := &s.counts
	clear(counts[:mask+1])
	for _, e := range a {
		counts[e>>shift&mask&(1<<radixBits-1)]++
	}
	at := uint64(0)
	for i, c := range counts[:mask+1] {
		if c == uint64(len(a)) {
			return false
		}
		counts[i], at = at, at+c
	}
	wa, wb = wa[:len(a)], wb[:len(b)]
	for i, e := range a {
		p := &counts[e>>shift&mask&(1<<radixBits-1)]
		b[*p], wb[*p] = e, wa[i]
		*p++
	}
	return true
}
