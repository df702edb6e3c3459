package engine

import (
	"context"
	"math"
	"math/bits"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/internal/workers"
	"github.com/totemgo/totemgo/partition"
)

// manyWords is the number of words of roots that a thread searches from at once: with 8 the roots of a vertex
// fill a cache line.
const manyWords = 8

// wide has a bit for each root of a batch.
type wide [manyWords]uint64

// manyRoots is a search from many roots by the threads of the host: bit-parallel breadth-first searches (Then et
// al., VLDB 2014), a batch of roots a thread. It adds up integers by target, so that no order matters.
type manyRoots struct {
	out, in *partition.Rows // along the search's arcs, and against them
	ranks   int
	arcs    int64
	roots   []uint32 // ranks
	unit    float64  // of harmonic sums
	states  []manyState

	next     atomic.Int64 // first root of the next batch
	mu       sync.Mutex
	finished func(roots int) // called after a batch, by one thread at a time
}

// manyState is the memory of a thread. front and next are zero outside of the frontier's vertices.
type manyState struct {
	seen, front, next []wide
	total, harmonic   []uint64 // by rank: sums over roots of the level, and of its reciprocal
	reach, far        []uint32 // by rank: roots that reach it, and the largest of their levels
	hops              []int64  // pairs of root and vertex by level
	list, reached     []uint32
	examined          int64
	frees             []func()
}

// manyBytes is the memory of a state, by rank.
const manyBytes = 3*8*manyWords + 2*8 + 4*4

func newManyState(ranks int) (s manyState) {
	words := func() []wide {
		b := hugemem.Make[uint64](max(1, ranks) * manyWords)
		s.frees = append(s.frees, b.Free)
		return unsafe.Slice((*wide)(unsafe.Pointer(&b.S[0])), ranks)
	}
	s.seen, s.front, s.next = words(), words(), words()
	total, harmonic := hugemem.Make[uint64](ranks), hugemem.Make[uint64](ranks)
	ints := hugemem.Make[uint32](4 * ranks)
	s.frees = append(s.frees, total.Free, harmonic.Free, ints.Free)
	s.total, s.harmonic, s.reach, s.far = total.S, harmonic.S, ints.S[:ranks], ints.S[ranks:2*ranks]
	s.list, s.reached = ints.S[2*ranks:2*ranks:3*ranks], ints.S[3*ranks:3*ranks:4*ranks]
	return s
}

