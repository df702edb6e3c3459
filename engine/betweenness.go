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

// Arrays and operators of betweenness.
const (
	bcSeen  = iota // 1 for a visited vertex, else the largest value
	bcPaths        // shortest paths from the root, as a scaled number
	bcIn           // what a pull collects: paths, then shares
	bcGive         // (1 + dependency) ÷ paths
	bcScore

	bcMark  = 0 // edge operators
	bcCount = 1
	bcBack  = 2

	bcUnseen = 0 // vertex operators
	bcMove   = 1
	bcShare  = 2
)

// betweenness is Brandes' algorithm (2001) for one root: paths are counted level by level, forward, dependencies
// summed up backward, both by pull between stored sets, so that sums have one order.
var betweenness = &program.Program{
	Name: "betweenness",
	Arrays: []program.Array{{Name: "seen", Type: program.U32, Init: program.Top, Scratch: true}, {Name: "paths", Type: program.U64, Scratch: true},
		{Name: "in", Type: program.U64, Scratch: true}, {Name: "give", Type: program.U64, Scratch: true}, {Name: "score", Type: program.F64}},
	Edges: []program.EdgeOp{
		{Name: "mark", From: -1, To: bcSeen, Map: program.One, Combine: program.Min},
		{Name: "count", From: bcPaths, To: bcIn, Rows: scaledSum{}, Device: scaledSumDevice},
		{Name: "back", From: bcGive, To: bcIn, Arcs: program.Backward, Rows: scaledSum{}, Device: scaledSumDevice},
	},
	Vertices: []program.VertexOp{
		{Name: "unseen", Device: "if (seen[v] != U32_TOP) DROP;", Block: func(b *program.Block) {
			seen := program.Of[uint32](b, bcSeen)
			for i := range b.Each() {
				if seen[i] == 1 {
					b.Drop(i)
				}
			}
		}},
		{Name: "move", Block: movePaths, Device: movePathsDevice},
		{Name: "share", Block: sharePaths, Device: sharePathsDevice},
	},
}

// movePaths ends the count of a level. Sum[0] is the number of vertices near the largest scaled number.
func movePaths(b *program.Block) {
	seen, paths, in := program.Of[uint32](b, bcSeen), program.Of[uint64](b, bcPaths), program.Of[uint64](b, bcIn)
	for i := range b.Each() {
		seen[i], paths[i], in[i] = 1, in[i], 0
		if paths[i] > scaledLimit {
			b.Sum[0]++
		}
	}
}

// sharePaths ends the collection of a level: it adds Args[0] × the dependency to the score and forgets the vertex.
func sharePaths(b *program.Block) {
	seen, paths, in := program.Of[uint32](b, bcSeen), program.Of[uint64](b, bcPaths), program.Of[uint64](b, bcIn)
	give, score := program.Of[uint64](b, bcGive), program.Of[float64](b, bcScore)
	for i := range b.Each() {
		dependency := product(paths[i], in[i])
		score[i] += b.Args[0] * dependency
		give[i] = quotient(1+dependency, paths[i])
		seen[i], in[i] = program.Largest[uint32](), 0
	}
	clear(b.Set)
}

// searchPaths adds the dependencies of a root × weight to scores.
func searchPaths(m program.Machine, root uint32, weight float64) error {
	const unseen = program.MaxSets
	if _, err := m.Seed(root, bcIn, program.Bits(scaledOne)); err != nil {
		return err
	}
	level := program.Set(1) // level − 1 arcs from the root
	for ; ; level++ {
		f, sums, err := m.VertexMap(bcMove, program.Default)
		if err != nil {
			return err
		}
		if sums.Sum[0] > 0 {
			return fmt.Errorf("%w: a vertex has more than 2^%d shortest paths", kernels.ErrUnsupported, scaledBias-scaledMargin)
		}
		if f.Count == 0 {
			break
		}
		if err := m.Keep(level); err != nil {
			return err
		}
		over := level + 1
		if f.Arcs > m.Info().Arcs/pullPart { // counting finds the next level
			if _, _, err = m.VertexMap(bcUnseen, program.All); err == nil {
				over, err = unseen, m.Keep(unseen)
			}
		} else if _, err = m.EdgeMap(bcMark, program.Step{Way: program.Push}); err == nil {
			err = m.Keep(over)
		}
		if err != nil {
			return err
		}
		if _, err := m.EdgeMap(bcCount, program.Step{Way: program.Pull, From: level, Over: over}); err != nil {
			return err
		}
	}
	for level--; level > 0; level-- {
		if level == 1 {
			weight = 0 // the root's own
		}
		if _, _, err := m.VertexMap(bcShare, level, weight); err != nil {
			return err
		}
		if level > 2 {
			if _, err := m.EdgeMap(bcBack, program.Step{Way: program.Pull, From: level, Over: level - 1}); err != nil {
				return err
			}
		}
	}
	return nil
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
	t, err := e.take(ctx, false)
	if err != nil {
		return nil, err
	}
	defer t.release()
	if err := p.choose(e, &o); err != nil {
		return nil, err
	}
	r := &BetweennessResult{Searches: int64(len(p.ranks))}
	begin := time.Now()
	run, err := e.run(ctx, t, betweenness, 20*int64(e.n), func(m program.Machine) error {
		for i, root := range p.ranks {
			weight := 1.0
			if p.reach != nil {
				weight = p.reach[root]
			}
			if err := searchPaths(m, root, weight); err != nil {
				return err
			}
			left := remaining(begin, i+1, len(p.ranks))
			if r.Predicted == 0 && 50*(i+1) >= len(p.ranks) {
				r.Predicted = time.Since(begin) + left
			}
			if o.Progress != nil {
				o.Progress(int64(i+1), r.Searches, left)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.RunResult, r.Scores = run, ArrayOf[float64](run, bcScore)
	scale := p.scale(e.place.Directed, &o)
	for id, rank := range e.place.RankOf {
		if rank != graph.None && p.reach != nil {
			if p.removed[rank] {
				r.Scores[id] = 0
			}
			r.Scores[id] += p.closed[rank]
		}
		r.Scores[id] *= scale
	}
	r.Time = time.Since(start)
	return r, nil
}
