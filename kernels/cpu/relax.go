package cpu

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

const (
	// relaxBins is how many bins a thread has.
	relaxBins = 1 << 10
	// relaxEntries is for how many entries of bins a vertex there must be memory, by the counts of Kronecker 20:
	// grids take fewer than 1.
	relaxEntries = 4
	// relaxGrain is how many vertices a thread takes at a time.
	relaxGrain = 64
	// relaxAlone is up to how many vertices one thread relaxes alone.
	relaxAlone = 128
	// relaxRuns is about how many runs of ranks a thread has.
	relaxRuns = 4
	// relaxPiece bounds the arcs of a call of a kernel, relaxShort those of a row without one.
	relaxPiece = 1 << 10
	relaxShort = 8
	// relaxSpins is how often an idle thread looks for work before it yields.
	relaxSpins = 1 << 8
)

// relaxer pushes with a bound where a part stores whole rows: delta-stepping without barriers inside
// a step. Vertices that wait lie in bins by value, and are the frontier between such steps.
//
// An entry of a bin is a vertex with its value when it fell. It is stale once the vertex has
// fallen again, and no two entries are equal.
type relaxer[T program.Value] struct {
	c     *values[T]
	by    []waiting[T]
	base  float64  // bin i has the values from base + i/scale on, the last one all beyond
	scale float64  // 0: all lie in bin 0
	first int      // bins before it are empty
	bound T        // of the last step
	leaf  []uint64 // ranks with one arc, which cannot lower its other end; nil if there are none

	// of a step
	ctx    context.Context
	l      *plan
	rows   []relaxRows[T]
	dst    []T
	top    T
	unit   T // of an arc without a weight
	alone  bool
	filter func(row []uint32, w, dst []T, x T, out []uint32) int
	serial bool         // one thread runs
	shift  int          // runs of 2^shift ranks belong to the threads in turn
	idle   atomic.Int64 // threads without work
	spare  atomic.Int64 // len(pool)
	halt   atomic.Bool
	mu     sync.Mutex
	pool   [][]sent[T] // offered to idle threads
}

// relaxRows is the rows of a segment, of an own range.
type relaxRows[T program.Value] struct {
	*segment
	w []T
}

// waiting is a thread's share of a relaxer.
type waiting[T program.Value] struct {
	bins  [][]sent[T]
	now   []sent[T]   // fell below the bound
	free  [][]sent[T] // empty
	live  []sent[T]
	ranks []uint32
	found []uint32
	lower []sent[T] // values that may lower their targets
	n     int64     // entries of its bins
	least T         // of these
	_     [64]byte
	start []sent[T] // of a step
	tasks [][]sent[T]
	ends  atomic.Uint64 // the first task not taken, and <<32 the end of these
	_     [64]byte
}

// waits is a frontier that lies in a relaxer.
type waits interface {
	// restore puts it into valueRun.front.
	restore()
	// admit adds own vertices that fell by messages, and returns the frontier's counts.
	admit(s *set) kernels.Counts
}

// index is the bin of a value: it does not fall where the value rises.
func (x *relaxer[T]) index(v T) int {
	f := (float64(v) - x.base) * x.scale
	if f < relaxBins-1 {
		return max(0, int(f))
	}
	return relaxBins - 1
}

// put puts an entry into a bin of a thread.
func (x *relaxer[T]) put(w *waiting[T], e sent[T]) {
	b := &w.bins[x.index(e.v)]
	if *b == nil {
		*b = w.empty()
	}
	*b = append(*b, e)
	w.n++
}

// drop takes the memory of a list.
func (w *waiting[T]) drop(list []sent[T]) {
	if cap(list) > 0 {
		w.free = append(w.free, list[:0])
	}
}

// reset empties all bins. Values from low on, in steps of width, have bins of their own.
func (x *relaxer[T]) reset(low T, width float64) {
	for t := range x.by {
		w := &x.by[t]
		w.now, w.lower, w.start = w.now[:0], w.lower[:0], w.start[:0]
		for i := range w.bins {
			w.drop(w.bins[i])
			w.bins[i] = nil
		}
		w.n, w.least = 0, program.Largest[T]()
	}
	x.base, x.scale, x.first = float64(low), 0, 0
	if width > 0 && !math.IsInf(width, 1) {
		x.scale = 1 / width
	}
}

// entries are those of all bins that are not stale.
func (x *relaxer[T]) entries() (list []sent[T]) {
	for t := range x.by {
		for i := x.first; i < relaxBins; i++ {
			for _, e := range x.by[t].bins[i] {
				if x.c.at[0][e.to] == e.v {
					list = append(list, e)
				}
			}
		}
	}
	return list
}

