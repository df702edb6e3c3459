package graphio

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/totemgo/totemgo/graph"
)

// Totem text, after the comment at the top of Totem's totem_graph.h:
//
//	# NODES: n [Y]
//	# EDGES: m
//	# DIRECTED or # UNDIRECTED
//	[vertex list, with Y: "id value", rising, up to vertex n−1]
//	edge list: "source destination [weight]", rising by source
//
// Ids count from 0. Totem fills its rows straight from the list, so an undirected file
// lists each edge at both ends; a file that lists each once is read as well.

// readTotem reads Totem text.
func readTotem(in *input, f *File) (graph.Source, error) {
	var n, m uint64
	var edgesLine int64
	directed, valued := true, false
	var seen [3]bool
	header := func() error {
		for k := 0; k < 3; {
			text, size, ok, err := in.peekLine()
			if err != nil {
				return err
			}
			if !ok {
				if k == 2 {
					return nil
				}
				return &Error{Found: "the end of the file", Want: "# NODES:, # EDGES: and # DIRECTED or # UNDIRECTED", Err: ErrTruncated}
			}
			line := in.lines + 1
			words := strings.FieldsFunc(string(text), func(r rune) bool { return r == ' ' || r == '\t' || r == ':' || r == '#' })
			i := skipBlanks(text, 0)
			if i == len(text) {
				in.skip(size)
				continue
			}
			if text[i] != '#' {
				if k == 2 { // the third line may be missing: directed
					return nil
				}
				return fault(line, 0, ErrFormat, quote(text), "# NODES:, # EDGES: and # DIRECTED or # UNDIRECTED")
			}
			word := ""
			if len(words) > 0 {
				word = strings.ToUpper(words[0])
			}
			number := func(to *uint64) error {
				if len(words) < 2 {
					return fault(line, 0, ErrFormat, "no number", "a number after # "+word+":")
				}
				v, err := strconv.ParseUint(words[1], 10, 64)
				if err != nil {
					return fault(line, 0, ErrFormat, quote([]byte(words[1])), "a whole number after # "+word+":")
				}
				*to = v
				return nil
			}
			at := 0
			switch word {
			case "NODES":
				if err := number(&n); err != nil {
					return err
				}
				if len(words) > 2 {
					if !strings.EqualFold(words[2], "Y") {
						return fault(line, 0, ErrFormat, quote([]byte(words[2])), "Y or nothing")
					}
					valued = true
				}
			case "EDGES":
				at = 1
				edgesLine = line
				if err := number(&m); err != nil {
					return err
				}
			case "DIRECTED", "UNDIRECTED":
				at = 2
				directed = word == "DIRECTED"
				f.Report.DirectionStated = true
			default:
				return fault(line, 0, ErrFormat, quote(text), "# NODES:, # EDGES: and # DIRECTED or # UNDIRECTED")
			}
			if seen[at] {
				return fault(line, 0, ErrFormat, "a second # "+word, "each once")
			}
			seen[at] = true
			k++
			in.skip(size)
		}
		return nil
	}
	if err := header(); err != nil {
		return nil, err
	}
	if !seen[0] || !seen[1] {
		return nil, fault(1, 0, ErrFormat, "a header without counts", "# NODES: and # EDGES:")
	}
	if err := checkDeclared(edgesLine, n, m, "edges"); err != nil {
		return nil, err
	}
	if valued {
		if err := totemValues(in, f, n); err != nil {
			return nil, err
		}
	}
	shape := &listShape{comments: "#", what: "vertex", columns: 2, fixedBy: "the first edge has no weight"}
	text, _, ok, err := in.peekRecord('#')
	if err != nil {
		return nil, err
	}
	if ok && countColumns(text, 0) > 2 {
		shape.columns, shape.fixedBy = 3, "the first edge has a weight"
		if in.o.WeightColumn >= 0 {
			shape.weight = 3
		}
	}
	blocks, err := parseRanged(in, shape, 0, n, "Totem")
	if err != nil {
		return nil, err
	}
	if err := declared(in, f, blocks, n, m, edgesLine, "edge", "edges"); err != nil {
		return nil, err
	}
	list := &graph.EdgeList{Vertices: int(n), Directed: directed}
	if err := joinList(in, f, list, blocks, shape.weight > 0); err != nil {
		return nil, err
	}
	if !directed {
		foldMirrored(list)
	}
	return list, nil
}

