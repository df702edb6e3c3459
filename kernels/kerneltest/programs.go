package kerneltest

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/program"
)

// example is a program with a body, and with a check of what a processor chooses, as parents.
type example struct {
	name string
	p    program.Program
	// undirected and whole restrict the graphs and the layouts to those that need no grid.
	undirected, whole bool
	// rounding says that results have sums of floats.
	rounding bool
	body     func(m *machine, root uint32)       // root is a rank
	check    func(m *machine, root uint32) error // root is a vertex
}

// examples returns the programs of the kit.
func examples() []example {
	list := []example{breadth(), components(), unionFind(), manySearches(), cores(), betweenness(), propagation(), order(), starts()}
	list = append(list, values[uint32](), values[int32](), values[uint64](), values[int64](), values[float32](), values[float64]())
	list = append(list, pageRank[float32](), pageRank[float64]())
	inf := math.Inf(1)
	return append(list, distances[uint32](1), distances[int32](2.5), distances[uint64](2.5), distances[int64](inf),
		distances[float32](2.5), distances[float64](1), distances[float64](inf))
}

// keep is a vertex operator that drops the vertices that do is false of. device is its source for devices.
func keep(name, device string, do func(b *program.Block, i int) bool) program.VertexOp {
	return program.VertexOp{Name: name, Device: device, Block: func(b *program.Block) {
		for i := range b.Each() {
			if !do(b, i) {
				b.Drop(i)
			}
		}
	}}
}

// num is a result of a vertex.
func (m *machine) num(array int, v uint32) float64 {
	return numbers[m.p.Arrays[array].Type].float(m.got[array][v])
}

// ranks calls do for every vertex with a rank until it fails.
func (m *machine) ranks(do func(v uint32) error) error {
	for v, rank := range m.rankOf {
		if rank == graph.None {
			continue
		}
		if err := do(uint32(v)); err != nil {
			return fmt.Errorf("vertex %d: %w", v, err)
		}
	}
	return nil
}

var visit = program.EdgeOp{Name: "visit", From: -1, To: -1, Map: program.Source, Combine: program.Claim, Once: true}

// breadth is breadth-first search.
func breadth() example {
	return example{name: "bfs", p: program.Program{Edges: []program.EdgeOp{visit}},
		body: func(m *machine, root uint32) {
			for f, _ := m.Seed(root, -1, 0); f.Count > 0; {
				f, _ = m.EdgeMap(0, m.way(0, program.Step{}))
			}
		},
		check: func(m *machine, root uint32) error {
			m.tree(root)
			return nil
		},
	}
}

// distances is delta-stepping, with parents by tight arcs.
func distances[T program.Value](delta float64) example {
	t := program.TypeOf[T]()
	top := program.Largest[T]()
	return example{name: fmt.Sprint("sssp-", t, "-", delta), p: program.Program{
		Arrays: []program.Array{{Name: "distance", Type: t, Init: program.Top}, {Name: "parent", Type: program.U32, Init: program.None, Ranks: true}},
		Edges: []program.EdgeOp{
			{Name: "relax", From: 0, To: 0, Map: program.Plus, Combine: program.Min},
			{Name: "low", From: 0, To: 1, Map: program.TightLow, Combine: program.Claim},
			{Name: "tight", From: 0, To: 1, Map: program.Tight, Combine: program.Claim},
		},
		Vertices: []program.VertexOp{
			keep("orphans", fmt.Sprintf("if (distance[v] == %v_TOP || parent[v] != NONE) DROP;", t), func(b *program.Block, i int) bool {
				return program.Of[T](b, 0)[i] != top && program.Of[uint32](b, 1)[i] == graph.None
			}),
			keep("parented", "if (parent[v] == NONE) DROP;", func(b *program.Block, i int) bool { return program.Of[uint32](b, 1)[i] != graph.None }),
		}},
		body: func(m *machine, root uint32) {
			for f, _ := m.Seed(root, 0, 0); f.Count > 0; {
				below := program.TopOf(t)
				if !math.IsInf(delta, 1) {
					below = numbers[t].of(math.Ceil((math.Floor(numbers[t].float(f.Least)/delta) + 1) * delta))
				}
				f, _ = m.EdgeMap(0, program.Step{Way: program.Push, Below: below})
			}
			_, _ = m.Seed(root, 1, program.Bits(root))
			for op, from := 1, program.All; ; op, from = 2, 2 {
				orphans, _, _ := m.VertexMap(0, program.All)
				_ = m.Keep(1)
				f, _ := m.EdgeMap(op, program.Step{Way: program.Pull, From: from, Over: 1})
				if op == 1 {
					_, _, _ = m.VertexMap(1, program.All)
				} else if f.Count == 0 {
					m.expect(orphans.Count == 0, "a vertex gets no parent")
					return
				}
				_ = m.Keep(2)
			}
		},
		check: func(m *machine, root uint32) error {
			return m.ranks(func(v uint32) error {
				for n := 0; m.num(0, v) != numbers[t].float(program.TopOf(t)) && v != root; n++ {
					u := uint32(m.num(1, v))
					w, is := m.weight[[2]uint32{u, v}]
					if !is || n > m.Vertices || m.num(0, u)+w != m.num(0, v) {
						return fmt.Errorf("%d is no parent of %d", u, v)
					}
					v = u
				}
				return nil
			})
		},
	}
}

