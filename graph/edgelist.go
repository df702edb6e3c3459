package graph

import (
	"context"
	"fmt"
)

// EdgeList is a graph as a file or a generator states it: its records in their
// order, nothing dropped. It is the cheapest Source.
type EdgeList struct {
	// Vertices is the number of vertices; every id in Edges is below it.
	Vertices int
	// Directed tells whether a record is an arc.
	Directed bool
	// Edges are the records: an undirected edge is one record.
	Edges []Edge
	// Weights holds one weight per record, or is empty.
	Weights Weights
	// Labels translates to the file's ids; nil means that they are the dense ids.
	Labels *Labels
	// Release, if set, frees memory that lies outside the Go heap. Consume calls it, at
	// most once.
	Release func()

	consumed bool
}

var _ Source = (*EdgeList)(nil)

// NumVertices implements Source.
func (l *EdgeList) NumVertices() int { return l.Vertices }

// NumEdges implements Source: the number of records.
func (l *EdgeList) NumEdges() int64 { return int64(len(l.Edges)) }

// IsDirected implements Source.
func (l *EdgeList) IsDirected() bool { return l.Directed }

// WeightKind implements Source.
func (l *EdgeList) WeightKind() WeightKind { return l.Weights.Kind() }

// Validate checks that every record joins vertices and that weights and labels have
// the right number. It returns an *InvalidError for the first rule that does not
// hold, ErrConsumed or ErrTooManyVertices.
func (l *EdgeList) Validate() error {
	if l.Vertices < 0 || uint64(l.Vertices) > MaxVertices {
		return fmt.Errorf("%w: %d", ErrTooManyVertices, l.Vertices)
	}
	if err := CheckSource(l); err != nil {
		return err
	}
	return eachRecord(context.Background(), l, 0, func([]Edge) {})
}

// VertexLabels returns the list's labels, never nil.
func (l *EdgeList) VertexLabels() *Labels {
	if l.Labels == nil {
		return IdentityLabels(l.Vertices, 0)
	}
	return l.Labels
}

// Blocks implements Source.
func (l *EdgeList) Blocks(n int) int { return min(n, max(1, len(l.Edges))) }

// Block implements Source; it returns the list's own memory.
func (l *EdgeList) Block(n, i int, _ []Edge) []Edge {
	lo, hi := span(len(l.Edges), l.Blocks(n), i)
	return l.Edges[lo:hi]
}

// BlockWeights implements Source; it returns the list's own memory.
func (l *EdgeList) BlockWeights(n, i int) Weights {
	lo, hi := span(len(l.Edges), l.Blocks(n), i)
	return l.Weights.Slice(lo, hi)
}