// restore implements waits.
func (x *relaxer[T]) restore() {
	r := x.c.r
	r.waits = nil
	for _, e := range x.entries() {
		o := r.placeOf(e.to)
		r.front.add(r, o.pos+e.to-o.first)
	}
}

// admit implements waits.
func (x *relaxer[T]) admit(s *set) kernels.Counts {
	r := x.c.r
	for i := range r.own {
		o := &r.own[i]
		o.each(s, func(i uint32) {
			e := sent[T]{o.first + i, x.c.at[0][o.first+i]}
			x.leave(e.to)
			x.first = min(x.first, x.index(e.v))
			x.by[0].least = min(x.by[0].least, e.v)
			x.put(&x.by[0], e)
		})
	}
	s.clear(r)
	c := kernels.Counts{Least: program.Pack(x.least())}
	for t := range x.by {
		c.Next += x.by[t].n
	}
	c.NextArcs = int64(float64(c.Next) * r.degree)
	return c
}

// leave notes a vertex whose value may not have come along one of its arcs.
func (x *relaxer[T]) leave(rank uint32) {
	if x.isLeaf(rank) {
		x.leaf = nil
	}
}

func (x *relaxer[T]) isLeaf(rank uint32) bool {
	return x.leaf != nil && x.leaf[rank/64]>>(rank%64)&1 != 0
}

// least is the smallest value in the bins.
func (x *relaxer[T]) least() T {
	low := x.top
	for t := range x.by {
		low = min(low, x.by[t].least)
	}
	return low
}

// step prepares a push with a bound.
func (x *relaxer[T]) step(ctx context.Context, l *plan, bound T) {
	c, r := x.c, x.c.r
	if x.by == nil {
		x.by = make([]waiting[T], r.p.threads)
		for t := range x.by {
			x.by[t].bins = make([][]sent[T], relaxBins)
		}
	}
	x.ctx, x.l, x.bound, x.dst, x.top = ctx, l, bound, c.at[0], program.Largest[T]()
	x.alone, x.filter, x.unit = r.words == len(r.reached[0].bits), relaxKernel[T](&r.p.set), 0
	if len(x.dst) > math.MaxInt32 { // the gathers' indices have 31 bits
		x.filter = nil
	}
	if l.Map == program.Plus {
		x.unit = 1
	}
	x.rows = x.rows[:0]
	for _, p := range l.passes[program.Push] {
		for k, g := range r.rows[p.rows] {
			s := relaxRows[T]{segment: g}
			if w := l.weights[p.rows]; w != nil && l.Map == program.Plus {
				s.w, _ = w[k].([]T)
			}
			x.rows = append(x.rows, s)
		}
	}
	x.shift = bits.Len32(r.part.Ranks / uint32(relaxRuns*len(x.by)))
	x.pool = x.pool[:0]
	x.idle.Store(0)
	x.spare.Store(0)
	x.halt.Store(false)
}

// enter takes the frontier from a set: vertices below the bound become tasks.
func (x *relaxer[T]) enter(s *set) {
	r := x.c.r
	low := x.top
	var list []sent[T]
	for i := range r.own {
		o := &r.own[i]
		o.each(s, func(i uint32) {
			e := sent[T]{o.first + i, x.dst[o.first+i]}
			low = min(low, e.v)
			list = append(list, e)
		})
	}
	s.clear(r)
	x.reset(low, float64(x.bound)-float64(low))
	x.serial = true
	if x.leaf = nil; !r.part.Directed && !x.l.negative {
		x.leaf = r.p.leafSet()
	}
	for _, e := range list {
		switch {
		case !(e.v < x.bound):
			x.leave(e.to)
			x.put(&x.by[0], e)
		case x.isLeaf(e.to):
			x.vertex(0, e, true)
			x.settle(0)
		default:
			x.begin(e)
		}
	}
	x.deal()
}

// begin adds an entry to those that a step begins with: of the thread that has its run of ranks, so that lines of
// values tend to stay in one core's cache.
func (x *relaxer[T]) begin(e sent[T]) {
	w := &x.by[int(e.to>>x.shift)%len(x.by)]
	w.start = append(w.start, e)
}

// deal makes tasks of what a step begins with.
func (x *relaxer[T]) deal() {
	for t := range x.by {
		x.by[t].deal(x.by[t].start)
	}
}

