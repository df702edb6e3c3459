package ref

import (
	"container/heap"

	"github.com/totemgo/totemgo/graph"
)

// Length is a type of lengths of paths.
type Length interface{ int64 | float32 | float64 }

type weightedArc[T Length] struct {
	u, v uint32
	w    T
}

// ends is a heap of paths: the last vertex v and the length w.
type ends[T Length] []weightedArc[T]

func (h ends[T]) Len() int           { return len(h) }
func (h ends[T]) Less(i, j int) bool { return h[i].w < h[j].w }
func (h ends[T]) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *ends[T]) Push(a any)        { *h = append(*h, a.(weightedArc[T])) }
func (h *ends[T]) Pop() any {
	a := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return a
}

// ShortestPaths returns the lengths of shortest paths from root, added up in T from the root on, and which
// vertices have one: by the method of Dijkstra, with negative weights by that of Bellman and Ford. ok is
// false if the root reaches a cycle of negative weight. Weights must have exact values of T.
func ShortestPaths[T Length](src graph.Source, root uint32) (dist []T, reached []bool, ok bool) {
	dist, reached = make([]T, src.NumVertices()), make([]bool, src.NumVertices())
	out, negative := make([][]weightedArc[T], len(dist)), false
	exact, err := src.BlockWeights(1, 0).Convert(graph.WeightsOf([]T{}).Kind())
	weights, wrong := graph.WeightsAs[T](exact)
	if err != nil || wrong != nil {
		panic(err) // a bug of a test
	}
	for i, e := range src.Block(1, 0, nil) {
		w := weights[i]
		out[e.U] = append(out[e.U], weightedArc[T]{e.U, e.V, w})
		if negative = negative || w < 0; !src.IsDirected() {
			out[e.V] = append(out[e.V], weightedArc[T]{e.V, e.U, w})
		}
	}
	relax := func(a weightedArc[T]) bool {
		d := dist[a.u] + a.w
		if !reached[a.u] || reached[a.v] && dist[a.v] <= d {
			return false
		}
		dist[a.v], reached[a.v] = d, true
		return true
	}
	reached[root] = true
	for round, again := 0, negative; again; round++ {
		if again = false; round > len(dist) {
			return nil, nil, false
		}
		for _, row := range out {
			for _, a := range row {
				again = relax(a) || again
			}
		}
	}
	for h := (&ends[T]{{v: root}}); !negative && h.Len() > 0; {
		for _, a := range out[heap.Pop(h).(weightedArc[T]).v] {
			if relax(a) {
				heap.Push(h, weightedArc[T]{v: a.v, w: dist[a.v]})
			}
		}
	}
	return dist, reached, true
}
