package gpu

import (
	"context"
	"errors"
	"math"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/program"
)

// hubDegree is the least degree, in lanes of a group, of the rows that a whole group pulls.
const hubDegree = 4

// Step implements kernels.Run.
func (r *valueRun) Step(ctx context.Context, op int, s program.Step) (name string, err error) {
	defer r.done("Step", &err)
	if err := errors.Join(ctx.Err(), r.prog.CheckStep(op, s)); err != nil {
		return "", err
	}
	o := &r.operators[op]
	r.op, r.step = o, s
	from := o.from
	if o.before {
		from = r.snapshot
		r.start(r.sets[r.prog.Arrays[o.From].Type], "value_copy", int64(r.part.Ranks), buf(o.from, from).u32(r.part.Ranks))
	}
	switch {
	case s.Way == program.Pull:
		name = "pull"
		r.pull(o, s, from)
	case s.Below != 0:
		name = "push/near"
		err = r.pushNear(ctx, o, s, from)
	default:
		name = "push"
		err = r.push(o, s, from)
	}
	if err == nil {
		err = r.finish()
	}
	return name, err
}

// identityOf is the value that the combination of an operator leaves as it is.
func (r *valueRun) identityOf(o *operator) program.Bits {
	if o.Rows == nil && o.Combine == program.Min {
		return program.TopOf(o.value)
	}
	return 0
}

// foreign calls f for the ranges of other partitions.
func (r *valueRun) foreign(f func(index int, rg kernels.Range)) {
	for i, rg := range r.part.Ranges {
		if rg.Owner != r.part.Index && rg.Vertices > 0 {
			f(i, rg)
		}
	}
}

// prepare makes what a push brings to others the identity of its combination.
func (r *valueRun) prepare(o *operator) {
	tag := uint8(1 + o.Combine)
	if o.Rows != nil {
		tag = math.MaxUint8
	}
	if o.Rows == nil && o.Combine == program.Claim {
		r.identity[o.To] = 0
		return
	}
	if r.identity[o.To] != tag {
		r.foreign(func(_ int, rg kernels.Range) {
			r.setAll(o.value, o.to, rg.First, rg.Padded()-rg.First, r.identityOf(o))
		})
		r.identity[o.To] = tag
	}
}

// push pushes from the vertices of the step's From.
func (r *valueRun) push(o *operator, s program.Step, from device.Buffer) error {
	r.prepare(o)
	set := r.front
	if s.From > 0 {
		set, r.usesActive, r.unlisted = r.active, true, true
		r.loadKept(s.From, set)
	}
	if r.unlisted && s.From != program.All {
		if err := r.listSet(set); err != nil {
			return err
		}
	}
	for i := range r.chunks {
		c := &r.chunks[i]
		n, rows := r.shapes[i].vertices, uint32(0)
		if s.From == program.All {
			n, rows = int64(c.n), c.n
		}
		for _, side := range r.passes(o, program.Push) {
			if n > 0 {
				r.pushChunk(o, i, side, n, rows, uint32(setCounts+countsOfSet*i), from)
			}
		}
	}
	return nil
}

// pushChunk pushes from the list of a chunk, whose length is a counter, or from its rows where rows is
// not 0. n is about how many vertices that is.
func (r *valueRun) pushChunk(o *operator, chunk, side int, n int64, rows, count uint32, from device.Buffer) {
	c := &r.chunks[chunk]
	a, lanes := c.rows(side), r.lanes(c, side)
	r.start(o.kernels, "value_push", n*int64(lanes), buf(a.offsets, a.neighbours, r.weightsOf(o, side, chunk), r.list).u32(c.base).
		buf(r.state).u32(count, rows, c.rank(), lanes).buf(from, o.to, o.known, r.mine, r.seen, r.next))
}

// weightsOf is the weights of a chunk, or a buffer that is not read.
func (r *valueRun) weightsOf(o *operator, side, chunk int) device.Buffer {
	if chunk < len(o.weights[side]) {
		return o.weights[side][chunk]
	}
	return r.state
}

