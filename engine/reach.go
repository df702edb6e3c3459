package engine

import (
	"context"
	"iter"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/program"
)

// reach claims the unvisited out-neighbours of the frontier, as a breadth-first search from all
// roots at once does.
var reach = &program.Program{
	Name:   "reach",
	Arrays: []program.Array{{Name: "parent", Type: program.U32, Init: program.None, Ranks: true}},
	Edges:  []program.EdgeOp{{Name: "visit", From: -1, To: 0, Map: program.Source, Combine: program.Claim, Once: true}},
}

// Reach returns the vertices that can be reached along arcs from one of the roots, ids of the
// file, roots included. It takes as many supersteps as the largest distance of a vertex to its
// nearest root. Without roots the set is empty. A root that is no vertex fails with graph.ErrNoVertex;
// other errors are Run's.
func (e *Engine) Reach(ctx context.Context, roots ...uint64) (*ReachResult, error) {
	var isolated []uint32 // dense ids of roots without arcs, which have no rank
	result := &ReachResult{Roots: roots}
	r, err := inTurn(ctx, e, func(t *turn) (*RunResult, error) {
		var seeds []uint32 // ranks
		for _, root := range roots {
			id, err := e.labels.ID(root)
			if err != nil {
				return nil, err
			}
			if rank := e.place.RankOf[id]; rank != graph.None {
				seeds = append(seeds, rank)
			} else {
				isolated = append(isolated, id)
			}
		}
		return e.run(ctx, t, reach, 0, driven(func(d *driver) {
			var f program.Frontier
			for _, rank := range seeds {
				f = d.seed(rank, 0, program.Bits(rank))
			}
			for ; f.Count > 0; result.Depth++ {
				f = d.cheaper(0, f)
			}
		}))
	})
	if err != nil {
		return nil, err
	}
	result.RunResult, result.parents = r, ArrayOf[uint32](r, 0)
	for _, id := range isolated {
		result.parents[id] = id
	}
	result.Depth = max(0, result.Depth-1) // the last step reaches nothing
	for range result.All() {
		result.NumReached++
	}
	return result, nil
}

// ReachResult is a set of reached vertices.
type ReachResult struct {
	*RunResult
	// Roots are the labels of the roots.
	Roots []uint64
	// NumReached is the number of vertices in the set. Depth is the largest distance of one of
	// them to its nearest root; of a single root it is the eccentricity.
	NumReached, Depth int64

	parents []uint32 // None for an unreached vertex
}

// Has reports whether the vertex with dense id v is in the set.
func (r *ReachResult) Has(v uint32) bool { return r.parents[v] != graph.None }

// All yields the vertices of the set as the file's ids, rising.
func (r *ReachResult) All() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for v, p := range r.parents {
			if p != graph.None && !yield(r.Label(uint32(v))) {
				return
			}
		}
	}
}
