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

// readMatrixMarket reads a coordinate file or an array.
func readMatrixMarket(in *input, f *File) (graph.Source, error) {
	h := in.banner()
	words := strings.Fields(strings.ToLower(string(h.text)))
	word := strings.Join(words[:min(1, len(words))], "")
	if lenient := in.o.Lenient && word == "%matrixmarket"; word != "%%matrixmarket" && !lenient {
		return nil, h.fault(ErrFormat, quote(word), "a banner that starts with %%MatrixMarket")
	} else if lenient {
		f.Report.toleratef("line 1: the banner has one percent sign; read as %%%%MatrixMarket")
	}
	if len(words) != 5 {
		return nil, h.fault(ErrFormat, plural(int64(len(words)), "word"), "%%MatrixMarket matrix coordinate FIELD SYMMETRY")
	}
	field, symmetry, array := words[3], words[4], words[2] == "array"
	if field == "double" { // written by some tools for real
		field = "real"
	}
	switch {
	case words[1] != "matrix":
		return nil, h.fault(ErrUnsupported, "object "+quote(words[1]), "matrix")
	case words[2] != "coordinate" && !array:
		return nil, h.fault(ErrUnsupported, cut(words[2])+" layout", "coordinate or array")
	case !slices.Contains([]string{"pattern", "integer", "unsigned-integer", "real"}, field):
		return nil, h.fault(ErrUnsupported, cut(field)+" values", "pattern, integer or real")
	case !slices.Contains([]string{"general", "symmetric", "skew-symmetric"}, symmetry):
		return nil, h.fault(ErrUnsupported, cut(symmetry)+" symmetry", "general, symmetric or skew-symmetric")
	case array && (field == "pattern" || symmetry == "skew-symmetric"):
		return nil, h.fault(ErrUnsupported, "a "+symmetry+" array of "+field+" values", "general or symmetric, of integer or real values")
	case symmetry == "skew-symmetric" && field == "pattern":
		return nil, h.fault(ErrFormat, "a skew-symmetric pattern", "integer or real values")
	}
	h, sizes, err := mtxSizes(in, f, array, field == "pattern")
	if err != nil {
		return nil, err
	}
	if sizes[0] != sizes[1] {
		return nil, h.fault(ErrUnsupported, fmt.Sprintf("a matrix of %d rows and %d columns", sizes[0], sizes[1]), "as many rows as columns: the vertices of a graph")
	}
	if array {
		return readArray(in, f, sizes[0], field == "real", symmetry == "symmetric")
	}
	l := &layout{directed: symmetry == "general", columns: 2, want: "2 (row, column): the banner says pattern",
		comments: "%", ends: [2]string{"a row", "a column"}, declared: declare("MatrixMarket", h.at, 1, sizes[0], sizes[2], "entry", "entries")}
	if field != "pattern" {
		l.columns, l.weight, l.want, l.kind = 3, 3, "3 (row, column, value): the banner says "+field, integers
		if field == "real" {
			l.kind = reals
		}
	}
	l.folds = symmetry == "symmetric"
	if symmetry != "skew-symmetric" {
		return in.declaredList(f, l)
	}
	l.declared.loops, in.skew = "none in a skew-symmetric matrix", true
	list, err := in.declaredList(f, l)
	if err == nil && in.o.Direction != Directed {
		f.Report.warnf("the matrix is skew-symmetric: an undirected edge has the weight of the entry that is stored, and the mirrored entry's sign is lost")
	}
	return list, err
}

// mtxSizes reads the numbers of rows and columns and, but for an array, of entries. Network Repository puts them behind a
// percent sign: they are taken from there if the first line behind the comments can be an entry only.
func mtxSizes(in *input, f *File, array, pattern bool) (h *line, sizes []uint64, err error) {
	names := []string{"rows", "columns", "entries"}
	if array {
		names = names[:2]
	}
	wants := make([]string, len(names))
	for i, name := range names {
		wants[i] = "of " + name + " within 64 bits"
	}
	var stated []uint64
	at := int64(0)
	for c := range in.comments("%") {
		if words := c.counted(); len(words) == 3 && !array {
			stated, _ = c.wholes(words, wants...) // beyond 64 bits: a comment
			at = c.at
		}
	}
	if h = in.peekLine(); h == nil {
		return nil, nil, bad(ErrTruncated, "the end of the file", "a line of sizes: "+strings.Join(names, ", "))
	}
	words := h.words()
	if stated != nil {
		entry, _ := h.wholes(words, wants[:min(2, len(words))]...)
		if pattern == (len(words) == 2) && len(entry) == 2 && entry[0] <= stated[0] && entry[1] <= stated[1] &&
			!(len(words) == 3 && stated[0] == entry[0] && stated[1] == entry[1]) {
			f.Report.warnf("the sizes stand in a comment, line %d, as Network Repository has them", at)
			return &line{at: at}, stated, nil
		}
	}
	in.skip(h)
	if len(words) != len(names) {
		return nil, nil, h.fault(ErrFormat, plural(int64(len(words)), "column"), fmt.Sprintf("%d: %s", len(names), strings.Join(names, ", ")))
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