// lanes is the number of lanes of a row of a chunk: about the mean degree, a power of two.
func (r *valueRun) lanes(c *chunk, side int) uint32 {
	if r.dev.Info().HostCPU {
		return 1
	}
	a := c.along(side)
	lanes := uint32(1)
	for mean := a.Arcs() / max(1, int64(c.sub.Rows)); int64(lanes) < mean && lanes < 32; {
		lanes *= 2
	}
	return lanes
}

// pushNear pushes from the frontier's vertices below the bound, and from those that fall below it, until
// none is left. The others, and the targets of other partitions, are the next frontier.
func (r *valueRun) pushNear(ctx context.Context, o *operator, s program.Step, from device.Buffer) error {
	r.prepare(o)
	r.front, r.next = r.next, r.front
	chunks := len(r.chunks)
	near := func(round int) {
		for i := range r.chunks {
			c := &r.chunks[i]
			r.start(r.sets[o.value], "value_near", int64(c.n+31)/32, buf(r.next).u32(c.rank(), c.n).buf(r.list).u32(c.base).
				buf(r.state).u32(r.nearCount(round, i)).buf(o.to).u64(uint64(s.Below)))
		}
	}
	first, end := 4*int64(r.nearCount(0, 0)), 4*int64(r.nearCount(nearRounds+1, 0))
	r.fill(r.state, first, end-first, 0)
	near(0)
	for rounds := 2; ; rounds = min(2*rounds, nearRounds) {
		for round := range rounds {
			for i := range r.chunks {
				for _, side := range r.passes(o, program.Push) {
					r.pushChunk(o, i, side, int64(r.chunks[i].n), 0, r.nearCount(round, i), from)
				}
			}
			near(round + 1)
		}
		left, more := make([]uint32, 0, chunks), false
		err := r.download(r.state, int64(r.nearCount(rounds, 0)), int64(chunks), func(words []uint32) { left = append(left, words...) })
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		r.fill(r.state, first, end-first, 0)
		for i, n := range left {
			if n > 0 {
				r.fill(r.state, 4*int64(r.nearCount(0, i)), 4, n)
				more = true
			}
		}
		if !more {
			return nil
		}
	}
}

// pull pulls for the vertices of the step's Over.
func (r *valueRun) pull(o *operator, s program.Step, from device.Buffer) {
	set, members, some := r.front, uint32(1), uint32(0)
	switch {
	case s.From == program.All:
		members = 0
	case s.From > 0:
		r.loadKept(s.From, r.active)
		set, r.usesActive = r.active, true
	}
	if s.Over > 0 {
		r.loadKept(s.Over, r.over)
		some = 1
	}
	group := uint32(r.program.group)
	for _, side := range r.passes(o, program.Pull) {
		for i := range r.chunks {
			c := &r.chunks[i]
			a, lanes, hubs := c.rows(side), r.lanes(c, side), c.hubs(side, uint64(hubDegree*group))
			if lanes == 1 && r.dev.Info().HostCPU {
				hubs = 0
			}
			for _, part := range []struct{ begin, end, lanes uint32 }{{0, hubs, group}, {hubs, c.n, lanes}} {
				if part.begin < part.end {
					r.start(o.kernels, "value_pull", int64(part.end-part.begin)*int64(part.lanes), buf(a.offsets, a.neighbours, r.weightsOf(o, side, i)).
						u32(c.rank(), part.begin, part.end, part.lanes).buf(set).u32(members).buf(r.over).u32(some).
						buf(from, o.to, o.known, r.seen, r.next))
				}
			}
		}
	}
}

// hubs is the number of first rows that have a degree of at least least.
func (c *chunk) hubs(side int, least uint64) (n uint32) {
	a := c.along(side)
	for n < c.n && a.Degree(c.lo+n) >= least {
		n++
	}
	return n
}

