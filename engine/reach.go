package engine

import (
	"context"
	"fmt"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/graph"
)

// Reach returns how many vertices can be reached from root, an id of the file, along
// arcs, the root included, and the eccentricity of the root: the largest distance to
// one of them.
//
// It is a breadth-first search (see BFS) that keeps the counts of each superstep only: no
// parent leaves a processor, and nothing is allocated. A root without edges reaches itself. A
// root that is no vertex fails with graph.ErrNoVertex.
func (e *Engine) Reach(ctx context.Context, root uint64) (reached, eccentricity int64, err error) {
	if err := e.take(ctx); err != nil { // wait for our turn; leave when ctx ends
		return 0, 0, err
	}
	defer e.release()

	id, err := e.labels.ID(root) // file id → dense id
	if err != nil {
		return 0, 0, err
	}
	rank := e.place.RankOf[id] // dense id → rank
	if rank == graph.None {
		return 1, 0, nil // a vertex without edges has no rank: the closed form
	}
	director, err := e.newDirector() // chooses directions
	if err != nil {
		return 0, 0, err
	}
	out, err := e.bfs.Search(ctx, bsp.Search{Root: rank, Director: director})
	if err != nil {
		return 0, 0, fmt.Errorf("engine: reach from %d: %w", root, err)
	}
	return out.Reached, out.Depth, nil
}
