package kerneltest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

// reporter is the part of *testing.T that the checks use. Fatalf does not return.
type reporter interface {
	Logf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// loaded is a placed graph with two processors a partition: the one under test and the model's.
type loaded struct {
	reporter
	*placed
	processors [2][]kernels.Processor
	before     uint64 // checksum of the parts
}

// load loads the processors, nil where one refuses its part of a grid.
func load(t reporter, p *placed, newProcessor func() kernels.Processor) *loaded {
	l := &loaded{reporter: t, placed: p, before: p.sum()}
	for i, part := range p.parts {
		for side, processor := range []kernels.Processor{newProcessor(), &serial{}} {
			if processor == nil {
				t.Fatalf("the factory returned no processor")
			}
			if k := processor.Kind(); k != kernels.CPU && k != kernels.OpenCL && k != kernels.CUDA {
				t.Fatalf("Kind is %q", k)
			}
			err := processor.Load(context.Background(), part)
			l.processors[side] = append(l.processors[side], processor)
			if errors.Is(err, kernels.ErrUnsupported) && p.columns > 0 {
				t.Logf("%s: %v", p.name, err)
				l.close()
				return nil
			}
			if err != nil {
				t.Fatalf("Load of partition %d: %v", i, err)
			}
			if got := processor.Bytes(); got < held(part) {
				t.Fatalf("partition %d: Bytes is %d, the subgraphs alone are %d", i, got, held(part))
			}
		}
	}
	return l
}

// close closes the processors, and fails where a Part was changed.
func (l *loaded) close() {
	for i, processor := range l.processors[0] {
		if err := processor.Close(); err != nil {
			l.Fatalf("Close of partition %d: %v", i, err)
		}
	}
	if l.sum() != l.before {
		l.Fatalf("the Part was changed")
	}
}

// open opens a program on all processors; it returns nil where one refuses it.
func (l *loaded) open(x *example) *machine {
	if err := x.p.Validate(); err != nil {
		l.Fatalf("%s: %v", x.name, err)
	}
	m := &machine{loaded: l, p: &x.p, where: x.name, rounding: x.rounding, least: make([]int64, len(l.parts)), most: make([]int64, len(l.parts))}
	for side, list := range l.processors {
		for i, processor := range list {
			run, err := processor.Open(context.Background(), &x.p)
			if errors.Is(err, kernels.ErrUnsupported) {
				l.Logf("%s: %v", x.name, err)
				m.close()
				return nil
			}
			if err != nil {
				m.fail(i, "Open: %v", err)
			}
			m.runs[side] = append(m.runs[side], run)
			if _, is := run.(kernels.Claims); !is && side == 0 && len(x.p.Edges) > 0 && x.p.Edges[0].Once && x.p.Edges[0].To < 0 {
				m.fail(i, "the run of a first operator with Claim and Once is no kernels.Claims")
			}
			least := int64(0)
			for _, a := range x.p.Arrays {
				for _, rg := range l.parts[i].Ranges {
					if rg.Owner == i {
						least += int64(rg.Vertices) * int64(a.Type.Size())
					}
				}
			}
			if got := processor.RunBytes(&x.p); got < least {
				m.fail(i, "RunBytes is %d, the arrays alone are %d", got, least)
			}
		}
	}
	return m
}

func (m *machine) close() {
	for _, runs := range m.runs {
		for i, r := range runs {
			if err := r.Close(); err != nil {
				m.fail(i, "Close: %v", err)
			}
		}
	}
}

// news is a message of the run under test and that of the model.
type news [2]kernels.Message

// machine is a program.Machine over two runs a partition, the one under test and the model's.
// Every call goes to both, and their results are compared. A difference ends the test, so that
// errors are the program's.
type machine struct {
	*loaded
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
	// least and most are the bounds of Counts.Examined, by partition.
	least, most []int64
	trees       int     // calls of tree
	total       float64 // what a body added up
	over        []bool  // by operator of values: its targets were odd vertices alone
	// got are the results by vertex id, an entry an array, after finish.
	got [][]program.Bits
}

// sent is a message and its content when it was sent.
type sent struct {
	from int
	call string
	rg   kernels.Range
	m    kernels.Message
	t    program.Type
	list []entry
}

// entry is a vertex of a message.
type entry struct {
	rank  uint32
	value program.Bits
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
	m.Fatalf("%s: partition %d: %s", m.where, i, fmt.Sprintf(format, args...))
}

// both calls do for the run under test and the model's of partition i.
func (m *machine) both(i int, call string, do func(r kernels.Run, side int) error) {
	for side, runs := range m.runs {
		if err := do(runs[i], side); err != nil {
			m.fail(i, "%s: %v", call, err)
		}
	}
}

// expect fails where what a body expects is not so.
func (m *machine) expect(is bool, fault string) {
	if !is && m.failed == nil {
		m.Fatalf("%s: %s", m.where, fault)
	}
}

// begin starts a run.
func (m *machine) begin(where string, need kernels.Need, seed uint64) {
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
	m.seed(rank, array, value)
	return m.Use(program.Default)
}

func (m *machine) seed(rank uint32, array int, value program.Bits) {
	for _, rg := range m.parts[0].Ranges {
		if rank >= rg.First && rank < rg.First+rg.Vertices {
			m.both(rg.Owner, "Seed", func(r kernels.Run, _ int) error { return r.Seed(rank, array, value) })
		}
	}
}

// model is the model's run of partition i.
func (m *machine) model(i int) *model { return m.runs[1][i].(*model) }

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
	return m.superstep(op, s, false), nil
}

