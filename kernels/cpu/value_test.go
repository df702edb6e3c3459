package cpu_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/cpu"
	"github.com/totemgo/totemgo/program"
)

// hop is an arc.
type hop struct {
	u, v uint32
	w    float64
}

// drawn is a random graph.
type drawn struct {
	n        int
	arcs     []hop
	directed bool
	weights  graph.WeightKind
}

func draw(r *rand.Rand, n, m int) drawn {
	g := drawn{n: n, directed: r.IntN(2) == 0, weights: []graph.WeightKind{graph.Unweighted, graph.Int32, graph.Float32, graph.Float64}[r.IntN(4)]}
	seen := map[[2]uint32]bool{}
	for range m {
		u, v, w := uint32(r.IntN(n)), uint32(r.IntN(n)), float64(r.IntN(4)) // zeros are frequent
		if g.weights == graph.Unweighted {
			w = 1
		}
		if u == v || seen[[2]uint32{u, v}] || !g.directed && seen[[2]uint32{v, u}] {
			continue
		}
		seen[[2]uint32{u, v}] = true
		g.arcs = append(g.arcs, hop{u, v, w})
		if !g.directed {
			seen[[2]uint32{v, u}] = true
			g.arcs = append(g.arcs, hop{v, u, w})
		}
	}
	return g
}

// shape is a layout: ranges per partition, and a grid with rows × cols partitions or none.
type shape struct {
	name        string
	parts, cols int // cols 0: ranges of ranks
	perPart     int
	compact     bool
}

var shapes = []shape{
	{"one", 1, 0, 1, false}, {"one-of-two-ranges", 1, 0, 2, false}, {"two", 2, 0, 1, false}, {"three-of-two-ranges", 3, 0, 2, false},
	{"four", 4, 0, 1, false}, {"grid", 4, 2, 1, false}, {"grid-compact", 4, 2, 2, true}, {"row-compact", 2, 2, 1, true}, {"column-compact", 2, 1, 1, true},
}

// place divides g into parts. The first vertices of the random order get the first ranks.
func (g drawn) place(r *rand.Rand, s shape) []*graph.Part {
	order := r.Perm(g.n)
	ranges := make([]graph.Range, s.parts*s.perPart)
	owners := r.Perm(len(ranges))
	dealt := make([][]uint32, len(ranges))
	for _, v := range order {
		k := r.IntN(len(ranges))
		dealt[k] = append(dealt[k], uint32(v))
	}
	var vertexOf []uint32
	rankOf := make([]uint32, g.n)
	for k := range ranges {
		ranges[k] = graph.Range{First: uint32(len(vertexOf)), Vertices: uint32(len(dealt[k])), Owner: owners[k] % s.parts}
		for _, v := range dealt[k] {
			rankOf[v] = uint32(len(vertexOf))
			vertexOf = append(vertexOf, v)
		}
		for len(vertexOf)%64 != 0 {
			vertexOf = append(vertexOf, graph.None)
		}
	}
	var parts []*graph.Part
	for p := range s.parts {
		part := &graph.Part{Index: p, Ranks: uint32(len(vertexOf)), Ranges: ranges, VertexOf: vertexOf, RankOf: rankOf, Directed: g.directed,
			Subgraphs: make([]*graph.Subgraph, len(ranges))}
		source := func(k int) bool { return s.cols == 0 || ranges[k].Owner%s.cols == p%s.cols }
		target := func(k int) bool { return s.cols == 0 || ranges[k].Owner/s.cols == p/s.cols }
		switch {
		case s.compact:
			part.Sources, part.Targets = space(part, source), space(part, target)
		case s.cols > 0:
			part.Sources.Size, part.Targets.Size = part.Ranks, part.Ranks
		}
		for k, rg := range ranges {
			own := rg.Owner == p
			keep := func(other func(int) bool) func(uint32) bool {
				return func(v uint32) bool {
					return s.cols == 0 || other(slices.IndexFunc(ranges, func(q graph.Range) bool { return rankOf[v]-q.First < q.Vertices }))
				}
			}
			sub := &graph.Subgraph{First: rg.First, Rows: rg.Vertices}
			if own || s.cols > 0 && source(k) {
				sub.Out = g.rows(part, rg, false, part.Targets, keep(target))
			}
			if own && s.cols == 0 && !g.directed {
				sub.In = sub.Out
			} else if own || s.cols > 0 && target(k) {
				sub.In = g.rows(part, rg, true, part.Sources, keep(source))
			}
			if own && s.cols == 0 || sub.Out != nil && sub.Out.Arcs() > 0 || sub.In != nil && sub.In.Arcs() > 0 {
				part.Subgraphs[k] = sub
			}
		}
		parts = append(parts, part)
	}
	return parts
}

// space numbers the vertices of some ranges.
func space(part *graph.Part, in func(int) bool) graph.Space {
	s := graph.Space{First: make([]uint32, len(part.Ranges))}
	for k, rg := range part.Ranges {
		s.First[k] = graph.None
		if in(k) {
			s.First[k] = s.Size
			for v := rg.First; v < rg.Padded(); v++ {
				s.Ranks = append(s.Ranks, v)
			}
			s.Size += rg.Padded() - rg.First
		}
	}
	return s
}

// rows are the out- or in-arcs of a range, to or from the vertices that keep wants.
func (g drawn) rows(part *graph.Part, rg graph.Range, in bool, s graph.Space, keep func(uint32) bool) *graph.Adjacency {
	a := &graph.Adjacency{Offsets32: []uint32{0}}
	lists := make([][]hop, rg.Vertices)
	for _, h := range g.arcs {
		if in {
			h.u, h.v = h.v, h.u
		}
		if i := part.RankOf[h.u] - rg.First; i < rg.Vertices && keep(h.v) {
			lists[i] = append(lists[i], h)
		}
	}
	var w []float64
	for _, list := range lists {
		first := graph.None
		for k, h := range list {
			v := part.RankOf[h.v]
			if s.First != nil {
				v = uint32(slices.Index(s.Ranks, v))
			}
			if k == 0 {
				first = v
			}
			a.Neighbours, w = append(a.Neighbours, v), append(w, h.w)
		}
		a.FirstNeighbours = append(a.FirstNeighbours, first)
		a.Offsets32 = append(a.Offsets32, uint32(len(a.Neighbours)))
	}
	if g.weights != graph.Unweighted {
		a.Weights, _ = graph.WeightsOf(w).Convert(g.weights)
	}
	return a
}

