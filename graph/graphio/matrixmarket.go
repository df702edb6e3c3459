package graphio

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/totemgo/totemgo/graph"
)

// MatrixMarket coordinate files, after R. Boisvert, R. Pozo and K. Remington, The
// Matrix Market Exchange Formats (NISTIR 5935): entry (i, j) is the arc i → j, ids
// count from 1, a symmetric file is an undirected graph whose entries stand once.

type mtxHeader struct {
	field     string // pattern, integer, real
	symmetry  string // general, symmetric, skew-symmetric
	n         uint64
	entries   uint64
	sizeLine  int64
	tolerated int64
}

// readMatrixMarket reads a coordinate file.
func readMatrixMarket(in *input, f *File) (graph.Source, error) {
	h, err := readMTXHeader(in)
	if err != nil {
		return nil, err
	}
	f.Report.Tolerated += h.tolerated
	if h.tolerated > 0 {
		f.Report.warnf("line 1: the banner has one percent sign; read as %%%%MatrixMarket")
	}
	weighted := h.field != "pattern" && in.o.WeightColumn >= 0
	blocks, err := parseBlocks(in, 0, func(b block, out *idBlock) error { return h.parse(in, b, out, weighted) })
	if err != nil {
		return nil, err
	}
	for _, b := range blocks {
		f.Report.IgnoredColumns += b.ignored
	}
	if err := declared(in, f, blocks, h.n, h.entries, h.sizeLine, "entry", "entries"); err != nil {
		return nil, err
	}
	list := &graph.EdgeList{Vertices: int(h.n), Directed: h.symmetry == "general", Labels: graph.IdentityLabels(int(h.n), 1)}
	f.Report.DirectionStated = true
	if weighted {
		if list.Weights, err = joinIDWeights(in, blocks); err != nil {
			return nil, err
		}
		if h.field == "real" {
			if list.Weights, err = list.Weights.Convert(graph.Float64); err != nil {
				return nil, err
			}
		}
	}
	if list.Edges, err = joinEdges(in, blocks); err != nil {
		return nil, err
	}
	if h.symmetry == "skew-symmetric" {
		f.Report.warnf("the matrix is skew-symmetric: read as an undirected graph with the weights as stored, the mirrored entries' sign is left out")
	}
	return list, nil
}

func readMTXHeader(in *input) (*mtxHeader, error) {
	h := &mtxHeader{}
	text, size, ok, err := in.peekLine()
	if err != nil {
		return nil, err
	}
	banner := string(text)
	words := strings.Fields(strings.ToLower(banner))
	if !ok || len(words) == 0 || words[0] != "%%matrixmarket" {
		if in.o.Lenient && len(words) > 0 && words[0] == "%matrixmarket" {
			h.tolerated++
		} else {
			found := "nothing"
			if len(words) > 0 {
				found = quote([]byte(words[0]))
			}
			return nil, fault(1, 0, ErrFormat, found, "a banner that starts with %%MatrixMarket")
		}
	}
	in.skip(size)
	if len(words) != 5 {
		return nil, fault(1, 0, ErrFormat, plural(int64(len(words)), "word"), "%%MatrixMarket matrix coordinate FIELD SYMMETRY")
	}
	if words[1] != "matrix" {
		return nil, fault(1, 0, ErrUnsupported, "object "+quote([]byte(words[1])), "matrix")
	}
	if words[2] != "coordinate" {
		return nil, fault(1, 0, ErrUnsupported, cut(words[2])+" layout", "coordinate")
	}
	switch h.field = words[3]; h.field {
	case "pattern", "integer", "real":
	case "double": // written by some tools for real
		h.field = "real"
	default:
		return nil, fault(1, 0, ErrUnsupported, cut(h.field)+" values", "pattern, integer or real")
	}
	switch h.symmetry = words[4]; h.symmetry {
	case "general", "symmetric":
	case "skew-symmetric":
		if h.field == "pattern" {
			return nil, fault(1, 0, ErrFormat, "a skew-symmetric pattern", "integer or real values")
		}
	default:
		return nil, fault(1, 0, ErrUnsupported, cut(h.symmetry)+" symmetry", "general, symmetric or skew-symmetric")
	}
	text, size, ok, err = in.peekRecord('%')
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, &Error{Found: "the end of the file", Want: "a line of sizes: rows, columns, entries", Err: ErrTruncated}
	}
	line := in.lines + 1
	words = strings.Fields(string(text))
	if len(words) != 3 {
		return nil, fault(line, 0, ErrFormat, plural(int64(len(words)), "column"), "3: rows, columns, entries")
	}
	var sizes [3]uint64
	for i, w := range words {
		v, err := strconv.ParseUint(w, 10, 64)
		if err != nil {
			return nil, fault(line, 0, ErrFormat, quote([]byte(w)), "a whole number of "+[]string{"rows", "columns", "entries"}[i]+" within 64 bits")
		}
		sizes[i] = v
	}
	if sizes[0] != sizes[1] {
		return nil, fault(line, 0, ErrUnsupported, fmt.Sprintf("a matrix of %d rows and %d columns", sizes[0], sizes[1]), "as many rows as columns: the vertices of a graph")
	}
	if sizes[2] > math.MaxInt64/16 {
		return nil, fault(line, 0, ErrTooLarge, fmt.Sprintf("%d entries declared for a %d x %d matrix", sizes[2], sizes[0], sizes[1]), "no more than a file can hold")
	}
	if err := checkDeclared(line, sizes[0], sizes[2], "entries"); err != nil {
		return nil, err
	}
	in.skip(size)
	h.n, h.entries, h.sizeLine = sizes[0], sizes[2], line
	return h, nil
}

