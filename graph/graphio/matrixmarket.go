package graphio

import (
	"fmt"
	"slices"
	"strings"

	"github.com/totemgo/totemgo/graph"
)

// MatrixMarket files, after R. Boisvert, R. Pozo and K. Remington, The Matrix Market Exchange Formats (NISTIR
// 5935): entry (i, j) is the arc i → j, ids count from 1, a symmetric file is an undirected graph whose entries stand
// once.

// readMatrixMarket reads a coordinate file.
func readMatrixMarket(in *input, f *File) (graph.Source, error) {
	l, array, err := mtxLayout(in, f)
	if err != nil || l == nil {
		return array, err
	}
	f.Report.DirectionStated = true
	list, err := in.declaredList(f, l)
	if err == nil && l.declared.loops != "" {
		if in.skew = true; in.o.Direction != Directed {
			f.Report.warnf("the matrix is skew-symmetric: an undirected edge has the weight of the entry that is stored, and the mirrored entry's sign is lost")
		}
	}
	return list, err
}

// mtxLayout reads the banner and the line of sizes, or all of an array.
func mtxLayout(in *input, f *File) (*layout, graph.Source, error) {
	h, err := in.banner()
	if err != nil {
		return nil, nil, err
	}
	words := strings.Fields(strings.ToLower(string(h.text)))
	if len(words) == 0 {
		return nil, nil, h.fault(ErrFormat, "nothing", "a banner that starts with %%MatrixMarket")
	}
	if words[0] != "%%matrixmarket" {
		if !in.o.Lenient || words[0] != "%matrixmarket" {
			return nil, nil, h.fault(ErrFormat, quote(words[0]), "a banner that starts with %%MatrixMarket")
		}
		f.Report.Tolerated++
		f.Report.warnf("line 1: the banner has one percent sign; read as %%%%MatrixMarket")
	}
	if len(words) != 5 {
		return nil, nil, h.fault(ErrFormat, plural(int64(len(words)), "word"), "%%MatrixMarket matrix coordinate FIELD SYMMETRY")
	}
	field, symmetry := words[3], words[4]
	if field == "double" { // written by some tools for real
		field = "real"
	}
	switch {
	case words[1] != "matrix":
		return nil, nil, h.fault(ErrUnsupported, "object "+quote(words[1]), "matrix")
	case words[2] != "coordinate" && words[2] != "array":
		return nil, nil, h.fault(ErrUnsupported, cut(words[2])+" layout", "coordinate or array")
	case !slices.Contains([]string{"pattern", "integer", "unsigned-integer", "real"}, field):
		return nil, nil, h.fault(ErrUnsupported, cut(field)+" values", "pattern, integer or real")
	case !slices.Contains([]string{"general", "symmetric", "skew-symmetric"}, symmetry):
		return nil, nil, h.fault(ErrUnsupported, cut(symmetry)+" symmetry", "general, symmetric or skew-symmetric")
	case symmetry == "skew-symmetric" && field == "pattern":
		return nil, nil, h.fault(ErrFormat, "a skew-symmetric pattern", "integer or real values")
	}
	if words[2] == "array" {
		g, err := mtxArray(in, f, h, field, symmetry)
		return nil, g, err
	}
	h, sizes, err := mtxSizes(in, f, field == "pattern")
	if err != nil {
		return nil, nil, err
	}
	if sizes[0] != sizes[1] {
		return nil, nil, h.fault(ErrUnsupported, fmt.Sprintf("a matrix of %d rows and %d columns", sizes[0], sizes[1]), "as many rows as columns: the vertices of a graph")
	}
	l := &layout{directed: symmetry == "general", columns: 2, want: "2 (row, column): the banner says pattern",
		comments: "%", ends: [2]string{"a row", "a column"}, declared: declare("MatrixMarket", h.at, 1, sizes[0], sizes[2], "entry", "entries")}
	if symmetry == "skew-symmetric" {
		l.declared.loops = "none in a skew-symmetric matrix"
	}
	if field != "pattern" {
		l.columns, l.want, l.kind = 3, "3 (row, column, value): the banner says "+field, integers
		if field == "real" {
			l.kind = reals
		}
		if in.o.WeightColumn >= 0 {
			l.weight = 3
		}
	}
	return l, nil, nil
}

