package kerneltest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

// machine is a program.Machine over two runs a partition, the one under test and the model's.
// Every call goes to both, and their results are compared. A difference ends the test, so that
// errors are the program's.
type machine struct {
	reporter
	*placed
	p       *program.Program
	where   string
	need    kernels.Need
	runs    [2][]kernels.Run // under test, the model's
	rng     *rand.Rand
	left    int    // supersteps before the run is dropped
	between func() // called once, before a superstep
	// failed is the error of the body, returned by all calls after it.
	failed error
	// rounding says that floats may differ by rounding.
	rounding bool
	sent     []sent // the messages of the superstep, which must not change
	// bounds are values that were sent in steps that messages may differ in.
	bounds []bound
	// got are the results by vertex id, an entry an array, after finish.
	got [][]program.Bits
}

// sent is a message and its content when it was sent.
type sent struct {
	from   int
	call   string
	rg     kernels.Range
	m      kernels.Message
	t      program.Type
	ranks  []uint32
	values []program.Bits
}

// bound is a value of a vertex that a Min sent: its result is not larger.
type bound struct {
	from, array int
	rank        uint32
	value       program.Bits
}

// errDropped ends a body before its end.
var errDropped = errors.New("the run is dropped")

func (m *machine) fail(i int, format string, args ...any) {
	m.Helper()
	m.Fatalf("%s: partition %d: %s", m.where, i, fmt.Sprintf(format, args...))
}

// both calls do for the run under test and the model's of partition i.
func (m *machine) both(i int, call string, do func(r kernels.Run, side int) error) {
	m.Helper()
	for side, runs := range m.runs {
		if err := do(runs[i], side); err != nil {
			m.fail(i, "%s: %v", call, err)
		}
	}
}

// expect fails where what a body expects is not so.
func (m *machine) expect(is bool, fault string) {
	m.Helper()
	if !is && m.failed == nil {
		m.Fatalf("%s: %s", m.where, fault)
	}
}

// begin starts a run.
func (m *machine) begin(where string, need kernels.Need, seed uint64) {
	m.Helper()
	m.where, m.need, m.rng, m.left = where, need, rand.New(rand.NewPCG(seed, 1)), math.MaxInt
	m.sent, m.bounds, m.failed = nil, nil, nil
	for i := range m.parts {
		m.both(i, "Begin", func(r kernels.Run, _ int) error { return r.Begin(need) })
	}
}

func (m *machine) Info() program.Info {
	info := program.Info{Vertices: int64(m.ranked), Isolated: int64(m.Vertices - m.ranked), Directed: m.Directed}
	for _, row := range m.out {
		info.Arcs += int64(len(row))
	}
	return info
}

func (m *machine) Seed(rank uint32, array int, value program.Bits) (program.Frontier, error) {
	m.Helper()
	for _, rg := range m.parts[0].Ranges {
		if rank >= rg.First && rank < rg.First+rg.Vertices {
			m.both(rg.Owner, "Seed", func(r kernels.Run, _ int) error { return r.Seed(rank, array, value) })
		}
	}
	return m.Use(program.Default)
}

// way returns the step in a random way: a push, which has no Over, where that is allowed.
func (m *machine) way(op int, s program.Step) program.Step {
	push := s
	push.Way, push.Over = program.Push, program.Default
	if s.Way = program.Pull; m.rng.IntN(2) == 0 && m.p.CheckStep(op, push) == nil {
		return push
	}
	return s
}

// ends tells whether partition i has vertices of a foreign range among the sources of its arcs
// that it takes, and among the targets that it sends to.
func (m *machine) ends(i int, rg kernels.Range, e *program.EdgeOp, way program.Way) (source, target bool) {
	if rg.Owner == i || rg.Vertices == 0 {
		return false, false
	}
	if m.columns == 0 {
		return way == program.Pull, way == program.Push
	}
	column, row := m.lines(rg.Owner, i)
	forward, backward := e.Arcs != program.Backward || !m.Directed, e.Arcs != program.Forward && m.Directed
	return forward && column || backward && row, forward && row || backward && column
}

