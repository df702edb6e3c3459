package ref

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/bits-and-blooms/bitset"

	"github.com/totemgo/totemgo/graph"
)

// Unreached is the level of a vertex that a search does not reach.
const Unreached = -1

// arc is one entry of an adjacency list.
type arc struct {
	to     uint32
	weight float64
}

// adjacency lists the out-arcs of every vertex, in the order of records.
func adjacency(src graph.Source) [][]arc {
	adj := make([][]arc, src.NumVertices())
	const n = 3
	for b := range src.Blocks(n) {
		weights := src.BlockWeights(n, b)
		for i, e := range src.Block(n, b, nil) {
			w := weights.Float64(i)
			adj[e.U] = append(adj[e.U], arc{e.V, w})
			if !src.IsDirected() && e.U != e.V {
				adj[e.V] = append(adj[e.V], arc{e.U, w})
			}
		}
	}
	return adj
}

// Checker computes the levels of searches in one graph, and checks their trees.
type Checker struct {
	adj    [][]arc // rows rise
	levels map[uint32][]int32
}

// NewChecker reads a graph.
func NewChecker(src graph.Source) *Checker {
	c := &Checker{adjacency(src), map[uint32][]int32{}}
	for _, row := range c.adj {
		slices.SortFunc(row, func(a, b arc) int { return cmp.Compare(a.to, b.to) })
	}
	return c
}

// Levels returns the number of arcs on a shortest path from root to every vertex, or
// Unreached. The slice is kept.
func (c *Checker) Levels(root uint32) []int32 {
	levels, ok := c.levels[root]
	if ok {
		return levels
	}
	levels = make([]int32, len(c.adj))
	for v := range levels {
		levels[v] = Unreached
	}
	levels[root] = 0
	for queue := []uint32{root}; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		for _, a := range c.adj[v] {
			if levels[a.to] == Unreached {
				levels[a.to] = levels[v] + 1
				queue = append(queue, a.to)
			}
		}
	}
	c.levels[root] = levels
	return levels
}

// Levels is Checker.Levels for one search.
func Levels(src graph.Source, root uint32) []int32 { return NewChecker(src).Levels(root) }

// Reached returns the vertices that have a level, and the largest level.
func Reached(levels []int32) (reached *bitset.BitSet, depth int32) {
	reached = bitset.New(uint(len(levels)))
	for v, l := range levels {
		if l != Unreached {
			reached.Set(uint(v))
			depth = max(depth, l)
		}
	}
	return reached, depth
}

// CheckTree checks that parents is a tree of shortest paths from root: the root is its
// own parent, every parent is joined to its child by an arc of the graph, following
// parents ends at the root after as many steps as the vertex's level, and the vertices
// with a parent are those that root reaches. The others have graph.None. An error names the
// rule that is broken and the vertex.
func (c *Checker) CheckTree(root uint32, parents []uint32) error {
	if len(parents) != len(c.adj) {
		return broken("every vertex has a parent entry", root, "%d entries, %d vertices", len(parents), len(c.adj))
	}
	for v, p := range parents {
		if err := c.CheckParent(root, uint32(v), p); err != nil {
			return err
		}
	}
	return nil
}

// broken is the error of a tree that breaks a rule, what should hold, at vertex v.
func broken(rule string, v uint32, format string, args ...any) error {
	return fmt.Errorf("ref: %s: vertex %d: "+format, append([]any{rule, v}, args...)...)
}

// CheckTree is Checker.CheckTree for one tree.
func CheckTree(src graph.Source, root uint32, parents []uint32) error {
	return NewChecker(src).CheckTree(root, parents)
}

// CheckParent checks that p may be the parent of v in a search from root: see CheckTree.
func (c *Checker) CheckParent(root, v, p uint32) error {
	levels := c.Levels(root)
	switch {
	case v == root && p != root:
		return broken("the root is its own parent", root, "its parent is %d", p)
	case v == root:
		return nil
	case (p == graph.None) != (levels[v] == Unreached):
		return broken("what the root reaches has a parent, and nothing else", v, "parent %d, level %d", p, levels[v])
	case p == graph.None:
		return nil
	case int64(p) >= int64(len(c.adj)):
		return broken("parents are vertices", v, "parent %d of %d vertices", p, len(c.adj))
	}
	if _, ok := slices.BinarySearchFunc(c.adj[p], v, func(a arc, v uint32) int { return cmp.Compare(a.to, v) }); !ok {
		return broken("tree edges are edges of the graph", v, "there is no edge from its parent %d", p)
	}
	if levels[v] != levels[p]+1 {
		return broken("tree edges lead one level down", v, "level %d, its parent %d has level %d", levels[v], p, levels[p])
	}
	return nil
}

