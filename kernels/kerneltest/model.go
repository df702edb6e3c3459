package kerneltest

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

// row is one row of arcs that a part stores.
type row struct {
	rank       uint32
	neighbours []uint32  // ranks
	weights    []float64 // nil in an unweighted graph
}

// model is a kernels.Run in serial Go that interprets any program.
type model struct {
	part *kernels.Part
	p    *program.Program
	// whole tells that the part stores all arcs of its own vertices.
	whole   bool
	owner   []int // by rank, −1 for padding
	out, in []row

	arrays  []any // []T by rank; foreign entries are used by local operators only
	sets    map[program.Set][]bool
	front   []bool // by rank
	next    []bool
	visited []bool // own vertices; foreign ones that were sent or taken
	parent  []uint32
	finder  []int

	// Of one superstep.
	op      int
	step    program.Step
	members []bool                  // foreign sources
	taken   map[uint32]program.Bits // values of foreign vertices
	reached map[uint32]program.Bits // values for foreign targets
}

// serial is a processor that runs every valid program by the model.
type serial struct{ part *kernels.Part }

func (*serial) Kind() kernels.Kind { return kernels.CPU }

func (p *serial) Load(_ context.Context, part *kernels.Part) error { p.part = part; return nil }

func (*serial) Bytes() int64 { return 0 }

func (*serial) Close() error { return nil }

func (p *serial) Open(_ context.Context, prog *program.Program) (kernels.Run, error) {
	m := &model{part: p.part, p: prog, owner: make([]int, p.part.Ranks)}
	for rank := range m.owner {
		m.owner[rank] = -1
	}
	for _, rg := range m.part.Ranges {
		for i := range rg.Vertices {
			m.owner[rg.First+i] = rg.Owner
		}
	}
	m.whole = m.part.Sources.Size == 0 && m.part.Targets.Size == 0
	for _, s := range m.part.Subgraphs {
		if s != nil {
			m.out = append(m.out, rows(s, s.Out, m.part.Targets)...)
			m.in = append(m.in, rows(s, s.In, m.part.Sources)...)
		}
	}
	return m, m.Begin(0)
}

func (p *serial) RunBytes(prog *program.Program) (n int64) {
	for _, a := range prog.Arrays {
		n += int64(a.Type.Size()) * int64(p.part.Ranks)
	}
	return n
}

// rows returns the rows of an adjacency whose neighbours are indices of a space.
func rows(s *graph.Subgraph, a *graph.Adjacency, to graph.Space) (list []row) {
	for i := uint32(0); a != nil && i < s.Rows; i++ {
		lo, hi := a.Row(i)
		r := row{rank: s.First + i}
		for k := lo; k < hi; k++ {
			v := a.Neighbours[k]
			if to.Ranks != nil {
				v = to.Ranks[v]
			}
			r.neighbours = append(r.neighbours, v)
			if a.Weights.Len() > 0 {
				r.weights = append(r.weights, a.Weights.Float64(int(k)))
			}
		}
		list = append(list, r)
	}
	return list
}

func (m *model) own(rank uint32) bool { return m.owner[rank] == m.part.Index }

func (m *model) typeOf(array int) program.Type { return m.p.Arrays[array].Type }

func (m *model) get(array int, rank uint32) program.Bits {
	return numbers[m.typeOf(array)].get(m.arrays[array], rank)
}

func (m *model) set(array int, rank uint32, b program.Bits) {
	numbers[m.typeOf(array)].set(m.arrays[array], rank, b)
}

func (m *model) Begin(kernels.Need) error {
	n := int(m.part.Ranks)
	m.sets = map[program.Set][]bool{}
	m.front, m.next, m.visited, m.members = make([]bool, n), make([]bool, n), make([]bool, n), make([]bool, n)
	m.parent, m.finder = make([]uint32, n), make([]int, n)
	m.taken, m.reached = map[uint32]program.Bits{}, map[uint32]program.Bits{}
	m.arrays = nil
	for i, a := range m.p.Arrays {
		m.arrays = append(m.arrays, numbers[a.Type].alloc(n))
		for rank := range uint32(n) {
			b := program.Bits(0)
			switch a.Init {
			case program.Top:
				b = program.TopOf(a.Type)
			case program.Rank:
				b = program.Bits(rank)
			case program.ID:
				if b = program.Bits(graph.None); m.own(rank) {
					b = program.Bits(m.part.VertexOf[rank])
				}
			case program.None:
				b = program.Bits(graph.None)
			}
			m.set(i, rank, b)
		}
	}
	return nil
}

