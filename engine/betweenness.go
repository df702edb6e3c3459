package engine

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

// BetweennessOptions choose roots and scale of Betweenness. The zero value is exact, over unordered pairs of an
// undirected graph and ordered pairs of a directed one: betweenness_centrality(normalized=False) of networkx, and
// betweenness of igraph.
type BetweennessOptions struct {
	// Roots, if there are any, are the only sources of paths, as ids of the file. One given twice counts twice.
	Roots []uint64
	// Samples is the number of sources, chosen by Seed among all n vertices; 0 and n or more take all. Scores are
	// scaled by n ÷ Samples, as networkx does with k. Roots take no Samples.
	Samples int
	Seed    uint64
	// Ordered counts an undirected graph's pairs both ways: twice the score.
	Ordered bool
	// Normalized divides by the number of pairs of other vertices: normalized of networkx and igraph.
	Normalized bool
	// NoReduction searches from vertices of degree 1, and from those that are so once others are left out, too. They
	// have a closed form. Directed graphs and chosen sources take no reduction.
	NoReduction bool
	levels      bool // tests: no search is one thread's
	// Progress, if not nil, is called after each search, by one goroutine at a time, with the time that those left are
	// predicted to take.
	Progress func(done, of int64, left time.Duration)
}

// BetweennessResult has the betweenness of each vertex by dense id.
type BetweennessResult struct {
	*RunResult
	Scores []float64
	// Searches is the number of roots searched from.
	Searches int64
	// Predicted is the time as predicted once 2% of them, four batches a thread and 50 ms were done, and Time what they took.
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
	p := &pathRoots{n: float64(e.n), predicted: prediction{start: time.Now(), progress: o.Progress}}
	if o.Roots == nil && o.Samples == 0 && !o.NoReduction && !e.opts.ReleaseHost {
		c, err := e.Components(ctx) // refuses what is to be refused
		if err != nil {
			return nil, err
		}
		p.component = c.Labels
	}
	r, err := inTurn(ctx, e, func(t *turn) (*BetweennessResult, error) { return p.search(ctx, e, t, &o) })
	if err == nil {
		r.Predicted, r.Time = p.predicted.early, time.Since(p.predicted.start)
	}
	return r, err
}

// search searches from the roots chosen. Where levels are small, each root is one thread's, in host memory; else all
// processors share each level.
func (p *pathRoots) search(ctx context.Context, e *Engine, t *turn, o *BetweennessOptions) (*BetweennessResult, error) {
	if err := p.choose(e, o); err != nil {
		return nil, err
	}
	r := &BetweennessResult{Searches: int64(len(p.ranks))}
	// The first searches are examples of all.
	rand.New(rand.NewPCG(0, 0)).Shuffle(len(p.ranks), func(i, j int) { p.ranks[i], p.ranks[j] = p.ranks[j], p.ranks[i] })
	p.predicted.of = r.Searches
	scale := p.scale(e.place.Directed, o)
	serial, most := &serialPaths{pathRoots: p, scale: scale}, math.MaxInt/2
	if e.manySearcher() != nil && !o.levels {
		if err := serial.open(e); err != nil {
			return nil, err
		}
		most = int(serial.rows.Arcs() / serialLevel)
	}
	done, many := 0, true // many: the search from root done has more levels or paths than its program takes
	for _, numbers := range []struct {
		*program.Program
		one program.Bits
	}{{betweenness, program.Pack(1.0)}, {manyPaths, program.Bits(scaledOne)}} {
		if !many || serial.rows != nil && r.Scores != nil {
			break
		}
		run, err := e.run(ctx, t, numbers.Program, pathRootBytes*int64(e.place.Ranks), driven(func(d *driver) {
			for many = false; done < len(p.ranks); done++ {
				root, weight, start := p.ranks[done], scale, time.Now()
				if p.reach != nil {
					weight *= p.reach[root]
				}
				if many = d.searchPaths(root, numbers.one, weight, most); many || d.err != nil {
					return
				}
				if done == 0 {
					most *= 2 // no search of the component has more: none changes the way
				}
				p.predicted.finished(1, 1, time.Since(start))
			}
		}))
		if err != nil {
			return nil, err
		}
		r.add(run, ArrayOf[float64](run, bcScore))
	}
	switch {
	case many && serial.rows != nil:
		if err := serial.search(ctx, e, t, p.ranks[done:]); err != nil {
			return nil, err
		}
		scores := make([]float64, e.n)
		for id, rank := range e.place.RankOf {
			if rank != graph.None {
				scores[id] = serial.scores[rank]
			}
		}
		r.add(&RunResult{labels: e.labels}, scores)
	case many:
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

// add adds the scores of more roots.
func (r *BetweennessResult) add(run *RunResult, scores []float64) {
	for v, x := range r.Scores {
		scores[v] += x
	}
	r.RunResult, r.Scores = run, scores
}