// driver drives the runs of a program on all parts, in turn. It implements program.Machine, but
// for Gather.
type driver struct {
	t     testing.TB
	g     drawn
	p     *program.Program
	parts []*graph.Part
	runs  []kernels.Run
	need  kernels.Need
	t0    program.Type
	last  []kernels.Counts // of the last superstep
}

func drive(t testing.TB, g drawn, parts []*graph.Part, threads int, p *program.Program) *driver {
	t.Helper()
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	d := &driver{t: t, g: g, p: p, parts: parts, need: kernels.NeedNextArcs | kernels.NeedUnvisited | kernels.NeedUnvisitedArcs}
	for _, part := range parts {
		c := cpu.New(threads)
		sets := cpu.Kernels()
		must(t, c.Use(sets[(g.n+threads)%len(sets)]))
		if err := c.Load(context.Background(), part); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		run, err := c.Open(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = run.Close() })
		if err := run.Begin(d.need); err != nil {
			t.Fatal(err)
		}
		d.runs = append(d.runs, run)
	}
	for _, e := range p.Edges {
		if e.Rows == nil && e.Combine == program.Min {
			d.t0 = p.Arrays[e.To].Type
		}
	}
	return d
}

func (d *driver) owner(rank uint32) int {
	for _, g := range d.parts[0].Ranges {
		if rank-g.First < g.Vertices {
			return g.Owner
		}
	}
	panic("padding")
}

func (d *driver) frontier(counts []kernels.Counts) (f program.Frontier) {
	f.Least = program.TopOf(d.t0)
	for _, c := range counts {
		f.Count += c.Next
		f.Arcs += c.NextArcs
		if program.Less(d.t0, c.Least, f.Least) {
			f.Least = c.Least
		}
	}
	return f
}

func (d *driver) Seed(rank uint32, array int, value program.Bits) (program.Frontier, error) {
	err := d.runs[d.owner(rank)].Seed(rank, array, value)
	return program.Frontier{Count: 1, Least: value}, err
}

// holds reports whether part p has range r at the source (0) or the target (1) of its arcs.
func (d *driver) holds(p, r, end int) bool {
	part := d.parts[p]
	s := part.Sources
	if end == 1 {
		s = part.Targets
	}
	return s.First == nil || s.First[r] != graph.None
}

func (d *driver) ranges() bool { return d.parts[0].Sources.Size == 0 }

func (d *driver) EdgeMap(op int, s program.Step) (f program.Frontier, err error) {
	e := &d.p.Edges[op]
	fwd := e.Arcs != program.Backward || !d.g.directed
	bwd := e.Arcs != program.Forward && d.g.directed
	tight := e.Rows == nil && e.Map >= program.Tight
	for r, rg := range d.parts[0].Ranges {
		if d.ranges() && s.Way == program.Push {
			break
		}
		m, err := d.runs[rg.Owner].Expand(op, s, r)
		if err != nil {
			return f, err
		}
		d.check("Expand", r, m)
		for p, run := range d.runs {
			if p != rg.Owner && (d.holds(p, r, 0) && (fwd || tight) || d.holds(p, r, 1) && (bwd || tight)) {
				if err := run.Take(op, s, r, m); err != nil {
					return f, err
				}
			}
		}
	}
	for _, run := range d.runs {
		if _, err := run.Step(context.Background(), op, s); err != nil {
			return f, err
		}
	}
	for r, rg := range d.parts[0].Ranges {
		if d.ranges() && s.Way == program.Pull {
			break
		}
		for p, run := range d.runs {
			if p == rg.Owner || !(d.holds(p, r, 1) && fwd || d.holds(p, r, 0) && bwd) {
				continue
			}
			m, err := run.Fold(r)
			if err != nil {
				return f, err
			}
			d.check("Fold", r, m)
			if err := d.runs[rg.Owner].Merge(r, p, m); err != nil {
				return f, err
			}
		}
	}
	var counts []kernels.Counts
	for _, run := range d.runs {
		c, err := run.Advance()
		if err != nil {
			return f, err
		}
		counts = append(counts, c)
	}
	d.last = counts
	return d.frontier(counts), nil
}

// check fails the test if a message of range r breaks the contract.
func (d *driver) check(what string, r int, m kernels.Message) {
	d.t.Helper()
	rg := d.parts[0].Ranges[r]
	n := int(rg.Padded() - rg.First)
	set := map[uint32]bool{}
	for _, v := range m.List {
		set[v] = true
	}
	for k, w := range m.Bits {
		for ; w != 0; w &= w - 1 {
			set[rg.First+uint32(32*k+bits.TrailingZeros32(w))] = true
		}
	}
	for v := range set {
		if v-rg.First >= rg.Vertices {
			d.t.Fatalf("%s of range %d has %d, no vertex of it", what, r, v)
		}
	}
	values := -1
	switch v := m.Values.(type) {
	case nil:
	case []uint32:
		values = len(v)
	case []int32:
		values = len(v)
	case []uint64:
		values = len(v)
	case []int64:
		values = len(v)
	case []float32:
		values = len(v)
	case []float64:
		values = len(v)
	default:
		d.t.Fatalf("%s: values are %T", what, v)
	}
	switch {
	case m.Dense && (len(set) > 0 || values != n || m.Count != int(rg.Vertices)):
		d.t.Fatalf("%s of range %d: dense with %d values, count %d", what, r, values, m.Count)
	case m.Dense:
	case m.Count != len(set) || len(m.List) > 0 && len(m.Bits) > 0 || values >= 0 && values != m.Count:
		d.t.Fatalf("%s of range %d: count %d, %d ranks, %d values", what, r, m.Count, len(set), values)
	case m.Count > 0 && kernels.AsList(m.Count, n) != (m.Bits == nil):
		d.t.Fatalf("%s of range %d: the wrong form for %d of %d", what, r, m.Count, n)
	}
}