func (m *model) Seed(rank uint32, array int, value program.Bits) error {
	m.front[rank], m.visited[rank], m.parent[rank], m.finder[rank] = true, true, rank, m.part.Index
	if array >= 0 {
		m.set(array, rank, value)
	}
	return nil
}

// has tells whether an own vertex is in a set.
func (m *model) has(k program.Set, rank uint32) bool {
	switch k {
	case program.All:
		return true
	case program.Default:
		return m.front[rank]
	}
	return m.sets[k] != nil && m.sets[k][rank]
}

// below tells whether an own vertex is under the step's bound.
func (m *model) below(e *program.EdgeOp, s program.Step, rank uint32) bool {
	return s.Below == 0 || program.Less(m.typeOf(e.To), m.get(e.To, rank), s.Below)
}

// active tells whether a vertex is a source of the step.
func (m *model) active(e *program.EdgeOp, s program.Step, rank uint32) bool {
	if m.own(rank) {
		return m.has(s.From, rank) && m.below(e, s, rank)
	}
	return s.From == program.All || m.members[rank]
}

// message returns the message of vertices of a range, with their values of type t if value is
// not nil.
func (m *model) message(r int, set []bool, t program.Type, value func(rank uint32) program.Bits) kernels.Message {
	msg := message(m.part.Ranges[r], set)
	if value != nil && msg.Count > 0 {
		msg.Values = numbers[t].alloc(msg.Count)
		for i, rank := range told(m.part.Ranges[r], msg) {
			numbers[t].set(msg.Values, uint32(i), value(rank))
		}
	}
	return msg
}

func (m *model) Expand(op int, s program.Step, r int) (kernels.Message, error) {
	e, rg := &m.p.Edges[op], m.part.Ranges[r]
	switch {
	case s.From == program.All && e.From < 0 || rg.Vertices == 0:
		return kernels.Message{}, nil
	case s.From == program.All:
		values := numbers[m.typeOf(e.From)].alloc(int(rg.Padded() - rg.First))
		for i := range rg.Vertices {
			numbers[m.typeOf(e.From)].set(values, i, m.get(e.From, rg.First+i))
		}
		return kernels.Message{Count: int(rg.Vertices), Values: values, Dense: true}, nil
	}
	set := make([]bool, m.part.Ranks)
	for i := range rg.Vertices {
		set[rg.First+i] = m.active(e, s, rg.First+i)
	}
	if e.From < 0 {
		return m.message(r, set, 0, nil), nil
	}
	return m.message(r, set, m.typeOf(e.From), func(rank uint32) program.Bits { return m.get(e.From, rank) }), nil
}

func (m *model) Take(op int, s program.Step, r int, msg kernels.Message) error {
	e, rg := &m.p.Edges[op], m.part.Ranges[r]
	ranks := told(rg, msg)
	if msg.Dense {
		for i := range rg.Vertices {
			ranks = append(ranks, rg.First+i)
		}
	}
	for i := range rg.Vertices {
		m.members[rg.First+i] = false
	}
	for i, rank := range ranks {
		if msg.Values != nil {
			m.taken[rank] = numbers[m.typeOf(e.From)].get(msg.Values, uint32(i))
		}
		m.members[rank] = !msg.Dense
		m.visited[rank] = m.visited[rank] || m.p.Edges[0].Once && !msg.Dense
	}
	return nil
}

// errUnsent is wrapped by the errors of Step where it needs a value that no message carried.
var errUnsent = errors.New("no message carried the value")

// stored returns the rows of arcs along which an operator goes from its sources to targets: rows
// of sources in a push, of targets in a pull.
func (m *model) stored(e *program.EdgeOp, way program.Way) (list []row) {
	if forward := e.Arcs != program.Backward || !m.part.Directed; forward == (way == program.Push) {
		list = append(list, m.out...)
	} else {
		list = append(list, m.in...)
	}
	if e.Arcs == program.Both && m.part.Directed {
		if way == program.Push {
			return append(list, m.in...)
		}
		return append(list, m.out...)
	}
	return list
}

