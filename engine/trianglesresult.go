package engine

// TrianglesResult are the triangles of a graph.
type TrianglesResult struct {
	*RunResult
	// Count is the number of triangles: three vertices, all joined by edges.
	Count int64
	// Wedges is the number of pairs of edges with a common vertex.
	Wedges int64
	// Triangles holds the number of triangles with each vertex, by dense id.
	Triangles []int64
	// Clustering holds the local clustering coefficient of each vertex, by dense id: of a vertex with d
	// neighbours, the number of arcs between these ÷ d(d − 1). An undirected edge is two arcs. It
	// is 0 if d < 2.
	Clustering []float64
}

// trianglesOf returns the result of a run.
func (e *Engine) trianglesOf(t *triangles) *TrianglesResult {
	r := &TrianglesResult{RunResult: &RunResult{labels: e.labels}, Triangles: make([]int64, e.n), Clustering: make([]float64, e.n)}
	for p, rank := range t.Rank {
		v, d, links := e.place.VertexOf[rank], int64(t.Degree[p]), 2*t.count[p]
		if t.Arcs != nil {
			links = t.links[p]
		}
		r.Count += int64(t.count[p])
		r.Wedges += d * (d - 1) / 2
		r.Triangles[v] = int64(t.count[p])
		if d > 1 {
			r.Clustering[v] = float64(links) / float64(d*(d-1))
		}
	}
	r.Count /= 3
	return r
}

// Transitivity is the global clustering coefficient: 3 × triangles ÷ wedges, 0 without wedges.
func (r *TrianglesResult) Transitivity() float64 {
	return 3 * float64(r.Count) / float64(max(1, r.Wedges))
}

// Average is the mean of Clustering over all vertices, 0 without vertices.
func (r *TrianglesResult) Average() float64 {
	sum := 0.0
	for _, c := range r.Clustering {
		sum += c
	}
	return sum / float64(max(1, len(r.Clustering)))
}
