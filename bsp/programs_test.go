package bsp_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/cpu"
	"github.com/totemgo/totemgo/partition"
	"github.com/totemgo/totemgo/program"
)

// placed is a graph on partitions.
type placed struct {
	name   string
	list   *graph.EdgeList
	parts  []*graph.Part
	layout *bsp.Layout
	owner  []int // by vertex id, −1 without a rank
	oracle *ref.Checker
	weight map[[2]uint32]float64 // of arcs
}

// shape is a layout of processors: ranges, or a grid where rows > 0.
type shape struct {
	parts         int
	rows, columns int
	compact       bool // a part numbers the vertices of its row and column alone
}

func (s shape) String() string {
	if s.rows == 0 {
		return fmt.Sprintf("%d ranges", s.parts)
	}
	return fmt.Sprintf("grid %d by %d, compact %v", s.rows, s.columns, s.compact)
}

var shapes = []shape{
	{parts: 1}, {4, 2, 2, false}, {parts: 2}, {4, 2, 2, true}, {parts: 3}, {6, 2, 3, false}, {parts: 4}, {6, 2, 3, true},
	{2, 1, 2, true}, {3, 3, 1, false},
}

// at places a graph, each vertex at the owner that r draws.
func (s shape) at(t testing.TB, list *graph.EdgeList, r *rand.Rand) *placed {
	t.Helper()
	owners := make([]uint8, list.Vertices)
	for v := range owners {
		owners[v] = uint8(r.IntN(s.parts))
	}
	p, err := partition.New(context.Background(), list, partition.Options{Policy: partition.Assigned, Assignment: owners,
		Processors: make([]partition.Processor, s.parts), Threads: 1, Weighted: list.Weights.Kind() != graph.Unweighted})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	g := &placed{name: s.String(), list: list, layout: bsp.NewLayout(p), oracle: ref.NewChecker(list)}
	g.weight = map[[2]uint32]float64{}
	for i, e := range list.Edges {
		for _, arc := range [][2]uint32{{e.U, e.V}, {e.V, e.U}} {
			if w, is := g.weight[arc]; !is || list.Weights.Float64(i) < w {
				g.weight[arc] = list.Weights.Float64(i)
			}
			if list.Directed {
				break
			}
		}
	}
	for v, rank := range p.RankOf {
		g.owner = append(g.owner, int(owners[v]))
		if rank == graph.None {
			g.owner[v] = -1
		}
	}
	for i := range s.parts {
		g.parts = append(g.parts, p.Part(i))
	}
	if s.rows > 0 {
		s.grid(p, g)
	}
	return g
}

// column and row report whether processors i and j are in one column, and in one row.
func (s shape) column(i, j int) bool { return i%s.columns == j%s.columns }
func (s shape) row(i, j int) bool    { return i/s.columns == j/s.columns }

// grid gives each arc to the processor in the column of its source's owner and the row of its
// target's.
func (s shape) grid(p *partition.Placement, g *placed) {
	l := g.layout
	l.Split = true
	for w := range l.Expand {
		for a := range l.Expand[w] {
			l.Expand[w][a], l.Fold[w][a] = make([][]int, s.parts), make([][]int, s.parts)
		}
	}
	for i, part := range g.parts {
		in := func(r int) bool { return s.column(p.Ranges[r].Owner, i) }
		out := func(r int) bool { return s.row(p.Ranges[r].Owner, i) }
		part.Sources, part.Targets = s.space(part, in), s.space(part, out)
		part.Subgraphs = make([]*graph.Subgraph, len(p.Ranges))
		for r, rg := range p.Ranges {
			whole := p.Subgraphs[r]
			sub := &graph.Subgraph{First: rg.First, Rows: rg.Vertices}
			if in(r) {
				sub.Out = block(p, whole.Out, part.Targets, out)
			}
			if out(r) {
				rows := whole.In
				if rows == nil {
					rows = whole.Out
				}
				sub.In = block(p, rows, part.Sources, in)
			}
			if rg.Owner == i || sub.Out != nil && sub.Out.Arcs() > 0 || sub.In != nil && sub.In.Arcs() > 0 {
				part.Subgraphs[r] = sub
			}
			if rg.Owner == i || rg.Vertices == 0 {
				continue
			}
			for w := range l.Expand {
				for a := range program.Both + 1 {
					source, target := in(r) && a != program.Backward || out(r) && a != program.Forward, out(r) && a != program.Backward || in(r) && a != program.Forward
					if source {
						l.Expand[w][a][i] = append(l.Expand[w][a][i], r)
					}
					if target {
						l.Fold[w][a][i] = append(l.Fold[w][a][i], r)
					}
				}
			}
		}
	}
}