func (m *model) Step(ctx context.Context, op int, s program.Step) (name string, err error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	defer func() {
		if fault, is := recover().(error); is {
			name, err = "", fault
		}
	}()
	e := &m.p.Edges[op]
	m.op, m.step = op, s
	for rank := range m.front { // those that wait
		m.next[rank] = s.Below != 0 && m.front[rank] && !m.below(e, s, uint32(rank))
	}
	// Values of sources are those of before the step.
	before := map[uint32]program.Bits{}
	sources := make([]uint64, m.part.Ranks/64)
	for rank, owner := range m.owner {
		if owner < 0 || !m.active(e, s, uint32(rank)) {
			continue
		}
		sources[rank/64] |= 1 << (rank % 64)
		if e.From >= 0 && owner == m.part.Index {
			before[uint32(rank)] = m.get(e.From, uint32(rank))
		}
	}
	from := func(rank uint32) program.Bits {
		if b, is := before[rank]; is {
			return b
		}
		if b, is := m.taken[rank]; is && !m.own(rank) {
			return b
		}
		if m.own(rank) {
			return m.get(e.From, rank) // the target of a tight arc
		}
		panic(fmt.Errorf("%w of rank %d", errUnsent, rank))
	}
	along := m.along(e, from)
	if e.Rows != nil {
		along = m.alongRows(e, s, from, sources)
	}
	in := func(rank uint32) bool { return sources[rank/64]>>(rank%64)&1 != 0 }
	for _, r := range m.stored(e, s.Way) {
		if s.Way == program.Push && in(r.rank) || s.Way == program.Pull && m.wanted(e, s, r.rank) {
			along(r, in)
		}
	}
	for again := s.Below != 0 && m.whole; again; {
		ripe := map[uint32]bool{}
		for rank := range m.part.Ranks {
			if m.next[rank] && m.below(e, s, rank) {
				m.next[rank], ripe[rank], before[rank] = false, true, m.get(e.To, rank)
			}
		}
		for _, r := range m.stored(e, s.Way) {
			if ripe[r.rank] {
				along(r, in)
			}
		}
		again = len(ripe) > 0
	}
	return "model-" + s.Way.String(), nil
}

// wanted tells whether a vertex is a target of a pull. Of foreign ones the step knows only
// what was sent or taken.
func (m *model) wanted(e *program.EdgeOp, s program.Step, v uint32) bool {
	return !(e.Once && m.visited[v]) && (!m.own(v) || s.Over == program.Default || m.has(s.Over, v))
}

// along returns the function that sends the values of a built-in operator along a row.
func (m *model) along(e *program.EdgeOp, from func(uint32) program.Bits) func(r row, in func(uint32) bool) {
	return func(r row, in func(uint32) bool) {
		for k, n := range r.neighbours {
			u, v := r.rank, n
			if m.step.Way == program.Pull {
				if u, v = v, u; !in(u) {
					continue
				}
			}
			w := 1.0
			if r.weights != nil {
				w = r.weights[k]
			}
			x := program.Bits(u)
			switch e.Map {
			case program.Copy:
				x = from(u)
			case program.Plus:
				x = numbers[m.typeOf(e.From)].plus(from(u), numbers[m.typeOf(e.From)].of(w))
			case program.One:
				x = numbers[m.typeOf(e.To)].of(1)
			case program.Tight, program.TightLow:
				t := m.typeOf(e.From)
				sum := numbers[t].plus(from(u), numbers[t].of(w))
				if sum != from(v) || e.Map == program.TightLow && !program.Less(t, from(u), from(v)) {
					continue
				}
			}
			m.reach(e, v, x)
		}
	}
}

// alongRows is along for a user's operator.
func (m *model) alongRows(e *program.EdgeOp, s program.Step, from func(uint32) program.Bits, sources []uint64) func(row, func(uint32) bool) {
	number := numbers[m.typeOf(e.To)]
	user := number.rows(e.Rows)
	var values any
	if e.From >= 0 && s.Way == program.Pull {
		values = number.alloc(int(m.part.Ranks))
		for rank := range m.part.Ranks {
			number.set(values, rank, 0x7ff5dead7ff5dead) // no message carried it
			if _, sent := m.taken[rank]; sources[rank/64]>>(rank%64)&1 != 0 && (sent || m.own(rank)) {
				number.set(values, rank, from(rank))
			}
		}
	}
	if s.From == program.All {
		sources = nil
	}
	return func(r row, in func(uint32) bool) {
		if s.Way == program.Push {
			value := program.Bits(0)
			if e.From >= 0 {
				value = from(r.rank)
			}
			for k, x := range user.push(r.rank, value, r.neighbours, r.weights) {
				m.reach(e, r.neighbours[k], x)
			}
			return
		}
		to := program.Bits(0)
		if m.own(r.rank) {
			to = m.get(e.To, r.rank)
		}
		if x, ok := user.pull(r.rank, r.neighbours, r.weights, values, sources, to); ok {
			m.reach(e, r.rank, x)
		}
	}
}

