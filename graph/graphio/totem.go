package graphio

import (
	"fmt"
	"math"
	"slices"
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
// Ids count from 0. Totem fills its rows straight from the list, so an undirected file lists each edge at both ends; a
// file that lists each once is read as well.

const totemWords = "# NODES:, # EDGES: and # DIRECTED or # UNDIRECTED"

// totemHeader is what the first lines say.
type totemHeader struct {
	n, m       uint64
	edges      int64 // line of # EDGES
	valued     bool  // a vertex list follows
	undirected bool
	seen       map[string]bool
}

// readTotem reads Totem text.
func readTotem(in *input, f *File) (graph.Source, error) {
	h := totemHeader{seen: map[string]bool{}}
	l := in.peekRecord("") // comments are the header
	for ; len(h.seen) < 3 && l != nil && l.text[skipBlanks(l.text, 0)] == '#'; l = in.peekRecord("") {
		if err := h.take(in, l); err != nil {
			return nil, err
		}
		in.skip(l)
	}
	switch { // the third line may be missing: directed
	case h.seen["NODES"] && h.seen["EDGES"]:
	case l == nil:
		return nil, bad(ErrTruncated, "the end of the file", totemWords)
	default:
		return nil, l.fault(ErrFormat, quote(l.text), totemWords)
	}
	f.Report.DirectionStated = h.seen["DIRECTED"]
	records := &layout{directed: !h.undirected, comments: "#", ends: [2]string{"vertex", "vertex"}, columns: 2, want: "2: the first edge has no weight",
		declared: declare("Totem", h.edges, 0, h.n, h.m, "edge", "edges")}
	if err := records.declared.sane(in); err != nil {
		return nil, err
	}
	if h.valued {
		if err := totemValues(in, f, h.n); err != nil {
			return nil, err
		}
	}
	if first := in.peekRecord("#"); first != nil && countColumns(first.text, 0) > 2 {
		records.columns, records.weight, records.want = 3, 3, "3: the first edge has a weight"
	}
	records.folds = h.undirected
	return in.declaredList(f, records)
}

// take takes a line of the header.
func (h *totemHeader) take(in *input, l *line) error {
	words := strings.FieldsFunc(string(l.text), func(r rune) bool { return strings.ContainsRune(" \t:#", r) })
	word := ""
	if len(words) > 0 {
		word = strings.ToUpper(words[0])
	}
	slot := strings.TrimPrefix(word, "UN")
	switch word {
	case "NODES", "EDGES":
		if len(words) < 2 {
			return l.fault(ErrFormat, "no number", "a number after # "+word+":")
		}
		v, err := in.promised(l.wholes(words[1:], "after # "+word+":"))
		if err != nil {
			return err
		}
		if word == "EDGES" {
			h.m, h.edges = v[0], l.at
		} else if h.n, h.valued = v[0], len(words) > 2; h.valued && !strings.EqualFold(words[2], "Y") {
			return l.fault(ErrFormat, quote(words[2]), "Y or nothing")
		}
	case "DIRECTED", "UNDIRECTED":
		h.undirected = word == "UNDIRECTED"
	default:
		return l.fault(ErrFormat, quote(l.text), totemWords)
	}
	if h.seen[slot] {
		return l.fault(ErrFormat, "a second # "+word, "each once")
	}
	h.seen[slot] = true
	return nil
}

// totemValues reads the vertex list, whose values no algorithm uses.
func totemValues(in *input, f *File, n uint64) error {
	for next := uint64(0); next < n; {
		l, err := in.header("#", fmt.Sprintf("a value of vertex %d, which ends the vertex list", n-1))
		if err != nil {
			return err
		}
		words := l.words()
		if len(words) != 2 {
			return l.fault(ErrFormat, plural(int64(len(words)), "column"), "2: vertex, value")
		}
		v, err := strconv.ParseUint(words[0], 10, 64)
		if err != nil || v < next || v >= n {
			return l.fault(ErrFormat, "vertex "+quote(words[0]), fmt.Sprintf("%d..%d, rising", next, n-1))
		}
		next = v + 1
		f.Report.IgnoredColumns++
		if err := in.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// foldMirrored keeps one of the two records of each edge where the list holds every edge at both ends, with one weight, and
// tells whether it does.
func foldMirrored(list *graph.EdgeList) bool {
	if !slices.ContainsFunc(list.Edges, func(e graph.Edge) bool { return e.U < e.V }) {
		return false // as in most symmetric matrices
	}
	var sum mirror
	weighted := list.Weights.Kind() != graph.Unweighted
	for i, e := range list.Edges {
		w := uint64(0)
		if weighted {
			w = math.Float64bits(list.Weights.Float64(i))
		}
		sum.add(uint64(e.U), uint64(e.V), w)
	}
	if sum.low != sum.high || sum == (mirror{}) {
		return false
	}
	n := 0
	for i, e := range list.Edges {
		if e.U <= e.V {
			list.Edges[n] = e
			list.Weights.Copy(n, list.Weights, i)
			n++
		}
	}
	list.Edges = list.Edges[:n]
	list.Weights = list.Weights.Slice(0, min(n, list.Weights.Len()))
	return true
}

// writeTotem writes Totem text, with rows in rising order and an undirected edge at both ends, as Totem reads them.
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
			dst = w.line(dst, ' ', uint64(v), uint64(t), weights, int(offsets[v])+k)
		}
		return dst
	})
}
