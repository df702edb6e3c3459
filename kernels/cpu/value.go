package cpu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync/atomic"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

var (
	// ErrOperator is wrapped by the error of a call whose user operator panicked.
	ErrOperator = errors.New("cpu: a user's operator panicked")
	// ErrCall is wrapped by the errors of calls of a run that break the contract.
	ErrCall = errors.New("cpu: invalid call of a run")
)

// valueRun is a run of any program: values by loops over arcs, sets as bitmaps.
//
// A side numbers the vertices at one end of the part's arcs: side 0 is Part.Sources, side 1
// Part.Targets. Where both are the ranks there is side 0 alone. Rows of out-arcs are rows of
// side 0, their neighbours indices of side 1; in-arcs the other way round. Own values are
// at side 0.
type valueRun struct {
	crew
	p        *Processor
	part     *graph.Part
	prog     *program.Program
	split    bool // arcs of own vertices may be stored elsewhere
	spaces   []graph.Space
	own      []place
	words    int           // of a bitmap of own vertices
	vertices int64         // own
	inArcs   int64         // stored, of own vertices
	degree   float64       // mean stored out-arcs of an own vertex
	rows     [2][]*segment // of out- and in-arcs
	plans    []plan
	columns  []column        // by array, and last the parents of a Claim with To −1
	parents  *values[uint32] // nil without such a Claim
	finder   []uint8         // by own position: 0 for a vertex found here, else 1 + the sender
	wholes   [][]uint32      // by array: values by rank, for local operators

	need           kernels.Need
	front, next    set
	round          set // sources of a push with a bound
	kept           map[program.Set]*set
	seen, seenArcs int64       // visited own vertices, and their in-arcs where they are counted
	active         [2][]uint64 // by side: the sources of a pull, foreign sources of a push
	taken          bool        // active has bits of foreign ranges
	visited        [2][]uint64
	reached        [2]news  // by side: the targets that joined
	waits          waits    // has the frontier, or nil: then front has it
	over           []uint64 // own vertices, the targets of a pull
	act            []uint32 // rows of a push
	batches        []batch
	memory         []thread    // by thread
	boxes          [2][]outbox // by range: messages, and own news of a step
	plan           *plan       // of the step since the last Advance, nil without one
	step           program.Step
	ctx            context.Context // of the step
	err            error           // ended the run

	arrays hugemem.Arena // dry where newRun counts bytes alone
}

// place is an own range. Own vertices have positions: those of the first own range, then those of
// the next; a range begins at a multiple of 64.
type place struct {
	index      int
	first, pos uint32 // rank and position of its first vertex
	at         [2]uint32
	rows, size uint32 // vertices, and with padding
}

// segment is the rows of one range.
type segment struct {
	own   *place // nil for a foreign range
	first uint32 // rank of row 0
	at    uint32 // its index in the side of the rows
	rows  uint32
	adj   *graph.Adjacency
}

// plan is an edge operator, compiled.
type plan struct {
	*program.EdgeOp
	to       column
	passes   [2][]pass // by way
	negative bool      // a weight is below 0
	weights  [2][]any  // of out- and in-arcs, by segment: a []T, nil where they are 1 or not read
}

// pass is one walk over rows: of out-arcs (0) or in-arcs (1). src and dst are the sides of the
// step's sources and targets.
type pass struct{ rows, src, dst int }

// thread is the memory of one thread.
type thread struct {
	examined int64
	indices  []uint32 // of a row: the sources in the set, or both rows; of a block of rows: the ranks
	starts   []uint64 // of a block of rows
	rows     program.RowBlock
	block    program.Block
	_        [64]byte
}

// Open implements kernels.Processor.
func (p *Processor) Open(ctx context.Context, prog *program.Program) (kernels.Run, error) {
	return p.OpenOn(ctx, prog, p.most)
}

