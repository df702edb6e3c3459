package allpairs

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/workers"
)

// ErrNegativeCycle is wrapped by *NegativeCycleError.
var ErrNegativeCycle = errors.New("allpairs: a cycle of negative weight")

// NegativeCycleError lists the vertices of a cycle in its order, by the file's ids.
type NegativeCycleError struct{ Cycle []uint64 }

func (e *NegativeCycleError) Error() string {
	text := fmt.Sprintf("%v: %d", ErrNegativeCycle, e.Cycle[0])
	for _, v := range append(slices.Clone(e.Cycle[1:]), e.Cycle[0]) {
		text += fmt.Sprintf(" → %d", v)
	}
	return text
}

func (e *NegativeCycleError) Unwrap() error { return ErrNegativeCycle }

// arcs is a graph's arcs with weights of type T.
type arcs[T Value] struct {
	g       *graph.CSR
	by      Algebra
	weights []T // nil: all are 1
	// height of a vertex is what Johnson's method (1977) adds to weights: weight + height[from] −
	// height[to] is 0 or more. nil where no weight is negative.
	height []float64
}

// newArcs converts the weights, and finds the heights where some are negative. The error may be
// a *WeightError or a *NegativeCycleError.
func newArcs[T Value](ctx context.Context, g *graph.CSR, by Algebra, threads int) (*arcs[T], error) {
	a := &arcs[T]{g: g, by: by}
	if g.WeightKind() == graph.Unweighted {
		return a, nil
	}
	a.weights = make([]T, g.NumArcs())
	below := make([]bool, threads)
	const rows = 1024
	err := workers.Each(ctx, threads, (g.NumVertices()+rows-1)/rows, graph.ErrUnreadable, func(worker, i int) error {
		for u := i * rows; u < min(g.NumVertices(), (i+1)*rows); u++ {
			at, w := g.Offsets()[u], g.RowWeights(uint32(u))
			for k, v := range g.Row(uint32(u)) {
				x, err := convert[T](g, uint32(u), v, w, k)
				if err != nil {
					return err
				}
				a.weights[at+uint64(k)], below[worker] = x, below[worker] || x < 0
			}
		}
		return nil
	})
	if err == nil && by == Shortest && slices.Contains(below, true) {
		err = a.lift(ctx)
	}
	return a, err
}

func (a *arcs[T]) weight(k uint64) T {
	if a.weights == nil {
		return 1
	}
	return a.weights[k]
}

// lift finds heights: distances from a vertex with an arc of weight 0 to every other, by the
// method of Bellman, Ford and Moore. A negative cycle shows as one of the arcs that vertices came by.
func (a *arcs[T]) lift(ctx context.Context) error {
	n := a.g.NumVertices()
	a.height = make([]float64, n)
	before, mark := make([]uint32, n), make([]uint32, n)
	for v := range before {
		before[v] = graph.None
	}
	for changed := true; changed; {
		if err := ctx.Err(); err != nil {
			return err
		}
		changed = false
		for u := range uint32(n) {
			for k, v := range a.g.Row(u) {
				if d := a.height[u] + float64(a.weight(a.g.Offsets()[u]+uint64(k))); d < a.height[v] {
					a.height[v], before[v], changed = d, u, true
				}
			}
		}
		clear(mark)
		for v := range uint32(n) {
			u := v
			for u != graph.None && mark[u] == 0 {
				mark[u], u = v+1, before[u]
			}
			if u != graph.None && mark[u] == v+1 {
				return a.cycle(before, u)
			}
		}
	}
	return nil
}

// cycle lists the cycle that v came by, its smallest label first.
func (a *arcs[T]) cycle(before []uint32, v uint32) error {
	label := a.g.VertexLabels().Label
	list := []uint64{label(v)}
	for u := before[v]; u != v; u = before[u] {
		list = append(list, label(u))
	}
	slices.Reverse(list)
	first := slices.Index(list, slices.Min(list))
	return &NegativeCycleError{slices.Concat(list[first:], list[:first])}
}

// search finds the distances from one vertex.
type search[T Value] struct {
	*arcs[T]
	row   []T       // distances; Unreachable
	done  []bool    // by vertex
	queue []uint32  // of a breadth-first search
	heap  []item[T] // of Dijkstra's method
}

type item[T Value] struct {
	key float64 // what the heap is ordered by: distance and height; of Widest the negated width
	d   T
	v   uint32
}

// run searches from u.
func (s *search[T]) run(u uint32) {
	none := Unreachable[T](s.by)
	for v := range s.row {
		s.row[v] = none
	}
	clear(s.done)
	if s.weights == nil && s.by == Shortest {
		s.breadthFirst(u)
		return
	}
	s.heap = append(s.heap[:0], item[T]{d: own[T](s.by), v: u})
	for len(s.heap) > 0 {
		x := s.pop()
		if s.done[x.v] {
			continue
		}
		s.done[x.v], s.row[x.v] = true, x.d
		at := s.g.Offsets()[x.v]
		for k, v := range s.g.Row(x.v) {
			if s.done[v] {
				continue
			}
			w, y := s.weight(at+uint64(k)), item[T]{v: v}
			switch {
			case s.by == Widest:
				y.d = min(x.d, w)
				y.key = -float64(y.d)
			case s.height != nil:
				y.d, y.key = x.d+w, x.key+max(0, float64(w)+s.height[x.v]-s.height[v])
			default:
				y.d = x.d + w
				y.key = float64(y.d)
			}
			s.push(y)
		}
	}
}

// breadthFirst is run for weights of 1.
func (s *search[T]) breadthFirst(u uint32) {
	s.queue, s.row[u], s.done[u] = append(s.queue[:0], u), 0, true
	for i := 0; i < len(s.queue); i++ {
		x := s.queue[i]
		for _, v := range s.g.Row(x) {
			if !s.done[v] {
				s.done[v], s.row[v] = true, s.row[x]+1
				s.queue = append(s.queue, v)
			}
		}
	}
}

func (s *search[T]) push(x item[T]) {
	h, i := append(s.heap, x), len(s.heap)
	for i > 0 && x.key < h[(i-1)/4].key {
		h[i] = h[(i-1)/4]
		i = (i - 1) / 4
	}
	h[i], s.heap = x, h
}

func (s *search[T]) pop() item[T] {
	h := s.heap
	top, x := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	for i := 0; len(h) > 0; {
		least := 4*i + 1
		for c := least + 1; c < min(4*i+5, len(h)); c++ {
			if h[c].key < h[least].key {
				least = c
			}
		}
		if least >= len(h) || x.key <= h[least].key {
			h[i] = x
			break
		}
		h[i] = h[least]
		i = least
	}
	s.heap = h
	return top
}

// searches runs a search from every vertex and hands its distances to take, from several threads.
func (a *arcs[T]) searches(ctx context.Context, threads int, take func(worker int, u uint32, row []T)) error {
	n := a.g.NumVertices()
	all := make([]search[T], threads)
	return workers.Each(ctx, threads, n, graph.ErrUnreadable, func(worker, u int) error {
		s := &all[worker]
		if s.arcs == nil {
			s.arcs, s.row, s.done = a, make([]T, n), make([]bool, n)
		}
		s.run(uint32(u))
		take(worker, uint32(u), s.row)
		return nil
	})
}
