package cli

import (
	"cmp"
	"context"
	"fmt"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/record"
)

const kcoreHelp = `kcore reads a graph file ("-" is standard input) and finds the core number of every vertex: the
largest k such that the vertex belongs to a subgraph in which all degrees are at least k. In a
directed graph out-arcs and in-arcs both count; self-loops and parallel edges do not. It prints the
largest core number and how many vertices have it; -o writes the core number of every vertex, and
--top prints the highest.

  totemgo kcore astro-ph.graph
  totemgo kcore wiki-Vote.txt --undirected --top 5
  totemgo kcore wiki-Vote.txt --json -o cores.csv.gz`

// kcoreJob finds core numbers.
type kcoreJob struct{ plainJob }

func (j *kcoreJob) run(ctx context.Context, eng *engine.Engine) (*result, error) {
	r, err := eng.KCore(ctx)
	if err != nil {
		return nil, err
	}
	innermost := int64(0)
	for _, k := range r.Cores {
		if k == r.Degeneracy {
			innermost++
		}
	}
	cores := table{[]column{ids("vertex", r.Label), numbers("core", r.Cores)}, every(len(r.Cores), nil)}
	return &result{
		summary: fmt.Sprintf("largest core number %d\nvertices with it %d of %d\n", r.Degeneracy, innermost, len(r.Cores)),
		table:   cores,
		top:     cores,
		compare: func(a, b uint32) int { return cmp.Compare(r.Cores[b], r.Cores[a]) },
		stats:   r.Statistics,
		doc: func(run record.Run) any {
			return record.KCore{Run: run, Degeneracy: int64(r.Degeneracy), Innermost: innermost}
		},
	}, nil
}
