package graph

// Relabel returns the graph with its dense ids 0, 1, … for labels. They stand in rising
// order of the labels that src has. The records are src's own.
func Relabel(src Source) Source {
	if l, ok := src.(*EdgeList); ok {
		c := *l
		c.Labels = nil
		return &c
	}
	return relabelled{src}
}

type relabelled struct{ Source }

// VertexLabels implements Source.
func (r relabelled) VertexLabels() *Labels { return IdentityLabels(r.NumVertices(), 0) }
