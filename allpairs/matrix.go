package allpairs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/internal/workers"
)

// ErrWeights is wrapped by *WeightError.
var ErrWeights = errors.New("allpairs: weights that cannot be added up")

// WeightError names an arc whose weight does not fit, by the file's ids.
type WeightError struct {
	From, To uint64
	Weight   string
	Reason   string
}

func (e *WeightError) Error() string {
	return fmt.Sprintf("%v: the arc from %d to %d has weight %s, %s", ErrWeights, e.From, e.To, e.Weight, e.Reason)
}

// Unwrap returns ErrWeights.
func (e *WeightError) Unwrap() error { return ErrWeights }

// Matrix is a square matrix of distances, in tiles of Side × Side. The tiles' rows and columns
// beyond the graph's vertices hold no path.
type Matrix[T Value] struct {
	n, tiles int // vertices; tiles of a row
	by       Algebra
	data     []T
	free     func() error
	before   hugemem.Slice[int32] // predecessors by rows, or empty
}

// Bytes is the memory of a matrix of n vertices, 2^60 where it is more.
func Bytes[T Value](n int) int64 {
	tiles := int64((n + Side - 1) / Side)
	if tiles > 1<<22 {
		return 1 << 60
	}
	return tiles * tiles * tileLen * int64(unsafe.Sizeof(T(0)))
}

// newMatrix makes a matrix with undefined entries.
func newMatrix[T Value](n int, by Algebra) *Matrix[T] {
	tiles := (n + Side - 1) / Side
	mem := hugemem.Make[T](tiles * tiles * tileLen)
	return &Matrix[T]{n: n, tiles: tiles, by: by, data: mem.S, free: func() error { mem.Free(); return nil }}
}

// Free gives the memory back; no other method may be called afterwards. The error is always nil.
func (m *Matrix[T]) Free() error {
	m.before.Free()
	return m.free()
}

// N is the number of vertices.
func (m *Matrix[T]) N() int { return m.n }

// tile is the tile of row i and column j of tiles.
func (m *Matrix[T]) tile(i, j int) []T {
	at := (i*m.tiles + j) * tileLen
	return m.data[at : at+tileLen : at+tileLen]
}

// At is the distance from dense id u to v.
func (m *Matrix[T]) At(u, v int) T { return m.tile(u/Side, v/Side)[u%Side*Side+v%Side] }

// Row copies the distances from dense id u to all vertices into row, of N entries.
func (m *Matrix[T]) Row(u int, row []T) {
	for j := 0; j < m.tiles; j++ {
		copy(row[j*Side:m.n], m.tile(u/Side, j)[u%Side*Side:][:Side])
	}
}

// Predecessors are those of all vertices on shortest paths from dense id u, as Row has them, or nil.
func (m *Matrix[T]) Predecessors(u int) []int32 {
	if m.before.S == nil {
		return nil
	}
	return m.before.S[u*m.n : (u+1)*m.n : (u+1)*m.n]
}

// Path is the vertices of a shortest path from dense id u to v; nil without one, or without predecessors.
func (m *Matrix[T]) Path(u, v int) []uint32 {
	before := m.Predecessors(u)
	if before == nil || u != v && before[v] < 0 {
		return nil
	}
	list := []uint32{uint32(v)}
	for v != u {
		v = int(before[v])
		list = append(list, uint32(v))
	}
	slices.Reverse(list)
	return list
}

// set is the reverse of Row.
func (m *Matrix[T]) set(u int, row []T) {
	for j := 0; j < m.tiles; j++ {
		copy(m.tile(u/Side, j)[u%Side*Side:][:Side], row[j*Side:])
	}
}

