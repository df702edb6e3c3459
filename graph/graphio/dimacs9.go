package graphio

import (
	"fmt"

	"github.com/totemgo/totemgo/graph"
)

// DIMACS shortest path files, after the 9th DIMACS Implementation Challenge (file formats): comments "c …", one line
// "p sp n m", then m lines "a u v weight" for the arc u → v. Ids count from 1. The format is directed.

// readDIMACS9 reads a .gr file.
func readDIMACS9(in *input, f *File) (graph.Source, error) {
	const want = "a line: p sp vertices arcs"
	h, err := in.header('c', want)
	if err != nil {
		return nil, err
	}
	words := h.words()
	switch {
	case words[0] != "p":
		return nil, fault(h.at, 1, ErrFormat, quote(words[0]), want)
	case len(words) > 1 && words[1] != "sp":
		return nil, h.fault(ErrUnsupported, "problem "+quote(words[1]), "sp")
	case len(words) != 4:
		return nil, h.fault(ErrFormat, plural(int64(len(words)), "word"), "4: p sp vertices arcs")
	}
	counts, err := h.wholes(words[2:], "of vertices", "of arcs")
	if err != nil {
		return nil, err
	}
	l := &layout{directed: true, columns: 3, want: "3: a u v weight", comments: "c", ends: [2]string{"vertex", "vertex"}, prefix: 'a', weight: 3,
		declared: declare("DIMACS", h.at, 1, counts[0], counts[1], "arc", "arcs")}
	if in.o.WeightColumn < 0 {
		l.weight = 0
	}
	f.Report.DirectionStated = true
	return in.declaredList(f, l)
}

// writeDIMACS9 writes a .gr file.
func writeDIMACS9(w *writer) error {
	if isReal(w.kind) {
		return loss("real weights, and DIMACS weights are integers", "drop the weights (%s)", CureDropWeights)
	}
	w.ones("arc")
	w.labelLoss(1)
	arcs := w.src.NumEdges()
	if !w.src.IsDirected() {
		w.both = true
		w.report.lossf("direction: each edge is written as two arcs, a self-loop as one")
		err := w.each(func(edges []graph.Edge, _ graph.Weights) error {
			for _, e := range edges {
				if e.U != e.V {
					arcs++
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return w.list(fmt.Sprintf("p sp %d %d\n", w.src.NumVertices(), arcs), w.from(1), ' ', "a ")
}
