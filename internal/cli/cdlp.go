package cli

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/record"
)

const cdlpHelp = `cdlp reads a graph file ("-" is standard input) and finds communities by label propagation, as LDBC
Graphalytics defines it. The first label of a vertex is its id. In each iteration all vertices at once
take the most frequent label of their neighbours, the smallest of several; in a directed graph
out-arcs and in-arcs both count. It prints how many communities there are and the size of the
largest; -o writes the label of every vertex, and --top the largest communities with their sizes.

  totemgo cdlp facebook_combined.txt --undirected
  totemgo cdlp wiki-Vote.txt --iterations 30 --top 5
  totemgo cdlp wiki-Vote.txt --json -o communities.csv.gz`

// cdlpJob finds communities by label propagation.
type cdlpJob struct {
	plainJob
	iterations int
}

func (j *cdlpJob) flags(c *cobra.Command) {
	c.Flags().IntVar(&j.iterations, "iterations", 10, "most iterations; they end where no label changes")
}

func (j *cdlpJob) check(*algorithmFlags) error {
	if j.iterations < 1 {
		return usagef("--iterations %d: want 1 or more", j.iterations)
	}
	return nil
}

func (j *cdlpJob) run(ctx context.Context, eng *engine.Engine) (*result, error) {
	r, err := eng.CDLP(ctx, j.iterations)
	if err != nil {
		return nil, err
	}
	n := len(r.Labels)
	size, count, largest := make([]uint32, n), int64(0), uint32(0) // by label
	for _, l := range r.Labels {
		if size[l]++; size[l] == 1 {
			count++
		}
		largest = max(largest, size[l])
	}
	label := func(v uint32) uint64 { return r.Label(r.Labels[v]) }
	return &result{
		summary: fmt.Sprintf("communities %d\nlargest %d of %d vertices\niterations %d\nchanged %d\n", count, largest, n, r.Iterations, r.Changed),
		table:   table{[]column{ids("vertex", r.Label), ids("label", label)}, every(n, nil)},
		top:     table{[]column{ids("label", r.Label), numbers("vertices", size)}, every(n, func(v uint32) bool { return size[v] > 0 })},
		compare: func(a, b uint32) int { return cmp.Compare(size[b], size[a]) },
		stats:   r.Statistics,
		doc: func(run record.Run) any {
			return record.CDLP{Run: run, Communities: count, Largest: int64(largest), Iterations: r.Iterations, Changed: r.Changed}
		},
	}, nil
}