// space numbers the vertices of the ranges that a part has at one end of its arcs.
func (s shape) space(part *graph.Part, has func(r int) bool) graph.Space {
	if !s.compact {
		return graph.Space{Size: part.Ranks}
	}
	n := graph.Space{First: make([]uint32, len(part.Ranges))}
	for r, rg := range part.Ranges {
		n.First[r] = graph.None
		if has(r) {
			n.First[r] = n.Size
			for v := rg.First; v < rg.Padded(); v++ {
				n.Ranks = append(n.Ranks, v)
			}
			n.Size += rg.Padded() - rg.First
		}
	}
	return n
}

// block is the part of rows that leads to ranges which keep wants.
func block(p *partition.Placement, rows *graph.Adjacency, to graph.Space, keep func(r int) bool) *graph.Adjacency {
	a := &graph.Adjacency{Offsets32: []uint32{0}}
	var w []float64
	for i := range len(rows.FirstNeighbours) {
		lo, hi := rows.Row(uint32(i))
		first := graph.None
		for k := lo; k < hi; k++ {
			v := rows.Neighbours[k]
			r := p.RangeOf(v)
			if !keep(r) {
				continue
			}
			if to.First != nil {
				v += to.First[r] - p.Ranges[r].First
			}
			if first == graph.None {
				first = v
			}
			a.Neighbours = append(a.Neighbours, v)
			w = append(w, rows.Weights.Float64(int(k)))
		}
		a.FirstNeighbours = append(a.FirstNeighbours, first)
		a.Offsets32 = append(a.Offsets32, uint32(len(a.Neighbours)))
	}
	if kind := rows.Weights.Kind(); kind != graph.Unweighted {
		a.Weights, _ = graph.WeightsOf(w).Convert(kind) // the weights came from that kind
	}
	return a
}

// stage is the processors of this process, loaded, and their loop.
type stage struct {
	*placed
	t      testing.TB
	loop   *bsp.Loop
	lo, hi int
	loaded []*cpu.Processor
	wrap   func(r kernels.Run, processor int) kernels.Run // of Open's results, unless nil
}

func (g *placed) open(t testing.TB, by bsp.Transport, threads int) *stage {
	t.Helper()
	s := &stage{placed: g, t: t}
	s.lo, s.hi = by.Here()
	for _, part := range g.parts[s.lo:s.hi] {
		k := cpu.New(threads)
		if err := k.Load(context.Background(), part); err != nil {
			t.Fatalf("%s: %v", g.name, err)
		}
		s.loaded = append(s.loaded, k)
	}
	s.loop = bsp.New(g.layout, by, slices.Repeat([]kernels.Kind{kernels.CPU}, len(g.parts)))
	return s
}

func (s *stage) close() {
	s.loop.Close()
	for _, k := range s.loaded {
		_ = k.Close()
	}
}

// runs opens a program on all processors of this process.
func (s *stage) runs(p *program.Program) (list []kernels.Run) {
	s.t.Helper()
	if err := p.Validate(); err != nil {
		s.t.Fatal(err)
	}
	for i, k := range s.loaded {
		r, err := k.Open(context.Background(), p)
		if err != nil {
			s.t.Fatalf("%s, %s: %v", s.name, p.Name, err)
		}
		if s.wrap != nil {
			r = s.wrap(r, s.lo+i)
		}
		list = append(list, r)
	}
	return list
}

// run runs a body and hands the runs to read, unless it fails.
func (s *stage) run(ctx context.Context, p *program.Program, stats *bsp.Statistics, body func(m program.Machine) error, read func(runs []kernels.Run)) error {
	s.t.Helper()
	runs := s.runs(p)
	err := s.loop.Run(ctx, p, runs, stats, body)
	if err == nil {
		read(runs)
	}
	for _, r := range runs {
		_ = r.Close()
	}
	return err
}

