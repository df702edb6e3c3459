package engine

import (
	"iter"
	"slices"
)

// ComponentsResult are the components of a graph.
type ComponentsResult struct {
	*RunResult
	// Labels holds the smallest dense id of the component of every vertex, by dense id.
	Labels []uint32
	// Strong says that components are strong, else they are weak.
	Strong bool
}

// Count is the number of components.
func (r *ComponentsResult) Count() (n int) {
	for v, label := range r.Labels {
		if label == uint32(v) {
			n++
		}
	}
	return n
}

// Sizes returns the number of vertices of every component, largest first.
func (r *ComponentsResult) Sizes() []int {
	count := make([]int, len(r.Labels))
	for _, label := range r.Labels {
		count[label]++
	}
	count = slices.DeleteFunc(count, func(n int) bool { return n == 0 })
	slices.SortFunc(count, func(a, b int) int { return b - a })
	return count
}

// All yields every vertex and the label of its component as the file's ids, in the order of dense
// ids.
func (r *ComponentsResult) All() iter.Seq2[uint64, uint64] {
	return each(r.labels, len(r.Labels), func(v uint32) (uint64, bool) { return r.Label(r.Labels[v]), true })
}
