package engine

import "time"

// ClosenessResult has the distances between roots and each vertex, summed up, by dense id. Distances are numbers of
// arcs. A root that does not reach a vertex does not count for it.
type ClosenessResult struct {
	*RunResult
	// Roots is the number of roots.
	Roots int64
	// Reach is the number of roots that reach the vertex, itself included if it is one; Total the sum of their
	// distances, Eccentricity the largest of them.
	Reach, Eccentricity []uint32
	Total               []uint64
	// Hops is the number of pairs of a root and a vertex by distance: a root and itself are at 0.
	Hops []int64
	// Predicted is the time of the search as predicted once 2% of the roots, four batches a thread and 50 ms were done, and Time what it took.
	Predicted, Time time.Duration

	harmonic []uint64 // the sum of reciprocals × 2^shift
	shift    int
	roots    []uint64 // bit of a dense id: it is a root; nil if all are
}

// others is the number of roots beside vertex v, and how many of them reach it.
func (r *ClosenessResult) others(v uint32) (all, reach float64) {
	self := int64(1)
	if r.roots != nil {
		self = int64(r.roots[v/64] >> (v % 64) & 1)
	}
	return float64(r.Roots - self), float64(int64(r.Reach[v]) - self)
}

// Closeness is the reciprocal of the mean distance to vertex v from the other roots that reach it, times the part of
// them that do (Wasserman and Faust 1994): closeness_centrality of networkx. Without the part, perComponent, it is
// closeness of igraph. It is 0 where no other root reaches v.
func (r *ClosenessResult) Closeness(v uint32, perComponent bool) float64 {
	all, reach := r.others(v)
	if reach == 0 {
		return 0
	}
	if perComponent {
		return reach / float64(r.Total[v])
	}
	return reach * reach / (float64(r.Total[v]) * all)
}

// Harmonic is the sum of reciprocal distances to vertex v from all n other vertices, as harmonic_centrality of
// networkx, with an error of at most n² ÷ 2^63; by a sample of roots an estimate.
func (r *ClosenessResult) Harmonic(v uint32) float64 {
	all, _ := r.others(v)
	if r.harmonic[v] == 0 {
		return 0
	}
	return float64(r.harmonic[v]) / float64(uint64(1)<<r.shift) * float64(len(r.Reach)-1) / all
}

// Average is the mean distance of pairs of a root and another vertex that it reaches; 0 if there are none.
func (r *ClosenessResult) Average() float64 {
	sum, pairs := 0.0, 0.0
	for l, n := range r.Hops {
		if l > 0 {
			sum, pairs = sum+float64(l)*float64(n), pairs+float64(n)
		}
	}
	if pairs == 0 {
		return 0
	}
	return sum / pairs
}
