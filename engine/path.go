package engine

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
)

// wave is the search from one end of a path. An entry is a vertex reached, in that order, and above it, shifted by
// 32, the index of the one before it. The frontier is from lo on.
type wave struct {
	reached []uint64
	lo      int
}

// rowCost is the cost of beginning a row, in arcs.
const rowCost = 12

// point is the state of a search between two vertices: the forward wave along out-arcs and the backward one along
// in-arcs. Each vertex is in one wave at most, because the search ends at the first in both.
type point struct {
	rows   [2]graph.Rows
	arrays hugemem.Arena
	mark   []uint8 // by rank: 0, or 1 + its wave
	waves  [2]wave
	work   int // arcs and vertices since the last look at the context

	// Of weighted searches, made by the first.
	at       [2][]uint32
	weighted weightedState
}

// weightedState is a *dijkstra.
type weightedState interface{ reset(p *point) }

// start begins wave s at a vertex.
func (p *point) start(s int, v uint32) {
	p.waves[s].reached = append(p.waves[s].reached, uint64(v))
	p.mark[v] = uint8(1 + s)
}

// reset forgets a search, in time proportional to the vertices reached.
func (p *point) reset() {
	for s := range p.waves {
		w := &p.waves[s]
		for _, v := range w.reached {
			p.mark[uint32(v)] = 0
		}
		w.reached, w.lo = w.reached[:0], 0
	}
	if p.weighted != nil {
		p.weighted.reset(p)
	}
}

// cost counts the arcs of the frontier of wave s, and rowCost for each vertex, up to the first sum above limit.
func (p *point) cost(s, limit int) (n int) {
	w, g := &p.waves[s], p.rows[s].Segment(0)
	for _, r := range w.reached[w.lo:] {
		if !g.Has(uint32(r)) {
			g = p.rows[s].Segment(uint32(r))
		}
		from, to := g.Row(uint32(r) - g.First)
		if n += rowCost + int(to-from); n > limit {
			break
		}
	}
	return n
}

// level takes wave s a level further. It calls met for each neighbour v with another mark, in the row of entry at, and
// ends at once where met returns true.
func (p *point) level(ctx context.Context, s int, met func(at int, v uint32) bool) (ended bool, err error) {
	w, rows, mark, own := &p.waves[s], p.rows[s], p.mark, uint8(1+s)
	reached, lo := w.reached, w.lo
	hi, g := len(reached), rows.Segment(0)
	for ; lo < hi; lo++ {
		u := uint32(reached[lo])
		if !g.Has(u) {
			g = rows.Segment(u)
		}
		from, to := g.Row(u - g.First)
		row := g.Neighbours[from:to]
		if p.work += len(row) + 1; p.work >= strongCheck {
			if p.work = 0; ctx.Err() != nil {
				w.reached = reached
				return false, ctx.Err()
			}
		}
		for _, v := range row {
			old := mark[v]
			if old == own {
				continue
			}
			mark[v] = own
			reached = append(reached, uint64(lo)<<32|uint64(v))
			if old != 0 && met(lo, v) {
				w.reached = reached
				return true, nil
			}
		}
	}
	w.reached, w.lo = reached, hi
	return false, nil
}

// meet searches breadth-first from both ends, each time a level further on the side with the smaller frontier, until
// a row has a vertex of the other wave: that arc closes a shortest path, since all levels before are complete. It
// returns the index of the arc's end in each wave, −1 without a path.
func (p *point) meet(ctx context.Context, a, b uint32) (at [2]int, err error) {
	p.start(0, a)
	p.start(1, b)
	for ended := false; !ended && err == nil; {
		size := func(s int) int { return len(p.waves[s].reached) - p.waves[s].lo }
		s := 0
		if size(1) < size(0) {
			s = 1
		}
		if size(s) == 0 {
			return [2]int{-1, -1}, nil
		}
		if size(1-s) < 4*size(s) {
			if least := p.cost(s, math.MaxInt); p.cost(1-s, least) < least {
				s = 1 - s
			}
		}
		ended, err = p.level(ctx, s, func(i int, v uint32) bool {
			at[s], at[1-s] = i, p.waves[1-s].find(v)
			return true
		})
	}
	return at, err
}

// find is the index of a vertex that is in the wave.
func (w *wave) find(v uint32) int {
	return slices.IndexFunc(w.reached, func(r uint64) bool { return uint32(r) == v })
}

// chain appends the vertices from index at of a wave back to its end.
func (w *wave) chain(at int, to []uint32) []uint32 {
	for ; at > 0; at = int(w.reached[at] >> 32) {
		to = append(to, uint32(w.reached[at]))
	}
	return append(to, uint32(w.reached[0]))
}

