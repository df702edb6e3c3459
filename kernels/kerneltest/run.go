package kerneltest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

// Options say how much of the kit is run.
type Options struct {
	// Short runs a third of the searches, as -short does.
	Short bool
}

// Run is Options.Run of all of the kit.
func Run(t *testing.T, newProcessor func(t *testing.T) kernels.Processor) {
	Options{}.Run(t, newProcessor)
}

// Run tests the processors that newProcessor returns; it loads each once and closes it.
func (o Options) Run(t *testing.T, newProcessor func(t *testing.T) kernels.Processor) {
	for _, c := range cases(o.Short || testing.Short()) {
		t.Run(c.name, func(t *testing.T) {
			c.run(t, func() kernels.Processor { t.Helper(); return newProcessor(t) })
		})
	}
}

// Sample is Run on all single rules and part k of n of the searches, 0 ≤ k < n, so that
// several settings of one processor share the corpus.
func Sample(t *testing.T, k, n int, newProcessor func(t *testing.T) kernels.Processor) {
	for i, c := range cases(testing.Short()) {
		if i%n == k || strings.HasPrefix(c.name, "rule=") {
			t.Run(c.name, func(t *testing.T) {
				c.run(t, func() kernels.Processor { t.Helper(); return newProcessor(t) })
			})
		}
	}
}

// testcase is one test of the kit.
type testcase struct {
	name string
	run  func(t reporter, newProcessor func() kernels.Processor)
}

// cases returns the kit's tests: single rules, then whole searches.
func cases(short bool) []testcase {
	list := []testcase{
		{"rule=finder", finderRule},
		{"rule=seen", seenRule},
		{"rule=forms", formsRule},
		{"rule=reset", resetRule},
		{"rule=cancel", cancelRule},
		{"rule=push-only", pushOnlyRule},
		{"rule=many", manyRule},
	}
	for i, g := range corpus() {
		for j, l := range layouts() {
			if short && (i+j)%3 != 0 {
				continue
			}
			list = append(list, testcase{"graph=" + g.Name + "/layout=" + l.name,
				func(t reporter, newProcessor func() kernels.Processor) {
					t.Helper()
					searches(t, place(g.List, l), newProcessor)
				}})
		}
	}
	return list
}

// searches runs every script from every root on one set of processors.
func searches(t reporter, p *placed, newProcessor func() kernels.Processor) {
	t.Helper()
	before := p.sum()
	s := newRun(t, p, newProcessor)
	turn := 0
	for _, root := range p.roots() {
		for _, sc := range scripts() {
			// Long searches follow two scripts, so that the kit stays quick.
			if p.Vertices > 60 && len(p.Edges) < 2*p.Vertices && turn > 1 && slices.Max(p.Levels(root)) > 20 && turn%5 != 0 {
				turn++
				continue
			}
			s.search(root, sc, needs[turn%len(needs)])
			turn++
		}
	}
	s.close()
	if p.sum() != before {
		t.Fatalf("the Part was changed")
	}
}

// fan is a star of 3 hubs on 400 leaves, hub h at the first rank of range h; range 0
// holds hub 0 and the leaves.
func fan() *placed {
	g := &graph.EdgeList{Vertices: 403, Edges: []graph.Edge{{U: 0, V: 1}, {U: 0, V: 2}}}
	for leaf := uint32(3); leaf < 403; leaf++ {
		for hub := uint32(0); hub < 3; hub++ {
			g.Edges = append(g.Edges, graph.Edge{U: hub, V: leaf})
		}
	}
	return place(g, layout{partitions: 3, owners: []int{0, 1, 2},
		deal: func(i, n int) int {
			if i == 1 || i == 2 {
				return i
			}
			return 0
		}})
}

// alone loads partition i of p, resets and returns it.
func alone(t reporter, p *placed, i int, newProcessor func() kernels.Processor) *pair {
	t.Helper()
	pr := newPair(t, "alone", p.parts[i], newProcessor())
	pr.reset(0)
	return pr
}

// tell makes a message of ranks of range r, as a list or as a bitmap.
func (p *pair) tell(r int, asList bool, ranks ...uint32) news {
	rg := p.part.Ranges[r]
	m := kernels.Message{Count: len(ranks)}
	switch {
	case len(ranks) == 0:
	case asList:
		m.List = ranks
	default:
		m.Bits = make([]uint32, (rg.Padded()-rg.First)/32)
		for _, rank := range ranks {
			m.Bits[(rank-rg.First)/32] |= 1 << (rank % 32)
		}
	}
	return news{m, m}
}