func (m *machine) EdgeMap(op int, s program.Step) (program.Frontier, error) {
	m.Helper()
	if between := m.between; between != nil && m.rng.IntN(3) == 0 {
		m.between = nil
		between()
	}
	if m.left--; m.left < 0 && m.failed == nil {
		m.failed = errDropped
	}
	if err := m.p.CheckStep(op, s); err != nil && m.failed == nil {
		m.failed = err
	}
	if m.failed != nil {
		return program.Frontier{}, m.failed
	}
	e := &m.p.Edges[op]
	tight := e.Rows == nil && (e.Map == program.Tight || e.Map == program.TightLow)
	// A value may fall and be read in one step: its messages and counts are free.
	free := e.Rows == nil && e.From >= 0 && e.From == e.To && (e.Combine == program.Min || e.Combine == program.Or)
	ctx := context.Background()
	expand := func(s program.Step, takes func(i int, rg kernels.Range) bool) {
		for r, rg := range m.parts[0].Ranges {
			var msg *[2]kernels.Message
			for i := range m.parts {
				if !takes(i, rg) {
					continue
				}
				if msg == nil {
					sent := m.receive(rg.Owner, "Expand", r, e.From, free, true, func(r kernels.Run, k int) (kernels.Message, error) { return r.Expand(op, s, k) })
					msg = &sent
				}
				m.both(i, "Take", func(run kernels.Run, side int) error { return run.Take(op, s, r, msg[side]) })
			}
		}
	}
	if tight && m.columns > 0 { // the values of the targets
		expand(program.Step{Way: s.Way, From: program.All}, func(i int, rg kernels.Range) bool { _, target := m.ends(i, rg, e, s.Way); return target })
		m.sent = m.sent[:0] // the same ranges are expanded again
	}
	expand(s, func(i int, rg kernels.Range) bool { source, _ := m.ends(i, rg, e, s.Way); return source })
	for i := range m.parts {
		m.both(i, fmt.Sprintf("Step %s %+v", e.Name, s), func(r kernels.Run, _ int) error {
			name, err := r.Step(ctx, op, s)
			if err == nil && name == "" {
				err = errors.New("it names no kernel")
			}
			return err
		})
	}
	type box struct {
		r, from int
		m       [2]kernels.Message
	}
	var boxes []box
	for i, part := range m.parts {
		for r, rg := range part.Ranges {
			if _, target := m.ends(i, rg, e, s.Way); target {
				same := e.Rows != nil || e.Combine != program.Claim
				boxes = append(boxes, box{r, i, m.receive(i, "Fold", r, e.To, free, same, kernels.Run.Fold)})
				if free && e.Combine == program.Min {
					for _, sent := range m.sent[len(m.sent)-1].sorted() {
						m.bounds = append(m.bounds, bound{i, e.To, sent.rank, sent.value})
					}
				}
			}
		}
	}
	for _, b := range boxes {
		m.both(m.parts[0].Ranges[b.r].Owner, "Merge", func(r kernels.Run, side int) error { return r.Merge(b.r, b.from, b.m[side]) })
	}
	f := m.frontier("Advance", free, func(r kernels.Run, _, _ int) (kernels.Counts, error) { return r.Advance() })
	m.unchanged()
	return f, nil
}

