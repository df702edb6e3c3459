package partition_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/partition"
)

// side is one direction of a graph, made the slow way: for every vertex its
// neighbours and the smallest weight to each.
type side []map[uint32]float64

// model is what a placement must agree with.
type model struct {
	out, in side // the same for an undirected graph
	degree  []int
	live    int
}

func newModel(l *graph.EdgeList) *model {
	n := l.Vertices
	m := &model{out: make(side, n), degree: make([]int, n)}
	m.in = m.out
	if l.Directed {
		m.in = make(side, n)
	}
	add := func(s side, u, v uint32, w float64) {
		if s[u] == nil {
			s[u] = map[uint32]float64{}
		}
		if old, ok := s[u][v]; !ok || w < old {
			s[u][v] = w
		}
	}
	for i, e := range l.Edges {
		if e.U == e.V {
			continue
		}
		w := l.Weights.Float64(i)
		add(m.out, e.U, e.V, w)
		add(m.in, e.V, e.U, w)
	}
	for v := range n {
		m.degree[v] = len(m.out[v])
		if l.Directed {
			m.degree[v] += len(m.in[v])
		}
		if m.degree[v] > 0 {
			m.live++
		}
	}
	return m
}

// checkPlacement compares everything that a placement states with the model.
func checkPlacement(l *graph.EdgeList, o partition.Options, p *partition.Placement) error {
	m := newModel(l)
	procs := max(1, len(o.Processors))
	if int(p.Isolated) != l.Vertices-m.live || p.Directed != l.Directed {
		return fmt.Errorf("%d isolated vertices of %d, %d have edges", p.Isolated, l.Vertices, m.live)
	}
	if top := slices.Max(append([]int{0}, m.degree...)); int(p.MaxDegree) != top {
		return fmt.Errorf("largest degree %d, want %d", p.MaxDegree, top)
	}

	// Ranges cover rank space; ranks and vertices are inverse to each other.
	at := uint32(0)
	vertices := make([]int64, procs)
	for i, r := range p.Ranges {
		if r.First != at || r.First%64 != 0 || r.Owner < 0 || r.Owner >= procs {
			return fmt.Errorf("range %d: %+v, want it to start at %d", i, r, at)
		}
		at = r.Padded()
		vertices[r.Owner] += int64(r.Vertices)
		last := math.MaxInt
		for rank := r.First; rank < r.Padded(); rank++ {
			v := p.VertexOf[rank]
			if rank >= r.First+r.Vertices {
				if v != graph.None {
					return fmt.Errorf("padding rank %d has vertex %d", rank, v)
				}
				continue
			}
			if int(v) >= l.Vertices || p.RankOf[v] != rank || m.degree[v] == 0 {
				return fmt.Errorf("rank %d has vertex %d", rank, v)
			}
			key := -m.degree[v]
			if p.Policy == partition.Original {
				key = 0
			}
			if rank > r.First && (-key > last || -key == last && p.VertexOf[rank-1] > v) {
				return fmt.Errorf("range %d is not ordered at rank %d", i, rank)
			}
			last = -key
		}
	}
	if p.Ranks != at || len(p.VertexOf) != int(at) || len(p.RankOf) != l.Vertices || len(p.Subgraphs) != len(p.Ranges) {
		return fmt.Errorf("%d ranks, ranges end at %d", p.Ranks, at)
	}
	ranked := 0
	for v, r := range p.RankOf {
		if (r == graph.None) != (m.degree[v] == 0) {
			return fmt.Errorf("vertex %d of degree %d has rank %d", v, m.degree[v], r)
		}
		if r != graph.None {
			ranked++
		}
	}
	if ranked != m.live {
		return fmt.Errorf("%d vertices have ranks, %d edges", ranked, m.live)
	}

	// Rows.
	entries, cut := make([]int64, procs), make([]int64, procs)
	total := int64(0)
	for i, r := range p.Ranges {
		s := p.Subgraphs[i]
		if s.First != r.First || s.Rows != r.Vertices || s.Limit() != r.First+r.Vertices || s.Padded() != r.Padded() {
			return fmt.Errorf("subgraph %d: %d, %d rows, of range %+v", i, s.First, s.Rows, r)
		}
		if !l.Directed && s.In != s.Out {
			return fmt.Errorf("subgraph %d of an undirected graph has two structures", i)
		}
		sides := []struct {
			a    *graph.Adjacency
			want side
			none bool
		}{{s.Out, m.out, o.NoOut && l.Directed}, {s.In, m.in, o.NoIn && l.Directed}}
		if !l.Directed {
			sides = sides[:1]
		}
		for _, sd := range sides {
			if sd.none {
				if sd.a != nil {
					return fmt.Errorf("subgraph %d has arcs that were not wanted", i)
				}
				continue
			}
			n, c, err := checkRows(p, r, sd.a, sd.want, m.degree, o.Weighted, l.Weights.Kind())
			if err != nil {
				return err
			}
			entries[r.Owner] += n
			cut[r.Owner] += c
			total += n
		}
	}
	if len(p.Processors) != procs || len(p.Shares) != procs {
		return fmt.Errorf("figures of %d processors, shares of %d", len(p.Processors), len(p.Shares))
	}
	for i, f := range p.Processors {
		if f.Vertices != vertices[i] || f.Entries != entries[i] || f.Cut != cut[i] {
			return fmt.Errorf("processor %d: %+v, want %d vertices, %d entries, %d cut", i, f, vertices[i], entries[i], cut[i])
		}
		if want := float64(entries[i]) / float64(max(1, total)); math.Abs(p.Shares[i]-want) > 1e-12 {
			return fmt.Errorf("processor %d: share %v, want %v", i, p.Shares[i], want)
		}
		held := int64(0)
		for r, s := range p.Part(i).Subgraphs {
			if (s != nil) != (p.Ranges[r].Owner == i) {
				return fmt.Errorf("processor %d loads range %d of %d", i, r, p.Ranges[r].Owner)
			}
			if s != nil {
				held += s.Bytes()
			}
		}
		// Offsets have one entry more than rows.
		if slack := int64(16 * len(p.Ranges)); held > f.Bytes+slack {
			return fmt.Errorf("processor %d: %d bytes stated, subgraphs alone hold %d", i, f.Bytes, held)
		}
		if b := o.Processors; i < len(b) && b[i].Budget > 0 && f.Bytes > b[i].Budget {
			return fmt.Errorf("processor %d: %d bytes, its budget is %d", i, f.Bytes, b[i].Budget)
		}
	}
	return nil
}