// finderRule: a vertex claimed by several senders belongs to the first whose bit was
// new, and one that the step found itself to the partition.
func finderRule(t reporter, newProcessor func() kernels.Processor) {
	t.Helper()
	for form := 0; form < 4; form++ {
		first, second := form&1 != 0, form&2 != 0
		p := alone(t, fan(), 0, newProcessor)
		p.setRoot(5)
		p.step(context.Background(), kernels.TopDown) // rank 5 is a leaf: finds hub 0, claims hubs 1 and 2
		p.outbox(1)
		p.outbox(2)
		p.deliver(0, 1, p.tell(0, first, 0, 5, 9, 31, 32, 33, 400))
		p.deliver(0, 2, p.tell(0, second, 0, 5, 9, 33, 34, 63, 64, 399, 400))
		p.finish()
		p.publish(0)
		for q := 1; q < 3; q++ {
			p.foreign(q)
		}
		p.close()
	}
}

// seenRule: what was gathered is seen, so that a later step does not claim it, and
// is in the frontier of one step only; what was claimed once is not claimed again.
func seenRule(t reporter, newProcessor func() kernels.Processor) {
	t.Helper()
	ctx := context.Background()
	p := alone(t, fan(), 0, newProcessor)
	p.reset(kernels.NeedNextArcs | kernels.NeedUnvisited | kernels.NeedUnvisitedArcs)
	p.setRoot(7)
	p.publish(0)
	p.gather(1, p.tell(1, false, p.part.Ranges[1].First))
	p.gather(2, p.tell(2, false))
	p.step(ctx, kernels.BottomUp) // every leaf and hub 0 have hub 1 in the frontier
	p.finish()
	p.publish(0)
	p.step(ctx, kernels.TopDown) // hub 1 is seen, hub 2 is not
	p.outbox(1)
	p.outbox(2)
	p.deliver(0, 1, p.tell(0, false))
	p.finish()
	p.publish(0)
	p.step(ctx, kernels.TopDown)
	p.outbox(1)
	p.outbox(2)
	p.finish()
	p.close()

	// Leaves gathered from nobody: the frontier of hub 1 must not last.
	p = alone(t, place(&graph.EdgeList{Vertices: 5, Edges: ref.Chain(5)}, layout{partitions: 2, owners: []int{0, 1},
		deal: func(i, n int) int { return i % 2 }}), 0, newProcessor)
	p.setRoot(p.part.Ranges[0].First)
	for i := 0; i < 3; i++ {
		if i == 0 {
			p.gather(1, p.tell(1, false, p.part.Ranges[1].First))
		} else {
			p.gather(1, p.tell(1, false))
		}
		p.step(ctx, kernels.BottomUp)
		p.finish()
		p.publish(0)
	}
	p.foreign(1)
	p.close()
}

// formsRule: counts around the border between list and bitmap, empty and full.
func formsRule(t reporter, newProcessor func() kernels.Processor) {
	t.Helper()
	p := alone(t, fan(), 0, newProcessor)
	rg := p.part.Ranges[0]
	border := int(rg.Padded()) / 32
	for _, count := range []int{0, 1, border - 1, border, border + 1, 64, int(rg.Vertices)} {
		for _, spread := range []uint32{1, 3, 37} {
			for _, asList := range []bool{true, false} {
				if asList && !kernels.AsList(count, int(rg.Padded())) {
					continue
				}
				p.where = fmt.Sprintf("a message of %d, spread %d, list %v", count, spread, asList)
				p.reset(kernels.NeedNextArcs | kernels.NeedUnvisited | kernels.NeedUnvisitedArcs)
				var ranks []uint32
				for i := 0; i < count; i++ {
					ranks = append(ranks, rg.First+uint32(i)*spread%rg.Vertices)
				}
				p.step(context.Background(), kernels.TopDown) // from nowhere
				p.outbox(1)
				p.outbox(2)
				p.deliver(0, 2, p.tell(0, asList, ranks...))
				p.finish()
				p.publish(0)
				p.foreign(2)
			}
		}
	}
	p.close()
}