func (d *driver) VertexMap(op int, over program.Set, args ...float64) (f program.Frontier, out program.Reduced, err error) {
	out.Min = math.Inf(1)
	var all [4]float64
	copy(all[:], args)
	var counts []kernels.Counts
	sums := map[int][]program.Reduced{}
	for p, run := range d.runs {
		red, err := run.VertexMap(context.Background(), op, over, all)
		if err != nil {
			return f, out, err
		}
		counts, sums[p] = append(counts, red.Counts), red.Sums
	}
	for _, rg := range d.parts[0].Ranges { // in the order of ranges
		if rg.Vertices == 0 {
			continue
		}
		s := sums[rg.Owner][0]
		sums[rg.Owner] = sums[rg.Owner][1:]
		for k := range s.Sum {
			out.Sum[k] += s.Sum[k]
		}
		out.Min = min(out.Min, s.Min)
	}
	return d.frontier(counts), out, nil
}

func (d *driver) Local(op int) error {
	for _, run := range d.runs {
		if err := run.Local(context.Background(), op); err != nil {
			return err
		}
	}
	return nil
}

func (d *driver) Keep(k program.Set) error {
	for _, run := range d.runs {
		if err := run.Keep(k); err != nil {
			return err
		}
	}
	return nil
}

func (d *driver) Use(k program.Set) (program.Frontier, error) {
	var counts []kernels.Counts
	for _, run := range d.runs {
		c, err := run.Use(k)
		if err != nil {
			return program.Frontier{}, err
		}
		counts = append(counts, c)
	}
	return d.frontier(counts), nil
}

// read returns an array by vertex id.
func read[T program.Value](d *driver, array int) []T {
	d.t.Helper()
	out := make([]T, d.g.n)
	for _, run := range d.runs {
		must(d.t, run.Read(array, out))
	}
	return out
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (d *driver) edge(op int, s program.Step) program.Frontier {
	d.t.Helper()
	f, err := d.EdgeMap(op, s)
	must(d.t, err)
	return f
}

func (d *driver) vertices(op int, over program.Set, args ...float64) (program.Frontier, program.Reduced) {
	d.t.Helper()
	f, red, err := d.VertexMap(op, over, args...)
	must(d.t, err)
	return f, red
}

// manyThreads lets a test use four threads.
func manyThreads(t testing.TB) {
	old := runtime.GOMAXPROCS(4)
	t.Cleanup(func() { runtime.GOMAXPROCS(old) })
}

// everywhere runs f on random graphs, every shape and 1 to 4 threads.
func everywhere(t *testing.T, seeds int, f func(t *testing.T, d func(p *program.Program) *driver, g drawn, r *rand.Rand)) {
	manyThreads(t) // the kit has more graphs and layouts, this test larger graphs
	seeds = (seeds + 1) / 2
	if testing.Short() || raceEnabled {
		seeds = (seeds + 1) / 2
	}
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			for seed := range uint64(seeds) {
				r := rand.New(rand.NewPCG(seed, 7))
				n := 1 + r.IntN(100)
				m := r.IntN(4 * n)
				if seed%4 == 3 { // large enough for several threads
					n, m = 1500, 9000
				}
				g := draw(r, n, m)
				parts := g.place(r, s)
				threads := 1 + int(seed%3)
				if seed%8 == 3 {
					threads = 4 // sums by buckets
				}
				t.Run(fmt.Sprintf("seed=%d/threads=%d/directed=%v/%v", seed, threads, g.directed, g.weights), func(t *testing.T) {
					f(t, func(p *program.Program) *driver { return drive(t, g, parts, threads, p) }, g, r)
				})
			}
		})
	}
}

func anyWay(r *rand.Rand) program.Way { return program.Way(r.IntN(2)) }

// bfsProgram has an array, so that kernels.IsTree is false.
var bfsProgram = &program.Program{Name: "bfs", Arrays: []program.Array{{Name: "unread"}}, Edges: []program.EdgeOp{
	{Name: "visit", From: -1, To: -1, Map: program.Source, Combine: program.Claim, Once: true}}}

func hopLevels(n int, arcs []hop, root uint32) []int {
	d := make([]int, n)
	for i := range d {
		d[i] = -1
	}
	d[root] = 0
	for l, more := 0, true; more; l++ {
		more = false
		for _, a := range arcs {
			if d[a.u] == l && d[a.v] < 0 {
				d[a.v], more = l+1, true
			}
		}
	}
	return d
}

func TestValueBFS(t *testing.T) {
	everywhere(t, 24, func(t *testing.T, open func(*program.Program) *driver, g drawn, r *rand.Rand) {
		d := open(bfsProgram)
		for range 2 { // the second after Begin
			root := uint32(r.IntN(g.n))
			want := hopLevels(g.n, g.arcs, root)
			_, err := d.Seed(d.parts[0].RankOf[root], -1, 0)
			must(t, err)
			sizes := make([]int64, g.n+2)
			for _, l := range want {
				if l >= 0 {
					sizes[l]++
				}
			}
			for l := 1; ; l++ {
				f := d.edge(0, program.Step{Way: anyWay(r)})
				if f.Count != sizes[l] {
					t.Fatalf("level %d has %d vertices, not %d", l, f.Count, sizes[l])
				}
				wantArcs, arcs, wantLeft, left := int64(0), int64(0), int64(0), int64(0)
				for _, h := range g.arcs {
					if want[h.u] == l {
						wantArcs++
					}
					if want[h.v] < 0 || want[h.v] > l {
						arcs--
					}
				}
				for _, x := range want {
					if x < 0 || x > l {
						wantLeft++
					}
				}
				for _, c := range d.last {
					left += c.Unvisited
					arcs += c.UnvisitedArcs
				}
				if left != wantLeft || d.ranges() && (f.Arcs != wantArcs || arcs != 0) {
					t.Fatalf("level %d: %d vertices unvisited, not %d; %d out-arcs, not %d; %d unvisited in-arcs too many", l, left, wantLeft, f.Arcs, wantArcs, arcs)
				}
				if f.Count == 0 {
					break
				}
			}
			parent := make([]uint32, g.n)
			asked := make([][][]uint32, len(d.runs))
			for p, run := range d.runs {
				found := make([][]uint32, len(d.runs))
				asked[p] = make([][]uint32, len(d.runs))
				for q, other := range d.runs {
					list, err := run.(kernels.Claims).RemoteClaims(q)
					must(t, err)
					if asked[p][q], found[q] = list, nil; len(list) > 0 {
						found[q], err = other.(kernels.Claims).LookupParents(list)
						must(t, err)
					}
				}
				must(t, run.(kernels.Claims).Parents(parent, asked[p], found))
			}
			for v, p := range parent {
				switch {
				case want[v] < 0 && p == graph.None, want[v] == 0 && int(p) == v:
				case want[v] > 0 && p != graph.None && want[p] == want[v]-1 &&
					slices.ContainsFunc(g.arcs, func(h hop) bool { return h.u == p && int(h.v) == v }):
				default:
					t.Fatalf("parent of %d at level %d is %d", v, want[v], p)
				}
			}
			for _, run := range d.runs {
				must(t, run.Begin(d.need))
			}
		}
	})
}

