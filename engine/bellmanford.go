package engine

import (
	"context"
	"fmt"
	"slices"
	"time"
	"unsafe"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/program"
)

// bellmanFord is SSSP with weights of type W, negative ones among them, in host memory on one thread: by the
// method of Bellman, Ford and Moore with a queue, and Tarjan's disassembly of subtrees (1981).
//
// A vertex that comes nearer takes all vertices below it out of the tree: their arcs wait until the search
// has come to them anew. So the label of a vertex in the tree is the length of its path there, and a vertex
// that would come nearer over an arc from below itself is on a cycle of negative weight.
func bellmanFord[T program.Value, W graph.Weight](ctx context.Context, s *pathSearch) (*SSSPResult, error) {
	e, n, size := s.Engine, int(s.place.Ranks), int64(unsafe.Sizeof(T(0)))
	if err := e.room("shortest paths with negative weights", int64(n)*(size+4*5+2)+int64(e.n)*(size+4)); err != nil {
		return nil, err
	}
	rows, err := e.place.Rows(false)
	if err != nil {
		return nil, fmt.Errorf("engine: shortest paths: %w", err)
	}
	t := newPathTree[T](n)
	if rank := e.place.RankOf[s.root]; rank != graph.None {
		t.plant(rank)
	}
	for step := 0; t.waiting > 0; step++ {
		if step%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		u := t.pop()
		if !t.in[u] {
			continue
		}
		g := rows.Segment(u)
		weights, _ := graph.WeightsAs[W](g.Weights)
		lo, hi := g.Row(u - g.First)
		for k := lo; k < hi; k++ {
			v, w := g.Neighbours[k], T(weights[k])
			d := t.dist[u] + w
			switch {
			case w < 0 && (d > t.dist[u] || d-d != 0):
				return nil, &WeightError{From: e.labelOf(u), To: e.labelOf(v), Reason: DistanceTooLarge}
			case w > 0 && (d < t.dist[u] || d == program.Largest[T]()):
				if t.parent[v] == graph.None {
					t.parent[v] = u // v is out of range, unless there is another path
				}
			case d < t.dist[v] || d == t.dist[v] && !t.in[v]:
				if !t.move(u, v, d) {
					return nil, &NegativeCycleError{Cycle: t.cycle(u, v, e.labelOf)}
				}
			}
		}
	}
	r := &SSSPResult{Root: e.labels.Label(s.root), Type: program.TypeOf[T](), Time: time.Since(s.start)}
	dist, parents := slices.Repeat([]T{program.Largest[T]()}, e.n), slices.Repeat([]uint32{graph.None}, e.n)
	dist[s.root], parents[s.root] = 0, s.root
	for v, u := range t.parent {
		if u == graph.None {
			continue
		}
		if t.dist[v] == program.Largest[T]() {
			return nil, &WeightError{From: e.labelOf(u), To: e.labelOf(uint32(v)), Reason: DistanceTooLarge}
		}
		id := e.place.VertexOf[v]
		dist[id], parents[id] = t.dist[v], e.place.VertexOf[u]
	}
	for _, l := range e.place.NegativeLoops {
		if dist[l.Vertex] != program.Largest[T]() {
			return nil, &NegativeCycleError{Cycle: []uint64{e.labels.Label(l.Vertex)}}
		}
	}
	r.RunResult = &RunResult{labels: e.labels, arrays: []any{dist}}
	if s.o.Parents {
		r.Parents, r.arrays = parents, append(r.arrays, parents)
	}
	r.NumReached, _ = reachedOf(dist)
	return r, nil
}

// pathTree is a tree of paths by rank, its vertices threaded in preorder, round in a circle, and a queue.
type pathTree[T program.Value] struct {
	dist          []T
	parent        []uint32 // also of vertices that have left the tree
	before, after []uint32
	children      []uint32
	in            []bool

	queue         []uint32 // a ring
	queued        []bool
	head, waiting int
}

func newPathTree[T program.Value](n int) *pathTree[T] {
	return &pathTree[T]{dist: slices.Repeat([]T{program.Largest[T]()}, n), parent: slices.Repeat([]uint32{graph.None}, n),
		before: make([]uint32, n), after: make([]uint32, n), children: make([]uint32, n), in: make([]bool, n),
		queue: make([]uint32, n), queued: make([]bool, n)}
}

// plant begins with a root.
func (t *pathTree[T]) plant(root uint32) {
	t.parent[root], t.before[root], t.after[root], t.dist[root], t.in[root] = root, root, root, 0, true
	t.push(root)
}

func (t *pathTree[T]) push(v uint32) {
	if !t.queued[v] {
		t.queue[(t.head+t.waiting)%len(t.queue)], t.queued[v] = v, true
		t.waiting++
	}
}

func (t *pathTree[T]) pop() uint32 {
	v := t.queue[t.head]
	t.head, t.waiting, t.queued[v] = (t.head+1)%len(t.queue), t.waiting-1, false
	return v
}

// move makes v a leaf below u at distance d. It returns false if u is below v.
func (t *pathTree[T]) move(u, v uint32, d T) bool {
	if t.in[v] {
		next := t.after[v]
		for open := t.children[v]; open > 0; open-- {
			if next == u {
				return false
			}
			open += t.children[next]
			t.in[next], t.children[next] = false, 0
			next = t.after[next]
		}
		t.after[t.before[v]], t.before[next] = next, t.before[v]
		t.children[t.parent[v]]--
	}
	next := t.after[u]
	t.after[u], t.before[v], t.after[v], t.before[next] = v, u, next, v
	t.children[u]++
	t.parent[v], t.dist[v], t.in[v], t.children[v] = u, d, true, 0
	t.push(v)
	return true
}

// cycle lists the labels of the path from v to u, which is below it, the smallest label first.
func (t *pathTree[T]) cycle(u, v uint32, label func(uint32) uint64) []uint64 {
	list := []uint64{label(u)}
	for x := u; x != v; {
		x = t.parent[x]
		list = append(list, label(x))
	}
	slices.Reverse(list)
	first := slices.Index(list, slices.Min(list))
	return slices.Concat(list[first:], list[:first])
}
