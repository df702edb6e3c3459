package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/graph"
)

// BFS returns a breadth-first tree from root, an id of the file: for every vertex reachable
// along arcs, a parent one level nearer to the root.
//
// The search is direction-optimising (Beamer, Asanović, Patterson, SC 2012) and
// bulk-synchronous over the partitions (Sallinen, Gharaibeh, Ripeanu 2015). Levels are the
// same for every placement, processor list and number of threads; parents may differ.
//
// Loop.Search (bsp/superstep.go) calls Step of each processor in every superstep; the loops
// over edges are kernels/cpu/bottomup.go and topdown.go, and kernels/gpu/src. The rules that
// choose directions are bsp/direction.go and auto.go.
//
// A root without edges reaches itself at depth 0. A root that is no vertex fails with
// graph.ErrNoVertex. BFS allocates a result of 4 bytes per vertex; for many searches use
// BFSInto.
func (e *Engine) BFS(ctx context.Context, root uint64) (*BFSResult, error) {
	return inTurn(ctx, e, func(t *turn) (*BFSResult, error) { return e.bfs(ctx, t, root, &bsp.Statistics{}) })
}

// bfs is BFS in a turn, with the statistics s unless it is nil.
func (e *Engine) bfs(ctx context.Context, t *turn, root uint64, s *bsp.Statistics) (*BFSResult, error) {
	r := &BFSResult{engineID: e.engineID, labels: e.labels, Statistics: s, Parents: make([]uint32, e.n)}
	r.clear()
	if err := e.search(ctx, t, root, r, false); err != nil {
		return nil, err
	}
	return r, nil
}

// BFSInto is BFS into a result of NewResult, whose memory it reuses. It fills r.Statistics if
// set (see Collect). A search that fails leaves r without a tree; a call that fails before its
// search (closed, no such root, ctx ends in the queue) leaves r unchanged. Errors are
// ErrResult, ErrClosed, graph.ErrNoVertex, ctx's or a processor's.
func (e *Engine) BFSInto(ctx context.Context, root uint64, r *BFSResult) error {
	return e.into(ctx, root, r, false)
}

// CountBFS is BFSInto with statistics that count the adjacency entries read, which takes
// time. Errors are BFSInto's.
func (e *Engine) CountBFS(ctx context.Context, root uint64, r *BFSResult) error {
	return e.into(ctx, root, r, true)
}

func (e *Engine) into(ctx context.Context, root uint64, r *BFSResult, examined bool) error {
	if r == nil || r.engineID != e.engineID || len(r.Parents) != e.n {
		return ErrResult
	}
	if examined {
		r.Collect()
	}
	t, err := e.take(ctx, false)
	if err != nil {
		return err
	}
	defer t.release()
	return e.search(ctx, t, root, r, examined)
}

// search is BFSInto in a turn.
func (e *Engine) search(ctx context.Context, t *turn, root uint64, r *BFSResult, examined bool) (err error) {
	defer refused(&err)
	start := time.Now()
	id, err := e.labels.ID(root)
	if err != nil {
		return err
	}
	rank := e.place.RankOf[id]
	r.Root = root
	if !r.fresh && (rank == graph.None || e.place.RankOf[r.root] == graph.None) {
		r.clear() // a root without arcs, of this search or the one before
	}
	r.fresh, r.root = false, id
	var out bsp.Outcome
	if rank == graph.None {
		r.Parents[id] = id // the entries of all others are None
		out.Reached = 1
		if r.Statistics != nil {
			*r.Statistics = bsp.Statistics{}
		}
	} else {
		out, err = e.searchFrom(ctx, t, bsp.Search{Root: rank, Parents: r.Parents, Examined: examined, Statistics: r.Statistics})
	}
	r.Time, r.CopyTime = time.Since(start)-out.Copy, out.Copy
	if err != nil {
		r.clear()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("engine: bfs from %d: %w", root, err)
	}
	r.NumReached, r.Depth = out.Reached, out.Depth
	r.ResetTime, r.SearchTime, r.AggregateTime = out.Reset, out.Time, out.Aggregate
	r.done()
	return nil
}

// searchFrom runs a search on a state for the turn.
func (e *Engine) searchFrom(ctx context.Context, t *turn, s bsp.Search) (out bsp.Outcome, err error) {
	st, err := e.open(ctx, t, bsp.Tree, 0)
	if err != nil {
		return out, err
	}
	if s.Director, err = e.newDirector(st, t); err == nil {
		out, err = st.bfs.Search(ctx, s)
	}
	return out, errors.Join(err, e.giveBack(st, true))
}
