package ref

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/gen"
)

// Named is a graph of the corpus.
type Named struct {
	Name string
	List *graph.EdgeList
}

// Roots returns a few different vertices to search from: the first, the last, one in
// the middle, one with the most records, and one without any, as far as there are.
func (g Named) Roots() []uint32 {
	n := g.List.Vertices
	if n == 0 {
		return nil
	}
	records := make([]int, n)
	for _, e := range g.List.Edges {
		records[e.U]++
		records[e.V]++
	}
	most, least := 0, 0
	for v, r := range records {
		if r > records[most] {
			most = v
		}
		if r < records[least] {
			least = v
		}
	}
	var roots []uint32
	for _, v := range []int{0, most, least, n / 2, n - 1} {
		if !slices.Contains(roots, uint32(v)) {
			roots = append(roots, uint32(v))
		}
	}
	return roots
}

// Corpus returns small graphs, the same at every call, unweighted, with dense ids:
// directed and undirected; without vertices or edges; with 1, 2, 3, 63, 64 and 65
// vertices; disconnected, with self-loops and duplicates; regular and scale-free.
// The caller may change them.
func Corpus() []Named {
	var c []Named
	add := func(name string, directed bool, n int, edges ...graph.Edge) {
		c = append(c, Named{name, &graph.EdgeList{Vertices: n, Directed: directed, Edges: edges}})
	}
	both := func(name string, n int, edges ...graph.Edge) {
		add(name, false, n, edges...)
		add(name+", directed", true, n, slices.Clone(edges)...)
	}

	add("no vertices", false, 0)
	add("one vertex", false, 1)
	add("one vertex, self-loops", false, 1, pairs(0, 0, 0, 0)...)
	both("two vertices", 2, pairs(0, 1)...)
	add("two vertices, no edge", true, 2)
	both("three vertices, loops and duplicates", 3, pairs(0, 1, 1, 0, 0, 1, 2, 2, 1, 1)...)
	add("70 vertices, no edges", false, 70)

	for _, n := range []int{63, 64, 65} {
		size := strconv.Itoa(n)
		add("chain of "+size, false, n, Chain(n)...)
		add("star of "+size, false, n, Star(n)...)
		add("uniform on "+size+", directed", true, n, Uniform(uint64(n), n, 3*n)...)
	}
	both("complete on 40", 40, Make(gen.ShapeOptions{Shape: gen.Complete, Vertices: 40})...)
	both("cycle of 100", 100, append(Chain(100), graph.Edge{U: 99, V: 0})...)
	add("chain towards the first", true, 50, join(0, 49, 1, func(v int) (from, to int) { return v + 1, v })...)
	add("only self-loops and isolated", false, 130, pairs(0, 0, 64, 64, 129, 129, 64, 64)...)

	// Where partitions disagree: vertices found twice in a level, arcs that lead back.
	both("diamonds", 301, diamonds(100)...)
	both("strip of triangles", 200, strip(200)...)
	add("chain with arcs back", true, 120, append(Chain(120), back(120)...)...)
	both("layers", 220, layers(11, 20)...)
	add("two meeting paths", false, 9, pairs(0, 1, 0, 2, 1, 3, 2, 4, 3, 5, 4, 5, 3, 4, 5, 6, 6, 7, 7, 8, 8, 5, 2, 3)...)

	add("chain of 1500", false, 1500, Chain(1500)...)
	add("star of 1200", false, 1200, Star(1200)...)
	add("star of 1200, outwards", true, 1200, Star(1200)...)
	add("two stars, joined", false, 1400, append(twoStars(1400), graph.Edge{U: 0, V: 1})...)
	add("two stars, apart", false, 1400, twoStars(1400)...)
	both("grid 34 by 35", 34*35, Make(gen.GridOptions{Rows: 34, Columns: 35})...)
	add("binary tree", false, 2047, tree(2047)...)
	add("hypercube of 2^10, twice", false, 2048, append(cube(10, 0), cube(10, 1024)...)...)
	add("bipartite, complete, 20 and 1100", false, 1120, bipartite(20, 1100)...)
	both("uniform on 2000", 2000, Uniform(7, 2000, 6000)...)
	add("uniform on 1500, thin", false, 1500, Uniform(8, 1500, 1100)...)
	both("scale-free of scale 9", 1<<9, RMAT(12, 9, 6<<9)...)
	both("scale-free of scale 10", 1<<10, RMAT(9, 10, 16<<10)...)
	both("scale-free of scale 11", 1<<11, RMAT(10, 11, 12<<11)...)
	add("scale-free with isolated vertices between", false, 3<<11, spread(RMAT(11, 11, 8<<11), 3)...)
	add("many small components", false, 1800, components(1800, 6)...)
	return c
}