// must is run of what cannot fail.
func (s *stage) must(p *program.Program, body func(m program.Machine) error, read func(runs []kernels.Run)) {
	s.t.Helper()
	if err := s.run(context.Background(), p, nil, body, read); err != nil {
		s.t.Fatalf("%s, %s: %v", s.name, p.Name, err)
	}
}

// read returns an array by vertex id, other for vertices of other processes and without a rank.
func read[T program.Value](s *stage, runs []kernels.Run, array int, other T) []T {
	s.t.Helper()
	out := slices.Repeat([]T{other}, s.list.Vertices)
	for _, r := range runs {
		if err := r.Read(array, out); err != nil {
			s.t.Fatal(err)
		}
	}
	return out
}

// owned calls f for all vertices of this process.
func (s *stage) owned(f func(v uint32)) {
	for v, i := range s.owner {
		if i >= s.lo && i < s.hi {
			f(uint32(v))
		}
	}
}

// results are the arrays of all programs, by vertex id.
type results struct {
	Levels, Components []uint32
	Distances          []float64
	Short              []float64 // distances again, of another type
	Ranks              []float64
	Many               []uint64
	Counts             []int64 // of frontiers
	Sums               []float64
}

var (
	levels = &program.Program{Name: "levels", Arrays: []program.Array{{Name: "level", Type: program.U32, Init: program.None}},
		Edges: []program.EdgeOp{{Name: "visit", From: -1, To: -1, Map: program.Source, Combine: program.Claim, Once: true}},
		Vertices: []program.VertexOp{{Name: "reach", Block: func(b *program.Block) {
			for i := range b.Each() {
				program.Of[uint32](b, 0)[i] = uint32(b.Args[0])
				b.Sum[0]++
			}
		}}}}
	components = &program.Program{Name: "components", Arrays: []program.Array{{Name: "label", Type: program.U32, Init: program.ID}},
		Edges: []program.EdgeOp{{Name: "spread", From: 0, To: 0, Arcs: program.Both, Map: program.Copy, Combine: program.Min}}}
	many = &program.Program{Name: "many",
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
		}}}}
	pageRank = &program.Program{Name: "pagerank",
		Arrays: []program.Array{
			{Name: "rank", Type: program.F64}, {Name: "give", Type: program.F64}, {Name: "in", Type: program.F64}, {Name: "degree", Type: program.I32},
		},
		Edges: []program.EdgeOp{{Name: "count", From: -1, To: 3, Arcs: program.Backward, Map: program.One, Combine: program.Sum},
			{Name: "sum", From: 1, To: 2, Map: program.Copy, Combine: program.Sum}},
		Vertices: []program.VertexOp{{Name: "damp", Block: func(b *program.Block) { // Args: base, damping
			r, g, in, degree := program.Of[float64](b, 0), program.Of[float64](b, 1), program.Of[float64](b, 2), program.Of[int32](b, 3)
			for i := range b.Each() {
				x := b.Args[0] + b.Args[1]*in[i]
				if r[i], in[i], g[i] = x, 0, 0; degree[i] == 0 {
					b.Sum[0] += x
				} else {
					g[i] = x / float64(degree[i])
				}
				b.Min = min(b.Min, x)
			}
		}}}}
)

// trees is the program of shortest paths with parents. Every orphan is reached and has none.
var trees = &program.Program{Name: "trees",
	Arrays: []program.Array{{Name: "distance", Type: program.F64, Init: program.Top}, {Name: "parent", Type: program.U32, Init: program.None, Ranks: true}},
	Edges: []program.EdgeOp{{Name: "relax", From: 0, To: 0, Map: program.Plus, Combine: program.Min},
		{Name: "lower", From: 0, To: 1, Map: program.TightLow, Combine: program.Claim},
		{Name: "equal", From: 0, To: 1, Map: program.Tight, Combine: program.Claim}},
	Vertices: []program.VertexOp{{Name: "orphans", Block: func(b *program.Block) {
		for i := range b.Each() {
			if program.Of[uint32](b, 1)[i] != graph.None || math.IsInf(program.Of[float64](b, 0)[i], 1) {
				b.Drop(i)
			}
		}
	}}, {Name: "reached", Block: func(b *program.Block) {
		for i := range b.Each() {
			if math.IsInf(program.Of[float64](b, 0)[i], 1) {
				b.Drop(i)
			}
		}
	}}, {Name: "parented", Block: func(b *program.Block) {
		for i := range b.Each() {
			if program.Of[uint32](b, 1)[i] == graph.None {
				b.Drop(i)
			}
		}
	}}}}

