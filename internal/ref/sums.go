package ref

import "github.com/totemgo/totemgo/graph"

// Sums are what a search from each of several roots adds up by target.
type Sums struct {
	Reach, Far      []uint32 // roots that reach a vertex, itself included; the largest of their distances
	Total, Harmonic []float64
	Hops            []int64 // pairs by distance
}

// SumsFrom searches from each root, along arcs; outward is against them.
func SumsFrom(src graph.Source, roots []uint32, outward bool) *Sums {
	adj := adjacency(src)
	if outward && src.IsDirected() {
		back := make([][]arc, len(adj))
		for u, row := range adj {
			for _, a := range row {
				back[a.to] = append(back[a.to], arc{to: uint32(u)})
			}
		}
		adj = back
	}
	n, c := len(adj), &Checker{adj, map[uint32][]int32{}}
	d := &Sums{make([]uint32, n), make([]uint32, n), make([]float64, n), make([]float64, n), nil}
	for _, root := range roots {
		for v, level := range c.Levels(root) {
			if level < 0 {
				continue
			}
			for len(d.Hops) <= int(level) {
				d.Hops = append(d.Hops, 0)
			}
			d.Hops[level]++
			d.Reach[v]++
			d.Far[v] = max(d.Far[v], uint32(level))
			if d.Total[v] += float64(level); level > 0 {
				d.Harmonic[v] += 1 / float64(level)
			}
		}
		delete(c.levels, root)
	}
	return d
}