// Make returns the edges of a recipe.
func Make(r gen.Recipe) []graph.Edge {
	l, err := gen.Make(context.Background(), r)
	if err != nil {
		panic(err) // a bug of the test
	}
	return l.Edges
}

// Chain returns the edges of a path of n vertices.
func Chain(n int) []graph.Edge {
	return Make(gen.ShapeOptions{Shape: gen.Chain, Vertices: int64(n)})
}

// Star returns the edges between vertex 0 and n−1 others.
func Star(n int) []graph.Edge { return Make(gen.ShapeOptions{Shape: gen.Star, Vertices: int64(n)}) }

// Uniform returns m edges between vertices below n, drawn evenly.
func Uniform(seed uint64, n, m int) []graph.Edge {
	return Make(gen.UniformOptions{Seed: seed, Vertices: int64(n), Edges: int64(m)})
}

// RMAT returns m edges of a recursive-matrix graph of 2^scale vertices.
func RMAT(seed uint64, scale, m int) []graph.Edge {
	return Make(gen.RMATOptions{Seed: seed, Scale: scale, Edges: int64(m)})
}

func pairs(uv ...uint32) (edges []graph.Edge) {
	for i := 0; i < len(uv); i += 2 {
		edges = append(edges, graph.Edge{U: uv[i], V: uv[i+1]})
	}
	return edges
}

// join makes an edge of every step-th v from first to below n.
func join(first, n, step int, ends func(v int) (from, to int)) (edges []graph.Edge) {
	for v := first; v < n; v += step {
		a, b := ends(v)
		edges = append(edges, graph.Edge{U: uint32(a), V: uint32(b)})
	}
	return edges
}

// back leads from every third vertex two steps back.
func back(n int) []graph.Edge {
	return join(3, n, 3, func(v int) (from, to int) { return v, v - 2 })
}

func twoStars(n int) []graph.Edge {
	return join(2, n, 1, func(v int) (from, to int) { return v % 2, v })
}

func tree(n int) []graph.Edge {
	return join(1, n, 1, func(v int) (from, to int) { return (v - 1) / 2, v })
}

func strip(n int) []graph.Edge {
	return append(Chain(n), join(2, n, 1, func(v int) (from, to int) { return v - 2, v })...)
}

func bipartite(a, b int) []graph.Edge {
	return join(0, a*b, 1, func(i int) (from, to int) { return i / b, a + i%b })
}

// diamonds are n rhombi in a row, each joined to the next at a corner.
func diamonds(n int) (edges []graph.Edge) {
	for i := range n {
		a := uint32(3 * i)
		edges = append(edges, pairs(a, a+1, a, a+2, a+1, a+3, a+2, a+3)...)
	}
	return edges
}

// layers joins every vertex of a layer to three of the next, and one of two back.
func layers(depth, width int) (edges []graph.Edge) {
	r := rand.New(rand.NewPCG(3, 0))
	at := func(layer int) uint32 { return uint32(layer*width + r.IntN(width)) }
	for layer := range depth - 1 {
		for i := range width {
			v := uint32(layer*width + i)
			edges = append(edges, pairs(v, at(layer+1), v, at(layer+1), v, at(layer+1))...)
			if layer >= 2 {
				edges = append(edges, graph.Edge{U: v, V: at(layer - 2)})
			}
		}
	}
	return edges
}

func cube(dimensions, first int) (edges []graph.Edge) {
	for v := range 1 << dimensions {
		for d := range dimensions {
			if w := v ^ 1<<d; v < w {
				edges = append(edges, graph.Edge{U: uint32(first + v), V: uint32(first + w)})
			}
		}
	}
	return edges
}

// spread multiplies all ids.
func spread(edges []graph.Edge, by uint32) []graph.Edge {
	for i := range edges {
		edges[i].U *= by
		edges[i].V *= by
	}
	return edges
}

// components are cycles of size vertices, a vertex being left out between them.
func components(n, size int) (edges []graph.Edge) {
	for first := 0; first+size < n; first += size + 1 {
		edges = append(edges, join(0, size, 1, func(i int) (from, to int) { return first + i, first + (i+1)%size })...)
	}
	return edges
}