// OpenOn is Open on a number of threads, from 1 to Threads.
func (p *Processor) OpenOn(ctx context.Context, prog *program.Program, threads int) (kernels.Run, error) {
	if kernels.IsTree(prog) && !p.split {
		s, err := newSearch(p, p.hire(threads), false)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			_ = s.Close()
			return nil, err
		}
		return s, nil
	}
	r, err := p.newRun(prog, p.hire(threads), false)
	if err == nil {
		err = r.Begin(0)
	}
	if err != nil {
		_ = r.Close()
		return nil, err
	}
	if r.parents != nil && claims(prog) {
		return &claimRun{r}, nil
	}
	return r, nil
}

// RunBytes implements kernels.Processor.
func (p *Processor) RunBytes(prog *program.Program) int64 {
	if kernels.IsTree(prog) && !p.split {
		s, _ := newSearch(p, crew{threads: p.most}, true)
		return s.memory.Bytes
	}
	r, _ := p.newRun(prog, crew{threads: p.most}, true)
	return r.arrays.Bytes + p.sent(prog)
}

// sent is the memory of the values that go to other processors, of all own vertices at once.
func (p *Processor) sent(prog *program.Program) (bytes int64) {
	own, others := int64(0), false
	for _, g := range p.part.Ranges {
		if g.Owner == p.part.Index {
			own += int64(g.Padded() - g.First)
		} else {
			others = true
		}
	}
	for i, a := range prog.Arrays {
		if others && slices.ContainsFunc(prog.Edges, func(op program.EdgeOp) bool { return op.From == i }) {
			bytes += own * int64(a.Type.Size())
		}
	}
	return bytes
}

// claims reports whether runs of the program are kernels.Claims.
func claims(prog *program.Program) bool {
	return len(prog.Edges) > 0 && prog.Edges[0].Rows == nil && prog.Edges[0].Once && prog.Edges[0].To < 0
}

// wholeRows reports whether a part stores all arcs of its own vertices, and no others.
func wholeRows(part *graph.Part) bool {
	return part.Sources.Size == 0 && part.Sources.First == nil && part.Targets.Size == 0 && part.Targets.First == nil
}

// loadSplit is the end of Load for a part that splits rows: it runs programs alone.
func (p *Processor) loadSplit(ctx context.Context) error {
	for _, s := range p.part.Subgraphs {
		if s != nil {
			p.memory.Bytes += s.Bytes()
		}
	}
	return ctx.Err()
}

// base is the index in a side of the first rank of a range, false if the side lacks it.
func (r *valueRun) base(side, index int) (uint32, bool) {
	if first := r.spaces[side].First; first != nil {
		return first[index], first[index] != graph.None
	}
	return r.part.Ranges[index].First, true
}

// rank is the rank of an index.
func (r *valueRun) rank(side int, i uint32) uint32 {
	if ranks := r.spaces[side].Ranks; ranks != nil {
		return ranks[i]
	}
	return i
}

// last is the number of the last side.
func (r *valueRun) last() int { return len(r.spaces) - 1 }

