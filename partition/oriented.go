package partition

import (
	"context"
	"math"
	"sort"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/internal/workers"
)

// Oriented is a placed graph as a simple undirected one. Each edge is stored once, in the row of its end
// of lower degree. Vertices are numbered by (falling degree, rank), their positions, so that no row
// is longer than √(2 × edges).
type Oriented struct {
	Rank   []uint32 // by position
	Degree []uint32 // distinct neighbours in either direction, by position
	// Row p is To[Offsets[p]:Offsets[p+1]], rising positions below p.
	Offsets []uint64
	To      []uint32
	// Arcs has 1 or 2 for an edge of a directed graph: the number of its arcs. It is nil of an undirected one.
	Arcs   []uint8
	arrays hugemem.Arena
}

// Free frees the arrays.
func (o *Oriented) Free() { o.arrays.Free() }

// Edges is the number of edges, of a directed graph that of arcs.
func (p *Placement) Edges() (n int64) {
	for _, s := range p.Subgraphs {
		if s.Out != nil {
			n += s.Out.Arcs()
		} else {
			n += s.In.Arcs()
		}
	}
	if !p.Directed {
		n /= 2
	}
	return n
}

// OrientedBytes is the most memory in bytes that an Oriented takes.
func (p *Placement) OrientedBytes() int64 {
	edges, n := p.Edges(), int64(p.Ranks)
	bytes := hugemem.Taken(4*edges) + 2*hugemem.Taken(4*n) + hugemem.Taken(8*n+8)
	if p.Directed {
		bytes += hugemem.Taken(edges)
	}
	return bytes
}

// Orient returns the graph oriented by degree, by so many threads. The caller frees it. It fails with ErrNoRows, or
// with ctx's error.
func (p *Placement) Orient(ctx context.Context, threads int) (_ *Oriented, err error) {
	defer hugemem.Recover(&err)
	out, err := p.Rows(false)
	rows := []graph.Rows{out}
	if err == nil && p.Directed {
		rows = append(rows, nil)
		rows[1], err = p.Rows(true)
	}
	if err != nil {
		return nil, err
	}
	o := &Oriented{}
	defer func() {
		if err != nil {
			o.Free()
		}
	}()
	n := len(p.RankOf) - int(p.Isolated)
	o.Rank, o.Degree, o.Offsets = hugemem.Alloc[uint32](&o.arrays, n), hugemem.Alloc[uint32](&o.arrays, n), hugemem.Alloc[uint64](&o.arrays, n+1)
	ranks := hugemem.Make[uint32](int(p.Ranks))
	defer ranks.Free()
	at := ranks.S // position of each rank
	p.positions(rows, o.Rank, at)

	const run = 1 << 10
	each := func(f func(v uint32, row, back []uint32)) error {
		return workers.Each(ctx, threads, (n+run-1)/run, nil, func(_, k int) error {
			for v := k * run; v < min(n, (k+1)*run); v++ {
				var back []uint32
				if p.Directed {
					back = rows[1].Of(o.Rank[v])
				}
				f(uint32(v), out.Of(o.Rank[v]), back)
			}
			return nil
		})
	}
	err = each(func(v uint32, row, back []uint32) {
		lower, all := sort.Search(len(row), func(i int) bool { return at[row[i]] >= v }), len(row)
		if p.Directed {
			lower, all = merge(at, v, row, back, nil, nil)
		}
		o.Offsets[v+1], o.Degree[v] = uint64(lower), uint32(all)
	})
	if err != nil {
		return nil, err
	}
	for v := range n {
		o.Offsets[v+1] += o.Offsets[v]
	}
	o.To = hugemem.Alloc[uint32](&o.arrays, int(o.Offsets[n]))
	if p.Directed {
		o.Arcs = hugemem.Alloc[uint8](&o.arrays, len(o.To))
	}
	err = each(func(v uint32, row, back []uint32) {
		lo, hi := o.Offsets[v], o.Offsets[v+1]
		if p.Directed {
			merge(at, v, row, back, o.To[lo:hi], o.Arcs[lo:hi])
			return
		}
		for i, u := range row[:hi-lo] {
			o.To[lo+uint64(i)] = at[u]
		}
	})
	return o, err
}

// positions numbers ranks by (falling degree, rank): at[rank] is the number, rank[number] the rank.
func (p *Placement) positions(rows []graph.Rows, rank, at []uint32) {
	next := hugemem.Make[uint32](int(p.MaxDegree) + 2) // by MaxDegree − degree, one further
	defer next.Free()
	for _, count := range []bool{true, false} {
		for _, g := range p.Ranges {
			for v := g.First; v < g.First+g.Vertices; v++ {
				k := p.MaxDegree
				for _, r := range rows {
					s := r.Segment(v)
					k -= uint32(s.Degree(v - s.First))
				}
				if count {
					next.S[k+1]++
				} else {
					at[v], rank[next.S[k]] = next.S[k], v
					next.S[k]++
				}
			}
		}
		for k := 1; count && k < len(next.S); k++ {
			next.S[k] += next.S[k-1]
		}
	}
}

// merge returns the number of distinct neighbours of the vertex at position v, of which row and back
// are the ranks in both directions, and the number of those before v. It writes these to to, with arcs, unless to is nil.
func merge(at []uint32, v uint32, row, back []uint32, to []uint32, arcs []uint8) (lower, all int) {
	for len(row)+len(back) > 0 {
		u, n := uint32(math.MaxUint32), uint8(1)
		if len(row) > 0 {
			u = at[row[0]]
		}
		if len(back) == 0 || u < at[back[0]] {
			row = row[1:]
		} else {
			if w := at[back[0]]; u == w {
				row, n = row[1:], 2
			} else {
				u = w
			}
			back = back[1:]
		}
		if all++; u < v {
			if to != nil {
				to[lower], arcs[lower] = u, n
			}
			lower++
		}
	}
	return lower, all
}
