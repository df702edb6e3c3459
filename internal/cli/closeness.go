package cli

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/record"
)

const closenessHelp = `closeness reads a graph file ("-" is standard input) and finds how near each vertex is to all
others, in arcs of shortest paths that lead to it: its closeness (as closeness_centrality of
networkx; with --per-component as igraph's), the sum of reciprocal distances (harmonic), the largest
distance (eccentricity) and the number of vertices that reach it, itself included. It prints the
mean and the largest distance of all pairs; --json adds the number of pairs at each distance.

  totemgo closeness jazz.graph --top 5
  totemgo closeness wiki-Vote.txt --outward --harmonic --top 5
  totemgo closeness web.tgr --samples 1000 --json`

// sampling is the part of jobs that search from all vertices or from a sample.
type sampling struct {
	samples *int
	bar     *bar
}

func (s *sampling) add(c *cobra.Command, samples *int, seed *uint64) {
	s.samples = samples
	c.Flags().IntVar(samples, "samples", 0, "`NUMBER` of vertices, chosen at random, to search from (default all)")
	c.Flags().Uint64Var(seed, "sample-seed", 0, "`SEED` of --samples")
}

func (s *sampling) check(f *algorithmFlags) error {
	if *s.samples < 1 && f.engine.set.Changed("samples") {
		return usagef("--samples %d: want 1 or more", *s.samples)
	}
	return nil
}

func (s *sampling) read(context.Context, graph.Source) error { return nil }
func (s *sampling) shows(b *bar)                             { s.bar = b }
func (s *sampling) progress(done, of int64, _ time.Duration) { s.bar.set(done, of, "roots") }

// closenessJob sums up distances between all pairs.
type closenessJob struct {
	sampling
	o                      engine.ClosenessOptions
	perComponent, harmonic bool
}

func (j *closenessJob) flags(c *cobra.Command) {
	fl := c.Flags()
	fl.BoolVar(&j.o.Outward, "outward", false, "measure distances from a vertex to the others, instead of those to it")
	fl.BoolVar(&j.perComponent, "per-component", false, "leave out the part of the vertices that reach a vertex from its closeness")
	fl.BoolVar(&j.harmonic, "harmonic", false, "rank by harmonic closeness")
	j.add(c, &j.o.Samples, &j.o.Seed)
}

func (j *closenessJob) run(ctx context.Context, eng *engine.Engine) (*result, error) {
	j.o.Progress = j.progress
	r, err := eng.Closeness(ctx, j.o)
	j.bar.done()
	if err != nil {
		return nil, err
	}
	closeness, harmonic := make([]float64, len(r.Reach)), make([]float64, len(r.Reach))
	for v := range closeness {
		closeness[v], harmonic[v] = r.Closeness(uint32(v), j.perComponent), r.Harmonic(uint32(v))
	}
	by, pairs, far := closeness, int64(0), max(0, len(r.Hops)-1)
	if j.harmonic {
		by = harmonic
	}
	for _, n := range r.Hops {
		pairs += n
	}
	pairs -= r.Roots
	rows := table{[]column{ids("vertex", r.Label), numbers("closeness", closeness), numbers("harmonic", harmonic),
		numbers("eccentricity", r.Eccentricity), numbers("reached_by", r.Reach)}, every(len(closeness), nil)}
	return &result{
		summary: fmt.Sprintf("roots %d of %d vertices\npairs %d\naverage %.6g\nlargest distance %d\n", r.Roots, len(closeness), pairs, r.Average(), far),
		table:   rows,
		top:     rows,
		compare: func(a, b uint32) int { return cmp.Compare(by[b], by[a]) },
		stats:   r.Statistics,
		doc: func(run record.Run) any {
			return record.Closeness{Run: run, Roots: r.Roots, Outward: j.o.Outward, PerComponent: j.perComponent, Pairs: pairs, Average: r.Average(),
				LargestDistance: int64(far), Hops: r.Hops, PredictedS: r.Predicted.Seconds()}
		},
	}, nil
}
