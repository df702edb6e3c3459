package partition

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
)

// rows are adjacency rows by vertex id, without self-loops and duplicates, not sorted.
// Bucket k holds the rows of 2^shift ids in nbr[2·begin[k]:2·begin[k+1]]: rows use at most
// the first half, the second half is scratch memory.
type rows struct {
	nbr     []uint32
	shift   uint
	begin   []uint64
	start   []uint32 // of each row, relative to its bucket
	length  []uint32
	weights graph.Weights // at begin[k] + start[v]
	arrays  hugemem.Arena
	// Records dropped because they repeat another: of two vertices (a row each if the
	// graph is undirected), and self-loops.
	repeats, loops atomic.Int64
	negative       []Loop // self-loops of negative weight, rising
}

// rowStart is where the row of vertex v begins in nbr.
func (r *rows) rowStart(v uint32) uint64 { return 2*r.begin[v>>r.shift] + uint64(r.start[v]) }

// spareStart is where the second half of bucket k begins in nbr.
func (r *rows) spareStart(k int) uint64 { return r.begin[k] + r.begin[k+1] }

// bucketBits is log2 of the number of ids of a bucket. There are at most maxBuckets
// buckets, so that a core's TLB and cache hold all their write positions, of at least
// minWidth ids each.
func bucketBits(n int) uint {
	bits := uint(0)
	for 1<<bits < minWidth || n>>bits >= maxBuckets {
		bits++
	}
	return bits
}

const (
	maxBuckets = 1024
	minWidth   = 1024
)

// rows reads the records twice and returns their rows without duplicates.
func (b *builder) rows(side graph.Side) (*rows, error) {
	r := &rows{shift: bucketBits(b.n)}
	buckets, err := graph.Scatter(b.ctx, b.src, graph.ScatterOptions{
		Threads: b.threads, Side: side, Shift: r.shift, DropLoops: side == graph.InArcs, Weighted: b.o.Weighted, Progress: b.tick,
		Alloc: func(begin []uint64) ([]uint64, error) {
			return hugemem.Alloc[uint64](&r.arrays, int(begin[len(begin)-1])), nil
		},
	})
	if err != nil {
		r.arrays.Free()
		if errors.Is(err, graph.ErrInvalid) {
			err = fmt.Errorf("%w: %w", ErrInvalid, err)
		}
		return nil, err
	}
	r.begin, r.weights = buckets.Begin, buckets.Weights

	// Divide each bucket by id and drop loops and duplicates. The rows overwrite the arcs.
	arcs := buckets.Arcs
	if len(arcs) > 0 {
		r.nbr = unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(arcs))), 2*len(arcs))
	}
	r.start = hugemem.Alloc[uint32](&r.arrays, b.n)
	r.length = hugemem.Alloc[uint32](&r.arrays, b.n)
	scratch := make([]dedupe, b.threads)
	err = b.each(len(r.begin)-1, func(worker, k int) error {
		b.tick(0)
		return scratch[worker].bucket(r, k, arcs[r.begin[k]:r.begin[k+1]])
	})
	if err != nil {
		r.arrays.Free()
		return nil, err
	}
	for _, d := range scratch {
		r.negative = append(r.negative, d.negative...)
	}
	slices.SortFunc(r.negative, func(a, b Loop) int {
		return cmp.Or(cmp.Compare(a.Vertex, b.Vertex), cmp.Compare(a.Weight, b.Weight))
	})
	r.negative = slices.CompactFunc(r.negative, func(a, b Loop) bool { return a.Vertex == b.Vertex })
	return r, nil
}

// dedupe is one worker's memory for turning buckets into rows.
type dedupe struct {
	at      []uint32 // write position of each row
	dst     []uint32 // the bucket's targets, row by row
	seen    []uint64 // a bit for every vertex, clear between rows
	weights graph.Weights
	table   []uint64 // weighted: (target+1)<<32 | index in the row, where the target hashes to; 0 where free

	negative []Loop
}