// superstep runs one superstep of all partitions. watch expands all ranges, whatever the layout.
func (m *machine) superstep(op int, s program.Step, watch bool) program.Frontier {
	e := &m.p.Edges[op]
	expand := func(s program.Step, watch bool, takes func(i int, rg kernels.Range) bool) {
		for r, rg := range m.parts[0].Ranges {
			var msg *news
			for i := -1; i < len(m.parts); i++ {
				take := i >= 0 && takes(i, rg)
				if msg == nil && (take || i < 0 && watch) {
					sent := m.expand(op, s, r)
					msg = &sent
				}
				if take {
					m.take(i, op, s, r, *msg)
				}
			}
		}
	}
	if e.Rows == nil && (e.Map == program.Tight || e.Map == program.TightLow) && m.columns > 0 { // the values of the targets
		all := program.Step{Way: s.Way, From: program.All}
		expand(all, false, func(i int, rg kernels.Range) bool { _, target := m.ends(i, rg, e, s.Way); return target })
		m.sent = m.sent[:0] // the same ranges are expanded again
	}
	expand(s, watch, func(i int, rg kernels.Range) bool { source, _ := m.ends(i, rg, e, s.Way); return source })
	type box struct {
		r, from int
		m       news
	}
	var boxes []box
	fold := func(i int) {
		for r, rg := range m.parts[i].Ranges {
			if _, target := m.ends(i, rg, e, s.Way); target {
				boxes = append(boxes, box{r, i, m.fold(i, op, r)})
			}
		}
	}
	late := -1 // the partition that folds after it has merged
	if kernels.IsTree(m.p) {
		late = m.rng.IntN(len(m.parts)+1) - 1
	}
	for i := range m.parts {
		if m.step(i, op, s); i != late {
			fold(i)
		}
	}
	merge := func(late bool, to int) {
		for _, b := range boxes {
			if (m.parts[0].Ranges[b.r].Owner == to) == late {
				m.merge(b.r, b.from, b.m)
			}
		}
	}
	merge(true, late)
	if late >= 0 {
		fold(late)
		slices.SortStableFunc(boxes, func(a, b box) int { return cmp.Compare(a.from, b.from) })
	}
	merge(false, late)
	f := m.frontier("Advance", m.free(e), func(r kernels.Run, _, _ int) (kernels.Counts, error) { return r.Advance() })
	m.unchanged()
	return f
}

// free tells that a value may fall and be read in one step: its messages and counts are free.
func (m *machine) free(e *program.EdgeOp) bool {
	return e.Rows == nil && e.From >= 0 && e.From == e.To && (e.Combine == program.Min || e.Combine == program.Or)
}

