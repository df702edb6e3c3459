package graphio

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/totemgo/totemgo/graph"
)

// METIS graph files, after the manual of METIS 5 (G. Karypis, section "Input file
// formats"): a line "n m [fmt [ncon]]", then for each vertex a line with its size
// (fmt 1xx), its ncon weights (fmt x1x) and its neighbours, each followed by the edge's
// weight (fmt xx1). Ids count from 1, every edge stands at both ends.

type metisHeader struct {
	layout
	at        int64 // the header's line
	ncon      int
	sizes     bool
	weighted  bool // edges have weights
	keepUpper bool
}

// edgeEnd is an edge as one of its ends lists it, u < v.
type edgeEnd struct {
	u, v   uint32
	weight float64
}

// metisBlock is what one block of vertex lines holds.
type metisBlock struct {
	records
	rows, firstRow int64 // vertex lines in it, and before it
	entries, loops int64
	mirror         mirror
	upper          []edgeEnd // the entries met from the upper end, where they are kept
	vertex         []int64
	vertexSizes    []int64
}

// readMETIS reads a METIS graph.
func readMETIS(in *input, f *File) (graph.Source, error) {
	h, _, err := readMETISHeader(in)
	if err != nil {
		return nil, err
	}
	d := h.declared
	if err := in.expectDeclared(d, false); err != nil {
		return nil, err
	}
	// The upper entries are needed to name an edge that stands at one end only; a mapped file can be read again for that.
	h.keepUpper = in.m == nil
	body, first := in.win, in.lines
	scan := func() ([]*metisBlock, error) {
		in.win, in.lines = body, first
		return parseBlocks(in, '%', func(b block, out *metisBlock) error { return h.parse(in, b, out) })
	}
	blocks, err := scan()
	if err != nil {
		return nil, err
	}
	var rows, entries, loops int64
	var sum mirror
	lists := make([]*records, len(blocks))
	for i, b := range blocks {
		lists[i] = &b.records
		rows += b.rows
		entries += b.entries
		loops += b.loops
		for k := range sum.low {
			sum.low[k] += b.mirror.low[k]
			sum.high[k] += b.mirror.high[k]
		}
	}
	// A last empty line without a line end cannot be told from no line at all; a line that says something of the vertex
	// is not empty.
	valued := h.sizes || h.ncon > 0
	if missing := int64(d.vertices) - rows; missing > 1 || missing == 1 && valued {
		if !in.o.Lenient || valued || sparse(d.vertices, rows+entries) {
			return nil, bad(ErrTruncated, plural(rows, "vertex line"), fmt.Sprintf("%d, as line %d says", d.vertices, h.at))
		}
		f.Report.Tolerated += missing
		f.Report.warnf("%s at the end missing: read as vertices without edges", plural(missing, "vertex line"))
	}
	if sum.low != sum.high {
		if !h.keepUpper {
			h.keepUpper = true
			if blocks, err = scan(); err != nil {
				return nil, err
			}
		}
		return nil, oneSided(blocks)
	}
	edges := uint64((entries-loops)/2 + loops)
	if edges != d.records {
		loopsTwice := loops > 0 && uint64(entries) == 2*d.records
		if !in.o.Lenient && !loopsTwice {
			return nil, fault(h.at, 0, short(edges, d.records), fmt.Sprintf("%s (%d list entries)", plural(int64(edges), "edge"), entries),
				fmt.Sprintf("%d edges (%d list entries), as the header says", d.records, 2*d.records))
		}
		f.Report.toleratef("%d edges declared on line %d, %d found", d.records, h.at, edges)
	}
	if loops > 0 {
		f.Report.Tolerated += loops
		f.Report.warnf("%s, which METIS does not allow", plural(loops, "self-loop"))
	}
	list, err := in.list(f, &h.layout, lists)
	if err == nil && valued {
		f.Vertex = &VertexData{PerVertex: h.ncon}
		for _, b := range blocks {
			f.Vertex.Weights = append(f.Vertex.Weights, b.vertex...)
			f.Vertex.Sizes = append(f.Vertex.Sizes, b.vertexSizes...)
		}
	}
	return list, err
}