// weigh fills m with the arcs of g: the least weight of parallel arcs (of Widest the largest), 1
// without weights, and own(by) on the diagonal, or a negative loop's weight.
func (m *Matrix[T]) weigh(ctx context.Context, g *graph.CSR, threads int) error {
	none, self, c := far[T](m.by), own[T](m.by), newConverter[T](g)
	return workers.Each(ctx, threads, m.tiles, graph.ErrUnreadable, func(_, i int) (err error) {
		strip, w := m.data[i*m.tiles*tileLen:(i+1)*m.tiles*tileLen], []T(nil)
		for k := range strip {
			strip[k] = none
		}
		for u := i * Side; u < min(m.n, (i+1)*Side); u++ {
			at := func(v int) *T { return &strip[v/Side*tileLen+u%Side*Side+v%Side] }
			*at(u) = self
			if w, err = c.row(uint32(u), w); err != nil {
				return err
			}
			for k, v := range g.Row(uint32(u)) {
				if e := at(int(v)); m.by == Shortest {
					*e = min(*e, w[k])
				} else {
					*e = max(*e, w[k])
				}
			}
		}
		return nil
	})
}

// converter converts the weights of a graph's arcs.
type converter[T Value] struct {
	g     *graph.CSR
	limit float64 // largest absolute weight
}

func newConverter[T Value](g *graph.CSR) converter[T] {
	return converter[T]{g, bound[T](g.NumVertices(), g.WeightKind())}
}

// row makes the weights of u's arcs, 1 without weights, in the memory of to. −0 becomes 0.
func (c converter[T]) row(u uint32, to []T) ([]T, error) {
	w, n, bad := c.g.RowWeights(u), len(c.g.Row(u)), -1
	to = slices.Grow(to[:0], n)[:n]
	switch w.Kind() {
	case graph.Int32:
		bad = fill[T, int32](to, w, c.limit)
	case graph.Int64:
		bad = fill[T, int64](to, w, c.limit)
	case graph.Float32:
		bad = fill[T, float32](to, w, c.limit)
	case graph.Float64:
		bad = fill[T, float64](to, w, c.limit)
	default:
		for i := range to {
			to[i] = 1
		}
	}
	if bad < 0 {
		return to, nil
	}
	label := c.g.VertexLabels().Label
	return nil, &WeightError{label(u), label(c.g.Row(u)[bad]), w.Format(bad),
		fmt.Sprintf("where %T holds sums of weights of at most %.4g in %d vertices", T(0), c.limit, c.g.NumVertices())}
}

// fill converts weights, and returns the first that does not fit, or −1. float64 may become float32 with a rounding.
func fill[T Value, W graph.Weight](to []T, weights graph.Weights, limit float64) int {
	w, _ := graph.WeightsAs[W](weights) // of that kind
	half := T(1)
	half /= 2
	rounds := half > 0 && weights.Kind() == graph.Float64
	for i, x := range w[:len(to)] {
		if to[i] = T(x) + 0; !(math.Abs(float64(x)) <= limit) || float64(to[i]) != float64(x) && !rounds {
			return i
		}
	}
	return -1
}

// fits reports that all weights do.
func (c converter[T]) fits() bool {
	var row []T
	for u, err := uint32(0), error(nil); int(u) < c.g.NumVertices() && c.g.WeightKind() != graph.Unweighted; u++ {
		if row, err = c.row(u, row); err != nil {
			return false
		}
	}
	return true
}

// Fits reports that T holds the distances of g: whether Solve takes its weights.
func Fits[T Value](g *graph.CSR) bool { return newConverter[T](g).fits() }

// bound is the largest absolute weight of a graph of n vertices whose paths T adds up without
// overflow, and integers exactly.
func bound[T Value](n int, kind graph.WeightKind) float64 {
	most := math.MaxFloat64 / 4
	switch any(T(0)).(type) {
	case int32:
		most = math.MaxInt32 / 4
	case float32:
		most = math.MaxFloat32 / 4
	}
	if (kind == graph.Int32 || kind == graph.Int64) && most > 1<<53 {
		most = 1 << 53
	}
	return math.Floor(most / float64(max(1, n)))
}

// finish makes the entries of pairs without a path Unreachable.
func (m *Matrix[T]) finish(ctx context.Context, threads int) error {
	last, ok := Unreachable[T](m.by), far[T](m.by)/2
	if last == far[T](m.by) {
		return nil
	}
	return workers.Each(ctx, threads, m.tiles*m.tiles, nil, func(_, i int) error {
		for k, x := range m.data[i*tileLen : (i+1)*tileLen] {
			if x > ok {
				m.data[i*tileLen+k] = last
			}
		}
		return nil
	})
}
