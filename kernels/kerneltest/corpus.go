package kerneltest

import (
	"slices"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/ref"
)

// corpus returns the graphs of the kit, a part of ref.Corpus. Sizes lie around the widths
// of words and groups, and some graphs are large enough that slices travel as lists.
func corpus() (list []ref.Named) {
	names := []string{
		"70 vertices, no edges", "two vertices", "two vertices, directed",
		"three vertices, loops and duplicates", "three vertices, loops and duplicates, directed",
		"chain of 65", "chain with arcs back", "cycle of 100", "star of 65", "star of 1200", "star of 1200, outwards",
		"complete on 40", "strip of triangles, directed", "layers", "layers, directed", "two stars, joined",
		"two stars, apart", "many small components", "uniform on 2000", "uniform on 2000, directed",
		"scale-free of scale 9", "scale-free of scale 9, directed",
	}
	for _, g := range ref.Corpus() {
		if slices.Contains(names, g.Name) {
			list = append(list, g)
		}
	}
	return list
}

// uniform is a graph of n vertices and m edges drawn evenly.
func uniform(n, m int, seed uint64) *graph.EdgeList {
	return &graph.EdgeList{Vertices: n, Edges: ref.Uniform(seed, n, m)}
}

// simple returns the rows of a graph without loops and duplicates: the out-neighbours and
// the in-neighbours of each vertex, rising.
func simple(l *graph.EdgeList) (out, in [][]uint32) {
	out, in = make([][]uint32, l.Vertices), make([][]uint32, l.Vertices)
	arc := func(u, v uint32) {
		if u != v {
			out[u] = append(out[u], v)
			in[v] = append(in[v], u)
		}
	}
	for _, e := range l.Edges {
		arc(e.U, e.V)
		if !l.Directed {
			arc(e.V, e.U)
		}
	}
	for v := range out {
		slices.Sort(out[v])
		slices.Sort(in[v])
		out[v], in[v] = slices.Compact(out[v]), slices.Compact(in[v])
	}
	return out, in
}
