package cpu

import (
	"context"
	"math/bits"
	"slices"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

// eachBit calls f for the set bits of words, the first word's bit 0 being first.
func eachBit(words []uint64, first uint32, f func(i uint32)) {
	for k, w := range words {
		for ; w != 0; w &= w - 1 {
			f(first + uint32(64*k+bits.TrailingZeros64(w)))
		}
	}
}

// wordOf is word k of 64 ranks of a message's bits.
func wordOf(m kernels.Message, k int) uint64 {
	return uint64(m.Bits[2*k]) | uint64(m.Bits[2*k+1])<<32
}

// planOf is operator op for step s.
func (r *valueRun) planOf(op int, s program.Step) (*plan, error) {
	if r.err != nil {
		return nil, r.err
	}
	if err := r.prog.CheckStep(op, s); err != nil {
		return nil, err
	}
	return &r.plans[op], nil
}

// Expand implements kernels.Run.
func (r *valueRun) Expand(op int, s program.Step, index int) (kernels.Message, error) {
	l, err := r.planOf(op, s)
	at := slices.IndexFunc(r.own, func(o place) bool { return o.index == index })
	if err != nil || at < 0 {
		return kernels.Message{}, err
	}
	o := &r.own[at]
	var from column
	if l.reads {
		from = r.columns[l.From]
	}
	if s.From == program.All {
		if !l.reads {
			return kernels.Message{}, nil
		}
		m := kernels.Message{Count: int(o.rows), Dense: true}
		m.Values = from.gather(o, m)
		return m, nil
	}
	box := &r.boxes[r.turn][index]
	box.words = slices.Grow(box.words[:0], int(o.size/64))[:o.size/64]
	o.wordsOf(r.setOf(s.From), box.words)
	if s.Below != 0 {
		eachBit(slices.Clone(box.words), 0, func(i uint32) {
			if !from.below(o, i, s.Below) {
				box.words[i/64] &^= 1 << (i % 64)
			}
		})
	}
	m := messageOf(box.words, o.first, box)
	if l.reads && m.Count > 0 {
		m.Values = from.gather(o, m)
	}
	return m, nil
}

// gather implements column.
func (c *values[T]) gather(o *place, m kernels.Message) any {
	return c.copyOf(c.at[0][o.at[0]:][:o.size], o.index, o.first, m)
}

// copyOf returns the values of the ranks of a message, of the values of a range.
func (c *values[T]) copyOf(of []T, index int, first uint32, m kernels.Message) any {
	n := m.Count
	if m.Dense {
		n = len(of)
	}
	box := &c.boxes[c.r.turn][index]
	*box = slices.Grow((*box)[:0], n)[:n]
	out := *box
	switch {
	case m.Dense:
		c.r.p.spread(n, 1<<14, func(lo, hi int) { copy(out[lo:hi], of[lo:hi]) })
	case m.Bits == nil:
		for k, v := range m.List {
			out[k] = of[v-first]
		}
	default:
		k := 0
		for j := range len(m.Bits) / 2 {
			for w := wordOf(m, j); w != 0; w &= w - 1 {
				out[k] = of[64*j+bits.TrailingZeros64(w)]
				k++
			}
		}
	}
	return out
}

// Take implements kernels.Run.
func (r *valueRun) Take(op int, s program.Step, index int, m kernels.Message) error {
	l, err := r.planOf(op, s)
	if err != nil {
		return err
	}
	if index < 0 || index >= len(r.part.Ranges) || r.part.Ranges[index].Owner == r.part.Index {
		return callError("Take of range %d", index)
	}
	g := r.part.Ranges[index]
	n := int(g.Padded()-g.First) / 64
	for d := range r.spaces {
		at, in := r.base(d, index)
		if !in {
			continue
		}
		words := r.active[d][at/64:][:n]
		clear(words)
		r.taken[d] = true
		switch {
		case m.Dense || s.From == program.All:
		case m.Bits != nil:
			for k := range words {
				words[k] = wordOf(m, k)
			}
		default:
			for _, v := range m.List {
				words[(v-g.First)/64] |= 1 << ((v - g.First) % 64)
			}
		}
		if claims(r.prog) {
			for k, w := range words {
				r.visited[d][int(at/64)+k] |= w
			}
		}
		if l.reads && m.Count > 0 {
			if err := r.columns[l.From].take(d, at, index, m); err != nil {
				return r.fail(err)
			}
		}
	}
	return nil
}

// take implements column.
func (c *values[T]) take(side int, at uint32, index int, m kernels.Message) error {
	g := c.r.part.Ranges[index]
	v, is := m.Values.([]T)
	if n := int(g.Padded() - g.First); !is || m.Dense && len(v) < int(g.Vertices) || !m.Dense && len(v) != m.Count || len(v) > n {
		return callError("range %d of %q: %d values, %T", index, c.array.Name, m.Count, m.Values)
	}
	if c.at[side] == nil {
		return nil
	}
	c.held[0] = 0
	to := c.at[side][at:][:g.Padded()-g.First]
	switch {
	case m.Dense:
		c.r.p.spread(len(v), 1<<14, func(lo, hi int) { copy(to[lo:hi], v[lo:hi]) })
	case m.Bits == nil:
		for k, rank := range m.List {
			to[rank-g.First] = v[k]
		}
	default:
		k := 0
		for j := range len(m.Bits) / 2 {
			for w := wordOf(m, j); w != 0; w &= w - 1 {
				to[64*j+bits.TrailingZeros64(w)] = v[k]
				k++
			}
		}
	}
	return nil
}

// Step implements kernels.Run.
func (r *valueRun) Step(ctx context.Context, op int, s program.Step) (name string, err error) {
	l, err := r.planOf(op, s)
	if err != nil {
		return "", err
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if r.plan != nil {
		return "", callError("Step before Advance")
	}
	r.plan, r.step = l, s
	run := l.to.push
	if s.Way == program.Pull {
		run = l.to.pull
	}
	err = guard(func() error {
		if name, err = run(l, s); err != nil {
			return err
		}
		return l.to.settle(l, s)
	})
	return s.Way.String() + "/" + name, r.fail(err)
}

// direct reports whether steps of l write values of own targets at once.
func (l *plan) direct(r *valueRun, s program.Step) bool {
	return !r.split && !(s.Way == program.Pull && l.reads && l.From == l.To)
}

// dest is where a step of l writes values of the targets at a side.
func (c *values[T]) dest(l *plan, s program.Step, side int) []T {
	if l.To < 0 || l.direct(c.r, s) {
		return c.at[side]
	}
	return c.part[side]
}

// identity is the value that a combination leaves as it is.
func (c *values[T]) identity(l *plan) (v T) {
	if l.Combine == program.Min {
		v = program.Largest[T]()
	}
	return v
}

// prepare makes the values that a step writes for others the identity of its combination.
func (c *values[T]) prepare(l *plan, s program.Step) {
	tag, v := uint8(1+l.Combine), c.identity(l)
	if l.direct(c.r, s) {
		if c.held[0] != tag {
			for _, g := range c.r.part.Ranges {
				if g.Owner != c.r.part.Index {
					c.r.p.spread(int(g.Padded()-g.First), 1<<14, func(lo, hi int) {
						setAll(c.at[0][int(g.First)+lo:int(g.First)+hi], v)
					})
				}
			}
		}
		c.held[0] = tag
		return
	}
	for _, p := range l.passes[s.Way] {
		if part := c.part[p.dst]; c.held[1+p.dst] != tag {
			c.r.p.spread(len(part), 1<<14, func(lo, hi int) { setAll(part[lo:hi], v) })
		}
		c.held[1+p.dst] = tag
	}
}

// advance implements column.
func (c *values[T]) advance(l *plan, s program.Step) {
	r := c.r
	keeps := s.Way == program.Push && l.Rows == nil && l.Combine != program.Claim // the identity
	v := c.identity(l)
	for _, p := range l.passes[s.Way] {
		switch {
		case keeps && !l.direct(r, s):
			r.eachReached(p.dst, 0, r.spaces[p.dst].Size, func(i uint32) { c.part[p.dst][i] = v })
		case keeps:
			for _, g := range r.part.Ranges {
				if g.Owner != r.part.Index {
					r.eachReached(0, g.First, g.Padded(), func(i uint32) { c.at[0][i] = v })
				}
			}
		case !l.direct(r, s):
			c.held[1+p.dst] = 0
		case s.Way == program.Push:
			c.held[0] = 0
		}
	}
	for _, p := range l.passes[s.Way] {
		r.forget(p.dst)
	}
}

// settle implements column.
func (c *values[T]) settle(l *plan, s program.Step) error {
	r := c.r
	if l.Once && r.last() > 0 {
		for _, o := range r.own {
			a, b := r.visited[0][o.at[0]/64:], r.visited[1][o.at[1]/64:]
			for k := range o.size / 64 {
				a[k] |= b[k]
				b[k] = a[k]
			}
		}
	}
	if l.To < 0 || l.direct(r, s) {
		for i := range r.own {
			o := &r.own[i]
			for _, p := range l.passes[s.Way] {
				c.joined(o, p.dst)
			}
		}
		if len(r.own) > 0 && r.next.many {
			r.next.recount(r)
		}
		return nil
	}
	return guard(func() error {
		for i := range r.own {
			o := &r.own[i]
			for _, p := range l.passes[s.Way] {
				at := o.at[p.dst]
				part := c.part[p.dst][at:]
				r.eachReached(p.dst, at, at+o.size, func(v uint32) {
					c.absorb(l, o, v-at, part[v-at], 0)
				})
			}
		}
		return nil
	})
}

// joined puts own targets that the step reached at a side into the next frontier.
func (c *values[T]) joined(o *place, side int) {
	r := c.r
	at := o.at[side]
	if r.listed(side) && !r.next.many {
		r.eachReached(side, at, at+o.size, func(v uint32) { r.next.add(r, o.pos+v-at) })
		return
	}
	r.next.many = true
	from, to := r.reached[side][at/64:][:o.size/64], r.next.bits[o.pos/64:]
	r.p.spread(len(from), parallelWords, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			to[k] |= from[k]
		}
	})
}