// readMETISHeader reads the header, which has two words or more.
func readMETISHeader(in *input) (h *metisHeader, n int, err error) {
	head, err := in.header("%", "a header: vertices, edges")
	if err != nil {
		return nil, 0, err
	}
	words := head.words()
	n = len(words)
	if n < 2 || n > 4 {
		return nil, n, head.fault(ErrFormat, "a header of "+plural(int64(n), "column"), "2 to 4: vertices, edges, fmt, ncon")
	}
	counts, err := in.promised(head.wholes(words, "of vertices", "of edges"))
	if err != nil {
		return nil, n, err
	}
	h = &metisHeader{at: head.at, layout: layout{declared: declare("METIS", head.at, 1, counts[0], counts[1], "edge", "edges")}}
	if err := h.declared.sane(in); err != nil {
		return nil, n, err
	}
	flags := fmt.Sprintf("%03s", strings.Join(words[min(2, n):min(3, n)], ""))
	if len(flags) > 3 || strings.Trim(flags, "01") != "" {
		return nil, n, head.fault(ErrFormat, "fmt "+quote(words[2]), "up to three digits 0 or 1: sizes, vertex weights, edge weights")
	}
	h.sizes, h.ncon, h.weighted = flags[0] == '1', int(flags[1]-'0'), flags[2] == '1'
	if n == 4 {
		v, err := strconv.ParseUint(words[3], 10, 16)
		if err != nil || v == 0 && h.ncon > 0 {
			return nil, n, head.fault(ErrFormat, "ncon "+quote(words[3]), "a number of weights a vertex, from 1 on")
		}
		if v > 0 && h.ncon == 0 {
			return nil, n, head.fault(ErrFormat, fmt.Sprintf("ncon %d and a fmt without vertex weights", v), "fmt x1x")
		}
		h.ncon = int(v)
	}
	if h.weighted && in.o.WeightColumn >= 0 {
		h.weight = 1
	}
	return h, n, nil
}

// parse reads the vertex lines of a block.
func (h *metisHeader) parse(in *input, b block, out *metisBlock) error {
	n := h.declared.vertices
	out.first, out.firstRow = b.first, b.rows
	row := uint64(b.rows)
	var edges []graph.Edge
	var sum mirror
	var scratch weightBuf
	for c := b.lines(); c.next(); {
		if c.begins("%") {
			out.skipped = append(out.skipped, int32(c.line-1-b.first))
			continue
		}
		if row >= n {
			if !c.end() {
				return fault(c.line, 0, ErrFormat, "a line after the last vertex", fmt.Sprintf("%d vertices, as line %d says", n, h.at))
			}
			continue
		}
		row++
		out.rows++
		var err error
		if h.sizes {
			if out.vertexSizes, err = c.vertexNumber(out.vertexSizes, "vertex size"); err != nil {
				return err
			}
		}
		for range h.ncon {
			if out.vertex, err = c.vertexNumber(out.vertex, "vertex weight"); err != nil {
				return err
			}
		}
		for !c.end() {
			at := c.i
			v, k := parseDigits(b.data, at)
			if k <= at || k < len(b.data) && !blank(b.data[k]) && !eol(b.data[k]) {
				return idFault(c.line, c.column(), token(b.data, at, 0), "neighbour")
			}
			c.i = skipBlanks(b.data, k)
			switch {
			case v-1 >= n:
				return h.declared.outside(c.line, at-c.start+1, "neighbour", v, 0)
			case v == row && !in.o.Lenient:
				c.i = at
				return c.fault(ErrFormat, fmt.Sprintf("a self-loop at vertex %d", row), "none in METIS, whose ids begin at 1").
					advise("if they begin at 0, this is no METIS graph; else %s keeps it", CureLenient)
			case h.weighted && c.end():
				c.i = at
				return c.fault(ErrFormat, fmt.Sprintf("neighbour %d without a weight", v), fmt.Sprintf("pairs of neighbour and weight, as line %d says", h.at))
			}
			x := 0.0
			if h.weight > 0 {
				buf := &out.weights
				if v < row {
					buf = &scratch
					scratch.ints, scratch.floats = scratch.ints[:0], scratch.floats[:0]
				}
				if e := c.weight(buf); e != nil {
					return e
				}
				x = buf.at(buf.len() - 1)
			} else if h.weighted {
				c.word()
				out.ignored++
			}
			out.entries++
			w := math.Float64bits(x) // sums as mirror.add has them, without a call for each entry
			if v >= row {
				edges = append(edges, graph.Edge{U: uint32(row - 1), V: uint32(v - 1)})
			} else if h.keepUpper {
				out.upper = append(out.upper, edgeEnd{uint32(v - 1), uint32(row - 1), x})
			}
			switch {
			case v > row:
				sum.low[0] += mix(0, row, v, w)
				sum.low[1] += mix(mixKey, row, v, w)
			case v < row:
				sum.high[0] += mix(0, v, row, w)
				sum.high[1] += mix(mixKey, v, row, w)
			default:
				out.loops++
			}
		}
	}
	out.edges, out.count, out.mirror = edges, len(edges), sum
	return in.hold(int64(cap(edges))*8 + int64(cap(out.upper))*16 + int64(cap(out.weights.ints)+cap(out.weights.floats))*8)
}

// vertexNumber reads a vertex weight or size and appends it.
func (c *cursor) vertexNumber(to []int64, what string) ([]int64, error) {
	at := *c
	if c.end() {
		return to, c.fault(ErrFormat, "the end of the line", "a "+what)
	}
	v, e := c.number(what)
	if e != nil {
		return to, e
	}
	if v > math.MaxInt64 {
		return to, at.fault(ErrTooLarge, what+" "+strconv.FormatUint(v, 10), "at most 9223372036854775807")
	}
	return append(to, int64(v)), nil
}