// components spreads the smallest id.
func components() example {
	return example{name: "components", p: program.Program{
		Arrays: []program.Array{{Name: "label", Type: program.U32, Init: program.ID}},
		Edges:  []program.EdgeOp{{Name: "spread", From: 0, To: 0, Arcs: program.Both, Map: program.Copy, Combine: program.Min}}},
		body: func(m *machine, _ uint32) {
			for f, _ := m.EdgeMap(0, m.way(0, program.Step{From: program.All})); f.Count > 0; {
				f, _ = m.EdgeMap(0, m.way(0, program.Step{}))
			}
		},
	}
}

// forest is a disjoint-set forest over ranks.
type forest []uint32

func (f forest) find(v uint32) uint32 {
	for f[v] != v {
		v = f[v]
	}
	return v
}

func (f forest) link(u, v uint32) {
	u, v = f.find(u), f.find(v)
	f[max(u, v)] = min(u, v)
}

// unionFind links the forests of all partitions, by out-arcs in array 0, by in-arcs in array 1, by
// both in array 2.
func unionFind() example {
	link := func(array int, arcs program.Arcs) program.LocalOp {
		return program.LocalOp{Name: "link", Device: fmt.Sprintf("link(t_%d, u, v);", array),
			Arcs: arcs, DeviceRanks: fmt.Sprintf("compress(t_%d, v);", array), Run: func(_ context.Context, l program.Local) error {
				f := forest(l.U32(array))
				var one sync.Mutex
				if err := l.Rows(arcs, func(b *program.RowBlock) {
					one.Lock()
					defer one.Unlock()
					for u := b.Lo; u < b.Hi; u++ {
						if v := b.First[u-b.Lo]; v != graph.None {
							f.link(u, v)
						}
						for _, v := range b.Row(u) {
							f.link(u, v)
						}
					}
				}); err != nil {
					return err
				}
				return l.Vertices(func(lo, hi uint32) {
					one.Lock()
					defer one.Unlock()
					for v := lo; v < hi; v++ {
						f[v] = f.find(v)
					}
				})
			}}
	}
	label := program.Array{Type: program.U32, Init: program.Rank, Ranks: true}
	return example{name: "union-find", p: program.Program{
		Arrays: []program.Array{label, label, label},
		Locals: []program.LocalOp{link(0, program.Forward), link(1, program.Backward), link(2, program.Both)}},
		body: func(m *machine, _ uint32) {
			for array := range 3 {
				_ = m.Local(array)
				_, _ = m.Gather(array)
			}
		},
	}
}

