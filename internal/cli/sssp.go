package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/program"
	"github.com/totemgo/totemgo/record"
)

const ssspHelp = `sssp reads a weighted graph file ("-" is standard input) and finds the shortest paths from a
root to all vertices. It prints how many vertices were reached and the largest distance; -o
writes the distance of every reached vertex, and with --parents the vertex before it on a
shortest path. Distances of integer weights are integers.

  totemgo sssp roads.gr --root 1
  totemgo sssp roads.gr --root 1 --parents -o tree.tsv.gz
  totemgo sssp wiki-Vote.txt --root 30 --unit-weights --top 10
  totemgo sssp currencies.wel --root 0 --bellman-ford`

// sssp prepares shortest paths.
func sssp(j *job) solver {
	root := j.addRoot(false)
	var o engine.SSSPOptions
	fl := j.Flags()
	fl.Float64Var(&o.Delta, "delta", 0, "`WIDTH` of the buckets of distances, in units of weights (default by weights and degrees);\ndistances do not depend on it")
	atLeast(j.Command, "0 or more", "delta")
	fl.BoolVar(&o.Parents, "parents", false, "compute a tree of shortest paths")
	fl.BoolVar(&o.UnitWeights, "unit-weights", false, "let every arc weigh 1, whatever the file says")
	fl.BoolVar(&o.BellmanFord, "bellman-ford", false, "accept negative weights, and find a cycle of negative weight")
	j.look = func(ctx context.Context, src graph.Source) error {
		if j.engine.o.Weights = !o.UnitWeights; j.engine.o.Weights && src.WeightKind() == graph.Unweighted {
			return errors.New("the graph has no weights; --unit-weights lets every arc weigh 1")
		}
		return root.read(ctx, src)
	}
	return func(ctx context.Context, eng *engine.Engine) (*result, error) {
		r, err := eng.SSSP(ctx, root.ids[0], o)
		if err != nil {
			return nil, err
		}
		doc := &record.SSSP{Root: r.Root, RootName: root.name(), Reached: r.NumReached}
		out, format := &result{took: r.Time, stats: r.Statistics, lone: r.NumReached == 1, doc: doc}, byte('g')
		switch r.Type {
		case program.F32:
			distances[float32](out, doc, r)
		case program.F64:
			distances[float64](out, doc, r)
		default:
			distances[int64](out, doc, r)
			format = 'f'
		}
		if o.Parents {
			out.columns = append(out.columns, ids("parent", func(v uint32) uint64 { return r.Label(r.Parents[v]) }))
		}
		out.head = fmt.Sprintf("# root %s\n", root.spelled[0]) + out.header()
		for _, d := range r.All() {
			doc.LargestDistance = max(doc.LargestDistance, d)
		}
		if r.Delta > 0 {
			doc.Delta = &r.Delta
		}
		out.summary = fmt.Sprintf("root %s\nreached %d of %d vertices\nlargest distance %s\n", root.spelled[0], r.NumReached, eng.NumVertices(),
			strconv.FormatFloat(doc.LargestDistance, format, -1, 64))
		return out, nil
	}
}

// distances sets the kind and the column of distances, the rows of reached vertices and their order.
func distances[T program.Value](out *result, doc *record.SSSP, r *engine.SSSPResult) {
	d := engine.DistancesOf[T](r)
	doc.DistanceKind = fmt.Sprintf("%T", T(0))
	out.columns = []column{ids("vertex", r.Label), numbers("distance", d)}
	out.rows = every(len(d), func(v uint32) bool { return d[v] != program.Largest[T]() })
	out.compare = func(a, b uint32) int { return cmp.Compare(d[a], d[b]) }
}
