package gen

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
)

// maxDense is the largest number of vertices of a DensityOptions: a bit for each pair takes 512 MiB.
const maxDense = 1 << 16

// DensityOptions describe a random simple connected graph by its density and largest degree. They are a Recipe.
type DensityOptions struct {
	// Vertices is the number of vertices, up to 65,536.
	Vertices int64
	// Density is the part of all pairs of vertices that are edges, in 0 … 1; a connected graph has one edge less
	// than vertices, at least.
	Density float64
	// LargestDegree bounds the degrees, in percent of the number of vertices; 0 means 100. It is at least two edges; the
	// density falls where it allows fewer.
	LargestDegree float64
	// Seed chooses the graph.
	Seed uint64
	// Threads, Weights and Progress are as in RMATOptions; one thread makes the edges.
	Threads  int
	Weights  bool
	Progress func(done, total int64)
}

// degree is the largest degree.
func (o DensityOptions) degree() int64 {
	d := int64(float64(o.Vertices) * cmp.Or(o.LargestDegree, 100) / 100)
	return min(max(d, 2), max(0, o.Vertices-1))
}

// Size implements Recipe.
func (o DensityOptions) Size() (Size, error) {
	if err := checkRange("vertices", o.Vertices, 0, maxDense); err != nil {
		return Size{}, err
	}
	if !(o.Density >= 0 && o.Density <= 1) || !(o.LargestDegree >= 0 && o.LargestDegree <= 100) {
		return Size{}, fmt.Errorf("%w: density %v or largest degree %v%% is outside 0..1, 0..100", ErrOption, o.Density, o.LargestDegree)
	}
	n := o.Vertices
	m := int64(math.Round(o.Density * float64(n*(n-1)/2)))
	return sizeOf(n, max(min(m, n*o.degree()/2), n-1, 0), o.Weights), nil
}

func (o DensityOptions) hooks() hooks { return hooks{o.Threads, o.Weights, o.Progress} }

// Fill implements Recipe. It makes the edges up to the last one asked for.
func (o DensityOptions) Fill(ctx context.Context, from int64, edges []graph.Edge, weights []float32) error {
	var all []graph.Edge
	if size, err := o.Size(); err == nil && ctx != nil && from >= 0 && int64(len(edges)) <= size.Edges-from && len(edges) > 0 {
		whole := edges
		if int64(len(edges)) < size.Edges {
			if err := hugemem.Check(size.EdgeBytes); err != nil {
				return fmt.Errorf("%w: %d edges: %w", ErrAlloc, size.Edges, err)
			}
			whole = make([]graph.Edge, size.Edges)
		}
		for try := uint64(0); all == nil; try++ {
			if all, err = o.edges(ctx, whole, try); err != nil {
				return fmt.Errorf("gen: %w", err)
			}
		}
	}
	return fill(ctx, o, from, edges, weights, func(at int64, edges []graph.Edge, weights []float32) {
		copy(edges, all[at:])
		fillWeights(o.Seed, at, weights)
	})
}

// exchanges is the number of edges that an exchange is tried with before the graph is begun anew.
const exchanges = 1 << 14

// edges makes as many edges as list has places: a path through all vertices in random order, which connects them, then
// pairs of vertices with room for another edge. Where those are joined already, a random edge (x, y) is exchanged for
// (u, x) and (v, y). It returns nil if that fails.
func (o DensityOptions) edges(ctx context.Context, list []graph.Edge, try uint64) (_ []graph.Edge, err error) {
	defer hugemem.Recover(&err)
	n, most := uint64(o.Vertices), int32(o.degree())
	joined := hugemem.Make[uint64](int((n*n + 63) / 64))
	defer joined.Free()
	has := func(u, v uint32) bool { at := uint64(u)*n + uint64(v); return joined.S[at/64]>>(at%64)&1 != 0 }
	flip := func(u, v uint32) {
		for _, at := range []uint64{uint64(u)*n + uint64(v), uint64(v)*n + uint64(u)} {
			joined.S[at/64] ^= 1 << (at % 64)
		}
	}
	m, degrees := len(list), make([]int32, n)
	list = list[:0]
	add := func(u, v uint32) {
		flip(u, v)
		list = append(list, graph.Edge{U: u, V: v})
		degrees[u]++
		degrees[v]++
	}
	s := newStream(o.Seed, saltEdges, int64(try))
	order := make([]uint32, n)
	for i := range order {
		j := s.below(uint64(i) + 1)
		order[i] = order[j]
		order[j] = uint32(i)
	}
	for i := 1; i < len(order); i++ {
		add(order[i-1], order[i])
	}
	path := len(list)
	room, at := make([]uint32, 0, n), make([]int, n) // vertices with room, and their places in the list
	for v := range uint32(n) {
		if degrees[v] < most {
			at[v] = len(room)
			room = append(room, v)
		}
	}
	full := func(v uint32) {
		if degrees[v] >= most && at[v] < len(room) && room[at[v]] == v {
			last := room[len(room)-1]
			room[at[v]], at[last] = last, at[v]
			room = room[:len(room)-1]
		}
	}
	for len(list) < m {
		if len(list)%blockEdges == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		u, v, found := uint32(0), uint32(0), false
		for range 256 {
			u, v = room[s.below(uint64(len(room)))], room[s.below(uint64(len(room)))]
			if found = u != v && !has(u, v); found {
				break
			}
		}
		if found {
			add(u, v)
		} else if !o.exchange(&s, list[path:], u, v, most, degrees, has, flip, add) {
			return nil, nil
		}
		full(u)
		full(v)
	}
	return list, nil
}

// exchange replaces an edge (x, y) of the list by (u, x) and adds (v, y).
func (o DensityOptions) exchange(s *stream, list []graph.Edge, u, v uint32, most int32, degrees []int32, has func(u, v uint32) bool,
	flip func(u, v uint32), add func(u, v uint32)) bool {
	if len(list) == 0 || u == v && degrees[u]+2 > most {
		return false
	}
	for range exchanges {
		e := &list[s.below(uint64(len(list)))]
		x, y := e.U, e.V
		if s.next()&1 != 0 {
			x, y = y, x
		}
		if x == u || y == u || x == v || y == v || has(u, x) || has(v, y) {
			continue
		}
		flip(x, y)
		flip(u, x)
		*e = graph.Edge{U: u, V: x}
		degrees[u]++
		degrees[y]--
		add(v, y)
		return true
	}
	return false
}
