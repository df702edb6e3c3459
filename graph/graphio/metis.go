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
	n, m                             uint64
	line                             int64
	sizes, vertexWeights, edgeWeight bool
	ncon                             int
	keepUpper                        bool
}

// edgeEnd is an edge as one of its ends lists it, u < v.
type edgeEnd struct {
	u, v   uint32
	weight float64
}

// metisBlock is what one block of vertex lines holds.
type metisBlock struct {
	idBlock
	rows    int64 // vertex lines in it
	entries int64
	loops   int64
	// Sums of hashes of the edges met from their lower and from their upper end; they
	// agree where every edge stands at both ends with one weight.
	low, high   [2]uint64
	upper       []edgeEnd // the entries met from the upper end, where they are kept
	vertex      []int64
	vertexSizes []int64
	firstRow    int64
}

// readMETIS reads a METIS graph.
func readMETIS(in *input, f *File) (graph.Source, error) {
	h, err := readMETISHeader(in)
	if err != nil {
		return nil, err
	}
	weighted := h.edgeWeight && in.o.WeightColumn >= 0
	// The upper entries are needed to name an edge that stands at one end only; a mapped
	// file can be read again for that.
	h.keepUpper = in.m == nil
	body, line := in.win, in.lines
	blocks, err := parseBlocks(in, '%', func(b block, out *metisBlock) error { return h.parse(in, b, out, weighted) })
	if err != nil {
		return nil, err
	}
	var rows, entries, loops int64
	var low, high [2]uint64
	ids := make([]*idBlock, len(blocks))
	for i, b := range blocks {
		ids[i] = &b.idBlock
		rows += b.rows
		entries += b.entries
		loops += b.loops
		f.Report.IgnoredColumns += b.ignored
		for k := range low {
			low[k] += b.low[k]
			high[k] += b.high[k]
		}
	}
	// A last empty line without a line end cannot be told from no line at all; a line
	// that says something of the vertex is not empty.
	valued := h.sizes || h.vertexWeights
	if missing := int64(h.n) - rows; missing > 1 || missing == 1 && valued {
		if !in.o.Lenient || valued || sparse(h.n, rows+entries) {
			return nil, &Error{Found: plural(rows, "vertex line"), Want: fmt.Sprintf("%d, as line %d says", h.n, h.line), Err: ErrTruncated}
		}
		f.Report.Tolerated += missing
		f.Report.warnf("%s at the end missing: read as vertices without edges", plural(missing, "vertex line"))
	}
	if low != high {
		if !h.keepUpper {
			h.keepUpper = true
			in.win, in.lines = body, line
			if blocks, err = parseBlocks(in, '%', func(b block, out *metisBlock) error { return h.parse(in, b, out, weighted) }); err != nil {
				return nil, err
			}
		}
		return nil, h.oneSided(blocks)
	}
	edges := (entries-loops)/2 + loops
	if uint64(edges) != h.m {
		loopsTwice := loops > 0 && uint64(entries) == 2*h.m
		if !in.o.Lenient && !loopsTwice {
			e := &Error{Line: h.line, Found: fmt.Sprintf("%s (%d list entries)", plural(edges, "edge"), entries), Want: fmt.Sprintf("%d edges (%d list entries), as the header says", h.m, 2*h.m), Err: ErrFormat}
			if uint64(edges) < h.m {
				e.Err = ErrTruncated
			}
			return nil, e
		}
		f.Report.Tolerated++
		f.Report.warnf("%d edges declared on line %d, %d found", h.m, h.line, edges)
	}
	if loops > 0 {
		f.Report.Tolerated += loops
		f.Report.warnf("%s, which METIS does not allow", plural(loops, "self-loop"))
	}
	list := &graph.EdgeList{Vertices: int(h.n), Labels: graph.IdentityLabels(int(h.n), 1)}
	f.Report.DirectionStated = true
	if weighted {
		if list.Weights, err = joinIDWeights(in, ids); err != nil {
			return nil, err
		}
	}
	if list.Edges, err = joinEdges(in, ids); err != nil {
		return nil, err
	}
	if h.vertexWeights || h.sizes {
		f.Vertex = &VertexData{PerVertex: h.ncon}
		for _, b := range blocks {
			f.Vertex.Weights = append(f.Vertex.Weights, b.vertex...)
			f.Vertex.Sizes = append(f.Vertex.Sizes, b.vertexSizes...)
		}
	}
	return list, nil
}