// bucket turns the arcs of bucket k into rows of r.
func (d *dedupe) bucket(r *rows, k int, arcs []uint64) error {
	n := uint64(len(r.length))
	lo := uint64(k) << r.shift
	hi := min(n, lo+1<<r.shift)
	if lo >= hi {
		return nil
	}
	if uint64(len(arcs)) > math.MaxUint32 {
		return fmt.Errorf("%w: %d arcs at ids %d to %d", ErrTooLarge, len(arcs), lo, hi-1)
	}
	d.at = slices.Grow(d.at[:0], int(hi-lo)+1)[:hi-lo+1]
	at := d.at
	clear(at)
	countSources(arcs, uint32(lo), at[1:])
	for i := range hi - lo {
		at[i+1] += at[i]
	}
	d.dst = slices.Grow(d.dst[:0], len(arcs))[:len(arcs)]
	dst := d.dst
	weighted := r.weights.Kind() != graph.Unweighted
	var w graph.Weights // the bucket's, in the rows' place
	if weighted {
		w = r.weights.Slice(int(r.begin[k]), int(r.begin[k+1]))
		if d.weights.Len() < len(arcs) {
			d.weights = graph.MakeWeights(w.Kind(), len(arcs)+len(arcs)/4)
		}
		for i, a := range arcs {
			q := at[uint32(a>>32)-uint32(lo)]
			at[uint32(a>>32)-uint32(lo)] = q + 1
			dst[q] = uint32(a)
			d.weights.Copy(int(q), w, i)
		}
	} else {
		divide(arcs, uint32(lo), at, dst)
		if d.seen == nil {
			d.seen = make([]uint64, (n+63)/64)
		}
	}
	nbr := r.nbr[2*r.begin[k]:]
	start, begin := uint32(0), uint32(0)
	repeats, loopRepeats := 0, 0
	for v := uint32(lo); v < uint32(hi); v++ {
		end := at[v-uint32(lo)]
		row := dst[begin:end]
		out := nbr[start : start+uint32(len(row))]
		var n, loops int
		switch {
		case weighted:
			n, loops = d.lightest(row, v, int(begin), out, w, int(start))
		case len(row) <= 8:
			n, loops = distinctFew(row, v, out)
		default:
			n, loops = distinct(row, v, out, d.seen)
		}
		r.start[v] = start
		r.length[v] = uint32(n)
		start += uint32(n)
		repeats += len(row) - loops - n
		loopRepeats += max(0, loops-1)
		begin = end
	}
	r.repeats.Add(int64(repeats))
	r.loops.Add(int64(loopRepeats))
	return nil
}

// countSources counts arcs by source.
func countSources(arcs []uint64, lo uint32, counts []uint32) {
	for _, a := range arcs {
		counts[uint32(a>>32)-lo]++
	}
}

// divide writes each target at the write position of its source's row.
func divide(arcs []uint64, lo uint32, at, dst []uint32) {
	for _, a := range arcs {
		u := uint32(a>>32) - lo
		q := at[u]
		at[u] = q + 1
		dst[q] = uint32(a)
	}
}

// distinctFew copies the distinct targets of row other than v to out, by comparing all
// pairs. It returns their number n, and the number of entries equal to v.
func distinctFew(row []uint32, v uint32, out []uint32) (n, loops int) {
next:
	for _, t := range row {
		if t == v {
			loops++
			continue
		}
		for _, x := range out[:n] {
			if x == t {
				continue next
			}
		}
		out[n] = t
		n++
	}
	return n, loops
}

// distinct is distinctFew with a bitmap over all vertices, clear before and after. It has
// no branch on the bitmap, which the processor would mispredict.
func distinct(row []uint32, v uint32, out []uint32, seen []uint64) (n, loops int) {
	seen[v>>6] |= 1 << (v & 63)
	for _, t := range row {
		w := seen[t>>6]
		out[n] = t
		n += int(^w >> (t & 63) & 1)
		seen[t>>6] = w | 1<<(t&63)
		if t == v {
			loops++
		}
	}
	seen[v>>6] = 0
	for _, t := range out[:n] {
		seen[t>>6] = 0
	}
	return n, loops
}

// lightest is distinctFew with a hash table: open addressing, at most half full. It copies the
// smallest weight of each target, the first among equals, from d.weights[from:] to w[to:].
func (d *dedupe) lightest(row []uint32, v uint32, from int, out []uint32, w graph.Weights, to int) (n, loops int) {
	log := min(bits.Len(uint(2*len(row))), 32)
	d.table = slices.Grow(d.table[:0], 1<<log)[:1<<log]
	clear(d.table)
	mask := uint32(len(d.table) - 1)
	for j, t := range row {
		if t == v {
			if x := d.weights.Float64(from + j); x < 0 {
				d.negative = append(d.negative, Loop{v, x})
			}
			loops++
			continue
		}
		h := t * 0x9e3779b1 >> (32 - log)
		for d.table[h] != 0 && uint32(d.table[h]>>32) != t+1 {
			h = (h + 1) & mask
		}
		if e := d.table[h]; e == 0 {
			d.table[h] = uint64(t+1)<<32 | uint64(n)
			out[n] = t
			w.Copy(to+n, d.weights, from+j)
			n++
		} else if i := to + int(uint32(e)); d.weights.Less(from+j, w, i) {
			w.Copy(i, d.weights, from+j)
		}
	}
	return n, loops
}
