package cpu

import (
	"context"
	"math"
	"math/bits"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/internal/workers"
	"github.com/totemgo/totemgo/kernels"
)

// manyWords is the number of words of roots that a thread searches from at once: with 8 the roots of a vertex fill a cache line.
const manyWords = 8

// wide has a bit for each root of a batch.
type wide [manyWords]uint64

// manyRoots is bit-parallel breadth-first search (Then et al., VLDB 2014), a batch of roots a thread. It adds up integers by
// target, so that no order matters.
type manyRoots struct {
	*kernels.ManyRoots
	degree []uint32 // by rank: arcs to push along
	arcs   int64
	pull   func(*manyBlock)
	step   int // roots of a batch
	bits   int // of numbers of batches
	next   atomic.Int64
	mu     sync.Mutex
}

// manyState is the memory of a thread. front is zero outside of the frontier, next outside of the one before it.
type manyState struct {
	seen, front, next []wide
	list, reached     []uint32 // the frontier and the one before it; while pushing the next one
	sums              []kernels.Distances
	hops              []int64
	block             manyBlock
	ends, counts      [manyVertices]uint32
	frees             []func()
	freeSums          func()
}

// manyBlock is a run of vertices that pull. Row i is neighbours[ends[i-1]:ends[i]], the first one from start on.
type manyBlock struct {
	seen, next []wide // of the vertices: next is set to the frontier's bits that seen lacks, which join seen
	front      []wide // by rank
	all        *wide  // a vertex pulls until it has these
	start      uint64
	ends       []uint32
	neighbours []uint32
	counts     []uint32 // set to the number of bits in next
}

// manyVertices is the most vertices of a block.
const manyVertices = 64

// manyPush is the part of all arcs up to which a frontier's are pushed.
const manyPush = 10

// manyArcs is the number of arcs a vertex of the frontier from which on a pull looks first whose search goes on.
const manyArcs = 16

// ManyBytes is the memory of SearchMany in bytes.
func (p *Processor) ManyBytes(m *kernels.ManyRoots) int64 {
	ranks, taken := int64(m.Ranks), hugemem.Taken
	thread := 3*taken(8*manyWords*ranks) + taken(2*4*ranks) + taken(ranks*int64(unsafe.Sizeof(kernels.Distances{})))
	return taken(4*ranks) + int64(m.Threads)*thread
}

// SearchMany searches from all roots, on m.Threads threads of the host.
func (p *Processor) SearchMany(ctx context.Context, m *kernels.ManyRoots) error {
	team := workers.Acquire(m.Threads)
	defer team.Close()
	states := make([]manyState, team.Threads())
	degree := hugemem.Make[uint32](int(m.Ranks))
	defer degree.Free()
	defer func() {
		for i, s := range states {
			if s.free(); s.freeSums != nil && (i > 0 || m.Sums == nil) {
				s.freeSums()
			}
		}
	}()
	team.Run(func(t int) { states[t].alloc(int(m.Ranks)) })
	s := manyRoots{ManyRoots: m, degree: degree.S, arcs: m.Out.Arcs(), pull: pullManyOf()}
	for v := range m.Ranks {
		s.degree[v] = uint32(len(m.Out.Of(v)))
	}
	// As many batches on each thread, of about the same size.
	count := len(states) * max(1, (len(m.Roots)+64*manyWords*len(states)-1)/(64*manyWords*len(states)))
	s.step, s.bits = (len(m.Roots)+count-1)/count, bits.Len(uint(count-1))
	team.Run(func(t int) { s.batches(ctx, &states[t]) })
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, from := range states[1:] {
		for level, pairs := range from.hops {
			states[0].count(level, pairs)
		}
	}
	m.Hops, m.Sums, m.FreeSums = states[0].hops, states[0].sums, states[0].freeSums
	team.For(int(m.Ranks), 1<<14, func(_, lo, hi int) {
		for _, s := range states[1:] {
			for v, x := range s.sums[lo:hi] {
				sum := &m.Sums[lo+v]
				sum.Total += x.Total
				sum.Harmonic += x.Harmonic
				sum.Reach += x.Reach
				sum.Far = max(sum.Far, x.Far)
			}
		}
	})
	return nil
}

