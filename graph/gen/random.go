package gen

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/totemgo/totemgo/graph"
)

// MaxEdges is the largest number of edges of a recipe.
const MaxEdges = 1 << 55

// RMATOptions describe a recursive-matrix graph (Chakrabarti, Zhan and Faloutsos,
// "R-MAT: a recursive model for graph mining", 2004). They are a Recipe.
type RMATOptions struct {
	// Scale is the binary logarithm of the number of vertices, MinScale..MaxScale.
	Scale int
	// Edges is the number of edges; 0 means DefaultEdgeFactor for each vertex.
	Edges int64
	// A, B, C and D are the probabilities of the quadrants (0,0), (0,1), (1,0) and
	// (1,1) of the adjacency matrix, at every level. They must not be negative and add
	// up to 1 within 1e-6. All 0 means 0.57, 0.19, 0.19 and 0.05.
	A, B, C, D float64
	// Seed chooses the graph.
	Seed uint64
	// KeepNames leaves vertices with the numbers that the quadrants give them, so that
	// small ones have high degrees. Otherwise a seeded permutation is applied.
	KeepNames bool
	// Threads bounds the goroutines that make edges; 0 means GOMAXPROCS.
	Threads int
	// Weights asks for float32 weights, multiples of 2^-24 in (0, 1].
	Weights bool
	// Progress is as in KroneckerOptions.
	Progress func(done, total int64)
}

// UniformOptions describe a random graph with a fixed number of edges, each between
// two vertices drawn evenly: self-loops and duplicates occur. They are a Recipe.
type UniformOptions struct {
	// Vertices is the number of vertices, at least 1 if there are edges.
	Vertices int64
	// Edges is the number of edges.
	Edges int64
	// Seed, Threads, Weights and Progress are as in RMATOptions.
	Seed     uint64
	Threads  int
	Weights  bool
	Progress func(done, total int64)
}

// Size implements Recipe.
func (o RMATOptions) Size() (Size, error) {
	err := cmp.Or(
		checkRange("scale", int64(o.Scale), MinScale, MaxScale),
		checkRange("edges", o.Edges, 0, MaxEdges))
	if err != nil {
		return Size{}, err
	}
	a, b, c, d := o.quadrants()
	if !(a >= 0 && b >= 0 && c >= 0 && d >= 0) || math.Abs(a+b+c+d-1) > 1e-6 {
		return Size{}, fmt.Errorf("%w: quadrants %v, %v, %v, %v are not probabilities that add up to 1", ErrOption, a, b, c, d)
	}
	n := int64(1) << o.Scale
	return sizeOf(n, cmp.Or(o.Edges, DefaultEdgeFactor*n), o.Weights), nil
}

func (o RMATOptions) quadrants() (a, b, c, d float64) {
	if o.A == 0 && o.B == 0 && o.C == 0 && o.D == 0 {
		return 0.57, 0.19, 0.19, 0.05
	}
	return o.A, o.B, o.C, o.D
}

func (o RMATOptions) hooks() hooks { return hooks{o.Threads, o.Weights, o.Progress} }

// Fill implements Recipe.
func (o RMATOptions) Fill(ctx context.Context, from int64, edges []graph.Edge, weights []float32) error {
	a, b, c, _ := o.quadrants()
	// One draw of 32 bits decides a level.
	limit := func(p float64) uint64 { return uint64(min(max(math.Round(p*(1<<32)), 0), 1<<32)) }
	belowA, belowB, belowC := limit(a), limit(a+b), limit(a+b+c)
	names := newStream(o.Seed, saltNames, 0)
	rename := newScramble(o.Scale, names.next(), names.next())
	return fill(ctx, o, from, edges, weights, func(from int64, edges []graph.Edge, weights []float32) {
		for i := range edges {
			s := newStream(o.Seed, saltEdges, from+int64(i))
			var u, v, draw uint64
			for level := range o.Scale {
				if level&1 == 0 {
					draw = s.next()
				}
				r := draw & math.MaxUint32
				draw >>= 32
				// 1 where r is not below the limit.
				notA, notB, notC := 1-(r-belowA)>>63, 1-(r-belowB)>>63, 1-(r-belowC)>>63
				u = u<<1 | notB
				v = v<<1 | notA&^notB | notC
			}
			if !o.KeepNames {
				u, v = rename.id(u), rename.id(v)
			}
			edges[i] = graph.Edge{U: uint32(u), V: uint32(v)}
		}
		fillWeights(o.Seed, from, weights)
	})
}

// Size implements Recipe.
func (o UniformOptions) Size() (Size, error) {
	err := cmp.Or(
		checkRange("vertices", o.Vertices, 0, graph.MaxVertices),
		checkRange("edges", o.Edges, 0, MaxEdges))
	if err != nil {
		return Size{}, err
	}
	if o.Vertices == 0 && o.Edges > 0 {
		return Size{}, fmt.Errorf("%w: %d edges without a vertex", ErrOption, o.Edges)
	}
	return sizeOf(o.Vertices, o.Edges, o.Weights), nil
}

func (o UniformOptions) hooks() hooks { return hooks{o.Threads, o.Weights, o.Progress} }

// Fill implements Recipe.
func (o UniformOptions) Fill(ctx context.Context, from int64, edges []graph.Edge, weights []float32) error {
	n := uint64(o.Vertices)
	return fill(ctx, o, from, edges, weights, func(from int64, edges []graph.Edge, weights []float32) {
		for i := range edges {
			s := newStream(o.Seed, saltEdges, from+int64(i))
			edges[i] = graph.Edge{U: uint32(s.below(n)), V: uint32(s.below(n))}
		}
		fillWeights(o.Seed, from, weights)
	})
}
