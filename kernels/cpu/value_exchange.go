package cpu

import (
	"context"
	"math/bits"
	"slices"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

// eachRank calls f for the ranks of a message, as the k-th of it and by number from first on.
func eachRank(m kernels.Message, first uint32, f func(k int, i uint32)) {
	for k, v := range m.List {
		f(k, v-first)
	}
	k := 0
	for j, w := range m.Bits {
		for ; w != 0; w &= w - 1 {
			f(k, uint32(32*j+bits.TrailingZeros32(w)))
			k++
		}
	}
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
func (r *valueRun) Expand(op int, s program.Step, index int) (m kernels.Message, err error) {
	l, err := r.planOf(op, s)
	o := r.ownRange(index)
	switch {
	case err != nil || o == nil || s.From == program.All && l.From < 0:
		return m, err
	case s.From == program.All:
		m = kernels.Message{Count: int(o.rows), Dense: true}
	default:
		box := &r.boxes[0][index]
		box.words = slices.Grow(box.words[:0], int(o.size/64))[:o.size/64]
		o.words(r.setOf(s.From), box.words)
		for k := range box.words {
			for w := box.words[k]; s.Below != 0 && w != 0; w &= w - 1 {
				if i := bits.TrailingZeros64(w); !r.columns[l.From].below(o.at[0]+uint32(64*k+i), s.Below) {
					box.words[k] &^= 1 << i
				}
			}
		}
		m = messageOf(box.words, o.first, box)
	}
	if l.From >= 0 && m.Count > 0 {
		m.Values = r.columns[l.From].gather(o, m)
	}
	return m, nil
}

// gather implements column.
func (c *values[T]) gather(o *place, m kernels.Message) any {
	return c.copyOf(c.at[0][o.at[0]:][:o.size], o.index, 0, o.first, m)
}

// copyOf returns the values of the ranks of a message, of the values of a range.
func (c *values[T]) copyOf(of []T, index, box int, first uint32, m kernels.Message) any {
	n := m.Count
	if m.Dense {
		n = len(of)
	}
	to := &c.boxes[box][index]
	*to = slices.Grow((*to)[:0], n)[:n]
	out := *to
	if m.Dense {
		c.r.spread(n, 1<<14, func(lo, hi int) { copy(out[lo:hi], of[lo:hi]) })
	}
	eachRank(m, first, func(k int, i uint32) { out[k] = of[i] })
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
	r.taken = true
	for d := range r.spaces {
		at, in := r.base(d, index)
		if !in {
			continue
		}
		words := r.active[d][at/64:][:(g.Padded()-g.First)/64]
		clear(words)
		if m.Bits != nil {
			copy(as32(words), m.Bits)
		}
		for _, v := range m.List {
			words[(v-g.First)/64] |= 1 << ((v - g.First) % 64)
		}
		for k, w := range words {
			if l.Once {
				r.visited[d][int(at/64)+k] |= w
			}
		}
		if l.From >= 0 && m.Count > 0 {
			if err := r.columns[l.From].take(d, at, g, m); err != nil {
				return r.fail(err)
			}
		}
	}
	return nil
}

// take implements column.
func (c *values[T]) take(side int, at uint32, g graph.Range, m kernels.Message) error {
	v, is := m.Values.([]T)
	n := int(g.Padded() - g.First)
	if !is || m.Dense && len(v) != n || !m.Dense && len(v) != m.Count {
		return callError("values of %q: %d of %d vertices, %T", c.array.Name, len(v), m.Count, m.Values)
	}
	if c.at[side] == nil {
		return nil
	}
	c.held[0] = 0
	to := c.at[side][at:][:n]
	if m.Dense {
		c.r.spread(n, 1<<14, func(lo, hi int) { copy(to[lo:hi], v[lo:hi]) })
	}
	eachRank(m, g.First, func(k int, i uint32) { to[i] = v[k] })
	return nil
}

// Step implements kernels.Run.
func (r *valueRun) Step(ctx context.Context, op int, s program.Step) (name string, err error) {
	l, err := r.planOf(op, s)
	switch {
	case err != nil:
		return "", err
	case ctx.Err() != nil:
		return "", ctx.Err()
	case r.plan != nil:
		return "", callError("Step before Advance")
	}
	r.plan, r.step, r.ctx = l, s, ctx
	err = guard(func() error {
		if s.Way == program.Pull {
			name, err = l.to.pull(l, s)
		} else {
			name, err = l.to.push(l, s)
		}
		if err != nil {
			return err
		}
		return l.to.settle(l, s)
	})
	return s.Way.String() + "/" + name, r.fail(err)
}

// direct reports whether steps of l write values of own targets at once.
func (r *valueRun) direct(l *plan, s program.Step) bool {
	return !r.split && !(s.Way == program.Pull && l.From >= 0 && l.From == l.To)
}

// dest is where a step of l writes values of the targets at a side.
func (c *values[T]) dest(l *plan, s program.Step, side int) []T {
	if l.To < 0 || c.r.direct(l, s) {
		return c.at[side]
	}
	return c.part[side]
}

// identity is the value that the combination of l leaves as it is, ok false if there is none.
func identity[T program.Value](l *plan) (v T, ok bool) {
	if l.Combine == program.Min {
		v = program.Largest[T]()
	}
	return v, l.Rows == nil && l.Combine != program.Claim
}

// prepare makes the values that a push writes for others the identity of its combination.
func (c *values[T]) prepare(l *plan, s program.Step) {
	tag := uint8(1 + l.Combine)
	v, is := identity[T](l)
	fillAll := func(held *uint8, to []T) {
		if is && *held != tag {
			c.r.spread(len(to), 1<<14, func(lo, hi int) { setAll(to[lo:hi], v) })
		}
	}
	if c.r.direct(l, s) {
		for _, g := range c.r.part.Ranges {
			if g.Owner != c.r.part.Index {
				fillAll(&c.held[0], c.at[0][g.First:g.Padded()])
			}
		}
		c.held[0] = tag
		return
	}
	for _, p := range l.passes[s.Way] {
		fillAll(&c.held[1+p.dst], c.part[p.dst])
		c.held[1+p.dst] = tag
	}
}

// reset implements column.
func (c *values[T]) reset(l *plan, s program.Step) {
	r := c.r
	v, is := identity[T](l)
	is = is && s.Way == program.Push
	for _, p := range l.passes[s.Way] {
		n := &r.reached[p.dst]
		switch {
		case !r.direct(l, s) && is:
			n.each(0, r.spaces[p.dst].Size, func(i uint32) { c.part[p.dst][i] = v })
		case !r.direct(l, s):
			c.held[1+p.dst] = 0
		case is:
			for _, g := range r.part.Ranges {
				if g.Owner != r.part.Index {
					n.each(g.First, g.Padded(), func(i uint32) { c.at[0][g.First+i] = v })
				}
			}
		case s.Way == program.Push:
			c.held[0] = 0
		}
	}
}

// settle implements column.
func (c *values[T]) settle(l *plan, s program.Step) error {
	r := c.r
	for k, p := range l.passes[s.Way] {
		if k > 0 && p.dst == l.passes[s.Way][0].dst {
			continue // both passes wrote the same values
		}
		n := &r.reached[p.dst]
		for i := range r.own {
			o := &r.own[i]
			if l.Once && r.last() > 0 {
				n.each(o.at[p.dst], o.at[p.dst]+o.size, func(i uint32) { r.visit(o, i) })
			}
			switch {
			case l.To < 0 || r.direct(l, s):
			default:
				if err := c.merge(l, s, o, -1, c.foldSide(l, s, p.dst, o.index, 1)); err != nil {
					return err
				}
			}
		}
		if l.To < 0 || r.direct(l, s) {
			n.into(r, p.dst, &r.next)
		}
	}
	return nil
}

// combine puts x into a target's value and reports whether the target joins.
func combine[T program.Value](l *plan, user program.Rows[T], to *T, x, known T) bool {
	switch {
	case user != nil:
		return user.Combine(to, x)
	case l.Combine == program.Or:
		return orInto(to, x, known)
	case l.Combine == program.Min && !(x < *to):
		return false
	case l.Combine == program.Sum:
		x += *to
	}
	*to = x
	return true
}

// Fold implements kernels.Run.
func (r *valueRun) Fold(index int) (kernels.Message, error) {
	switch {
	case r.err != nil:
		return kernels.Message{}, r.err
	case r.plan == nil || index < 0 || index >= len(r.part.Ranges) || r.part.Ranges[index].Owner == r.part.Index:
		return kernels.Message{}, callError("Fold of range %d", index)
	}
	return r.plan.to.fold(r.plan, r.step, index, 0), nil
}

// fold implements column.
func (c *values[T]) fold(l *plan, s program.Step, index, box int) (m kernels.Message) {
	for _, p := range l.passes[s.Way] { // a foreign range is in one of two spaces
		if _, in := c.r.base(p.dst, index); in && m.Count == 0 {
			m = c.foldSide(l, s, p.dst, index, box)
		}
	}
	return m
}

// foldSide is the message of what the step reached in a range at a side.
func (c *values[T]) foldSide(l *plan, s program.Step, side, index, k int) (m kernels.Message) {
	r := c.r
	g, n := r.part.Ranges[index], &r.reached[side]
	size := g.Padded() - g.First
	at, _ := r.base(side, index)
	box := &r.boxes[k][index]
	box.list = box.list[:0]
	if n.listed() {
		n.each(at, at+size, func(i uint32) { box.list = append(box.list, g.First+i) })
		if m.Count = len(box.list); m.Count == 0 {
			return m
		}
		m.List = box.list
	}
	if m.Count == 0 || !kernels.AsList(m.Count, int(size)) {
		box.words = append(box.words[:0], n.bits[at/64:][:size/64]...) // Advance clears the step's own
		m = messageOf(box.words, g.First, box)
	}
	if l.To >= 0 && m.Count > 0 {
		m.Values = c.copyOf(c.dest(l, s, side)[at:][:size], index, k, g.First, m)
	}
	return m
}

// Merge implements kernels.Run.
func (r *valueRun) Merge(index, from int, m kernels.Message) error {
	o := r.ownRange(index)
	switch {
	case r.err != nil || m.Count == 0:
		return r.err
	case r.plan == nil || o == nil:
		return callError("Merge of range %d", index)
	}
	return r.fail(guard(func() error { return r.plan.to.merge(r.plan, r.step, o, from, m) }))
}

// merge implements column. from is −1 for own news.
func (c *values[T]) merge(l *plan, s program.Step, o *place, from int, m kernels.Message) error {
	r := c.r
	v, is := m.Values.([]T)
	if m.Dense || l.To >= 0 && m.Count > 0 && (!is || len(v) != m.Count) {
		return callError("news of %q of partition %d: %d vertices, %T", c.array.Name, from, m.Count, m.Values)
	}
	user, _ := l.Rows.(program.Rows[T])
	over := r.over[o.pos/64:][:o.size/64]
	if s.Way == program.Pull && s.Over > 0 {
		o.words(r.setOf(s.Over), over)
	} else {
		over = nil
	}
	var known []T
	if l.Known > 0 {
		known = r.columns[l.Known-1].(*values[T]).at[0][o.at[0]:]
	}
	eachRank(m, o.first, func(k int, i uint32) {
		switch {
		case over != nil && over[i/64]>>(i%64)&1 == 0, l.Once && from >= 0 && !r.visit(o, i):
			return
		case l.Rows == nil && l.Combine == program.Claim && r.next.has(o.pos+i):
			return
		}
		if l.Once && from >= 0 && r.finder != nil {
			r.finder[o.pos+i] = uint8(from + 1)
		}
		var x T
		if known != nil {
			x = known[i]
		}
		if l.To < 0 || combine(l, user, &c.at[0][o.at[0]+i], v[k], x) {
			r.next.add(o.pos + i)
		}
	})
	return nil
}

// Advance implements kernels.Run.
func (r *valueRun) Advance() (kernels.Counts, error) {
	l := r.plan
	switch {
	case r.err != nil:
		return kernels.Counts{}, r.err
	case l == nil:
		return kernels.Counts{}, callError("Advance without Step")
	}
	l.to.reset(l, r.step)
	for d := range r.spaces {
		r.reached[d].clear(r)
		if r.taken {
			r.clear(r.active[d])
		}
	}
	r.taken, r.plan = false, nil
	r.front.clear(r)
	r.front, r.next = r.next, r.front
	switch {
	case r.step.Below == 0:
		r.waits = nil
	case l.To != r.prog.LeastArray():
		r.restore()
	}
	if l.Once {
		r.seen += r.front.n
		if r.need&kernels.NeedUnvisitedArcs != 0 {
			r.seenArcs += r.degrees(1)
		}
	}
	return r.count(), nil
}
