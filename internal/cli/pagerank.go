package cli

import (
	"context"
	"fmt"

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

// pagerank prepares PageRank.
func pagerank(j *job) solver {
	var o engine.PageRankOptions
	fl := j.Flags()
	fl.Float64Var(&o.Damping, "damping", 0.85, "`PROBABILITY` to follow an arc")
	fl.Float64Var(&o.Tolerance, "tolerance", 1e-6, "`CHANGE` of all scores, summed up, below which the iteration ends; 0 runs all iterations")
	fl.IntVar(&o.MaxIterations, "iterations", 0, "most iterations (default 100, 1000 with --method delta)")
	fl.StringVar((*string)(&o.Method), "method", string(engine.PageRankPull), "`NAME`: pull, all vertices in each iteration, or delta, those whose scores still change most")
	fl.StringVar((*string)(&o.Dangling), "dangling", string(engine.DanglingSpread), "`RULE` for the score of vertices without out-arcs: spread (over all vertices) or drop")
	oneOf(j.Command, "method", string(engine.PageRankPull), string(engine.PageRankDelta))
	oneOf(j.Command, "dangling", string(engine.DanglingSpread), string(engine.DanglingDrop))
	atLeast(j.Command, "0 or more", "tolerance")
	atLeast(j.Command, "1 or more", "iterations")
	fl.BoolVar(&o.Float32, "float32", false, "send scores along arcs in single precision")
	fl.BoolVar(&o.Multi, "multi", false, "count self-loops and each of several parallel arcs, as networkx does")
	start := fl.String("start", "", "`FILE` of lines of a vertex and a weight (default 1): jumps lead to these vertices only")
	warm := fl.String("warm", "", "`FILE` of lines of a vertex and a score, as -o writes them, to begin with")
	j.check = func() error {
		switch {
		case !(o.Damping > 0 && o.Damping < 1):
			return usagef("--damping %v: want a number between 0 and 1", o.Damping)
		case o.Method == engine.PageRankDelta && (o.Tolerance == 0 || o.Float32 || o.Multi || *warm != ""):
			return usagef("--method delta takes no --tolerance 0, --float32, --multi or --warm")
		case o.Float32 && o.Multi:
			return usagef("--float32 and --multi exclude each other")
		case o.Tolerance == 0:
			o.Tolerance = -1
		}
		j.engine.o.Multiplicities = o.Multi
		return nil
	}
	j.look = func(ctx context.Context, src graph.Source) error {
		labels := src.VertexLabels()
		if *start != "" {
			o.Start = map[uint64]float64{}
			if err := readValues(ctx, *start, labels, true, func(v uint32, x float64) { o.Start[labels.Label(v)] = x }); err != nil {
				return err
			}
		}
		if *warm == "" {
			return nil
		}
		o.Warm = make([]float64, labels.Len())
		return readValues(ctx, *warm, labels, true, func(v uint32, x float64) { o.Warm[v] = x })
	}
	return func(ctx context.Context, eng *engine.Engine) (*result, error) {
		r, err := eng.PageRank(ctx, o)
		if err != nil {
			return nil, err
		}
		state := ""
		if !r.Converged && o.Tolerance > 0 {
			state = fmt.Sprintf(", above --tolerance %g", o.Tolerance)
		}
		return &result{
			stats:   r.Statistics,
			summary: fmt.Sprintf("vertices %d\niterations %d\nchange %.3g%s\n", len(r.Ranks), r.Iterations, r.Change, state),
			table:   perVertex(r.Label, len(r.Ranks), numbers("score", r.Ranks)),
			compare: byValue(r.Ranks),
			doc: &record.PageRank{
				Method: string(o.Method), Dangling: string(o.Dangling), Damping: o.Damping, Tolerance: max(0, o.Tolerance),
				Iterations: r.Iterations, Change: r.Change, Converged: r.Converged,
			},
		}, nil
	}
}
