package gen

import (
	"cmp"
	"context"
	"math"
	"sort"

	"github.com/totemgo/totemgo/graph"
)

// Shape is a kind of regular graph.
type Shape uint8

// The shapes.
const (
	// Chain joins every vertex to the next.
	Chain Shape = iota
	// Star joins vertex 0 to every other.
	Star
	// Complete joins every two vertices.
	Complete
)

// ShapeOptions describe a chain, a star or a complete graph. They are a Recipe.
type ShapeOptions struct {
	Shape Shape
	// Vertices is the number of vertices.
	Vertices int64
	// Seed chooses the weights; the edges do not depend on it.
	Seed uint64
	// Threads, Weights and Progress are as in RMATOptions.
	Threads  int
	Weights  bool
	Progress func(done, total int64)
}

// GridOptions describe a grid: vertex r·Columns + c is joined to its right and its
// lower neighbour. They are a Recipe.
type GridOptions struct {
	// Rows and Columns must both be 0 or both above.
	Rows, Columns int64
	// Seed chooses the weights; the edges do not depend on it.
	Seed uint64
	// Threads, Weights and Progress are as in RMATOptions.
	Threads  int
	Weights  bool
	Progress func(done, total int64)
}

// Size implements Recipe.
func (o ShapeOptions) Size() (Size, error) {
	most := int64(graph.MaxVertices)
	if o.Shape == Complete {
		most = 1 << 28 // 2^28·(2^28−1)/2 is below MaxEdges
	}
	err := cmp.Or(
		checkRange("shape", int64(o.Shape), int64(Chain), int64(Complete)),
		checkRange("vertices", o.Vertices, 0, most))
	if err != nil {
		return Size{}, err
	}
	n := o.Vertices
	m := max(n-1, 0)
	if o.Shape == Complete {
		m = n * (n - 1) / 2
	}
	return sizeOf(n, m, o.Weights), nil
}

func (o ShapeOptions) hooks() hooks { return hooks{o.Threads, o.Weights, o.Progress} }

// Fill implements Recipe. The edges of a complete graph are in rising order.
func (o ShapeOptions) Fill(ctx context.Context, from int64, edges []graph.Edge, weights []float32) error {
	return fill(ctx, o, from, edges, weights, func(from int64, edges []graph.Edge, weights []float32) {
		switch o.Shape {
		case Chain, Star:
			for i := range edges {
				u := uint32(from + int64(i))
				edges[i] = graph.Edge{U: u, V: u + 1}
				if o.Shape == Star {
					edges[i].U = 0
				}
			}
		case Complete:
			n := o.Vertices
			// Edges before those of vertex u with later vertices.
			before := func(u int64) int64 { return u * (2*n - u - 1) / 2 }
			u := int64(sort.Search(int(n), func(u int) bool { return before(int64(u)+1) > from }))
			v := u + 1 + from - before(u)
			for i := range edges {
				edges[i] = graph.Edge{U: uint32(u), V: uint32(v)}
				if v++; v == n {
					u++
					v = u + 1
				}
			}
		}
		fillWeights(o.Seed, from, weights)
	})
}

// Size implements Recipe.
func (o GridOptions) Size() (Size, error) {
	least := int64(1)
	if o.Rows == 0 && o.Columns == 0 {
		least = 0
	}
	err := cmp.Or(
		checkRange("rows", o.Rows, least, graph.MaxVertices),
		checkRange("columns", o.Columns, least, graph.MaxVertices),
		checkRange("vertices", int64(min(float64(o.Rows)*float64(o.Columns), 1<<62)), 0, graph.MaxVertices))
	if err != nil {
		return Size{}, err
	}
	n := o.Rows * o.Columns
	return sizeOf(n, 2*n-o.Rows-o.Columns, o.Weights), nil
}

func (o GridOptions) hooks() hooks { return hooks{o.Threads, o.Weights, o.Progress} }

// Fill implements Recipe. The edges of a row of vertices are consecutive: first those
// to the right, then those down.
func (o GridOptions) Fill(ctx context.Context, from int64, edges []graph.Edge, weights []float32) error {
	right := o.Columns - 1 // edges to the right in a row of vertices; as many and one go down
	perRow := right + o.Columns
	return fill(ctx, o, from, edges, weights, func(from int64, edges []graph.Edge, weights []float32) {
		row, k := from/perRow, from%perRow
		for i := range edges {
			first := row * o.Columns
			limit := right
			if row == o.Rows-1 {
				limit = math.MaxInt64
			}
			if k < limit {
				u := uint32(first + k)
				edges[i] = graph.Edge{U: u, V: u + 1}
			} else {
				u := first + k - right
				edges[i] = graph.Edge{U: uint32(u), V: uint32(u + o.Columns)}
			}
			if k++; k == perRow {
				row, k = row+1, 0
			}
		}
		fillWeights(o.Seed, from, weights)
	})
}
