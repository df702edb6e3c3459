package engine

import (
	"context"
	"fmt"
	"math"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/kernels"
)

// strong is a depth-first search for strong components in the form of Pearce (2016): Tarjan's
// (1972) with one number a vertex, and without recursion.
type strong struct {
	rows graph.Rows
	// number is by rank: 0 for a vertex not visited. A vertex of an open component has the smallest
	// number that it reaches, rising from 1 in the order of visits; all vertices of a closed one have
	// its number, falling from 2^32 − 1. The two never meet.
	number []uint32
	// stack has the path of the search at the front, and at the back visited vertices of open
	// components that the path has left.
	stack []uint32
	next  []uint32 // by depth: the position in the row
	low   []uint64 // bit of a rank: it reaches a smaller number
}

// strongCheck is the number of arcs and vertices between two looks at the context.
const strongCheck = 1 << 16

func (s *strong) search(ctx context.Context) error {
	number, stack := s.number, s.stack
	open, closed, back, work := uint32(1), uint32(math.MaxUint32), len(stack), 0
	for root := range number {
		if number[root] != 0 {
			continue
		}
		stack[0], s.next[0], number[root] = uint32(root), 0, open
		open++
		for depth := 0; depth >= 0; {
			v := stack[depth]
			row, k := s.rows.Of(v), s.next[depth]
			from := k
			for ; int(k) < len(row) && number[row[k]] != 0; k++ {
				if w := number[row[k]]; w < number[v] {
					number[v] = w
					s.low[v/64] |= 1 << (v % 64)
				}
			}
			if work += int(k-from) + 1; work >= strongCheck {
				if work = 0; ctx.Err() != nil {
					return ctx.Err()
				}
			}
			if int(k) < len(row) { // visit row[k], then look at its number
				s.next[depth] = k
				depth++
				stack[depth], s.next[depth], number[row[k]] = row[k], 0, open
				open++
				continue
			}
			depth--
			if s.low[v/64]>>(v%64)&1 != 0 {
				back--
				stack[back] = v
				continue
			}
			for ; back < len(stack) && number[stack[back]] >= number[v]; back++ {
				number[stack[back]] = closed
				open--
			}
			number[v] = closed
			open--
			closed--
		}
	}
	return ctx.Err()
}

// StrongComponents returns the strongly connected components: two vertices have the same label if
// and only if paths along arcs lead from each to the other. On an undirected graph they are the
// weak ones. It is one thread's depth-first search of the graph in host memory, on any processors,
// and takes 12 bytes a vertex beside the result. Errors wrap ErrNoRows or ErrMemory, or are
// ErrClosed or ctx's.
func (e *Engine) StrongComponents(ctx context.Context) (*ComponentsResult, error) {
	return inTurn(ctx, e, func(*turn) (*ComponentsResult, error) { return e.strongComponents(ctx) })
}

func (e *Engine) strongComponents(ctx context.Context) (*ComponentsResult, error) {
	only, one := e.opts.oneWay()
	rows, err := e.place.Rows(one && only == kernels.BottomUp) // the components of the reversed graph are the same
	if err != nil {
		return nil, fmt.Errorf("engine: strong components: %w", err)
	}
	ranks := int64(e.place.Ranks)
	if err := e.room("search for strong components", 12*ranks+ranks/8+4*int64(e.n)); err != nil {
		return nil, err
	}
	var arrays hugemem.Arena
	defer arrays.Free()
	words := func() []uint32 { return hugemem.Alloc[uint32](&arrays, int(ranks)) }
	s := &strong{rows: rows, number: words(), stack: words(), next: words(), low: hugemem.Alloc[uint64](&arrays, int(ranks/64))}
	if err := s.search(ctx); err != nil {
		return nil, err
	}
	r := &ComponentsResult{RunResult: &RunResult{labels: e.labels}, Labels: make([]uint32, e.n), Strong: true}
	first := s.next // by component: its first vertex + 1
	clear(first)
	for v := range r.Labels {
		r.Labels[v] = uint32(v)
		if rank := e.place.RankOf[v]; rank != graph.None {
			f := &first[math.MaxUint32-s.number[rank]]
			if *f == 0 {
				*f = uint32(v) + 1
			}
			r.Labels[v] = *f - 1
		}
	}
	return r, nil
}