func (p *Processor) newRun(prog *program.Program, on crew, dry bool) (r *valueRun, err error) {
	defer hugemem.Recover(&err)
	part := p.part
	r = &valueRun{p: p, crew: on, part: part, prog: prog, arrays: hugemem.Arena{Dry: dry}, split: p.split}
	r.spaces = []graph.Space{part.Sources, part.Targets}
	if part.Sources.First == nil && part.Targets.First == nil {
		r.spaces = r.spaces[:1]
	}
	for d := range r.spaces {
		if r.spaces[d].First == nil {
			r.spaces[d].Size = part.Ranks
		}
	}
	for i, g := range part.Ranges {
		if g.Owner == part.Index && g.Vertices > 0 {
			o := place{index: i, first: g.First, pos: uint32(64 * r.words), rows: g.Vertices, size: g.Padded() - g.First}
			for d := range r.spaces {
				var in bool
				if o.at[d], in = r.base(d, i); !in {
					return r, fmt.Errorf("%w: range %d is own, and not in both spaces", ErrLoad, i)
				}
			}
			r.own = append(r.own, o)
			r.vertices += int64(o.rows)
			r.words += int(o.size / 64)
		}
	}
	for i, s := range part.Subgraphs {
		if s == nil || s.Rows == 0 {
			continue
		}
		out, in := s.Out, s.In
		if !r.split && !part.Directed && (out == nil || in == nil) {
			out, in = cmp.Or(out, in), cmp.Or(in, out)
		}
		for k, a := range []*graph.Adjacency{out, in} {
			at, is := r.base(min(k, r.last()), i)
			if a == nil || !is {
				continue
			}
			g := &segment{own: r.ownRange(i), first: s.First, at: at, rows: s.Rows, adj: a}
			switch r.rows[k] = append(r.rows[k], g); {
			case g.own == nil:
			case k == 1:
				r.inArcs += a.Arcs()
			default:
				r.degree += float64(a.Arcs()) / float64(max(1, r.vertices))
			}
		}
	}
	for d := range r.spaces {
		n := int(r.spaces[d].Size / 64)
		for _, words := range []*[]uint64{&r.active[d], &r.visited[d], &r.reached[d].bits} {
			*words = hugemem.Alloc[uint64](&r.arrays, n)
		}
		r.reached[d].by = make([]threadNews, on.threads)
	}
	for k := range r.boxes {
		r.boxes[k] = make([]outbox, len(part.Ranges))
	}
	for _, words := range []*[]uint64{&r.front.bits, &r.next.bits, &r.round.bits, &r.over} {
		*words = hugemem.Alloc[uint64](&r.arrays, r.words)
	}
	r.front.by, r.next.by, r.round.by = make([]threadNews, 1), make([]threadNews, 1), make([]threadNews, 1)
	r.memory = make([]thread, on.threads)
	return r, r.compile()
}

// ownRange returns the range with a number if it is own, else nil.
func (r *valueRun) ownRange(index int) *place {
	for i := range r.own {
		if r.own[i].index == index {
			return &r.own[i]
		}
	}
	return nil
}

// compile makes the columns and the plans.
func (r *valueRun) compile() error {
	back, partial := false, make([]bool, len(r.prog.Arrays)+1)
	for i := range r.prog.Edges {
		e := &r.prog.Edges[i]
		back = back || e.Map >= program.Tight || r.part.Directed && e.Arcs != program.Forward
		if e.To >= 0 && (r.split || e.From == e.To) {
			partial[e.To] = true
		}
		if e.Combine == program.Min && e.From == e.To && e.Rows == nil && !r.split {
			r.arrays.Bytes += (relaxEntries*2 + 4) * int64(r.prog.Arrays[e.To].Type.Size()) * r.vertices // bins, and rests of rows
		}
	}
	for i, a := range r.prog.Arrays {
		r.columns = append(r.columns, newColumns[a.Type](r, a, back, partial[i]))
	}
	for i := range r.prog.Edges {
		e := &r.prog.Edges[i]
		l := plan{EdgeOp: e}
		if e.To < 0 && r.parents == nil {
			r.parents = newValues[uint32](r, program.Array{Type: program.U32, Init: program.None, Ranks: true}, true, false)
			r.columns = append(r.columns, r.parents)
			r.finder = hugemem.Alloc[uint8](&r.arrays, 64*r.words)
		}
		if l.to = column(r.parents); e.To >= 0 {
			l.to = r.columns[e.To]
		}
		last := r.last()
		for way := range l.passes {
			along := pass{way, 0, last} // a push walks out-rows, a pull in-rows
			if e.Arcs != program.Backward || !r.part.Directed {
				l.passes[way] = append(l.passes[way], along)
			}
			if e.Arcs != program.Forward && r.part.Directed {
				l.passes[way] = append(l.passes[way], pass{1 - way, last, 0})
			}
			slices.SortFunc(l.passes[way], func(a, b pass) int { return a.rows - b.rows })
		}
		if len(l.passes[0]) == 2 && last > 0 && (e.Once || r.overlap()) {
			return fmt.Errorf("%w: %s: both ways on a directed graph whose sources and targets overlap", kernels.ErrUnsupported, e.Name)
		}
		if e.Rows != nil && e.WholeRows && r.split {
			return fmt.Errorf("%w: %s: the operator needs whole rows, the layout splits them", kernels.ErrUnsupported, e.Name)
		}
		if err := r.weigh(&l); err != nil {
			return fmt.Errorf("%w: %s: %v", kernels.ErrUnsupported, e.Name, err)
		}
		if e.Map == program.Plus && e.Combine == program.Min && e.From == e.To && e.Rows == nil && !r.split {
			r.arrays.Bytes += r.sortedBytes(&l)
		}
		r.plans = append(r.plans, l)
	}
	if len(r.prog.Locals) > 0 {
		r.wholes = make([][]uint32, len(r.prog.Arrays))
		for i, a := range r.prog.Arrays {
			if a.Type == program.U32 && r.spaces[0].First != nil {
				r.wholes[i] = hugemem.Alloc[uint32](&r.arrays, int(r.part.Ranks))
			}
		}
	}
	return nil
}

