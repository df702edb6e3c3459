package kerneltest

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

// recorder stands in for a *testing.T and keeps the first failure.
type recorder struct{ failure string }

func (*recorder) Logf(string, ...any) {}

func (r *recorder) Fatalf(format string, args ...any) {
	r.failure = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// fault breaks one rule of a run: each function, if set, takes the place of a method.
type fault struct {
	load     func(part *kernels.Part)
	compile  func(p *program.Program)
	open     func(m *model)
	begin    func(m *model, need kernels.Need) error
	seed     func(m *model, rank uint32, array int, value program.Bits) error
	expand   func(m *model, op int, s program.Step, r int) (kernels.Message, error)
	take     func(m *model, op int, s program.Step, r int, msg kernels.Message) error
	step     func(m *model, ctx context.Context, op int, s program.Step) (string, error)
	fold     func(m *model, r int) (kernels.Message, error)
	merge    func(m *model, r, from int, msg kernels.Message) error
	advance  func(m *model) (kernels.Counts, error)
	vertices func(m *model, op int, over program.Set, args [4]float64) (kernels.Reduced, error)
	local    func(m *model, op int) error
	keep     func(m *model, k program.Set) error
	use      func(m *model, k program.Set) (kernels.Counts, error)
	whole    func(m *model, array int) ([]uint32, error)
	read     func(m *model, array int, out any) error
	remote   func(m *model, q int) ([]uint32, error)
	lookup   func(m *model, ranks []uint32) ([]uint32, error)
	parents  func(m *model, out []uint32, claims, found [][]uint32) error
	copied   func(m *model, out []uint32) // after CopyTo
	many     string                       // how StepMany goes wrong; the zero value has none
	tree     bool                         // the processor refuses other programs
}

type faultyProcessor struct {
	serial
	fault fault
}

func (l *faultyProcessor) Load(ctx context.Context, part *kernels.Part) error {
	if l.fault.load != nil {
		l.fault.load(part)
	}
	return l.serial.Load(ctx, part)
}

func (l *faultyProcessor) Open(ctx context.Context, p *program.Program) (kernels.Run, error) {
	if l.fault.tree && !kernels.IsTree(p) {
		return nil, kernels.ErrUnsupported
	}
	own := *p
	own.Arrays, own.Edges, own.Vertices = slices.Clone(p.Arrays), slices.Clone(p.Edges), slices.Clone(p.Vertices)
	if l.fault.compile != nil {
		l.fault.compile(&own)
	}
	run, err := l.serial.Open(ctx, &own)
	m := run.(*model)
	if l.fault.open != nil {
		l.fault.open(m)
	}
	return &faulty{model: m, fault: l.fault}, err
}

type faulty struct {
	*model
	fault         fault
	claims, found [][]uint32
	before        [][2][]bool // by superstep of StepMany: front and visited before it
}

func (f *faulty) Begin(need kernels.Need) error {
	if f.fault.begin != nil {
		return f.fault.begin(f.model, need)
	}
	return f.model.Begin(need)
}

func (f *faulty) Seed(rank uint32, array int, value program.Bits) error {
	if f.fault.seed != nil {
		return f.fault.seed(f.model, rank, array, value)
	}
	return f.model.Seed(rank, array, value)
}

func (f *faulty) Expand(op int, s program.Step, r int) (kernels.Message, error) {
	if f.fault.expand != nil {
		return f.fault.expand(f.model, op, s, r)
	}
	return f.model.Expand(op, s, r)
}

func (f *faulty) Take(op int, s program.Step, r int, msg kernels.Message) error {
	if f.fault.take != nil {
		return f.fault.take(f.model, op, s, r, msg)
	}
	return f.model.Take(op, s, r, msg)
}

func (f *faulty) Step(ctx context.Context, op int, s program.Step) (string, error) {
	if f.fault.step != nil {
		return f.fault.step(f.model, ctx, op, s)
	}
	return f.model.Step(ctx, op, s)
}

func (f *faulty) Fold(r int) (kernels.Message, error) {
	if f.fault.fold != nil {
		return f.fault.fold(f.model, r)
	}
	return f.model.Fold(r)
}

func (f *faulty) Merge(r, from int, msg kernels.Message) error {
	if f.fault.merge != nil {
		return f.fault.merge(f.model, r, from, msg)
	}
	return f.model.Merge(r, from, msg)
}

func (f *faulty) Advance() (kernels.Counts, error) {
	if f.fault.advance != nil {
		return f.fault.advance(f.model)
	}
	return f.model.Advance()
}

func (f *faulty) VertexMap(ctx context.Context, op int, over program.Set, args [4]float64) (kernels.Reduced, error) {
	if f.fault.vertices != nil {
		return f.fault.vertices(f.model, op, over, args)
	}
	return f.model.VertexMap(ctx, op, over, args)
}

func (f *faulty) Local(ctx context.Context, op int) error {
	if f.fault.local != nil {
		return f.fault.local(f.model, op)
	}
	return f.model.Local(ctx, op)
}

func (f *faulty) Keep(k program.Set) error {
	if f.fault.keep != nil {
		return f.fault.keep(f.model, k)
	}
	return f.model.Keep(k)
}

func (f *faulty) Use(k program.Set) (kernels.Counts, error) {
	if f.fault.use != nil {
		return f.fault.use(f.model, k)
	}
	return f.model.Use(k)
}

func (f *faulty) Whole(array int) ([]uint32, error) {
	if f.fault.whole != nil {
		return f.fault.whole(f.model, array)
	}
	return f.model.Whole(array)
}

func (f *faulty) Read(array int, out any) error {
	if f.fault.read != nil {
		return f.fault.read(f.model, array, out)
	}
	return f.model.Read(array, out)
}

func (f *faulty) RemoteClaims(q int) ([]uint32, error) {
	if f.fault.remote != nil {
		return f.fault.remote(f.model, q)
	}
	return f.model.RemoteClaims(q)
}

func (f *faulty) LookupParents(ranks []uint32) ([]uint32, error) {
	if f.fault.lookup != nil {
		return f.fault.lookup(f.model, ranks)
	}
	return f.model.LookupParents(ranks)
}

func (f *faulty) Parents(out []uint32, claims, found [][]uint32) error {
	if f.fault.parents != nil {
		return f.fault.parents(f.model, out, claims, found)
	}
	return f.model.Parents(out, claims, found)
}

func (f *faulty) Resolve(claims, found [][]uint32) error {
	f.claims, f.found = claims, found
	return nil
}

func (f *faulty) CopyTo(out []uint32) error {
	err := f.Parents(out, f.claims, f.found)
	if f.fault.copied != nil {
		f.fault.copied(f.model, out)
	}
	return err
}

func (f *faulty) MultiStepLimits() kernels.MultiStepLimits {
	if f.fault.many == "" {
		return kernels.MultiStepLimits{}
	}
	return kernels.MultiStepLimits{Levels: 8, Vertices: 64, Arcs: 256}
}

// StepMany goes wrong in the way that the fault names.
func (f *faulty) StepMany(ctx context.Context, levels int) (string, []kernels.Counts, error) {
	m, way := f.model, f.fault.many
	f.before = nil
	var list []kernels.Counts
	for len(list) < min(levels, 8) {
		n, arcs := m.counts().Next, max(m.arcs(m.out, m.front, true), m.arcs(m.in, m.front, true))
		if n == 0 && len(list) > 0 || (n > 64 || arcs > 256) && way != "outgrown" || len(list) == 2 && way == "early" {
			break
		}
		if m.leaves() && way != "foreign" {
			for _, r := range m.out {
				if way == "remains" && m.front[r.rank] && len(r.neighbours) > 0 { // it has begun to claim
					m.visited[r.neighbours[0]] = true
				}
			}
			break
		}
		f.before = append(f.before, [2][]bool{slices.Clone(m.front), slices.Clone(m.visited)})
		_, _ = m.Step(ctx, 0, push)
		c, _ := m.Advance()
		list = append(list, c)
	}
	if len(list) > 1 && way == "counts" {
		list[1].Unvisited++
	}
	for rank := range m.part.Ranks {
		if len(list) > 1 && way == "parents" && m.front[rank] {
			m.parent[rank] = rank
		}
	}
	return "several", list, nil
}

func (f *faulty) Undo(n int) error {
	before := f.before[len(f.before)-n]
	copy(f.front, before[0])
	if f.fault.many != "undone" { // it leaves vertices visited
		copy(f.visited, before[1])
	}
	return nil
}

// edges changes every edge operator of a program.
func edges(change func(e *program.EdgeOp)) fault {
	return fault{compile: func(p *program.Program) {
		for i := range p.Edges {
			change(&p.Edges[i])
		}
	}}
}

// inits changes every array of a program.
func inits(change func(a *program.Array)) fault {
	return fault{compile: func(p *program.Program) {
		for i := range p.Arrays {
			change(&p.Arrays[i])
		}
	}}
}

// steps changes every step.
func steps(change func(m *model, s *program.Step)) fault {
	return fault{step: func(m *model, ctx context.Context, op int, s program.Step) (string, error) {
		change(m, &s)
		return m.Step(ctx, op, s)
	}}
}

// folds changes every message of Fold.
func folds(change func(m *model, msg *kernels.Message)) fault {
	return fault{fold: func(m *model, r int) (kernels.Message, error) {
		msg, err := m.Fold(r)
		change(m, &msg)
		return msg, err
	}}
}

// advances changes the run and its counts after every superstep.
func advances(change func(m *model, c *kernels.Counts)) fault {
	return fault{advance: func(m *model) (kernels.Counts, error) {
		c, err := m.Advance()
		change(m, &c)
		return c, err
	}}
}

// begins starts a run and then lets change keep what was before.
func begins(change func(m *model, before model)) fault {
	return fault{begin: func(m *model, need kernels.Need) error {
		before := *m
		err := m.Begin(need)
		change(m, before)
		return err
	}}
}

// one returns the first own vertex of a set.
func one(m *model, set []bool) (uint32, bool) {
	for rank := range m.part.Ranks {
		if m.own(rank) && set[rank] {
			return rank, true
		}
	}
	return 0, false
}

func reverse(m *model, s any, t program.Type) {
	list, _ := numbers[t].list(s)
	for i, b := range list {
		numbers[t].set(s, uint32(len(list)-1-i), b)
	}
}

// sets is vertex operators that a fault's function wraps.
func blocks(wrap func(do func(*program.Block)) func(*program.Block)) fault {
	return fault{compile: func(p *program.Program) {
		for i := range p.Vertices {
			p.Vertices[i].Block = wrap(p.Vertices[i].Block)
		}
	}}
}

// careless is a user's operator that goes wrong in the way of a number.
type careless struct {
	weighted[float64]
	way int
}

func (c careless) Push(u uint32, from float64, row []uint32, w []float64, out []float64) {
	c.weighted.Push(u, from, row, w, out)
	if c.way == 0 && len(out) > 1 {
		out[0], out[1] = out[1], out[0]
	}
}

func (c careless) Combine(to *float64, v float64) bool {
	if c.way == 1 {
		*to = v
		return true
	}
	return c.weighted.Combine(to, v) && c.way != 2
}

func (c careless) Pull(v uint32, row []uint32, w []float64, from []float64, set []uint64, to float64) (float64, bool) {
	switch c.way {
	case 3:
		set = nil
	case 4:
		w = nil
	}
	return c.weighted.Pull(v, row, w, from, set, to)
}

func users(way int) fault {
	return edges(func(e *program.EdgeOp) {
		if _, is := e.Rows.(weighted[float64]); is {
			e.Rows = careless{way: way}
		}
	})
}

// faults are the rules that TestBrokenRuns breaks.
func faults() map[string]func() fault {
	f := func(x fault) func() fault { return func() fault { return x } }
	swap := func(m map[program.Combine]program.Combine) func() fault {
		return f(edges(func(e *program.EdgeOp) {
			if to, is := m[e.Combine]; is && e.Rows == nil {
				e.Combine = to
			}
		}))
	}
	return map[string]func() fault{
		"arcs go backward": f(edges(func(e *program.EdgeOp) { e.Arcs = program.Backward })),
		"arcs go forward":  f(edges(func(e *program.EdgeOp) { e.Arcs = program.Forward })),
		"arcs go both ways": f(edges(func(e *program.EdgeOp) {
			if e.Arcs == program.Forward {
				e.Arcs = program.Both
			}
		})),
		"weights are 1": f(fault{open: func(m *model) {
			for _, list := range [][]row{m.out, m.in} {
				for i := range list {
					list[i].weights = nil
				}
			}
		}}),
		"Plus is Copy": f(edges(func(e *program.EdgeOp) {
			if e.Map == program.Plus {
				e.Map = program.Copy
			}
		})),
		"tight arcs that are not strict": f(edges(func(e *program.EdgeOp) {
			if e.Map == program.TightLow {
				e.Map = program.Tight
			}
		})),
		"tight arcs are all strict": f(edges(func(e *program.EdgeOp) {
			if e.Map == program.Tight {
				e.Map = program.TightLow
			}
		})),
		"Once is ignored":  f(edges(func(e *program.EdgeOp) { e.Once = false })),
		"Known is ignored": f(edges(func(e *program.EdgeOp) { e.Known = 0 })),
		"Min is Or":        swap(map[program.Combine]program.Combine{program.Min: program.Or}),
		"Sum is Min":       swap(map[program.Combine]program.Combine{program.Sum: program.Min}),
		"Or is Sum":        swap(map[program.Combine]program.Combine{program.Or: program.Sum}),
		"the rank instead of the id": f(inits(func(a *program.Array) {
			if a.Init == program.ID {
				a.Init = program.Rank
			}
		})),
		"Top is 0": f(inits(func(a *program.Array) {
			if a.Init == program.Top {
				a.Init = program.Zero
			}
		})),
		"None is 0": f(inits(func(a *program.Array) {
			if a.Init == program.None {
				a.Init = program.Zero
			}
		})),
		"results are ranks":                 f(inits(func(a *program.Array) { a.Ranks = false })),
		"numbers are taken for ranks":       f(inits(func(a *program.Array) { a.Ranks = a.Ranks || a.Init == program.Rank })),
		"a user's values out of order":      f(users(0)),
		"a user's values replace others":    f(users(1)),
		"a user's vertices never join":      f(users(2)),
		"a user's operator gets no set":     f(users(3)),
		"a user's operator gets no weights": f(users(4)),
		"local repetition on a grid":        f(fault{open: func(m *model) { m.whole = true }}),
		"the last row is lost":              f(fault{open: func(m *model) { m.out = m.out[:max(0, len(m.out)-1)] }}),
		"the last row of a pull is lost":    f(fault{open: func(m *model) { m.in = m.in[:max(0, len(m.in)-1)] }}),
		"only own vertices are sources":     f(fault{take: func(*model, int, program.Step, int, kernels.Message) error { return nil }}),
		"a foreign value is read without a message": f(fault{take: func(m *model, op int, s program.Step, r int, msg kernels.Message) error {
			err := m.Take(op, s, r, msg)
			for rank := range m.part.Ranks {
				if m.known[rank] {
					m.value[rank] = m.get(m.p.Edges[op].From, rank)
				}
			}
			return err
		}}),
		"taken values last": func() fault {
			old := map[*model]map[uint32]program.Bits{}
			return fault{take: func(m *model, op int, s program.Step, r int, msg kernels.Message) error {
				err := m.Take(op, s, r, msg)
				if old[m] == nil {
					old[m] = map[uint32]program.Bits{}
				}
				for rank := range m.part.Ranks {
					if !m.known[rank] {
						continue
					}
					if _, is := old[m][rank]; !is {
						old[m][rank] = m.value[rank]
					}
					m.value[rank] = old[m][rank]
				}
				return err
			}}
		},
		"what was taken is not visited": f(fault{take: func(m *model, op int, s program.Step, r int, msg kernels.Message) error {
			visited := slices.Clone(m.visited)
			err := m.Take(op, s, r, msg)
			m.visited = visited
			return err
		}}),
		"From is every vertex": f(steps(func(m *model, s *program.Step) { s.From = program.All })),
		"From is the frontier": f(fault{
			expand: func(m *model, op int, s program.Step, r int) (kernels.Message, error) {
				if s.From > 0 {
					s.From = program.Default
				}
				return m.Expand(op, s, r)
			},
			step: func(m *model, ctx context.Context, op int, s program.Step) (string, error) {
				if s.From > 0 {
					s.From = program.Default
				}
				return m.Step(ctx, op, s)
			}}),
		"Over is ignored": f(steps(func(m *model, s *program.Step) { s.Over = program.Default })),
		"Merge ignores Over": f(fault{merge: func(m *model, r, from int, msg kernels.Message) error {
			over := m.step.Over
			m.step.Over = program.Default
			err := m.Merge(r, from, msg)
			m.step.Over = over
			return err
		}}),
		"those that wait are lost": f(steps(func(m *model, s *program.Step) {
			for rank := range m.front {
				if s.Below != 0 && m.front[rank] && !m.below(&m.p.Edges[0], *s, uint32(rank)) {
					m.front[rank] = false
				}
			}
		})),
		"a step that was cancelled runs": f(fault{step: func(m *model, _ context.Context, op int, s program.Step) (string, error) {
			return m.Step(context.Background(), op, s)
		}}),
		"a step without a name": f(fault{step: func(m *model, ctx context.Context, op int, s program.Step) (string, error) {
			_, err := m.Step(ctx, op, s)
			return "", err
		}}),
		"a lost vertex in a message": f(folds(func(m *model, msg *kernels.Message) {
			if msg.List != nil {
				msg.List = msg.List[:len(msg.List)-1]
				if msg.Count--; msg.Count == 0 {
					*msg = kernels.Message{}
				} else if t := m.p.Edges[m.op].To; t >= 0 {
					msg.Values = numbers[m.typeOf(t)].slice(msg.Values, 0, uint32(msg.Count))
				}
			}
		})),
		"values out of order": f(folds(func(m *model, msg *kernels.Message) {
			if msg.Values != nil {
				reverse(m, msg.Values, m.typeOf(m.p.Edges[m.op].To))
			}
		})),
		"a wrong value": f(folds(func(m *model, msg *kernels.Message) {
			if e := m.p.Edges[m.op]; msg.Values != nil && e.Combine == program.Sum {
				number := numbers[m.typeOf(e.To)]
				number.set(msg.Values, 0, number.sum(number.get(msg.Values, 0), number.of(1)))
			}
		})),
		"no values": f(folds(func(m *model, msg *kernels.Message) { msg.Values = nil })),
		"values that nobody reads": f(folds(func(m *model, msg *kernels.Message) {
			if msg.Values == nil {
				msg.Values = make([]uint32, msg.Count)
			}
		})),
		"bitmaps only": f(fault{fold: func(m *model, r int) (kernels.Message, error) {
			msg, err := m.Fold(r)
			return tell(m.part.Ranges[r], false, told(m.part.Ranges[r], msg)), err
		}}),
		"the last value is sent": f(fault{step: func(m *model, ctx context.Context, op int, s program.Step) (string, error) {
			name, err := m.Step(ctx, op, s)
			if e := m.p.Edges[op]; e.Rows == nil && e.Combine == program.Sum && e.From >= 0 {
				for _, r := range m.out {
					for _, v := range r.neighbours {
						if _, is := m.reached[v]; is && m.has(s.From, r.rank) && m.own(r.rank) {
							m.reached[v] = m.get(e.From, r.rank)
						}
					}
				}
			}
			return name, err
		}}),
		"sent vertices come again": f(fault{step: func(m *model, ctx context.Context, op int, s program.Step) (string, error) {
			for rank := range m.visited {
				m.visited[rank] = m.visited[rank] && m.own(uint32(rank))
			}
			return m.Step(ctx, op, s)
		}}),
		"a set that is larger than From": f(fault{expand: func(m *model, op int, s program.Step, r int) (kernels.Message, error) {
			front := m.front
			if m.front = slices.Clone(front); s.From == program.Default {
				m.front[m.part.Ranges[r].First] = true
			}
			msg, err := m.Expand(op, s, r)
			m.front = front
			return msg, err
		}}),
		"all vertices as a set": f(fault{expand: func(m *model, op int, s program.Step, r int) (kernels.Message, error) {
			msg, err := m.Expand(op, s, r)
			if msg.Dense {
				set := make([]bool, m.part.Ranks)
				for i := range m.part.Ranges[r].Vertices {
					set[m.part.Ranges[r].First+i] = true
				}
				from := m.p.Edges[op].From
				return m.message(r, set, m.typeOf(from), func(rank uint32) program.Bits { return m.get(from, rank) }), err
			}
			return msg, err
		}}),
		"a message is the array": f(fault{expand: func(m *model, op int, s program.Step, r int) (kernels.Message, error) {
			msg, err := m.Expand(op, s, r)
			if rg, from := m.part.Ranges[r], m.p.Edges[op].From; msg.Dense {
				msg.Values = numbers[m.typeOf(from)].slice(m.arrays[from], rg.First, rg.Padded())
			}
			return msg, err
		}}),
		"Merge takes any value of Min": f(fault{merge: func(m *model, r, from int, msg kernels.Message) error {
			err := m.Merge(r, from, msg)
			if e := m.p.Edges[m.op]; e.Rows == nil && e.Combine == program.Min {
				for i, rank := range told(m.part.Ranges[r], msg) {
					m.set(e.To, rank, numbers[m.typeOf(e.To)].get(msg.Values, uint32(i)))
				}
			}
			return err
		}}),
		"Merge joins all": f(fault{merge: func(m *model, r, from int, msg kernels.Message) error {
			err := m.Merge(r, from, msg)
			for _, rank := range told(m.part.Ranges[r], msg) {
				m.next[rank] = true
			}
			return err
		}}),
		"Merge joins none": f(fault{merge: func(m *model, r, from int, msg kernels.Message) error {
			next := slices.Clone(m.next)
			err := m.Merge(r, from, msg)
			m.next = next
			return err
		}}),
		"Merge of one sender only": func() fault {
			first := map[*model]int{}
			return fault{merge: func(m *model, r, from int, msg kernels.Message) error {
				if q, is := first[m]; !is {
					first[m] = from
				} else if q != from {
					return nil
				}
				return m.Merge(r, from, msg)
			}}
		},
		"the last sender is the finder": f(fault{merge: func(m *model, r, from int, msg kernels.Message) error {
			err := m.Merge(r, from, msg)
			for _, rank := range told(m.part.Ranges[r], msg) {
				if m.next[rank] {
					m.finder[rank] = from
				}
			}
			return err
		}}),
		"a frontier that misses a vertex": f(advances(func(m *model, c *kernels.Counts) {
			if rank, is := one(m, m.front); is {
				m.front[rank] = false
			}
		})),
		"the count of a frontier that misses a vertex": f(advances(func(m *model, c *kernels.Counts) { c.Next = max(0, c.Next-1) })),
		"visited vertices are forgotten":               f(advances(func(m *model, c *kernels.Counts) { clear(m.visited) })),
		"arcs of the frontier are in-arcs": f(advances(func(m *model, c *kernels.Counts) {
			c.NextArcs = 0
			for _, r := range m.in {
				if m.own(r.rank) && m.front[r.rank] {
					c.NextArcs += int64(len(r.neighbours))
				}
			}
		})),
		"all are unvisited":     f(advances(func(m *model, c *kernels.Counts) { c.Unvisited++ })),
		"no arcs are unvisited": f(advances(func(m *model, c *kernels.Counts) { c.UnvisitedArcs = 0 })),
		"the least of all vertices": f(advances(func(m *model, c *kernels.Counts) {
			if a := m.p.LeastArray(); a >= 0 {
				for rank := range m.part.Ranks {
					if b := m.get(a, rank); m.own(rank) && program.Less(m.typeOf(a), b, c.Least) {
						c.Least = b
					}
				}
			}
		})),
		"no least after Use": f(fault{use: func(m *model, k program.Set) (kernels.Counts, error) {
			c, err := m.Use(k)
			c.Least = 0
			return c, err
		}}),
		"sums of rows in another order": func() fault {
			calls := 0
			return steps(func(m *model, s *program.Step) {
				if calls++; calls/len(m.part.Ranges)%2 == 1 {
					for _, r := range m.in {
						slices.Reverse(r.neighbours)
						slices.Reverse(r.weights)
					}
				}
			})
		},
		"sums of blocks in another order": func() fault {
			var even, odd []float64 // as two threads might add them
			return blocks(func(do func(*program.Block)) func(*program.Block) {
				return func(b *program.Block) {
					do(b)
					if b.Args[1] != -5 {
						return
					}
					even, odd = append(odd, b.Sum[0]), even
					if b.Sum[0] = 0; slices.Contains(program.Of[uint32](b, 1), 1) {
						for _, x := range append(even, odd...) {
							b.Sum[0] += x
						}
						even, odd = nil, nil
					}
				}
			})
		},
		"one sum for all ranges": f(fault{vertices: func(m *model, op int, over program.Set, args [4]float64) (kernels.Reduced, error) {
			red, err := m.VertexMap(context.Background(), op, over, args)
			red.Sums = red.Sums[:min(1, len(red.Sums))]
			return red, err
		}}),
		"no minimum": f(blocks(func(do func(*program.Block)) func(*program.Block) {
			return func(b *program.Block) { do(b); b.Min = 0 }
		})),
		"no arguments": f(blocks(func(do func(*program.Block)) func(*program.Block) {
			return func(b *program.Block) { b.Args = [4]float64{}; do(b) }
		})),
		"no vertex leaves the set": f(blocks(func(do func(*program.Block)) func(*program.Block) {
			return func(b *program.Block) {
				set := slices.Clone(b.Set)
				do(b)
				copy(b.Set, set)
			}
		})),
		"VertexMap is over all": f(fault{vertices: func(m *model, op int, _ program.Set, args [4]float64) (kernels.Reduced, error) {
			return m.VertexMap(context.Background(), op, program.All, args)
		}}),
		"VertexMap keeps the frontier": f(fault{vertices: func(m *model, op int, over program.Set, args [4]float64) (kernels.Reduced, error) {
			front := slices.Clone(m.front)
			red, err := m.VertexMap(context.Background(), op, over, args)
			copy(m.front, front)
			return red, err
		}}),
		"Keep aliases the frontier": f(fault{keep: func(m *model, k program.Set) error {
			m.sets[k] = m.front
			return nil
		}}),
		"Keep keeps the first set": f(fault{keep: func(m *model, k program.Set) error {
			if m.sets[k] != nil {
				return nil
			}
			return m.Keep(k)
		}}),
		"Use of an empty set changes nothing": f(fault{use: func(m *model, k program.Set) (kernels.Counts, error) {
			if k > 0 && m.sets[k] == nil {
				k = program.Default
			}
			return m.Use(k)
		}}),
		"Use changes nothing": f(fault{use: func(m *model, k program.Set) (kernels.Counts, error) { return m.Use(program.Default) }}),
		"a seed is not visited": f(fault{seed: func(m *model, rank uint32, array int, value program.Bits) error {
			err := m.Seed(rank, array, value)
			m.visited[rank] = false
			return err
		}}),
		"a seed has no value": f(fault{seed: func(m *model, rank uint32, array int, value program.Bits) error { return m.Seed(rank, -1, value) }}),
		"a seed is alone": f(fault{seed: func(m *model, rank uint32, array int, value program.Bits) error {
			clear(m.front)
			return m.Seed(rank, array, value)
		}}),
		"a seed is not its own parent": f(fault{seed: func(m *model, rank uint32, array int, value program.Bits) error {
			err := m.Seed(rank, array, value)
			m.parent[rank] = rank ^ 1
			return err
		}}),
		"Begin keeps arrays":       f(begins(func(m *model, before model) { m.arrays = before.arrays })),
		"Begin keeps visited":      f(begins(func(m *model, before model) { m.visited = before.visited })),
		"Begin keeps sets":         f(begins(func(m *model, before model) { m.sets = before.sets })),
		"Begin keeps the frontier": f(begins(func(m *model, before model) { m.front = before.front })),
		"two runs share visited": func() fault {
			shared := map[int][]bool{}
			return begins(func(m *model, _ model) {
				if shared[m.part.Index] == nil {
					shared[m.part.Index] = m.visited
				}
				m.visited = shared[m.part.Index]
				clear(m.visited)
			})
		},
		"a local operator sees no arcs": f(fault{local: func(m *model, op int) error {
			out := m.out
			m.out = nil
			err := m.Local(context.Background(), op)
			m.out = out
			return err
		}}),
		"Whole is a copy of the initial values": f(fault{whole: func(m *model, array int) ([]uint32, error) {
			list := make([]uint32, m.part.Ranks)
			for i := range list {
				list[i] = uint32(i)
			}
			return list, nil
		}}),
		"Whole is of own ranks": f(fault{whole: func(m *model, array int) ([]uint32, error) {
			list, err := m.Whole(array)
			return list[:len(list)/2], err
		}}),
		"results by rank": f(fault{read: func(m *model, array int, out any) error {
			for rank := range m.part.Ranks {
				if m.own(rank) && int(rank) < len(m.part.RankOf) {
					numbers[m.typeOf(array)].set(out, rank, m.get(array, rank))
				}
			}
			return nil
		}}),
		"results of foreign vertices": f(fault{read: func(m *model, array int, out any) error {
			owner := m.owner
			if m.p.Arrays[array].Ranks {
				return m.Read(array, out)
			}
			m.owner = slices.Clone(owner)
			for rank, q := range owner {
				if q >= 0 {
					m.owner[rank] = m.part.Index
				}
			}
			err := m.Read(array, out)
			m.owner = owner
			return err
		}}),
		"RemoteClaims is empty": f(fault{remote: func(*model, int) ([]uint32, error) { return nil, nil }}),
		"LookupParents is sorted": f(fault{lookup: func(m *model, ranks []uint32) ([]uint32, error) {
			list, err := m.LookupParents(ranks)
			slices.Sort(list)
			return list, err
		}}),
		"LookupParents is in vertex ids": f(fault{lookup: func(m *model, ranks []uint32) ([]uint32, error) {
			list, err := m.LookupParents(ranks)
			for i := range list {
				list[i] = m.part.VertexOf[list[i]]
			}
			return list, err
		}}),
		"the Part is changed": f(fault{load: func(part *kernels.Part) {
			for _, s := range part.Subgraphs {
				if s != nil && s.Out != nil && len(s.Out.FirstNeighbours) > 0 {
					s.Out.FirstNeighbours[0]++
				}
			}
		}}),
	}
}

// TestBrokenRuns proves that the kit can fail: each run breaks one rule.
func TestBrokenRuns(t *testing.T) {
	list := cases(false, examples())
	all := faults()
	for name, broken := range treeFaults() {
		all["tree/"+name] = func() fault {
			f := broken()
			f.tree = true
			return f
		}
	}
	for name, broken := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list := list
			if strings.Contains(name, "blocks") { // found late
				list = list[slices.IndexFunc(list, func(c testcase) bool { return c.name == "rule=blocks" }):]
			}
			test, failure := verdict(list, broken)
			if failure == "" {
				t.Fatal("the kit did not notice")
			}
			t.Logf("%s: %s", test, failure)
		})
	}
}

// TestStepMany: the kit takes runs of several supersteps a call, and finds faults.
func TestStepMany(t *testing.T) {
	list := slices.DeleteFunc(cases(true, examples()), func(c testcase) bool { return c.name != "rule=many" })
	for _, way := range []string{"right", "outgrown", "early", "counts", "parents", "foreign", "remains", "undone"} {
		test, failure := verdict(list, func() fault { return fault{many: way, tree: true} })
		if (test == "") != (way == "right") {
			t.Errorf("fault %q: the kit says %q, %q", way, test, failure)
		}
		t.Logf("%s: %s", way, failure)
	}
}

// verdict returns the first failure of runs with a fault, and the test that found it.
func verdict(list []testcase, broken func() fault) (test, failure string) {
	for _, c := range list {
		r := &recorder{}
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer func() {
				if x := recover(); x != nil {
					r.failure = fmt.Sprint("panic: ", x)
				}
			}()
			f := broken()
			c.run(r, func() kernels.Processor { return &faultyProcessor{fault: f} })
		}()
		<-done
		if r.failure != "" {
			return c.name, r.failure
		}
	}
	return "", ""
}
