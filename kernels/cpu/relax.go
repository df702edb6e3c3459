package cpu

import (
	"cmp"
	"context"
	"math"
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
	// relaxPiece bounds the arcs of a row that are looked at together.
	relaxPiece = 1 << 10
	// relaxSpins is how often an idle thread looks for work before it yields.
	relaxSpins = 1 << 8
	// relaxDense is from how many arcs a vertex on arcs are deferred.
	relaxDense = 8
	// relaxReach is by how many bins the horizon advances.
	relaxReach = 4
	// relaxPull is the part of all arcs, those of unsettled vertices, at which these pull.
	relaxPull = 8
)

// relaxer pushes with a bound where a part stores whole rows: delta-stepping without barriers inside
// a step. Vertices that wait lie in bins by value, and are the frontier between such steps.
//
// An entry of a bin is a vertex with its value when it fell. It is stale once the vertex has
// fallen again, and no two entries are equal.
//
// Rows are sorted by weight. Arcs that lead to a value at the horizon or beyond are deferred: the rest of a row waits in
// waiting.later. When no vertex waits below the horizon, those below it are settled, and either the horizon advances and
// rests are pushed, or, once few arcs are left, the unsettled vertices pull and no arc is deferred any more.
type relaxer[T program.Value] struct {
	c     *values[T]
	by    []waiting[T]
	base  float64  // bin i has the values from base + i/scale on, the last one all beyond
	scale float64  // 0: all lie in bin 0
	first int      // bins before it are empty
	bound T        // of the last step
	leaf  []uint64 // ranks with one arc, which cannot lower its other end; nil if there are none

	horizon T            // top: no arc is deferred
	reach   float64      // by which it advances
	back    relaxRows[T] // rows of a pull

	// of a step
	ctx    context.Context
	l      *plan
	rows   []relaxRows[T]
	dst    []T
	top    T
	unit   T // of an arc without a weight
	alone  bool
	serial bool         // one thread runs
	owner  []uint16     // by run of ranks: the thread that begins with its vertices
	runs   uint64       // rank × runs >> 32 is the run
	opens  int          // entries of waiting.old, which no thread has taken yet
	idle   atomic.Int64 // threads without work
	spare  atomic.Int64 // len(pool)
	halt   atomic.Bool
	mu     sync.Mutex
	pool   [][]sent[T] // offered to idle threads
}

// relaxRows is the rows of a segment, of an own range. arcs are sorted by weight within a row; nil if all weigh 1.
type relaxRows[T program.Value] struct {
	*segment
	arcs []sent[T]
}

// rest is a vertex with its value, and a row from arc at on, which leads to the value next.
type rest[T program.Value] struct {
	to, at  uint32
	v, next T
}

// liveRow is the arcs lo … hi−1 of rows k, from one on, of a vertex with its value. from is the number of the first.
type liveRow[T program.Value] struct {
	to, k, from uint32
	v           T
	lo, hi      uint64
}

// waiting is a thread's share of a relaxer.
type waiting[T program.Value] struct {
	bins  [][]sent[T]
	now   []sent[T]   // fell below the bound
	free  [][]sent[T] // empty
	live  []liveRow[T]
	lines []uintptr   // to prefetch
	old   [][]sent[T] // bins that a step opens
	lower []sent[T]   // values that may lower their targets
	n     int64       // entries of its bins
	least T           // of these
	later []rest[T]
	rests []rest[T] // taken from later
	soon  T         // the least next in later
	low   T         // the least value in later
	arcs  int64     // of the vertices that it relaxed
	_     [64]byte
	start []sent[T]    // of a step
	tasks [][]sent[T]  // the first one last
	left  atomic.Int64 // tasks not taken
	_     [64]byte
}

