package kerneltest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

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
	whole         bool
	owner         []int // by rank, −1 for padding
	out, in, both []row

	arrays  []any // []T by rank; foreign entries are used by local operators only
	sets    map[program.Set][]bool
	front   []bool // by rank
	next    []bool
	visited []bool // own vertices; foreign ones that were sent or taken
	parent  []uint32
	finder  []int

	// Of one superstep.
	op       int
	step     program.Step
	examined int64
	members  []bool                  // foreign sources
	value    []program.Bits          // of From before the step
	known    []bool                  // foreign vertices whose value was taken
	reached  map[uint32]program.Bits // values for foreign targets
}

// serial is a processor that runs every valid program by the model.
type serial struct{ part *kernels.Part }

func (*serial) Kind() kernels.Kind { return kernels.CPU }

func (p *serial) Load(_ context.Context, part *kernels.Part) error { p.part = part; return nil }

func (p *serial) Bytes() int64 { return held(p.part) }

func (*serial) Close() error { return nil }

// held is the memory of a part's arcs in bytes.
func held(part *kernels.Part) (n int64) {
	for _, s := range part.Subgraphs {
		if s != nil {
			n += s.Bytes()
		}
	}
	return n
}

func (p *serial) Open(_ context.Context, prog *program.Program) (kernels.Run, error) {
	m := &model{part: p.part, p: prog, owner: slices.Repeat([]int{-1}, int(p.part.Ranks))}
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
	m.both = slices.Concat(m.out, m.in)
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
		r := row{rank: s.First + i, neighbours: slices.Clone(a.Neighbours[lo:hi])}
		for k, v := range r.neighbours {
			if to.Ranks != nil {
				r.neighbours[k] = to.Ranks[v]
			}
			if a.Weights.Len() > 0 {
				r.weights = append(r.weights, a.Weights.Float64(int(lo)+k))
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
	m.value, m.known, m.reached = make([]program.Bits, n), make([]bool, n), map[uint32]program.Bits{}
	m.arrays, m.examined = nil, 0
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
			m.value[rank], m.known[rank] = numbers[m.typeOf(e.From)].get(msg.Values, uint32(i)), true
		}
		m.members[rank] = !msg.Dense
		m.visited[rank] = m.visited[rank] || e.Once && !msg.Dense
	}
	return nil
}

// errUnsent is wrapped by the errors of Step where it needs a value that no message carried.
var errUnsent = errors.New("no message carried the value")

// stored returns the rows of arcs along which an operator goes from its sources to targets: rows
// of sources in a push, of targets in a pull.
func (m *model) stored(e *program.EdgeOp, way program.Way) []row {
	forward := e.Arcs != program.Backward || !m.part.Directed
	switch {
	case e.Arcs == program.Both && m.part.Directed:
		return m.both
	case forward == (way == program.Push):
		return m.out
	}
	return m.in
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
	sources := make([]uint64, m.part.Ranks/64)
	for i, owner := range m.owner {
		rank := uint32(i)
		m.next[rank] = s.Below != 0 && m.front[rank] && !m.below(e, s, rank) // it waits
		if owner == m.part.Index && e.From >= 0 {
			m.value[rank] = m.get(e.From, rank)
		}
		if owner >= 0 && m.active(e, s, rank) {
			sources[rank/64] |= 1 << (rank % 64)
		}
	}
	along := m.along
	if e.Rows != nil {
		along = m.alongRows(e, s, sources)
	}
	for _, r := range m.stored(e, s.Way) {
		if s.Way == program.Push && sources[r.rank/64]>>(r.rank%64)&1 != 0 || s.Way == program.Pull && m.wanted(e, s, r.rank) {
			along(e, r, sources)
		}
	}
	for again := s.Below != 0 && m.whole; again; {
		ripe := map[uint32]bool{}
		for rank := range m.part.Ranks {
			if m.next[rank] && m.below(e, s, rank) {
				m.next[rank], ripe[rank], m.value[rank] = false, true, m.get(e.To, rank)
			}
		}
		for _, r := range m.stored(e, s.Way) {
			if ripe[r.rank] {
				along(e, r, sources)
			}
		}
		again = len(ripe) > 0
	}
	return "model-" + s.Way.String(), nil
}

// from is the value of a vertex in From before the step.
func (m *model) from(rank uint32) program.Bits {
	if !m.own(rank) && !m.known[rank] {
		panic(fmt.Errorf("%w of rank %d", errUnsent, rank))
	}
	return m.value[rank]
}

// wanted tells whether a vertex is a target of a pull. Of foreign ones the step knows only
// what was sent or taken.
func (m *model) wanted(e *program.EdgeOp, s program.Step, v uint32) bool {
	return !(e.Once && m.visited[v]) && (!m.own(v) || s.Over == program.Default || m.has(s.Over, v))
}

