package cpu

import (
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/totemgo/totemgo/program"
)

const (
	// pushGrain is how many sources a thread takes at a time.
	pushGrain = 64
	// serialArcs is up to how many arcs a push runs on one thread.
	serialArcs = 1 << 11
	// sumThreads is from how many threads on a Sum takes buckets: they cost four times what an
	// addition does.
	sumThreads = 4
	// roundArcs bounds the values that wait in buckets.
	roundArcs = 1 << 18
	// rowsShift makes buckets of 2^12 targets.
	rowsShift = 12
)

// batch is the sources of segment k of a pass: act[lo:hi] are their rows.
type batch struct {
	pass   pass
	k      int
	lo, hi int
	arcs   int64
}

// load reads a value that other threads write.
func load[T program.Value](p *T) T {
	if unsafe.Sizeof(*p) == 4 {
		b := atomic.LoadUint32((*uint32)(unsafe.Pointer(p)))
		return *(*T)(unsafe.Pointer(&b))
	}
	b := atomic.LoadUint64((*uint64)(unsafe.Pointer(p)))
	return *(*T)(unsafe.Pointer(&b))
}

// lower makes *p at most x and reports whether it fell.
func lower[T program.Value](p *T, x T) bool {
	for {
		old := load(p)
		if !(x < old) {
			return false
		}
		if unsafe.Sizeof(x) == 4 {
			if atomic.CompareAndSwapUint32((*uint32)(unsafe.Pointer(p)), uint32(program.Pack(old)), uint32(program.Pack(x))) {
				return true
			}
		} else if atomic.CompareAndSwapUint64((*uint64)(unsafe.Pointer(p)), uint64(program.Pack(old)), uint64(program.Pack(x))) {
			return true
		}
	}
}

// orInto sets the bits of x without those of known in *p, and reports whether any is new.
func orInto[T program.Value](p *T, x, known T) bool {
	b := uint64(program.Pack(x) &^ program.Pack(known))
	if b&^uint64(program.Pack(load(p))) == 0 {
		return false
	}
	if unsafe.Sizeof(x) == 4 {
		return uint32(b)&^atomic.OrUint32((*uint32)(unsafe.Pointer(p)), uint32(b)) != 0
	}
	return b&^atomic.OrUint64((*uint64)(unsafe.Pointer(p)), b) != 0
}

// plus is the value of Plus, at most top.
func plus[T program.Value](v, w, top T) T {
	s := v + w
	if s < v && w > 0 {
		return top
	}
	return s
}

// sources sets act and batches to the sources of a push. set is nil for all.
func (r *valueRun) sources(l *plan, set *set, foreignAll bool) (arcs int64) {
	r.act, r.batches = r.act[:0], r.batches[:0]
	for _, p := range l.passes[program.Push] {
		for k, g := range r.rows[p.rows] {
			b := batch{pass: p, k: k, lo: len(r.act)}
			add := func(i uint32) {
				r.act = append(r.act, i)
				b.arcs += int64(g.adj.Degree(i))
			}
			switch {
			case g.own != nil:
				g.own.each(set, add)
			case foreignAll:
				for i := range g.rows {
					add(i)
				}
			default:
				eachBit(r.active[p.src][g.at/64:][:(g.rows+63)/64], 0, add)
			}
			if b.hi = len(r.act); b.hi > b.lo {
				arcs += b.arcs
				r.batches = append(r.batches, b)
			}
		}
	}
	r.memory[0].examined += arcs
	return arcs
}

// push implements column. It reads the values of all sources before it writes any.
func (c *values[T]) push(l *plan, s program.Step) (name string, err error) {
	r := c.r
	c.prepare(l, s)
	if s.Below == 0 {
		return c.pushFrom(l, s, r.setOf(s.From))
	}
	if !r.split {
		return c.relax(r.ctx, l, program.Unpack[T](s.Below))
	}
	r.round.clear(r)
	for i := range r.own {
		o := &r.own[i]
		o.each(&r.front, func(i uint32) {
			if c.below(o.at[0]+i, s.Below) {
				r.round.add(o.pos + i)
			} else {
				r.next.add(o.pos + i)
			}
		})
	}
	return c.pushFrom(l, s, &r.round)
}

// pushFrom pushes from the sources of a set.
func (c *values[T]) pushFrom(l *plan, s program.Step, set *set) (string, error) {
	r := c.r
	arcs := r.sources(l, set, s.From == program.All)
	if l.From >= 0 {
		from := r.columns[l.From].(*values[T])
		from.mirror()
		c.snap = slices.Grow(c.snap[:0], len(r.act))[:len(r.act)]
		for _, b := range r.batches {
			at := from.at[b.pass.src][r.rows[b.pass.rows][b.k].at:]
			r.spread(b.hi-b.lo, 1<<12, func(lo, hi int) {
				for j := b.lo + lo; j < b.lo+hi; j++ {
					c.snap[j] = at[r.act[j]]
				}
			})
		}
	}
	for t := range c.by {
		for n := int(r.spaces[0].Size+r.spaces[r.last()].Size)>>rowsShift + 1; len(c.by[t].buckets) < n; {
			c.by[t].buckets = append(c.by[t].buckets, nil)
		}
	}
	name := "atomic"
	sum := l.Rows == nil && l.Combine == program.Sum
	if r.threads == 1 || arcs < serialArcs || sum && r.threads < sumThreads {
		name = "serial"
	} else if l.Rows != nil || sum {
		name = "buckets"
	}
	for _, b := range r.batches {
		k := c.loop(l, s, b.pass, b.k)
		k.serial = name == "serial"
		grain, run := pushGrain, k.push
		if k.serial {
			grain = b.hi - b.lo
		}
		if l.Rows != nil {
			run = k.pushUser
		}
		for lo := b.lo; lo < b.hi; {
			hi, arcs := b.hi, b.arcs
			if name == "buckets" {
				for hi, arcs = lo, 0; hi < b.hi && arcs < roundArcs; hi++ {
					arcs += int64(k.adj.Degree(r.act[hi]))
				}
			}
			from := lo
			err := r.each(hi-lo, grain, func(t, lo, hi int) { run(t, from+lo, from+hi) })
			if err == nil && name == "buckets" {
				err = r.each(int(r.spaces[b.pass.dst].Size)>>rowsShift+1, 1, func(t, n, _ int) { k.empty(t, n) })
			}
			if err != nil {
				return name, err
			}
			lo = hi
		}
	}
	return name, nil
}