// tree is the body of trees.
func tree(m program.Machine, root uint32, way func() program.Way) error {
	err := distances(m, root, 1.0, way, func(program.Frontier) {})
	_, _ = m.Seed(root, 1, program.Pack(root))
	for op := 1; err == nil; op = 2 { // first along arcs that rise, then among equals
		orphans, _, _ := m.VertexMap(0, program.All)
		_ = m.Keep(1)
		if _, _, err = m.VertexMap(op, program.All); err != nil || orphans.Count == 0 {
			return err
		}
		_ = m.Keep(2)
		f, err := m.EdgeMap(op, program.Step{Way: program.Pull, From: 2, Over: 1})
		if err != nil || op == 2 && f.Count == 0 {
			return cmp.Or(err, errors.New("orphans are left"))
		}
	}
	return err
}

// relax is the program of shortest paths with distances of type T.
func relax[T program.Value]() *program.Program {
	return &program.Program{Name: "distances", Arrays: []program.Array{{Name: "distance", Type: program.TypeOf[T](), Init: program.Top}},
		Edges: []program.EdgeOp{{Name: "relax", From: 0, To: 0, Map: program.Plus, Combine: program.Min}}}
}

// distances is the body of relax: delta-stepping, Bellman-Ford where delta is 0.
func distances[T program.Value](m program.Machine, root uint32, delta T, way func() program.Way, note func(f program.Frontier)) error {
	f, err := m.Seed(root, 0, 0)
	for err == nil && f.Count > 0 {
		step := program.Step{Way: way()}
		if delta > 0 {
			below := T(math.Floor(float64(program.Unpack[T](f.Least))/float64(delta))+1) * delta
			step = program.Step{Way: program.Push, Below: program.Pack(below)}
		}
		f, err = m.EdgeMap(0, step)
		note(f)
	}
	return err
}