func readMETISHeader(in *input) (*metisHeader, error) {
	text, size, ok, err := in.peekRecord('%')
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, &Error{Found: "the end of the file", Want: "a header: vertices, edges", Err: ErrTruncated}
	}
	h := &metisHeader{line: in.lines + 1}
	words := strings.Fields(string(text))
	if len(words) < 2 || len(words) > 4 {
		return nil, fault(h.line, 0, ErrFormat, "a header of "+plural(int64(len(words)), "column"), "2 to 4: vertices, edges, fmt, ncon")
	}
	for i, p := range []*uint64{&h.n, &h.m} {
		v, err := strconv.ParseUint(words[i], 10, 64)
		if err != nil {
			return nil, fault(h.line, 0, ErrFormat, quote([]byte(words[i])), "a whole number of "+[]string{"vertices", "edges"}[i])
		}
		*p = v
	}
	if h.n > graph.MaxVertices {
		return nil, fault(h.line, 0, ErrTooLarge, fmt.Sprintf("%d vertices", h.n), fmt.Sprintf("at most %d", uint64(graph.MaxVertices)))
	}
	if h.m > math.MaxInt64/2 {
		return nil, fault(h.line, 0, ErrTooLarge, fmt.Sprintf("%d edges", h.m), fmt.Sprintf("at most %d", int64(math.MaxInt64/2)))
	}
	if len(words) > 2 {
		w := words[2]
		if len(w) > 3 || strings.Trim(w, "01") != "" {
			return nil, fault(h.line, 0, ErrFormat, "fmt "+quote([]byte(w)), "up to three digits 0 or 1: sizes, vertex weights, edge weights")
		}
		w = strings.Repeat("0", 3-len(w)) + w
		h.sizes, h.vertexWeights, h.edgeWeight = w[0] == '1', w[1] == '1', w[2] == '1'
	}
	if h.vertexWeights {
		h.ncon = 1
	}
	if len(words) > 3 {
		v, err := strconv.ParseUint(words[3], 10, 16)
		if err != nil || v == 0 && h.vertexWeights {
			return nil, fault(h.line, 0, ErrFormat, "ncon "+quote([]byte(words[3])), "a number of weights a vertex, from 1 on")
		}
		if v > 0 && !h.vertexWeights {
			return nil, fault(h.line, 0, ErrFormat, fmt.Sprintf("ncon %d and a fmt without vertex weights", v), "fmt x1x")
		}
		h.ncon = int(v)
	}
	in.skip(size)
	return h, nil
}

// mixKey is the key of the second round of mix.
const mixKey = 0x5851f42d4c957f2d

// mix hashes an edge and its weight; two rounds with different keys make 128 bits.
func mix(key, u, v, w uint64) uint64 {
	x := (u<<32 | v) ^ key
	x ^= x >> 32
	x *= 0x9fb21c651e98df25
	x ^= x>>29 ^ w*0x9e3779b97f4a7c15
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 32
	x *= 0x94d049bb133111eb
	return x ^ x>>29
}

