package engine_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/partition"
	"github.com/totemgo/totemgo/program"
)

// neighbourSum is a user's operator: a vertex gets the sum of its neighbours' values, by either
// way.
type neighbourSum struct{}

func (neighbourSum) Push(_ uint32, from uint64, _ []uint32, w, out []uint64) {
	for k := range out {
		out[k] = from
	}
}

func (neighbourSum) Combine(to *uint64, v uint64) bool { *to += v; return true }

func (neighbourSum) Pull(_ uint32, row []uint32, _, from, set []uint64, _ uint64) (sum uint64, ok bool) {
	for _, u := range row {
		if set == nil || set[u/64]>>(u%64)&1 != 0 {
			sum, ok = sum+from[u], true
		}
	}
	return sum, ok
}

// flood is components by labels that spread: the smallest id of a component reaches all of it.
var flood = &program.Program{
	Name:   "flood",
	Arrays: []program.Array{{Name: "label", Type: program.U32, Init: program.ID}},
	Edges:  []program.EdgeOp{{Name: "flood", From: 0, To: 0, Arcs: program.Both, Map: program.Copy, Combine: program.Min}},
}

// sums has a value a vertex, id + 1, and what its in-neighbours sum up to.
var sums = &program.Program{
	Name: "sums",
	Arrays: []program.Array{
		{Name: "id", Type: program.U32, Init: program.ID}, {Name: "value", Type: program.U64}, {Name: "sum", Type: program.U64},
	},
	Edges: []program.EdgeOp{{Name: "sum", From: 1, To: 2, Rows: neighbourSum{}}},
	Vertices: []program.VertexOp{{Name: "start", Block: func(b *program.Block) {
		id, value := program.Of[uint32](b, 0), program.Of[uint64](b, 1)
		for i := range b.Each() {
			value[i] = uint64(id[i]) + 1
			if id[i]%3 == 0 {
				b.Drop(i)
			}
		}
	}}},
}

// wantSums are the sums over in-neighbours whose id is no multiple of 3.
func wantSums(l *graph.EdgeList) []uint64 {
	sum, seen := make([]uint64, l.Vertices), map[graph.Edge]bool{}
	arc := func(u, v uint32) {
		if e := (graph.Edge{U: u, V: v}); u != v && !seen[e] && u%3 != 0 {
			seen[e] = true
			sum[v] += uint64(u) + 1
		}
	}
	for _, e := range l.Edges {
		arc(e.U, e.V)
		if !l.Directed {
			arc(e.V, e.U)
		}
	}
	return sum
}

// TestPrograms runs programs with steps by random ways on one to four partitions, on one thread
// each and on several: results are those of plain loops, and sums of floats have the same bits
// for every thread count.
func TestPrograms(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(12)) // equal shares: no list has more threads
	rng := rand.New(rand.NewPCG(5, 6))
	for n, g := range ref.Corpus() {
		if g.List.Vertices == 0 || raceEnabled && n%7 != 0 {
			continue
		}
		labels, neighbours := ref.Components(g.List), wantSums(g.List)
		for parts := 1; parts <= 4; parts++ {
			policy := []partition.Policy{partition.HubsOnCPU, partition.Random, partition.Original}[rng.IntN(3)]
			var ranks []float64
			for _, threads := range []int{1, 3} {
				name := fmt.Sprintf("%s, %d partitions of %d threads, %s", g.Name, parts, threads, policy)
				list, err := engine.ParseProcessors(strings.Repeat(fmt.Sprintf(",cpu:%d", threads), parts)[1:])
				if err != nil {
					t.Fatal(err)
				}
				e, err := engine.New(t.Context(), g.List, engine.Options{Processors: list, Placement: policy, Seed: 7})
				if err != nil {
					t.Fatal(err)
				}
				way := func() program.Way { return program.Way(rng.IntN(2)) }
				r, err := e.Run(t.Context(), flood, func(m program.Machine) error {
					f, err := m.EdgeMap(0, program.Step{Way: way(), From: program.All})
					for err == nil && f.Count > 0 {
						f, err = m.EdgeMap(0, program.Step{Way: way()})
					}
					return err
				})
				if err != nil || !slices.Equal(engine.ArrayOf[uint32](r, 0), labels) {
					t.Errorf("%s: components: wrong labels, %v", name, err)
				}
				r, err = e.Run(t.Context(), sums, func(m program.Machine) error {
					if _, _, err := m.VertexMap(0, program.All); err != nil {
						return err
					}
					_, err := m.EdgeMap(0, program.Step{Way: way()})
					return err
				})
				if err != nil || !slices.Equal(engine.ArrayOf[uint64](r, 2), neighbours) {
					t.Errorf("%s: a user's sums: %v", name, err)
				}
				p, err := e.PageRank(t.Context(), engine.PageRankOptions{MaxIterations: 5, Tolerance: -1})
				if err != nil || ranks != nil && !slices.Equal(p.Ranks, ranks) {
					t.Errorf("%s: PageRank depends on threads: %v", name, err)
				}
				if p != nil {
					ranks = p.Ranks
				}
				if err := e.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
