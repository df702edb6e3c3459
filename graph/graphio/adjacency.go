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
	total := int64(0)
	for _, b := range blocks {
		total += int64(len(b.numbers.ints))
	}
	if total < 2 {
		return nil, bad(ErrTruncated, plural(total, "number"), "numbers of vertices and edges")
	}
	if err := in.hold(total * 8); err != nil {
		return nil, err
	}
	all := make([]int64, 0, total)
	for _, b := range blocks {
		all, b.numbers.ints = append(all, b.numbers.ints...), nil
	}
	n, m, all, lists := all[0], all[1], all[2:], int64(1)
	if strings.HasPrefix(word, "w") {
		lists = 2
	}
	size := 2 + n + lists*m
	switch {
	case n < 0 || m < 0 || n > graph.MaxVertices || m > total:
		return nil, bad(ErrTooLarge, fmt.Sprintf("%d vertices and %d edges declared", n, m),
			fmt.Sprintf("counts from 0 on, and no more than a file of %s holds", plural(total, "number")))
	case total != size:
		return nil, bad(short(total, size), plural(total, "number"), fmt.Sprintf("%d, as %d vertices and %d edges imply", size, n, m))
	case n == 0 && m > 0:
		return nil, bad(ErrFormat, fmt.Sprintf("%d edges", m), "none in a graph without vertices")
	}
	offsets, targets, weights := all[:n], all[n:n+m], all[n+m:]
	if in.o.WeightColumn < 0 {
		f.Report.IgnoredColumns, weights = int64(len(weights)), nil
	}
	if err := in.hold(m*8 + int64(len(weights))*8); err != nil {
		return nil, err
	}
	list := &graph.EdgeList{Vertices: int(n), Directed: true, Edges: make([]graph.Edge, 0, m)}
	last := int64(0)
	for v, o := range offsets {
		if o < last || o > m || v == 0 && o != 0 {
			return nil, bad(ErrFormat, fmt.Sprintf("offset %d of vertex %d", o, v), fmt.Sprintf("offsets that rise from 0 to %d", m))
		}
		last = o
	}
	for v, o := range offsets {
		end := m
		if v+1 < len(offsets) {
			end = offsets[v+1]
		}
		for _, t := range targets[o:end] {
			if t < 0 || t >= n {
				return nil, bad(ErrFormat, fmt.Sprintf("neighbour %d of vertex %d", t, v), fmt.Sprintf("0..%d", n-1))
			}
			list.Edges = append(list.Edges, graph.Edge{U: uint32(v), V: uint32(t)})
		}
	}
	if len(weights) > 0 {
		list.Weights = joinWeights([]*weightBuf{{ints: weights}}, integers)
	}
	if in.o.Direction == Undirected {
		list.Directed = false
		foldMirrored(list)
	}
	return list, nil
}
