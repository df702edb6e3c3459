package graph

// Relabel returns the graph with its dense ids 0, 1, … as labels, in rising order of the
// labels of src. It shares src's records.
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
