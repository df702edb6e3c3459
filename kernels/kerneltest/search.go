package kerneltest

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/bits-and-blooms/bitset"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/kernels"
)

// script names a sequence of directions, one letter a level, the last run repeated.
type script struct {
	name  string
	at    func(level int) kernels.Direction
	watch bool // publish every frontier, whatever the direction
}

// scripts returns the sequences of directions: pure, alternating, one bottom-up phase, two
// random ones.
func scripts() []script {
	cycle := func(letters string) script {
		return script{name: letters, at: func(level int) kernels.Direction {
			if letters[level%len(letters)] == 'U' {
				return kernels.BottomUp
			}
			return kernels.TopDown
		}}
	}
	list := []script{cycle("D"), cycle("U"), cycle("DU"), cycle("UD"), cycle("DUUDDDDDDDDD"), cycle("DDUU")}
	for seed := uint64(1); seed <= 2; seed++ {
		r := rand.New(rand.NewPCG(seed, 0))
		letters := make([]byte, 100)
		for i := range letters {
			letters[i] = "DU"[r.IntN(2)]
		}
		random := cycle(string(letters))
		random.name = fmt.Sprintf("random-%d", seed)
		list = append(list, random)
	}
	for i := range list {
		list[i].watch = i%2 == 0
	}
	return list
}

// needs are the sets of counts of searches, used in turn.
var needs = []kernels.Need{0, kernels.NeedNextArcs, kernels.NeedUnvisited, kernels.NeedUnvisitedArcs, kernels.NeedExamined,
	kernels.NeedNextArcs | kernels.NeedUnvisited | kernels.NeedUnvisitedArcs | kernels.NeedExamined,
	kernels.NeedFewArcs | kernels.NeedUnvisited}

// run is a placed graph with a processor for each partition.
type run struct {
	reporter
	*placed
	pairs []*pair
}

func newRun(t reporter, p *placed, newProcessor func() kernels.Processor) *run {
	t.Helper()
	s := &run{reporter: t, placed: p}
	for _, part := range p.parts {
		s.pairs = append(s.pairs, newPair(t, "Load", part, newProcessor()))
	}
	return s
}

func (s *run) close() {
	s.Helper()
	for _, p := range s.pairs {
		p.where = "at the end"
		p.close()
	}
}

func (s *run) at(where string) {
	for _, p := range s.pairs {
		p.where = where
	}
}

// start resets every processor and places the root.
func (s *run) start(root uint32, need kernels.Need) {
	s.Helper()
	rank := s.rankOf[root]
	for _, p := range s.pairs {
		p.reset(need)
		for _, r := range p.ranges(true) {
			if rg := p.part.Ranges[r]; rank >= rg.First && rank < rg.Padded() {
				p.setRoot(rank)
			}
		}
	}
}

// search runs one whole search and checks it.
func (s *run) search(root uint32, sc script, need kernels.Need) {
	s.Helper()
	name := fmt.Sprintf("root %d, directions %s, need %04b", root, sc.name, need)
	s.at(name)
	s.start(root, need)
	level := s.Levels(root)
	var width []int64 // vertices by level
	for _, l := range level {
		for ; int(l) >= len(width); width = append(width, 0) {
		}
		if l >= 0 {
			width[l]++
		}
	}
	width = append(width, 0)
	for l := 0; l+1 < len(width); l++ {
		d := sc.at(l)
		s.at(fmt.Sprintf("%s, level %d %v", name, l, d))
		if got := s.superstep(d, sc.watch); got != width[l+1] {
			s.Fatalf("%s, level %d %v: %d vertices found, want %d", name, l, d, got, width[l+1])
		}
	}
	s.at(name)
	s.aggregate(root)
}

// superstep runs one superstep of all partitions, and returns the vertices found.
func (s *run) superstep(d kernels.Direction, watch bool) (found int64) {
	s.Helper()
	boxes := make([]news, len(s.parts[0].Ranges))
	if watch || d == kernels.BottomUp {
		for _, p := range s.pairs {
			for _, r := range p.ranges(true) {
				boxes[r] = p.publish(r)
			}
		}
	}
	if d == kernels.BottomUp {
		for _, p := range s.pairs {
			for _, r := range p.ranges(false) {
				p.gather(r, boxes[r])
			}
		}
	}
	sent := make([]map[int]news, len(s.pairs)) // by sender and range
	for i, p := range s.pairs {
		p.step(context.Background(), d)
		sent[i] = map[int]news{}
		for _, r := range p.ranges(false) {
			if d == kernels.TopDown {
				sent[i][r] = p.outbox(r)
			}
		}
	}
	for _, p := range s.pairs {
		for from := range s.pairs {
			for _, r := range p.ranges(true) {
				if n, is := sent[from][r]; is {
					p.deliver(r, from, n)
				}
			}
		}
		found += p.finish().Next
	}
	return found
}

// aggregate collects the parents and checks them.
func (s *run) aggregate(root uint32) {
	s.Helper()
	vertexOf := s.parts[0].VertexOf
	out := make([]uint32, s.Vertices)
	const untouched = graph.None - 1
	for _, p := range s.pairs {
		asked, answers := make([][]uint32, len(s.pairs)), make([][]uint32, len(s.pairs))
		theirs := make([][]uint32, len(s.pairs))
		modelAsked := make([][]uint32, len(s.pairs))
		for q, other := range s.pairs {
			if q == p.part.Index {
				continue
			}
			asked[q], modelAsked[q] = p.foreign(q)
			var err error
			answers[q], err = other.under.LookupParents(asked[q])
			other.ok("LookupParents", err)
			if len(answers[q]) != len(asked[q]) {
				other.fail("LookupParents: %d entries for %d ranks", len(answers[q]), len(asked[q]))
			}
			for i, rank := range answers[q] {
				if int(rank) >= len(vertexOf) || vertexOf[rank] == graph.None ||
					s.CheckParent(root, vertexOf[asked[q][i]], vertexOf[rank]) != nil {
					other.fail("LookupParents: rank %d is no parent of rank %d", rank, asked[q][i])
				}
			}
			theirs[q], _ = other.model.LookupParents(modelAsked[q])
		}
		s.parents(p, p.under, asked, answers, out, untouched)
		s.checkParents(p, out, untouched, root, "")
		s.parents(p, p.model, modelAsked, theirs, out, untouched)
		s.checkParents(p, out, untouched, root, "the model: ")
	}
}

func (s *run) parents(p *pair, of kernels.Claims, asked, answers [][]uint32, out []uint32, untouched uint32) {
	s.Helper()
	for v := range out {
		out[v] = untouched
	}
	p.ok("Parents", of.Parents(out, asked, answers))
}

func (s *run) checkParents(p *pair, out []uint32, untouched, root uint32, who string) {
	s.Helper()
	own := bitset.New(uint(s.Vertices))
	for _, r := range p.ranges(true) {
		for i := uint32(0); i < p.part.Ranges[r].Vertices; i++ {
			own.Set(uint(p.part.VertexOf[p.part.Ranges[r].First+i]))
		}
	}
	for v, u := range out {
		switch {
		case !own.Test(uint(v)) && u != untouched:
			p.fail("%sParents: wrote vertex %d, which is not its own", who, v)
		case own.Test(uint(v)) && u == untouched:
			p.fail("%sParents: did not write vertex %d", who, v)
		case own.Test(uint(v)) && s.CheckParent(root, uint32(v), u) != nil:
			p.fail("%sParents: %d is no parent of %d", who, u, v)
		}
	}
}