// manySearches runs 64 searches at once.
func manySearches() example {
	const seen, front, next, id = 0, 1, 2, 3
	return example{name: "many-bfs", p: program.Program{
		Arrays: []program.Array{{Name: "seen", Type: program.U64}, {Name: "front", Type: program.U64}, {Name: "next", Type: program.U64},
			{Name: "id", Type: program.U32, Init: program.ID}},
		Edges: []program.EdgeOp{{Name: "spread", From: front, To: next, Map: program.Copy, Combine: program.Or, Known: 1 + seen}},
		Vertices: []program.VertexOp{keep("start", "seen[v] = front[v] = id[v] < 64 ? (u64)1 << id[v] : 0; if (!seen[v]) DROP;", func(b *program.Block, i int) bool {
			bit := uint64(1) << program.Of[uint32](b, id)[i] // 0 from 64 on
			program.Of[uint64](b, seen)[i], program.Of[uint64](b, front)[i] = bit, bit
			return bit != 0
		}), keep("settle", `front[v] = next[v] & ~seen[v];
			seen[v] |= next[v];
			next[v] = 0;
			SUM(0, POPC((uint)front[v]) + POPC((uint)(front[v] >> 32)));
			if (!front[v]) DROP;`, func(b *program.Block, i int) bool {
			s, f, n := &program.Of[uint64](b, seen)[i], &program.Of[uint64](b, front)[i], &program.Of[uint64](b, next)[i]
			*f, *s, *n = *n&^*s, *s|*n, 0
			b.Sum[0] += float64(bits.OnesCount64(*f))
			return *f != 0
		})}},
		body: func(m *machine, _ uint32) {
			m.total = 0
			f, sum, _ := m.VertexMap(0, program.All)
			for level := 1.0; f.Count > 0; level++ {
				_, _ = m.EdgeMap(0, m.way(0, program.Step{}))
				f, sum, _ = m.VertexMap(1, program.Default)
				m.total += level * sum.Sum[0]
			}
		},
	}
}

// cores finds the core number of each vertex.
func cores() example {
	const degree, lost, core, gone = 0, 1, 2, 3
	return example{name: "k-core", undirected: true, p: program.Program{
		Arrays: []program.Array{{Name: "degree", Type: program.I32}, {Name: "lost", Type: program.I32}, {Name: "core", Type: program.I32},
			{Name: "gone", Type: program.U32}},
		Edges: []program.EdgeOp{{Name: "count", From: -1, To: degree, Map: program.One, Combine: program.Sum},
			{Name: "drop", From: -1, To: lost, Map: program.One, Combine: program.Sum}},
		Vertices: []program.VertexOp{keep("peel", `degree[v] -= lost[v];
			lost[v] = 0;
			if (!gone[v] && degree[v] <= ARG(0)) gone[v] = 1, core[v] = (int)ARG(0);
			else {
				if (!gone[v]) MIN(degree[v]);
				DROP;
			}`, func(b *program.Block, i int) bool {
			d, l, g := &program.Of[int32](b, degree)[i], &program.Of[int32](b, lost)[i], &program.Of[uint32](b, gone)[i]
			*d, *l = *d-*l, 0
			switch {
			case *g == 1:
			case float64(*d) <= b.Args[0]:
				*g, program.Of[int32](b, core)[i] = 1, int32(b.Args[0])
				return true
			default:
				b.Min = min(b.Min, float64(*d))
			}
			return false
		})}},
		body: func(m *machine, _ uint32) {
			_, _ = m.EdgeMap(0, m.way(0, program.Step{From: program.All}))
			f, least, _ := m.VertexMap(0, program.All, 0)
			for k := 0.0; f.Count > 0 || !math.IsInf(least.Min, 1); f, least, _ = m.VertexMap(0, program.All, k) {
				if f.Count == 0 {
					k = least.Min
				} else {
					_, _ = m.EdgeMap(1, m.way(1, program.Step{}))
				}
			}
		},
	}
}