// deal makes tasks of a list.
func (w *waiting[T]) deal(list []sent[T]) {
	w.tasks = w.tasks[:0]
	for len(list) > 0 {
		n := min(relaxGrain, len(list))
		w.tasks = append(w.tasks, list[:n])
		list = list[n:]
	}
	w.ends.Store(uint64(len(w.tasks)) << 32)
}

// task takes a task, the last one for another thread; nil if there is none.
func (w *waiting[T]) task(own bool) []sent[T] {
	for {
		old := w.ends.Load()
		lo, hi := old&math.MaxUint32, old>>32
		if lo >= hi {
			return nil
		}
		n, ends := lo, old+1
		if !own {
			n, ends = hi-1, old-1<<32
		}
		if w.ends.CompareAndSwap(old, ends) {
			return w.tasks[n]
		}
	}
}

// open makes tasks of the bins' entries below the bound.
func (x *relaxer[T]) open() {
	if low := x.least(); x.scale == 0 || x.index(low) == relaxBins-1 {
		list := x.entries()
		x.reset(low, float64(x.bound)-float64(low))
		for _, e := range list {
			x.put(&x.by[0], e)
		}
	}
	last, below := x.index(x.bound), false
	for t := range x.by {
		w := &x.by[t]
		w.start = w.start[:0]
		for _, e := range w.bins[last] {
			if e.v < x.bound {
				below = true
				break
			}
		}
	}
	for t := range x.by {
		w := &x.by[t]
		for i := x.first; i <= last && (i < last || below); i++ {
			list := w.bins[i]
			w.n -= int64(len(list))
			w.bins[i] = nil
			for _, e := range list {
				if i < last || e.v < x.bound {
					x.begin(e)
				} else if x.dst[e.to] == e.v {
					x.put(w, e)
				}
			}
			w.drop(list)
		}
	}
	x.deal()
	x.first = last // it may have fallen with the bound
}

// relax pushes from the frontier's vertices below the bound, and from those that fall below it, until there are
// none.
func (c *values[T]) relax(ctx context.Context, l *plan, bound T) (string, error) {
	r, x := c.r, &c.relaxer
	x.c = c
	if r.waits != nil && r.waits != waits(x) {
		r.waits.restore()
	}
	x.step(ctx, l, bound)
	if r.waits == nil {
		x.enter(&r.front)
	} else {
		x.open()
	}
	r.waits = x
	name := "relax"
	x.serial = true
	if !x.small() {
		name = "relax/serial"
	} else {
		x.serial = len(x.by) == 1
		r.p.team.Run(x.work)
	}
	if name != "relax" {
		for t := range x.by {
			x.survey(t)
		}
	}
	if x.halt.Load() {
		return name, ctx.Err()
	}
	return name, nil
}

// small runs tasks on one thread while there are few vertices, and reports whether some are left.
func (x *relaxer[T]) small() bool {
	n := 0
	for t := range x.by {
		n += len(x.by[t].tasks)
	}
	if n*relaxGrain > relaxAlone {
		return true
	}
	w := &x.by[0]
	for t := range x.by {
		for _, task := range x.by[t].tasks {
			x.chunk(0, task)
		}
		x.by[t].tasks = x.by[t].tasks[:0]
		x.by[t].ends.Store(0)
	}
	for len(w.now) > 0 {
		list := w.take()
		if len(list) > relaxAlone {
			w.deal(list)
			return true
		}
		x.chunk(0, list)
		w.drop(list)
	}
	return false
}

// take empties now.
func (w *waiting[T]) take() []sent[T] {
	list := w.now
	w.now = w.empty()
	return list
}

// empty is an empty list.
func (w *waiting[T]) empty() (list []sent[T]) {
	n := len(w.free)
	if n == 0 {
		return make([]sent[T], 0, 4*relaxGrain)
	}
	list, w.free = w.free[n-1], w.free[:n-1]
	return list
}

// work is one thread of a step.
func (x *relaxer[T]) work(t int) {
	threads, w := int64(len(x.by)), &x.by[t]
	ended := false
	defer func() {
		if !ended {
			x.idle.Add(threads) // lets the others end
		}
	}()
	for k := range x.by {
		for from := &x.by[(t+k)%len(x.by)]; ; {
			task := from.task(k == 0)
			if task == nil {
				break
			}
			x.chunk(t, task)
		}
	}
	x.fused(t)
	x.idle.Add(1)
	for spins := 1; ; spins++ {
		if x.spare.Load() > 0 || x.idle.Load() >= threads {
			list, done := x.steal()
			if done {
				break
			}
			if list != nil {
				x.chunk(t, list)
				w.drop(list)
				x.fused(t)
				x.idle.Add(1)
			}
		}
		if spins%relaxSpins == 0 {
			runtime.Gosched()
		}
	}
	ended = true
	x.survey(t)
}

