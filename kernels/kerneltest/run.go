package kerneltest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/kernels"
)

// Options say how much of the kit is run.
type Options struct {
	// Short runs a third of the tests, as -short does.
	Short bool
	// Skip leaves out the tests whose names begin with one of it, as "searches/", "programs/" and
	// "rule=many" (several supersteps a call).
	Skip []string
	// Programs are names of programs that the tests "programs/" run, as "sssp-F32-2.5"; nil is all.
	Programs []string
	// Part and Of run part Part of Of, from 0 on, of the tests other than single rules, so that
	// several settings of one processor share the corpus. Of 0 is 1.
	Part, Of int

	examples []example // of the tests "programs/"; nil is examples()
}

// Run is Options.Run of all of the kit.
func Run(t *testing.T, newProcessor func(t *testing.T) kernels.Processor) {
	Options{}.Run(t, newProcessor)
}

// Run tests the processors that newProcessor returns; it loads each once and closes it. Programs
// that a processor refuses with kernels.ErrUnsupported are logged, breadth-first search excepted.
func (o Options) Run(t *testing.T, newProcessor func(t *testing.T) kernels.Processor) {
	if o.examples == nil {
		o.examples = examples()
	}
	if o.Programs != nil {
		o.examples = slices.DeleteFunc(o.examples, func(x example) bool { return x.name != breadth().name && !slices.Contains(o.Programs, x.name) })
	}
	list := slices.DeleteFunc(cases(o.Short || testing.Short(), o.examples), func(c testcase) bool {
		return slices.ContainsFunc(o.Skip, func(prefix string) bool { return strings.HasPrefix(c.name, prefix) })
	})
	for i, c := range list {
		if i%max(1, o.Of) == o.Part || strings.HasPrefix(c.name, "rule=") {
			t.Run(c.name, func(t *testing.T) { c.run(t, func() kernels.Processor { return newProcessor(t) }) })
		}
	}
}

// Sample is Options.Run of part k of n.
func Sample(t *testing.T, k, n int, newProcessor func(t *testing.T) kernels.Processor) {
	Options{Part: k, Of: n}.Run(t, newProcessor)
}

// testcase is one test of the kit.
type testcase struct {
	name string
	run  func(t reporter, newProcessor func() kernels.Processor)
}

// cases returns the kit's tests: single rules, programs, whole searches.
func cases(short bool, programs []example) []testcase {
	list := append([]testcase{
		{"rule=finder", finderRule},
		{"rule=seen", seenRule},
		{"rule=forms", formsRule},
		{"rule=reset", resetRule},
		{"rule=cancel", cancelRule},
		{"rule=push-only", pushOnlyRule},
	}, plays(short, programs)...)
	list = append(list, testcase{"rule=many", manyRule}, testcase{"rule=blocks", blocksRule})
	for i, g := range corpus() {
		for j, l := range layouts() {
			if !short || (i+j)%3 == 0 {
				list = append(list, testcase{"searches/graph=" + g.Name + "/layout=" + l.name, func(t reporter, newProcessor func() kernels.Processor) {
					searches(t, place(g.List, l), newProcessor)
				}})
			}
		}
	}
	return list
}

// plays returns the tests of programs: small weighted graphs, then a part of the corpus.
func plays(short bool, programs []example) (list []testcase) {
	all := append(layouts(),
		layout{name: "dealt-four", partitions: 4, owners: []int{3, 1, 0, 2}, deal: func(i, n int) int { return i % 4 }},
		layout{name: "empty-ranges", partitions: 3, owners: []int{0, 1, 2, 0, 1, 2}, deal: func(i, n int) int { return 2 + i%2 }, empty: true},
		grid(1, 2, 1, false), grid(2, 2, 1, true), grid(2, 3, 1, false), grid(2, 3, 1, true), grid(3, 1, 2, true), grid(2, 2, 2, false))
	add := func(seed int, name string, g *graph.EdgeList, l layout) {
		if !short || seed%3 == 0 {
			list = append(list, testcase{"programs/graph=" + name + "/layout=" + l.name, func(t reporter, newProcessor func() kernels.Processor) {
				playAll(t, place(g, l), newProcessor, uint64(seed), programs)
			}})
		}
	}
	for seed := range 3 * len(all) {
		add(seed, fmt.Sprint("random-", seed), random(uint64(seed)), all[seed%len(all)])
	}
	names := []string{"70 vertices, no edges", "two vertices, directed", "three vertices, loops and duplicates", "chain of 65", "star of 1200, outwards",
		"layers, directed", "many small components", "scale-free of scale 9", "scale-free of scale 9, directed", "uniform on 2000"}
	for i, g := range corpus() {
		if slices.Contains(names, g.Name) {
			add(3*i, g.Name, g.List, all[i*5%len(all)])
			add(3*i+1, g.Name, g.List, all[(i*5+7)%len(all)])
		}
	}
	return list
}