// Components returns, for every vertex, the smallest vertex that it is joined to by
// edges, whatever their direction.
func Components(src graph.Source) []uint32 {
	both := make([][]uint32, src.NumVertices())
	for v, arcs := range adjacency(src) {
		for _, a := range arcs {
			both[v] = append(both[v], a.to)
			both[a.to] = append(both[a.to], uint32(v))
		}
	}
	comp, visited := make([]uint32, len(both)), bitset.New(uint(len(both)))
	for v := range comp {
		if visited.Test(uint(v)) {
			continue
		}
		visited.Set(uint(v))
		comp[v] = uint32(v)
		stack := []uint32{uint32(v)}
		for len(stack) > 0 {
			u := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, t := range both[u] {
				if !visited.Test(uint(t)) {
					visited.Set(uint(t))
					comp[t] = uint32(v)
					stack = append(stack, t)
				}
			}
		}
	}
	return comp
}

// StrongComponents returns, for every vertex, the smallest vertex that it reaches along arcs and
// that reaches it: the vertices of a component are those that a search forward and one backward
// from its smallest vertex both reach.
func StrongComponents(src graph.Source) []uint32 {
	forward := make([][]uint32, src.NumVertices())
	backward := make([][]uint32, len(forward))
	for v, arcs := range adjacency(src) {
		for _, a := range arcs {
			forward[v] = append(forward[v], a.to)
			backward[a.to] = append(backward[a.to], uint32(v))
		}
	}
	comp := make([]uint32, len(forward))
	for v := range comp {
		comp[v] = graph.None
	}
	reach := func(rows [][]uint32, from uint32) map[uint32]bool { // without vertices of known components
		set := map[uint32]bool{from: true}
		for stack := []uint32{from}; len(stack) > 0; {
			u := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, t := range rows[u] {
				if !set[t] && comp[t] == graph.None {
					set[t] = true
					stack = append(stack, t)
				}
			}
		}
		return set
	}
	for v := range comp {
		if comp[v] == graph.None {
			ahead, behind := reach(forward, uint32(v)), reach(backward, uint32(v))
			for t := range ahead {
				if behind[t] {
					comp[t] = uint32(v)
				}
			}
		}
	}
	return comp
}

// Distances returns the length of a shortest path from root to every vertex, by the method
// of Bellman and Ford in float64, +Inf where there is none. Weights must not be negative; an
// unweighted graph has weights 1.
func Distances(src graph.Source, root uint32) []float64 {
	adj := adjacency(src)
	dist := make([]float64, len(adj))
	for v := range dist {
		dist[v] = math.Inf(1)
	}
	dist[root] = 0
	for shorter := true; shorter; {
		shorter = false
		for v, row := range adj {
			for _, a := range row {
				if d := dist[v] + a.weight; d < dist[a.to] {
					dist[a.to] = d
					shorter = true
				}
			}
		}
	}
	return dist
}

// Ranking says which PageRank is meant.
type Ranking struct {
	Damping    float64
	Iterations int
	Start      []float64 // where jumps lead, by vertex, with sum 1; nil is 1/n each
	Warm       []float64 // the first ranks, by vertex, with sum 1; nil is 1/n each
	Drop       bool      // the rank of vertices without arcs
	Multi      bool      // self-loops and parallel arcs count
}

// PageRank returns the ranks after a number of iterations from 1/n each, without self-loops and
// parallel arcs: rank'[v] = (1−d)/n + d·(Σ rank[u]/degree[u] over arcs u → v + Σ rank[u]/n over
// vertices u without arcs).
func PageRank(src graph.Source, d float64, iterations int) []float64 {
	return Ranking{Damping: d, Iterations: iterations}.Of(src)
}

// Of returns the ranks. In general start[v] replaces 1/n.
func (k Ranking) Of(src graph.Source) []float64 {
	out := adjacency(src)
	alike := make([]float64, len(out))
	for u, row := range out {
		if alike[u] = 1 / float64(len(out)); k.Multi {
			continue
		}
		slices.SortFunc(row, func(a, b arc) int { return cmp.Compare(a.to, b.to) })
		row = slices.CompactFunc(row, func(a, b arc) bool { return a.to == b.to })
		out[u] = slices.DeleteFunc(row, func(a arc) bool { return int(a.to) == u })
	}
	start, rank := alike, alike
	if k.Start != nil {
		start = k.Start
	}
	if k.Warm != nil {
		rank = k.Warm
	}
	for range k.Iterations {
		next, dangling := make([]float64, len(out)), 0.0
		for u, row := range out {
			if len(row) == 0 && !k.Drop {
				dangling += rank[u]
			}
			for _, a := range row {
				next[a.to] += rank[u] / float64(len(row))
			}
		}
		for v := range next {
			next[v] = (1-k.Damping)*start[v] + k.Damping*(next[v]+dangling*start[v])
		}
		rank = next
	}
	return rank
}
