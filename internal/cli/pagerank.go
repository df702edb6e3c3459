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

const pagerankHelp = `pagerank reads a graph file ("-" is standard input) and computes the PageRank of its vertices.
Scores add up to 1. It prints how many iterations were run and the last one's change; -o writes
the score of every vertex, and --top prints the highest.

  totemgo pagerank wiki-Vote.txt --top 5
  totemgo pagerank web.tgr --tolerance 1e-10 -o scores.csv.gz
  totemgo pagerank web.tgr --iterations 20 --tolerance 0 --json`

// pagerankJob computes PageRank.
type pagerankJob struct {
	o           engine.PageRankOptions
	start, warm string
}

func (j *pagerankJob) flags(c *cobra.Command) {
	fl := c.Flags()
	fl.Float64Var(&j.o.Damping, "damping", 0.85, "`PROBABILITY` to follow an arc")
	fl.Float64Var(&j.o.Tolerance, "tolerance", 1e-6, "`CHANGE` of all scores, summed up, below which the iteration ends; 0 runs all iterations")
	fl.IntVar(&j.o.MaxIterations, "iterations", 0, "most iterations (default 100, 1000 with --method delta)")
	fl.StringVar((*string)(&j.o.Method), "method", string(engine.PageRankPull), "`NAME`: pull, all vertices in each iteration, or delta, those whose scores still change most")
	fl.StringVar((*string)(&j.o.Dangling), "dangling", string(engine.DanglingSpread), "`RULE` for the score of vertices without out-arcs: spread (over all vertices) or drop")
	completes(c, "method", string(engine.PageRankPull), string(engine.PageRankDelta))
	completes(c, "dangling", string(engine.DanglingSpread), string(engine.DanglingDrop))
	fl.BoolVar(&j.o.Float32, "float32", false, "send scores along arcs in single precision")
	fl.BoolVar(&j.o.Multi, "multi", false, "count self-loops and each of several parallel arcs, as networkx does")
	fl.StringVar(&j.start, "start", "", "`FILE` of lines of a vertex and a weight (default 1): jumps lead to these vertices only")
	fl.StringVar(&j.warm, "warm", "", "`FILE` of lines of a vertex and a score, as -o writes them, to begin with")
}

func (j *pagerankJob) check(f *algorithmFlags) error {
	switch {
	case !(j.o.Damping > 0 && j.o.Damping < 1):
		return usagef("--damping %v: want a number between 0 and 1", j.o.Damping)
	case !(j.o.Tolerance >= 0):
		return usagef("--tolerance %v: want 0 or more", j.o.Tolerance)
	case j.o.MaxIterations < 1 && f.engine.set.Changed("iterations"):
		return usagef("--iterations %d: want 1 or more", j.o.MaxIterations)
	case j.o.Method != engine.PageRankPull && j.o.Method != engine.PageRankDelta:
		return usagef("--method %q: want %s or %s", j.o.Method, engine.PageRankPull, engine.PageRankDelta)
	case j.o.Method == engine.PageRankDelta && (j.o.Tolerance == 0 || j.o.Float32 || j.o.Multi || j.warm != ""):
		return usagef("--method delta takes no --tolerance 0, --float32, --multi or --warm")
	case j.o.Float32 && j.o.Multi:
		return usagef("--float32 and --multi exclude each other")
	case j.o.Dangling != engine.DanglingSpread && j.o.Dangling != engine.DanglingDrop:
		return usagef("--dangling %q: want %s or %s", j.o.Dangling, engine.DanglingSpread, engine.DanglingDrop)
	case j.o.Tolerance == 0:
		j.o.Tolerance = -1
	}
	f.engine.o.Multiplicities = j.o.Multi
	return nil
}

func (j *pagerankJob) read(ctx context.Context, src graph.Source) error {
	labels := src.VertexLabels()
	if j.start != "" {
		j.o.Start = map[uint64]float64{}
		if err := readValues(ctx, j.start, labels, true, func(v uint32, x float64) { j.o.Start[labels.Label(v)] = x }); err != nil {
			return err
		}
	}
	if j.warm == "" {
		return nil
	}
	j.o.Warm = make([]float64, labels.Len())
	return readValues(ctx, j.warm, labels, true, func(v uint32, x float64) { j.o.Warm[v] = x })
}

func (j *pagerankJob) run(ctx context.Context, eng *engine.Engine) (*result, error) {
	r, err := eng.PageRank(ctx, j.o)
	if err != nil {
		return nil, err
	}
	state := ""
	if !r.Converged && j.o.Tolerance > 0 {
		state = fmt.Sprintf(", above --tolerance %g", j.o.Tolerance)
	}
	scores := table{[]column{ids("vertex", r.Label), numbers("score", r.Ranks)}, every(len(r.Ranks), nil)}
	return &result{
		summary: fmt.Sprintf("vertices %d\niterations %d\nchange %.3g%s\n", len(r.Ranks), r.Iterations, r.Change, state),
		table:   scores,
		top:     scores,
		compare: func(a, b uint32) int { return cmp.Compare(r.Ranks[b], r.Ranks[a]) },
		stats:   r.Statistics,
		doc: func(run record.Run) any {
			return record.PageRank{
				Run: run, Method: string(j.o.Method), Dangling: string(j.o.Dangling), Damping: j.o.Damping, Tolerance: max(0, j.o.Tolerance),
				Iterations: r.Iterations, Change: r.Change, Converged: r.Converged,
			}
		},
	}, nil
}