// betweenness is that of the shortest paths from one root.
func betweenness() example {
	const paths, sum, give, result = 0, 1, 2, 3
	return example{name: "betweenness", rounding: true, p: program.Program{
		Arrays: []program.Array{{Name: "paths", Type: program.F64}, {Name: "sum", Type: program.F64}, {Name: "give", Type: program.F64},
			{Name: "result", Type: program.F64}},
		Edges: []program.EdgeOp{visit, {Name: "count", From: paths, To: paths, Map: program.Copy, Combine: program.Sum},
			{Name: "back", From: give, To: sum, Arcs: program.Backward, Map: program.Copy, Combine: program.Sum}},
		Vertices: []program.VertexOp{keep("share", `double d = paths[v] * sum[v];
			give[v] = (1 + d) / paths[v];
			result[v] = d;`, func(b *program.Block, i int) bool {
			p := program.Of[float64](b, paths)[i]
			d := p * program.Of[float64](b, sum)[i]
			program.Of[float64](b, give)[i], program.Of[float64](b, result)[i] = (1+d)/p, d
			return true
		})}},
		body: func(m *machine, root uint32) {
			level := program.Set(1)
			for f, _ := m.Seed(root, paths, program.Pack(1.0)); f.Count > 0; level++ {
				_ = m.Keep(level)
				if level > 1 {
					_, _ = m.EdgeMap(1, program.Step{Way: program.Pull, From: level - 1, Over: level})
					_, _ = m.Use(level)
				}
				f, _ = m.EdgeMap(0, m.way(0, program.Step{}))
			}
			for level--; level > 1; level-- {
				_, _, _ = m.VertexMap(0, level)
				_, _ = m.EdgeMap(2, program.Step{Way: program.Pull, From: level, Over: level - 1})
			}
		},
	}
}

// pageRank is 10 iterations of it.
func pageRank[T float32 | float64]() example {
	const iterations, damping = 10, 0.85
	const rank, give, in, degree = 0, 1, 2, 3
	t := program.TypeOf[T]()
	return example{name: fmt.Sprint("pagerank-", t), rounding: true, p: program.Program{
		Arrays: []program.Array{{Name: "rank", Type: t}, {Name: "give", Type: t}, {Name: "in", Type: t}, {Name: "degree", Type: program.I64}},
		Edges: []program.EdgeOp{{Name: "degree", From: -1, To: degree, Arcs: program.Backward, Map: program.One, Combine: program.Sum},
			{Name: "sum", From: give, To: in, Map: program.Copy, Combine: program.Sum}},
		Vertices: []program.VertexOp{{Name: "damp", Device: `rank[v] = ARG(0) + ARG(1) * in[v];
			in[v] = 0;
			if (degree[v] > 0) give[v] = rank[v] / degree[v];
			else SUM(1, rank[v]);`, Block: func(b *program.Block) {
			r, g, s := program.Of[T](b, rank), program.Of[T](b, give), program.Of[T](b, in)
			for i := range b.Each() {
				r[i], s[i] = T(b.Args[0]+b.Args[1]*float64(s[i])), 0
				if d := program.Of[int64](b, degree)[i]; d > 0 {
					g[i] = r[i] / T(d)
				} else {
					b.Sum[1] += float64(r[i])
				}
			}
		}}}},
		body: func(m *machine, _ uint32) {
			n := float64(m.Vertices)
			base := 1 / n // also the rank of a vertex without arcs
			_, _ = m.EdgeMap(0, m.way(0, program.Step{From: program.All}))
			_, sum, _ := m.VertexMap(0, program.All, base, 0)
			for range iterations {
				base = (1 - damping + damping*(sum.Sum[1]+base*float64(m.Vertices-m.ranked))) / n
				_, _ = m.EdgeMap(1, program.Step{Way: program.Pull, From: program.All})
				_, sum, _ = m.VertexMap(0, program.All, base, damping)
			}
		},
	}
}

// weightedSource is weighted for devices.
const weightedSource = `#define IDENTITY ((T)0)
FN T send(uint u, T from, T w) { return from * w; }
FN uint merge(T* to, T x) { *to += x; return 1; }`

// weighted is a user's operator: a sum of products of values and weights.
type weighted[T program.Value] struct{}

func (weighted[T]) times(from T, w []T, k int) T {
	if w == nil {
		return from
	}
	return from * w[k]
}

func (o weighted[T]) Push(_ uint32, from T, row []uint32, w []T, out []T) {
	for k := range row {
		out[k] = o.times(from, w, k)
	}
}

