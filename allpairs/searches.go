package allpairs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"unsafe"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/workers"
)

// ErrNegativeCycle is wrapped by *NegativeCycleError.
var ErrNegativeCycle = errors.New("allpairs: a cycle of negative weight")

// NegativeCycleError lists the vertices of a cycle in its order, by the file's ids, and as its names, or digits.
type NegativeCycleError struct {
	Cycle []uint64
	Names []string
}

// newNegativeCycle is for dense ids; the smallest label comes first.
func newNegativeCycle(labels *graph.Labels, list []uint32) error {
	least := slices.MinFunc(list, func(u, v uint32) int { return cmp.Compare(labels.Label(u), labels.Label(v)) })
	first, e := slices.Index(list, least), &NegativeCycleError{}
	for _, v := range slices.Concat(list[first:], list[:first]) {
		e.Cycle, e.Names = append(e.Cycle, labels.Label(v)), append(e.Names, string(labels.Append(nil, v)))
	}
	return e
}

func (e *NegativeCycleError) Error() string {
	return fmt.Sprintf("%v: %s → %s", ErrNegativeCycle, strings.Join(e.Names, " → "), e.Names[0])
}

// Unwrap returns ErrNegativeCycle.
func (e *NegativeCycleError) Unwrap() error { return ErrNegativeCycle }

// arcs is a graph's arcs with weights of type T.
type arcs[T Value] struct {
	g       *graph.CSR
	by      Algebra
	targets []uint32 // in the order of rows
	weights []T      // nil: all are 1
	// height of a vertex is what Johnson's method (1977) adds to weights: weight + height[from] −
	// height[to] is 0 or more. nil where no weight is negative.
	height []float64
}

