package kerneltest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

// script is a sequence of ways: a letter a superstep, U for a pull, repeated.
type script struct {
	letters string
	watch   bool // expand every frontier, whatever the way
}

func (s script) at(level int) program.Step {
	if s.letters[level%len(s.letters)] == 'U' {
		return pull
	}
	return push
}

// scripts returns the sequences of ways: pure, alternating, one phase of pulls, two random ones.
func scripts() (list []script) {
	letters := []string{"D", "U", "DU", "UD", "DUUDDDDDDDDD", "DDUU"}
	for seed := uint64(1); seed <= 2; seed++ {
		r := rand.New(rand.NewPCG(seed, 0))
		random := make([]byte, 100)
		for i := range random {
			random[i] = "DU"[r.IntN(2)]
		}
		letters = append(letters, string(random))
	}
	for i, l := range letters {
		list = append(list, script{l, i%2 == 0})
	}
	return list
}

// needs are the sets of counts of searches, used in turn.
var needs = []kernels.Need{0, kernels.NeedNextArcs, kernels.NeedUnvisited, kernels.NeedUnvisitedArcs, kernels.NeedExamined,
	kernels.NeedNextArcs | kernels.NeedUnvisited | kernels.NeedUnvisitedArcs | kernels.NeedExamined,
	kernels.NeedFewArcs | kernels.NeedUnvisited}

const allNeeds = kernels.NeedNextArcs | kernels.NeedUnvisited | kernels.NeedUnvisitedArcs

var push, pull = program.Step{Way: program.Push}, program.Step{Way: program.Pull}

// drive calls do with a breadth-first search on the processors of p.
func drive(t reporter, p *placed, newProcessor func() kernels.Processor, do func(m *machine)) {
	l := load(t, p, newProcessor)
	x := breadth()
	m := l.open(&x)
	if m == nil {
		t.Fatalf("a breadth-first search is refused")
	}
	do(m)
	m.close()
	l.close()
}

// searches runs every script from every root on one set of processors.
func searches(t reporter, p *placed, newProcessor func() kernels.Processor) {
	drive(t, p, newProcessor, func(m *machine) {
		turn := 0
		for _, root := range p.roots() {
			long := p.Vertices > 60 && len(p.Edges) < 2*p.Vertices && slices.Max(p.Levels(root)) > 20
			for _, sc := range scripts() {
				// Long searches follow two scripts, so that the kit stays quick.
				if !long || turn <= 1 || turn%5 == 0 {
					m.search(root, sc, needs[turn%len(needs)])
				}
				turn++
			}
		}
	})
}

// search runs one whole search and checks it.
func (m *machine) search(root uint32, sc script, need kernels.Need) {
	where := fmt.Sprintf("root %d, ways %.12s, need %04b", root, sc.letters, need)
	m.begin(where, need, 0)
	m.seed(m.rankOf[root], -1, 0)
	var width []int64 // vertices by level
	for _, l := range m.Levels(root) {
		for ; int(l) >= len(width); width = append(width, 0) {
		}
		if l >= 0 {
			width[l]++
		}
	}
	width = append(width, 0)
	for l, want := range width[1:] {
		s := sc.at(l)
		m.where = fmt.Sprintf("%s, level %d %v", where, l, s.Way)
		if got := m.superstep(0, s, sc.watch || s.Way == program.Pull).Count; got != want {
			m.Fatalf("%s: %d vertices found, want %d", m.where, got, want)
		}
	}
	m.where = where
	m.tree(root)
}