// run searches from all roots and adds the results of all threads up in the first state.
func (m *manyRoots) run(ctx context.Context, team *workers.Team) error {
	step := min(64*manyWords, max(1, (len(m.roots)+len(m.states)-1)/len(m.states)))
	team.Run(func(t int) {
		for ctx.Err() == nil {
			lo := int(m.next.Add(int64(step))) - step
			if lo >= len(m.roots) {
				return
			}
			batch := m.roots[lo:min(lo+step, len(m.roots))]
			m.search(ctx, &m.states[t], batch)
			m.mu.Lock()
			m.finished(len(batch))
			m.mu.Unlock()
		}
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	sum := &m.states[0]
	for i := 1; i < len(m.states); i++ {
		s := &m.states[i]
		for len(sum.hops) < len(s.hops) {
			sum.hops = append(sum.hops, 0)
		}
		for l, n := range s.hops {
			sum.hops[l] += n
		}
		team.For(m.ranks, 1<<14, func(_, lo, hi int) {
			for v := lo; v < hi; v++ {
				sum.total[v] += s.total[v]
				sum.harmonic[v] += s.harmonic[v]
				sum.reach[v] += s.reach[v]
				sum.far[v] = max(sum.far[v], s.far[v])
			}
		})
	}
	return nil
}

// search searches from a batch of roots.
func (m *manyRoots) search(ctx context.Context, s *manyState, batch []uint32) {
	clear(s.seen)
	clear(s.front)
	clear(s.next)
	var all wide
	s.list = s.list[:0]
	arcs := int64(0)
	for i, v := range batch {
		all[i/64] |= 1 << (i % 64)
		s.seen[v][i/64] |= 1 << (i % 64)
		s.front[v][i/64] |= 1 << (i % 64)
		s.reach[v]++
		s.list = append(s.list, v)
		arcs += int64(len(m.out.Of(v)))
	}
	s.count(0, int64(len(batch)))
	for level := 1; len(s.list) > 0 && ctx.Err() == nil; level++ {
		s.reached = s.reached[:0]
		if arcs*manyPush > m.arcs {
			m.pull(s, &all)
		} else {
			m.push(s)
		}
		arcs = m.settle(s, level)
		for _, v := range s.list {
			s.front[v] = wide{}
		}
		s.front, s.next, s.list, s.reached = s.next, s.front, s.reached, s.list
	}
}

// manyPush is the part of all arcs up to which a frontier's are pushed.
const manyPush = 10

// push brings the frontier's bits along its arcs.
func (m *manyRoots) push(s *manyState) {
	for _, u := range s.list {
		x := s.front[u]
		for _, v := range m.out.Of(u) {
			seen, to, is := &s.seen[v], &s.next[v], uint64(0)
			var y wide
			for i := range y {
				y[i] = x[i] &^ seen[i]
				is |= y[i]
			}
			if is == 0 {
				continue
			}
			old := uint64(0)
			for i := range y {
				old |= to[i]
				to[i] |= y[i]
			}
			if old == 0 {
				s.reached = append(s.reached, v)
			}
		}
	}
}

// pull collects the frontier's bits that vertices lack, until they have all.
func (m *manyRoots) pull(s *manyState, all *wide) {
	g, front := &partition.Segment{}, s.front
	for v := range uint32(m.ranks) {
		seen, lacks := &s.seen[v], uint64(0)
		for i := range seen {
			lacks |= all[i] &^ seen[i]
		}
		if lacks == 0 {
			continue
		}
		if !g.Has(v) {
			if g = m.in.Segment(v); !g.Has(v) {
				continue
			}
		}
		lo, hi := g.Row(v - g.First)
		var x wide
		for row := g.Neighbours[lo:hi]; len(row) > 0; {
			n := min(len(row), manyPiece)
			for _, u := range row[:n] {
				f := &front[u]
				x[0] |= f[0]
				x[1] |= f[1]
				x[2] |= f[2]
				x[3] |= f[3]
				x[4] |= f[4]
				x[5] |= f[5]
				x[6] |= f[6]
				x[7] |= f[7]
			}
			if row = row[n:]; len(row) > 0 {
				lacks = 0
				for i := range x {
					lacks |= all[i] &^ seen[i] &^ x[i]
				}
				if lacks == 0 {
					break
				}
			}
		}
		is := uint64(0)
		for i := range x {
			x[i] &^= seen[i]
			is |= x[i]
		}
		if is != 0 {
			s.next[v] = x
			s.reached = append(s.reached, v)
		}
	}
}

// manyPiece is the number of arcs of a pull between two looks at what a vertex lacks.
const manyPiece = 8

// settle makes the vertices reached visited at a level, and returns their out-arcs.
func (m *manyRoots) settle(s *manyState, level int) (arcs int64) {
	pairs, unit := int64(0), uint64(math.Round(m.unit/float64(level)))
	for _, v := range s.reached {
		x, seen := &s.next[v], &s.seen[v]
		n := 0
		for i := range x {
			seen[i] |= x[i]
			n += bits.OnesCount64(x[i])
		}
		s.total[v] += uint64(n) * uint64(level)
		s.harmonic[v] += uint64(n) * unit
		s.reach[v] += uint32(n)
		s.far[v] = uint32(max(int(s.far[v]), level))
		pairs += int64(n)
		arcs += int64(len(m.out.Of(v)))
	}
	if pairs > 0 {
		s.count(level, pairs)
	}
	return arcs
}

// count adds pairs at a level.
func (s *manyState) count(level int, pairs int64) {
	for len(s.hops) <= level {
		s.hops = append(s.hops, 0)
	}
	s.hops[level] += pairs
}

// remaining is the predicted time of the roots left: batches of one size take the same time on all threads.
func remaining(start time.Time, done, of int) time.Duration {
	return time.Duration(float64(time.Since(start)) * float64(of-done) / float64(max(1, done)))
}