// play runs all programs from a root and checks what they compute; seed draws the ways.
func (s *stage) play(root uint32, seed uint64) (out results) {
	s.t.Helper()
	ways := rand.New(rand.NewPCG(seed, 11))
	way := func() program.Way { return program.Way(ways.IntN(2)) }
	rank := s.parts[0].RankOf[root]
	note := func(f program.Frontier) { out.Counts = append(out.Counts, f.Count) }
	fail := func(p *program.Program, v uint32, got, want any) {
		s.t.Helper()
		s.t.Fatalf("%s, %s from %d, seed %d: vertex %d has %v, not %v", s.name, p.Name, root, seed, v, got, want)
	}

	want := s.oracle.Levels(root)
	sizes := map[int32]int64{}
	for _, l := range want {
		sizes[l]++
	}
	s.must(levels, func(m program.Machine) error {
		f, err := m.Seed(rank, -1, 0)
		for level := int32(0); err == nil && f.Count > 0; level++ {
			var sum program.Reduced
			if f, sum, err = m.VertexMap(0, program.Default, float64(level)); err != nil {
				return err
			}
			if f.Count != sizes[level] || sum.Sum[0] != float64(f.Count) || !math.IsInf(sum.Min, 1) {
				return fmt.Errorf("level %d has %d vertices, sum %v, not %d", level, f.Count, sum, sizes[level])
			}
			f, err = m.EdgeMap(0, program.Step{Way: way()})
			note(f)
			if level < 8 && err == nil && !s.layout.Split { // a split layout counts what owners store
				if arcs := s.arcs(want, level+1); f.Arcs != arcs {
					return fmt.Errorf("level %d has %d arcs, not %d", level+1, f.Arcs, arcs)
				}
			}
		}
		return err
	}, func(runs []kernels.Run) {
		out.Levels = read(s, runs, 0, graph.None)
		s.owned(func(v uint32) {
			if out.Levels[v] != uint32(want[v]) { // ref.Unreached is −1
				fail(levels, v, int32(out.Levels[v]), want[v])
			}
		})
	})

	s.search(root, ways)

	far := ref.Distances(s.list, root)
	deltas := []float64{1, 2.5, 0}
	delta := deltas[seed%3]
	s.must(relax[float64](), func(m program.Machine) error { return distances(m, rank, delta, way, func(program.Frontier) {}) }, func(runs []kernels.Run) {
		out.Distances = read(s, runs, 0, 0.0)
		s.owned(func(v uint32) {
			if out.Distances[v] != far[v] {
				fail(relax[float64](), v, out.Distances[v], far[v])
			}
		})
	})
	switch seed % 4 {
	case 0:
		out.Short = shortest(s, rank, uint32(seed%5), way, far)
	case 1:
		out.Short = shortest(s, rank, int64(seed%5), way, far)
	case 2:
		out.Short = shortest(s, rank, float32(seed%5), way, far)
	case 3:
		out.Short = shortest(s, rank, int32(seed%5), way, far)
	}

	s.must(trees, func(m program.Machine) error { return tree(m, rank, way) }, func(runs []kernels.Run) {
		parents := read(s, runs, 1, graph.None)
		s.owned(func(v uint32) {
			p := parents[v]
			switch w, is := s.weight[[2]uint32{p, v}]; {
			case v == root && p == root, math.IsInf(far[v], 1) && p == graph.None:
			case v == root || !is || far[p]+w != far[v]:
				fail(trees, v, p, "a tight arc")
			}
			for steps := 0; v != root && p != graph.None && s.hi-s.lo == len(s.parts); p = parents[p] {
				if v = p; steps > s.list.Vertices {
					fail(trees, v, p, "a way to the root")
				}
				steps++
			}
		})
	})

	s.must(components, func(m program.Machine) error {
		f, err := m.EdgeMap(0, program.Step{Way: way(), From: program.All})
		for err == nil && f.Count > 0 {
			f, err = m.EdgeMap(0, program.Step{Way: way()})
		}
		return err
	}, func(runs []kernels.Run) {
		out.Components = read[uint32](s, runs, 0, 0)
		labels := ref.Components(s.list)
		s.owned(func(v uint32) {
			if out.Components[v] != labels[v] {
				fail(components, v, out.Components[v], labels[v])
			}
		})
	})

	var roots []uint32
	for v := range s.owner {
		if s.owner[v] >= 0 && len(roots) < 9 {
			roots = append(roots, uint32(v))
		}
	}
	s.must(many, func(m program.Machine) error {
		for i, r := range roots {
			for array := range 2 { // in neither order of the bits does one seed undo another's
				if _, err := m.Seed(s.parts[0].RankOf[r], array, 1<<i); err != nil {
					return err
				}
			}
		}
		for {
			if _, err := m.EdgeMap(0, program.Step{Way: way()}); err != nil {
				return err
			}
			f, sum, err := m.VertexMap(0, program.Default)
			if err != nil || f.Count == 0 {
				return err
			}
			note(f)
			out.Sums = append(out.Sums, sum.Sum[0])
		}
	}, func(runs []kernels.Run) {
		out.Many = read[uint64](s, runs, 0, 0)
		s.owned(func(v uint32) {
			bits := uint64(0)
			for i, r := range roots {
				if s.oracle.Levels(r)[v] != ref.Unreached {
					bits |= 1 << i
				}
			}
			if out.Many[v] != bits {
				fail(many, v, out.Many[v], bits)
			}
		})
	})

	const damping, iterations = .85, 12
	s.must(pageRank, func(m program.Machine) error {
		info := m.Info()
		n, isolated := float64(info.Vertices+info.Isolated), float64(info.Isolated)
		if _, err := m.EdgeMap(0, program.Step{Way: way(), From: program.All}); err != nil {
			return err
		}
		base, one := 1/n, 0.0
		for range iterations + 1 {
			_, sum, err := m.VertexMap(0, program.All, base, one)
			if err != nil {
				return err
			}
			out.Sums = append(out.Sums, sum.Sum[0], sum.Min)
			base, one = (1-damping)/n+damping*(sum.Sum[0]+isolated*base)/n, damping
			if _, err := m.EdgeMap(1, program.Step{Way: program.Pull, From: program.All}); err != nil {
				return err
			}
		}
		return nil
	}, func(runs []kernels.Run) {
		out.Ranks = read(s, runs, 0, 0.0)
		ranks := ref.PageRank(s.list, damping, iterations)
		s.owned(func(v uint32) {
			if math.Abs(out.Ranks[v]-ranks[v]) > 1e-13 {
				fail(pageRank, v, out.Ranks[v], ranks[v])
			}
		})
	})
	return out
}

