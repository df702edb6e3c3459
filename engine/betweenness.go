package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

// BetweennessOptions choose roots and scale of Betweenness. The zero value is exact, over unordered pairs of an
// undirected graph and ordered pairs of a directed one: betweenness_centrality(normalized=False) of networkx, and
// betweenness of igraph.
type BetweennessOptions struct {
	// Roots, if there are any, are the only sources of paths, as ids of the file.
	Roots []uint64
	// Samples is the number of sources, chosen by Seed among all n vertices; 0 takes all. Scores are scaled by
	// n ÷ Samples, as networkx does with k.
	Samples int
	Seed    uint64
	// Ordered counts an undirected graph's pairs both ways: twice the score.
	Ordered bool
	// Normalized divides by the number of pairs of other vertices: normalized of networkx and igraph.
	Normalized bool
	// NoReduction searches from vertices of degree 1, and from those that are so once others are left out, too. They
	// have a closed form. Directed graphs and chosen sources take no reduction.
	NoReduction bool
	// Progress, if not nil, is called after each search with the time that those left are predicted to take.
	Progress func(done, of int64, left time.Duration)
}

// BetweennessResult has the betweenness of each vertex by dense id.
type BetweennessResult struct {
	*RunResult
	Scores []float64
	// Searches is the number of roots searched from.
	Searches int64
	// Predicted is the time as predicted once 2% of them were done, and Time what they took.
	Predicted, Time time.Duration
}

// Betweenness returns for each vertex v the sum over pairs of other vertices of the part of their shortest paths, by
// number of arcs, that lead through v. Scores have the same bits for every number of threads of one placement and list
// of processors. Numbers of paths have exponents of 22 bits: they do not overflow. Errors are Run's, or wrap
// graph.ErrNoVertex.
func (e *Engine) Betweenness(ctx context.Context, o BetweennessOptions) (*BetweennessResult, error) {
	if o.Samples < 0 || o.Samples > 0 && o.Roots != nil {
		return nil, fmt.Errorf("%w: betweenness of %d samples and %d roots", ErrArgument, o.Samples, len(o.Roots))
	}
	start := time.Now()
	p := &pathRoots{n: float64(e.n)}
	if o.Roots == nil && o.Samples == 0 && !o.NoReduction && !e.opts.ReleaseHost {
		c, err := e.Components(ctx) // refuses what is to be refused
		if err != nil {
			return nil, err
		}
		p.component = c.Labels
	}
	r, err := inTurn(ctx, e, func(t *turn) (*BetweennessResult, error) { return p.search(ctx, e, t, &o) })
	if err == nil {
		r.Time = time.Since(start)
	}
	return r, err
}

func (p *pathRoots) search(ctx context.Context, e *Engine, t *turn, o *BetweennessOptions) (*BetweennessResult, error) {
	if err := p.choose(e, o); err != nil {
		return nil, err
	}
	r := &BetweennessResult{Searches: int64(len(p.ranks))}
	begin, scale := time.Now(), p.scale(e.place.Directed, o)
	done, many := 0, true
	for _, numbers := range []struct {
		*program.Program
		one program.Bits
	}{{betweenness, program.Pack(1.0)}, {manyPaths, program.Bits(scaledOne)}} {
		if !many {
			break
		}
		run, err := e.run(ctx, t, numbers.Program, 28*int64(e.n), driven(func(d *driver) {
			for many = false; done < len(p.ranks); done++ {
				root, weight := p.ranks[done], scale
				if p.reach != nil {
					weight *= p.reach[root]
				}
				if many = d.searchPaths(root, numbers.one, weight); many || d.err != nil {
					return
				}
				left := remaining(begin, done+1, len(p.ranks))
				if r.Predicted == 0 && 50*(done+1) >= len(p.ranks) {
					r.Predicted = time.Since(begin) + left
				}
				if o.Progress != nil {
					o.Progress(int64(done+1), r.Searches, left)
				}
			}
		}))
		if err != nil {
			return nil, err
		}
		before := r.Scores
		r.RunResult, r.Scores = run, ArrayOf[float64](run, bcScore)
		for v, x := range before {
			r.Scores[v] += x
		}
	}
	if many {
		return nil, fmt.Errorf("engine: betweenness: %w: a vertex has more than 2^%d shortest paths", kernels.ErrUnsupported, scaledBias-scaledMargin)
	}
	for id, rank := range e.place.RankOf {
		switch {
		case p.reach == nil:
		case rank != graph.None && p.removed[rank]:
			r.Scores[id] = scale * p.closed[rank]
		case rank != graph.None:
			r.Scores[id] += scale * p.closed[rank]
		}
	}
	return r, nil
}

// remaining is the predicted time of the searches left, which take the same time each.
func remaining(start time.Time, done, of int) time.Duration {
	return time.Duration(float64(time.Since(start)) * float64(of-done) / float64(max(1, done)))
}
