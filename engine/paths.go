package engine

import (
	"context"
	"iter"
	"math"
	"time"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/program"
)

// SSSPOptions control SSSP; zero values stand for the defaults.
type SSSPOptions struct {
	// Delta is the width of the buckets of distances, in units of weights; 0 is chosen from
	// weights and degrees. Results do not depend on it.
	Delta float64
	// Parents computes a tree of shortest paths.
	Parents bool
	// UnitWeights makes every arc weigh 1, whatever the graph has: see BFS.
	UnitWeights bool
	// BellmanFord allows negative weights. With some it runs on one thread in host memory.
	BellmanFord bool
}

// SSSPResult are shortest paths from a root. It outlives its engine.
type SSSPResult struct {
	*RunResult
	// Root is the label of the root.
	Root uint64
	// Type is that of distances: I64 for integer and unit weights, F32 or F64 for floats.
	Type program.Type
	// Parents holds the dense id of the vertex before each on a shortest path, by dense id: the
	// root's is itself, an unreached vertex has graph.None. nil without SSSPOptions.Parents.
	Parents []uint32
	// NumReached is the number of vertices with a distance, the root included.
	NumReached int64
	// Delta is the width of the buckets; 0 where there were none.
	Delta float64
	// Time is that of the search and of parents, without reading the results out of the processors,
	// and without the first look at an engine's weights.
	Time time.Duration
}

// DistancesOf returns the distances by dense id, program.Largest[T]() for vertices not reached, not
// a copy; nil if T is not r.Type's.
func DistancesOf[T program.Value](r *SSSPResult) []T { return ArrayOf[T](r.RunResult, spDist) }

// Distance is the distance of the vertex with dense id v, rounded to a float64; ok is false for a
// vertex not reached.
func (r *SSSPResult) Distance(v uint32) (d float64, ok bool) {
	switch r.Type {
	case program.I64:
		x := DistancesOf[int64](r)[v]
		return float64(x), x != math.MaxInt64
	case program.F32:
		d = float64(DistancesOf[float32](r)[v])
	default:
		d = DistancesOf[float64](r)[v]
	}
	return d, !math.IsInf(d, 1)
}

// All yields every reached vertex, as the file's id, and its distance, in the order of dense ids.
func (r *SSSPResult) All() iter.Seq2[uint64, float64] {
	return each(r.labels, r.labels.Len(), r.Distance)
}

// shortest is SSSP with weights of type W, and distances of type T if some are negative.
func shortest[T program.Value, W graph.Weight](ctx context.Context, s *pathSearch) (*SSSPResult, error) {
	switch {
	case s.w.notFinite != nil:
		return nil, s.w.notFinite
	case s.w.negative != nil && s.o.BellmanFord:
		return bellmanFord[T, W](ctx, s)
	case s.w.negative != nil:
		return nil, s.w.negative
	case s.w.wide.Load():
		return paths[T](ctx, s)
	}
	return paths[W](ctx, s)
}

// inRange completes a result. Where a distance may have passed the range of T it searches again in int64,
// or looks for one: then a tight arc leads from a vertex with a distance to one with the largest value.
func inRange[T program.Value](ctx context.Context, s *pathSearch, r *SSSPResult, dist []T) (*SSSPResult, error) {
	var far T
	r.NumReached, far = reachedOf(dist)
	limit := 0.999 * min(float64(program.Largest[T]()), math.MaxFloat32) // below any sum that has no value
	switch bounded := float64(far)+s.w.largest < limit; {
	case r.Type == program.I32 && !bounded:
		s.w.wide.Store(true)
		return paths[int64](ctx, s)
	case r.Type == program.I32:
		wide := make([]int64, len(dist))
		for v, d := range dist {
			if wide[v] = int64(d); d == program.Largest[T]() {
				wide[v] = math.MaxInt64
			}
		}
		r.Type, r.arrays[spDist] = program.I64, wide
	case bounded:
	case r.Parents == nil:
		again := *s
		again.o.Parents = true
		r, err := paths[T](ctx, &again)
		if err == nil {
			r.Parents, r.arrays = nil, r.arrays[:spParent]
		}
		return r, err
	default:
		for v, u := range r.Parents {
			if u != graph.None && dist[v] == program.Largest[T]() {
				return nil, &WeightError{From: r.Label(u), To: r.Label(uint32(v)), Reason: DistanceTooLarge}
			}
		}
	}
	return r, nil
}

// reachedOf returns how many distances there are, and the largest.
func reachedOf[T program.Value](dist []T) (n int64, far T) {
	for _, d := range dist {
		if d != program.Largest[T]() {
			n++
			far = max(far, d)
		}
	}
	return n, far
}

// unitPaths is SSSP where every arc weighs 1: a breadth-first search.
func (e *Engine) unitPaths(ctx context.Context, t *turn, root uint64, o SSSPOptions) (*SSSPResult, error) {
	b, err := e.bfs(ctx, t, root, e.statistics())
	if err != nil {
		return nil, err
	}
	dist := make([]int64, e.n)
	for v, l := range b.Levels() {
		if dist[v] = int64(l); l < 0 {
			dist[v] = math.MaxInt64
		}
	}
	r := &SSSPResult{Root: root, Type: program.I64, NumReached: b.NumReached, Time: b.Time,
		RunResult: &RunResult{Statistics: b.Statistics, labels: e.labels, arrays: []any{dist}}}
	if o.Parents {
		r.Parents = b.Parents
		r.arrays = append(r.arrays, b.Parents)
	}
	return r, nil
}