func (weighted[T]) Combine(to *T, v T) bool { *to += v; return true }

func (o weighted[T]) Pull(_ uint32, row []uint32, w []T, from []T, set []uint64, _ T) (sum T, ok bool) {
	for k, u := range row {
		if set == nil || set[u/64]>>(u%64)&1 != 0 {
			sum += o.times(from[u], w, k)
			ok = true
		}
	}
	return sum, ok
}

// values runs every combination on one type, from a set of vertices and over another one.
func values[T program.Value]() example {
	const a, low, sum, back, both, user, marks, id, bit = 0, 1, 2, 3, 4, 5, 6, 7, 8
	t := program.TypeOf[T]()
	p := program.Program{
		Arrays: []program.Array{{Name: "a", Type: t}, {Name: "low", Type: t, Init: program.Top}, {Name: "sum", Type: t}, {Name: "back", Type: t},
			{Name: "both", Type: t}, {Name: "user", Type: t}, {Name: "marks", Type: program.I32}, {Name: "id", Type: program.U32, Init: program.ID}},
		Edges: []program.EdgeOp{
			{Name: "low", From: a, To: low, Map: program.Plus, Combine: program.Min},
			{Name: "sum", From: a, To: sum, Map: program.Copy, Combine: program.Sum},
			{Name: "back", From: a, To: back, Arcs: program.Backward, Map: program.Plus, Combine: program.Sum},
			{Name: "both", From: a, To: both, Arcs: program.Both, Map: program.Copy, Combine: program.Sum},
			{Name: "user", From: a, To: user, Rows: weighted[T]{}, Device: weightedSource},
		},
		Vertices: []program.VertexOp{
			keep("start", "if (id[v] % 3 == 1) DROP; else a[v] = id[v] % 7 + 1;", func(b *program.Block, i int) bool {
				v := program.Of[uint32](b, id)[i]
				if v%3 != 1 {
					program.Of[T](b, a)[i] = T(v%7 + 1)
				}
				return v%3 != 1
			}),
			keep("half", "if (id[v] % 2 == 0) DROP;", func(b *program.Block, i int) bool { return program.Of[uint32](b, id)[i]%2 != 0 }),
			keep("mark", "marks[v] = marks[v] * 2 + 1;", func(b *program.Block, i int) bool {
				program.Of[int32](b, marks)[i] = program.Of[int32](b, marks)[i]*2 + 1
				return true
			}),
		}}
	if !t.Float() {
		p.Arrays = append(p.Arrays, program.Array{Name: "bit", Type: t})
		p.Edges = append(p.Edges, program.EdgeOp{Name: "bit", From: a, To: bit, Map: program.Copy, Combine: program.Or})
	}
	if t == program.F32 {
		p.Arrays = append(p.Arrays, program.Array{Name: "wide", Type: program.F64})
		p.Edges = append(p.Edges, program.EdgeOp{Name: "wide", From: a, To: len(p.Arrays) - 1, Map: program.Copy, Combine: program.Sum})
	}
	return example{name: fmt.Sprint("values-", t), p: p,
		body: func(m *machine, _ uint32) {
			m.over = nil
			_, _, _ = m.VertexMap(1, program.All)
			_ = m.Keep(2)
			_, _, _ = m.VertexMap(0, program.All)
			_ = m.Keep(1)
			for op := range m.p.Edges {
				s := m.way(op, program.Step{From: program.Set(op % 2), Over: program.Set(2 * m.rng.IntN(2))})
				m.over = append(m.over, s.Over == 2)
				_, _ = m.Use(1)
				_, _ = m.EdgeMap(op, s)
				_, _, _ = m.VertexMap(2, program.Default)
			}
		},
	}
}

// frequent is a user's operator: the label that most sources have, the smallest of these.
type frequent struct{}

func (frequent) Push(uint32, uint32, []uint32, []uint32, []uint32) {}

func (frequent) Combine(to *uint32, v uint32) bool {
	changed := *to != v
	*to = v
	return changed
}

