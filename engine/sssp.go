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
			Vertices: []program.VertexOp{{Name: "orphans", Block: orphans[T], Device: fmt.Sprintf("if (parent[v] != NONE || distance[v] == %v_TOP) DROP;", dist.Type)}},
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
	return inTurn(ctx, e, func(t *turn) (*SSSPResult, error) {
		if o.UnitWeights {
			return e.unitPaths(ctx, t, root, o)
		}
		id, err := e.labels.ID(root)
		if err != nil {
			return nil, err
		}
		w, err := e.weigh(ctx)
		if err != nil {
			return nil, err
		}
		return typedBy[e.kind].shortest(ctx, &pathSearch{e, t, w, id, o, time.Now()})
	})
}

// Supersteps that start from at most narrowArcs arcs cost more than what they relax: Delta doubles, up to
// widest times, while they follow each other.
const narrowArcs, widest = 256, 16

// pathSearch is a call of SSSP. root is a dense id.
type pathSearch struct {
	*Engine
	turn  *turn
	w     *weighed
	root  uint32
	o     SSSPOptions
	start time.Time
}

// paths is SSSP with distances of type T, and with int64 where int32 does not hold them.
func paths[T program.Value](ctx context.Context, s *pathSearch) (*SSSPResult, error) {
	r := &SSSPResult{Root: s.labels.Label(s.root), Type: program.TypeOf[T]()}
	p, rank, more := shortestPaths[r.Type][0], s.place.RankOf[s.root], int64(0)
	if s.o.Parents {
		p = shortestPaths[r.Type][1]
	}
	if r.Type == program.I32 {
		more = 8 * int64(s.n) // distances as int64
	}
	run, err := s.run(ctx, s.turn, p, more, driven(func(d *driver) {
		defer func() { r.Time = time.Since(s.start) }()
		if rank == graph.None {
			return // a root without arcs
		}
		delta := width[T](cmp.Or(s.o.Delta, s.w.delta(d.Info())))
		f := d.seed(rank, spDist, 0)
		for wide := T(1); f.Count > 0; {
			if wide = min(2*wide, widest); f.Arcs > narrowArcs {
				wide = 1
			}
			below := program.Unpack[T](f.Least) + wide*delta
			if !(below > program.Unpack[T](f.Least)) { // it overflows, or is rounded off
				below = program.Largest[T]()
			}
			f = d.edges(spRelax, program.Step{Below: program.Pack(below)})
		}
		if s.o.Parents {
			d.adopt(rank)
		}
		r.Delta = float64(delta)
	}))
	if err != nil {
		return nil, err
	}
	r.RunResult = run
	dist := DistancesOf[T](r)
	dist[s.root] = 0
	if s.o.Parents {
		r.Parents = ArrayOf[uint32](run, spParent)
		r.Parents[s.root] = s.root
	}
	return inRange(ctx, s, r, dist)
}

// adopt gives every vertex with a distance a parent: over arcs from smaller distances first, then step by
// step over arcs between equal distances from vertices that have one, so that no cycle closes.
func (d *driver) adopt(root uint32) {
	const orphaned, adopted = 1, 2
	d.pull(spLower)
	joined := d.seed(root, spParent, program.Pack(root))
	for over := program.All; joined.Count > 0; over = orphaned {
		d.keep(adopted)
		if left, _ := d.vertices(spOrphans, over); left.Count == 0 {
			return
		}
		d.keep(orphaned)
		joined = d.edges(spTie, program.Step{Way: program.Pull, From: adopted, Over: orphaned})
	}
}
