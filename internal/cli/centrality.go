package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/record"
)

// addSamples adds the flags of searches from all vertices or from a sample.
func (j *job) addSamples(samples *int, seed *uint64) {
	j.Flags().IntVar(samples, "samples", 0, "`NUMBER` of vertices, chosen at random, to search from (default all)")
	j.Flags().Uint64Var(seed, "sample-seed", 0, "`SEED` of --samples")
	atLeast(j.Command, "1 or more", "samples")
	annotate(j.Command, needsOf, []string{"samples"}, "sample-seed")
}

// roots shows how many roots are searched from, and the predicted time and memory in bytes of all.
func (j *job) roots(eng *engine.Engine) (progress func(done, of int64, left time.Duration), bytes int64) {
	bar, bytes := j.progress(j.Name()), eng.Memory(j.Name())
	return func(done, of int64, left time.Duration) {
		bar.predict(left, bytes)
		bar.set(done, of, "roots")
	}, bytes
}

const closenessHelp = `closeness reads a graph file ("-" is standard input) and finds how near each vertex is to all
others, in arcs of shortest paths that lead to it: its closeness (as closeness_centrality of
networkx; with --per-component as igraph's), the sum of reciprocal distances (harmonic), the largest
distance (eccentricity) and the number of vertices that reach it, itself included. It prints the
mean and the largest distance of all pairs; --json adds the number of pairs at each distance.

  totemgo closeness jazz.graph --top 5
  totemgo closeness wiki-Vote.txt --outward --harmonic --top 5
  totemgo closeness web.tgr --samples 1000 --json`

// closeness prepares the sums of distances between all pairs.
func closeness(j *job) solver {
	var o engine.ClosenessOptions
	fl := j.Flags()
	fl.BoolVar(&o.Outward, "outward", false, "measure distances from a vertex to the others, instead of those to it")
	perComponent := fl.Bool("per-component", false, "leave out the part of the vertices that reach a vertex from its closeness")
	byHarmonic := fl.Bool("harmonic", false, "rank by harmonic closeness")
	j.addSamples(&o.Samples, &o.Seed)
	return func(ctx context.Context, eng *engine.Engine) (*result, error) {
		progress, bytes := j.roots(eng)
		o.Progress = progress
		r, err := eng.Closeness(ctx, o)
		if err != nil {
			return nil, err
		}
		closeness, harmonic := make([]float64, len(r.Reach)), make([]float64, len(r.Reach))
		for v := range closeness {
			closeness[v], harmonic[v] = r.Closeness(uint32(v), *perComponent), r.Harmonic(uint32(v))
		}
		by, pairs, far := closeness, -r.Roots, max(0, len(r.Hops)-1)
		if *byHarmonic {
			by = harmonic
		}
		for _, n := range r.Hops {
			pairs += n
		}
		return &result{
			stats:   r.Statistics,
			summary: fmt.Sprintf("roots %d of %d vertices\npairs %d\naverage %.6g\nlargest distance %d\n", r.Roots, len(closeness), pairs, r.Average(), far),
			table: perVertex(r.Label, len(closeness), numbers("closeness", closeness), numbers("harmonic", harmonic),
				numbers("eccentricity", r.Eccentricity), numbers("reached_by", r.Reach)),
			compare: byValue(by),
			doc: &record.Closeness{Roots: r.Roots, Outward: o.Outward, PerComponent: *perComponent, Pairs: pairs, Average: r.Average(),
				LargestDistance: int64(far), Hops: append([]int64{}, r.Hops...), PredictedS: r.Predicted.Seconds(), PredictedBytes: bytes},
		}, nil
	}
}

const bcHelp = `bc reads a graph file ("-" is standard input) and finds the betweenness of its vertices: the sum
over pairs of other vertices of the part of their shortest paths, in arcs, that lead through a
vertex. Pairs of an undirected graph count once, as in igraph and in networkx with
normalized=False; --ordered counts them both ways, and --normalized divides by the number of pairs
of other vertices, as both do. --samples takes that many sources instead of all, as networkx does
with k.

  totemgo bc karate.graph --top 5
  totemgo bc wiki-Vote.txt --normalized -o scores.csv.gz
  totemgo bc web.tgr --samples 100 --sample-seed 7 --top 10`

// betweenness prepares betweenness.
func betweenness(j *job) solver {
	var o engine.BetweennessOptions
	fl := j.Flags()
	fl.BoolVar(&o.Normalized, "normalized", false, "divide by the number of pairs of other vertices")
	fl.BoolVar(&o.Ordered, "ordered", false, "count the pairs of an undirected graph both ways")
	fl.BoolVar(&o.NoReduction, "no-reduction", false, "search from vertices of degree 1 too, which have a closed form")
	j.addSamples(&o.Samples, &o.Seed)
	return func(ctx context.Context, eng *engine.Engine) (*result, error) {
		progress, bytes := j.roots(eng)
		o.Progress = progress
		r, err := eng.Betweenness(ctx, o)
		if err != nil {
			return nil, err
		}
		sum, largest := 0.0, 0.0
		for _, x := range r.Scores {
			sum, largest = sum+x, max(largest, x)
		}
		return &result{
			stats:   r.Statistics,
			summary: fmt.Sprintf("vertices %d\nsearches %d\nsum %.9g\nlargest %.9g\n", len(r.Scores), r.Searches, sum, largest),
			table:   perVertex(r.Label, len(r.Scores), numbers("score", r.Scores)),
			compare: byValue(r.Scores),
			doc: &record.Betweenness{Searches: r.Searches, Samples: int64(o.Samples), Normalized: o.Normalized, Ordered: o.Ordered,
				Sum: sum, Largest: largest, PredictedS: r.Predicted.Seconds(), PredictedBytes: bytes},
		}, nil
	}
}

const diameterHelp = `diameter reads a graph file ("-" is standard input) and finds the largest distance of two
vertices of its largest connected component, in arcs, exactly. Of an undirected graph bounds spare
it most searches; a directed graph is searched along arcs from all vertices of its largest weak
component, and pairs without a path do not count.

  totemgo diameter power.graph
  totemgo diameter wiki-Vote.txt --undirected --json`

// diameter prepares the search for the diameter.
func diameter(j *job) solver {
	var ends roots
	j.look = func(_ context.Context, src graph.Source) error {
		ends.labels = src.VertexLabels()
		return nil
	}
	return func(ctx context.Context, eng *engine.Engine) (*result, error) {
		r, err := eng.Diameter(ctx)
		if err != nil {
			return nil, err
		}
		if eng.NumVertices() == 0 {
			return nil, errors.New("the graph has no vertices")
		}
		doc := &record.Diameter{PredictedBytes: eng.Memory("diameter"), Diameter: r.Diameter, From: r.From, To: r.To, ComponentVertices: r.Vertices,
			Searches: r.Roots}
		from, to := ends.spell(r.From), ends.spell(r.To)
		if ends.labels.Names() != nil {
			doc.FromName, doc.ToName = from, to
		}
		summary := fmt.Sprintf("diameter %d\nfrom %s\nto %s\nvertices %d of %d\nsearches %d\n", r.Diameter, from, to, r.Vertices, eng.NumVertices(), r.Roots)
		return &result{summary: summary, doc: doc}, nil
	}
}
