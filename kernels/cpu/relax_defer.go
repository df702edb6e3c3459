package cpu

import (
	"cmp"
	"math"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/program"
)

// defers reports whether arcs can be deferred in a push that begins with n vertices: all values must come from these, as
// unsettled vertices pull from any neighbour.
func (x *relaxer[T]) defers(n int) bool {
	r, pull := x.c.r, x.l.passes[program.Pull]
	if !x.alone || x.l.negative || r.degree < relaxDense || x.scale == 0 || len(r.own) != 1 ||
		len(x.rows) != 1 || x.rows[0].arcs == nil || len(r.rows[pull[0].rows]) != 1 {
		return false
	}
	var reached atomic.Int64
	g := r.rows[pull[0].rows][0]
	r.spread(int(g.rows), 1<<14, func(lo, hi int) {
		n := 0
		for _, v := range x.dst[int(g.first)+lo : int(g.first)+hi] {
			if v != x.top {
				n++
			}
		}
		reached.Add(int64(n))
	})
	x.back = relaxRows[T]{g, sortedArcs[T](x.l, pull[0].rows, 0, r)}
	return reached.Load() == int64(n)
}

// beyond is the horizon after a value.
func (x *relaxer[T]) beyond(v T) T {
	if f := float64(v) + x.reach; f < float64(x.top) && T(f) > v {
		return T(f)
	}
	return x.top
}

// look defers less: it advances the horizon, or ends deferring by pulls, reports so, and leaves tasks for a step without a
// bound.
func (x *relaxer[T]) look() (ends bool) {
	soon, low, left := x.top, x.top, x.rows[0].adj.Arcs()
	for t := range x.by {
		w := &x.by[t]
		soon, low, left = min(soon, w.soon), min(low, w.low), left-w.arcs
	}
	if soon == x.top || left*relaxPull > x.rows[0].adj.Arcs() {
		x.push(x.beyond(max(soon, x.horizon)))
		return false
	}
	// From vertices that have deferred arcs, then from those that are not settled either.
	settled, rows := x.horizon, int(x.back.rows)
	x.c.r.team.For(rows, relaxGrain*relaxGrain, func(t, lo, hi int) { x.pull(t, low, settled, uint32(lo), uint32(hi)) })
	x.c.r.team.For(rows, relaxGrain*relaxGrain, func(t, lo, hi int) { x.pull(t, settled, settled, uint32(lo), uint32(hi)) })
	x.horizon, x.bound = x.top, x.top
	for t := range x.by {
		w := &x.by[t]
		w.start, w.now = append(w.start[:0], w.now...), w.now[:0]
		w.clear()
		w.deferNone()
	}
	x.deal()
	return true
}

// push advances the horizon and pushes along the arcs that are not deferred any more.
func (x *relaxer[T]) push(horizon T) {
	x.horizon = horizon
	n := 0
	for t := range x.by {
		n += len(x.by[t].later)
	}
	if n == 0 {
		return
	}
	if x.serial = n <= relaxAlone || len(x.by) == 1; x.serial {
		for t := range x.by {
			x.continued(t)
			x.survey(t)
		}
		return
	}
	x.c.r.team.Run(func(t int) { x.continued(t); x.survey(t) })
}

// continued pushes along what a thread deferred, up to the horizon.
func (x *relaxer[T]) continued(t int) {
	w := &x.by[t]
	list := w.later
	w.later, w.rests, w.soon, w.low = w.rests[:0], list, x.top, x.top
	for part := range slices.Chunk(list, relaxGrain) {
		for _, e := range part {
			switch {
			case load(&x.dst[e.to]) != e.v:
			case e.next < x.horizon:
				x.fetch(w, sent[T]{e.to, e.v}, e.at, true)
			default:
				w.later = append(w.later, e)
				w.soon, w.low = min(w.soon, e.next), min(w.low, e.v)
			}
		}
		x.fetched(t)
	}
}

