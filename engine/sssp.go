package engine

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/program"
)

// Arrays and operators of shortestPaths.
const (
	spDist   = 0
	spParent = 1

	spRelax = 0 // edge operators
	spLower = 1
	spTie   = 2

	spOrphans = 0 // a vertex operator
)

// shortestPaths are the programs by type of distances, without and with parents.
var shortestPaths = map[program.Type][2]*program.Program{
	program.I32: pathsOf[int32](), program.I64: pathsOf[int64](), program.F32: pathsOf[float32](), program.F64: pathsOf[float64](),
}

func pathsOf[T program.Value]() [2]*program.Program {
	dist := program.Array{Name: "distance", Type: program.TypeOf[T](), Init: program.Top}
	relax := program.EdgeOp{Name: "relax", From: spDist, To: spDist, Map: program.Plus, Combine: program.Min}
	return [2]*program.Program{
		{Name: "sssp", Arrays: []program.Array{dist}, Edges: []program.EdgeOp{relax}},
		{
			Name:   "sssp with parents",
			Arrays: []program.Array{dist, {Name: "parent", Type: program.U32, Init: program.None, Ranks: true}},
			Edges: []program.EdgeOp{
				relax,
				{Name: "lower", From: spDist, To: spParent, Map: program.TightLow, Combine: program.Claim},
				{Name: "tie", From: spDist, To: spParent, Map: program.Tight, Combine: program.Claim},
			},
			Vertices: []program.VertexOp{{Name: "orphans", Block: orphans[T]}},
		},
	}
}

// orphans leaves the vertices that have a distance and no parent.
func orphans[T program.Value](b *program.Block) {
	dist, parent := program.Of[T](b, spDist), program.Of[uint32](b, spParent)
	for i := range b.Each() {
		if parent[i] != graph.None || dist[i] == program.Largest[T]() {
			b.Drop(i)
		}
	}
}

// SSSP returns the lengths of shortest paths from root, an id of the file, to all vertices: of parallel
// edges the lightest counts. Lengths have the kind of the weights: a float32 is the smallest sum of a path's
// weights in float32, added from the root on. They are the same for every placement, list of processors,
// number of threads and Delta; parents may differ.
//
// It is delta-stepping (Meyer and Sanders 2003): Step.Below rises by Delta, and each processor takes its own
// vertices below it until none is left. Negative weights need BellmanFord. Errors are a *WeightError, a
// *NegativeCycleError, those of Run, or wrap graph.ErrNoVertex.
func (e *Engine) SSSP(ctx context.Context, root uint64, o SSSPOptions) (*SSSPResult, error) {
	if !(o.Delta >= 0) {
		return nil, fmt.Errorf("%w: SSSP with delta %v", ErrArgument, o.Delta)
	}
	if err := e.take(ctx); err != nil {
		return nil, err
	}
	defer e.release()
	id, err := e.labels.ID(root)
	if err != nil {
		return nil, err
	}
	if o.UnitWeights {
		return e.unitPaths(ctx, root, o)
	}
	w, err := e.weigh(ctx)
	if err != nil {
		return nil, err
	}
	switch e.kind {
	case graph.Int32:
		return shortest[int64, int32](ctx, e, w, id, o)
	case graph.Int64:
		return shortest[int64, int64](ctx, e, w, id, o)
	case graph.Float32:
		return shortest[float32, float32](ctx, e, w, id, o)
	}
	return shortest[float64, float64](ctx, e, w, id, o)
}

// shortest is SSSP with weights of type W and distances of type T.
func shortest[T program.Value, W graph.Weight](ctx context.Context, e *Engine, w *weighed, root uint32, o SSSPOptions) (*SSSPResult, error) {
	switch {
	case w.notFinite != nil:
		return nil, w.notFinite
	case w.negative == nil:
		return paths[W](ctx, e, w, root, o)
	case !o.BellmanFord:
		return nil, w.negative
	}
	return bellmanFord[T, W](ctx, e, root, o)
}

// paths is SSSP with distances of type T, or int64 where int32 does not hold them.
func paths[T program.Value](ctx context.Context, e *Engine, w *weighed, root uint32, o SSSPOptions) (*SSSPResult, error) {
	kind, more, p := program.TypeOf[T](), int64(0), shortestPaths[program.TypeOf[T]()][0]
	if o.Parents {
		p = shortestPaths[kind][1]
	}
	if kind == program.I32 {
		more = 8 * int64(e.n) // distances as int64
	}
	start, rank := time.Now(), e.place.RankOf[root]
	r := &SSSPResult{Root: e.labels.Label(root), Type: kind}
	run, err := e.run(ctx, p, more, func(m program.Machine) error {
		if rank == graph.None {
			return nil // a root without arcs
		}
		delta := width[T](cmp.Or(o.Delta, w.delta(m.Info())))
		f, err := m.Seed(rank, spDist, 0)
		for err == nil && f.Count > 0 {
			below := program.Unpack[T](f.Least) + delta
			if !(below > program.Unpack[T](f.Least)) { // it overflows, or is rounded off
				below = program.Largest[T]()
			}
			f, err = m.EdgeMap(spRelax, program.Step{Below: program.Pack(below)})
		}
		if err == nil && o.Parents {
			err = adopt(m, rank)
		}
		r.Delta, r.Time = float64(delta), time.Since(start)
		return err
	})
	if err != nil {
		return nil, err
	}
	r.RunResult = run
	dist := DistancesOf[T](r)
	dist[root] = 0
	if o.Parents {
		r.Parents = ArrayOf[uint32](run, spParent)
		r.Parents[root] = root
	}
	var far T
	r.NumReached, far = reachedOf(dist)
	switch bounded := float64(far)+w.largest < 0.999*greatest(kind); {
	case bounded && kind == program.I32:
		r.widen()
	case bounded:
	case kind == program.I32:
		return paths[int64](ctx, e, w, root, o)
	case o.Parents: // a tight arc leads from a distance to the largest value
		for v, u := range r.Parents {
			if u != graph.None && dist[v] == program.Largest[T]() {
				return nil, &WeightError{From: r.Label(u), To: r.Label(uint32(v)), Reason: DistanceTooLarge}
			}
		}
	default:
		o.Parents = true
		if r, err = paths[T](ctx, e, w, root, o); err == nil {
			r.Parents, r.arrays = nil, r.arrays[:spParent]
		}
	}
	return r, err
}

// adopt gives every vertex with a distance a parent: over arcs from smaller distances first, then step by
// step over arcs between equal distances from vertices that have one, so that no cycle closes.
func adopt(m program.Machine, root uint32) error {
	const orphaned, adopted = 1, 2
	if _, err := m.EdgeMap(spLower, program.Step{Way: program.Pull, From: program.All}); err != nil {
		return err
	}
	joined, err := m.Seed(root, spParent, program.Pack(root))
	for over := program.All; err == nil && joined.Count > 0; over = orphaned {
		if err := m.Keep(adopted); err != nil {
			return err
		}
		if left, _, err := m.VertexMap(spOrphans, over); err != nil || left.Count == 0 {
			return err
		}
		if err := m.Keep(orphaned); err != nil {
			return err
		}
		joined, err = m.EdgeMap(spTie, program.Step{Way: program.Pull, From: adopted, Over: orphaned})
	}
	return err
}
