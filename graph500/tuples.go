package graph500

import (
	"context"
	"fmt"
	"slices"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/gen"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/internal/workers"
)

// packed is the tuple list of a run with kernel 3: ids of 48 bits, as the specification wants
// them, 12 bytes a tuple, and a float32 weight each, 4 bytes. It is undirected.
type packed struct {
	vertices int
	tuples   [][3]uint32 // low 32 bits of u and of v; bits 32–47 of u, and of v in the upper half
	weights  []float32
}

// packedBits is the width of an id in a packed list.
const packedBits = 48

// tupleGrain is the number of tuples made at a time.
const tupleGrain = 1 << 20

// generate makes the tuples of a run, and returns where to write the number of vertices, which
// kernel 1 finds.
func generate(ctx context.Context, c Config) (tuples graph.Source, vertices *int, err error) {
	total := int64(c.EdgeFactor) << c.Scale
	o := gen.KroneckerOptions{
		Scale: c.Scale, EdgeFactor: c.EdgeFactor, Seed1: c.Seed1, Seed2: c.Seed2, Threads: c.Threads,
		Progress: func(done, total int64) { c.Progress(Generating, done, total) },
	}
	if !c.SSSP {
		list, err := gen.Make(ctx, o)
		if err != nil {
			return nil, nil, err
		}
		return list, &list.Vertices, nil
	}
	if err := hugemem.Check(16 * total); err != nil {
		return nil, nil, fmt.Errorf("%w: %d tuples: %w", gen.ErrAlloc, total, err)
	}
	p := &packed{tuples: make([][3]uint32, total), weights: make([]float32, total)}
	edges := make([]graph.Edge, min(total, tupleGrain))
	for lo := int64(0); lo < total; lo += tupleGrain {
		hi := min(lo+tupleGrain, total)
		edges = edges[:hi-lo]
		o.Progress = func(done, _ int64) { c.Progress(Generating, lo+done, total) }
		if err := o.Fill(ctx, lo, edges, p.weights[lo:hi]); err != nil {
			return nil, nil, err
		}
		for i, e := range edges {
			p.tuples[lo+int64(i)] = [3]uint32{e.U, e.V, 0} // scales end at 31: no id has upper bits
		}
	}
	return p, &p.vertices, nil
}

// countVertices returns the largest id plus one, with the given number of threads.
func countVertices(ctx context.Context, tuples graph.Source, threads int) (int, error) {
	tops := make([]uint32, workers.Count(threads)) // by worker
	err := graph.EachBlock(ctx, tuples, threads, blocksOf(tuples), func(w, _ int, edges []graph.Edge) error {
		top := tops[w]
		for _, e := range edges {
			top = max(top, e.U, e.V)
		}
		tops[w] = top
		return nil
	})
	return int(slices.Max(tops)) + 1, err
}

func (p *packed) NumVertices() int             { return p.vertices }
func (p *packed) NumEdges() int64              { return int64(len(p.tuples)) }
func (p *packed) IsDirected() bool             { return false }
func (p *packed) WeightKind() graph.WeightKind { return graph.Float32 }
func (p *packed) VertexLabels() *graph.Labels  { return graph.IdentityLabels(p.vertices, 0) }
func (p *packed) Blocks(n int) int             { return min(n, len(p.tuples)) }

// span returns the tuples of block i.
func (p *packed) span(n, i int) (lo, hi int) {
	n = p.Blocks(n)
	return len(p.tuples) * i / n, len(p.tuples) * (i + 1) / n
}

// Block implements graph.Source. Upper bits of ids are 0.
func (p *packed) Block(n, i int, buf []graph.Edge) []graph.Edge {
	lo, hi := p.span(n, i)
	buf = slices.Grow(buf[:0], hi-lo)[:hi-lo]
	for k, t := range p.tuples[lo:hi] {
		buf[k] = graph.Edge{U: t[0], V: t[1]}
	}
	return buf
}

func (p *packed) BlockWeights(n, i int) graph.Weights {
	lo, hi := p.span(n, i)
	return graph.WeightsOf(p.weights[lo:hi])
}
