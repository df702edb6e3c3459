package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

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

// ssspJob finds shortest paths.
type ssspJob struct {
	roots
	o engine.SSSPOptions
}

func (j *ssspJob) flags(c *cobra.Command) {
	j.roots.flags(c)
	fl := c.Flags()
	fl.Float64Var(&j.o.Delta, "delta", 0, "`WIDTH` of the buckets of distances, in units of weights (default by weights and degrees);\ndistances do not depend on it")
	fl.BoolVar(&j.o.Parents, "parents", false, "compute a tree of shortest paths")
	fl.BoolVar(&j.o.UnitWeights, "unit-weights", false, "let every arc weigh 1, whatever the file says")
	fl.BoolVar(&j.o.BellmanFord, "bellman-ford", false, "accept negative weights, and find a cycle of negative weight")
}

func (j *ssspJob) check(f *algorithmFlags) error {
	if !(j.o.Delta >= 0) {
		return usagef("--delta %v: want 0 or more", j.o.Delta)
	}
	f.engine.o.Weights = !j.o.UnitWeights
	return j.roots.check(f)
}

func (j *ssspJob) read(ctx context.Context, src graph.Source) error {
	if err := j.roots.read(ctx, src); err != nil {
		return err
	}
	if src.WeightKind() == graph.Unweighted && !j.o.UnitWeights {
		return errors.New("the graph has no weights; --unit-weights lets every arc weigh 1")
	}
	return nil
}

func (j *ssspJob) run(ctx context.Context, eng *engine.Engine) (*result, error) {
	r, err := eng.SSSP(ctx, j.ids[0], j.o)
	if err != nil {
		return nil, err
	}
	out := &result{took: r.Time, stats: r.Statistics}
	format := byte('g')
	doc := record.SSSP{Root: r.Root, RootName: j.name(), Reached: r.NumReached}
	switch r.Type {
	case program.F32:
		doc.DistanceKind = "float32"
		distances(out, engine.DistancesOf[float32](r))
	case program.F64:
		doc.DistanceKind = "float64"
		distances(out, engine.DistancesOf[float64](r))
	default:
		doc.DistanceKind, format = "int64", 'f'
		distances(out, engine.DistancesOf[int64](r))
	}
	out.columns = append([]column{ids("vertex", r.Label)}, out.columns...)
	if j.o.Parents {
		out.columns = append(out.columns, ids("parent", func(v uint32) uint64 { return r.Label(r.Parents[v]) }))
	}
	out.top = out.table
	out.head = fmt.Sprintf("# root %s\n", j.spelled[0]) + out.header()
	for _, d := range r.All() {
		doc.LargestDistance = max(doc.LargestDistance, d)
	}
	if r.Delta > 0 {
		doc.Delta = &r.Delta
	}
	out.summary = fmt.Sprintf("root %s\nreached %d of %d vertices\nlargest distance %s\n", j.spelled[0], r.NumReached, eng.NumVertices(),
		strconv.FormatFloat(doc.LargestDistance, format, -1, 64))
	out.doc = func(run record.Run) any { doc.Run = run; return doc }
	return out, nil
}

// distances sets the column of distances, the rows of reached vertices and their order.
func distances[T program.Value](out *result, d []T) {
	out.columns = []column{numbers("distance", d)}
	out.rows = every(len(d), func(v uint32) bool { return d[v] != program.Largest[T]() })
	out.compare = func(a, b uint32) int { return cmp.Compare(d[a], d[b]) }
}