// reach brings value x to vertex v.
func (m *model) reach(e *program.EdgeOp, v uint32, x program.Bits) {
	if m.own(v) {
		m.join(e, v, m.part.Index, x)
		return
	}
	if e.Once {
		if m.visited[v] {
			return
		}
		m.visited[v], m.parent[v] = true, uint32(x)
	}
	old, is := m.reached[v]
	switch {
	case !is:
		m.reached[v] = x
	case e.Rows != nil:
		m.reached[v], _ = numbers[m.typeOf(e.To)].rows(e.Rows).combine(old, x)
	case e.Combine == program.Min && program.Less(m.typeOf(e.To), x, old):
		m.reached[v] = x
	case e.Combine == program.Or:
		m.reached[v] |= x
	case e.Combine == program.Sum:
		m.reached[v] = numbers[m.typeOf(e.To)].sum(old, x)
	}
}

// join combines value x, which partition q sent, into own vertex v.
func (m *model) join(e *program.EdgeOp, v uint32, q int, x program.Bits) {
	if e.Rows != nil {
		to, joined := numbers[m.typeOf(e.To)].rows(e.Rows).combine(m.get(e.To, v), x)
		m.set(e.To, v, to)
		m.next[v] = m.next[v] || joined
		return
	}
	switch e.Combine {
	case program.Claim:
		if m.next[v] || e.Once && m.visited[v] {
			return
		}
		if e.To >= 0 {
			m.set(e.To, v, x)
		}
		if e.Once {
			m.visited[v], m.finder[v] = true, q
			if q == m.part.Index {
				m.parent[v] = uint32(x)
			}
		}
		m.next[v] = true
	case program.Min:
		if program.Less(m.typeOf(e.To), x, m.get(e.To, v)) {
			m.set(e.To, v, x)
			m.next[v] = true
		}
	case program.Or:
		if e.Known > 0 {
			x &^= m.get(e.Known-1, v)
		}
		if old := m.get(e.To, v); x&^old != 0 {
			m.set(e.To, v, old|x)
			m.next[v] = true
		}
	case program.Sum:
		m.set(e.To, v, numbers[m.typeOf(e.To)].sum(m.get(e.To, v), x))
		m.next[v] = true
	}
}

func (m *model) Fold(r int) (kernels.Message, error) {
	e, set := &m.p.Edges[m.op], make([]bool, m.part.Ranks)
	for rank := range m.reached {
		set[rank] = true
	}
	if e.To < 0 {
		return m.message(r, set, 0, nil), nil
	}
	return m.message(r, set, m.typeOf(e.To), func(rank uint32) program.Bits { return m.reached[rank] }), nil
}

func (m *model) Merge(r, from int, msg kernels.Message) error {
	e := &m.p.Edges[m.op]
	for i, rank := range told(m.part.Ranges[r], msg) {
		if m.step.Way == program.Pull && m.step.Over != program.Default && !m.has(m.step.Over, rank) {
			continue
		}
		x := program.Bits(0)
		if e.To >= 0 {
			x = numbers[m.typeOf(e.To)].get(msg.Values, uint32(i))
		}
		m.join(e, rank, from, x)
	}
	return nil
}

func (m *model) Advance() (kernels.Counts, error) {
	m.front, m.next = m.next, m.front
	clear(m.next)
	clear(m.members)
	clear(m.taken)
	clear(m.reached)
	return m.counts(), nil
}

// counts returns the counts of the frontier; those of arcs are of the arcs that the part has.
func (m *model) counts() (c kernels.Counts) {
	least := m.p.LeastArray()
	if least >= 0 {
		c.Least = program.TopOf(m.typeOf(least))
	}
	for rank := range m.part.Ranks {
		if !m.own(rank) {
			continue
		}
		if !m.visited[rank] {
			c.Unvisited++
		}
		if m.front[rank] {
			c.Next++
			if least >= 0 && program.Less(m.typeOf(least), m.get(least, rank), c.Least) {
				c.Least = m.get(least, rank)
			}
		}
	}
	for _, r := range m.out {
		if m.own(r.rank) && m.front[r.rank] {
			c.NextArcs += int64(len(r.neighbours))
		}
	}
	for _, r := range m.in {
		if m.own(r.rank) && !m.visited[r.rank] {
			c.UnvisitedArcs += int64(len(r.neighbours))
		}
	}
	return c
}