// absorb combines a value into vertex i of an own range. by is 0, or 1 + the sender.
func (c *values[T]) absorb(l *plan, o *place, i uint32, x T, by int) {
	r := c.r
	to, pos := &c.at[0][o.at[0]+i], o.pos+i
	joins := false
	switch {
	case l.Rows != nil:
		joins = l.Rows.(program.Rows[T]).Combine(to, x)
	case l.Combine == program.Claim:
		if joins = !r.next.has(pos); joins && l.To >= 0 {
			*to = x
		}
	case l.Combine == program.Min:
		if joins = x < *to; joins {
			*to = x
		}
	case l.Combine == program.Or:
		var known T
		if l.Known > 0 {
			known = r.columns[l.Known-1].(*values[T]).at[0][o.at[0]+i]
		}
		joins = orInto(to, x, known)
	default:
		*to += x
		joins = true
	}
	if joins {
		r.next.add(r, pos)
	}
}

// Fold implements kernels.Run.
func (r *valueRun) Fold(index int) (kernels.Message, error) {
	switch {
	case r.err != nil || r.plan == nil:
		return kernels.Message{}, r.err
	case index < 0 || index >= len(r.part.Ranges) || r.part.Ranges[index].Owner == r.part.Index:
		return kernels.Message{}, callError("Fold of range %d", index)
	}
	return r.plan.to.fold(r.plan, index)
}

