package cli

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/record"
)

const ccHelp = `cc reads a graph file ("-" is standard input) and finds its connected components: of a
directed graph the weakly connected ones, with --strong the strongly connected ones: two vertices
are in one if paths along arcs lead both ways. A component is named by the smallest id of its
vertices. It prints how many components there are and the size of the largest; -o writes the
component of every vertex, and --top the largest components with their sizes.

  totemgo cc web.txt.gz
  totemgo cc web.txt.gz --top 5
  totemgo cc web.txt.gz --strong --json
  totemgo cc web.txt.gz -o components.csv.gz`

// ccJob finds connected components.
type ccJob struct {
	plainJob
	strong bool
}

func (j *ccJob) flags(c *cobra.Command) {
	c.Flags().BoolVar(&j.strong, "strong", false, "find strongly connected components")
}

func (j *ccJob) run(ctx context.Context, eng *engine.Engine) (*result, error) {
	find := eng.Components
	if j.strong {
		find = eng.StrongComponents
	}
	r, err := find(ctx)
	if err != nil {
		return nil, err
	}
	n := len(r.Labels)
	size := make([]uint32, n) // by the component's smallest vertex
	count, largest := int64(0), uint32(0)
	for v, c := range r.Labels {
		if size[c]++; int(c) == v {
			count++
		}
		largest = max(largest, size[c])
	}
	component := func(v uint32) uint64 { return r.Label(r.Labels[v]) }
	return &result{
		summary: fmt.Sprintf("components %d\nlargest %d of %d vertices\n", count, largest, n),
		table:   table{[]column{ids("vertex", r.Label), ids("component", component)}, every(n, nil)},
		top:     table{[]column{ids("component", r.Label), numbers("vertices", size)}, every(n, func(v uint32) bool { return size[v] > 0 })},
		compare: func(a, b uint32) int { return cmp.Compare(size[b], size[a]) },
		stats:   r.Statistics,
		doc: func(run record.Run) any {
			return record.Components{Run: run, Strong: r.Strong, Components: count, Largest: int64(largest)}
		},
	}, nil
}