// overlap reports whether a foreign range is in both spaces.
func (r *valueRun) overlap() bool {
	for i, g := range r.part.Ranges {
		_, source := r.base(0, i)
		if _, target := r.base(1, i); source && target && g.Owner != r.part.Index && g.Vertices > 0 {
			return true
		}
	}
	return false
}

// weigh sets the weights of an operator, as values of its type.
func (r *valueRun) weigh(l *plan) error {
	array := l.To
	switch {
	case l.Rows != nil || l.Map == program.Plus:
	case l.Map == program.Tight || l.Map == program.TightLow:
		array = l.From
	default:
		return nil
	}
	for _, pass := range slices.Concat(l.passes[0], l.passes[1]) {
		if k := pass.rows; l.weights[k] == nil {
			for _, g := range r.rows[k] {
				w, negative, err := r.columns[array].weights(g.adj)
				if err != nil {
					return err
				}
				l.weights[k] = append(l.weights[k], w)
				l.negative = l.negative || negative
			}
		}
	}
	return nil
}

// each runs f over [0, n) on the team, grain items at a time. A panic of f is an error.
func (r *valueRun) each(n, grain int, f func(t, lo, hi int)) error {
	var failed atomic.Pointer[error]
	r.team.For(n, grain, func(t, lo, hi int) {
		if failed.Load() != nil {
			return
		}
		defer func() { // not guard, whose closure a chunk would allocate
			if v := recover(); v != nil {
				err := panicked(v)
				failed.CompareAndSwap(nil, &err)
			}
		}()
		f(t, lo, hi)
	})
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

// guard returns a panic of f as an error with its stack.
func guard(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			if err = hugemem.Refusal(v); err == nil {
				err = panicked(v)
			}
		}
	}()
	return f()
}

func panicked(v any) error { return fmt.Errorf("%w: %v\n\n%s", ErrOperator, v, debug.Stack()) }

// Begin implements kernels.Run.
func (r *valueRun) Begin(need kernels.Need) error {
	r.need, r.err, r.plan, r.kept, r.taken = need, nil, nil, map[program.Set]*set{}, false
	r.waits = nil
	r.seen, r.seenArcs = 0, 0
	for d := range r.spaces {
		r.clear(r.active[d])
		r.clear(r.visited[d])
	}
	for _, n := range []*news{&r.reached[0], &r.reached[1]} {
		if n.by != nil {
			n.by[0].many = true // a failed step may have left any bits
			n.clear(r)
		}
	}
	for _, s := range []*set{&r.front, &r.next, &r.round} {
		s.by[0].many = true
		s.clear(r)
	}
	clear(r.finder)
	for _, c := range r.columns {
		c.begin()
	}
	return nil
}

// fail keeps the first error: later calls return it until Begin.
func (r *valueRun) fail(err error) error {
	if err != nil && r.err == nil {
		r.err = err
	}
	return err
}

func callError(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrCall}, args...)...)
}

// placeOf returns the range of an own rank, nil for a foreign one.
func (r *valueRun) placeOf(rank uint32) *place {
	for i := range r.own {
		if o := &r.own[i]; rank-o.first < o.size {
			return o
		}
	}
	return nil
}