// alloc allocates and touches the memory: a batch would take page faults else, which the later ones do not.
func (s *manyState) alloc(ranks int) {
	words := func() []wide {
		b := hugemem.Make[uint64](max(1, ranks) * manyWords)
		s.frees = append(s.frees, b.Free)
		clear(b.S)
		return unsafe.Slice((*wide)(unsafe.Pointer(&b.S[0])), ranks)
	}
	s.seen, s.front, s.next = words(), words(), words()
	lists := hugemem.Make[uint32](2 * ranks)
	clear(lists.S)
	s.frees = append(s.frees, lists.Free)
	s.list, s.reached = lists.S[:0:ranks], lists.S[ranks:ranks:2*ranks]
	sums := hugemem.Make[uint64](3 * max(1, ranks))
	clear(sums.S)
	s.sums, s.freeSums = unsafe.Slice((*kernels.Distances)(unsafe.Pointer(&sums.S[0])), ranks), sums.Free
}

// free frees all but the sums.
func (s *manyState) free() {
	for _, f := range s.frees {
		f()
	}
}

// or adds the bits of some vertices.
func (x *wide) or(of []wide, vertices []uint32) {
	x0, x1, x2, x3, x4, x5, x6, x7 := x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]
	for _, v := range vertices {
		y := &of[v]
		x0, x1, x2, x3 = x0|y[0], x1|y[1], x2|y[2], x3|y[3]
		x4, x5, x6, x7 = x4|y[4], x5|y[5], x6|y[6], x7|y[7]
	}
	*x = wide{x0, x1, x2, x3, x4, x5, x6, x7}
}

// batches searches from batches of roots until there are none left, in the order of their numbers' bits reversed (van der
// Corput): the first ones stand for all, which are in the order of ranks.
func (m *manyRoots) batches(ctx context.Context, s *manyState) {
	for i := m.next.Add(1); i <= 1<<m.bits && ctx.Err() == nil; i = m.next.Add(1) {
		lo := min(int(bits.Reverse64(uint64(i))>>(64-m.bits))*m.step, len(m.Roots))
		start, batch := time.Now(), m.Roots[lo:min(lo+m.step, len(m.Roots))]
		if len(batch) == 0 {
			continue
		}
		m.search(ctx, s, batch)
		m.finished(len(batch), time.Since(start))
	}
}

// finished tells one thread's batch at a time. Finished may panic.
func (m *manyRoots) finished(roots int, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Finished(roots, took)
}

// search searches from a batch of roots.
func (m *manyRoots) search(ctx context.Context, s *manyState, batch []uint32) {
	clear(s.seen)
	for _, v := range s.reached {
		s.next[v] = wide{}
	}
	var all wide
	s.list, s.reached = s.list[:0], s.reached[:0]
	arcs := int64(0)
	for i, v := range batch {
		all[i/64] |= 1 << (i % 64)
		s.seen[v][i/64] |= 1 << (i % 64)
		s.front[v][i/64] |= 1 << (i % 64)
		s.sums[v].Reach++
		s.list = append(s.list, v)
		arcs += int64(m.degree[v])
	}
	s.count(0, int64(len(batch)))
	for level := 1; len(s.list) > 0 && ctx.Err() == nil; level++ {
		pairs := int64(0)
		if unit := uint64(math.Round(m.Unit / float64(level))); arcs*manyPush > m.arcs {
			pairs, arcs = m.pullAll(s, &all, level, unit)
		} else {
			pairs, arcs = m.pushAll(s, level, unit)
		}
		if pairs > 0 {
			s.count(level, pairs)
		}
		s.front, s.next, s.list, s.reached = s.next, s.front, s.reached, s.list
	}
}

// count adds pairs at a level.
func (s *manyState) count(level int, pairs int64) {
	for len(s.hops) <= level {
		s.hops = append(s.hops, 0)
	}
	s.hops[level] += pairs
}

// add counts n roots that reach v at a level.
func (s *manyState) add(v uint32, n uint32, level int, unit uint64) {
	d := &s.sums[v]
	d.Total += uint64(n) * uint64(level)
	d.Harmonic += uint64(n) * unit
	d.Reach += n
	d.Far = max(d.Far, uint32(level))
}