func (m *model) VertexMap(_ context.Context, op int, over program.Set, args [4]float64) (kernels.Reduced, error) {
	var sums []program.Reduced
	next := make([]bool, m.part.Ranks)
	for _, rg := range m.part.Ranges {
		if rg.Owner != m.part.Index || rg.Vertices == 0 {
			continue
		}
		sum := program.Reduced{Min: math.Inf(1)}
		for lo := rg.First; lo < rg.First+rg.Vertices; lo += program.BlockVertices {
			b := program.Block{Lo: lo, Hi: min(lo+program.BlockVertices, rg.First+rg.Vertices), Min: math.Inf(1), Args: args}
			b.Set = make([]uint64, (b.Hi-b.Lo+63)/64)
			for i := range b.Hi - b.Lo {
				if m.has(over, lo+i) {
					b.Set[i/64] |= 1 << (i % 64)
				}
			}
			for i, s := range m.arrays {
				b.Arrays = append(b.Arrays, numbers[m.typeOf(i)].slice(s, b.Lo, b.Hi))
			}
			m.p.Vertices[op].Block(&b)
			for i := range b.Each() {
				next[lo+uint32(i)] = true
			}
			for k := range sum.Sum {
				sum.Sum[k] += b.Sum[k]
			}
			sum.Min = min(sum.Min, b.Min)
		}
		sums = append(sums, sum)
	}
	copy(m.front, next)
	return kernels.Reduced{Counts: m.counts(), Sums: sums}, nil
}

func (m *model) Local(ctx context.Context, op int) error {
	return m.p.Locals[op].Run(ctx, (*modelLocal)(m))
}

// modelLocal is what a local operator sees.
type modelLocal model

func (l *modelLocal) Each(f func(u uint32, row []uint32)) error {
	for _, r := range l.out {
		f(r.rank, r.neighbours)
	}
	return nil
}

func (l *modelLocal) Vertices(f func(lo, hi uint32)) error {
	for lo := uint32(0); lo < l.part.Ranks; lo += 64 {
		f(lo, lo+64)
	}
	return nil
}

func (l *modelLocal) U32(array int) []uint32 { return l.arrays[array].([]uint32) }

func (m *model) Keep(k program.Set) error {
	m.sets[k] = append([]bool(nil), m.front...)
	return nil
}

func (m *model) Use(k program.Set) (kernels.Counts, error) {
	for rank := range m.front {
		m.front[rank] = m.own(uint32(rank)) && m.has(k, uint32(rank))
	}
	return m.counts(), nil
}

func (m *model) Whole(array int) ([]uint32, error) { return m.arrays[array].([]uint32), nil }

func (m *model) Read(array int, out any) error {
	for rank, owner := range m.owner {
		if owner != m.part.Index {
			continue
		}
		b := m.get(array, uint32(rank))
		if m.p.Arrays[array].Ranks && uint32(b) != graph.None {
			b = program.Bits(m.part.VertexOf[b])
		}
		numbers[m.typeOf(array)].set(out, m.part.VertexOf[rank], b)
	}
	return nil
}

func (m *model) Close() error { return nil }

func (m *model) RemoteClaims(q int) (list []uint32, err error) {
	for rank := range m.part.Ranks {
		if m.own(rank) && m.visited[rank] && m.finder[rank] == q {
			list = append(list, rank)
		}
	}
	return list, nil
}

func (m *model) LookupParents(ranks []uint32) ([]uint32, error) {
	list := make([]uint32, len(ranks))
	for i, rank := range ranks {
		list[i] = m.parent[rank]
	}
	return list, nil
}

func (m *model) Parents(out []uint32, claims, found [][]uint32) error {
	for q := range claims {
		for i, rank := range claims[q] {
			m.parent[rank] = found[q][i]
		}
	}
	for rank := range m.part.Ranks {
		if v := m.part.VertexOf[rank]; m.own(rank) {
			if out[v] = graph.None; m.visited[rank] {
				out[v] = m.part.VertexOf[m.parent[rank]]
			}
		}
	}
	return nil
}