// points are the states of searches that have ended, and the bytes of all.
type points struct {
	mu    sync.Mutex
	idle  []*point
	bytes int64
}

// take returns a state without marks.
func (s *points) take(e *Engine, weighted bool) (*point, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var p *point
	if n := len(s.idle); n > 0 {
		p, s.idle = s.idle[n-1], s.idle[:n-1]
	} else {
		p = &point{}
		for in := range p.rows {
			rows, err := e.place.Rows(in == 1)
			if err != nil {
				return nil, fmt.Errorf("engine: path: %w", err)
			}
			p.rows[in] = rows
		}
	}
	ranks, more := int(e.place.Ranks), 0
	if p.mark == nil {
		more += ranks
	}
	if weighted && p.at[0] == nil {
		more += 8 * ranks
	}
	if err := e.room("path", s.bytes+int64(more)); err != nil {
		s.idle = append(s.idle, p)
		return nil, err
	}
	s.bytes += int64(more)
	if p.mark == nil {
		p.mark = hugemem.Alloc[uint8](&p.arrays, ranks)
	}
	if weighted && p.at[0] == nil {
		p.at = [2][]uint32{hugemem.Alloc[uint32](&p.arrays, ranks), hugemem.Alloc[uint32](&p.arrays, ranks)}
	}
	return p, nil
}

// give takes a state back.
func (s *points) give(p *point) {
	p.reset()
	s.mu.Lock()
	s.idle = append(s.idle, p)
	s.mu.Unlock()
}

// free frees all states; none is in use.
func (s *points) free() {
	for _, p := range s.idle {
		p.arrays.Free()
	}
	s.idle, s.bytes = nil, 0
}

// between calls f with the ranks of two vertices of the file and a state in which a search may begin. f is
// not called where an end has no arcs: same reports that both are one vertex.
func (e *Engine) between(ctx context.Context, from, to uint64, weighted bool, f func(p *point, a, b uint32) error) (same bool, err error) {
	defer refused(&err)
	if err := e.enter(ctx); err != nil {
		return false, err
	}
	defer e.mapping.RUnlock()
	a, err := e.labels.ID(from)
	if err != nil {
		return false, err
	}
	b, err := e.labels.ID(to)
	if err != nil {
		return false, err
	}
	if weighted {
		if w, err := e.weigh(ctx); err != nil {
			return false, err
		} else if bad := cmp.Or(w.notFinite, w.negative); bad != nil {
			return false, bad
		}
	}
	if ra, rb := e.place.RankOf[a], e.place.RankOf[b]; a != b && ra != graph.None && rb != graph.None {
		p, err := e.points.take(e, weighted)
		if err != nil {
			return false, err
		}
		defer e.points.give(p)
		return false, f(p, ra, rb)
	}
	return a == b, nil
}

// labelOf is the file's id of a rank.
func (e *Engine) labelOf(rank uint32) uint64 { return e.labels.Label(e.place.VertexOf[rank]) }

// labelsOf are the file's ids of ranks.
func (e *Engine) labelsOf(ranks []uint32) []uint64 {
	labels := make([]uint64, len(ranks))
	for i, v := range ranks {
		labels[i] = e.labelOf(v)
	}
	return labels
}

// Distance is the number of arcs of a shortest path between two vertices, ids of the file; −1 without a path.
// Otherwise it is as Path.
func (e *Engine) Distance(ctx context.Context, from, to uint64) (int64, error) {
	path, err := e.Path(ctx, from, to)
	return int64(len(path)) - 1, err
}

// Path returns the vertices of a path with the fewest arcs, as ids of the file with both ends; nil without a
// path. It is a bidirectional breadth-first search on the caller's goroutine in host memory, on any processors:
// any number run at once, beside searches and programs, without a turn. The state, 1 byte a rank and 8
// a vertex reached, is kept for later calls. Errors wrap graph.ErrNoVertex, ErrNoRows or ErrMemory, or are ErrClosed or ctx's.
func (e *Engine) Path(ctx context.Context, from, to uint64) (path []uint64, err error) {
	same, err := e.between(ctx, from, to, false, func(p *point, a, b uint32) error {
		at, err := p.meet(ctx, a, b)
		if err != nil || at[0] < 0 {
			return err
		}
		ranks := p.waves[0].chain(at[0], nil)
		slices.Reverse(ranks)
		path = e.labelsOf(p.waves[1].chain(at[1], ranks))
		return nil
	})
	if same {
		path = []uint64{from}
	}
	return path, err
}
