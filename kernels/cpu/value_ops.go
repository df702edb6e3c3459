package cpu

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

// VertexMap implements kernels.Run.
func (r *valueRun) VertexMap(ctx context.Context, op int, over program.Set, args [4]float64) (kernels.Reduced, error) {
	out := kernels.Reduced{Kernel: "blocks"}
	switch {
	case r.err != nil:
		return out, r.err
	case op < 0 || op >= len(r.prog.Vertices) || over < program.All:
		return out, callError("VertexMap of operator %d over set %d", op, over)
	case ctx.Err() != nil:
		return out, ctx.Err()
	}
	s := r.setOf(over)
	r.waits = nil
	f := r.prog.Vertices[op].Block
	for i := range r.own {
		o := &r.own[i]
		words := r.next.bits[o.pos/64:][:o.size/64]
		o.words(s, words)
		r.next.by[0].many = true
		blocks := make([]program.Reduced, (o.rows+program.BlockVertices-1)/program.BlockVertices)
		run := func(t, k int) {
			blocks[k].Min = math.Inf(1)
			lo := uint32(k) * program.BlockVertices
			hi := min(o.rows, lo+program.BlockVertices)
			set := words[lo/64 : (hi+63)/64]
			if slices.Max(set) == 0 {
				return
			}
			b := &r.memory[t].block
			*b = program.Block{Lo: o.first + lo, Hi: o.first + hi, Set: set, Min: math.Inf(1), Args: args, Arrays: b.Arrays[:0]}
			for a := range r.prog.Arrays {
				b.Arrays = append(b.Arrays, r.columns[a].block(o, lo, hi))
			}
			f(b)
			set[len(set)-1] &= valid(len(set)-1, hi-lo)
			blocks[k] = program.Reduced{Sum: b.Sum, Min: b.Min}
		}
		err := r.each(len(blocks), s.grain(len(blocks), 1), func(t, lo, hi int) {
			for k := lo; k < hi; k++ {
				run(t, k)
			}
		})
		if err != nil {
			return out, r.fail(err)
		}
		sum := program.Reduced{Min: math.Inf(1)}
		for _, b := range blocks {
			for k := range sum.Sum {
				sum.Sum[k] += b.Sum[k]
			}
			sum.Min = min(sum.Min, b.Min)
		}
		out.Sums = append(out.Sums, sum)
	}
	r.next.recount(r)
	r.front, r.next = r.next, r.front
	r.next.clear(r)
	out.Counts = r.count()
	return out, nil
}

// Local implements kernels.Run.
func (r *valueRun) Local(ctx context.Context, op int) error {
	switch {
	case r.err != nil:
		return r.err
	case op < 0 || op >= len(r.prog.Locals):
		return callError("local operator %d", op)
	case ctx.Err() != nil:
		return ctx.Err()
	}
	for a, to := range r.wholes {
		r.columns[a].local(to, false)
	}
	err := guard(func() error { return r.prog.Locals[op].Run(ctx, local{ctx, r}) })
	if err != nil {
		return r.fail(err)
	}
	for a, to := range r.wholes {
		r.columns[a].local(to, true)
	}
	return nil
}

// local implements program.Local.
type local struct {
	ctx context.Context
	r   *valueRun
}

// localRows and localVertices are the items of a block of Rows and of Vertices.
const localRows, localVertices = 1 << 10, 1 << 13

func (l local) Rows(a program.Arcs, f func(b *program.RowBlock)) error {
	r := l.r
	for k := range r.rows {
		if k == 0 && a == program.Backward || k == 1 && (a == program.Forward || a == program.Both && !r.split && !r.part.Directed) {
			continue
		}
		ranks := r.spaces[(1-k)*r.last()].Ranks
		for _, g := range r.rows[k] {
			err := l.each(int(g.rows), localRows, func(t, lo, hi int) {
				m := &r.memory[t]
				b := &m.rows
				*b = program.RowBlock{
					Lo: g.first + uint32(lo), Hi: g.first + uint32(hi), Neighbours: g.adj.Neighbours, First: g.adj.FirstNeighbours[lo:hi],
				}
				if g.adj.Offsets32 != nil {
					b.Offsets32 = g.adj.Offsets32[lo : hi+1]
				} else {
					b.Offsets64 = g.adj.Offsets64[lo : hi+1]
				}
				if ranks != nil {
					m.translate(ranks)
				}
				f(b)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// translate replaces the indices of the thread's block of rows by their ranks.
func (m *thread) translate(ranks []uint32) {
	b := m.rows
	n := b.Hi - b.Lo
	m.indices, m.starts = m.indices[:0], append(m.starts[:0], 0)
	for u := b.Lo; u < b.Hi; u++ {
		for _, v := range b.Row(u) {
			m.indices = append(m.indices, ranks[v])
		}
		m.starts = append(m.starts, uint64(len(m.indices)))
	}
	for _, v := range b.First { // after the rows
		if v != graph.None {
			v = ranks[v]
		}
		m.indices = append(m.indices, v)
	}
	rows := m.starts[n]
	m.rows = program.RowBlock{Lo: b.Lo, Hi: b.Hi, Neighbours: m.indices[:rows], First: m.indices[rows:], Offsets64: m.starts}
}

// each is valueRun.each until the context ends.
func (l local) each(n, grain int, f func(t, lo, hi int)) error {
	err := l.r.each(n, grain, func(t, lo, hi int) {
		if l.ctx.Err() == nil {
			f(t, lo, hi)
		}
	})
	return cmp.Or(err, l.ctx.Err())
}

func (l local) Vertices(f func(lo, hi uint32)) error {
	return l.each(int(l.r.part.Ranks), localVertices, func(_, lo, hi int) { f(uint32(lo), uint32(hi)) })
}

func (l local) U32(array int) []uint32 {
	whole, err := l.r.Whole(array)
	if err != nil {
		panic(err) // a bug of the operator, which guard returns
	}
	return whole
}
