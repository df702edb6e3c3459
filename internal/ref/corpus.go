package ref

import (
	"math/rand/v2"

	"github.com/totemgo/totemgo/graph"
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
	seen := make(map[int]bool)
	for _, v := range []int{0, most, least, n / 2, n - 1} {
		if !seen[v] {
			seen[v] = true
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
		add(name+", directed", true, n, append([]graph.Edge(nil), edges...)...)
	}

	add("no vertices", false, 0)
	add("one vertex", false, 1)
	add("one vertex, self-loops", false, 1, pairs(0, 0, 0, 0)...)
	both("two vertices", 2, pairs(0, 1)...)
	add("two vertices, no edge", true, 2)
	both("three vertices, loops and duplicates", 3, pairs(0, 1, 1, 0, 0, 1, 2, 2, 1, 1)...)
	add("70 vertices, no edges", false, 70)

	for _, n := range []int{63, 64, 65} {
		size := map[int]string{63: "63", 64: "64", 65: "65"}[n]
		add("chain of "+size, false, n, chain(n)...)
		add("star of "+size, false, n, star(n)...)
		add("uniform on "+size+", directed", true, n, uniform(uint64(n), n, 3*n)...)
	}
	both("complete on 40", 40, complete(40)...)
	both("cycle of 100", 100, append(chain(100), graph.Edge{U: 99, V: 0})...)
	add("chain towards the first", true, 50, reversed(chain(50))...)
	add("only self-loops and isolated", false, 130, pairs(0, 0, 64, 64, 129, 129, 64, 64)...)

	// Where partitions disagree: vertices found twice in a level, arcs that lead back.
	both("diamonds", 301, diamonds(100)...)
	both("strip of triangles", 200, strip(200)...)
	add("chain with arcs back", true, 120, append(chain(120), back(120)...)...)
	both("layers", 220, layers(11, 20)...)
	add("two meeting paths", false, 9, pairs(0, 1, 0, 2, 1, 3, 2, 4, 3, 5, 4, 5, 3, 4, 5, 6, 6, 7, 7, 8, 8, 5, 2, 3)...)

	add("chain of 1500", false, 1500, chain(1500)...)
	add("star of 1200", false, 1200, star(1200)...)
	add("star of 1200, outwards", true, 1200, star(1200)...)
	add("two stars, joined", false, 1400, append(twoStars(1400), graph.Edge{U: 0, V: 1})...)
	add("two stars, apart", false, 1400, twoStars(1400)...)
	both("grid 34 by 35", 34*35, grid(34, 35)...)
	add("binary tree", false, 2047, tree(2047)...)
	add("hypercube of 2^10, twice", false, 2048, append(cube(10, 0), cube(10, 1024)...)...)
	add("bipartite, complete, 20 and 1100", false, 1120, bipartite(20, 1100)...)
	both("uniform on 2000", 2000, uniform(7, 2000, 6000)...)
	add("uniform on 1500, thin", false, 1500, uniform(8, 1500, 1100)...)
	both("scale-free of scale 10", 1<<10, rmat(9, 10, 16<<10)...)
	both("scale-free of scale 11", 1<<11, rmat(10, 11, 12<<11)...)
	add("scale-free with isolated vertices between", false, 3<<11, spread(rmat(11, 11, 8<<11), 3)...)
	add("many small components", false, 1800, components(1800, 6)...)
	return c
}

func pairs(uv ...uint32) (edges []graph.Edge) {
	for i := 0; i < len(uv); i += 2 {
		edges = append(edges, graph.Edge{U: uv[i], V: uv[i+1]})
	}
	return edges
}

func chain(n int) (edges []graph.Edge) {
	for v := 1; v < n; v++ {
		edges = append(edges, graph.Edge{U: uint32(v - 1), V: uint32(v)})
	}
	return edges
}

func reversed(edges []graph.Edge) []graph.Edge {
	for i, e := range edges {
		edges[i] = graph.Edge{U: e.V, V: e.U}
	}
	return edges
}

// back leads from every third vertex two steps back.
func back(n int) (edges []graph.Edge) {
	for v := 3; v < n; v += 3 {
		edges = append(edges, graph.Edge{U: uint32(v), V: uint32(v - 2)})
	}
	return edges
}

func star(n int) (edges []graph.Edge) {
	for v := 1; v < n; v++ {
		edges = append(edges, graph.Edge{U: 0, V: uint32(v)})
	}
	return edges
}

func twoStars(n int) (edges []graph.Edge) {
	for v := 2; v < n; v++ {
		edges = append(edges, graph.Edge{U: uint32(v % 2), V: uint32(v)})
	}
	return edges
}

func complete(n int) (edges []graph.Edge) {
	for u := range n {
		for v := range u {
			edges = append(edges, graph.Edge{U: uint32(u), V: uint32(v)})
		}
	}
	return edges
}

// diamonds are n rhombi in a row, each joined to the next at a corner.
func diamonds(n int) (edges []graph.Edge) {
	for i := range n {
		a := uint32(3 * i)
		edges = append(edges, pairs(a, a+1, a, a+2, a+1, a+3, a+2, a+3)...)
	}
	return edges
}

func strip(n int) (edges []graph.Edge) {
	edges = chain(n)
	for v := 2; v < n; v++ {
		edges = append(edges, graph.Edge{U: uint32(v - 2), V: uint32(v)})
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

func grid(rows, columns int) (edges []graph.Edge) {
	for v := range rows * columns {
		if (v+1)%columns != 0 {
			edges = append(edges, graph.Edge{U: uint32(v), V: uint32(v + 1)})
		}
		if v+columns < rows*columns {
			edges = append(edges, graph.Edge{U: uint32(v), V: uint32(v + columns)})
		}
	}
	return edges
}

func tree(n int) (edges []graph.Edge) {
	for v := 1; v < n; v++ {
		edges = append(edges, graph.Edge{U: uint32((v - 1) / 2), V: uint32(v)})
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

func bipartite(a, b int) (edges []graph.Edge) {
	for u := range a {
		for v := range b {
			edges = append(edges, graph.Edge{U: uint32(u), V: uint32(a + v)})
		}
	}
	return edges
}

func uniform(seed uint64, n, m int) (edges []graph.Edge) {
	r := rand.New(rand.NewPCG(seed, 1))
	for range m {
		edges = append(edges, graph.Edge{U: uint32(r.IntN(n)), V: uint32(r.IntN(n))})
	}
	return edges
}

// rmat is a recursive-matrix graph with Graph500's probabilities, its vertices
// renamed at random.
func rmat(seed uint64, scale, m int) (edges []graph.Edge) {
	r := rand.New(rand.NewPCG(seed, 2))
	names := r.Perm(1 << scale)
	for range m {
		u, v := 0, 0
		for range scale {
			u, v = 2*u, 2*v
			switch p := r.IntN(100); {
			case p < 57:
			case p < 76:
				v++
			case p < 95:
				u++
			default:
				u, v = u+1, v+1
			}
		}
		edges = append(edges, graph.Edge{U: uint32(names[u]), V: uint32(names[v])})
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
		for i := range size {
			edges = append(edges, graph.Edge{U: uint32(first + i), V: uint32(first + (i+1)%size)})
		}
	}
	return edges
}