// receive returns the messages of partition i on range r, and compares them. array has the
// values, −1 for none. Of a free step only the form is checked, and values only where same.
func (m *machine) receive(i int, call string, r, array int, free, same bool, get func(r kernels.Run, k int) (kernels.Message, error)) (msg [2]kernels.Message) {
	m.Helper()
	rg := m.parts[0].Ranges[r]
	var content [2]sent
	m.both(i, call, func(run kernels.Run, side int) (err error) {
		msg[side], err = get(run, r)
		if err != nil {
			return err
		}
		content[side], err = m.content(rg, msg[side], array)
		content[side].from, content[side].call = i, call
		return err
	})
	m.sent = append(m.sent, content[0])
	if free {
		return msg
	}
	got, want := content[0].sorted(), content[1].sorted()
	if msg[0].Dense != msg[1].Dense || !slices.EqualFunc(got, want, func(a, b entry) bool { return a.rank == b.rank }) {
		m.fail(i, "%s(%d): tells %v, want %v", call, r, someOf(got), someOf(want))
	}
	for k := range got {
		if same && len(content[0].values) > 0 && !m.equal(content[0].t, got[k].value, want[k].value) {
			m.fail(i, "%s(%d): rank %d has %v, want %v", call, r, got[k].rank, numbers[content[0].t].float(got[k].value), numbers[content[0].t].float(want[k].value))
		}
	}
	return msg
}

func someOf(list []entry) string {
	var ranks []uint32
	for _, e := range list {
		ranks = append(ranks, e.rank)
	}
	return some(ranks)
}

func (m *machine) equal(t program.Type, a, b program.Bits) bool {
	return a == b || m.rounding && near(t, a, b)
}

// entry is a vertex of a message.
type entry struct {
	rank  uint32
	value program.Bits
}

// sorted lists the vertices of a message by rank.
func (s sent) sorted() (list []entry) {
	for k, rank := range s.ranks {
		e := entry{rank: rank}
		if len(s.values) > 0 {
			e.value = s.values[k]
		}
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b entry) int { return int(int64(a.rank) - int64(b.rank)) })
	return list
}

// content reads a message, and fails where its form is wrong.
func (m *machine) content(rg kernels.Range, msg kernels.Message, array int) (sent, error) {
	s := sent{rg: rg, m: msg}
	if msg.Values != nil && array < 0 {
		return s, errors.New("it has values that nobody reads")
	}
	is := true
	if array >= 0 {
		if s.t = m.p.Arrays[array].Type; msg.Values != nil {
			s.values, is = numbers[s.t].list(msg.Values)
		}
	}
	padded := int(rg.Padded() - rg.First)
	switch {
	case !is:
		return s, fmt.Errorf("values are %T of array type %v", msg.Values, s.t)
	case msg.Dense && (msg.List != nil || msg.Bits != nil || msg.Count != int(rg.Vertices) || len(s.values) != padded):
		return s, fmt.Errorf("dense, Count %d, %d values, for a range of %d", msg.Count, len(s.values), rg.Vertices)
	case msg.Dense:
		for i := range rg.Vertices {
			s.ranks = append(s.ranks, rg.First+i)
		}
		return s, nil
	case array >= 0 && len(s.values) != msg.Count:
		return s, fmt.Errorf("%d values for %d ranks", len(s.values), msg.Count)
	}
	if fault := malformed(rg, msg); fault != "" {
		return s, errors.New(fault)
	}
	s.ranks = slices.Clone(told(rg, msg))
	sorted := slices.Sorted(slices.Values(s.ranks))
	if len(slices.Compact(sorted)) < len(s.ranks) || len(sorted) > 0 && (sorted[0] < rg.First || sorted[len(sorted)-1] >= rg.First+rg.Vertices) {
		return s, errors.New("a rank comes twice or is not in the range")
	}
	return s, nil
}

// unchanged fails where a message of the superstep has changed, and forgets them.
func (m *machine) unchanged() {
	m.Helper()
	for _, s := range m.sent {
		var values []program.Bits
		if s.m.Values != nil {
			values, _ = numbers[s.t].list(s.m.Values)
		}
		if !s.m.Dense && !slices.Equal(told(s.rg, s.m), s.ranks) || !slices.Equal(values, s.values) {
			m.fail(s.from, "a message of %s has changed before the next superstep", s.call)
		}
	}
	m.sent = m.sent[:0]
}

