package graphio

import (
	"fmt"
	"strings"

	"github.com/totemgo/totemgo/graph"
)

// Adjacency graphs, as Ligra and GBBS read them (Ligra README, "Input Format for Ligra Applications"): the word
// AdjacencyGraph or WeightedAdjacencyGraph, then n, m, n offsets, m targets and, with the longer word, m weights, one a
// line. Ids count from 0. The file does not say whether an edge stands at both ends: it is directed unless
// Options.Direction says otherwise, which takes both arcs for one edge where each has its mirror image.

// adjacencyBlock is the numbers of a block of lines.
type adjacencyBlock struct{ numbers weightBuf }

// readAdjacency reads an adjacency graph.
func readAdjacency(in *input, f *File) (graph.Source, error) {
	const want = "AdjacencyGraph or WeightedAdjacencyGraph"
	h := in.peekRecord("")
	if h == nil {
		return nil, bad(ErrTruncated, "the end of the file", want)
	}
	i := skipBlanks(h.text, 0)
	first := token(h.text, i, 0)
	word := strings.ToLower(string(first))
	if word != "adjacencygraph" && word != "weightedadjacencygraph" {
		return nil, h.fault(ErrFormat, quote(h.text), want)
	}
	in.win = in.win[i+len(first):] // numbers may follow on the line
	blocks, err := parseBlocks(in, 0, func(b block, out *adjacencyBlock) error {
		n := min(b.count, int64(len(b.data)/2+1))
		if err := in.hold(n * 8); err != nil {
			return err
		}
		out.numbers = makeWeights(integers, int(n))
		for c := b.lines(); c.next(); {
			for !c.end() {
				at := *c
				e := c.weight(&out.numbers)
				if e == nil && out.numbers.real {
					e = at.fault(ErrFormat, quote(token(b.data, at.i, 0)), "an integer")
				}
				if e != nil {
					e.Found, e.Hint = strings.TrimPrefix(e.Found, "weight "), Hint{}
					return e
				}
			}
		}
		return in.hold(int64(cap(out.numbers.ints))*8 - n*8) // several on a line
	})
	if err != nil {
		return nil, err
	}
	var all [][]int64
	total := int64(0)
	for _, b := range blocks {
		all = append(all, b.numbers.ints)
		total += int64(len(b.numbers.ints))
	}
	// next takes one number; there are total.
	next := func() int64 {
		for len(all[0]) == 0 {
			all = all[1:]
		}
		v := all[0][0]
		all[0] = all[0][1:]
		return v
	}
	if total < 2 {
		return nil, bad(ErrTruncated, plural(total, "number"), "numbers of vertices and edges")
	}
	n, m, lists := next(), next(), int64(1)
	if strings.HasPrefix(word, "w") {
		lists = 2
	}
	if n < 0 || m < 0 || n > graph.MaxVertices || m > total {
		return nil, bad(ErrTooLarge, fmt.Sprintf("%d vertices and %d edges declared", n, m),
			fmt.Sprintf("counts from 0 on, and no more than a file of %s holds", plural(total, "number")))
	}
	if want := 2 + n + lists*m; total != want {
		return nil, bad(short(total, want), plural(total, "number"), fmt.Sprintf("%d, as %d vertices and %d edges imply", want, n, m))
	}
	size := m * 8
	if lists == 2 && in.o.WeightColumn >= 0 {
		size += m * 8
	}
	if err := in.hold(size + n*8); err != nil {
		return nil, err
	}
	offsets := make([]int64, n+1)
	for v := range n {
		offsets[v] = next()
		if o := offsets[v]; o < 0 || o > m || v > 0 && o < offsets[v-1] || v == 0 && o != 0 {
			return nil, bad(ErrFormat, fmt.Sprintf("offset %d of vertex %d", o, v), fmt.Sprintf("offsets that rise from 0 to %d", m))
		}
	}
	offsets[n] = m
	if n == 0 && m > 0 {
		return nil, bad(ErrFormat, fmt.Sprintf("%d edges", m), "none in a graph without vertices")
	}
	list := &graph.EdgeList{Vertices: int(n), Directed: true, Edges: make([]graph.Edge, 0, m)}
	for v := range n {
		for range offsets[v+1] - offsets[v] {
			t := next()
			if t < 0 || t >= n {
				return nil, bad(ErrFormat, fmt.Sprintf("neighbour %d of vertex %d", t, v), fmt.Sprintf("0..%d", n-1))
			}
			list.Edges = append(list.Edges, graph.Edge{U: uint32(v), V: uint32(t)})
		}
	}
	if lists == 2 && in.o.WeightColumn >= 0 {
		weights := makeWeights(integers, int(m))
		for range m {
			weights.addInt(next())
		}
		list.Weights = joinWeights([]*weightBuf{&weights}, integers)
	} else if lists == 2 {
		f.Report.IgnoredColumns = m
	}
	if in.o.Direction == Undirected {
		list.Directed = false
		foldMirrored(list)
	}
	return list, nil
}