func ssspProgram[T program.Value](minimum T) *program.Program {
	return &program.Program{Name: "sssp",
		Arrays: []program.Array{{Name: "dist", Type: program.TypeOf[T](), Init: program.Top}, {Name: "parent", Type: program.U32, Init: program.None, Ranks: true}},
		Edges: []program.EdgeOp{
			{Name: "relax", From: 0, To: 0, Map: program.Plus, Combine: program.Min},
			{Name: "tightlow", From: 0, To: 1, Map: program.TightLow, Combine: program.Claim},
			{Name: "tight", From: 0, To: 1, Map: program.Tight, Combine: program.Claim},
		},
		Vertices: []program.VertexOp{{Name: "orphans", Block: func(b *program.Block) { // reached, no parent yet
			d, p := program.Of[T](b, 0), program.Of[uint32](b, 1)
			for i := range b.Each() {
				if p[i] != graph.None || d[i] == program.Largest[T]() {
					b.Drop(i)
				}
			}
		}}, {Name: "parented", Block: func(b *program.Block) {
			p := program.Of[uint32](b, 1)
			for i := range b.Each() {
				if p[i] == graph.None {
					b.Drop(i)
				}
			}
		}}, {Name: "root", Block: func(b *program.Block) { program.Of[uint32](b, 1)[uint32(b.Args[0])-b.Lo] = uint32(b.Args[0]) }}},
	}
}

func distances(n int, arcs []hop, root uint32) []float64 {
	d := make([]float64, n)
	for i := range d {
		d[i] = math.Inf(1)
	}
	d[root] = 0
	for more := true; more; {
		more = false
		for _, a := range arcs {
			if x := d[a.u] + a.w; x < d[a.v] {
				d[a.v], more = x, true
			}
		}
	}
	return d
}

func ssspTest[T program.Value](t *testing.T, open func(*program.Program) *driver, g drawn, r *rand.Rand, deltas ...T) {
	root := uint32(r.IntN(g.n))
	want := distances(g.n, g.arcs, root)
	for _, delta := range deltas {
		d := open(ssspProgram[T](0))
		rank := d.parts[0].RankOf[root]
		f, err := d.Seed(rank, 0, 0)
		must(t, err)
		if delta == program.Largest[T]() && r.IntN(2) == 0 { // Bellman-Ford, any way
			for f.Count > 0 {
				f = d.edge(0, program.Step{Way: anyWay(r)})
			}
		}
		for f.Count > 0 {
			below := delta
			if delta != program.Largest[T]() {
				below = T(math.Floor(float64(program.Unpack[T](f.Least))/float64(delta))+1) * delta
			}
			f = d.edge(0, program.Step{Way: program.Push, Below: program.Pack(below)})
			if l := program.Unpack[T](f.Least); f.Count > 0 && l == program.Largest[T]() {
				t.Fatalf("least of %d is %v", f.Count, l)
			}
		}
		dist := read[T](d, 0)
		for v, x := range want {
			if got := dist[v]; float64(got) != x && !(math.IsInf(x, 1) && got == program.Largest[T]()) {
				t.Fatalf("Δ %v: distance of %d is %v, not %v", delta, v, got, x)
			}
		}
		_, err = d.Seed(rank, 1, program.Pack(rank))
		must(t, err)
		d.vertices(0, program.All)
		must(t, d.Keep(1))
		d.edge(1, program.Step{Way: program.Pull, From: program.All, Over: 1})
		d.vertices(1, program.All)
		must(t, d.Keep(2))
		for {
			if f, _ := d.vertices(0, program.All); f.Count == 0 {
				break
			}
			must(t, d.Keep(1))
			if f := d.edge(2, program.Step{Way: program.Pull, From: 2, Over: 1}); f.Count == 0 {
				t.Fatal("orphans left")
			}
			must(t, d.Keep(2))
		}
		parent := read[uint32](d, 1)
		for v := range parent {
			if math.IsInf(want[v], 1) {
				continue
			}
			for x, steps := uint32(v), 0; x != root; steps++ {
				p := parent[x]
				if p == graph.None || steps > g.n || !slices.ContainsFunc(g.arcs, func(h hop) bool { return h.u == p && h.v == x && want[p]+h.w == want[x] }) {
					t.Fatalf("Δ %v: the parent of %d, %d, is in no tree", delta, x, p)
				}
				if x = p; g.n > 200 {
					break
				}
			}
		}
	}
}

func TestValueSSSP(t *testing.T) {
	everywhere(t, 16, func(t *testing.T, open func(*program.Program) *driver, g drawn, r *rand.Rand) {
		ssspTest(t, open, g, r, 1, 2.5, math.Inf(1))
		if g.weights == graph.Unweighted || g.weights == graph.Int32 {
			ssspTest[uint32](t, open, g, r, 1, math.MaxUint32)
		} else {
			ssspTest(t, open, g, r, float32(1.5))
		}
	})
}