// frontier returns the sum of the counts that a call of every run returns, compared unless free.
func (m *machine) frontier(call string, free bool, get func(r kernels.Run, i, side int) (kernels.Counts, error)) (f program.Frontier) {
	m.Helper()
	t := program.U32
	least := m.p.LeastArray()
	if least >= 0 {
		t = m.p.Arrays[least].Type
	}
	f.Least = program.TopOf(t)
	for i := range m.parts {
		var c [2]kernels.Counts
		m.both(i, call, func(r kernels.Run, side int) (err error) {
			c[side], err = get(r, i, side)
			return err
		})
		arcs := m.need&kernels.NeedNextArcs != 0 && m.columns == 0
		unvisited := call == "Advance" && m.p.Edges[0].Once
		for _, k := range []struct {
			name      string
			got, want int64
			counts    bool
		}{
			{"Next", c[0].Next, c[1].Next, true},
			{"NextArcs", c[0].NextArcs, c[1].NextArcs, arcs},
			{"Unvisited", c[0].Unvisited, c[1].Unvisited, unvisited && m.need&kernels.NeedUnvisited != 0},
			{"UnvisitedArcs", c[0].UnvisitedArcs, c[1].UnvisitedArcs, unvisited && m.need&kernels.NeedUnvisitedArcs != 0 && m.columns == 0},
			{"Least", int64(c[0].Least), int64(c[1].Least), least >= 0},
		} {
			if k.counts && !free && k.got != k.want {
				m.fail(i, "%s: %s is %d, want %d", call, k.name, k.got, k.want)
			}
		}
		f.Count += max(c[0].Next, c[1].Next)
		f.Arcs += c[1].NextArcs
		for side := range c {
			if program.Less(t, c[side].Least, f.Least) && least >= 0 {
				f.Least = c[side].Least
			}
		}
	}
	return f
}

func (m *machine) VertexMap(op int, over program.Set, args ...float64) (program.Frontier, program.Reduced, error) {
	m.Helper()
	if m.failed != nil {
		return program.Frontier{}, program.Reduced{Min: math.Inf(1)}, m.failed
	}
	var four [4]float64
	copy(four[:], args)
	sums := make([][2][]program.Reduced, len(m.parts))
	f := m.frontier("VertexMap", false, func(r kernels.Run, i, side int) (kernels.Counts, error) {
		red, err := r.VertexMap(context.Background(), op, over, four)
		sums[i][side] = slices.Clone(red.Sums)
		return red.Counts, err
	})
	total := program.Reduced{Min: math.Inf(1)}
	for r, rg := range m.parts[0].Ranges {
		if rg.Vertices == 0 {
			continue
		}
		of := &sums[rg.Owner]
		if len(of[0]) != len(of[1]) {
			m.fail(rg.Owner, "VertexMap: %d sums, want %d", len(of[0]), len(of[1]))
		}
		got, want := of[0][0], of[1][0]
		of[0], of[1] = of[0][1:], of[1][1:]
		for k := range total.Sum {
			if !near(program.F64, program.Pack(got.Sum[k]), program.Pack(want.Sum[k])) {
				m.fail(rg.Owner, "VertexMap: sum %d of range %d is %v, want %v", k, r, got.Sum[k], want.Sum[k])
			}
			total.Sum[k] += got.Sum[k]
		}
		if !near(program.F64, program.Pack(got.Min), program.Pack(want.Min)) {
			m.fail(rg.Owner, "VertexMap: the minimum of range %d is %v, want %v", r, got.Min, want.Min)
		}
		total.Min = min(total.Min, got.Min)
	}
	return f, total, nil
}

func (m *machine) Local(op int) error {
	m.Helper()
	for i := range m.parts {
		m.both(i, "Local", func(r kernels.Run, _ int) error { return r.Local(context.Background(), op) })
	}
	return nil
}

// Gather returns the arrays of the runs under test.
func (m *machine) Gather(array int) (list [][]uint32, err error) {
	m.Helper()
	for i, part := range m.parts {
		m.both(i, "Whole", func(r kernels.Run, side int) error {
			whole, err := r.Whole(array)
			if err == nil && len(whole) != int(part.Ranks) {
				err = fmt.Errorf("%d entries for %d ranks", len(whole), part.Ranks)
			}
			if side == 0 {
				list = append(list, whole)
			}
			return err
		})
	}
	return list, nil
}