// oneSided names an edge that one end lists and the other does not, or whose weights differ.
func oneSided(blocks []*metisBlock) error {
	var lower, upper []edgeEnd
	for _, b := range blocks {
		for i, e := range b.edges {
			w := 0.0
			if b.weights.len() > 0 {
				w = b.weights.at(i)
			}
			if e.U != e.V {
				lower = append(lower, edgeEnd{e.U, e.V, w})
			}
		}
		upper = append(upper, b.upper...)
	}
	ends := func(a, b edgeEnd) int { return cmp.Or(cmp.Compare(a.u, b.u), cmp.Compare(a.v, b.v)) }
	order := func(a, b edgeEnd) int { return cmp.Or(ends(a, b), cmp.Compare(a.weight, b.weight)) }
	slices.SortFunc(lower, order)
	slices.SortFunc(upper, order)
	lineOf := func(v uint32) int64 {
		for _, b := range blocks {
			if k := int64(v) - b.firstRow; k >= 0 && k < b.rows {
				return b.line(int(k))
			}
		}
		return 0
	}
	missing := func(e edgeEnd, has, lacks uint32) error {
		return fault(lineOf(has), 0, ErrFormat, fmt.Sprintf("edge %d-%d in the list of %d but not in that of %d", e.u+1, e.v+1, has+1, lacks+1),
			"every edge at both ends")
	}
	for i := 0; i < len(lower) || i < len(upper); i++ {
		switch {
		case i == len(upper) || i < len(lower) && ends(lower[i], upper[i]) < 0:
			return missing(lower[i], lower[i].u, lower[i].v)
		case i == len(lower) || ends(lower[i], upper[i]) > 0:
			return missing(upper[i], upper[i].v, upper[i].u)
		case lower[i].weight != upper[i].weight:
			e := lower[i]
			return fault(lineOf(e.v), 0, ErrFormat, fmt.Sprintf("weight %v for edge %d-%d", upper[i].weight, e.u+1, e.v+1),
				fmt.Sprintf("%v, as in the list of %d", e.weight, e.u+1))
		}
	}
	return bad(ErrFormat, "edges that only one end lists", "every edge at both ends")
}

// writeMETIS writes a METIS graph. What METIS cannot hold is refused all at once.
func writeMETIS(w *writer) error {
	g, err := w.rows()
	if err != nil {
		return err
	}
	var what, hints []string
	var cures []Cure
	refuse := func(there bool, part, hint string, cure Cure) {
		if there && part != "" {
			what = append(what, part)
		}
		if there {
			hints = append(hints, hint+" (%s)")
			cures = append(cures, cure)
		}
	}
	duplicates := g.Duplicates()
	refuse(isReal(w.kind), "real weights", "drop the weights", CureDropWeights)
	refuse(g.IsDirected(), "direction", "make it undirected", CureDirection)
	refuse(g.SelfLoops() > 0, plural(g.SelfLoops(), "self-loop"), "drop them", CureDropLoops)
	refuse(duplicates > 0, plural(duplicates, "duplicate edge"), "merge them", CureMergeDuplicates)
	refuse(duplicates == 0 && g.IsDirected(), "", "merge what then is double", CureMergeDuplicates)
	if len(what) > 0 {
		return loss(strings.Join(what, ", ")+": METIS has none of these", strings.Join(hints, ", "), cures...)
	}
	w.labelLoss(1)
	vertex, weights, offsets := w.o.Vertex, g.Weights(), g.Offsets()
	if vertex == nil {
		vertex = &VertexData{}
	}
	format := 0
	for _, has := range []bool{len(vertex.Sizes) > 0, len(vertex.Weights) > 0, w.kind != graph.Unweighted} {
		format *= 10
		if has {
			format++
		}
	}
	head := fmt.Sprintf("%d %d", g.NumVertices(), g.NumEdges())
	if format > 0 {
		head += fmt.Sprintf(" %d", format)
	}
	if vertex.PerVertex > 1 {
		head += fmt.Sprintf(" %d", vertex.PerVertex)
	}
	for i := 0; w.kind != graph.Unweighted && i < weights.Len(); i++ {
		if weights.Float64(i) <= 0 {
			w.report.Notes = append(w.report.Notes, "weights of 0 or less written, which the METIS manual does not allow")
			break
		}
	}
	if _, err := w.out.WriteString(head + "\n"); err != nil {
		return err
	}
	return w.rowBlocks(g, func(dst []byte, v uint32) []byte {
		start := len(dst)
		if len(vertex.Sizes) > 0 {
			dst = append(strconv.AppendInt(dst, vertex.Sizes[v], 10), ' ')
		}
		if c := vertex.PerVertex; len(vertex.Weights) > 0 {
			for _, x := range vertex.Weights[int(v)*c : (int(v)+1)*c] {
				dst = append(strconv.AppendInt(dst, x, 10), ' ')
			}
		}
		for k, t := range g.Row(v) {
			dst = append(strconv.AppendUint(dst, uint64(t)+1, 10), ' ')
			if w.kind != graph.Unweighted {
				dst = append(weights.Append(dst, int(offsets[v])+k), ' ')
			}
		}
		if len(dst) > start {
			dst = dst[:len(dst)-1]
		}
		return append(dst, '\n')
	})
}