// Advance implements kernels.Run.
func (r *valueRun) Advance() (k kernels.Counts, err error) {
	defer r.done("Advance", &err)
	if r.op == nil {
		return k, errors.New("Advance without Step")
	}
	o, pushed := r.op, r.step.Way == program.Push
	r.op = nil
	r.foreign(func(_ int, rg kernels.Range) {
		at, n := int64(rg.First/8), 4*int64(words(rg))
		if pushed {
			if r.identity[o.To] != 0 {
				r.start(r.sets[o.value], "value_reset", n/4, buf(r.next).u32(rg.First/32, words(rg)).buf(o.to).u64(uint64(r.identityOf(o))))
			}
			r.fill(r.next, at, n, 0)
		}
		if r.usesActive {
			r.fill(r.active, at, n, 0)
		}
	})
	r.usesActive = false
	r.front, r.next = r.next, r.front
	r.fill(r.next, 0, r.next.Size(), 0)
	if k, err = r.count(); err == nil && o.Once {
		r.seenAll += k.Next
		r.seenArcs += r.inArcs()
		k.Unvisited, k.UnvisitedArcs = r.ownVertices-r.seenAll, r.ownInArcs-r.seenArcs
	}
	return k, err
}

// VertexMap implements kernels.Run.
func (r *valueRun) VertexMap(ctx context.Context, op int, over program.Set, args [4]float64) (out kernels.Reduced, err error) {
	defer r.done("VertexMap", &err)
	if err := ctx.Err(); err != nil {
		return out, err
	}
	out.Kernel = "value_vertex"
	set, all := r.front, uint32(0)
	switch {
	case over == program.All:
		all = 1
	case over > 0:
		set = r.over
		r.loadKept(over, set)
	}
	summed := sums.MatchString(r.prog.Vertices[op].Device)
	for _, i := range r.owned {
		rg := r.part.Ranges[i]
		if rg.Vertices == 0 {
			continue
		}
		a := buf(set).u32(all, rg.First, rg.Vertices).buf(r.next)
		if summed {
			for _, x := range args {
				a = a.u64(math.Float64bits(x))
			}
			a = a.buf(r.sums)
		}
		blocks := (int64(rg.Vertices) + program.BlockVertices - 1) / program.BlockVertices
		r.startGroups(r.vertices[op], "value_vertex", blocks, a.buf(r.arrays...))
		sum := program.Reduced{Min: math.Inf(1)}
		if summed {
			k := 0
			err := r.download(r.sums, 0, 2*blockSums*blocks, func(words []uint32) {
				for _, x := range valuesOf[float64](words) {
					if k%blockSums < len(sum.Sum) {
						sum.Sum[k%blockSums] += x
					} else {
						sum.Min = min(sum.Min, x)
					}
					k++
				}
			})
			if err != nil {
				return out, err
			}
		}
		out.Sums = append(out.Sums, sum)
	}
	r.front, r.next = r.next, r.front
	r.fill(r.next, 0, r.next.Size(), 0)
	out.Counts, err = r.count()
	return out, err
}

// Local implements kernels.Run.
func (r *valueRun) Local(ctx context.Context, op int) (err error) {
	defer r.done("Local", &err)
	if err := ctx.Err(); err != nil {
		return err
	}
	clear(r.identity)
	for _, side := range r.passes(&operator{EdgeOp: &program.EdgeOp{Arcs: r.prog.Locals[op].Arcs}}, program.Push) {
		for i := range r.chunks {
			c := &r.chunks[i]
			a, lanes := c.rows(side), r.lanes(c, side)
			r.start(r.locals[op], "value_arcs", int64(c.n)*int64(lanes), buf(a.offsets, a.neighbours).u32(c.rank(), c.n, lanes).buf(r.arrays...))
		}
	}
	if r.prog.Locals[op].DeviceRanks != "" {
		r.start(r.locals[op], "value_ranks", int64(r.part.Ranks), args(nil).u32(r.part.Ranks).buf(r.arrays...))
	}
	return r.finish()
}