// pull lowers the unsettled ones of some vertices by their neighbours with values from low on. If the settled have none,
// those that fell are listed.
func (x *relaxer[T]) pull(t int, low, settled T, lo, hi uint32) {
	if x.halt.Load() || x.ctx.Err() != nil {
		x.halt.Store(true)
		return
	}
	w, g, n := &x.by[t], &x.back, 0
	for i := lo; i < hi; i++ {
		to := &x.dst[g.first+i]
		v := *to
		if v < settled {
			continue
		}
		from, end := g.adj.Row(i)
		best := v
		for _, a := range g.arcs[from:end] {
			if plus(low, a.v, x.top) >= best {
				break
			}
			best = min(best, plus(load(&x.dst[a.to]), a.v, x.top))
			n++
		}
		if best < v {
			lower(to, best)
			if low == settled && !x.isLeaf(g.first+i) {
				w.now = append(w.now, sent[T]{g.first + i, best})
			}
		}
	}
	x.c.r.memory[t].examined += int64(n)
}

// sortedArcs returns the arcs of segment k of some rows, sorted by weight within a row; nil where all weigh the same.
func sortedArcs[T program.Value](l *plan, rows, k int, r *valueRun) []sent[T] {
	if l.Map != program.Plus || l.weights[rows] == nil {
		return nil
	}
	weights, _ := l.weights[rows][k].([]T)
	if weights == nil {
		return nil
	}
	a, cache := r.rows[rows][k].adj, &r.p.weights
	key := weightKey{a, program.TypeOf[T]()}
	cache.mu.Lock()
	defer cache.mu.Unlock()
	cached := cache.of[key]
	if s, is := cached.sorted.([]sent[T]); is {
		return s
	}
	b := hugemem.Make[uint64](len(weights) * int(unsafe.Sizeof(sent[T]{})) / 8)
	all := unsafe.Slice((*sent[T])(unsafe.Pointer(unsafe.SliceData(b.S))), len(weights))
	r.team.For(int(r.rows[rows][k].rows), relaxGrain, func(_, lo, hi int) {
		for i := lo; i < hi && r.ctx.Err() == nil; i++ {
			from, to := a.Row(uint32(i))
			sortRow(all[from:to], a.Neighbours[from:to], weights[from:to])
		}
	})
	if r.ctx.Err() != nil { // the step ends before it reads them
		b.Free()
		return nil
	}
	r.p.memory.Defer(b.Free)
	cached.sorted = all
	return all
}

// idleOf takes the memory of a closed run.
func idleOf[T program.Value](c *weightCache) []waiting[T] {
	c.mu.Lock()
	defer c.mu.Unlock()
	by, _ := c.idle.([]waiting[T])
	c.idle = nil
	return by
}

// keepIdle keeps the memory of a run that closes.
func keepIdle[T program.Value](c *weightCache, by []waiting[T]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle = by
}

// sortedBytes is the memory of sorted rows for an operator's pushes with a bound.
func (r *valueRun) sortedBytes(l *plan) (n int64) {
	for k := range r.rows {
		if k != l.passes[program.Push][0].rows && !r.part.Directed {
			continue
		}
		for _, g := range r.rows[k] {
			if g.adj.Weights.Kind() != graph.Unweighted {
				n += 2 * int64(r.prog.Arrays[l.To].Type.Size()) * g.adj.Arcs()
			}
		}
	}
	return n
}

// sortRow writes the arcs of a row by weight: into classes of equal width, which it sorts.
func sortRow[T program.Value](out []sent[T], row []uint32, weights []T) {
	const classes, short = 256, 12
	byWeight := func(a, b sent[T]) int { return cmp.Compare(a.v, b.v) }
	low, scale := 0.0, 0.0
	if len(row) > short {
		low = float64(slices.Min(weights))
		scale = (classes - 1) / (float64(slices.Max(weights)) - low)
	}
	if !(scale > 0 && scale <= math.MaxFloat64) { // few, all equal, or too far apart
		for j, v := range row {
			out[j] = sent[T]{v, weights[j]}
		}
		slices.SortFunc(out, byWeight)
		return
	}
	var ends [classes + 1]uint32
	for _, w := range weights {
		ends[int((float64(w)-low)*scale)+1]++
	}
	for c := range classes {
		ends[c+1] += ends[c]
	}
	for j, w := range weights {
		at := &ends[int((float64(w)-low)*scale)]
		out[*at] = sent[T]{row[j], w}
		*at++
	}
	from := uint32(0)
	for _, to := range ends[:classes] {
		if to > from+1 {
			slices.SortFunc(out[from:to], byWeight)
		}
		from = to
	}
}
