package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/record"
)

const reachHelp = `reach reads a graph file ("-" is standard input) and finds the vertices that can be reached
from one root or from any of several, along arcs. It prints how many there are and the largest
distance to the nearest root; -o writes their ids.

  totemgo reach wiki-Vote.txt --root 30
  totemgo reach wiki-Vote.txt --root 30,7,8274 -o reached.tsv`

// reachJob finds what roots reach.
type reachJob struct{ roots }

func (j *reachJob) flags(c *cobra.Command) {
	j.many = true
	j.roots.flags(c)
}

func (j *reachJob) run(ctx context.Context, eng *engine.Engine) (*result, error) {
	r, err := eng.Reach(ctx, j.ids...)
	if err != nil {
		return nil, err
	}
	return &result{
		summary: fmt.Sprintf("roots %s\nreached %d of %d vertices\ndepth %d\n", j.text, r.NumReached, eng.NumVertices(), r.Depth),
		table:   table{[]column{ids("vertex", r.Label)}, every(eng.NumVertices(), r.Has)},
		stats:   r.Statistics,
		doc: func(run record.Run) any {
			return record.Reach{Run: run, Roots: r.Roots, RootNames: j.names, Reached: r.NumReached, Depth: r.Depth}
		},
	}, nil
}
