package graphio

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/totemgo/totemgo/graph"
)

// KONECT networks, after J. Kunegis, Handbook of Network Analysis (KONECT), section
// "File formats": a file out.NAME whose first line is "% FORMAT WEIGHTS", with FORMAT
// sym, asym or bip; perhaps a second line "% records left right"; then a record a
// line: source, target, perhaps weight, perhaps time. Ids count from 1; in a bipartite
// network (always undirected) both sides count from 1 on their own, and the right side
// is read as following the left.

// konectWeights are the words for weights.
func konectWeights() []string {
	return []string{"unweighted", "positive", "posweighted", "signed", "multisigned", "weighted", "multiweighted", "multiposweighted", "dynamic"}
}

// readKONECT reads a KONECT network.
func readKONECT(in *input, f *File) (graph.Source, error) {
	text, size, ok, err := in.peekLine()
	if err != nil {
		return nil, err
	}
	words := strings.Fields(string(text))
	if ok && len(words) > 0 && words[0] != "%" && strings.HasPrefix(words[0], "%") {
		words = append([]string{"%", words[0][1:]}, words[1:]...)
	}
	if !ok || len(words) < 3 || words[0] != "%" {
		found := "nothing"
		if ok {
			found = quote(text)
		}
		return nil, fault(1, 0, ErrFormat, found, "% sym, asym or bip, and the kind of weights")
	}
	format, kind := strings.ToLower(words[1]), strings.ToLower(words[2])
	if !konectWord(format, "sym", "asym", "bip") {
		return nil, fault(1, 0, ErrFormat, quote([]byte(words[1])), "sym, asym or bip")
	}
	if !konectWord(kind, konectWeights()...) {
		return nil, fault(1, 0, ErrFormat, quote([]byte(words[2])), "one of "+strings.Join(konectWeights(), ", "))
	}
	if kind == "dynamic" {
		return nil, fault(1, 0, ErrUnsupported, "a dynamic network, whose records add and remove edges", "any other kind")
	}
	in.skip(size)
	var sizes []uint64
	var sizeLine int64
	for {
		text, size, ok, err := in.peekLine()
		if err != nil {
			return nil, err
		}
		i := skipBlanks(text, 0)
		if !ok || i < len(text) && text[i] != '%' {
			break
		}
		if i < len(text) && in.lines == 1 {
			if sizes, err = konectSizes(string(text[i+1:])); err != nil {
				return nil, err
			}
			sizeLine = in.lines + 1
		}
		in.skip(size)
	}
	f.Report.DirectionStated = true
	shape := &listShape{comments: "%#", what: "vertex", columns: 2, fixedBy: "source and target", anyWidth: true, weightOpt: true}
	weighted := kind != "unweighted" && in.o.WeightColumn >= 0
	if weighted {
		shape.columns, shape.weight, shape.fixedBy = 3, 3, "source, target and weight"
	}
	blocks, err := parseBlocks(in, 0, func(b block, out *edgeBlock) error { return shape.parse(in, b, out) })
	if err != nil {
		return nil, err
	}
	largest := [2]uint64{}
	records := int64(0)
	for _, b := range blocks {
		for i, p := range b.pairs {
			for side, id := range []uint64{p.U, p.V} {
				if id == 0 {
					return nil, fault(b.line(i), 0, ErrFormat, "vertex 0", "ids from 1 on", "KONECT counts from 1")
				}
				largest[side] = max(largest[side], id)
			}
			if len(sizes) == 3 {
				limits := [2]uint64{max(sizes[1], sizes[2]), max(sizes[1], sizes[2])}
				if format == "bip" {
					limits = [2]uint64{sizes[1], sizes[2]}
				}
				if p.U > limits[0] || p.V > limits[1] {
					id, limit := p.U, limits[0]
					if p.U <= limits[0] {
						id, limit = p.V, limits[1]
					}
					return nil, fault(b.line(i), 0, ErrFormat, fmt.Sprintf("vertex %d", id), fmt.Sprintf("1..%d, as line %d says", limit, sizeLine))
				}
			}
		}
		records += int64(len(b.pairs))
		f.Report.IgnoredColumns += b.ignored
	}
	if len(sizes) > 0 {
		if err := konectCount(in, f, blocks, records, int64(sizes[0]), sizeLine); err != nil {
			return nil, err
		}
	}
	if kind == "positive" && weighted {
		// Multiple edges may stand on a line each, without a weight.
		given := int64(0)
		for _, b := range blocks {
			given += b.given
		}
		weighted = given > 0
	}
	left := largest[0]
	if format == "bip" {
		if len(sizes) == 3 {
			left = sizes[1]
		}
		if left > math.MaxUint64-largest[1] {
			return nil, &Error{Found: fmt.Sprintf("ids up to %d and %d", left, largest[1]), Want: "sides that fit in 64 bits one after the other", Err: ErrTooLarge}
		}
		for _, b := range blocks {
			for i := range b.pairs {
				b.pairs[i].V += left
			}
		}
		f.Report.warnf("bipartite: the right side has the ids %d + its own", left)
	}
	if len(sizes) == 3 {
		n := max(sizes[1], sizes[2])
		if format == "bip" {
			n = sizes[1] + sizes[2]
		}
		if err := checkDeclared(sizeLine, n, sizes[0], "records"); err != nil {
			return nil, err
		}
		if err := proportionate(in, f, n, records, sizeLine); err != nil {
			return nil, err
		}
		return konectDeclared(in, f, blocks, int(n), format == "asym", weighted)
	}
	list, err := compactBlocks(in, &File{}, blocks, weighted)
	if err != nil {
		return nil, err
	}
	list.Directed = format == "asym"
	return list, nil
}