// fold implements column.
func (c *values[T]) fold(l *plan, index int) (m kernels.Message, err error) {
	r := c.r
	g := r.part.Ranges[index]
	for _, p := range l.passes[r.step.Way] {
		at, in := r.base(p.dst, index)
		if !in || m.Count > 0 {
			continue
		}
		n := g.Padded() - g.First
		box := &r.boxes[r.turn][index]
		words := r.reached[p.dst][at/64:][:n/64]
		if r.listed(p.dst) {
			box.list = box.list[:0]
			r.eachReached(p.dst, at, at+n, func(v uint32) { box.list = append(box.list, v-at+g.First) })
			if kernels.AsList(len(box.list), int(n)) {
				m = kernels.Message{Count: len(box.list), List: box.list}
				if m.Count == 0 {
					m = kernels.Message{}
				}
			}
		}
		if m.Count == 0 && (!r.listed(p.dst) || len(box.list) > 0) {
			box.words = append(box.words[:0], words...) // Advance clears the step's own
			m = messageOf(box.words, g.First, box)
		}
		if l.To >= 0 && m.Count > 0 {
			m.Values = c.copyOf(c.dest(l, r.step, p.dst)[at:][:n], index, g.First, m)
		}
	}
	return m, nil
}

// Merge implements kernels.Run.
func (r *valueRun) Merge(index, from int, m kernels.Message) error {
	at := slices.IndexFunc(r.own, func(o place) bool { return o.index == index })
	switch {
	case r.err != nil:
		return r.err
	case m.Count == 0:
		return nil
	case r.plan == nil || at < 0:
		return callError("Merge of range %d", index)
	}
	return r.fail(r.plan.to.merge(r.plan, r.step, &r.own[at], from, m))
}