func (m *machine) Keep(k program.Set) error {
	m.Helper()
	for i := range m.parts {
		m.both(i, "Keep", func(r kernels.Run, _ int) error { return r.Keep(k) })
	}
	return nil
}

func (m *machine) Use(k program.Set) (program.Frontier, error) {
	m.Helper()
	return m.frontier("Use", false, func(r kernels.Run, _, _ int) (kernels.Counts, error) { return r.Use(k) }), nil
}

// claims tells whether an array's values are the choice of a processor.
func (m *machine) claims(array int) bool {
	return slices.ContainsFunc(m.p.Edges, func(e program.EdgeOp) bool { return e.To == array && e.Rows == nil && e.Combine == program.Claim })
}

// finish reads the arrays and compares them.
func (m *machine) finish() {
	m.Helper()
	m.got = nil
	for array, a := range m.p.Arrays {
		number := numbers[a.Type]
		untouched := number.of(77)
		var out [2]any
		for side := range out {
			out[side] = number.alloc(m.Vertices)
			for v := range uint32(m.Vertices) {
				number.set(out[side], v, untouched)
			}
		}
		for i := range m.parts {
			m.both(i, "Read "+a.Name, func(r kernels.Run, side int) error { return r.Read(array, out[side]) })
		}
		got, _ := number.list(out[0])
		want, _ := number.list(out[1])
		for v := range got {
			if !m.equal(a.Type, got[v], want[v]) && !m.claims(array) {
				m.Fatalf("%s: %s of vertex %d is %v, want %v", m.where, a.Name, v, number.float(got[v]), number.float(want[v]))
			}
		}
		for _, b := range m.bounds {
			if result := got[m.parts[0].VertexOf[b.rank]]; b.array == array && program.Less(a.Type, b.value, result) {
				m.fail(b.from, "Fold: rank %d was sent %v, below the result %v", b.rank, number.float(b.value), number.float(result))
			}
		}
		m.got = append(m.got, got)
	}
}

// tree collects the parents that Claims has, and checks them.
func (m *machine) tree(root uint32) {
	m.Helper()
	const untouched = uint32(1<<32 - 2)
	for side, runs := range m.runs {
		out := slices.Repeat([]uint32{untouched}, m.Vertices)
		for i, r := range runs {
			claims, is := r.(kernels.Claims)
			if !is {
				m.fail(i, "the run of a first operator with Claim and Once is no kernels.Claims")
			}
			asked, found := make([][]uint32, len(runs)), make([][]uint32, len(runs))
			for q := range runs {
				if q == i {
					continue
				}
				var err error
				if asked[q], err = claims.RemoteClaims(q); err != nil {
					m.fail(i, "RemoteClaims: %v", err)
				}
				if want, _ := m.runs[1][i].(*model).RemoteClaims(q); !slices.Equal(slices.Sorted(slices.Values(asked[q])), want) {
					m.fail(i, "RemoteClaims(%d) is %s, want %s", q, some(asked[q]), some(want))
				}
				if found[q], err = runs[q].(kernels.Claims).LookupParents(asked[q]); err != nil || len(found[q]) != len(asked[q]) {
					m.fail(q, "LookupParents: %v, %d entries for %d ranks", err, len(found[q]), len(asked[q]))
				}
			}
			if err := claims.Parents(out, asked, found); err != nil {
				m.fail(i, "Parents: %v", err)
			}
		}
		for v, u := range out {
			if m.rankOf[v] == math.MaxUint32 {
				if u != untouched {
					m.Fatalf("%s: Parents wrote vertex %d, which has no rank", m.where, v)
				}
			} else if err := m.CheckParent(root, uint32(v), u); err != nil {
				m.Fatalf("%s: Parents, side %d: %v", m.where, side, err)
			}
		}
	}
}