func (m *machine) expand(op int, s program.Step, r int) news {
	e := &m.p.Edges[op]
	return m.receive(m.parts[0].Ranges[r].Owner, "Expand", r, e.From, m.free(e), true,
		func(run kernels.Run, r int) (kernels.Message, error) { return run.Expand(op, s, r) })
}

func (m *machine) take(i, op int, s program.Step, r int, msg news) {
	m.both(i, "Take", func(run kernels.Run, side int) error { return run.Take(op, s, r, msg[side]) })
}

func (m *machine) step(i, op int, s program.Step) {
	m.examine(i, s.Way)
	m.both(i, fmt.Sprintf("Step %s %+v", m.p.Edges[op].Name, s), func(r kernels.Run, _ int) error {
		name, err := r.Step(context.Background(), op, s)
		if err == nil && name == "" {
			err = errors.New("it names no kernel")
		}
		return err
	})
}

// examine sets the bounds of Counts.Examined of a tree: of a push all entries of the frontier; of a
// pull all of a row without a parent, one to all of a row with one.
func (m *machine) examine(i int, way program.Way) {
	model := m.model(i)
	m.least[i], m.most[i] = 0, 0
	if way == program.Push {
		m.least[i] = model.arcs(model.out, model.front, true)
		m.most[i] = m.least[i]
		return
	}
	for _, r := range model.in {
		if model.visited[r.rank] {
			continue
		}
		m.most[i] += int64(len(r.neighbours))
		if slices.ContainsFunc(r.neighbours, func(u uint32) bool { return model.front[u] || model.members[u] }) {
			m.least[i]++
		} else {
			m.least[i] += int64(len(r.neighbours))
		}
	}
}

func (m *machine) fold(i, op, r int) news {
	e := &m.p.Edges[op]
	free := m.free(e)
	msg := m.receive(i, "Fold", r, e.To, free, e.Rows != nil || e.Combine != program.Claim, kernels.Run.Fold)
	if free && e.Combine == program.Min {
		for _, sent := range m.sent[len(m.sent)-1].list {
			m.bounds = append(m.bounds, bound{i, e.To, sent.rank, sent.value})
		}
	}
	return msg
}

func (m *machine) merge(r, from int, msg news) {
	m.both(m.parts[0].Ranges[r].Owner, "Merge", func(run kernels.Run, side int) error { return run.Merge(r, from, msg[side]) })
}

// receive returns the messages of partition i on range r, and compares them. array has the
// values, −1 for none. Of a free step only the form is checked, and values only where same.
func (m *machine) receive(i int, call string, r, array int, free, same bool, get func(r kernels.Run, k int) (kernels.Message, error)) (msg news) {
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
	got, want := content[0].list, content[1].list
	if msg[0].Dense != msg[1].Dense || !slices.EqualFunc(got, want, func(a, b entry) bool { return a.rank == b.rank }) {
		m.fail(i, "%s(%d): tells %s, want %s", call, r, some(got), some(want))
	}
	for k := range got {
		if number := numbers[content[0].t]; same && array >= 0 && !m.equal(content[0].t, got[k].value, want[k].value) {
			m.fail(i, "%s(%d): rank %d has %v, want %v", call, r, got[k].rank, number.float(got[k].value), number.float(want[k].value))
		}
	}
	return msg
}

func (m *machine) equal(t program.Type, a, b program.Bits) bool {
	return a == b || m.rounding && near(t, a, b)
}

// entries lists the vertices of a message by rank. values are nil or in the order of the message.
func entries(rg kernels.Range, msg kernels.Message, values []program.Bits) (list []entry) {
	for _, rank := range told(rg, msg) {
		list = append(list, entry{rank: rank})
	}
	for i := range rg.Vertices {
		if msg.Dense {
			list = append(list, entry{rank: rg.First + i})
		}
	}
	for k := range list {
		if values != nil {
			list[k].value = values[k]
		}
	}
	slices.SortFunc(list, func(a, b entry) int { return cmp.Compare(a.rank, b.rank) })
	return list
}

