package cli

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/record"
)

const trianglesHelp = `triangles reads a graph file ("-" is standard input) and counts its triangles: three vertices,
all joined by edges, whatever their direction; self-loops and parallel edges do not count. It prints
how many there are, the transitivity (3 × triangles ÷ pairs of edges with a common vertex) and the
mean local clustering coefficient; -o writes the triangles and the coefficient of every vertex, and
--top prints those in most triangles. The coefficient of a vertex is the number of arcs between its
d neighbours ÷ d(d − 1), where an undirected edge is two arcs; 0 for d < 2.

  totemgo triangles facebook_combined.txt --undirected
  totemgo triangles wiki-Vote.txt --top 5
  totemgo triangles wiki-Vote.txt -o triangles.csv.gz`

// plainJob is a job without flags of its own.
type plainJob struct{}

func (plainJob) flags(*cobra.Command)                     {}
func (plainJob) check(*algorithmFlags) error              { return nil }
func (plainJob) read(context.Context, graph.Source) error { return nil }

// trianglesJob counts triangles.
type trianglesJob struct{ plainJob }

func (j *trianglesJob) run(ctx context.Context, eng *engine.Engine) (*result, error) {
	r, err := eng.Triangles(ctx)
	if err != nil {
		return nil, err
	}
	rows := table{[]column{ids("vertex", r.Label), numbers("triangles", r.Triangles), numbers("clustering", r.Clustering)}, every(len(r.Triangles), nil)}
	return &result{
		summary: fmt.Sprintf("triangles %d\ntransitivity %.6g\naverage clustering %.6g of %d vertices\n", r.Count, r.Transitivity(), r.Average(), len(r.Triangles)),
		table:   rows,
		top:     rows,
		compare: func(a, b uint32) int { return cmp.Compare(r.Triangles[b], r.Triangles[a]) },
		doc: func(run record.Run) any {
			return record.Triangles{Run: run, Triangles: r.Count, Wedges: r.Wedges, Transitivity: r.Transitivity(), AverageClustering: r.Average()}
		},
	}, nil
}