// grid is a grid of partitions: column by column, as many ranges as are dealt to each.
func grid(rows, columns, ranges int, compact bool) layout {
	n := rows * columns
	l := layout{name: fmt.Sprintf("grid-%d-by-%d-%d", rows, columns, ranges), partitions: n, columns: columns, compact: compact,
		deal: func(i, _ int) int { return i % (n * ranges) }}
	for k := range n * ranges {
		l.owners = append(l.owners, k%rows*columns+k/rows%columns)
	}
	if compact {
		l.name += "-compact"
	}
	return l
}

// random is a small graph. Most have weights of 0 … 3, of any type.
func random(seed uint64) *graph.EdgeList {
	r := rand.New(rand.NewPCG(seed, 7))
	n := 2 + r.IntN(24)
	if seed%4 == 3 {
		n = 70 + r.IntN(400)
	}
	g := &graph.EdgeList{Vertices: n, Edges: ref.Uniform(seed, n, n/2+r.IntN(3*n)), Directed: seed%2 == 1}
	if seed%5 < 4 {
		weights := make([]float64, len(g.Edges))
		for i := range weights {
			weights[i] = float64(r.IntN(4))
		}
		g.Weights, _ = graph.WeightsOf(weights).Convert(graph.Int32 + graph.WeightKind(seed%5)) // whole numbers fit
	}
	return g
}

// playAll runs programs, of which breadth-first search is the first, on one set of processors.
func playAll(t reporter, p *placed, newProcessor func() kernels.Processor, seed uint64, list []example) {
	l := load(t, p, newProcessor)
	if l == nil {
		return
	}
	other := l.open(&list[0]) // runs between the supersteps of the others
	if other == nil {
		t.Fatalf("a breadth-first search is refused")
	}
	second := true // a second run may be open
	for i, x := range list {
		if x.undirected && p.Directed || x.whole && p.columns > 0 {
			continue
		}
		m := l.open(&x)
		if second = second && (m != nil || i > 0); m == nil && i == 0 {
			m, other = other, nil // runs one at a time
		}
		if m == nil {
			continue
		}
		if second {
			m.between = func() { other.turn(&list[0], 1, seed) }
		}
		m.turns(&x, seed)
	}
	if other != nil {
		other.close()
	}
	l.close()
}

// turns runs a program three times, and closes it.
func (m *machine) turns(x *example, seed uint64) {
	for turn := range 3 {
		m.turn(x, turn, seed)
	}
	m.close()
}

// turn runs a program: turn 0 is dropped, the others run to the end. Sums of floats are the same
// in both.
func (m *machine) turn(x *example, turn int, seed uint64) {
	roots := append(m.roots(), 0)
	root := roots[(int(seed)+turn)%max(1, len(roots)-1)]
	rank := m.rankOf[root]
	if rank == graph.None { // there are no arcs
		rank = 0
	}
	need := needs[(int(seed)+turn)%len(needs)]
	m.begin(fmt.Sprintf("%s, turn %d from %d, need %b", x.name, turn, root, need), need, seed)
	if turn == 0 {
		m.left = int(seed) % 4
	}
	x.body(m, rank)
	if turn == 0 && (m.failed == nil || m.failed == errDropped) {
		m.cancelled()
		return
	}
	if m.failed != nil {
		m.Fatalf("%s: %v", m.where, m.failed)
	}
	first := m.got
	m.finish()
	if x.check != nil {
		if err := x.check(m, root); err != nil {
			m.Fatalf("%s: %v", m.where, err)
		}
	}
	for array := range first {
		if x.rounding && x.name != "betweenness" && !slices.Equal(first[array], m.got[array]) {
			m.Fatalf("%s: %s of two equal runs differ", m.where, m.p.Arrays[array].Name)
		}
	}
}