// content reads a message, and fails where its form is wrong.
func (m *machine) content(rg kernels.Range, msg kernels.Message, array int) (sent, error) {
	s, is := sent{rg: rg, m: msg}, true
	var values []program.Bits
	if array >= 0 {
		if s.t = m.p.Arrays[array].Type; msg.Values != nil {
			values, is = numbers[s.t].list(msg.Values)
		}
	}
	padded := int(rg.Padded() - rg.First)
	switch {
	case msg.Values != nil && array < 0:
		return s, errors.New("it has values that nobody reads")
	case !is:
		return s, fmt.Errorf("values are %T of array type %v", msg.Values, s.t)
	case msg.Dense && (msg.List != nil || msg.Bits != nil || msg.Count != int(rg.Vertices) || len(values) != padded):
		return s, fmt.Errorf("dense, Count %d, %d values, for a range of %d", msg.Count, len(values), rg.Vertices)
	case !msg.Dense && array >= 0 && len(values) != msg.Count:
		return s, fmt.Errorf("%d values for %d ranks", len(values), msg.Count)
	}
	if fault := malformed(rg, msg); !msg.Dense && fault != "" {
		return s, errors.New(fault)
	}
	s.list = entries(rg, msg, values)
	return s, nil
}

// unchanged fails where a message of the superstep has changed, and forgets them.
func (m *machine) unchanged() {
	for _, s := range m.sent {
		var values []program.Bits
		if s.m.Values != nil {
			values, _ = numbers[s.t].list(s.m.Values)
		}
		if !slices.Equal(entries(s.rg, s.m, values), s.list) {
			m.fail(s.from, "a message of %s has changed before the next superstep", s.call)
		}
	}
	m.sent = m.sent[:0]
}

// frontier returns the sum of the counts that a call of every run returns, compared unless free.
func (m *machine) frontier(call string, free bool, get func(r kernels.Run, i, side int) (kernels.Counts, error)) (f program.Frontier) {
	f.Least = program.TopOf(program.U32)
	if least := m.p.LeastArray(); least >= 0 {
		f.Least = program.TopOf(m.p.Arrays[least].Type)
	}
	for i := range m.parts {
		m.count(i, call, free, &f, get)
	}
	return f
}

// count adds the counts of partition i to f.
func (m *machine) count(i int, call string, free bool, f *program.Frontier, get func(r kernels.Run, i, side int) (kernels.Counts, error)) {
	var c [2]kernels.Counts
	m.both(i, call, func(r kernels.Run, side int) (err error) {
		c[side], err = get(r, i, side)
		return err
	})
	if !free {
		m.compare(i, call, c[0], c[1])
	}
	f.Count += max(c[0].Next, c[1].Next)
	f.Arcs += c[1].NextArcs
	least := m.p.LeastArray()
	for side := range c {
		if least >= 0 && program.Less(m.p.Arrays[least].Type, c[side].Least, f.Least) {
			f.Least = c[side].Least
		}
	}
}

