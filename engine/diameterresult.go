package engine

import "time"

// DiameterResult is the largest distance in a component.
type DiameterResult struct {
	*RunResult
	// Diameter is the largest distance, in arcs, of two vertices of the largest weak component; of several the one
	// with the smallest id. In a directed graph it is the largest one along arcs; pairs without a path do not count.
	Diameter int64
	// Bound is an upper bound of Diameter, the same but after DiameterBounds.
	Bound int64
	// Vertices is the number of vertices of that component.
	Vertices int64
	// From and To are ids of the file at that distance; in an undirected graph From is the smaller one. There may be others.
	From, To uint64
	// Roots is the number of searches.
	Roots int64
	Time  time.Duration
}
