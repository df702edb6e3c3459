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
	rows  [2]graph.Rows
	mark  hugemem.Slice[uint8] // by rank: 0, or 1 + its wave
	waves [2]wave

	// Of weighted searches, made by the first.
	at       [2]hugemem.Slice[uint32]
	weighted weightedState
}

// weightedState is a *dijkstra.
type weightedState interface{ reset(p *point) }

// start begins wave s at a vertex.
func (p *point) start(s int, v uint32) {
	p.waves[s].reached = append(p.waves[s].reached, uint64(v))
	p.mark.S[v] = uint8(1 + s)
}

// reset forgets a search, in time proportional to the vertices reached.
func (p *point) reset() {
	for s := range p.waves {
		w := &p.waves[s]
		for _, v := range w.reached {
			p.mark.S[uint32(v)] = 0
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

// meet searches breadth-first from both ends, each time a level further on the side with the smaller frontier, until
// a row has a vertex of the other wave: that arc closes a shortest path, since all levels before are complete. It
// returns the index of the arc's end in each wave, −1 without a path.
func (p *point) meet(ctx context.Context, a, b uint32) (at [2]int, err error) {
	p.start(0, a)
	p.start(1, b)
	for work := 0; ; {
		s := 0
		if len(p.waves[1].reached)-p.waves[1].lo < len(p.waves[0].reached)-p.waves[0].lo {
			s = 1
		}
		if p.waves[s].lo == len(p.waves[s].reached) {
			return [2]int{-1, -1}, nil
		}
		if len(p.waves[1-s].reached)-p.waves[1-s].lo < 4*(len(p.waves[s].reached)-p.waves[s].lo) {
			if least := p.cost(s, math.MaxInt); p.cost(1-s, least) < least {
				s = 1 - s
			}
		}
		w, rows, mark, own := &p.waves[s], p.rows[s], p.mark.S, uint8(1+s)
		reached, lo := w.reached, w.lo
		hi, g := len(reached), rows.Segment(0)
		for ; lo < hi; lo++ {
			u := uint32(reached[lo])
			if !g.Has(u) {
				g = rows.Segment(u)
			}
			from, to := g.Row(u - g.First)
			row := g.Neighbours[from:to]
			if work += len(row) + 1; work >= strongCheck {
				if work = 0; ctx.Err() != nil {
					w.reached = reached
					return at, ctx.Err()
				}
			}
			for _, v := range row {
				switch mark[v] {
				case own:
				case 0:
					mark[v] = own
					reached = append(reached, uint64(lo)<<32|uint64(v))
				default:
					w.reached = reached
					at[s], at[1-s] = lo, p.waves[1-s].find(v)
					return at, nil
				}
			}
		}
		w.reached, w.lo = reached, hi
	}
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
	}
	grow := func(bytes int64) error {
		if err := e.room("path", s.bytes+bytes); err != nil {
			return err
		}
		s.bytes += bytes
		return nil
	}
	if p.rows[0] == nil {
		for in := range p.rows {
			rows, err := e.place.Rows(in == 1)
			if err != nil {
				return nil, fmt.Errorf("engine: path: %w", err)
			}
			p.rows[in] = rows
		}
		if err := grow(int64(e.place.Ranks)); err != nil {
			return nil, err
		}
		p.mark = hugemem.Make[uint8](int(e.place.Ranks))
	}
	if weighted && p.at[0].S == nil {
		if err := grow(8 * int64(e.place.Ranks)); err != nil {
			s.idle = append(s.idle, p)
			return nil, err
		}
		p.at = [2]hugemem.Slice[uint32]{hugemem.Make[uint32](int(e.place.Ranks)), hugemem.Make[uint32](int(e.place.Ranks))}
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
		p.mark.Free()
		p.at[0].Free()
		p.at[1].Free()
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