func (frequent) Pull(_ uint32, row []uint32, _ []uint32, from []uint32, _ []uint64, _ uint32) (uint32, bool) {
	labels := make([]uint32, len(row))
	for k, u := range row {
		labels[k] = from[u]
	}
	return most(labels), len(row) > 0
}

// most is the most frequent number of a list, the smallest of these.
func most(list []uint32) (label uint32) {
	count, best := map[uint32]int{}, 0
	for _, x := range list {
		count[x]++
	}
	for x, n := range count {
		if n > best || n == best && x < label {
			label, best = x, n
		}
	}
	return label
}

// propagation is three rounds of label propagation.
func propagation() example {
	const label, next = 0, 1
	return example{name: "label-propagation", undirected: true, whole: true, p: program.Program{
		Arrays: []program.Array{{Name: "label", Type: program.U32, Init: program.ID}, {Name: "next", Type: program.U32, Init: program.ID}},
		Edges:  []program.EdgeOp{{Name: "frequent", From: label, To: next, Rows: frequent{}, WholeRows: true}},
		Vertices: []program.VertexOp{{Name: "copy", Device: "label[v] = next[v];", Block: func(b *program.Block) {
			copy(program.Of[uint32](b, label), program.Of[uint32](b, next))
		}}}},
		body: func(m *machine, _ uint32) {
			for range 3 {
				_, _ = m.EdgeMap(0, program.Step{Way: program.Pull, From: program.All})
				_, _, _ = m.VertexMap(0, program.All)
			}
		},
	}
}

// order has sums of blocks that are 0 in the order of ranks only.
func order() example {
	const huge = 1 << 60
	return example{name: "order-of-sums", p: program.Program{
		Arrays: []program.Array{{Name: "first", Type: program.U32}, {Name: "last", Type: program.U32}},
		Vertices: []program.VertexOp{{Name: "sum", Device: `double huge = 1 << 30;
			huge *= 1 << 30;
			double x = first[v] ? huge : i == 0 ? 1 : 0;
			SUM(0, last[v] ? x - huge : x);
			if (i == 0) SUM(3, ARG(3)), MIN(ARG(1));`, Block: func(b *program.Block) {
			b.Sum[0] = 1
			if first, last := program.Of[uint32](b, 0), program.Of[uint32](b, 1); slices.Contains(first, 1) {
				b.Sum[0] = huge
				if slices.Contains(last, 1) {
					b.Sum[0] = 0
				}
			} else if slices.Contains(last, 1) {
				b.Sum[0] = -huge
			}
			b.Sum[3], b.Min = b.Args[3], b.Args[1]
		}}}},
		body: func(m *machine, _ uint32) {
			for _, rg := range m.parts[0].Ranges {
				if rg.Vertices > 0 {
					_, _ = m.Seed(rg.First, 0, 1)
					_, _ = m.Seed(rg.First+rg.Vertices-1, 1, 1)
				}
			}
			_, sum, _ := m.VertexMap(0, program.All, 0, -5)
			m.expect(m.ranked == 0 || sum.Sum == [4]float64{} && sum.Min == -5, "another sum of blocks")
		},
	}
}

// starts has an array of every initial value, and seeds.
func starts() example {
	return example{name: "initial-values", p: program.Program{
		Arrays: []program.Array{{Name: "rank", Type: program.U32, Init: program.Rank}, {Name: "self", Type: program.U32, Init: program.Rank, Ranks: true},
			{Name: "none", Type: program.U32, Init: program.None, Ranks: true}, {Name: "id", Type: program.U32, Init: program.ID},
			{Name: "top", Type: program.I64, Init: program.Top}, {Name: "inf", Type: program.F32, Init: program.Top}, {Name: "zero", Type: program.F64}}},
		body: func(m *machine, root uint32) {
			all, _ := m.Use(program.All)
			m.expect(all.Count == int64(m.ranked), "all vertices are not all")
			stale, _ := m.Use(9)
			_, _ = m.Seed(root, 4, program.Pack(int64(-3)))
			_ = m.Keep(9)
			empty, _ := m.Use(10)
			m.expect(stale.Count+empty.Count == 0, "sets that were not stored have vertices")
		},
	}
}
