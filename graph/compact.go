package graph

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/internal/mix"
	"github.com/totemgo/totemgo/internal/workers"
)

// Pair64 is one record with the ids of a file.
type Pair64 struct{ U, V uint64 }

// CompactOptions steer Compact. The zero value is ready for use.
type CompactOptions struct {
	// Threads bounds the goroutines; 0 means GOMAXPROCS.
	Threads int
	// MemoryLimit is the number of bytes that Compact may allocate beside the records
	// that it returns, 8 bytes each; 0 means no limit.
	MemoryLimit int64
}

// check compares what the ids need with the limit.
func (o *CompactOptions) check(need int64) error {
	if o.MemoryLimit > 0 && need > o.MemoryLimit {
		return &MemoryError{What: "numbering the vertices", Need: need, Limit: o.MemoryLimit}
	}
	return hugemem.Check(need)
}

// Compact gives the ids that occur in blocks of records dense ids, in rising order
// of the file's ids. It returns the records of all blocks, in their order, with
// dense ids, and the labels that lead back. Entries of blocks are set to nil when
// they are done with, so that their memory can be collected; after an error some may
// be nil.
//
// Beside blocks and result it takes at most 1.5 bits for each number between the
// smallest and the largest id where these lie close enough together that this is the
// cheaper way, otherwise about 48 bytes for each different id of each thread.
//
// The error is ErrTooManyVertices, a *MemoryError, ErrOption for a nil ctx, or that of ctx.
func Compact(ctx context.Context, blocks [][]Pair64, o CompactOptions) (edges []Edge, labels *Labels, err error) {
	if ctx == nil {
		return nil, nil, errNilContext
	}
	threads := workers.Count(o.Threads)
	starts := make([]int, len(blocks)+1)
	for i, b := range blocks {
		starts[i+1] = starts[i] + len(b)
	}
	records := starts[len(blocks)]
	if records == 0 {
		return []Edge{}, IdentityLabels(0, 0), nil
	}
	lo, hi, err := idBounds(ctx, blocks, threads)
	if err != nil {
		return nil, nil, err
	}
	var id func(label uint64) uint32
	if r := hi - lo; r/64 < 1<<16 || r/64 < uint64(records) {
		labels, id, err = compactBitmap(ctx, blocks, threads, lo, hi, &o)
	} else {
		labels, id, err = compactHash(ctx, blocks, threads, &o)
	}
	if err != nil {
		return nil, nil, err
	}
	edges = make([]Edge, records)
	err = forEach(ctx, threads, len(blocks), func(i int) error {
		out := edges[starts[i]:starts[i+1]]
		for j, p := range blocks[i] {
			out[j] = Edge{id(p.U), id(p.V)}
		}
		blocks[i] = nil
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return edges, labels, nil
}

func idBounds(ctx context.Context, blocks [][]Pair64, threads int) (lo, hi uint64, err error) {
	bounds := make([]Pair64, len(blocks))
	err = forEach(ctx, threads, len(blocks), func(i int) error {
		lo, hi := uint64(math.MaxUint64), uint64(0)
		for _, p := range blocks[i] {
			lo, hi = min(lo, p.U, p.V), max(hi, p.U, p.V)
		}
		bounds[i] = Pair64{lo, hi}
		return nil
	})
	lo = math.MaxUint64
	for _, b := range bounds {
		lo, hi = min(lo, b.U), max(hi, b.V)
	}
	return lo, hi, err
}

// compactBitmap marks the ids in a bitmap: the dense id is the number of marks
// before it.
func compactBitmap(ctx context.Context, blocks [][]Pair64, threads int, lo, hi uint64, o *CompactOptions) (*Labels, func(uint64) uint32, error) {
	words := int((hi-lo)/64 + 1)
	if err := o.check(12 * int64(words)); err != nil {
		return nil, nil, err
	}
	marks := make([]uint64, words)
	mark := func(id uint64) {
		id -= lo
		w, bit := &marks[id/64], uint64(1)<<(id%64)
		if atomic.LoadUint64(w)&bit == 0 {
			atomic.OrUint64(w, bit)
		}
	}
	err := forEach(ctx, threads, len(blocks), func(i int) error {
		for _, p := range blocks[i] {
			mark(p.U)
			mark(p.V)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	before := make([]uint32, words)
	n := uint64(0)
	for i, w := range marks {
		before[i] = uint32(n)
		n += uint64(bits.OnesCount64(w))
	}
	if n > MaxVertices {
		return nil, nil, fmt.Errorf("%w: %d different ids", ErrTooManyVertices, n)
	}
	if n == hi-lo+1 {
		return IdentityLabels(int(n), lo), func(label uint64) uint32 { return uint32(label - lo) }, nil
	}
	if err := o.check(12*int64(words) + 8*int64(n)); err != nil {
		return nil, nil, err
	}
	sorted := make([]uint64, n)
	parts := min(words, 8*threads)
	err = forEach(ctx, threads, parts, func(i int) error {
		from, to := span(words, parts, i)
		for w := from; w < to; w++ {
			out := sorted[before[w]:]
			for m, k := marks[w], 0; m != 0; m, k = m&(m-1), k+1 {
				out[k] = lo + uint64(w)*64 + uint64(bits.TrailingZeros64(m))
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	id := func(label uint64) uint32 {
		label -= lo
		w := label / 64
		return before[w] + uint32(bits.OnesCount64(marks[w]&(1<<(label%64)-1)))
	}
	return &Labels{n: int(n), sorted: sorted}, id, nil
}

// compactHash collects the different ids of each thread in a hash set, sorts and
// merges them, and finds dense ids through a hash table of them.
func compactHash(ctx context.Context, blocks [][]Pair64, threads int, o *CompactOptions) (*Labels, func(uint64) uint32, error) {
	threads = min(threads, len(blocks))
	sets, runs := make([]idSet, threads), make([][]uint64, threads)
	var held atomic.Int64 // bytes of all sets
	err := workers.Each(ctx, threads, len(blocks), ErrUnreadable, func(worker, i int) error {
		set := &sets[worker]
		set.held, set.o = &held, o
		for j, p := range blocks[i] {
			if j%(1<<16) == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if err := set.add(p.U); err != nil {
				return err
			}
			if err := set.add(p.V); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = forEach(ctx, threads, threads, func(t int) error { runs[t] = sets[t].sorted(); return nil })
	}
	for err == nil && len(runs) > 1 {
		ids := 0
		for _, r := range runs {
			ids += len(r)
		}
		if err = o.check(held.Load() + 8*int64(ids)); err != nil {
			break
		}
		pairs := make([][]uint64, (len(runs)+1)/2)
		err = forEach(ctx, threads, len(pairs), func(i int) error {
			if 2*i+1 == len(runs) {
				pairs[i] = runs[2*i]
			} else {
				pairs[i] = mergeUnique(runs[2*i], runs[2*i+1])
			}
			return nil
		})
		runs = pairs
	}
	if err != nil {
		return nil, nil, err
	}
	sorted := runs[0]
	if uint64(len(sorted)) > MaxVertices {
		return nil, nil, fmt.Errorf("%w: %d different ids", ErrTooManyVertices, len(sorted))
	}
	// table holds id+1 where an id hashes to, 0 in free places.
	size := 1 << bits.Len(uint(2*len(sorted)))
	if err := o.check(8*int64(cap(sorted)) + 4*int64(size)); err != nil {
		return nil, nil, err
	}
	mask := uint64(size - 1)
	table := make([]uint32, size)
	parts := 8 * threads
	err = forEach(ctx, threads, parts, func(i int) error {
		from, to := span(len(sorted), parts, i)
		for v := from; v < to; v++ {
			h := mix.Mix(sorted[v]) & mask
			for !atomic.CompareAndSwapUint32(&table[h], 0, uint32(v)+1) {
				h = (h + 1) & mask
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	id := func(label uint64) uint32 {
		for h := mix.Mix(label) & mask; ; h = (h + 1) & mask {
			if v := table[h] - 1; sorted[v] == label {
				return v
			}
		}
	}
	labels, err := SortedLabels(sorted)
	return labels, id, err
}

// idSet is a set of ids: open addressing, 0 marks a free place.
type idSet struct {
	slots []uint64
	used  int
	zero  bool // 0 is in the set
	held  *atomic.Int64
	o     *CompactOptions
}

// add adds an id. The error is a *MemoryError.
func (s *idSet) add(id uint64) error {
	if id == 0 {
		s.zero = true
		return nil
	}
	if 2*s.used >= len(s.slots) {
		old := s.slots
		size := max(1024, 2*len(old))
		if err := s.o.check(s.held.Add(8 * int64(size))); err != nil {
			return err
		}
		s.slots = make([]uint64, size)
		for _, o := range old {
			if o != 0 {
				s.slots[s.slot(o)] = o
			}
		}
		s.held.Add(-8 * int64(len(old)))
	}
	if h := s.slot(id); s.slots[h] == 0 {
		s.slots[h] = id
		s.used++
	}
	return nil
}

// slot is the index of id, or of the free slot for it.
func (s *idSet) slot(id uint64) uint64 {
	mask := uint64(len(s.slots) - 1)
	h := mix.Mix(id) & mask
	for s.slots[h] != 0 && s.slots[h] != id {
		h = (h + 1) & mask
	}
	return h
}

// sorted returns the ids, rising, and empties the set.
func (s *idSet) sorted() []uint64 {
	ids := s.slots[:0]
	for _, id := range s.slots {
		if id != 0 {
			ids = append(ids, id)
		}
	}
	if s.zero {
		ids = append(ids, 0)
	}
	*s = idSet{}
	slices.Sort(ids)
	return ids
}

// mergeUnique merges two strictly rising slices into one.
func mergeUnique(a, b []uint64) []uint64 {
	out := make([]uint64, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		x := min(a[0], b[0])
		out = append(out, x)
		if a[0] == x {
			a = a[1:]
		}
		if b[0] == x {
			b = b[1:]
		}
	}
	return append(append(out, a...), b...)
}
