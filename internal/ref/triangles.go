package ref

import "github.com/totemgo/totemgo/graph"

// neighbours returns which vertices arcs lead to from every vertex, without self-loops, and the distinct
// neighbours in either direction.
func neighbours(src graph.Source) (out, both []map[uint32]bool) {
	out, both = make([]map[uint32]bool, src.NumVertices()), make([]map[uint32]bool, src.NumVertices())
	for u := range out {
		out[u], both[u] = map[uint32]bool{}, map[uint32]bool{}
	}
	for u, row := range adjacency(src) {
		for _, a := range row {
			if int(a.to) != u {
				out[u][a.to], both[u][a.to], both[a.to][uint32(u)] = true, true, true
			}
		}
	}
	return out, both
}

// Triangles returns for every vertex the number of its triangles, in the simple undirected graph, and
// its local clustering coefficient as LDBC Graphalytics defines it. wedges is the number of pairs of
// edges with a common vertex.
func Triangles(src graph.Source) (count []int64, clustering []float64, wedges int64) {
	out, both := neighbours(src)
	count, clustering = make([]int64, len(out)), make([]float64, len(out))
	for v, near := range both {
		links := 0
		for u := range near {
			for w := range near {
				if out[u][w] {
					links++
				}
				if u < w && both[u][w] {
					count[v]++
				}
			}
		}
		if d := len(near); d > 1 {
			clustering[v] = float64(links) / float64(d*(d-1))
			wedges += int64(d * (d - 1) / 2)
		}
	}
	return count, clustering, wedges
}
