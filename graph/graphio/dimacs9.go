package graphio

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/totemgo/totemgo/graph"
)

// DIMACS shortest path files, after the 9th DIMACS Implementation Challenge (file
// formats): comments "c …", one line "p sp n m", then m lines "a u v weight" for the
// arc u → v. Ids count from 1. The format is directed.

// readDIMACS9 reads a .gr file.
func readDIMACS9(in *input, f *File) (graph.Source, error) {
	var n, m uint64
	var line int64
	for line == 0 {
		text, size, ok, err := in.peekLine()
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, &Error{Found: "the end of the file", Want: "a line: p sp vertices arcs", Err: ErrTruncated}
		}
		words := strings.Fields(string(text))
		if len(words) == 0 || words[0][0] == 'c' {
			in.skip(size)
			continue
		}
		at := in.lines + 1
		if words[0] != "p" {
			return nil, fault(at, 1, ErrFormat, quote([]byte(words[0])), "a line: p sp vertices arcs")
		}
		if len(words) > 1 && words[1] != "sp" {
			return nil, fault(at, 0, ErrUnsupported, "problem "+quote([]byte(words[1])), "sp")
		}
		if len(words) != 4 {
			return nil, fault(at, 0, ErrFormat, plural(int64(len(words)), "word"), "4: p sp vertices arcs")
		}
		for i, p := range []*uint64{&n, &m} {
			if *p, err = strconv.ParseUint(words[2+i], 10, 64); err != nil {
				return nil, fault(at, 0, ErrFormat, quote([]byte(words[2+i])), "a whole number of "+[]string{"vertices", "arcs"}[i])
			}
		}
		if err := checkDeclared(at, n, m, "arcs"); err != nil {
			return nil, err
		}
		line = at
		in.skip(size)
	}
	shape := &listShape{columns: 3, fixedBy: "a u v weight", comments: "c", what: "vertex", prefix: 'a', weight: 3}
	if in.o.WeightColumn < 0 {
		shape.weight = 0
	}
	blocks, err := parseRanged(in, shape, 1, n, "DIMACS")
	if err != nil {
		return nil, err
	}
	if err := declared(in, f, blocks, n, m, line, "arc", "arcs"); err != nil {
		return nil, err
	}
	f.Report.DirectionStated = true
	list := &graph.EdgeList{Vertices: int(n), Directed: true, Labels: graph.IdentityLabels(int(n), 1)}
	return list, joinList(in, f, list, blocks, shape.weight > 0)
}

// writeDIMACS9 writes a .gr file.
func writeDIMACS9(w *writer) error {
	if w.kind == graph.Float32 || w.kind == graph.Float64 {
		return loss("real weights, and DIMACS weights are integers", "drop the weights (%s)", CureDropWeights)
	}
	if w.kind == graph.Unweighted {
		w.report.Notes = append(w.report.Notes, "the graph has no weights: weight 1 written for each arc")
	}
	w.labelLoss(1)
	directed, arcs := w.src.IsDirected(), w.src.NumEdges()
	if !directed {
		w.report.lossf("direction: each edge is written as two arcs, a self-loop as one")
		n := max(1, int(w.src.NumEdges()/blockRecords))
		for i := range w.src.Blocks(n) {
			if err := w.ctx.Err(); err != nil {
				return err
			}
			for _, e := range w.src.Block(n, i, nil) {
				if e.U != e.V {
					arcs++
				}
			}
		}
	}
	if _, err := fmt.Fprintf(w.out, "p sp %d %d\n", w.src.NumVertices(), arcs); err != nil {
		return err
	}
	arc := func(dst []byte, u, v uint32, weights graph.Weights, k int) []byte {
		dst = append(dst, 'a', ' ')
		dst = strconv.AppendUint(dst, uint64(u)+1, 10)
		dst = append(dst, ' ')
		dst = strconv.AppendUint(dst, uint64(v)+1, 10)
		if w.kind == graph.Unweighted {
			return append(dst, " 1\n"...)
		}
		dst = append(dst, ' ')
		return append(weights.Append(dst, k), '\n')
	}
	return w.records(func(dst []byte, e graph.Edge, weights graph.Weights, k int) []byte {
		dst = arc(dst, e.U, e.V, weights, k)
		if !directed && e.U != e.V {
			dst = arc(dst, e.V, e.U, weights, k)
		}
		return dst
	})
}
