package cli

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/record"
)

const bcHelp = `bc reads a graph file ("-" is standard input) and finds the betweenness of its vertices: the sum
over pairs of other vertices of the part of their shortest paths, in arcs, that lead through a
vertex. Pairs of an undirected graph count once, as in igraph and in networkx with
normalized=False; --ordered counts them both ways, and --normalized divides by the number of pairs
of other vertices, as both do. --samples takes that many sources instead of all, as networkx does
with k.

  totemgo bc karate.graph --top 5
  totemgo bc wiki-Vote.txt --normalized -o scores.csv.gz
  totemgo bc web.tgr --samples 100 --sample-seed 7 --top 10`

// bcJob finds betweenness.
type bcJob struct {
	sampling
	o engine.BetweennessOptions
}

func (j *bcJob) flags(c *cobra.Command) {
	fl := c.Flags()
	fl.BoolVar(&j.o.Normalized, "normalized", false, "divide by the number of pairs of other vertices")
	fl.BoolVar(&j.o.Ordered, "ordered", false, "count the pairs of an undirected graph both ways")
	fl.BoolVar(&j.o.NoReduction, "no-reduction", false, "search from vertices of degree 1 too, which have a closed form")
	j.add(c, &j.o.Samples, &j.o.Seed)
}

func (j *bcJob) run(ctx context.Context, eng *engine.Engine) (*result, error) {
	j.o.Progress = j.progress
	r, err := eng.Betweenness(ctx, j.o)
	j.bar.done()
	if err != nil {
		return nil, err
	}
	sum, largest := 0.0, 0.0
	for _, x := range r.Scores {
		sum, largest = sum+x, max(largest, x)
	}
	scores := table{[]column{ids("vertex", r.Label), numbers("score", r.Scores)}, every(len(r.Scores), nil)}
	return &result{
		summary: fmt.Sprintf("vertices %d\nsearches %d\nsum %.9g\nlargest %.9g\n", len(r.Scores), r.Searches, sum, largest),
		table:   scores,
		top:     scores,
		compare: func(a, b uint32) int { return cmp.Compare(r.Scores[b], r.Scores[a]) },
		stats:   r.Statistics,
		doc: func(run record.Run) any {
			return record.Betweenness{Run: run, Searches: r.Searches, Samples: int64(j.o.Samples), Normalized: j.o.Normalized, Ordered: j.o.Ordered,
				Sum: sum, Largest: largest, PredictedS: r.Predicted.Seconds()}
		},
	}, nil
}