// fan is a star of 3 hubs on 400 leaves, hub h at the first rank of range h; range 0
// holds hub 0 and the leaves.
func fan() *placed {
	g := &graph.EdgeList{Vertices: 403, Edges: []graph.Edge{{U: 0, V: 1}, {U: 0, V: 2}}}
	for leaf := uint32(3); leaf < 403; leaf++ {
		for hub := range uint32(3) {
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

// tell makes a message of ranks of range r, as a list or as a bitmap.
func (m *machine) tell(r int, asList bool, ranks ...uint32) news {
	msg := tell(m.parts[0].Ranges[r], asList, ranks)
	return news{msg, msg}
}

// pushes runs a push of partition 0, and folds its foreign ranges.
func (m *machine) pushes() {
	m.step(0, 0, push)
	for r, rg := range m.parts[0].Ranges {
		if rg.Owner != 0 {
			m.fold(0, 0, r)
		}
	}
}

// advance ends a superstep of partition 0, and expands its range 0.
func (m *machine) advance() {
	m.count(0, "Advance", false, &program.Frontier{}, func(r kernels.Run, _, _ int) (kernels.Counts, error) { return r.Advance() })
	m.unchanged()
	m.expand(0, push, 0)
	m.unchanged()
}

// finderRule: a vertex claimed by several senders belongs to the first whose bit was
// new, and one that the step found itself to the partition.
func finderRule(t reporter, newProcessor func() kernels.Processor) {
	drive(t, fan(), newProcessor, func(m *machine) {
		for form := range 4 {
			m.begin("finder", 0, 0)
			m.seed(5, -1, 0)
			m.pushes() // rank 5 is a leaf: finds hub 0, claims hubs 1 and 2
			m.merge(0, 1, m.tell(0, form&1 != 0, 0, 5, 9, 31, 32, 33, 400))
			m.merge(0, 2, m.tell(0, form&2 != 0, 0, 5, 9, 33, 34, 63, 64, 399, 400))
			m.advance()
			m.remote(0, 1)
			m.remote(0, 2)
		}
	})
}

// seenRule: what was taken is visited, so that a later step does not claim it, and is in the
// frontier of one step only; what was claimed once is not claimed again.
func seenRule(t reporter, newProcessor func() kernels.Processor) {
	drive(t, fan(), newProcessor, func(m *machine) {
		m.begin("seen", allNeeds, 0)
		m.seed(7, -1, 0)
		m.expand(0, pull, 0)
		m.take(0, 0, pull, 1, m.tell(1, false, m.parts[0].Ranges[1].First))
		m.take(0, 0, pull, 2, m.tell(2, false))
		m.step(0, 0, pull) // every leaf and hub 0 have hub 1 in the frontier
		m.advance()
		m.pushes() // hub 1 is visited, hub 2 is not
		m.merge(0, 1, m.tell(0, false))
		m.advance()
		m.pushes()
		m.advance()
	})
	// The frontier that was taken must not last.
	chain := place(&graph.EdgeList{Vertices: 5, Edges: ref.Chain(5)}, layout{partitions: 2, owners: []int{0, 1}, deal: func(i, n int) int { return i % 2 }})
	drive(t, chain, newProcessor, func(m *machine) {
		m.begin("taken", 0, 0)
		m.seed(m.parts[0].Ranges[0].First, -1, 0)
		ranks := []uint32{m.parts[0].Ranges[1].First}
		for range 3 {
			m.take(0, 0, pull, 1, m.tell(1, false, ranks...))
			m.step(0, 0, pull)
			m.advance()
			ranks = nil
		}
		m.remote(0, 1)
	})
}

// formsRule: counts around the border between list and bitmap, empty and full.
func formsRule(t reporter, newProcessor func() kernels.Processor) {
	drive(t, fan(), newProcessor, func(m *machine) {
		rg := m.parts[0].Ranges[0]
		border := int(rg.Padded()) / 32
		for _, count := range []int{0, 1, border - 1, border, border + 1, 64, int(rg.Vertices)} {
			for _, spread := range []uint32{1, 3, 37} {
				for _, asList := range []bool{true, false} {
					if asList && !kernels.AsList(count, int(rg.Padded())) {
						continue
					}
					m.begin(fmt.Sprintf("a message of %d, spread %d, list %v", count, spread, asList), allNeeds, 0)
					var ranks []uint32
					for i := range uint32(count) {
						ranks = append(ranks, rg.First+i*spread%rg.Vertices)
					}
					m.pushes() // from nowhere
					m.merge(0, 2, m.tell(0, asList, ranks...))
					m.advance()
					m.remote(0, 2)
				}
			}
		}
	})
}

// resetRule: a search may be dropped anywhere, and Begin be called twice.
func resetRule(t reporter, newProcessor func() kernels.Processor) {
	drive(t, place(uniform(300, 900, 7), layouts()[5]), newProcessor, func(m *machine) {
		roots, list := m.roots(), scripts()
		for cutAt := range 8 {
			m.begin("a search to be dropped", needs[cutAt%len(needs)], 0)
			m.seed(m.rankOf[roots[cutAt%len(roots)]], -1, 0)
			if cutAt > 0 {
				m.superstep(0, list[cutAt%len(list)].at(0), false)
			}
			i := cutAt % len(m.parts) // it owns range i
			own, other := m.parts[i].Ranges[i], m.parts[i].Ranges[1-i]
			switch cutAt {
			case 2:
				m.step(i, 0, push)
			case 3:
				m.step(i, 0, push)
				m.fold(i, 0, 1-i)
				m.merge(i, 0, m.tell(i, false, own.First))
			case 4:
				m.take(i, 0, pull, 1-i, m.tell(1-i, false, other.First))
			case 5:
				m.step(i, 0, pull)
			case 6:
				m.begin("twice", 0, 0)
				m.begin("twice", needs[4], 0)
			}
			m.search(roots[(cutAt+1)%len(roots)], list[cutAt], needs[(cutAt+2)%len(needs)])
		}
	})
}

// cancelRule: a step whose context has ended returns its error, and the run is usable after Begin.
func cancelRule(t reporter, newProcessor func() kernels.Processor) {
	drive(t, place(uniform(300, 900, 7), layouts()[2]), newProcessor, func(m *machine) {
		for range 2 {
			m.begin("a cancelled search", 0, 0)
			m.seed(m.rankOf[m.roots()[0]], -1, 0)
			m.cancelled()
			m.search(m.roots()[0], scripts()[2], 0)
		}
	})
}

// cancelled steps with a context that has ended.
func (m *machine) cancelled() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for op := range m.p.Edges {
		for _, s := range []program.Step{{Way: program.Push}, {Way: program.Pull}, {Way: program.Pull, From: program.All}} {
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
}

// pushOnlyRule: a directed graph without in-arcs takes searches by pushes.
func pushOnlyRule(t reporter, newProcessor func() kernels.Processor) {
	list := uniform(300, 900, 9)
	list.Directed = true
	g := place(list, layouts()[3])
	for _, part := range g.parts {
		for _, sub := range part.Subgraphs {
			if sub != nil {
				sub.In = nil
			}
		}
	}
	drive(t, g, newProcessor, func(m *machine) {
		for _, root := range g.roots() {
			m.search(root, scripts()[0], kernels.NeedNextArcs)
		}
	})
}

// blocksRule: sums of several blocks a range are added in the order of ranks.
func blocksRule(t reporter, newProcessor func() kernels.Processor) {
	x := order()
	for _, n := range []int{2, 5000} {
		l := load(t, place(&graph.EdgeList{Vertices: n, Edges: ref.Star(n)}, layouts()[2]), newProcessor)
		m := l.open(&x)
		if m == nil {
			l.close()
			return
		}
		m.turns(&x, 0)
		l.close()
	}
}

// manyRule: several supersteps in one call count and find what one by one they would, mix
// with others, and end before one that claims a foreign vertex. It holds for processors
// that are kernels.MultiStepper.
func manyRule(t reporter, newProcessor func() kernels.Processor) {
	directed := uniform(400, 1000, 5)
	directed.Directed = true
	for _, l := range layouts() {
		for _, g := range []*graph.EdgeList{
			{Vertices: 700, Edges: ref.Chain(700)},
			uniform(2500, 7500, 3), // outgrows the limits and falls below them again
			directed, fan().EdgeList,
		} {
			drive(t, place(g, l), newProcessor, func(m *machine) {
				if !slices.ContainsFunc(m.runs[0], func(r kernels.Run) bool { return multiStepper(r) != nil }) {
					return
				}
				for turn, root := range m.roots() {
					m.begin(fmt.Sprintf("%d vertices, %s, from root %d", g.Vertices, l.name, root), needs[turn%len(needs)], 0)
					m.seed(m.rankOf[root], -1, 0)
					for step, left := 0, int64(1); left > 0; step++ {
						if run := m.stepMany([]int{64, 2, 1, 7}[(turn+step)%4]); len(run) > 0 {
							left = run[len(run)-1].Next
						} else if step%3 == 1 {
							left = m.superstep(0, pull, true).Count
						} else {
							left = m.superstep(0, push, false).Count
						}
						if step%5 == 2 && left > 0 {
							left = m.superstep(0, pull, true).Count
						}
						for r := range m.parts[0].Ranges {
							m.expand(0, push, r)
						}
						m.unchanged()
					}
					m.tree(root)
				}
			})
		}
	}
}

// multiStepper is a run that runs several supersteps a call, nil for others.
func multiStepper(r kernels.Run) kernels.MultiStepper {
	if many, is := r.(kernels.MultiStepper); is && many.MultiStepLimits().Levels > 0 {
		return many
	}
	return nil
}

// stepMany lets the partition that has the whole frontier, if one has and can, run several
// supersteps. It returns their counts, nil where nothing was run. One that could have been run
// must be. An Undoer undoes all where two were asked for, and half where seven.
func (m *machine) stepMany(levels int) []kernels.Counts {
	i := -1
	for k := range m.parts {
		if m.model(k).counts().Next > 0 {
			if i >= 0 {
				return nil
			}
			i = k
		}
	}
	many, model := multiStepper(m.runs[0][i]), m.model(i)
	if many == nil {
		return nil
	}
	limits := many.MultiStepLimits()
	fits := func() bool {
		m.examine(i, program.Push)
		return model.counts().Next <= limits.Vertices && m.most[i] <= limits.Arcs && !model.leaves()
	}
	name, counts, err := many.StepMany(context.Background(), levels)
	switch n := len(counts); {
	case err != nil:
		m.fail(i, "StepMany: %v", err)
	case n > levels || n > limits.Levels:
		m.fail(i, "StepMany: %d supersteps, at most %d were asked for", n, levels)
	case n == 0 && fits():
		m.fail(i, "StepMany: ran nothing from a small frontier")
	case n > 0 && name == "":
		m.fail(i, "StepMany names no kernel")
	case n == 0:
		return nil
	}
	undoer, undo := many.(kernels.Undoer)
	if undo = undo && (levels == 2 || levels == 7 && len(counts) > 1); undo {
		keep := len(counts) / 2 * (levels / 7)
		n := len(counts) - keep
		counts = slices.Clone(counts[:keep])
		if err := undoer.Undo(n); err != nil {
			m.fail(i, "Undo(%d): %v", n, err)
		}
	}
	for k, got := range counts {
		if !fits() {
			m.fail(i, "StepMany: superstep %d starts from a frontier beyond the limits, or claims a foreign vertex", k)
		}
		_, _ = model.Step(context.Background(), 0, push)
		want, _ := model.Advance()
		m.compare(i, "StepMany", got, want)
	}
	if undo {
		return counts
	}
	if last := counts[len(counts)-1]; last.Next > 0 && len(counts) < min(levels, limits.Levels) && fits() &&
		model.arcs(model.in, model.front, true) <= limits.Arcs {
		m.fail(i, "StepMany: stopped after %d supersteps of %d before a small frontier", len(counts), levels)
	}
	return counts
}
