package cpu

import (
	"context"
	"math"
	"slices"

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
	f := r.prog.Vertices[op].Block
	for i := range r.own {
		o := &r.own[i]
		words := r.next.bits[o.pos/64:][:o.size/64]
		o.words(s, words)
		r.next.many = true
		blocks := make([]program.Reduced, (o.rows+program.BlockVertices-1)/program.BlockVertices)
		err := r.each(len(blocks), 1, func(t, k, _ int) {
			blocks[k].Min = math.Inf(1)
			lo := uint32(k) * program.BlockVertices
			hi := min(o.rows, lo+program.BlockVertices)
			set := words[lo/64 : (hi+63)/64]
			if slices.Max(set) == 0 {
				return
			}
			b := &r.threads[t].block
			*b = program.Block{Lo: o.first + lo, Hi: o.first + hi, Set: set, Min: math.Inf(1), Args: args, Arrays: b.Arrays[:0]}
			for a := range r.prog.Arrays {
				b.Arrays = append(b.Arrays, r.columns[a].block(o, lo, hi))
			}
			f(b)
			set[len(set)-1] &= valid(len(set)-1, hi-lo)
			blocks[k] = program.Reduced{Sum: b.Sum, Min: b.Min}
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
	err := guard(func() error { return r.prog.Locals[op].Run(ctx, local{r}) })
	if err != nil {
		return r.fail(err)
	}
	for a, to := range r.wholes {
		r.columns[a].local(to, true)
	}
	return nil
}

// local implements program.Local.
type local struct{ r *valueRun }

func (l local) Each(f func(u uint32, row []uint32)) error {
	r := l.r
	ranks := r.spaces[r.last()].Ranks
	for _, g := range r.rows[0] {
		err := r.each(int(g.rows), 1024, func(t, lo, hi int) {
			m := &r.threads[t]
			for i := uint32(lo); i < uint32(hi); i++ {
				from, to := g.adj.Row(i)
				row := g.adj.Neighbours[from:to]
				if ranks != nil {
					m.indices = m.indices[:0]
					for _, v := range row {
						m.indices = append(m.indices, ranks[v])
					}
					row = m.indices
				}
				f(g.first+i, row)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (l local) Vertices(f func(lo, hi uint32)) error {
	return l.r.each(int(l.r.part.Ranks), 1<<14, func(_, lo, hi int) { f(uint32(lo), uint32(hi)) })
}

func (l local) U32(array int) []uint32 {
	whole, err := l.r.Whole(array)
	if err != nil {
		panic(err) // a bug of the operator, which guard returns
	}
	return whole
}