// totemValues reads the vertex list, whose values no algorithm uses.
func totemValues(in *input, f *File, n uint64) error {
	for next := uint64(0); next < n; {
		text, size, ok, err := in.peekRecord('#')
		if err != nil {
			return err
		}
		line := in.lines + 1
		if !ok {
			return &Error{Found: "the end of the file", Want: fmt.Sprintf("a value of vertex %d, which ends the vertex list", n-1), Err: ErrTruncated}
		}
		words := strings.Fields(string(text))
		if len(words) != 2 {
			return fault(line, 0, ErrFormat, plural(int64(len(words)), "column"), "2: vertex, value")
		}
		v, err := strconv.ParseUint(words[0], 10, 64)
		if err != nil || v < next || v >= n {
			return fault(line, 0, ErrFormat, "vertex "+quote([]byte(words[0])), fmt.Sprintf("%d..%d, rising", next, n-1))
		}
		next = v + 1
		f.Report.IgnoredColumns++
		in.skip(size)
		if err := in.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// foldMirrored keeps one of the two records of each edge where the list holds every
// edge at both ends, with one weight.
func foldMirrored(list *graph.EdgeList) {
	var low, high [2]uint64
	weight := func(int) uint64 { return 0 }
	if list.Weights.Kind() != graph.Unweighted {
		weight = func(i int) uint64 { return weightBits(list.Weights, i) }
	}
	mirrored := false
	for i, e := range list.Edges {
		u, v, w := uint64(e.U), uint64(e.V), weight(i)
		switch {
		case u < v:
			low[0] += mix(0, u, v, w)
			low[1] += mix(mixKey, u, v, w)
			mirrored = true
		case u > v:
			high[0] += mix(0, v, u, w)
			high[1] += mix(mixKey, v, u, w)
		}
	}
	if low != high || !mirrored {
		return
	}
	n := 0
	for i, e := range list.Edges {
		if e.U <= e.V {
			list.Edges[n] = e
			if list.Weights.Kind() != graph.Unweighted {
				list.Weights.Copy(n, list.Weights, i)
			}
			n++
		}
	}
	list.Edges = list.Edges[:n]
	list.Weights = list.Weights.Slice(0, min(n, list.Weights.Len()))
}

// writeTotem writes Totem text, with rows in rising order and an undirected edge at
// both ends, as Totem reads them.
func writeTotem(w *writer) error {
	g, err := w.rows()
	if err != nil {
		return err
	}
	w.labelLoss(0)
	direction := "DIRECTED"
	if !g.IsDirected() {
		direction = "UNDIRECTED"
	}
	if _, err := fmt.Fprintf(w.out, "# NODES: %d\n# EDGES: %d\n# %s\n", g.NumVertices(), g.NumArcs(), direction); err != nil {
		return err
	}
	offsets, weights := g.Offsets(), g.Weights()
	return w.rowBlocks(g, func(dst []byte, v uint32) []byte {
		for k, t := range g.Row(v) {
			dst = strconv.AppendUint(dst, uint64(v), 10)
			dst = append(dst, ' ')
			dst = strconv.AppendUint(dst, uint64(t), 10)
			if w.kind != graph.Unweighted {
				dst = append(dst, ' ')
				dst = appendWeight(dst, weights, int(offsets[v])+k)
			}
			dst = append(dst, '\n')
		}
		return dst
	})
}