func TestValueComponents(t *testing.T) {
	p := &program.Program{Name: "components", Arrays: []program.Array{{Name: "label", Type: program.U32, Init: program.ID}},
		Edges: []program.EdgeOp{{Name: "min", From: 0, To: 0, Arcs: program.Both, Map: program.Copy, Combine: program.Min}}}
	everywhere(t, 24, func(t *testing.T, open func(*program.Program) *driver, g drawn, r *rand.Rand) {
		want := make([]uint32, g.n)
		for i := range want {
			want[i] = uint32(i)
		}
		for more := true; more; {
			more = false
			for _, a := range g.arcs {
				if x := min(want[a.u], want[a.v]); x != want[a.u] || x != want[a.v] {
					want[a.u], want[a.v], more = x, x, true
				}
			}
		}
		d := open(p)
		f := d.edge(0, program.Step{Way: anyWay(r), From: program.All})
		for f.Count > 0 {
			s := program.Step{Way: anyWay(r)}
			if r.IntN(3) == 0 {
				s = program.Step{Way: program.Push, Below: program.Pack(uint32(g.n))}
			}
			f = d.edge(0, s)
		}
		if got := read[uint32](d, 0); !slices.Equal(got, want) {
			t.Fatalf("labels %v, not %v", got, want)
		}
	})
}

func pageRankProgram() *program.Program {
	return &program.Program{Name: "pagerank",
		Arrays: []program.Array{{Name: "rank", Type: program.F64}, {Name: "give", Type: program.F64}, {Name: "in", Type: program.F64}, {Name: "deg", Type: program.I32}},
		Edges: []program.EdgeOp{{Name: "deg", From: -1, To: 3, Arcs: program.Backward, Map: program.One, Combine: program.Sum},
			{Name: "sum", From: 1, To: 2, Map: program.Copy, Combine: program.Sum}},
		Vertices: []program.VertexOp{{Name: "damp", Block: func(b *program.Block) { // Args: base, damping
			r, g, in, deg := program.Of[float64](b, 0), program.Of[float64](b, 1), program.Of[float64](b, 2), program.Of[int32](b, 3)
			for i := range b.Each() {
				x := b.Args[0] + b.Args[1]*in[i]
				b.Sum[0] += math.Abs(x - r[i])
				if r[i], in[i], g[i] = x, 0, 0; deg[i] == 0 {
					b.Sum[1] += x
				} else {
					g[i] = x / float64(deg[i])
				}
			}
		}}},
	}
}

func pageRank(d *driver) []float64 {
	n := float64(d.g.n)
	d.edge(0, program.Step{Way: program.Pull, From: program.All})
	_, s := d.vertices(0, program.All, 1/n, 0)
	for range 30 {
		d.edge(1, program.Step{Way: program.Pull, From: program.All})
		_, s = d.vertices(0, program.All, .15/n+.85*s.Sum[1]/n, .85)
	}
	return read[float64](d, 0)
}

func TestValuePageRank(t *testing.T) {
	everywhere(t, 16, func(t *testing.T, open func(*program.Program) *driver, g drawn, r *rand.Rand) {
		deg := make([]float64, g.n)
		for _, a := range g.arcs {
			deg[a.u]++
		}
		want := make([]float64, g.n)
		for i := range want {
			want[i] = 1 / float64(g.n)
		}
		for range 30 {
			x, dangling := make([]float64, g.n), 0.0
			for v := range want {
				if deg[v] == 0 {
					dangling += want[v]
				}
			}
			for _, a := range g.arcs {
				x[a.v] += want[a.u] / deg[a.u]
			}
			for v := range x {
				x[v] = .15/float64(g.n) + .85*(x[v]+dangling/float64(g.n))
			}
			want = x
		}
		d := open(pageRankProgram())
		got := pageRank(d)
		for v := range want {
			if math.Abs(got[v]-want[v]) > 1e-12 {
				t.Fatalf("rank of %d is %v, not %v", v, got[v], want[v])
			}
		}
		for threads := 1; threads <= 3; threads++ {
			if other := pageRank(drive(t, g, d.parts, threads, pageRankProgram())); !slices.Equal(got, other) {
				t.Fatalf("%d threads: other bits", threads)
			}
		}
	})
}

func TestValueManyBFS(t *testing.T) {
	p := &program.Program{Name: "manybfs",
		Arrays: []program.Array{{Name: "seen", Type: program.U64}, {Name: "front", Type: program.U64}, {Name: "next", Type: program.U64}},
		Edges:  []program.EdgeOp{{Name: "spread", From: 1, To: 2, Map: program.Copy, Combine: program.Or, Known: 1}},
		Vertices: []program.VertexOp{{Name: "settle", Block: func(b *program.Block) {
			s, f, n := program.Of[uint64](b, 0), program.Of[uint64](b, 1), program.Of[uint64](b, 2)
			for i := range b.Each() {
				x := n[i] &^ s[i]
				s[i] |= x
				f[i], n[i] = x, 0
				b.Sum[0] += float64(bits.OnesCount64(x))
				if x == 0 {
					b.Drop(i)
				}
			}
		}}},
	}
	everywhere(t, 16, func(t *testing.T, open func(*program.Program) *driver, g drawn, r *rand.Rand) {
		d := open(p)
		var total, want float64
		for i := range min(g.n, 64) {
			rank := d.parts[0].RankOf[i]
			for array := range 2 {
				_, err := d.Seed(rank, array, 1<<i)
				must(t, err)
			}
			for _, l := range hopLevels(g.n, g.arcs, uint32(i)) {
				want += float64(max(0, l))
			}
		}
		for level := 1.0; ; level++ {
			f := d.edge(0, program.Step{Way: anyWay(r)})
			g, red := d.vertices(0, program.Default)
			if total += level * red.Sum[0]; g.Count == 0 {
				break
			}
			if f.Count != g.Count {
				t.Fatalf("%d joined without news", f.Count-g.Count)
			}
		}
		if total != want {
			t.Fatalf("sum of distances is %v, not %v", total, want)
		}
	})
}

