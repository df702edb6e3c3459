package graph

import "math"

// CheckSource checks a source without reading its records: that it is not nil and not
// consumed, that vertices, labels and weights are as many as each other demand, and that no
// label exceeds 64 bits. It returns an *InvalidError, or ErrConsumed.
func CheckSource(src Source) error {
	checked, own := src.(interface{ checkHeld() error })
	if src == nil {
		return invalid("there is a graph", "the source is nil")
	}
	if own { // first: it knows nil pointers
		if err := checked.checkHeld(); err != nil {
			return err
		}
	}
	n, labels := src.NumVertices(), src.VertexLabels()
	if n < 0 {
		return invalid("a graph has vertices or none", "%d vertices", n)
	}
	if labels.Len() != n {
		return invalid("each vertex has a label", "%d labels, %d vertices", labels.Len(), n)
	}
	if base, is := labels.Base(); is && n > 0 && base > math.MaxUint64-uint64(n-1) {
		return invalid("labels have 64 bits", "%d labels from %d on", n, base)
	}
	return nil
}

// checkHeld demands records and one weight for each, or no weights.
func (l *EdgeList) checkHeld() error {
	switch {
	case l == nil:
		return invalid("there is a graph", "the edge list is nil")
	case l.consumed:
		return ErrConsumed
	case l.Weights.Kind() != Unweighted && l.Weights.Len() != len(l.Edges):
		return invalid("each record has a weight", "%d weights, %d records", l.Weights.Len(), len(l.Edges))
	}
	return nil
}

// checkHeld demands rows; NewCSR has counted their entries.
func (g *CSR) checkHeld() error {
	switch {
	case g == nil:
		return invalid("there is a graph", "the CSR is nil")
	case g.offsets == nil:
		return ErrConsumed
	}
	return nil
}

// Consume frees the records, and calls Release if it is set. The number of vertices and the
// labels stay. What would read the records afterwards gets ErrConsumed; a second call does
// nothing.
func (l *EdgeList) Consume() {
	l.Edges, l.Weights, l.consumed = nil, Weights{}, true
	if f := l.Release; f != nil {
		l.Release = nil
		f()
	}
}