// pushAll brings the frontier's bits along its arcs. It returns the pairs of root and vertex at this level, and the arcs
// of the next frontier, which is left in next and reached.
func (m *manyRoots) pushAll(s *manyState, level int, unit uint64) (pairs, arcs int64) {
	for _, v := range s.reached {
		s.next[v] = wide{}
	}
	s.reached = s.reached[:0]
	for _, u := range s.list {
		x := &s.front[u]
		for _, v := range m.Out.Of(u) {
			seen := &s.seen[v]
			y0, y1, y2, y3 := x[0]&^seen[0], x[1]&^seen[1], x[2]&^seen[2], x[3]&^seen[3]
			y4, y5, y6, y7 := x[4]&^seen[4], x[5]&^seen[5], x[6]&^seen[6], x[7]&^seen[7]
			if y0|y1|y2|y3|y4|y5|y6|y7 == 0 {
				continue
			}
			to := &s.next[v]
			if to[0]|to[1]|to[2]|to[3]|to[4]|to[5]|to[6]|to[7] == 0 {
				s.reached = append(s.reached, v)
			}
			to[0], to[1], to[2], to[3] = to[0]|y0, to[1]|y1, to[2]|y2, to[3]|y3
			to[4], to[5], to[6], to[7] = to[4]|y4, to[5]|y5, to[6]|y6, to[7]|y7
		}
	}
	for _, v := range s.reached {
		x, seen, n := &s.next[v], &s.seen[v], 0
		for i := range x {
			seen[i] |= x[i]
			n += bits.OnesCount64(x[i])
		}
		s.add(v, uint32(n), level, unit)
		pairs, arcs = pairs+int64(n), arcs+int64(m.degree[v])
	}
	return pairs, arcs
}

// pullAll collects the frontier's bits that vertices lack. It returns what pushAll does. all loses roots that have no bit in
// the frontier, such as those of small components.
func (m *manyRoots) pullAll(s *manyState, all *wide, level int, unit uint64) (pairs, arcs int64) {
	s.reached = s.reached[:0]
	b := &s.block
	if b.all, b.front = all, s.front; m.arcs > manyArcs*int64(len(s.list)) {
		*all = wide{}
		all.or(s.front, s.list)
	}
	for _, g := range m.In {
		for i := uint32(0); i < g.Vertices; {
			n := min(manyVertices, g.Vertices-i)
			first := g.First + i
			b.seen, b.next, b.counts = s.seen[first:first+n], s.next[first:first+n], s.counts[:n]
			b.set(g.Adjacency, i, n, &s.ends)
			m.pull(b)
			for k, c := range b.counts {
				if c > 0 {
					v := first + uint32(k)
					s.reached = append(s.reached, v)
					s.add(v, c, level, unit)
					pairs, arcs = pairs+int64(c), arcs+int64(m.degree[v])
				}
			}
			i += n
		}
	}
	return pairs, arcs
}

// set sets the rows of a block: n from i on.
func (b *manyBlock) set(a *graph.Adjacency, i, n uint32, ends *[manyVertices]uint32) {
	if a.Offsets32 != nil {
		b.start, b.ends, b.neighbours = uint64(a.Offsets32[i]), a.Offsets32[i+1:i+1+n], a.Neighbours
		return
	}
	lo := a.Offsets64[i]
	for k, end := range a.Offsets64[i+1 : i+1+n] {
		ends[k] = uint32(end - lo)
	}
	b.start, b.ends, b.neighbours = 0, ends[:n], a.Neighbours[lo:]
}

// pullManyGeneric looks every manyPiece arcs at what a vertex lacks.
func pullManyGeneric(b *manyBlock) {
	lo := b.start
	for i, end := range b.ends {
		seen, lacks := &b.seen[i], wide{}
		row := b.neighbours[lo:end]
		lo = uint64(end)
		left := uint64(0)
		for k := range seen {
			lacks[k] = b.all[k] &^ seen[k]
			left |= lacks[k]
		}
		x, n := &b.next[i], 0
		*x = wide{}
		for ; len(row) > 0 && left != 0; row = row[min(len(row), manyPiece):] {
			x.or(b.front, row[:min(len(row), manyPiece)])
			left = 0
			for k := range x {
				left |= lacks[k] &^ x[k]
			}
		}
		for k := range x {
			x[k] &= lacks[k]
			seen[k] |= x[k]
			n += bits.OnesCount64(x[k])
		}
		b.counts[i] = uint32(n)
	}
}

// manyPiece is the number of arcs of a pull between two looks at what a vertex lacks.
const manyPiece = 8