// push pushes along the rows act[lo:hi].
func (k *loop[T]) push(t, lo, hi int) {
	l, dst, n := k.l, k.dst, k.news
	for j := lo; j < hi; j++ {
		i := k.c.r.act[j]
		from, to := k.adj.Row(i)
		row := k.adj.Neighbours[from:to]
		x := T(1)
		switch {
		case l.Map == program.Source:
			k.claim(t, row, T(k.first+i))
			continue
		case l.Map == program.Copy:
			x = k.c.snap[j]
		case l.Map == program.Plus && k.w == nil:
			x = plus(k.c.snap[j], 1, k.top)
		case l.Map == program.Plus:
			k.pushPlus(t, row, k.w[from:to], k.c.snap[j])
			continue
		}
		switch l.Combine {
		case program.Min:
			for _, v := range row {
				if x < load(&dst[v]) && lower(&dst[v], x) {
					n.join(t, v)
				}
			}
		case program.Or:
			for _, v := range row {
				if program.Pack(x)&^program.Pack(load(&dst[v])) == 0 {
					continue
				}
				var known T
				if k.known != nil && k.direct && k.c.r.placeOf(v) != nil {
					known = k.known[v]
				}
				if orInto(&dst[v], x, known) {
					n.join(t, v)
				}
			}
		default:
			for _, v := range row {
				if !k.serial {
					k.send(t, v, x)
				} else if dst[v] += x; !n.has(v) {
					n.join(t, v)
				}
			}
		}
	}
}

// pushPlus pushes x + w[j] along a row.
func (k *loop[T]) pushPlus(t int, row []uint32, w []T, x T) {
	dst := k.dst
	if k.l.Combine == program.Min {
		for j, v := range row {
			if y := plus(x, w[j], k.top); y < load(&dst[v]) && lower(&dst[v], y) {
				k.news.join(t, v)
			}
		}
		return
	}
	for j, v := range row {
		if y := plus(x, w[j], k.top); k.serial {
			k.combine(t, v, y)
		} else {
			k.send(t, v, y)
		}
	}
}

// claim writes x to the targets that join: unvisited ones with Once.
func (k *loop[T]) claim(t int, row []uint32, x T) {
	for _, v := range row {
		if k.visited != nil {
			word, bit := &k.visited[v/64], uint64(1)<<(v%64)
			if atomic.LoadUint64(word)&bit != 0 || atomic.OrUint64(word, bit)&bit != 0 {
				continue
			}
		}
		if k.news.join(t, v) {
			k.dst[v] = x
		}
	}
}

// pushUser calls a user's Push for the rows act[lo:hi], and combines the values, or puts them into buckets by
// target, so that one thread works on a target.
func (k *loop[T]) pushUser(t, lo, hi int) {
	c, m := k.c, &k.c.by[t]
	for j := lo; j < hi; j++ {
		i := c.r.act[j]
		from, to := k.adj.Row(i)
		row := k.adj.Neighbours[from:to]
		m.out = slices.Grow(m.out[:0], len(row))[:len(row)]
		var u T
		if k.l.From >= 0 {
			u = c.snap[j]
		}
		var w []T
		if k.w != nil {
			w = k.w[from:to]
		}
		k.user.Push(k.first+i, u, row, w, m.out)
		for e, v := range row {
			if k.serial {
				k.combine(t, v, m.out[e])
			} else {
				k.send(t, v, m.out[e])
			}
		}
	}
}

// send puts a value into the bucket of its target.
func (k *loop[T]) send(t int, v uint32, x T) {
	b := &k.c.by[t].buckets[v>>rowsShift]
	*b = append(*b, sent[T]{v, x})
}

// empty combines the values of bucket n.
func (k *loop[T]) empty(t, n int) {
	for from := range k.c.by {
		if m := &k.c.by[from]; n < len(m.buckets) {
			for _, e := range m.buckets[n] {
				k.combine(t, e.to, e.v)
			}
			m.buckets[n] = m.buckets[n][:0]
		}
	}
}

// combine adds a value to a target's, or combines it by a user's operator: into To of an own target, else
// into what others sent there.
func (k *loop[T]) combine(t int, v uint32, x T) {
	joined := k.news.has(v)
	joins := !joined
	switch {
	case k.user == nil:
		k.dst[v] += x
	case k.direct && (k.alone || k.c.r.placeOf(v) != nil):
		joins = k.user.Combine(&k.dst[v], x) && joins
	case joined:
		k.user.Combine(&k.dst[v], x)
	default:
		k.dst[v] = x
	}
	if joins {
		k.news.join(t, v)
	}
}