// resetRule: a search may be dropped anywhere, and Reset be called twice.
func resetRule(t reporter, newProcessor func() kernels.Processor) {
	t.Helper()
	g := place(uniform(300, 900, 7), layouts()[5])
	s := newRun(t, g, newProcessor)
	roots := g.roots()
	list := scripts()
	for cutAt := 0; cutAt < 8; cutAt++ {
		s.at("a search to be dropped")
		s.start(roots[cutAt%len(roots)], needs[cutAt%len(needs)])
		if cutAt > 0 {
			s.superstep(list[cutAt%len(list)].at(0), false)
		}
		switch p := s.pairs[cutAt%len(s.pairs)]; cutAt {
		case 2:
			p.step(context.Background(), kernels.TopDown)
		case 3:
			p.step(context.Background(), kernels.TopDown)
			for _, r := range p.ranges(false) {
				p.outbox(r)
			}
			p.deliver(p.ranges(true)[0], 0, p.tell(p.ranges(true)[0], false, p.part.Ranges[p.ranges(true)[0]].First))
		case 4:
			for _, r := range p.ranges(false) {
				p.gather(r, p.tell(r, false, p.part.Ranges[r].First))
			}
		case 5:
			p.step(context.Background(), kernels.BottomUp)
		case 6:
			for _, p := range s.pairs {
				p.reset(0)
				p.reset(needs[4])
			}
		}
		s.search(roots[(cutAt+1)%len(roots)], list[cutAt], needs[(cutAt+2)%len(needs)])
	}
	s.close()
}

// cancelRule: a step whose context is done either fails or is right, and the
// processor is usable after Reset.
func cancelRule(t reporter, newProcessor func() kernels.Processor) {
	t.Helper()
	g := place(uniform(300, 900, 7), layouts()[2])
	s := newRun(t, g, newProcessor)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, d := range []kernels.Direction{kernels.TopDown, kernels.BottomUp} {
		s.at("a cancelled search")
		s.start(g.roots()[0], 0)
		for _, p := range s.pairs {
			_, _ = p.under.Step(ctx, 0, program.Step{Way: program.Way(d)})
		}
		s.search(g.roots()[0], scripts()[2], 0)
	}
	s.close()
}

// pushOnlyRule: a directed graph without in-arcs takes top-down searches.
func pushOnlyRule(t reporter, newProcessor func() kernels.Processor) {
	t.Helper()
	l := uniform(300, 900, 9)
	l.Directed = true
	g := place(l, layouts()[3])
	for _, part := range g.parts {
		for _, sub := range part.Subgraphs {
			if sub != nil {
				sub.In = nil
			}
		}
	}
	s := newRun(t, g, newProcessor)
	for _, root := range g.roots() {
		s.search(root, scripts()[0], kernels.NeedNextArcs)
	}
	s.close()
}

// manyRule: several supersteps in one call count and find what one by one they would, mix
// with others, and end before one that claims a foreign vertex. It holds for processors
// that are kernels.MultiStepper.
func manyRule(t reporter, newProcessor func() kernels.Processor) {
	t.Helper()
	directed := uniform(400, 1000, 5)
	directed.Directed = true
	shapes := []ref.Named{
		{Name: "chain", List: &graph.EdgeList{Vertices: 700, Edges: ref.Chain(700)}},
		{Name: "uniform", List: uniform(2500, 7500, 3)}, // outgrows the limits and falls below them again
		{Name: "directed", List: directed},
		{Name: "hubs", List: fan().EdgeList},
	}
	for _, l := range layouts() {
		for _, g := range shapes {
			s := newRun(t, place(g.List, l), newProcessor)
			if !slices.ContainsFunc(s.pairs, func(p *pair) bool { return p.manyStepper() != nil }) {
				s.close()
				continue
			}
			for turn, root := range s.roots() {
				s.at(fmt.Sprintf("%s %s from root %d", g.Name, l.name, root))
				s.start(root, needs[turn%len(needs)])
				for step, left := 0, int64(1); left > 0; step++ {
					switch run := s.stepMany([]int{64, 2, 1, 7}[(turn+step)%4]); {
					case len(run) > 0:
						left = run[len(run)-1].Next
					case step%3 == 1:
						left = s.superstep(kernels.BottomUp, true)
					default:
						left = s.superstep(kernels.TopDown, false)
					}
					if step%5 == 2 && left > 0 {
						left = s.superstep(kernels.BottomUp, true)
					}
					for _, p := range s.pairs {
						for _, r := range p.ranges(true) {
							p.publish(r)
						}
					}
				}
				s.aggregate(root)
			}
			s.close()
		}
	}
}

// stepMany lets the partition that holds the whole frontier, if one does and can, run
// several supersteps. It returns their counts, nil where nothing was run.
func (s *run) stepMany(levels int) []kernels.Counts {
	s.Helper()
	var holder *pair
	for _, p := range s.pairs {
		if p.model.size() > 0 {
			if holder != nil {
				return nil
			}
			holder = p
		}
	}
	if many := holder.manyStepper(); many != nil {
		return holder.stepMany(many, levels)
	}
	return nil
}
