package graphio

import (
	"fmt"
	"slices"
	"strings"

	"github.com/totemgo/totemgo/graph"
)

// DIMACS files: comments "c …", one line "p PROBLEM n m", then m lines. Ids count from 1.
//
//	p sp           a u v weight    the arc u → v, after the 9th DIMACS Implementation Challenge (file formats)
//	p max          a u v capacity  the arc u → v, after the 1st Challenge (Network Flows); "n id s" and "n id t" are its ends
//	p edge, p col  e u v           an undirected edge, after the 2nd Challenge (Cliques, Coloring); "n id value" may follow

func readDIMACS9(in *input, f *File) (graph.Source, error) { return readDIMACS(in, f, "sp") }

func readDIMACSOthers(in *input, f *File) (graph.Source, error) {
	return readDIMACS(in, f, dimacsOthers()...)
}

func dimacsOthers() []string { return []string{"edge", "col", "max"} }

// readDIMACS reads a file of one of the problems.
func readDIMACS(in *input, f *File, problems ...string) (graph.Source, error) {
	problem := strings.Join(problems, ", ")
	want := "p " + problem + " vertices arcs"
	h, err := in.header("c", "a line: "+want)
	if err != nil {
		return nil, err
	}
	words := h.words()
	switch {
	case words[0] != "p":
		return nil, fault(h.at, 1, ErrFormat, quote(words[0]), "a line: "+want)
	case len(words) > 1 && words[1] != "sp" && !slices.Contains(dimacsOthers(), words[1]):
		return nil, h.fault(ErrUnsupported, "problem "+quote(words[1]), "sp, "+strings.Join(dimacsOthers(), ", "))
	case len(words) > 1 && !slices.Contains(problems, words[1]):
		return nil, h.fault(ErrUnsupported, "problem "+quote(words[1]), problem)
	case len(words) != 4:
		return nil, h.fault(ErrFormat, plural(int64(len(words)), "word"), "4: "+want)
	}
	counts, err := in.promised(h.wholes(words[2:], "of vertices", "of arcs"))
	if err != nil {
		return nil, err
	}
	l := &layout{directed: true, columns: 3, want: "3: a u v weight", comments: "c", ends: [2]string{"vertex", "vertex"}, prefix: 'a', weight: 3,
		declared: declare("DIMACS", h.at, 1, counts[0], counts[1], "arc", "arcs")}
	switch words[1] {
	case "max":
		l.comments, l.want = "cn", "3: a u v capacity"
	case "edge", "col":
		l.comments, l.prefix, l.columns, l.weight, l.want, l.directed = "cn", 'e', 2, 0, "2: e u v", false
		l.declared.one, l.declared.many = "edge", "edges"
	}
	l.folds = !l.directed && in.o.Direction != Directed
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