// fused relaxes what fell below the bound on a thread, and offers half of it while other threads are idle.
func (x *relaxer[T]) fused(t int) {
	w := &x.by[t]
	for len(w.now) > 0 {
		list := w.take()
		for rest := list; len(rest) > 0; {
			if len(rest) > relaxGrain && x.idle.Load() > x.spare.Load() {
				half := len(rest) / 2
				x.offer(append(w.empty(), rest[half:]...))
				rest = rest[:half]
			}
			n := min(relaxGrain, len(rest))
			x.chunk(t, rest[:n])
			rest = rest[n:]
		}
		w.drop(list)
	}
}

func (x *relaxer[T]) offer(list []sent[T]) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.pool = append(x.pool, list)
	x.spare.Add(1)
}

// steal takes an offered list for an idle thread, which is idle no more. done says that there is none and that all
// threads are idle.
func (x *relaxer[T]) steal() (list []sent[T], done bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	n := len(x.pool)
	if n == 0 {
		return nil, x.idle.Load() >= int64(len(x.by))
	}
	list, x.pool = x.pool[n-1], x.pool[:n-1]
	x.idle.Add(-1)
	x.spare.Add(-1)
	return list, false
}

// survey finds the least value in a thread's bins, and empties those that are wholly stale.
func (x *relaxer[T]) survey(t int) {
	w := &x.by[t]
	w.least = x.top
	for i := x.first; i < relaxBins; i++ {
		for _, e := range w.bins[i] {
			if e.v < w.least && x.dst[e.to] == e.v {
				w.least = e.v
			}
		}
		if w.least < x.top {
			return
		}
		w.n -= int64(len(w.bins[i]))
		w.drop(w.bins[i])
		w.bins[i] = nil
	}
}

// chunk relaxes the entries of a list that are not stale.
func (x *relaxer[T]) chunk(t int, list []sent[T]) {
	if x.halt.Load() || x.ctx.Err() != nil {
		x.halt.Store(true)
		return
	}
	w, g := &x.by[t], &x.rows[0]
	for len(list) > 0 {
		n := min(relaxGrain, len(list))
		w.live, w.ranks = w.live[:0], w.ranks[:0]
		for _, e := range list[:n] {
			if load(&x.dst[e.to]) == e.v {
				w.live = append(w.live, e)
				w.ranks = append(w.ranks, e.to-g.first)
			}
		}
		if list = list[n:]; len(x.rows) == 1 && g.adj.Offsets32 != nil {
			x.c.r.p.set.prefetchRows(w.ranks, g.adj.Offsets32, g.adj.Neighbours, words(g.w))
		}
		for _, e := range w.live {
			if load(&x.dst[e.to]) == e.v {
				x.vertex(t, e, false)
			}
		}
		x.settle(t)
	}
}

// vertex finds the arcs of a vertex that lower their targets. outside says that its value may not have come along
// one of them.
func (x *relaxer[T]) vertex(t int, e sent[T], outside bool) {
	w := &x.by[t]
	for k := range x.rows {
		g := &x.rows[k]
		i := e.to - g.first
		if i >= g.rows {
			continue
		}
		lo, hi := g.adj.Row(i)
		if hi-lo == 1 && x.leaf != nil && !outside {
			continue
		}
		x.c.r.threads[t].examined += int64(hi - lo)
		row := g.adj.Neighbours[lo:hi]
		var weights []T
		if g.w != nil {
			weights = g.w[lo:hi]
		}
		for len(row) > 0 {
			n := min(relaxPiece, len(row))
			have := len(w.lower)
			if have > relaxPiece {
				x.settle(t)
				have = 0
			}
			w.lower = slices.Grow(w.lower, n)[:have+n]
			out := w.lower[have:]
			switch {
			case weights == nil:
				n = x.test(row[:n], nil, e.v, out)
			case n < relaxShort || x.filter == nil:
				n = x.test(row[:n], weights[:n], e.v, out)
			default:
				w.found = slices.Grow(w.found[:0], n+restSlack)[:n+restSlack]
				n = x.filter(row[:n], weights[:n], x.dst, e.v, w.found)
				for k, j := range w.found[:n] {
					out[k] = sent[T]{row[j], plus(e.v, weights[j], x.top)}
				}
			}
			w.lower = w.lower[:have+n]
			n = min(relaxPiece, len(row))
			if row = row[n:]; weights != nil {
				weights = weights[n:]
			}
		}
	}
}