// mtxArray reads the line of sizes and the values of an array.
func mtxArray(in *input, f *File, banner *line, field, symmetry string) (graph.Source, error) {
	if field == "pattern" || symmetry == "skew-symmetric" {
		return nil, banner.fault(ErrUnsupported, "a "+symmetry+" array of "+field+" values", "general or symmetric, of integer or real values")
	}
	for {
		h, err := in.peekLine()
		if err != nil {
			return nil, err
		}
		if h == nil {
			return nil, bad(ErrTruncated, "the end of the file", "a line of sizes: rows, columns")
		}
		in.skip(h)
		words := h.words()
		if len(words) == 0 || words[0][0] == '%' {
			continue
		}
		if len(words) != 2 {
			return nil, h.fault(ErrFormat, plural(int64(len(words)), "column"), "2: rows, columns")
		}
		sizes, err := h.wholes(words, "of rows within 64 bits", "of columns within 64 bits")
		if err != nil {
			return nil, err
		}
		if sizes[0] != sizes[1] {
			return nil, h.fault(ErrUnsupported, fmt.Sprintf("a matrix of %d rows and %d columns", sizes[0], sizes[1]), "as many rows as columns: the vertices of a graph")
		}
		return readArray(in, f, sizes[0], field == "real", symmetry == "symmetric")
	}
}

// mtxSizes reads the numbers of rows, columns and entries. Network Repository puts them behind a percent sign: they are
// taken from there if the first line behind the comments can be an entry only.
func mtxSizes(in *input, f *File, pattern bool) (h *line, sizes []uint64, err error) {
	wants := []string{"of rows within 64 bits", "of columns within 64 bits", "of entries within 64 bits"}
	var stated []uint64
	at := int64(0)
	for {
		if h, err = in.peekLine(); err != nil {
			return nil, nil, err
		}
		if h == nil {
			return nil, nil, bad(ErrTruncated, "the end of the file", "a line of sizes: rows, columns, entries")
		}
		i := skipBlanks(h.text, 0)
		if i < len(h.text) && h.text[i] != '%' {
			break
		}
		if words := strings.Fields(string(h.text[min(i+1, len(h.text)):])); len(words) == 3 && strings.Trim(strings.Join(words, ""), "0123456789") == "" {
			stated, _ = h.wholes(words, wants...) // beyond 64 bits: a comment
			at = h.at
		}
		in.skip(h)
	}
	words := h.words()
	if stated != nil {
		entry, _ := h.wholes(words, wants[:min(2, len(words))]...)
		if pattern == (len(words) == 2) && len(entry) == 2 && entry[0] <= stated[0] && entry[1] <= stated[1] && !(len(words) == 3 && stated[0] == entry[0] && stated[1] == entry[1]) {
			f.Report.warnf("the sizes stand in a comment, line %d, as Network Repository has them", at)
			return &line{at: at}, stated, nil
		}
	}
	in.skip(h)
	if len(words) != 3 {
		return nil, nil, h.fault(ErrFormat, plural(int64(len(words)), "column"), "3: rows, columns, entries")
	}
	sizes, err = in.promised(h.wholes(words, wants...))
	return h, sizes, err
}

// writeMatrixMarket writes a coordinate file: general if the graph is directed, else symmetric with each edge in the
// lower triangle.
func writeMatrixMarket(w *writer) error {
	field, symmetry := "pattern", "general"
	if isReal(w.kind) {
		field = "real"
	} else if w.kind != graph.Unweighted {
		field = "integer"
	}
	if !w.src.IsDirected() {
		symmetry, w.lower = "symmetric", true
	}
	w.labelLoss(1)
	n := w.src.NumVertices()
	head := fmt.Sprintf("%%%%MatrixMarket matrix coordinate %s %s\n%d %d %d\n", field, symmetry, n, n, w.src.NumEdges())
	return w.list(head, w.from(1), ' ', "")
}
