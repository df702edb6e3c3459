package engine

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/partition"
)

// wave is the search from one end of a path: vertices in the order in which they were reached, the
// frontier from lo on, and the index of the vertex before each.
type wave struct {
	vertex, before []uint32
	lo             int
}

// point is the state of a search between two vertices, the forward wave along out-arcs and the backward one
// along in-arcs. Each vertex is in one wave at most: the search ends at the first in both.
type point struct {
	rows [2]*partition.Rows
	// mark is by rank: 0, or k for vertex k − 1 of the forward wave, or −k (modulo 2^32) of the backward one.
	mark  hugemem.Slice[uint32]
	waves [2]wave
}

// add appends a vertex to wave s.
func (p *point) add(s int, v, before uint32) {
	w := &p.waves[s]
	w.vertex, w.before = append(w.vertex, v), append(w.before, before)
	if p.mark.S[v] = uint32(len(w.vertex)); s == 1 {
		p.mark.S[v] = -p.mark.S[v]
	}
}

// reset forgets a search, in time proportional to the vertices reached.
func (p *point) reset() {
	for s := range p.waves {
		w := &p.waves[s]
		for _, v := range w.vertex {
			p.mark.S[v] = 0
		}
		w.vertex, w.before, w.lo = w.vertex[:0], w.before[:0], 0
	}
}

// arcs counts the arcs of the frontier of wave s, up to the first count above limit.
func (p *point) arcs(s, limit int) (n int) {
	w := &p.waves[s]
	for _, v := range w.vertex[w.lo:] {
		if n += len(p.rows[s].Of(v)); n > limit {
			break
		}
	}
	return n
}

// meet searches breadth-first from both ends, each time a level further on the side with fewer arcs, until a row
// has a vertex of the other wave: that arc closes a shortest path, since all levels before are complete. It
// returns the index of its end in each wave, −1 without a path.
func (p *point) meet(ctx context.Context, a, b uint32) (at [2]int, err error) {
	p.add(0, a, 0)
	p.add(1, b, 0)
	for work := 0; ; {
		s := 0
		if len(p.waves[1].vertex)-p.waves[1].lo < len(p.waves[0].vertex)-p.waves[0].lo {
			s = 1
		}
		least := p.arcs(s, len(p.mark.S))
		if least == 0 {
			return [2]int{-1, -1}, nil
		}
		if p.arcs(1-s, least) < least {
			s = 1 - s
		}
		if work += least; work >= strongCheck {
			if work = 0; ctx.Err() != nil {
				return at, ctx.Err()
			}
		}
		w, rows, mark, negate := &p.waves[s], p.rows[s], p.mark.S, uint32(-s)
		other := -uint32(len(p.waves[1-s].vertex)) // marks from here on are the other wave's
		lo, hi := w.lo, len(w.vertex)
		for w.lo = hi; lo < hi; lo++ {
			for _, v := range rows.Of(w.vertex[lo]) {
				if m := (mark[v] ^ negate) - negate; m >= other {
					at[s], at[1-s] = lo, int(-m)-1
					return at, nil
				} else if m == 0 {
					w.vertex, w.before = append(w.vertex, v), append(w.before, uint32(lo))
					mark[v] = (uint32(len(w.vertex)) ^ negate) - negate
				}
			}
		}
	}
}

// chain appends the vertices from index at of a wave back to its end.
func (w *wave) chain(at int, to []uint32) []uint32 {
	for ; at > 0; at = int(w.before[at]) {
		to = append(to, w.vertex[at])
	}
	return append(to, w.vertex[0])
}

// points are the states of searches that have ended.
type points struct {
	mu    sync.Mutex
	idle  []*point
	count int64 // with those in use
}

// take returns a state without marks.
func (s *points) take(e *Engine) (*point, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.idle); n > 0 {
		p := s.idle[n-1]
		s.idle = s.idle[:n-1]
		return p, nil
	}
	p := &point{}
	for in := range p.rows {
		var err error
		if p.rows[in], err = e.place.Rows(in == 1); err != nil {
			return nil, fmt.Errorf("engine: path: %w", err)
		}
	}
	if err := e.room("path", (s.count+1)*4*int64(e.place.Ranks)); err != nil {
		return nil, err
	}
	p.mark = hugemem.Make[uint32](int(e.place.Ranks))
	s.count++
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
	}
	s.idle, s.count = nil, 0
}

// between calls f with the ranks of two vertices of the file and a state in which a search may begin. f is
// not called where an end has no arcs: same reports that both are one vertex.
func (e *Engine) between(ctx context.Context, from, to uint64, f func(p *point, a, b uint32) error) (same bool, err error) {
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
	if ra, rb := e.place.RankOf[a], e.place.RankOf[b]; a != b && ra != graph.None && rb != graph.None {
		p, err := e.points.take(e)
		if err != nil {
			return false, err
		}
		defer e.points.give(p)
		return false, f(p, ra, rb)
	}
	return a == b, nil
}

// labelsOf are the file's ids of ranks.
func (e *Engine) labelsOf(ranks []uint32) []uint64 {
	labels := make([]uint64, len(ranks))
	for i, v := range ranks {
		labels[i] = e.labels.Label(e.place.VertexOf[v])
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
// any number run at once, beside searches and programs, without a turn. The state, 4 bytes a rank, is kept for
// later calls. Errors wrap graph.ErrNoVertex, ErrNoRows or ErrMemory, or are ErrClosed or ctx's.
func (e *Engine) Path(ctx context.Context, from, to uint64) (path []uint64, err error) {
	same, err := e.between(ctx, from, to, func(p *point, a, b uint32) error {
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
