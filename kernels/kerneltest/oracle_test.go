package kerneltest

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

// oracle returns what checks results of a program, nil for nothing.
func (x *example) oracle() func(m *machine, root uint32) error {
	prefix, _, _ := strings.Cut(x.name, "-")
	if of := oracles[x.name]; of != nil {
		return of
	}
	return oracles[prefix]
}

// TestModel runs the kit on the model, with programs whose results are compared with plain loops over the
// whole graph: other processors are compared with the model alone.
func TestModel(t *testing.T) {
	list := examples()
	for i, x := range list {
		switch oracle := x.oracle(); {
		case oracle != nil:
			list[i].check = func(m *machine, root uint32) error {
				if err := oracle(m, root); err != nil || x.check == nil {
					return err
				}
				return x.check(m, root)
			}
		case x.check == nil && x.name != order().name: // whose body checks its sums
			t.Errorf("nothing checks the results of %s", x.name)
		}
	}
	model := func(*testing.T) kernels.Processor { return &serial{} }
	Options{examples: list, Skip: []string{"searches/"}}.Run(t, model)
	Options{Short: true, Skip: []string{"rule", "programs/"}}.Run(t, model)
}

// TestOracles: a wrong result of any vertex is found in every program.
func TestOracles(t *testing.T) {
	array := map[string]int{"k-core": 2, "betweenness": 3, "initial-values": 4} // that has the result, else 0
	for _, x := range examples() {
		oracle := x.oracle()
		if oracle == nil || x.name == "union-find" { // whose oracle reads the runs
			continue
		}
		l := load(t, place(random(2), layouts()[0]), func() kernels.Processor { return &serial{} })
		m := l.open(&x)
		m.turn(&x, 1, 0)
		root := m.roots()[1]
		if err := oracle(m, root); err != nil {
			t.Errorf("%s: %v", x.name, err)
		}
		if x.name == "many-bfs" {
			if m.total++; oracle(m, root) == nil {
				t.Errorf("%s: a wrong sum of levels passes", x.name)
			}
			continue
		}
		at := array[x.name]
		if strings.HasPrefix(x.name, "values") {
			at = 1
		}
		_ = m.ranks(func(v uint32) error {
			old := m.got[at][v]
			m.got[at][v] = numbers[m.p.Arrays[at].Type].of(12345)
			if err := oracle(m, root); err == nil {
				t.Errorf("%s: a wrong value of vertex %d passes", x.name, v)
			}
			m.got[at][v] = old
			return nil
		})
		m.close()
		l.close()
	}
}

// want fails where a result is not near a number.
func (m *machine) want(array int, number func(v uint32) float64) error {
	return m.ranks(func(v uint32) error {
		got, want, most := m.num(array, v), number(v), 0.0
		if m.rounding {
			most = map[program.Type]float64{program.F32: 1e-3, program.F64: 1e-9}[m.p.Arrays[array].Type]
		}
		if got != want && !(math.Abs(got-want) <= most*max(1, math.Abs(want))) {
			return fmt.Errorf("%s is %v, want %v", m.p.Arrays[array].Name, got, want)
		}
		return nil
	})
}