// along sends the values of a built-in operator along a row.
func (m *model) along(e *program.EdgeOp, r row, sources []uint64) {
	for k, n := range r.neighbours {
		m.examined++
		u, v := r.rank, n
		if m.step.Way == program.Pull {
			if u, v = v, u; sources[u/64]>>(u%64)&1 == 0 {
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
			if x = m.from(u); m.p.Widens(e) {
				x = numbers[program.F64].of(numbers[program.F32].float(x))
			}
		case program.One:
			x = numbers[m.typeOf(e.To)].of(1)
		case program.Plus, program.Tight, program.TightLow:
			number := numbers[m.typeOf(e.From)]
			sum := number.plus(m.from(u), number.of(w))
			if e.Map == program.Plus {
				x = sum
			} else if sum != m.from(v) || e.Map == program.TightLow && !program.Less(m.typeOf(e.From), m.from(u), m.from(v)) {
				continue
			}
		}
		if m.reach(e, v, x); e.Once && m.step.Way == program.Pull {
			return
		}
	}
}

// alongRows is along for a user's operator.
func (m *model) alongRows(e *program.EdgeOp, s program.Step, sources []uint64) func(*program.EdgeOp, row, []uint64) {
	number := numbers[m.typeOf(e.To)]
	user := number.rows(e.Rows)
	var values any
	if e.From >= 0 && s.Way == program.Pull {
		values = number.alloc(int(m.part.Ranks))
		for rank := range m.part.Ranks {
			number.set(values, rank, 0x7ff5dead7ff5dead) // no message carried it
			if sources[rank/64]>>(rank%64)&1 != 0 && (m.known[rank] || m.own(rank)) {
				number.set(values, rank, m.from(rank))
			}
		}
	}
	if s.From == program.All {
		sources = nil
	}
	return func(_ *program.EdgeOp, r row, _ []uint64) {
		value, to := program.Bits(0), program.Bits(0)
		if s.Way == program.Push {
			if e.From >= 0 {
				value = m.from(r.rank)
			}
			for k, x := range user.push(r.rank, value, r.neighbours, r.weights) {
				m.reach(e, r.neighbours[k], x)
			}
			return
		}
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
	clear(m.known)
	clear(m.reached)
	c := m.counts()
	c.Examined, m.examined = m.examined, 0
	return c, nil
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
	c.NextArcs = m.arcs(m.out, m.front, true)
	c.UnvisitedArcs = m.arcs(m.in, m.visited, false)
	return c
}

// arcs counts the arcs of own vertices that are in a set, or that are not.
func (m *model) arcs(rows []row, set []bool, in bool) (n int64) {
	for _, r := range rows {
		if m.own(r.rank) && set[r.rank] == in {
			n += int64(len(r.neighbours))
		}
	}
	return n
}

// leaves tells that a push would claim a vertex of a foreign range.
func (m *model) leaves() bool {
	return slices.ContainsFunc(m.out, func(r row) bool {
		return m.front[r.rank] && slices.ContainsFunc(r.neighbours, func(v uint32) bool { return !m.own(v) && !m.visited[v] })
	})
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
	return kernels.Reduced{Counts: m.counts(), Sums: sums, Kernel: "model"}, nil
}

func (m *model) Local(ctx context.Context, op int) error {
	return m.p.Locals[op].Run(ctx, (*modelLocal)(m))
}

// modelLocal is what a local operator sees.
type modelLocal model

func (l *modelLocal) Rows(a program.Arcs, f func(b *program.RowBlock)) error {
	list := map[program.Arcs][]row{program.Forward: l.out, program.Backward: l.in, program.Both: l.both}[a]
	for _, r := range list {
		n := len(r.neighbours)
		b := program.RowBlock{Lo: r.rank, Hi: r.rank + 1, Neighbours: r.neighbours, Offsets64: []uint64{0, uint64(n)}, First: []uint32{graph.None}}
		if n > 0 {
			b.First[0] = r.neighbours[0]
		}
		f(&b)
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

// remoteClaims lists own vertices that partition q found.
func (m *model) remoteClaims(q int) (list []uint32) {
	for rank := range m.part.Ranks {
		if m.own(rank) && m.visited[rank] && m.finder[rank] == q {
			list = append(list, rank)
		}
	}
	return list
}

// message is the message of the vertices of rg in set.
func message(rg kernels.Range, set []bool) (m kernels.Message) {
	var list []uint32
	for rank := rg.First; rank < rg.First+rg.Vertices; rank++ {
		if set[rank] {
			list = append(list, rank)
		}
	}
	return tell(rg, kernels.AsList(len(list), int(rg.Padded()-rg.First)), list)
}

// tell is the message of ranks, as a list or as a bitmap.
func tell(rg kernels.Range, asList bool, ranks []uint32) kernels.Message {
	m := kernels.Message{Count: len(ranks)}
	switch {
	case len(ranks) == 0:
	case asList:
		m.List = ranks
	default:
		m.Bits = make([]uint32, (rg.Padded()-rg.First)/32)
		for _, rank := range ranks {
			m.Bits[(rank-rg.First)/32] |= 1 << (rank % 32)
		}
	}
	return m
}

// told returns the ranks in m.
func told(rg kernels.Range, m kernels.Message) []uint32 {
	if m.Count == 0 || m.List != nil {
		return m.List
	}
	var list []uint32
	for i, word := range m.Bits {
		for ; word != 0; word &= word - 1 {
			list = append(list, rg.First+uint32(32*i+bits.TrailingZeros32(word)))
		}
	}
	return list
}