// shortest checks the distances of a type.
func shortest[T program.Value](s *stage, rank uint32, delta T, way func() program.Way, far []float64) (list []float64) {
	s.t.Helper()
	p := relax[T]()
	s.must(p, func(m program.Machine) error { return distances(m, rank, delta, way, func(program.Frontier) {}) }, func(runs []kernels.Run) {
		for _, d := range read[T](s, runs, 0, 0) {
			list = append(list, float64(d))
		}
		s.owned(func(v uint32) {
			if top := float64(program.Largest[T]()); list[v] != min(far[v], top) {
				s.t.Fatalf("%s: distance of %d as %v is %v, not %v", s.name, v, p.Arrays[0].Type, list[v], far[v])
			}
		})
	})
	return list
}

// arcs is the number of out-arcs of a level's vertices.
func (g *placed) arcs(levels []int32, level int32) (n int64) {
	for arc := range g.weight {
		if arc[0] != arc[1] && levels[arc[0]] == level {
			n++
		}
	}
	return n
}

// search runs breadth-first searches by BFS.Search and checks the parents of this process.
func (s *stage) search(root uint32, ways *rand.Rand) {
	s.t.Helper()
	runs := s.runs(bsp.Tree)
	b, err := bsp.NewBFS(s.loop, runs)
	if err != nil {
		s.t.Fatal(err)
	}
	for range 2 {
		directions := make(bsp.Script, 8)
		for i := range directions {
			directions[i] = kernels.Direction(ways.IntN(2))
		}
		parents := slices.Repeat([]uint32{graph.None}, s.list.Vertices)
		outcome, err := b.Search(context.Background(), bsp.Search{Root: s.parts[0].RankOf[root], Parents: parents, Director: directions})
		if err != nil {
			s.t.Fatalf("%s: %v", s.name, err)
		}
		reached, depth := ref.Reached(s.oracle.Levels(root))
		if outcome.Reached != int64(reached.Count()) || outcome.Depth != int64(depth) {
			s.t.Errorf("%s: search from %d reached %d at depth %d, not %d at %d", s.name, root, outcome.Reached, outcome.Depth, reached.Count(), depth)
		}
		for v, p := range parents {
			if i := s.owner[v]; i < s.lo || i >= s.hi {
				if p != graph.None {
					s.t.Fatalf("%s: vertex %d of another process has parent %d", s.name, v, p)
				}
			} else if err := s.oracle.CheckParent(root, uint32(v), p); err != nil {
				s.t.Fatalf("%s, directions %v: %v", s.name, directions, err)
			}
		}
	}
	for _, r := range runs {
		_ = r.Close()
	}
}

// weighted gives every record a weight of 0 … 3.
func weighted(list *graph.EdgeList, r *rand.Rand, kind graph.WeightKind) *graph.EdgeList {
	w := make([]float64, len(list.Edges))
	for i := range w {
		w[i] = float64(r.IntN(4))
	}
	list.Weights, _ = graph.WeightsOf(w).Convert(kind) // whole numbers fit
	return list
}

// random is a small graph, directed or weighted or both or neither.
func random(r *rand.Rand) *graph.EdgeList {
	n := 2 + r.IntN(40)
	if r.IntN(8) == 0 {
		n = 60 + r.IntN(500)
	}
	list := &graph.EdgeList{Vertices: n, Directed: r.IntN(2) == 0}
	for range 1 + n/2 + r.IntN(3*n) {
		list.Edges = append(list.Edges, graph.Edge{U: r.Uint32N(uint32(n)), V: r.Uint32N(uint32(n))})
	}
	if r.IntN(4) > 0 {
		weighted(list, r, []graph.WeightKind{graph.Int32, graph.Int64}[r.IntN(2)])
	}
	return list
}

// root draws a vertex with a rank, false if there is none.
func (g *placed) root(r *rand.Rand) (uint32, bool) {
	var list []uint32
	for v, i := range g.owner {
		if i >= 0 {
			list = append(list, uint32(v))
		}
	}
	if len(list) == 0 {
		return 0, false
	}
	return list[r.IntN(len(list))], true
}

// threads lets a test use four threads.
func threads(t testing.TB) {
	old := runtime.GOMAXPROCS(max(4, runtime.GOMAXPROCS(0)))
	t.Cleanup(func() { runtime.GOMAXPROCS(old) })
}