// test writes the targets of a row that fall to out, with their values. It has no branch on the outcome.
func (x *relaxer[T]) test(row []uint32, w []T, v T, out []sent[T]) (n int) {
	if w == nil {
		y := plus(v, x.unit, x.top)
		for _, u := range row {
			out[n] = sent[T]{u, y}
			if y < load(&x.dst[u]) {
				n++
			}
		}
		return n
	}
	w, out = w[:len(row)], out[:len(row)]
	for j, u := range row {
		y := plus(v, w[j], x.top)
		out[n] = sent[T]{u, y}
		if y < load(&x.dst[u]) {
			n++
		}
	}
	return n
}

// settle lowers the targets that were found, and adds those that fall to the bins, to the vertices to relax, or to
// what is sent. Locked instructions, which no load overtakes, are in a loop of their own.
func (x *relaxer[T]) settle(t int) {
	r, w := x.c.r, &x.by[t]
	n := 0
	for _, e := range w.lower {
		w.lower[n] = e
		if x.serial {
			if to := &x.dst[e.to]; e.v < *to {
				*to = e.v
				n++
			}
		} else if lower(&x.dst[e.to], e.v) {
			n++
		}
	}
	for _, e := range w.lower[:n] {
		if !x.alone && r.placeOf(e.to) == nil {
			r.reached[0].join(t, e.to)
			continue
		}
		switch {
		case !(e.v < x.bound):
			x.put(w, e)
		case !x.isLeaf(e.to):
			w.now = append(w.now, e)
		}
	}
	w.lower = w.lower[:0]
}

// words is the memory of weights.
func words[T program.Value](w []T) []uint32 {
	if len(w) == 0 {
		return nil
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(&w[0])), len(w)*int(unsafe.Sizeof(w[0])/4))
}

// leafSet is the set of ranks with one out-arc, nil if there are none.
func (p *Processor) leafSet() []uint64 {
	p.leafOnce.Do(func() {
		leaf, some := make([]uint64, p.words), atomic.Bool{}
		for _, o := range p.own {
			a := cmp.Or(o.sub.Out, o.sub.In)
			if a == nil {
				continue
			}
			p.spread(int(o.sub.Rows+63)/64, 1<<8, func(lo, hi int) {
				for k := lo; k < hi; k++ {
					w := uint64(0)
					for i := uint32(64 * k); i < min(o.sub.Rows, uint32(64*k+64)); i++ {
						if a.Degree(i) == 1 {
							w |= 1 << (i % 64)
						}
					}
					if leaf[int(o.sub.First/64)+k] = w; w != 0 {
						some.Store(true)
					}
				}
			})
		}
		if some.Load() {
			p.leaf = leaf
		}
	})
	return p.leaf
}

// filterGeneric lists in out the arcs of a row that lower the value of their target to x and their weight. Where
// that sum has no value of T, it may list an arc that does not. out has restSlack entries more than the row.
func filterGeneric[T program.Value](row []uint32, w, dst []T, x T, out []uint32) (n int) {
	w = w[:len(row)]
	for j, v := range row {
		out[n] = uint32(j)
		if x+w[j] < load(&dst[v]) {
			n++
		}
	}
	return n
}

// These are the plain Go twins of the kernels. No set has them: relaxer.test is quicker.

func relaxI32Generic(row []uint32, w, dst []int32, x int32, out []uint32) int {
	return filterGeneric(row, w, dst, x, out)
}

func relaxF32Generic(row []uint32, w, dst []float32, x float32, out []uint32) int {
	return filterGeneric(row, w, dst, x, out)
}

func relaxI64Generic(row []uint32, w, dst []int64, x int64, out []uint32) int {
	return filterGeneric(row, w, dst, x, out)
}

func relaxF64Generic(row []uint32, w, dst []float64, x float64, out []uint32) int {
	return filterGeneric(row, w, dst, x, out)
}

// relaxKernel is the kernel of a type, nil if plain Go has a quicker loop.
func relaxKernel[T program.Value](s *kernelSet) func(row []uint32, w, dst []T, x T, out []uint32) int {
	var f any
	switch program.TypeOf[T]() {
	case program.I32:
		f = s.relaxI32
	case program.F32:
		f = s.relaxF32
	case program.I64:
		f = s.relaxI64
	case program.F64:
		f = s.relaxF64
	}
	k, _ := f.(func(row []uint32, w, dst []T, x T, out []uint32) int)
	return k
}
