package engine

import (
	"context"
	"fmt"
	"math"

	"github.com/totemgo/totemgo/program"
)

// Arrays and operators of pageRank.
const (
	prRank   = iota
	prGive   // rank ÷ out-degree
	prIn     // sum over in-arcs of give
	prDegree // out-degree

	prCount = 0 // edge operators
	prSum   = 1
)

// pageRank is the power iteration in the form of a pull: in[v] sums give[u] over arcs u → v.
var pageRank = &program.Program{
	Name: "pagerank",
	Arrays: []program.Array{
		{Name: "rank", Type: program.F64}, {Name: "give", Type: program.F64}, {Name: "in", Type: program.F64},
		{Name: "degree", Type: program.I32},
	},
	Edges: []program.EdgeOp{
		{Name: "count", From: -1, To: prDegree, Arcs: program.Backward, Map: program.One, Combine: program.Sum},
		{Name: "sum", From: prGive, To: prIn, Map: program.Copy, Combine: program.Sum},
	},
	Vertices: []program.VertexOp{{Name: "damp", Block: damp}},
}

// damp sets rank to Args[0] + Args[1]·in. Sum[0] is the change of ranks (L1), Sum[1] the rank of
// vertices without out-arcs.
func damp(b *program.Block) {
	rank, give, in := program.Of[float64](b, prRank), program.Of[float64](b, prGive), program.Of[float64](b, prIn)
	degree := program.Of[int32](b, prDegree)
	for i := range rank {
		x := b.Args[0] + b.Args[1]*in[i]
		b.Sum[0] += math.Abs(x - rank[i])
		rank[i], in[i], give[i] = x, 0, 0
		if degree[i] == 0 {
			b.Sum[1] += x
		} else {
			give[i] = x / float64(degree[i])
		}
	}
}

// PageRankOptions control PageRank; zero values stand for the defaults.
type PageRankOptions struct {
	// Damping is the probability to follow an arc, 0.85 by default.
	Damping float64
	// Tolerance ends the iteration once ranks change by less, summed up (L1); 1e-6 by default.
	Tolerance float64
	// MaxIterations bounds the iterations, 100 by default. A negative Tolerance runs them all.
	MaxIterations int
}

// PageRankResult are the ranks of a graph.
type PageRankResult struct {
	*RunResult
	// Ranks holds the rank of every vertex by dense id; they add up to 1.
	Ranks []float64
	// Iterations is the number of those run, Change the last one's change of ranks (L1).
	Iterations int
	Change     float64
}

// PageRank returns the PageRank of every vertex (Page, Brin, Motwani, Winograd 1999) of the
// simple graph: parallel edges count once, self-loops do not count. The rank of vertices without
// out-arcs is spread over all vertices.
func (e *Engine) PageRank(ctx context.Context, o PageRankOptions) (*PageRankResult, error) {
	if o.Damping == 0 {
		o.Damping = 0.85
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-6
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = 100
	}
	if !(o.Damping > 0 && o.Damping < 1) || math.IsNaN(o.Tolerance) || o.MaxIterations < 0 {
		return nil, fmt.Errorf("%w: PageRank with damping %v, tolerance %v, %d iterations", ErrArgument, o.Damping, o.Tolerance, o.MaxIterations)
	}
	if e.n == 0 {
		return &PageRankResult{RunResult: &RunResult{labels: e.labels}}, nil
	}
	result := &PageRankResult{}
	n := float64(e.n)
	isolated := 1 / n // the rank of a vertex without arcs
	r, err := e.Run(ctx, pageRank, func(m program.Machine) error {
		if _, err := m.EdgeMap(prCount, program.Step{Way: program.Pull, From: program.All}); err != nil {
			return err
		}
		_, sums, err := m.VertexMap(0, program.All, 1/n, 0)
		for err == nil && result.Iterations < o.MaxIterations {
			if _, err = m.EdgeMap(prSum, program.Step{Way: program.Pull, From: program.All}); err != nil {
				break
			}
			alone := float64(m.Info().Isolated)
			base := (1-o.Damping)/n + o.Damping*(sums.Sum[1]+alone*isolated)/n
			_, sums, err = m.VertexMap(0, program.All, base, o.Damping)
			result.Iterations++
			result.Change = sums.Sum[0] + alone*math.Abs(base-isolated)
			isolated = base
			if result.Change < o.Tolerance {
				break
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	result.RunResult, result.Ranks = r, ArrayOf[float64](r, prRank)
	for v, rank := range result.Ranks {
		if rank == 0 { // no operator has seen v
			result.Ranks[v] = isolated
		}
	}
	return result, nil
}