// parse reads the entries of a block.
func (h *mtxHeader) parse(in *input, b block, out *idBlock, weighted bool) error {
	data := b.data
	n := int(min(b.lines, int64(len(data)/4+1)))
	size := int64(n) * 8
	if weighted {
		size *= 2
		if h.field == "real" {
			out.weights = weightBuf{floats: make([]float64, 0, n), real: true, asReal: true}
		} else {
			out.weights.grow(n)
		}
	}
	if err := in.hold(size); err != nil {
		return err
	}
	out.first = b.first
	edges := make([]graph.Edge, 0, n)
	valued := h.field != "pattern"
	line := b.first
	for i := 0; i < len(data); {
		line++
		start := i
		i = skipBlanks(data, i)
		if i == len(data) {
			break
		}
		u, k := parseDigits(data, i)
		if k <= i {
			if c := data[i]; eol(c) || c == '%' {
				out.skipped = append(out.skipped, int32(line-1-b.first))
				i = nextLine(data, restOfLine(data, i))
				continue
			}
			return idFault(line, i-start+1, token(data, i, 0), "a row")
		}
		j := skipBlanks(data, k)
		v, l := parseDigits(data, j)
		if j == k || l <= j {
			return h.lineFault(data, start, line)
		}
		if u-1 >= h.n {
			return rangeFault(line, i-start+1, "row", u, h.n, "MatrixMarket")
		}
		if v-1 >= h.n {
			return rangeFault(line, j-start+1, "column", v, h.n, "MatrixMarket")
		}
		if u == v && h.symmetry == "skew-symmetric" {
			return fault(line, i-start+1, ErrFormat, fmt.Sprintf("entry %d %d on the diagonal", u, v), "none in a skew-symmetric matrix")
		}
		edges = append(edges, graph.Edge{U: uint32(u - 1), V: uint32(v - 1)})
		l2 := skipBlanks(data, l)
		if valued {
			if l2 == l || l2 == len(data) || eol(data[l2]) {
				return h.lineFault(data, start, line)
			}
			at := l2
			if weighted {
				next, e := out.weights.parse(data, l2, 0)
				if e == nil && h.field == "integer" && out.weights.real {
					e = fault(0, 0, ErrFormat, "weight "+quote(token(data, l2, 0)), "an integer, as the banner says")
				}
				if e != nil {
					e.Line, e.Column = line, l2-start+1
					return e
				}
				at = next
			} else {
				at += len(token(data, l2, 0))
				out.ignored++
			}
			l2 = skipBlanks(data, at)
		}
		if l2 < len(data) && !eol(data[l2]) {
			return h.lineFault(data, start, line)
		}
		i = nextLine(data, l2)
	}
	out.edges = edges
	return nil
}

func (h *mtxHeader) lineFault(data []byte, start int, line int64) *Error {
	text := data[start:restOfLine(data, start)]
	at := skipBlanks(text, 0)
	for _, what := range []string{"a row", "a column"} {
		tok := token(text, at, 0)
		if _, k := parseDigits(text, at); len(tok) > 0 && k != at+len(tok) {
			return idFault(line, at+1, tok, what)
		}
		at = skipBlanks(text, at+len(tok))
	}
	want := "2 (row, column): the banner says pattern"
	if h.field != "pattern" {
		want = "3 (row, column, value): the banner says " + h.field
	}
	return fault(line, 0, ErrFormat, plural(int64(countColumns(text, 0)), "column"), want)
}

// rangeFault names an id outside 1..n.
func rangeFault(line int64, column int, what string, v, n uint64, format string) *Error {
	hint := ""
	if v == 0 {
		hint = format + " counts from 1"
	}
	want := fmt.Sprintf("1..%d", n)
	if n == 0 {
		want = "none in a graph without vertices"
	}
	return fault(line, column, ErrFormat, fmt.Sprintf("%s %d", what, v), want, hint)
}

// writeMatrixMarket writes a coordinate file: general if the graph is directed, else
// symmetric with each edge in the lower triangle.
func writeMatrixMarket(w *writer) error {
	field, symmetry := "pattern", "general"
	switch w.kind {
	case graph.Int32, graph.Int64:
		field = "integer"
	case graph.Float32, graph.Float64:
		field = "real"
	}
	directed := w.src.IsDirected()
	if !directed {
		symmetry = "symmetric"
	}
	w.labelLoss(1)
	n := w.src.NumVertices()
	if _, err := fmt.Fprintf(w.out, "%%%%MatrixMarket matrix coordinate %s %s\n%d %d %d\n", field, symmetry, n, n, w.src.NumEdges()); err != nil {
		return err
	}
	return w.records(func(dst []byte, e graph.Edge, weights graph.Weights, k int) []byte {
		if !directed && e.U < e.V {
			e.U, e.V = e.V, e.U
		}
		dst = strconv.AppendUint(dst, uint64(e.U)+1, 10)
		dst = append(dst, ' ')
		dst = strconv.AppendUint(dst, uint64(e.V)+1, 10)
		if w.kind != graph.Unweighted {
			dst = append(dst, ' ')
			dst = appendWeight(dst, weights, k)
		}
		return append(dst, '\n')
	})
}