// parse reads the vertex lines of a block.
func (h *metisHeader) parse(in *input, b block, out *metisBlock, weighted bool) error {
	data := b.data
	out.first, out.firstRow = b.first, b.rows
	var edges []graph.Edge
	row, line := uint64(b.rows), b.first
	var scratch weightBuf
	for i := 0; i < len(data); {
		line++
		start := i
		i = skipBlanks(data, i)
		if i < len(data) && data[i] == '%' {
			out.skipped = append(out.skipped, int32(line-1-b.first))
			i = nextLine(data, restOfLine(data, i))
			continue
		}
		if row >= h.n {
			if i < len(data) && !eol(data[i]) {
				return fault(line, 0, ErrFormat, "a line after the last vertex", fmt.Sprintf("%d vertices, as line %d says", h.n, h.line))
			}
			i = nextLine(data, i)
			continue
		}
		row++
		out.rows++
		var err *Error
		if h.sizes {
			if out.vertexSizes, i, err = vertexNumber(data, start, i, out.vertexSizes, "vertex size"); err != nil {
				err.Line = line
				return err
			}
		}
		for c := 0; c < h.ncon; c++ {
			if out.vertex, i, err = vertexNumber(data, start, i, out.vertex, "vertex weight"); err != nil {
				err.Line = line
				return err
			}
		}
		for i < len(data) && !eol(data[i]) {
			v, k := parseDigits(data, i)
			if k <= i || k < len(data) && !blank(data[k]) && !eol(data[k]) {
				return idFault(line, i-start+1, token(data, i, 0), "neighbour")
			}
			if v-1 >= h.n {
				return rangeFault(line, i-start+1, "neighbour", v, h.n, "METIS")
			}
			if v == row && !in.o.Lenient {
				return fault(line, i-start+1, ErrFormat, fmt.Sprintf("a self-loop at vertex %d", row), "none in METIS", "the lenient option keeps it")
			}
			at := i
			i = skipBlanks(data, k)
			x := 0.0
			if h.edgeWeight {
				if i == len(data) || eol(data[i]) {
					return fault(line, at-start+1, ErrFormat, fmt.Sprintf("neighbour %d without a weight", v), fmt.Sprintf("pairs of neighbour and weight, as line %d says", h.line))
				}
				if weighted {
					buf := &out.weights
					if v < row {
						buf = &scratch
						scratch.truncate(0)
					}
					next, e := buf.parse(data, i, 0)
					if e != nil {
						e.Line, e.Column = line, i-start+1
						return e
					}
					x = buf.last()
					i = skipBlanks(data, next)
				} else {
					i = skipBlanks(data, i+len(token(data, i, 0)))
					out.ignored++
				}
			}
			out.entries++
			w := math.Float64bits(x)
			switch {
			case v > row:
				edges = append(edges, graph.Edge{U: uint32(row - 1), V: uint32(v - 1)})
				out.low[0] += mix(0, row, v, w)
				out.low[1] += mix(mixKey, row, v, w)
			case v < row:
				out.high[0] += mix(0, v, row, w)
				out.high[1] += mix(mixKey, v, row, w)
				if h.keepUpper {
					out.upper = append(out.upper, edgeEnd{uint32(v - 1), uint32(row - 1), x})
				}
			default:
				edges = append(edges, graph.Edge{U: uint32(row - 1), V: uint32(row - 1)})
				out.loops++
			}
		}
		i = nextLine(data, i)
	}
	if err := in.hold(int64(cap(edges))*8 + int64(cap(out.upper))*16 + int64(cap(out.weights.ints)+cap(out.weights.floats))*8); err != nil {
		return err
	}
	out.edges = edges
	return nil
}

// vertexNumber reads a vertex weight or size at i and appends it.
func vertexNumber(data []byte, start, i int, to []int64, what string) ([]int64, int, *Error) {
	v, k := parseDigits(data, i)
	tok := token(data, i, 0)
	if len(tok) == 0 {
		return to, i, fault(0, i-start+1, ErrFormat, "the end of the line", "a "+what)
	}
	if k != i+len(tok) {
		return to, i, idFault(0, i-start+1, tok, what)
	}
	if v > math.MaxInt64 {
		return to, i, fault(0, i-start+1, ErrTooLarge, what+" "+cut(string(tok)), "at most 9223372036854775807")
	}
	return append(to, int64(v)), skipBlanks(data, k), nil
}

// oneSided names an edge that one end lists and the other does not, or whose weights
// differ.
func (h *metisHeader) oneSided(blocks []*metisBlock) error {
	var lower, upper []edgeEnd
	for _, b := range blocks {
		for i, e := range b.edges {
			if e.U == e.V {
				continue
			}
			w := 0.0
			if b.weights.len() > 0 {
				w = b.weights.at(i)
			}
			lower = append(lower, edgeEnd{e.U, e.V, w})
		}
		upper = append(upper, b.upper...)
	}
	order := func(a, b edgeEnd) int {
		return cmp.Or(cmp.Compare(a.u, b.u), cmp.Compare(a.v, b.v), cmp.Compare(a.weight, b.weight))
	}
	slices.SortFunc(lower, order)
	slices.SortFunc(upper, order)
	lineOf := func(v uint32) int64 {
		for _, b := range blocks {
			if k := int64(v) - b.firstRow; k >= 0 && k < b.rows {
				return b.line(k)
			}
		}
		return 0
	}
	missing := func(e edgeEnd, has, lacks uint32) error {
		return fault(lineOf(has), 0, ErrFormat, fmt.Sprintf("edge %d-%d in the list of %d but not in that of %d", e.u+1, e.v+1, has+1, lacks+1),
			"every edge at both ends", "")
	}
	i, j := 0, 0
	for i < len(lower) || j < len(upper) {
		switch {
		case j == len(upper) || i < len(lower) && (lower[i].u < upper[j].u || lower[i].u == upper[j].u && lower[i].v < upper[j].v):
			return missing(lower[i], lower[i].u, lower[i].v)
		case i == len(lower) || lower[i].u != upper[j].u || lower[i].v != upper[j].v:
			return missing(upper[j], upper[j].v, upper[j].u)
		case lower[i].weight != upper[j].weight:
			e := lower[i]
			return fault(lineOf(e.v), 0, ErrFormat, fmt.Sprintf("weight %v for edge %d-%d", upper[j].weight, e.u+1, e.v+1),
				fmt.Sprintf("%v, as in the list of %d", e.weight, e.u+1), "")
		}
		i++
		j++
	}
	return &Error{Found: "edges that only one end lists", Want: "every edge at both ends", Err: ErrFormat}
}