// playAll plays a placed graph with one and with three threads: the results are the same bits.
func playAll(t *testing.T, g *placed, root uint32, seed uint64) {
	t.Helper()
	var all [2]results
	for k, threads := range []int{1, 3} {
		s := g.open(t, bsp.Local(len(g.parts)), threads)
		all[k] = s.play(root, seed)
		s.close()
	}
	if !reflect.DeepEqual(all[0], all[1]) {
		t.Fatalf("%s, seed %d: three threads and one computed\n%v\n%v", g.name, seed, all[1], all[0])
	}
}

// TestPrograms runs programs on random graphs, over ranges and grids.
func TestPrograms(t *testing.T) {
	threads(t)
	rounds := 240
	if raceEnabled || testing.Short() {
		rounds = 20
	}
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 5))
		g := shapes[seed%uint64(len(shapes))].at(t, random(r), r)
		if root, is := g.root(r); is {
			playAll(t, g, root, seed)
		}
	}
}

// TestProgramsOfCorpus runs programs on the corpus.
func TestProgramsOfCorpus(t *testing.T) {
	threads(t)
	for i, c := range ref.Corpus() {
		if i%3 == 2 || raceEnabled && i%16 != 0 {
			continue
		}
		r := rand.New(rand.NewPCG(uint64(i), 6))
		if i%2 == 0 {
			weighted(c.List, r, graph.Int32)
		}
		g := shapes[i%len(shapes)].at(t, c.List, r)
		if root, is := g.root(r); is {
			playAll(t, g, root, uint64(i))
		}
	}
}

// TestLevelsOfPrograms looks at the levels that a run records.
func TestLevelsOfPrograms(t *testing.T) {
	// A star of 64 leaves around 0, its leaves owned by processor 1, and a tail.
	l := &graph.EdgeList{Vertices: 67}
	owners := make([]uint8, l.Vertices)
	for v := uint32(1); v <= 64; v++ {
		l.Edges = append(l.Edges, graph.Edge{U: 0, V: v})
		owners[v] = 1
	}
	l.Edges = append(l.Edges, edges(1, 65, 65, 66)...)
	p := place(t, l, 2, owners)
	g := &placed{list: l, layout: bsp.NewLayout(p), parts: []*graph.Part{p.Part(0), p.Part(1)}}
	s := g.open(t, bsp.Local(2), 1)
	defer s.close()
	var stats bsp.Statistics
	for range 2 {
		err := s.run(context.Background(), levels, &stats, func(m program.Machine) error {
			_, err := m.Seed(p.RankOf[0], -1, 0)
			for _, step := range []program.Step{{Way: program.Push}, {Way: program.Pull}, {Way: program.Push, From: 1}, {Way: program.Pull, From: program.All}} {
				_, err = m.EdgeMap(0, step)
				_ = m.Keep(1)
			}
			return err
		}, func([]kernels.Run) {})
		if err != nil || len(stats.Levels) != 4 || stats.Count != 4 || stats.RestLevels != 0 {
			t.Fatalf("%v, levels %+v", err, stats)
		}
		for i, want := range []struct {
			direction string
			frontier  float64
			sent      [2]float64
		}{
			{"push", 1, [2]float64{8, 0}},  // 64 leaves as bits
			{"pull", 64, [2]float64{0, 8}}, // the leaves again
			{"push", 1, [2]float64{0, 0}},  // 65 finds 66
			{"pull", 67, [2]float64{0, 0}}, // all of them, without values
		} {
			got := stats.Levels[i]
			if got.Level != i || got.Direction != want.direction || got.Frontier != want.frontier ||
				got.EdgesExamined != nil || got.TimeS <= 0 || len(got.Processors) != 2 {
				t.Errorf("level %d: %+v", i, got)
			}
			for k, q := range got.Processors {
				if q.BytesSent != want.sent[k] || q.BytesReceived != want.sent[1-k] || q.ComputeS <= 0 || !strings.HasPrefix(q.Kernel, want.direction+"/") {
					t.Errorf("level %d, processor %d: %+v", i, k, q)
				}
			}
		}
	}
	all := func(m program.Machine) error { _, err := m.Use(program.All); return err }
	if err := s.run(context.Background(), levels, nil, all, func([]kernels.Run) {}); err != nil || len(stats.Levels) != 4 {
		t.Errorf("without statistics: %v, %d levels", err, len(stats.Levels))
	}
}