// merge implements column.
func (c *values[T]) merge(l *plan, s program.Step, o *place, from int, m kernels.Message) error {
	r := c.r
	var v []T
	if l.To >= 0 {
		var is bool
		if v, is = m.Values.([]T); !is || len(v) != m.Count || m.Dense {
			return callError("news of %q of partition %d: %d vertices, %T", c.array.Name, from, m.Count, m.Values)
		}
	}
	over := r.over[o.pos/64:][:o.size/64]
	filtered := s.Way == program.Pull && s.Over > 0
	if filtered {
		o.wordsOf(r.setOf(s.Over), over)
	}
	take := func(k int, i uint32) {
		if filtered && over[i/64]>>(i%64)&1 == 0 {
			return
		}
		if l.Once {
			if at := o.at[0] + i; r.visited[0][at/64]>>(at%64)&1 != 0 {
				return
			}
			for d := range r.spaces {
				r.visited[d][(o.at[d]+i)/64] |= 1 << ((o.at[d] + i) % 64)
			}
			if r.finder != nil {
				r.finder[o.pos+i] = uint8(from + 1)
			}
		}
		var x T
		if l.To >= 0 {
			x = v[k]
		}
		c.absorb(l, o, i, x, from+1)
	}
	return guard(func() error {
		for k, rank := range m.List {
			take(k, rank-o.first)
		}
		k := 0
		for j := range len(m.Bits) / 2 {
			for w := wordOf(m, j); w != 0; w &= w - 1 {
				take(k, uint32(64*j+bits.TrailingZeros64(w)))
				k++
			}
		}
		return nil
	})
}

// Advance implements kernels.Run.
func (r *valueRun) Advance() (kernels.Counts, error) {
	l := r.plan
	if r.err != nil || l == nil {
		return kernels.Counts{}, cmpErr(r.err, callError("Advance without Step"))
	}
	l.to.advance(l, r.step)
	for d := range r.spaces {
		if r.taken[d] {
			clear(r.active[d])
			r.taken[d] = false
		}
	}
	if l.Once {
		r.seen += r.next.n
		if r.need&kernels.NeedUnvisitedArcs != 0 {
			for i := range r.own {
				r.seenArcs += r.degrees(1, &r.own[i], &r.next)
			}
		}
	}
	r.front.clear(r)
	r.front, r.next = r.next, r.front
	r.plan, r.turn = nil, 1-r.turn
	return r.count(), nil
}

func cmpErr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