// newArcs converts the weights, and finds the heights where some are negative. The error may be
// a *WeightError or a *NegativeCycleError.
func newArcs[T Value](ctx context.Context, g *graph.CSR, by Algebra, threads int) (*arcs[T], error) {
	a := &arcs[T]{g: g, by: by, targets: g.Targets()}
	if g.WeightKind() == graph.Unweighted {
		return a, nil
	}
	a.weights = make([]T, g.NumArcs())
	c, below := newConverter[T](g), make([]bool, threads)
	const rows = 1024
	err := workers.Each(ctx, threads, (g.NumVertices()+rows-1)/rows, graph.ErrUnreadable, func(worker, i int) error {
		for u := i * rows; u < min(g.NumVertices(), (i+1)*rows); u++ {
			lo, hi := g.Offsets()[u], g.Offsets()[u+1]
			row, err := c.row(uint32(u), a.weights[lo:lo:hi])
			if err != nil {
				return err
			}
			below[worker] = below[worker] || len(row) > 0 && slices.Min(row) < 0
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

// cycle names the cycle that v came by.
func (a *arcs[T]) cycle(before []uint32, v uint32) error {
	list := []uint32{v}
	for u := before[v]; u != v; u = before[u] {
		list = append(list, u)
	}
	slices.Reverse(list)
	return newNegativeCycle(a.g.VertexLabels(), list)
}

// words is the number of searches of one pass over words of bits.
const words = 64

// search finds the distances from a vertex, or the levels of some at once.
type search[T Value] struct {
	*arcs[T]
	row    []T       // distances; Unreachable
	key    []float64 // what the heap is ordered by: distance and height; of Widest the negated width
	before []int32   // predecessors, or nil
	done   []bool    // by vertex
	queue  []uint32  // of a breadth-first search
	heap   []item
	// bound, if not nil, is at least the distance of every vertex; farthest is the largest that is finite.
	bound    []T
	farthest T

	// of levels:
	rows            [words][]T
	seen, now, next []uint64 // by vertex: bit i for search i
	found           []uint32 // vertices with a bit in next
}

type item struct {
	key float64
	v   uint32
}

func (a item) before(b item) bool { return a.key < b.key || a.key == b.key && a.v < b.v }

// newSearch allocates for one search at a time.
func newSearch[T Value](a *arcs[T], predecessors bool) *search[T] {
	n := a.g.NumVertices()
	s := &search[T]{arcs: a, row: make([]T, n), done: make([]bool, n)}
	if a.weights != nil || a.by == Widest {
		s.key = make([]float64, n)
	}
	if predecessors {
		s.before = make([]int32, n)
	}
	return s
}

// run searches from u.
func (s *search[T]) run(u uint32) {
	none := Unreachable[T](s.by)
	for v := range s.row {
		s.row[v] = none
	}
	for v := range s.before {
		s.before[v] = -1
	}
	clear(s.done)
	if s.key == nil {
		s.breadthFirst(u)
		return
	}
	for v := range s.key {
		s.key[v] = math.Inf(1)
	}
	s.row[u] = own[T](s.by)
	s.heap = append(s.heap[:0], item{v: u})
	s.key[u] = 0
	for len(s.heap) > 0 {
		x := s.pop()
		if s.done[x.v] {
			continue
		}
		s.done[x.v] = true
		d := s.row[x.v]
		for k := s.g.Offsets()[x.v]; k < s.g.Offsets()[x.v+1]; k++ {
			v, w := s.targets[k], s.weight(k)
			y := d + w
			if s.by == Widest {
				y = min(d, w)
			}
			if s.bound != nil {
				if s.farther(y, s.farthest) {
					break // the rest of the row is farther still
				}
				if s.farther(y, s.bound[v]) {
					continue
				}
			}
			if s.done[v] {
				continue
			}
			key := float64(y)
			switch {
			case s.by == Widest:
				key = -key
			case s.height != nil:
				key = x.key + max(0, float64(w)+s.height[x.v]-s.height[v])
			}
			switch {
			case key < s.key[v]:
				s.key[v], s.row[v] = key, y
				s.push(item{key, v})
			case key > s.key[v] || s.before == nil || s.before[v] <= int32(x.v):
				continue
			}
			if s.before != nil {
				s.before[v] = int32(x.v)
			}
		}
	}
}

// farther reports that x is no distance where y is the shortest, or of Widest the largest width.
func (s *search[T]) farther(x, y T) bool {
	if s.by == Widest {
		return x < y
	}
	return x > y
}

// rounding is the largest relative error of a sum of two.
func rounding[T Value]() float64 {
	return map[any]float64{int32(0): 0, float32(0): 0x1p-24, float64(0): 0x1p-53}[any(T(0))]
}

// limit makes bounds of the distances in bound, and finds farthest.
func (s *search[T]) limit() {
	s.farthest = own[T](s.by)
	more := 4 * rounding[T]() * float64(len(s.bound))
	for v, d := range s.bound {
		if d == Unreachable[T](s.by) {
			continue
		}
		if more > 0 && s.by == Shortest {
			s.bound[v] += T(more * float64(d))
		}
		if s.farther(s.bound[v], s.farthest) {
			s.farthest = s.bound[v]
		}
	}
}

// breadthFirst is run for weights of 1.
func (s *search[T]) breadthFirst(u uint32) {
	s.queue, s.row[u], s.done[u] = append(s.queue[:0], u), 0, true
	for i := 0; i < len(s.queue) && len(s.queue) < len(s.row); i++ {
		x := s.queue[i]
		for _, v := range s.g.Row(x) {
			if !s.done[v] {
				s.done[v], s.row[v] = true, s.row[x]+1
				s.queue = append(s.queue, v)
				if s.before != nil {
					s.before[v] = int32(x)
				}
			}
		}
	}
}

// levels fills rows with the distances in hops from the vertices lo … hi−1, at most 64: a bit of a word
// for each search (Then et al., "The More the Merrier: Efficient Multi-Source Graph Traversal", PVLDB 2014).
func (s *search[T]) levels(lo, hi uint32) {
	n, none := s.g.NumVertices(), Unreachable[T](Shortest)
	if s.seen == nil {
		s.seen, s.now, s.next = make([]uint64, n), make([]uint64, n), make([]uint64, n)
	}
	clear(s.seen)
	s.queue = s.queue[:0]
	for u := lo; u < hi; u++ {
		row := &s.rows[u-lo]
		if *row == nil {
			*row = make([]T, n)
		}
		for v := range *row {
			(*row)[v] = none
		}
		(*row)[u] = 0
		s.seen[u], s.now[u] = 1<<(u-lo), 1<<(u-lo)
		s.queue = append(s.queue, u)
	}
	for level := T(1); len(s.queue) > 0; level++ {
		s.found = s.found[:0]
		for _, u := range s.queue {
			from := s.now[u]
			for _, v := range s.g.Row(u) {
				if x := from &^ s.seen[v]; x != 0 {
					if s.next[v] == 0 {
						s.found = append(s.found, v)
					}
					s.next[v] |= x
				}
			}
		}
		for _, v := range s.found {
			x := s.next[v]
			s.now[v], s.next[v], s.seen[v] = x, 0, s.seen[v]|x
			for ; x != 0; x &= x - 1 {
				s.rows[bits.TrailingZeros64(x)][v] = level
			}
		}
		s.queue, s.found = s.found, s.queue
	}
}

func (s *search[T]) push(x item) {
	h, i := append(s.heap, x), len(s.heap)
	for i > 0 && x.before(h[(i-1)/4]) {
		h[i] = h[(i-1)/4]
		i = (i - 1) / 4
	}
	h[i], s.heap = x, h
}

func (s *search[T]) pop() item {
	h := s.heap
	top, x := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	for i := 0; len(h) > 0; {
		least := 4*i + 1
		for c := least + 1; c < min(4*i+5, len(h)); c++ {
			if h[c].before(h[least]) {
				least = c
			}
		}
		if least >= len(h) || !h[least].before(x) {
			h[i] = x
			break
		}
		h[i] = h[least]
		i = least
	}
	s.heap = h
	return top
}

// near sorts the arcs of each row by weight, the nearest first: a search with known distances ends a row early.
func (a *arcs[T]) near(ctx context.Context, threads int) error {
	type arc struct {
		w T
		v uint32
	}
	if a.weights == nil {
		return nil
	}
	a.targets = slices.Clone(a.targets)
	rows := make([][]arc, threads)
	return workers.Each(ctx, threads, a.g.NumVertices(), graph.ErrUnreadable, func(worker, u int) error {
		lo, hi := a.g.Offsets()[u], a.g.Offsets()[u+1]
		row := rows[worker][:0]
		for k := lo; k < hi; k++ {
			row = append(row, arc{a.weights[k], a.targets[k]})
		}
		slices.SortFunc(row, func(x, y arc) int {
			order := cmp.Compare(x.w, y.w)
			if a.by == Widest {
				order = -order
			}
			return cmp.Or(order, cmp.Compare(x.v, y.v))
		})
		for i, x := range row {
			a.weights[lo+uint64(i)], a.targets[lo+uint64(i)] = x.w, x.v
		}
		rows[worker] = row
		return nil
	})
}

// searcher runs searches in units: of 64 vertices where bits do, else of one.
type searcher[T Value] struct {
	*arcs[T]
	predecessors bool
	known        *Matrix[T] // distances found before, or nil
	all          []*search[T]
}

// together is the number of vertices of a unit.
func (s *searcher[T]) together() int {
	if s.weights == nil && s.by == Shortest && !s.predecessors {
		return words
	}
	return 1
}

// vertexBytes is the memory of a thread's searches in bytes a vertex.
func (s *searcher[T]) vertexBytes() int64 {
	size := int64(unsafe.Sizeof(T(0)))
	if s.together() > 1 {
		return (words+1)*size + 3*8 + 2*4 + 1
	}
	return 2*size + 8 + 2*4 + 1
}

func (s *searcher[T]) units() int { return (s.g.NumVertices() + s.together() - 1) / s.together() }

// unit runs searches and hands their rows to take.
func (s *searcher[T]) unit(worker, i int, take func(Row[T]) error) error {
	x := s.all[worker]
	if x == nil {
		x = newSearch(s.arcs, s.predecessors)
		// A sum of negative floats may be far from its terms: no bound then.
		if s.all[worker] = x; s.known != nil && s.weights != nil && (s.height == nil || rounding[T]() == 0) {
			x.bound = make([]T, s.g.NumVertices())
		}
	}
	if s.together() > 1 {
		lo := i * words
		hi := min(s.g.NumVertices(), lo+words)
		x.levels(uint32(lo), uint32(hi))
		for u := lo; u < hi; u++ {
			if err := take(Row[T]{uint32(u), x.rows[u-lo], nil}); err != nil {
				return err
			}
		}
		return nil
	}
	if x.bound != nil {
		s.known.Row(i, x.bound)
		x.limit()
	}
	x.run(uint32(i))
	if s.known != nil { // the same but for roundings
		s.known.Row(i, x.row)
	}
	return take(Row[T]{uint32(i), x.row, x.before})
}