func checkRows(p *partition.Placement, r graph.Range, a *graph.Adjacency, want side, degree []int, weighted bool, kind graph.WeightKind) (entries, cut int64, err error) {
	if (a.Offsets32 == nil) == (a.Offsets64 == nil) || len(a.Offsets32) != int(r.Vertices)+1 || len(a.FirstNeighbours) != int(r.Vertices) {
		return 0, 0, fmt.Errorf("range %+v has %d and %d offsets and %d first neighbours", r, len(a.Offsets32), len(a.Offsets64), len(a.FirstNeighbours))
	}
	if weighted && kind != graph.Unweighted && (a.Weights.Kind() != kind || a.Weights.Len() != len(a.Neighbours)) {
		return 0, 0, fmt.Errorf("%d weights %v for %d neighbours", a.Weights.Len(), a.Weights.Kind(), len(a.Neighbours))
	}
	if (!weighted || kind == graph.Unweighted) && a.Weights.Len() != 0 {
		return 0, 0, fmt.Errorf("weights were not asked for")
	}
	end := uint64(0)
	for i := range r.Vertices {
		v := p.VertexOf[r.First+i]
		lo, hi := a.Row(i)
		if lo != end || hi-lo != a.Degree(i) {
			return 0, 0, fmt.Errorf("row of vertex %d starts at %d, the one before ends at %d", v, lo, end)
		}
		end = hi
		var row []uint32
		for t := range want[v] {
			row = append(row, p.RankOf[t])
		}
		slices.SortFunc(row, func(x, y uint32) int {
			if c := cmp.Compare(degree[p.VertexOf[y]], degree[p.VertexOf[x]]); c != 0 {
				return c
			}
			return cmp.Compare(x, y)
		})
		if !slices.Equal(row, a.Neighbours[lo:hi]) {
			return 0, 0, fmt.Errorf("vertex %d has neighbours %v, want %v", v, a.Neighbours[lo:hi], row)
		}
		first := graph.None
		if len(row) > 0 {
			first = row[0]
		}
		if a.FirstNeighbours[i] != first {
			return 0, 0, fmt.Errorf("vertex %d has first neighbour %d, want %d", v, a.FirstNeighbours[i], first)
		}
		if p.RowsSorted && !slices.IsSorted(row) {
			return 0, 0, fmt.Errorf("vertex %d has neighbours %v, which do not rise", v, row)
		}
		for k, t := range row {
			if p.Ranges[p.RangeOf(t)].Owner != r.Owner {
				cut++
			}
			if weighted && kind != graph.Unweighted {
				if got, want := a.Weights.Float64(int(lo)+k), want[v][p.VertexOf[t]]; got != want {
					return 0, 0, fmt.Errorf("vertex %d: weight %v to %d, want %v", v, got, p.VertexOf[t], want)
				}
			}
		}
	}
	if end != uint64(len(a.Neighbours)) {
		return 0, 0, fmt.Errorf("rows end at %d of %d", end, len(a.Neighbours))
	}
	return int64(end), cut, nil
}

// build places and checks.
func build(t testing.TB, l *graph.EdgeList, o partition.Options) *partition.Placement {
	t.Helper()
	p, err := partition.New(context.Background(), l, o)
	if err != nil {
		t.Fatalf("%d vertices, %d records, %+v: %v", l.Vertices, len(l.Edges), o, err)
	}
	t.Cleanup(p.Close)
	if err := checkPlacement(l, o, p); err != nil {
		t.Fatalf("%d vertices, %d records, %+v: %v", l.Vertices, len(l.Edges), o, err)
	}
	return p
}
