package ref

import "github.com/totemgo/totemgo/graph"

// Betweenness is the sum over ordered pairs of other vertices of the part of their shortest paths through each
// vertex, by arcs of the simple graph (Brandes 2001).
func Betweenness(src graph.Source) []float64 {
	adj := make([][]uint32, src.NumVertices())
	for u, row := range adjacency(src) {
		has := map[uint32]bool{uint32(u): true}
		for _, a := range row {
			if !has[a.to] {
				has[a.to] = true
				adj[u] = append(adj[u], a.to)
			}
		}
	}
	score := make([]float64, len(adj))
	for root := range adj {
		level, paths, share := make([]int, len(adj)), make([]float64, len(adj)), make([]float64, len(adj))
		level[root], paths[root] = 1, 1
		order := []uint32{uint32(root)}
		for i := 0; i < len(order); i++ {
			u := order[i]
			for _, v := range adj[u] {
				if level[v] == 0 {
					level[v] = level[u] + 1
					order = append(order, v)
				}
				if level[v] == level[u]+1 {
					paths[v] += paths[u]
				}
			}
		}
		for i := len(order) - 1; i > 0; i-- {
			u := order[i]
			for _, v := range adj[u] {
				if level[v] == level[u]+1 {
					share[u] += paths[u] / paths[v] * (1 + share[v])
				}
			}
			score[u] += share[u]
		}
	}
	return score
}
