package graph

// EdgeList is a graph as a file or a generator states it: its records in their
// order, nothing dropped. It is the cheapest Source.
type EdgeList struct {
	// Vertices is the number of vertices; every id in Edges is below it.
	Vertices int
	// Directed tells whether a record is an arc.
	Directed bool
	// Edges are the records. An undirected edge stands here once.
	Edges []Edge
	// Weights holds one weight per record, or is empty.
	Weights Weights
	// Labels translates to the file's ids; nil means that they are the dense ids.
	Labels *Labels
	// Release, if set, frees memory that lies outside the Go heap. It is called by
	// an owner that has consumed the list, at most once.
	Release func()
}

var _ Source = (*EdgeList)(nil)

func (l *EdgeList) NumVertices() int       { return l.Vertices }
func (l *EdgeList) NumEdges() int64        { return int64(len(l.Edges)) }
func (l *EdgeList) IsDirected() bool       { return l.Directed }
func (l *EdgeList) WeightKind() WeightKind { return l.Weights.Kind() }

// VertexLabels returns the list's labels, never nil.
func (l *EdgeList) VertexLabels() *Labels {
	if l.Labels == nil {
		return IdentityLabels(l.Vertices, 0)
	}
	return l.Labels
}

// Blocks implements Source.
func (l *EdgeList) Blocks(n int) int {
	if len(l.Edges) < n {
		return max(1, len(l.Edges))
	}
	return n
}

func (l *EdgeList) span(n, i int) (lo, hi int) {
	n = l.Blocks(n)
	return int(int64(len(l.Edges)) * int64(i) / int64(n)), int(int64(len(l.Edges)) * int64(i+1) / int64(n))
}

// Block implements Source; it returns the list's own memory.
func (l *EdgeList) Block(n, i int, _ []Edge) []Edge {
	lo, hi := l.span(n, i)
	return l.Edges[lo:hi]
}

// BlockWeights implements Source; it returns the list's own memory.
func (l *EdgeList) BlockWeights(n, i int) Weights {
	lo, hi := l.span(n, i)
	return l.Weights.Slice(lo, hi)
}