// oracles check results of programs, by name or by its first word. root is a vertex.
var oracles = map[string]func(m *machine, root uint32) error{
	"sssp": func(m *machine, root uint32) error {
		d := ref.Distances(m.EdgeList, root)
		t := m.p.Arrays[0].Type
		return m.want(0, func(v uint32) float64 {
			if math.IsInf(d[v], 1) {
				return numbers[t].float(program.TopOf(t))
			}
			return d[v]
		})
	},
	"components": func(m *machine, _ uint32) error {
		label := ref.Components(m.EdgeList)
		return m.want(0, func(v uint32) float64 { return float64(label[v]) })
	},
	"union-find": func(m *machine, _ uint32) error {
		for array := range 3 {
			list, _ := m.Gather(array)
			all := forest(slices.Clone(list[0]))
			for _, f := range list {
				for v, u := range f {
					all.link(uint32(v), u)
				}
			}
			low := map[uint32]uint32{}
			for v, label := range ref.Components(m.EdgeList) {
				if rank := m.rankOf[v]; rank != graph.None {
					if _, is := low[all.find(rank)]; !is {
						low[all.find(rank)] = uint32(v)
					}
					if low[all.find(rank)] != label {
						return fmt.Errorf("vertex %d is in another component", v)
					}
				}
			}
		}
		return nil
	},
	"many-bfs": func(m *machine, _ uint32) error {
		want := 0.0
		err := m.ranks(func(v uint32) error {
			if v < 64 {
				for _, level := range m.Levels(v) {
					want += float64(max(0, level))
				}
			}
			return nil
		})
		if err == nil && m.total != want {
			err = fmt.Errorf("the sum of levels is %v, want %v", m.total, want)
		}
		return err
	},
	"k-core": func(m *machine, _ uint32) error {
		want, left := make([]float64, m.Vertices), m.ranked
		dead := make([]bool, m.Vertices)
		for k := 0; left > 0; k++ {
			for again := true; again; {
				again = false
				for v, row := range m.out {
					n := 0
					for _, u := range row {
						if !dead[u] {
							n++
						}
					}
					if !dead[v] && len(row) > 0 && n <= k {
						dead[v], want[v], again = true, float64(k), true
						left--
					}
				}
			}
		}
		return m.want(2, func(v uint32) float64 { return want[v] })
	},
	"betweenness": func(m *machine, root uint32) error {
		level := m.Levels(root)
		n, back := make([]float64, m.Vertices), make([]float64, m.Vertices)
		n[root] = 1
		depth := slices.Max(level)
		each := func(l int32, do func(u, v uint32)) {
			for u, row := range m.out {
				for _, v := range row {
					if level[u] == l && level[v] == l+1 {
						do(uint32(u), v)
					}
				}
			}
		}
		for l := range depth {
			each(l, func(u, v uint32) { n[v] += n[u] })
		}
		for l := depth - 1; l > 0; l-- {
			each(l, func(u, v uint32) { back[u] += n[u] / n[v] * (1 + back[v]) })
		}
		return m.want(3, func(v uint32) float64 { return back[v] })
	},
	"pagerank": func(m *machine, _ uint32) error {
		r := ref.PageRank(m.EdgeList, 0.85, 10)
		return m.want(0, func(v uint32) float64 { return r[v] })
	},
	"values": func(m *machine, _ uint32) error {
		// fold combines what reaches v along arcs of operator op.
		fold := func(op int, v uint32, rows [][]uint32, forward bool, x, start float64, do func(x, a, w float64) float64) float64 {
			if m.over[op] && v%2 == 0 {
				return start
			}
			for _, u := range rows[v] {
				arc := [2]uint32{u, v}
				if !forward {
					arc = [2]uint32{v, u}
				}
				if u%3 != 1 {
					x = do(x, float64(u%7+1), m.weight[arc])
				}
			}
			return x
		}
		add := func(x, a, _ float64) float64 { return x + a }
		t := m.p.Arrays[0].Type
		top := numbers[t].float(program.TopOf(t))
		var wideErr error
		if t == program.F32 {
			wideErr = m.want(len(m.p.Arrays)-1, func(v uint32) float64 { return fold(len(m.p.Edges)-1, v, m.in, true, 0, 0, add) })
		}
		return errors.Join(wideErr,
			m.want(1, func(v uint32) float64 {
				return fold(0, v, m.in, true, top, top, func(x, a, w float64) float64 { return min(x, a+w) })
			}),
			m.want(2, func(v uint32) float64 { return fold(1, v, m.in, true, 0, 0, add) }),
			m.want(3, func(v uint32) float64 {
				return fold(2, v, m.out, false, 0, 0, func(x, a, w float64) float64 { return x + a + w })
			}),
			m.want(4, func(v uint32) float64 {
				x := fold(3, v, m.in, true, 0, 0, add)
				if m.Directed {
					x += fold(3, v, m.out, false, 0, 0, add)
				}
				return x
			}),
			m.want(5, func(v uint32) float64 {
				return fold(4, v, m.in, true, 0, 0, func(x, a, w float64) float64 { return x + a*w })
			}))
	},
	"label": func(m *machine, _ uint32) error {
		labels := make([]uint32, m.Vertices)
		for v := range labels {
			labels[v] = uint32(v)
		}
		for range 3 {
			next := slices.Clone(labels)
			for v, row := range m.out {
				var list []uint32
				for _, u := range row {
					list = append(list, labels[u])
				}
				if len(row) > 0 {
					next[v] = most(list)
				}
			}
			labels = next
		}
		return m.want(0, func(v uint32) float64 { return float64(labels[v]) })
	},
	"initial": func(m *machine, root uint32) error {
		same := func(v uint32) float64 { return float64(v) }
		return errors.Join(m.want(1, same), m.want(3, same), m.want(4, func(v uint32) float64 {
			if v == root {
				return -3
			}
			return math.MaxInt64
		}), m.want(5, func(uint32) float64 { return math.Inf(1) }))
	},
}

// The model under test is a kernels.Claims.

func (m *model) RemoteClaims(q int) ([]uint32, error) { return m.remoteClaims(q), nil }

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