func TestValueCore(t *testing.T) {
	p := &program.Program{Name: "core",
		Arrays: []program.Array{{Name: "deg", Type: program.I32}, {Name: "lost", Type: program.I32}, {Name: "core", Type: program.I32}, {Name: "alive", Type: program.U32}},
		Edges: []program.EdgeOp{{Name: "count", From: -1, To: 0, Map: program.One, Combine: program.Sum},
			{Name: "drop", From: -1, To: 1, Map: program.One, Combine: program.Sum}},
		Vertices: []program.VertexOp{
			{Name: "start", Block: func(b *program.Block) {
				for i := range b.Each() {
					program.Of[uint32](b, 3)[i] = 1
				}
			}},
			{Name: "peel", Block: func(b *program.Block) { // Args[0] = k
				d, l, c, a := program.Of[int32](b, 0), program.Of[int32](b, 1), program.Of[int32](b, 2), program.Of[uint32](b, 3)
				for i := range b.Each() {
					d[i] -= min(d[i], l[i])
					l[i] = 0
					if a[i] == 1 && float64(d[i]) <= b.Args[0] {
						a[i], c[i] = 0, int32(b.Args[0])
						continue
					}
					if a[i] == 1 {
						b.Min = min(b.Min, float64(d[i]))
						b.Sum[0]++
					}
					b.Drop(i)
				}
			}},
		}}
	everywhere(t, 16, func(t *testing.T, open func(*program.Program) *driver, g drawn, r *rand.Rand) {
		if g.directed {
			return
		}
		d := open(p)
		d.edge(0, program.Step{Way: program.Pull, From: program.All})
		d.vertices(0, program.All)
		f, red := d.vertices(1, program.All, 0)
		for k := 0.0; ; {
			for f.Count > 0 {
				d.edge(1, program.Step{Way: anyWay(r)})
				f, _ = d.vertices(1, program.All, k)
			}
			if f, red = d.vertices(1, program.All, k); red.Sum[0] == 0 {
				break
			}
			k = red.Min
			f, _ = d.vertices(1, program.All, k)
		}
		if got, want := read[int32](d, 2), coreOf(g); !slices.Equal(got, want) {
			t.Fatalf("cores %v, not %v", got, want)
		}
	})
}

func coreOf(g drawn) []int32 {
	core, alive, deg := make([]int32, g.n), make([]bool, g.n), make([]int, g.n)
	for v := range alive {
		alive[v] = true
	}
	for k, left := int32(0), g.n; left > 0; k++ {
		for more := true; more; {
			more = false
			clear(deg)
			for _, a := range g.arcs {
				if alive[a.u] && alive[a.v] {
					deg[a.u]++
				}
			}
			for v := range alive {
				if alive[v] && deg[v] <= int(k) {
					alive[v], core[v], more = false, k, true
					left--
				}
			}
		}
	}
	return core
}

func TestValueBetweenness(t *testing.T) {
	p := &program.Program{Name: "bc",
		Arrays: []program.Array{{Name: "sigma", Type: program.F64}, {Name: "back", Type: program.F64}, {Name: "give", Type: program.F64}, {Name: "bc", Type: program.F64}},
		Edges: []program.EdgeOp{
			{Name: "visit", From: -1, To: -1, Map: program.Source, Combine: program.Claim, Once: true},
			{Name: "count", From: 0, To: 0, Map: program.Copy, Combine: program.Sum},
			{Name: "back", From: 2, To: 1, Arcs: program.Backward, Map: program.Copy, Combine: program.Sum},
		},
		Vertices: []program.VertexOp{{Name: "share", Block: func(b *program.Block) { // give = (1+δ)/σ with δ = σ·back
			s, k, g, c := program.Of[float64](b, 0), program.Of[float64](b, 1), program.Of[float64](b, 2), program.Of[float64](b, 3)
			for i := range b.Each() {
				d := s[i] * k[i]
				g[i] = (1 + d) / s[i]
				c[i] += d
			}
		}}},
	}
	everywhere(t, 24, func(t *testing.T, open func(*program.Program) *driver, g drawn, r *rand.Rand) {
		root := uint32(r.IntN(g.n))
		level := hopLevels(g.n, g.arcs, root)
		sig, del := make([]float64, g.n), make([]float64, g.n)
		sig[root] = 1
		deepest := slices.Max(level)
		for l := range deepest {
			for _, a := range g.arcs {
				if level[a.u] == l && level[a.v] == l+1 {
					sig[a.v] += sig[a.u]
				}
			}
		}
		for l := deepest; l >= 0; l-- {
			for _, a := range g.arcs {
				if level[a.u] == l && level[a.v] == l+1 {
					del[a.u] += sig[a.u] / sig[a.v] * (1 + del[a.v])
				}
			}
		}
		del[root] = 0

		d := open(p)
		f, err := d.Seed(d.parts[0].RankOf[root], 0, program.Pack(1.0))
		must(t, err)
		must(t, d.Keep(1))
		depth := 0
		for k := 1; f.Count > 0; k++ {
			if f = d.edge(0, program.Step{Way: anyWay(r)}); f.Count == 0 {
				break
			}
			must(t, d.Keep(program.Set(k+1)))
			d.edge(1, program.Step{Way: program.Pull, From: program.Set(k), Over: program.Set(k + 1)})
			f, err = d.Use(program.Set(k + 1))
			must(t, err)
			depth = k
		}
		for k := depth; k > 0; k-- {
			d.vertices(0, program.Set(k+1))
			if k > 1 {
				d.edge(2, program.Step{Way: program.Pull, From: program.Set(k + 1), Over: program.Set(k)})
			}
		}
		for v, x := range read[float64](d, 3) {
			if math.Abs(x-del[v]) > 1e-9*max(1, del[v]) {
				t.Fatalf("δ of %d is %v, not %v", v, x, del[v])
			}
		}
	})
}

// weighted is a user's operator: To[v] is the sum of From[u] + 2·weight.
type weighted struct{}

func (weighted) Push(_ uint32, from int64, row []uint32, w []int64, out []int64) {
	for k := range row {
		if out[k] = from + 2; w != nil {
			out[k] = from + 2*w[k]
		}
	}
}
func (weighted) Combine(to *int64, v int64) bool { *to += v; return v%2 == 1 }
func (weighted) Pull(_ uint32, row []uint32, w []int64, from []int64, set []uint64, _ int64) (sum int64, ok bool) {
	for k, u := range row {
		if set != nil && set[u/64]>>(u%64)&1 == 0 {
			continue
		}
		x := int64(1)
		if w != nil {
			x = w[k]
		}
		sum, ok = sum+from[u]+2*x, true
	}
	return sum, ok
}

