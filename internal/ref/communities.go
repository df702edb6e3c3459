package ref

import "github.com/totemgo/totemgo/graph"

// Cores returns the core number of every vertex, its degree being the number of out-arcs and in-arcs
// in a directed graph: it removes vertices one by one.
func Cores(src graph.Source) []int32 {
	out, both := neighbours(src)
	cores, gone := make([]int32, len(out)), make([]bool, len(out))
	for k, left := int32(0), len(out); left > 0; k++ {
		for again := true; again; {
			again = false
			for v, near := range both {
				degree := int32(0)
				for u := range near {
					switch {
					case gone[u]:
					case src.IsDirected() && out[v][u] && out[u][uint32(v)]:
						degree += 2
					default:
						degree++
					}
				}
				if !gone[v] && degree <= k {
					gone[v], cores[v], again = true, k, true
					left--
				}
			}
		}
	}
	return cores
}

// Communities returns labels after iterations of label propagation as LDBC Graphalytics defines it.
func Communities(src graph.Source, iterations int) []uint32 {
	out, both := neighbours(src)
	labels := make([]uint32, len(out))
	for v := range labels {
		labels[v] = uint32(v)
	}
	for range iterations {
		next := append([]uint32(nil), labels...)
		for v, near := range both {
			votes, most := map[uint32]int{}, 0
			for u := range near {
				if votes[labels[u]]++; src.IsDirected() && out[v][u] && out[u][uint32(v)] {
					votes[labels[u]]++
				}
			}
			for label, n := range votes {
				if n > most || n == most && label < next[v] {
					next[v], most = label, n
				}
			}
		}
		labels = next
	}
	return labels
}