// compare compares the counts that the run under test returned with the model's.
func (m *machine) compare(i int, call string, got, want kernels.Counts) {
	ended := call != "Use" && call != "VertexMap" // a superstep
	unvisited := ended && m.p.Edges[0].Once
	for _, k := range []struct {
		name      string
		got, want int64
		counts    bool
	}{
		{"Next", got.Next, want.Next, true},
		{"NextArcs", got.NextArcs, want.NextArcs, m.need&kernels.NeedNextArcs != 0},
		{"Unvisited", got.Unvisited, want.Unvisited, unvisited && m.need&kernels.NeedUnvisited != 0},
		{"UnvisitedArcs", got.UnvisitedArcs, want.UnvisitedArcs, unvisited && m.need&kernels.NeedUnvisitedArcs != 0},
		{"Least", int64(got.Least), int64(want.Least), m.p.LeastArray() >= 0},
	} {
		if k.counts && k.got != k.want {
			m.fail(i, "%s: %s is %d, want %d", call, k.name, k.got, k.want)
		}
	}
	if m.need&kernels.NeedFewArcs != 0 && ended && m.columns == 0 && got.NextArcs != want.NextArcs {
		words, alone := int64(m.parts[i].Ranks/64), true
		for _, rg := range m.parts[i].Ranges {
			alone = alone && (rg.Owner == i || rg.Vertices == 0)
		}
		model := m.model(i)
		few := want.NextArcs*kernels.ManyPart <= model.arcs(model.out, model.front, true)+model.arcs(model.out, model.front, false) &&
			(!alone || want.NextArcs <= kernels.ManyTimes*want.Unvisited+words)
		if bound := got.NextArcs > want.NextArcs && got.NextArcs <= words; !bound && (got.NextArcs != -1 || few) {
			m.fail(i, "%s: NextArcs is %d, want %d", call, got.NextArcs, want.NextArcs)
		}
	}
	if m.need&kernels.NeedExamined != 0 && ended && m.columns == 0 && kernels.IsTree(m.p) && (got.Examined < m.least[i] || got.Examined > m.most[i]) {
		m.fail(i, "%s: Examined is %d, want %d … %d", call, got.Examined, m.least[i], m.most[i])
	}
}

