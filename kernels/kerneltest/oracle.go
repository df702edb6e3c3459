package kerneltest

import (
	"slices"

	"github.com/totemgo/totemgo/graph"
)

// levels returns the level of every vertex, −1 for an unreachable one, by a search with a
// queue over the simple rows.
func levels(out [][]uint32, root uint32) []int {
	level := make([]int, len(out))
	for v := range level {
		level[v] = -1
	}
	level[root] = 0
	for queue := []uint32{root}; len(queue) > 0; queue = queue[1:] {
		for _, v := range out[queue[0]] {
			if level[v] < 0 {
				level[v] = level[queue[0]] + 1
				queue = append(queue, v)
			}
		}
	}
	return level
}

// isParent reports whether u is a valid parent of v in a search from root.
func (p *placed) isParent(level []int, root, u, v uint32) bool {
	if v == root {
		return u == root
	}
	if level[v] < 0 {
		return u == graph.None
	}
	if int64(u) >= int64(p.n) || level[u] != level[v]-1 {
		return false
	}
	_, is := slices.BinarySearch(p.out[u], v)
	return is
}
