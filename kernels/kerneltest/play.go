package kerneltest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

// Programs is Options.Programs of all programs.
func Programs(t *testing.T, newProcessor func(t *testing.T) kernels.Processor) {
	Options{}.Programs(t, newProcessor)
}

// Programs runs programs on the processors that newProcessor returns; it loads each once and
// closes it. Programs and parts that a processor refuses with kernels.ErrUnsupported are logged.
func (o Options) Programs(t *testing.T, newProcessor func(t *testing.T) kernels.Processor) {
	for _, c := range plays(o.Short || testing.Short()) {
		t.Run(c.name, func(t *testing.T) { c.run(t, func() kernels.Processor { t.Helper(); return newProcessor(t) }) })
	}
}

// play is one test of programs.
type play struct {
	name string
	run  func(t reporter, newProcessor func() kernels.Processor)
}

// plays returns the tests of programs: small weighted graphs, then a part of the corpus.
func plays(short bool) (list []play) {
	all := append(layouts(),
		layout{name: "dealt-four", partitions: 4, owners: []int{3, 1, 0, 2}, deal: func(i, n int) int { return i % 4 }},
		layout{name: "empty-ranges", partitions: 3, owners: []int{0, 1, 2, 0, 1, 2}, deal: func(i, n int) int { return 2 + i%2 }, empty: true},
		grid(1, 2, 1, false), grid(2, 2, 1, true), grid(2, 3, 1, false), grid(2, 3, 1, true), grid(3, 1, 2, true), grid(2, 2, 2, false))
	add := func(seed int, name string, g *graph.EdgeList, l layout) {
		if short && seed%3 != 0 {
			return
		}
		list = append(list, play{"graph=" + name + "/layout=" + l.name, func(t reporter, newProcessor func() kernels.Processor) {
			t.Helper()
			playAll(t, place(g, l), newProcessor, uint64(seed))
		}})
	}
	for seed := range 3 * len(all) {
		add(seed, fmt.Sprint("random-", seed), random(uint64(seed)), all[seed%len(all)])
	}
	add(0, "star of 5000", &graph.EdgeList{Vertices: 5000, Edges: ref.Star(5000)}, all[2])
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

// playAll runs every program on one set of processors.
func playAll(t reporter, p *placed, newProcessor func() kernels.Processor, seed uint64) {
	t.Helper()
	before := p.sum()
	var processors [2][]kernels.Processor
	ctx := context.Background()
	for i, part := range p.parts {
		for side, processor := range []kernels.Processor{newProcessor(), &serial{}} {
			switch err := processor.Load(ctx, part); {
			case errors.Is(err, kernels.ErrUnsupported):
				t.Logf("%s: %v", p.name, err)
				return
			case err != nil:
				t.Fatalf("Load of partition %d: %v", i, err)
			}
			processors[side] = append(processors[side], processor)
		}
	}
	list := examples()
	other := open(t, p, &list[0], processors) // runs between the supersteps of the others
	for _, x := range list {
		several := p.ranked > 3*program.BlockVertices // blocks a range
		if x.undirected && p.Directed || x.whole && p.columns > 0 || several && !x.blocks {
			continue
		}
		if m := open(t, p, &x, processors); m != nil {
			if other != nil {
				m.between = func() { other.turn(&list[0], 1, seed) }
			}
			for turn := range 3 {
				m.turn(&x, turn, seed)
			}
			m.close()
		}
	}
	if other != nil {
		other.close()
	}
	for i, processor := range processors[0] {
		if err := processor.Close(); err != nil {
			t.Fatalf("Close of partition %d: %v", i, err)
		}
	}
	if p.sum() != before {
		t.Fatalf("the Part was changed")
	}
}

// open opens a program on all processors; it returns nil where one refuses it.
func open(t reporter, p *placed, x *example, processors [2][]kernels.Processor) *machine {
	t.Helper()
	if err := x.p.Validate(); err != nil {
		t.Fatalf("%s: %v", x.name, err)
	}
	m := &machine{reporter: t, placed: p, p: &x.p, where: x.name, rounding: x.rounding}
	for side, list := range processors {
		for i, processor := range list {
			run, err := processor.Open(context.Background(), &x.p)
			if errors.Is(err, kernels.ErrUnsupported) {
				t.Logf("%s: %v", x.name, err)
				m.close()
				return nil
			}
			if err != nil {
				m.fail(i, "Open: %v", err)
			}
			m.runs[side] = append(m.runs[side], run)
			least := int64(0)
			for _, a := range x.p.Arrays {
				for _, rg := range p.parts[i].Ranges {
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
	m.Helper()
	for _, runs := range m.runs {
		for i, r := range runs {
			if err := r.Close(); err != nil {
				m.fail(i, "Close: %v", err)
			}
		}
	}
}

// turn runs a program: turn 0 is dropped, the others run to the end. Sums of floats are the same
// in both.
func (m *machine) turn(x *example, turn int, seed uint64) {
	m.Helper()
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

// cancelled steps with a context that has ended.
func (m *machine) cancelled() {
	m.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for op := range m.p.Edges {
		s := program.Step{Way: program.Pull, From: program.All}
		if m.p.CheckStep(op, s) != nil {
			continue
		}
		for i, r := range m.runs[0] {
			if _, err := r.Step(ctx, op, s); !errors.Is(err, context.Canceled) {
				m.fail(i, "Step with a context that has ended: %v", err)
			}
		}
	}
}