// konectSizes reads "records left right" or "records", which stand on line 2; nil where
// the comment is another.
func konectSizes(comment string) ([]uint64, error) {
	words := strings.Fields(comment)
	if len(words) != 1 && len(words) != 3 {
		return nil, nil
	}
	out := make([]uint64, len(words))
	for i, w := range words {
		if strings.Trim(w, "0123456789") != "" {
			return nil, nil
		}
		v, err := strconv.ParseUint(w, 10, 62)
		if err != nil {
			return nil, fault(2, 0, ErrTooLarge, quote([]byte(w)), "a number of "+[]string{"records", "vertices", "vertices"}[i]+" that a file can hold")
		}
		out[i] = v
	}
	return out, nil
}

// konectCount compares the number of records with the declared one. A network whose
// weights count multiple edges may declare their sum.
func konectCount(in *input, f *File, blocks []*edgeBlock, records, want, line int64) error {
	if records == want {
		return nil
	}
	sum := 0.0
	for _, b := range blocks {
		for i := range b.weights.len() {
			sum += b.weights.at(i)
		}
	}
	switch {
	case sum == float64(want):
		return nil
	case in.o.Lenient:
		f.Report.Tolerated++
		f.Report.warnf("%d records declared on line %d, %d found", want, line, records)
		return nil
	}
	e := &Error{Found: plural(records, "record"), Want: fmt.Sprintf("%d, as line %d says", want, line), Hint: Hint{Text: "the lenient option reads it"}, Err: ErrFormat}
	if records < want {
		e.Err = ErrTruncated
	}
	return e
}

// konectDeclared makes a list of n declared vertices.
func konectDeclared(in *input, f *File, blocks []*edgeBlock, n int, directed, weighted bool) (graph.Source, error) {
	ids := make([]*idBlock, len(blocks))
	for i, b := range blocks {
		if err := in.hold(int64(len(b.pairs)) * 8); err != nil {
			return nil, err
		}
		ids[i] = &idBlock{edges: make([]graph.Edge, len(b.pairs)), weights: b.weights}
		for k, p := range b.pairs {
			ids[i].edges[k] = graph.Edge{U: uint32(p.U - 1), V: uint32(p.V - 1)}
		}
		b.pairs = nil
	}
	list := &graph.EdgeList{Vertices: n, Directed: directed, Labels: graph.IdentityLabels(n, 1)}
	return list, joinList(in, f, list, ids, weighted)
}

// writeKONECT writes a KONECT network.
func writeKONECT(w *writer) error {
	format, kind := "asym", "unweighted"
	if !w.src.IsDirected() {
		format = "sym"
	}
	if w.kind != graph.Unweighted {
		kind = "weighted"
	}
	w.labelLoss(1)
	n := w.src.NumVertices()
	if _, err := fmt.Fprintf(w.out, "%% %s %s\n%% %d %d %d\n", format, kind, w.src.NumEdges(), n, n); err != nil {
		return err
	}
	return w.records(func(dst []byte, e graph.Edge, weights graph.Weights, k int) []byte {
		dst = strconv.AppendUint(dst, uint64(e.U)+1, 10)
		dst = append(dst, '\t')
		dst = strconv.AppendUint(dst, uint64(e.V)+1, 10)
		if w.kind != graph.Unweighted {
			dst = append(dst, '\t')
			dst = appendWeight(dst, weights, k)
		}
		return append(dst, '\n')
	})
}