func TestValueRows(t *testing.T) {
	p := &program.Program{Name: "rows", Arrays: []program.Array{{Name: "from", Type: program.I64}, {Name: "to", Type: program.I64}},
		Edges: []program.EdgeOp{{Name: "sum", From: 0, To: 1, Rows: weighted{}}, {Name: "back", From: 0, To: 1, Rows: weighted{}, Arcs: program.Backward}},
		Vertices: []program.VertexOp{{Name: "some", Block: func(b *program.Block) {
			for i := range b.Each() {
				if (b.Lo+uint32(i))%3 == 0 {
					program.Of[int64](b, 0)[i] = int64(b.Lo) + int64(i)
				} else {
					b.Drop(i)
				}
			}
		}}},
	}
	everywhere(t, 24, func(t *testing.T, open func(*program.Program) *driver, g drawn, r *rand.Rand) {
		if g.weights == graph.Float32 || g.weights == graph.Float64 {
			return
		}
		d := open(p)
		want := make([]int64, g.n)
		for op := range 2 {
			d.vertices(0, program.All)
			for _, a := range g.arcs {
				if op == 1 {
					a.u, a.v = a.v, a.u
				}
				if u := int64(d.parts[0].RankOf[a.u]); u%3 == 0 {
					want[a.v] += u + 2*int64(a.w)
				}
			}
			d.edge(op, program.Step{Way: anyWay(r)})
		}
		if got := read[int64](d, 1); !slices.Equal(got, want) {
			t.Fatalf("sums %v, not %v", got, want)
		}
	})
}

// most is a step of label propagation: the commonest label of the sources, the smaller of equals.
type most struct{}

func (most) Push(uint32, uint32, []uint32, []uint32, []uint32) { panic("pulled only") }
func (most) Combine(to *uint32, v uint32) bool                 { old := *to; *to = v; return v != old }
func (most) Pull(_ uint32, row []uint32, _ []uint32, from []uint32, _ []uint64, _ uint32) (uint32, bool) {
	count := map[uint32]int{}
	for _, u := range row {
		count[from[u]]++
	}
	best, found := uint32(0), false
	for l, c := range count {
		if !found || c > count[best] || c == count[best] && l < best {
			best, found = l, true
		}
	}
	return best, found
}

func TestValueLabelPropagation(t *testing.T) {
	p := &program.Program{Name: "labels", Arrays: []program.Array{{Name: "label", Type: program.U32, Init: program.ID}},
		Edges: []program.EdgeOp{{Name: "most", From: 0, To: 0, Arcs: program.Both, Rows: most{}, WholeRows: true}}}
	everywhere(t, 16, func(t *testing.T, open func(*program.Program) *driver, g drawn, r *rand.Rand) {
		if g.weights > graph.Int32 {
			return
		}
		if strings.Contains(t.Name(), "grid") || strings.Contains(t.Name(), "compact") {
			return // refused: TestValueRefuses
		}
		d := open(p)
		want := make([]uint32, g.n)
		rows := make([][]uint32, g.n)
		for _, a := range g.arcs {
			if rows[a.v] = append(rows[a.v], a.u); g.directed {
				rows[a.u] = append(rows[a.u], a.v)
			}
		}
		for v := range want {
			want[v] = uint32(v)
		}
		for range 4 {
			joined := int64(0)
			next := slices.Clone(want)
			for v := range want {
				if l, ok := (most{}).Pull(0, rows[v], nil, want, nil, 0); ok {
					if next[v] = l; l != want[v] {
						joined++
					}
				}
			}
			want = next
			if f := d.edge(0, program.Step{Way: program.Pull, From: program.All}); f.Count != joined {
				t.Fatalf("%d changed, not %d", f.Count, joined)
			}
			if got := read[uint32](d, 0); !slices.Equal(got, want) {
				t.Fatalf("labels %v, not %v", got, want)
			}
		}
	})
}

// Each partition links its own arcs; the test links the forests.
func TestValueLocal(t *testing.T) {
	find := func(c []uint32, v uint32) uint32 {
		for c[v] != v {
			v = c[v]
		}
		return v
	}
	link := func(c []uint32, u, v uint32) {
		a, b := find(c, u), find(c, v)
		c[max(a, b)] = min(a, b)
	}
	lock := make(chan struct{}, 1)
	p := &program.Program{Name: "unionfind", Arrays: []program.Array{{Name: "label", Type: program.U32, Init: program.Rank}},
		Locals: []program.LocalOp{{Name: "link", Run: func(_ context.Context, l program.Local) error {
			c := l.U32(0)
			err := l.Rows(program.Forward, func(b *program.RowBlock) {
				lock <- struct{}{}
				for u := b.Lo; u < b.Hi; u++ {
					for _, v := range b.Row(u) {
						link(c, u, v)
					}
				}
				<-lock
			})
			return errors.Join(err, l.Vertices(func(lo, hi uint32) {
				for v := lo; v < hi; v++ {
					if c[v] > v {
						panic("a label rose")
					}
				}
			}))
		}}}}
	everywhere(t, 16, func(t *testing.T, open func(*program.Program) *driver, g drawn, r *rand.Rand) {
		d := open(p)
		must(t, d.Local(0))
		var all []uint32
		for _, run := range d.runs {
			c, err := run.Whole(0)
			must(t, err)
			if all == nil {
				all = slices.Clone(c)
			}
			for v, x := range c {
				link(all, uint32(v), x)
			}
		}
		want := distinct(g)
		for u := range g.n {
			for v := range min(u, 50) {
				if same := find(all, d.parts[0].RankOf[u]) == find(all, d.parts[0].RankOf[v]); same != (want[u] == want[v]) {
					t.Fatalf("%d and %d", u, v)
				}
			}
		}
	})
}

func distinct(g drawn) []uint32 {
	c := make([]uint32, g.n)
	for i := range c {
		c[i] = uint32(i)
	}
	for more := true; more; {
		more = false
		for _, a := range g.arcs {
			if x := min(c[a.u], c[a.v]); x != c[a.u] || x != c[a.v] {
				c[a.u], c[a.v], more = x, x, true
			}
		}
	}
	return c
}

// bad is a user's operator that panics in one of its methods.
type bad struct{ push, combine, pull bool }

