package engine

import (
	"context"
	"fmt"

	"github.com/totemgo/totemgo/graph"
)

// BFSOptions bound a breadth-first search.
type BFSOptions struct {
	// Roots are ids of the file at level 0, at least one. One given twice counts once.
	Roots []uint64
	// MaxDepth is the largest level to reach; 0 is no limit.
	MaxDepth int64
	// Targets, if there are any, end the search once it has reached all of them.
	Targets []uint64
}

// NearResult is what a bounded search reached, in the order of levels. Its memory is proportional to that.
type NearResult struct {
	// Vertices are ids of the file, the roots first; Parents has the one before each, a root itself; Levels the arcs from
	// its nearest root.
	Vertices, Parents []uint64
	Levels            []int64
	// Depth is the largest level.
	Depth int64
}

// targeted marks a rank in point.mark that a search looks for, as the other wave does.
const targeted = 2

// Near is a breadth-first search that reaches few vertices: on the caller's goroutine in host memory as Path, in time and
// memory proportional to the arcs of what it reaches. BFS is faster from some 10,000 vertices on. Errors are Path's, or
// ErrArgument for options without roots or with a negative depth.
func (e *Engine) Near(ctx context.Context, o BFSOptions) (*NearResult, error) {
	if len(o.Roots) == 0 || o.MaxDepth < 0 {
		return nil, fmt.Errorf("%w: a search from %d roots to depth %d", ErrArgument, len(o.Roots), o.MaxDepth)
	}
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.mapping.RUnlock()
	p, err := e.points.take(e, false)
	if err != nil {
		return nil, err
	}
	defer e.points.give(p)
	r, mark, w, alone := &NearResult{}, p.mark, &p.waves[0], map[uint32]bool{}
	for _, label := range o.Roots {
		id, err := e.labels.ID(label)
		if err != nil {
			return nil, err
		}
		if rank := e.place.RankOf[id]; rank != graph.None && mark[rank] == 0 {
			p.start(0, rank)
		} else if rank == graph.None && !alone[id] {
			alone[id] = true
			r.Vertices, r.Parents, r.Levels = append(r.Vertices, label), append(r.Parents, label), append(r.Levels, 0)
		}
	}
	roots, left := len(w.reached), 0
	for _, label := range o.Targets {
		id, err := e.labels.ID(label)
		if err != nil {
			return nil, err
		}
		switch rank := e.place.RankOf[id]; {
		case rank == graph.None:
			if !alone[id] {
				left++ // cannot be reached
			}
		case mark[rank] == 0:
			mark[rank] = targeted
			left++
			defer func() { mark[rank] = 0 }()
		}
	}
	ends := []int{roots} // of levels
	for o.Targets == nil || left > 0 {
		hi := len(w.reached)
		if w.lo == hi || o.MaxDepth > 0 && int64(len(ends)) > o.MaxDepth {
			break
		}
		_, err := p.level(ctx, 0, func(int, uint32) bool {
			left--
			return left == 0
		})
		if err != nil {
			return nil, err
		}
		if len(w.reached) > hi {
			ends = append(ends, len(w.reached))
			r.Depth++
		}
	}
	level := 0
	for i, x := range w.reached {
		v := e.labelOf(uint32(x))
		parent := v
		if i >= roots {
			parent = e.labelOf(uint32(w.reached[x>>32]))
		}
		if i == ends[level] {
			level++
		}
		r.Vertices, r.Parents, r.Levels = append(r.Vertices, v), append(r.Parents, parent), append(r.Levels, int64(level))
	}
	return r, nil
}