// waits is a frontier that lies in a relaxer.
type waits interface {
	// flush pushes along all deferred arcs, restore also puts the frontier into valueRun.front.
	flush()
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

// clear empties the bins.
func (w *waiting[T]) clear() {
	for i := range w.bins {
		w.drop(w.bins[i])
		w.bins[i] = nil
	}
	w.n, w.least = 0, program.Largest[T]()
}

// deferNone empties later.
func (w *waiting[T]) deferNone() {
	w.later, w.soon, w.low = w.later[:0], program.Largest[T](), program.Largest[T]()
}

// reset empties all bins. Values from low on, in steps of width, have bins of their own.
func (x *relaxer[T]) reset(low T, width float64) {
	for t := range x.by {
		w := &x.by[t]
		w.now, w.lower, w.start = w.now[:0], w.lower[:0], w.start[:0]
		w.clear()
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

// flush implements waits.
func (x *relaxer[T]) flush() { x.push(x.top) }

// restore implements waits.
func (x *relaxer[T]) restore() {
	r := x.c.r
	x.flush()
	r.waits = nil
	for _, e := range x.entries() {
		o := r.placeOf(e.to)
		r.front.add(o.pos + e.to - o.first)
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
		x.by = idleOf[T](&r.p.weights)
		x.by = x.by[:min(len(x.by), r.threads)]
		for t := len(x.by); t < r.threads; t++ {
			x.by = append(x.by, waiting[T]{bins: make([][]sent[T], relaxBins), lower: make([]sent[T], 0, 2*relaxPiece)})
		}
		r.arrays.Defer(func() { keepIdle(&r.p.weights, x.by) })
	}
	x.ctx, x.l, x.bound, x.dst, x.top = ctx, l, bound, c.at[0], program.Largest[T]()
	x.alone, x.unit = r.words == len(r.reached[0].bits), 0
	if l.Map == program.Plus {
		x.unit = 1
	}
	x.rows = x.rows[:0]
	for _, p := range l.passes[program.Push] {
		for k, g := range r.rows[p.rows] {
			x.rows = append(x.rows, relaxRows[T]{g, sortedArcs[T](l, p.rows, k, r)})
		}
	}
	x.owner = x.owner[:0]
	for k := range relaxRuns * len(x.by) {
		x.owner = append(x.owner, uint16(k%len(x.by)))
	}
	x.runs = uint64(len(x.owner)) << 32 / uint64(r.part.Ranks)
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
	width := float64(x.bound) - float64(low)
	x.reset(low, width)
	for t := range x.by {
		x.by[t].deferNone()
		x.by[t].arcs = 0
	}
	x.serial = true
	x.horizon, x.reach = x.top, relaxReach*width
	if x.defers(len(list)) {
		x.horizon = x.beyond(x.bound)
	}
	if x.leaf = nil; !r.part.Directed && !x.l.negative {
		x.leaf = r.p.leafSet(r.crew)
	}
	for _, e := range list {
		switch {
		case !(e.v < x.bound):
			x.leave(e.to)
			x.put(&x.by[0], e)
		case x.isLeaf(e.to):
			x.fetch(&x.by[0], e, 0, true)
			x.fetched(0)
		default:
			x.begin(e)
		}
	}
	x.deal()
}

// begin adds an entry to those that a step begins with: of the thread that has its run of ranks, so that lines of
// values tend to stay in one core's cache.
func (x *relaxer[T]) begin(e sent[T]) {
	w := &x.by[x.owner[uint64(e.to)*x.runs>>32]]
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
	w.tasks = slices.AppendSeq(w.tasks[:0], slices.Chunk(list, relaxGrain))
	slices.Reverse(w.tasks)
	w.left.Store(int64(len(w.tasks)))
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
		w.start, w.tasks = w.start[:0], w.tasks[:0]
		w.left.Store(0)
		for _, e := range w.bins[last] {
			if e.v < x.bound {
				below = true
				break
			}
		}
	}
	x.opens = 0
	for t := range x.by {
		w := &x.by[t]
		for _, list := range w.old {
			w.drop(list)
		}
		w.old = w.old[:0]
		for i := x.first; i <= last && (i < last || below); i++ {
			if list := w.bins[i]; list != nil {
				x.opens += len(list)
				w.old, w.bins[i] = append(w.old, list), nil
			}
		}
	}
	x.first = last // it may have fallen with the bound
}

// take makes tasks of a thread's vertices in what the step opens. Those at the bound or beyond go back to the bins.
func (x *relaxer[T]) take(t int) {
	own := &x.by[t]
	for u := range x.by {
		for _, list := range x.by[u].old {
			for _, e := range list {
				switch {
				case !(e.v < x.bound):
					if u == t && load(&x.dst[e.to]) == e.v {
						x.put(own, e)
					}
				case int(x.owner[uint64(e.to)*x.runs>>32]) == t:
					own.start = append(own.start, e)
				}
			}
			if u == t {
				own.n -= int64(len(list))
			}
		}
	}
	own.deal(own.start)
}

// relax pushes from the frontier's vertices below the bound, and from those that fall below it, until there are
// none.
func (c *values[T]) relax(ctx context.Context, l *plan, bound T) (string, error) {
	r, x := c.r, &c.relaxer
	x.c = c
	switch {
	case r.waits == nil:
	case r.waits != waits(x) || x.l != l:
		r.waits.restore()
	case x.horizon < bound:
		x.push(x.beyond(bound))
	}
	x.step(ctx, l, bound)
	if r.waits == nil {
		x.enter(&r.front)
	} else {
		x.open()
	}
	r.waits = x
	name := x.run()
	for x.horizon < x.top && x.least() >= x.horizon && !x.halt.Load() {
		if x.look() {
			name = "relax/pull"
			x.run()
		}
	}
	if x.halt.Load() {
		return name, ctx.Err()
	}
	return name, nil
}

// run runs tasks, and what falls below the bound by them.
func (x *relaxer[T]) run() string {
	if x.serial = true; x.opens > relaxAlone || x.small() {
		x.serial = len(x.by) == 1
		x.c.r.team.Run(x.work)
		x.opens = 0
		return "relax"
	}
	for t := range x.by {
		x.survey(t)
	}
	return "relax/serial"
}

// small runs tasks on one thread while there are few vertices, and reports whether some are left.
func (x *relaxer[T]) small() bool {
	n := 0
	for t := range x.by {
		if x.opens > 0 {
			x.take(t)
		}
		n += len(x.by[t].tasks)
	}
	x.opens = 0
	if n*relaxGrain > relaxAlone {
		return true
	}
	w := &x.by[0]
	for t := range x.by {
		x.tasksOf(0, t)
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
	if x.opens > 0 {
		x.take(t)
	}
	x.tasks(t)
	x.fused(t)
	x.idle.Add(1)
	for spins := 1; ; spins++ {
		if x.late(t) {
			x.idle.Add(-1)
			x.tasks(t)
			x.fused(t)
			x.idle.Add(1)
		}
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

// tasks takes a thread's tasks, then those of others.
func (x *relaxer[T]) tasks(t int) {
	for k := range x.by {
		x.tasksOf(t, (t+k)%len(x.by))
	}
}

// tasksOf relaxes the tasks of a thread that nobody has taken.
func (x *relaxer[T]) tasksOf(t, from int) {
	w := &x.by[from]
	for n := w.left.Add(-1); n >= 0; n = w.left.Add(-1) {
		x.chunk(t, w.tasks[n])
	}
}

// late reports whether another thread has tasks.
func (x *relaxer[T]) late(t int) bool {
	for k := range x.by {
		if k != t && x.by[k].left.Load() > 0 {
			return true
		}
	}
	return false
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
			if e.v < w.least && load(&x.dst[e.to]) == e.v {
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
	w := &x.by[t]
	for part := range slices.Chunk(list, relaxGrain) {
		for _, e := range part {
			if load(&x.dst[e.to]) == e.v {
				x.fetch(w, e, 0, false)
			}
		}
		x.fetched(t)
	}
}

// fetch adds a vertex with its arcs, from number at on, to those to relax. outside says that its value may not have
// come along one of them.
func (x *relaxer[T]) fetch(w *waiting[T], e sent[T], at uint32, outside bool) {
	for k := range x.rows {
		g := &x.rows[k]
		i := e.to - g.first
		if i >= g.rows {
			continue
		}
		lo, hi := g.adj.Row(i)
		if hi-lo == 1 && x.leaf != nil && !outside || lo+uint64(at) >= hi {
			continue
		}
		if at == 0 {
			w.arcs += int64(hi - lo)
		}
		lo += uint64(at)
		w.live = append(w.live, liveRow[T]{e.to, uint32(k), at, e.v, lo, hi})
		base, size := uintptr(unsafe.Pointer(unsafe.SliceData(g.adj.Neighbours))), unsafe.Sizeof(at)
		if g.arcs != nil {
			base, size = uintptr(unsafe.Pointer(unsafe.SliceData(g.arcs))), unsafe.Sizeof(e)
		}
		base += size * uintptr(lo)
		w.lines = append(w.lines, base, base+min(64, size*uintptr(hi-lo-1)))
	}
}

// fetched relaxes these vertices, but for the stale.
func (x *relaxer[T]) fetched(t int) {
	w, n := &x.by[t], uint64(0)
	x.c.r.p.set.prefetchLines(w.lines)
	for i := range w.live {
		if e := &w.live[i]; load(&x.dst[e.to]) == e.v {
			n -= e.lo
			x.arcs(t, e)
			n += e.lo
		}
	}
	x.settle(t)
	x.c.r.memory[t].examined += int64(n)
	w.live, w.lines = w.live[:0], w.lines[:0]
}

// arcs finds the arcs of a vertex that lower their targets.
func (x *relaxer[T]) arcs(t int, e *liveRow[T]) {
	w, g, start := &x.by[t], &x.rows[e.k], e.lo
	for e.lo < e.hi {
		n := int(min(relaxPiece, e.hi-e.lo))
		if len(w.lower)+n > cap(w.lower) {
			x.settle(t)
		}
		out := w.lower[len(w.lower):][:n]
		if g.arcs == nil {
			w.lower = w.lower[:len(w.lower)+x.test(g.adj.Neighbours[e.lo:][:n], e.v, out)]
			e.lo += uint64(n)
			continue
		}
		fell, looked := x.testSorted(g.arcs[e.lo:][:n], e.v, out)
		w.lower = w.lower[:len(w.lower)+fell]
		if e.lo += uint64(looked); looked == n {
			continue
		}
		if x.horizon < x.top {
			next := plus(e.v, g.arcs[e.lo].v, x.top)
			w.later = append(w.later, rest[T]{e.to, e.from + uint32(e.lo-start), e.v, next})
			w.soon, w.low = min(w.soon, next), min(w.low, e.v)
		}
		return
	}
}

// test writes the targets of a row that fall to out, with their value. It has no branch on the outcome.
func (x *relaxer[T]) test(row []uint32, v T, out []sent[T]) (n int) {
	y := plus(v, x.unit, x.top)
	for _, u := range row {
		out[n] = sent[T]{u, y}
		if y < load(&x.dst[u]) {
			n++
		}
	}
	return n
}

// testSorted is test up to the first arc that leads to the horizon, and returns how many arcs these are.
func (x *relaxer[T]) testSorted(row []sent[T], v T, out []sent[T]) (n, looked int) {
	horizon, top, dst := x.horizon, x.top, x.dst
	out = out[:len(row)]
	for k, a := range row {
		y := plus(v, a.v, top)
		if y >= horizon {
			return n, k
		}
		out[n] = sent[T]{a.to, y}
		if y < load(&dst[a.to]) {
			n++
		}
	}
	return n, len(row)
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

// leafSet is the set of ranks with one out-arc, nil if there are none.
func (p *Processor) leafSet(on crew) []uint64 {
	p.leafOnce.Do(func() {
		leaf, some := make([]uint64, p.words), atomic.Bool{}
		for _, o := range p.own {
			a := cmp.Or(o.sub.Out, o.sub.In)
			if a == nil {
				continue
			}
			on.spread(int(o.sub.Rows+63)/64, 1<<8, func(lo, hi int) {
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