func (b bad) Push(_ uint32, _ float64, row []uint32, _, _ []float64) {
	if b.push && len(row) > 3 {
		panic("in push")
	}
}
func (b bad) Combine(*float64, float64) bool {
	if b.combine {
		panic("in combine")
	}
	return true
}
func (b bad) Pull(_ uint32, row []uint32, _, _ []float64, _ []uint64, _ float64) (float64, bool) {
	if b.pull && len(row) > 3 {
		panic("in pull")
	}
	return 1, true
}

func TestValuePanics(t *testing.T) {
	manyThreads(t)
	r := rand.New(rand.NewPCG(3, 4))
	g := draw(r, 2000, 12000)
	g.weights = graph.Unweighted
	parts := g.place(r, shapes[0])
	boom := true
	p := &program.Program{Arrays: []program.Array{{Type: program.F64}},
		Vertices: []program.VertexOp{{Block: func(b *program.Block) {
			if boom && b.Lo > 0 {
				panic("in block")
			}
		}}},
		Locals: []program.LocalOp{{Run: func(_ context.Context, l program.Local) error {
			return l.Rows(program.Forward, func(b *program.RowBlock) {
				if boom && b.Hi > 1500 {
					panic("in rows")
				}
			})
		}}, {Run: func(context.Context, program.Local) error {
			if boom {
				panic("in local")
			}
			return nil
		}}},
	}
	for _, b := range []bad{{push: true}, {combine: true}, {pull: true}, {}} {
		p.Edges = append(p.Edges, program.EdgeOp{From: -1, To: 0, Rows: b})
	}
	all := func(way program.Way) program.Step { return program.Step{Way: way, From: program.All} }
	for threads := 1; threads <= 4; threads++ {
		d := drive(t, g, parts, threads, p)
		for what, f := range map[string]func() error{
			"in push":    func() error { _, err := d.EdgeMap(0, all(program.Push)); return err },
			"in combine": func() error { _, err := d.EdgeMap(1, all(program.Push)); return err },
			"in pull":    func() error { _, err := d.EdgeMap(2, all(program.Pull)); return err },
			"in block":   func() error { _, _, err := d.VertexMap(0, program.All); return err },
			"in rows":    func() error { return d.Local(0) },
			"in local":   func() error { return d.Local(1) },
		} {
			boom = true
			err := f()
			if !errors.Is(err, cpu.ErrOperator) || !strings.Contains(err.Error(), what) || !strings.Contains(err.Error(), "value_test.go") {
				t.Fatalf("%s, %d threads: %v", what, threads, err)
			}
			if _, again := d.EdgeMap(3, all(program.Pull)); !errors.Is(again, cpu.ErrOperator) {
				t.Fatalf("%s: the next call returns %v", what, again)
			}
			boom = false
			must(t, d.runs[0].Begin(0))
			if f := d.edge(3, all(program.Pull)); f.Count == 0 {
				t.Fatalf("%s: nothing joins after Begin", what)
			}
			for v, x := range read[float64](d, 0) {
				if x != 0 && x != 1 { // Combine of bad adds nothing
					t.Fatalf("%s: vertex %d has %v", what, v, x)
				}
			}
			_, _, err = d.VertexMap(0, program.All)
			must(t, errors.Join(err, d.Local(0), d.Local(1)))
		}
	}
}

func TestValueRefuses(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	g := draw(r, 50, 150)
	g.arcs[0].w = 1 << 40
	plus := func(t program.Type) *program.Program {
		return &program.Program{Arrays: []program.Array{{Type: t, Init: program.Top}}, Edges: []program.EdgeOp{{Name: "relax", Map: program.Plus, Combine: program.Min}}}
	}
	whole := &program.Program{Arrays: []program.Array{{Type: program.U32}}, Edges: []program.EdgeOp{{Name: "most", Rows: most{}, WholeRows: true}}}
	for _, c := range []struct {
		weights graph.WeightKind
		shape   shape
		p       *program.Program
		refused string
	}{
		{graph.Float64, shapes[0], plus(program.I64), "float64 weights are no I64"},
		{graph.Float32, shapes[0], plus(program.U32), "float32 weights are no U32"},
		{graph.Int64, shapes[0], plus(program.U32), "has no exact U32"},
		{graph.Int64, shapes[0], plus(program.U64), ""},
		{graph.Int64, shapes[0], plus(program.F64), ""},
		{graph.Unweighted, shapes[5], whole, "needs whole rows"},
		{graph.Unweighted, shapes[4], whole, ""},
	} {
		g.weights = c.weights
		refusals := 0
		for _, part := range g.place(r, c.shape) {
			k := cpu.New(1)
			must(t, k.Load(context.Background(), part))
			run, err := k.Open(context.Background(), c.p)
			if c.refused == "" {
				if must(t, err); k.RunBytes(c.p) < 100 {
					t.Errorf("a run of %d bytes", k.RunBytes(c.p))
				}
				must(t, run.Close())
			} else if errors.Is(err, kernels.ErrUnsupported) && strings.Contains(err.Error(), c.refused) {
				refusals++
			}
			must(t, k.Close())
		}
		if (c.refused != "") != (refusals > 0) {
			t.Errorf("%v weights: %d parts refuse the program, want %q", c.weights, refusals, c.refused)
		}
	}
}

// Distances beyond the largest integer are the largest.
func TestValueSaturates(t *testing.T) {
	p := ssspProgram[int32](0)
	for _, way := range []program.Way{program.Push, program.Pull} {
		for _, far := range []float64{math.MaxInt32 - 1, 1} {
			g := drawn{n: 3, directed: true, weights: graph.Int32, arcs: []hop{{0, 1, math.MaxInt32 - 1}, {1, 2, far}}}
			d := drive(t, g, g.place(rand.New(rand.NewPCG(1, 1)), shapes[2]), 1, p)
			f, err := d.Seed(d.parts[0].RankOf[0], 0, 0)
			for must(t, err); f.Count > 0; {
				f = d.edge(0, program.Step{Way: way})
			}
			if got := read[int32](d, 0); !slices.Equal(got, []int32{0, math.MaxInt32 - 1, math.MaxInt32}) {
				t.Errorf("%v: distances %v", way, got)
			}
		}
	}
}