// writeMETIS writes a METIS graph. What METIS cannot hold is refused all at once.
func writeMETIS(w *writer) error {
	var what, hints []string
	var cures []Cure
	refuse := func(part, hint string, cure Cure) {
		what = append(what, part)
		hints = append(hints, hint)
		cures = append(cures, cure)
	}
	if w.kind == graph.Float32 || w.kind == graph.Float64 {
		refuse("real weights", "drop the weights (%s)", CureDropWeights)
	}
	g, err := w.rows()
	if err != nil {
		return err
	}
	if g.IsDirected() {
		refuse("direction", "make it undirected (%s)", CureDirection)
	}
	if n := g.SelfLoops(); n > 0 {
		refuse(plural(n, "self-loop"), "drop them (%s)", CureDropLoops)
	}
	if n := g.Duplicates(); n > 0 {
		refuse(plural(n, "duplicate edge"), "merge them (%s)", CureMergeDuplicates)
	} else if g.IsDirected() {
		hints = append(hints, "merge what then is double (%s)")
		cures = append(cures, CureMergeDuplicates)
	}
	if len(what) > 0 {
		return loss(strings.Join(what, ", ")+": METIS has none of these", strings.Join(hints, ", "), cures...)
	}
	w.labelLoss(1)
	vertex := w.o.Vertex
	if vertex == nil {
		vertex = &VertexData{}
	}
	digit := func(has bool) string {
		if has {
			return "1"
		}
		return "0"
	}
	format := strings.TrimLeft(digit(len(vertex.Sizes) > 0)+digit(len(vertex.Weights) > 0)+digit(w.kind != graph.Unweighted), "0")
	if format != "" {
		format = " " + format
	}
	if vertex.PerVertex > 1 {
		format += fmt.Sprintf(" %d", vertex.PerVertex)
	}
	weights := g.Weights()
	if w.kind != graph.Unweighted {
		for i := range weights.Len() {
			if weights.Float64(i) <= 0 {
				w.report.Notes = append(w.report.Notes, "weights of 0 or less written, which the METIS manual does not allow")
				break
			}
		}
	}
	if _, err := fmt.Fprintf(w.out, "%d %d%s\n", g.NumVertices(), g.NumEdges(), format); err != nil {
		return err
	}
	offsets := g.Offsets()
	return w.rowBlocks(g, func(dst []byte, v uint32) []byte {
		start := len(dst)
		number := func(x int64) {
			if len(dst) > start {
				dst = append(dst, ' ')
			}
			dst = strconv.AppendInt(dst, x, 10)
		}
		if len(vertex.Sizes) > 0 {
			number(vertex.Sizes[v])
		}
		if c := vertex.PerVertex; len(vertex.Weights) > 0 {
			for _, x := range vertex.Weights[int(v)*c : (int(v)+1)*c] {
				number(x)
			}
		}
		for k, t := range g.Row(v) {
			if len(dst) > start {
				dst = append(dst, ' ')
			}
			dst = strconv.AppendUint(dst, uint64(t)+1, 10)
			if w.kind != graph.Unweighted {
				dst = append(dst, ' ')
				dst = weights.Append(dst, int(offsets[v])+k)
			}
		}
		return append(dst, '\n')
	})
}