// Seed implements kernels.Run.
func (r *valueRun) Seed(rank uint32, array int, value program.Bits) error {
	o := r.placeOf(rank)
	if o == nil || rank-o.first >= o.rows || array >= len(r.prog.Arrays) {
		return callError("seed of rank %d, array %d", rank, array)
	}
	r.restore()
	i := rank - o.first
	if r.visit(o, i) {
		r.seen++
		for _, g := range r.rows[1] {
			if g.own == o {
				r.seenArcs += int64(g.adj.Degree(i))
			}
		}
	}
	r.front.add(o.pos + i)
	for d := range r.spaces {
		if r.parents != nil {
			r.parents.at[d][o.at[d]+i] = rank
		}
	}
	if array >= 0 {
		r.columns[array].seed(o.at[0]+i, value)
	}
	return nil
}

// visit marks vertex i of an own range as visited, and reports whether it was not.
func (r *valueRun) visit(o *place, i uint32) (is bool) {
	for d := range r.spaces {
		word, bit := &r.visited[d][(o.at[d]+i)/64], uint64(1)<<((o.at[d]+i)%64)
		is = *word&bit == 0
		*word |= bit
	}
	return is
}

// Whole implements kernels.Run.
func (r *valueRun) Whole(array int) ([]uint32, error) {
	if array < 0 || array >= len(r.prog.Arrays) || r.prog.Arrays[array].Type != program.U32 {
		return nil, callError("Whole(%d)", array)
	}
	if r.spaces[0].First == nil {
		return r.columns[array].(*values[uint32]).at[0], nil
	}
	if array >= len(r.wholes) || r.wholes[array] == nil {
		return nil, callError("Whole(%d) without a local operator", array)
	}
	return r.wholes[array], nil
}

// Read implements kernels.Run.
func (r *valueRun) Read(array int, out any) error {
	if array < 0 || array >= len(r.prog.Arrays) {
		return callError("Read(%d)", array)
	}
	r.flush()
	return r.columns[array].read(out)
}

// Close implements kernels.Run.
func (r *valueRun) Close() error {
	r.p.dismiss(r.crew)
	r.crew = crew{}
	r.arrays.Free()
	return nil
}

// claimRun is a run of a program that begins with a Claim.
type claimRun struct{ *valueRun }

// RemoteClaims implements kernels.Claims.
func (r claimRun) RemoteClaims(q int) (list []uint32, err error) {
	if q == r.part.Index {
		return nil, nil
	}
	for _, o := range r.own {
		for i, by := range r.finder[o.pos : o.pos+o.rows] {
			if int(by) == q+1 {
				list = append(list, o.first+uint32(i))
			}
		}
	}
	return list, nil
}

// LookupParents implements kernels.Claims.
func (r claimRun) LookupParents(ranks []uint32) ([]uint32, error) {
	side := r.plans[0].passes[0][len(r.plans[0].passes[0])-1].dst
	out := make([]uint32, len(ranks))
	for k, v := range ranks {
		index := slices.IndexFunc(r.part.Ranges, func(g graph.Range) bool { return v-g.First < g.Padded()-g.First })
		at, in := uint32(0), false
		if index >= 0 {
			at, in = r.base(side, index)
		}
		if !in {
			return nil, callError("parent of rank %d", v)
		}
		out[k] = r.parents.at[side][at+v-r.part.Ranges[index].First]
	}
	return out, nil
}

// Parents implements kernels.Claims.
func (r claimRun) Parents(out []uint32, claims, found [][]uint32) error {
	ids := r.part.VertexOf
	side := r.plans[0].passes[0][len(r.plans[0].passes[0])-1].dst
	for _, o := range r.own {
		r.spread(int(o.rows), 1<<12, func(lo, hi int) {
			for i := uint32(lo); i < uint32(hi); i++ {
				v, parent := o.at[side]+i, graph.None
				if r.visited[side][v/64]>>(v%64)&1 != 0 && r.finder[o.pos+i] == 0 {
					parent = ids[r.parents.at[side][v]]
				}
				out[ids[o.first+i]] = parent
			}
		})
	}
	for q, list := range claims {
		if len(found) <= q || len(found[q]) != len(list) {
			return callError("%d parents asked of partition %d, not as many answered", len(list), q)
		}
		for i, v := range list {
			out[ids[v]] = ids[found[q][i]]
		}
	}
	return nil
}
