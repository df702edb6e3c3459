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
	// roundArcs bounds the values that wait in buckets.
	roundArcs = 1 << 22
)

// batch is the sources of one segment: act[lo:hi] are their rows.
type batch struct {
	pass   pass
	g      *segment
	k      int // the segment's number
	lo, hi int
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

// swap writes x where *p is still old.
func swap[T program.Value](p *T, old, x T) bool {
	if unsafe.Sizeof(x) == 4 {
		return atomic.CompareAndSwapUint32((*uint32)(unsafe.Pointer(p)), *(*uint32)(unsafe.Pointer(&old)), *(*uint32)(unsafe.Pointer(&x)))
	}
	return atomic.CompareAndSwapUint64((*uint64)(unsafe.Pointer(p)), *(*uint64)(unsafe.Pointer(&old)), *(*uint64)(unsafe.Pointer(&x)))
}

// lower makes *p at most x and reports whether it fell.
func lower[T program.Value](p *T, x T) bool {
	for {
		old := load(p)
		if !(x < old) {
			return false
		}
		if swap(p, old, x) {
			return true
		}
	}
}

// pattern is the bits of a value.
func pattern[T program.Value](v T) uint64 {
	if unsafe.Sizeof(v) == 4 {
		return uint64(*(*uint32)(unsafe.Pointer(&v)))
	}
	return *(*uint64)(unsafe.Pointer(&v))
}

// orInto sets the bits of x without those of known in *p, and reports whether any is new.
func orInto[T program.Value](p *T, x, known T) bool {
	b := pattern(x) &^ pattern(known)
	if b&^pattern(load(p)) == 0 {
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

// sources sets act and batches to the sources of a push, and snap to their values.
func (r *valueRun) sources(l *plan, s program.Step) (arcs int64) {
	r.act, r.batches = r.act[:0], r.batches[:0]
	set := r.setOf(s.From)
	for _, p := range l.passes[program.Push] {
		for k := range r.rows[p.rows] {
			g := &r.rows[p.rows][k]
			b := batch{pass: p, g: g, k: k, lo: len(r.act)}
			switch {
			case g.place >= 0:
				o := &r.own[g.place]
				r.act = o.membersOf(set, r.act)
				if s.Below != 0 {
					keep := r.act[:b.lo]
					for _, i := range r.act[b.lo:] {
						if r.columns[l.From].below(o, i, s.Below) {
							keep = append(keep, i)
						}
					}
					r.act = keep
				}
			case s.From == program.All:
				for i := range g.rows {
					r.act = append(r.act, i)
				}
			default:
				r.act = appendBits(r.act, r.active[p.src][g.at/64:(g.at+g.rows+63)/64], 0)
			}
			if b.hi = len(r.act); b.hi > b.lo {
				for _, i := range r.act[b.lo:] {
					arcs += int64(g.adj.Degree(i))
				}
				r.batches = append(r.batches, b)
			}
		}
	}
	return arcs
}

// wait keeps the frontier vertices that are not below the bound for the next superstep.
func (r *valueRun) wait(l *plan, s program.Step) {
	for k := range r.own {
		o := &r.own[k]
		for _, i := range o.membersOf(&r.front, nil) {
			if !r.columns[l.From].below(o, i, s.Below) {
				r.next.add(r, o.pos+i)
			}
		}
	}
}

// push implements column.
func (c *values[T]) push(l *plan, s program.Step) (string, error) {
	r := c.r
	keeps := l.Rows == nil && l.Combine != program.Claim
	if keeps {
		c.prepare(l, s)
	}
	if s.Below != 0 {
		r.wait(l, s)
		if !r.split {
			return "rounds", c.rounds(l, s)
		}
	}
	arcs := r.sources(l, s)
	r.found[0].examined += arcs
	var snap []T
	if l.reads {
		from := r.columns[l.From].(*values[T])
		from.mirror()
		snap = slices.Grow(c.snap[:0], len(r.act))[:len(r.act)]
		c.snap = snap
		for _, b := range r.batches {
			at := from.at[b.pass.src][b.g.at:]
			r.p.spread(b.hi-b.lo, 1<<12, func(lo, hi int) {
				for j := b.lo + lo; j < b.lo+hi; j++ {
					snap[j] = at[r.act[j]]
				}
			})
		}
	}
	if l.Rows != nil {
		return c.pushUser(l, s, arcs, snap)
	}
	name := "atomic"
	for _, b := range r.batches {
		k := c.pushOf(l, s, b, snap)
		grain := pushGrain
		if arcs < serialArcs {
			grain, name = b.hi-b.lo, "serial"
		}
		if err := r.each(b.hi-b.lo, grain, func(t, lo, hi int) { k.rows(&r.found[t], b.lo+lo, b.lo+hi) }); err != nil {
			return "", err
		}
	}
	return name, nil
}

// pusher is a push of one batch.
type pusher[T program.Value] struct {
	r       *valueRun
	l       *plan
	b       batch
	snap    []T
	w       []T
	dst     []T
	side    int
	known   []T // with Known where targets are own
	visited []uint64
	top     T
}

func (c *values[T]) pushOf(l *plan, s program.Step, b batch, snap []T) *pusher[T] {
	k := &pusher[T]{r: c.r, l: l, b: b, snap: snap, dst: c.dest(l, s, b.pass.dst), side: b.pass.dst, top: program.Largest[T]()}
	if w := l.weights[b.pass.rows]; w != nil {
		k.w, _ = w[b.k].([]T)
	}
	if l.Once {
		k.visited = c.r.visited[k.side]
	}
	if l.Known > 0 && l.direct(c.r, s) {
		k.known = c.r.columns[l.Known-1].(*values[T]).at[0]
	}
	return k
}

// rows pushes along the rows act[lo:hi].
func (k *pusher[T]) rows(f *found, lo, hi int) {
	adj := k.b.g.adj
	for j := lo; j < hi; j++ {
		i := k.r.act[j]
		from, to := adj.Row(i)
		row := adj.Neighbours[from:to]
		var x T
		switch {
		case k.l.Map == program.Source:
			k.claim(f, row, T(k.b.g.first+i))
			continue
		case k.l.Map == program.Copy:
			x = k.snap[j]
		case k.l.Map == program.One:
			x = 1
		case k.w == nil:
			x = plus(k.snap[j], 1, k.top)
		case k.l.Combine == program.Min:
			k.lowerPlus(f, row, k.w[from:to], k.snap[j])
			continue
		default:
			k.addPlus(f, row, k.w[from:to], k.snap[j])
			continue
		}
		switch k.l.Combine {
		case program.Min:
			for _, v := range row {
				if x < load(&k.dst[v]) && lower(&k.dst[v], x) {
					k.r.join(f, k.side, v)
				}
			}
		case program.Or:
			k.or(f, row, x)
		default:
			for _, v := range row {
				add(&k.dst[v], x)
				k.r.join(f, k.side, v)
			}
		}
	}
}

func (k *pusher[T]) claim(f *found, row []uint32, x T) {
	if k.visited == nil {
		for _, v := range row {
			if k.r.join(f, k.side, v) {
				k.dst[v] = x
			}
		}
		return
	}
	for _, v := range row {
		word, bit := &k.visited[v/64], uint64(1)<<(v%64)
		if atomic.LoadUint64(word)&bit == 0 && atomic.OrUint64(word, bit)&bit == 0 {
			k.dst[v] = x
			k.r.join(f, k.side, v)
		}
	}
}

func (k *pusher[T]) lowerPlus(f *found, row []uint32, w []T, u T) {
	for j, v := range row {
		if x := plus(u, w[j], k.top); x < load(&k.dst[v]) && lower(&k.dst[v], x) {
			k.r.join(f, k.side, v)
		}
	}
}

func (k *pusher[T]) addPlus(f *found, row []uint32, w []T, u T) {
	for j, v := range row {
		add(&k.dst[v], plus(u, w[j], k.top))
		k.r.join(f, k.side, v)
	}
}

func (k *pusher[T]) or(f *found, row []uint32, x T) {
	for _, v := range row {
		if pattern(x)&^pattern(load(&k.dst[v])) == 0 {
			continue
		}
		var known T
		if k.known != nil && k.r.placeOf(v) != nil {
			known = k.known[v]
		}
		if orInto(&k.dst[v], x, known) {
			k.r.join(f, k.side, v)
		}
	}
}

// add adds to an integer.
func add[T program.Value](p *T, x T) {
	if unsafe.Sizeof(x) == 4 {
		atomic.AddUint32((*uint32)(unsafe.Pointer(p)), uint32(pattern(x)))
	} else {
		atomic.AddUint64((*uint64)(unsafe.Pointer(p)), pattern(x))
	}
}

// rounds relaxes the arcs of frontier vertices below the bound, and of own vertices that fall
// below it, until there are none.
func (c *values[T]) rounds(l *plan, s program.Step) error {
	r := c.r
	bound, top := program.Unpack[T](s.Below), program.Largest[T]()
	at, queued := c.at[0], r.queued
	list := r.act[:0] // ranks
	for i := range r.own {
		o := &r.own[i]
		for _, v := range o.membersOf(&r.front, nil) {
			if at[o.first+v] < bound {
				list = append(list, o.first+v)
				queued[(o.pos+v)/64] |= 1 << ((o.pos + v) % 64)
			}
		}
	}
	for len(list) > 0 {
		err := r.each(len(list), pushGrain, func(t, lo, hi int) {
			f := &r.found[t]
			for _, u := range list[lo:hi] {
				o := r.placeOf(u)
				pos := o.pos + u - o.first
				atomic.AndUint64(&queued[pos/64], ^(uint64(1) << (pos % 64)))
				x := load(&at[u])
				for _, p := range l.passes[program.Push] {
					c.relax(f, l, p, o, u, x, top, bound)
				}
			}
		})
		if err != nil {
			return err
		}
		list = list[:0]
		for t := range r.found {
			list = append(list, r.found[t].near...)
			r.found[t].near = r.found[t].near[:0]
		}
	}
	r.act = list
	// Below the bound all took part at their last value.
	for i := range r.own {
		o := &r.own[i]
		if r.listed(0) {
			for t := range r.found {
				r.found[t].lists[0] = slices.DeleteFunc(r.found[t].lists[0], func(v uint32) bool {
					done := v-o.first < o.size && at[v] < bound
					if done {
						r.reached[0][v/64] &^= 1 << (v % 64)
					}
					return done
				})
			}
			continue
		}
		r.p.spread(int(o.size/64), parallelWords/8, func(lo, hi int) {
			words := r.reached[0][int(o.first/64)+lo : int(o.first/64)+hi]
			eachBit(slices.Clone(words), 0, func(k uint32) {
				if at[o.first+uint32(64*lo)+k] < bound {
					words[k/64] &^= 1 << (k % 64)
				}
			})
		})
	}
	// Waiting vertices that fell below it, too.
	if r.next.n > 0 {
		waiting := r.next.clone(r)
		r.next.clear(r)
		waiting.each(func(pos uint32) {
			for i := range r.own {
				if o := &r.own[i]; pos-o.pos < o.size && !(at[o.first+pos-o.pos] < bound) {
					r.next.add(r, pos)
				}
			}
		})
	}
	return nil
}

// relax pushes x from own vertex u along its row of a pass.
func (c *values[T]) relax(f *found, l *plan, p pass, o *place, u uint32, x, top, bound T) {
	r := c.r
	for k := range r.rows[p.rows] {
		g := &r.rows[p.rows][k]
		if g.index != o.index {
			continue
		}
		from, to := g.adj.Row(u - g.first)
		row := g.adj.Neighbours[from:to]
		f.examined += int64(len(row))
		var w []T
		if l.weights[p.rows] != nil {
			w, _ = l.weights[p.rows][k].([]T)
		}
		switch {
		case l.Map == program.One:
			x = 1
		case l.Map == program.Plus && w == nil:
			x = plus(x, 1, top)
		case l.Map == program.Plus:
			w = w[from:to]
			for j, v := range row {
				if y := plus(x, w[j], top); y < load(&c.at[0][v]) && lower(&c.at[0][v], y) {
					c.fell(f, v, y, bound)
				}
			}
			continue
		}
		for _, v := range row {
			if x < load(&c.at[0][v]) && lower(&c.at[0][v], x) {
				c.fell(f, v, x, bound)
			}
		}
	}
}

// fell queues a target that fell below the bound; others join.
func (c *values[T]) fell(f *found, v uint32, x, bound T) {
	r := c.r
	if x < bound {
		if o := r.placeOf(v); o != nil {
			pos := o.pos + v - o.first
			if bit := uint64(1) << (pos % 64); atomic.OrUint64(&r.queued[pos/64], bit)&bit == 0 {
				f.near = append(f.near, v)
			}
			return
		}
	}
	r.join(f, 0, v)
}

// pushUser runs a user's operator: on one thread at once, else through buckets by target, so
// that one thread works on a target.
func (c *values[T]) pushUser(l *plan, s program.Step, arcs int64, snap []T) (string, error) {
	r := c.r
	op := l.Rows.(program.Rows[T])
	direct := l.direct(r, s)
	serial := r.p.threads == 1 || arcs < serialArcs
	for _, b := range r.batches {
		dst, side := c.dest(l, s, b.pass.dst), b.pass.dst
		shift := 12
		for int(r.spaces[side].Size)>>shift > 1<<9 {
			shift++
		}
		var weights []T
		if w := l.weights[b.pass.rows]; w != nil {
			weights, _ = w[b.k].([]T)
		}
		combine := func(f *found, v uint32, x T) {
			switch {
			case direct && r.placeOf(v) != nil:
				if op.Combine(&dst[v], x) {
					r.join(f, side, v)
				}
			case r.reached[side][v/64]>>(v%64)&1 != 0:
				op.Combine(&dst[v], x)
			default:
				dst[v] = x
				r.join(f, side, v)
			}
		}
		emit := func(t, lo, hi int) {
			f, m := &r.found[t], &c.by[t]
			if len(m.buckets) <= int(r.spaces[side].Size)>>shift {
				m.buckets = append(m.buckets, make([][]sent[T], int(r.spaces[side].Size)>>shift+1-len(m.buckets))...)
			}
			for j := lo; j < hi; j++ {
				i := r.act[j]
				from, to := b.g.adj.Row(i)
				row := b.g.adj.Neighbours[from:to]
				m.out = slices.Grow(m.out[:0], len(row))[:len(row)]
				var u T
				if l.reads {
					u = snap[j]
				}
				var w []T
				if weights != nil {
					w = weights[from:to]
				}
				op.Push(b.g.first+i, u, row, w, m.out)
				for e, v := range row {
					if serial {
						combine(f, v, m.out[e])
					} else {
						m.buckets[v>>shift] = append(m.buckets[v>>shift], sent[T]{v, m.out[e]})
					}
				}
			}
		}
		for lo := b.lo; lo < b.hi; {
			hi, n := lo, int64(0)
			for ; hi < b.hi && n < roundArcs; hi++ {
				n += int64(b.g.adj.Degree(r.act[hi]))
			}
			grain := pushGrain
			if serial {
				grain = hi - lo
			}
			from := lo
			if err := r.each(hi-lo, grain, func(t, lo, hi int) { emit(t, from+lo, from+hi) }); err != nil {
				return "", err
			}
			if lo = hi; serial {
				continue
			}
			err := r.each(int(r.spaces[side].Size)>>shift+1, 1, func(t, k, _ int) {
				for from := range c.by {
					if k < len(c.by[from].buckets) {
						for _, e := range c.by[from].buckets[k] {
							combine(&r.found[t], e.to, e.v)
						}
						c.by[from].buckets[k] = c.by[from].buckets[k][:0]
					}
				}
			})
			if err != nil {
				return "", err
			}
		}
	}
	if serial {
		return "rows/serial", nil
	}
	return "rows/buckets", nil
}