func (m *machine) VertexMap(op int, over program.Set, args ...float64) (program.Frontier, program.Reduced, error) {
	if m.failed != nil {
		return program.Frontier{}, program.Reduced{Min: math.Inf(1)}, m.failed
	}
	var four [4]float64
	copy(four[:], args)
	sums := make([][2][]program.Reduced, len(m.parts))
	f := m.frontier("VertexMap", false, func(r kernels.Run, i, side int) (kernels.Counts, error) {
		red, err := r.VertexMap(context.Background(), op, over, four)
		if err == nil && red.Kernel == "" {
			err = errors.New("it names no kernel")
		}
		sums[i][side] = slices.Clone(red.Sums)
		return red.Counts, err
	})
	total, t := program.Reduced{Min: math.Inf(1)}, program.F64
	if m.rounding && slices.ContainsFunc(m.p.Arrays, func(a program.Array) bool { return a.Type == program.F32 }) {
		t = program.F32 // sums have the rounding of their values, which lanes add in an order of their own
	}
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
			if !nearFloats(t, got.Sum[k], want.Sum[k]) {
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
	for i := range m.parts {
		m.both(i, "Local", func(r kernels.Run, _ int) error { return r.Local(context.Background(), op) })
	}
	return nil
}

// Gather returns the arrays of the runs under test.
func (m *machine) Gather(array int) (list [][]uint32, err error) {
	for i := range m.parts {
		var whole [2][]uint32
		m.both(i, "Whole", func(r kernels.Run, side int) (err error) {
			whole[side], err = r.Whole(array)
			return err
		})
		if !slices.Equal(whole[0], whole[1]) {
			m.fail(i, "Whole: %s, want %s", some(whole[0]), some(whole[1]))
		}
		list = append(list, whole[0])
	}
	return list, nil
}

func (m *machine) Keep(k program.Set) error {
	for i := range m.parts {
		m.both(i, "Keep", func(r kernels.Run, _ int) error { return r.Keep(k) })
	}
	return nil
}

func (m *machine) Use(k program.Set) (program.Frontier, error) {
	return m.frontier("Use", false, func(r kernels.Run, _, _ int) (kernels.Counts, error) { return r.Use(k) }), nil
}

// claims tells whether an array's values are the choice of a processor.
func (m *machine) claims(array int) bool {
	return slices.ContainsFunc(m.p.Edges, func(e program.EdgeOp) bool { return e.To == array && e.Rows == nil && e.Combine == program.Claim })
}

// finish reads the arrays and compares them.
func (m *machine) finish() {
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

// tree collects the parents that Claims has, and checks them. Every second time those of
// kernels.DeviceResults come in two parts.
func (m *machine) tree(root uint32) {
	m.trees++
	const untouched = graph.None - 1
	vertexOf, runs := m.parts[0].VertexOf, m.runs[0]
	for i, r := range runs {
		claims := r.(kernels.Claims)
		asked, found := make([][]uint32, len(runs)), make([][]uint32, len(runs))
		for q := range runs {
			if q == i {
				continue
			}
			var err error
			asked[q] = m.remote(i, q)
			if found[q], err = runs[q].(kernels.Claims).LookupParents(asked[q]); err != nil || len(found[q]) != len(asked[q]) {
				m.fail(q, "LookupParents: %v, %d entries for %d ranks", err, len(found[q]), len(asked[q]))
			}
			for k, rank := range found[q] {
				if int(rank) >= len(vertexOf) || vertexOf[rank] == graph.None || m.CheckParent(root, vertexOf[asked[q][k]], vertexOf[rank]) != nil {
					m.fail(q, "LookupParents: rank %d is no parent of rank %d", rank, asked[q][k])
				}
			}
		}
		out := slices.Repeat([]uint32{untouched}, m.Vertices)
		device, is := r.(kernels.DeviceResults)
		var err error
		if is && m.trees%2 == 0 {
			if err = device.Resolve(asked, found); err == nil {
				err = device.CopyTo(out)
			}
		} else {
			err = claims.Parents(out, asked, found)
		}
		if err != nil {
			m.fail(i, "Parents: %v", err)
		}
		for v, u := range out {
			switch own := m.rankOf[v] != graph.None && m.model(i).own(m.rankOf[v]); {
			case !own && u != untouched:
				m.fail(i, "Parents wrote vertex %d, which is not its own", v)
			case own && u == untouched:
				m.fail(i, "Parents did not write vertex %d", v)
			case own && m.CheckParent(root, uint32(v), u) != nil:
				m.fail(i, "Parents: %d is no parent of %d", u, v)
			}
		}
	}
}

// remote returns the list of vertices of partition i that partition q found.
func (m *machine) remote(i, q int) []uint32 {
	got, err := m.runs[0][i].(kernels.Claims).RemoteClaims(q)
	if err != nil {
		m.fail(i, "RemoteClaims: %v", err)
	}
	if want := m.model(i).remoteClaims(q); !slices.Equal(slices.Sorted(slices.Values(got)), want) {
		m.fail(i, "RemoteClaims(%d) is %s, want %s", q, some(got), some(want))
	}
	return got
}

// malformed says what is wrong with the form of a set of vertices of a range, "" if nothing.
func malformed(rg kernels.Range, m kernels.Message) string {
	padded := int(rg.Padded() - rg.First)
	switch {
	case m.List != nil && m.Bits != nil:
		return "both a list and a bitmap"
	case m.Count == 0 && (len(m.List) > 0 || len(m.Bits) > 0):
		return "an empty message has a list or a bitmap"
	case m.Count > 0 && m.List == nil && len(m.Bits) != padded/32:
		return fmt.Sprintf("%d words for %d ranks", len(m.Bits), padded)
	case m.List != nil && !kernels.AsList(m.Count, padded):
		return fmt.Sprintf("%d of %d ranks told as a list", m.Count, padded)
	case m.Count > 0 && m.List == nil && kernels.AsList(m.Count, int(rg.Vertices)):
		return fmt.Sprintf("%d of %d ranks told as a bitmap", m.Count, padded)
	}
	ranks := told(rg, m)
	if len(ranks) != m.Count {
		return fmt.Sprintf("Count is %d, %d ranks are told", m.Count, len(ranks))
	}
	sorted := slices.Sorted(slices.Values(ranks))
	if len(slices.Compact(sorted)) < len(ranks) || len(sorted) > 0 && (sorted[0] < rg.First || sorted[len(sorted)-1] >= rg.First+rg.Vertices) {
		return "a rank comes twice or is not in the range"
	}
	return ""
}

// some prints the first 12 of a list.
func some[T uint32 | entry](list []T) string {
	if len(list) > 12 {
		return fmt.Sprintf("%d ranks %v…", len(list), list[:12])
	}
	return fmt.Sprintf("%d ranks %v", len(list), list)
}
