package kerneltest

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

// reporter is the part of *testing.T that the checks use. Fatalf does not return.
type reporter interface {
	Helper()
	Logf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// pair is a processor under test and the model. Every call goes to both, and their
// results are compared.
type pair struct {
	reporter
	where string // the search and the level, for failures
	part  *kernels.Part
	need  kernels.Need
	proc  kernels.Processor // under test
	under kernels.Claims    // its run
	model *reference
	// bounds of Counts.Examined for the step just run.
	least, most int64
}

// news is a message of the processor under test and that of the model.
type news struct{ under, model kernels.Message }

func (p *pair) fail(format string, args ...any) {
	p.Helper()
	p.Fatalf("%s: partition %d: %s", p.where, p.part.Index, fmt.Sprintf(format, args...))
}

func (p *pair) ok(call string, err error) {
	p.Helper()
	if err != nil {
		p.fail("%s: %v", call, err)
	}
}

// tree is the program of a breadth-first search.
var tree = &program.Program{
	Name:  "bfs",
	Edges: []program.EdgeOp{{Name: "visit", From: -1, To: -1, Map: program.Source, Combine: program.Claim, Once: true}},
}

var push, pull = program.Step{Way: program.Push}, program.Step{Way: program.Pull}

// close closes the run and the processor.
func (p *pair) close() {
	p.Helper()
	p.ok("Close", p.under.Close())
	p.ok("Close", p.proc.Close())
}

func newPair(t reporter, where string, part *kernels.Part, proc kernels.Processor) *pair {
	t.Helper()
	p := &pair{reporter: t, where: where, part: part, proc: proc, model: &reference{}}
	if proc == nil {
		p.fail("the factory returned no processor")
	}
	if k := proc.Kind(); k != kernels.CPU && k != kernels.OpenCL && k != kernels.CUDA {
		p.fail("Kind is %q", k)
	}
	p.ok("Load", proc.Load(context.Background(), part))
	p.ok("Load", p.model.Load(context.Background(), part))
	var held int64
	for _, s := range part.Subgraphs {
		if s != nil {
			held += s.Bytes()
		}
	}
	if got := proc.Bytes(); got < held {
		p.fail("Bytes is %d, the subgraphs alone are %d", got, held)
	}
	opened, err := proc.Open(context.Background(), tree)
	p.ok("Open", err)
	is := false
	if p.under, is = opened.(kernels.Claims); !is {
		p.fail("the run of a tree is no kernels.Claims")
	}
	return p
}

// ranges returns the indices of own ranges, or of remote ones.
func (p *pair) ranges(own bool) (list []int) {
	for r, rg := range p.part.Ranges {
		if (rg.Owner == p.part.Index) == own {
			list = append(list, r)
		}
	}
	return list
}

func (p *pair) reset(need kernels.Need) {
	p.Helper()
	p.need = need
	p.ok("Begin", p.under.Begin(need))
	p.ok("Begin", p.model.Begin(need))
}

func (p *pair) setRoot(rank uint32) {
	p.Helper()
	p.ok("Seed", p.under.Seed(rank, -1, 0))
	p.ok("Seed", p.model.Seed(rank, -1, 0))
}

func (p *pair) publish(r int) (n news) {
	p.Helper()
	var err error
	n.under, err = p.under.Expand(0, pull, r)
	p.ok("Expand", err)
	n.model, err = p.model.Expand(0, pull, r)
	p.ok("Expand", err)
	p.same("Expand", r, n)
	return n
}

func (p *pair) outbox(r int) (n news) {
	p.Helper()
	var err error
	n.under, err = p.under.Fold(r)
	p.ok("Fold", err)
	n.model, err = p.model.Fold(r)
	p.ok("Fold", err)
	p.same("Fold", r, n)
	return n
}

func (p *pair) gather(r int, n news) {
	p.Helper()
	p.ok("Take", p.under.Take(0, pull, r, n.under))
	p.ok("Take", p.model.Take(0, pull, r, n.model))
}

func (p *pair) deliver(r, from int, n news) {
	p.Helper()
	p.ok("Merge", p.under.Merge(r, from, n.under))
	p.ok("Merge", p.model.Merge(r, from, n.model))
}

// same fails unless both messages have the same vertices and the processor's is exact and
// of the right form.
func (p *pair) same(call string, r int, n news) {
	p.Helper()
	rg := p.part.Ranges[r]
	if fault := malformed(rg, n.under); fault != "" {
		p.fail("%s(%d): %s", call, r, fault)
	}
	if got, want := slices.Sorted(slices.Values(told(rg, n.under))), told(rg, n.model); !slices.Equal(got, want) {
		p.fail("%s(%d): tells %s, want %s", call, r, some(got), some(want))
	}
}

// malformed says what is wrong with the form of a set of vertices of a range, "" if nothing.
func malformed(rg kernels.Range, m kernels.Message) string {
	padded := int(rg.Padded() - rg.First)
	switch {
	case m.List != nil && m.Bits != nil:
		return "both a list and a bitmap"
	case m.Count == 0 && (len(m.List) > 0 || len(m.Bits) > 0):
		return "an empty message has a list or a bitmap"
	case m.Count > 0 && m.List == nil && len(m.Bits) != padded/32:
		return fmt.Sprintf("%d words for %d ranks", len(m.Bits), padded)
	case m.List != nil && !kernels.AsList(m.Count, padded):
		return fmt.Sprintf("%d of %d ranks told as a list", m.Count, padded)
	case m.Count > 0 && m.List == nil && kernels.AsList(m.Count, int(rg.Vertices)):
		return fmt.Sprintf("%d of %d ranks told as a bitmap", m.Count, padded)
	}
	if m.List == nil && m.Count > 0 {
		for rank := rg.First + rg.Vertices; rank < rg.Padded(); rank++ {
			if m.Bits[(rank-rg.First)/32]>>(rank%32)&1 != 0 {
				return fmt.Sprintf("the bit of padding rank %d is set", rank)
			}
		}
		set := 0
		for _, word := range m.Bits {
			set += bits.OnesCount32(word)
		}
		if set != m.Count {
			return fmt.Sprintf("Count is %d, %d bits are set", m.Count, set)
		}
	}
	if n := len(told(rg, m)); n != m.Count {
		return fmt.Sprintf("Count is %d, %d ranks are listed", m.Count, n)
	}
	return ""
}

// some prints the first 12 ranks of a list.
func some(list []uint32) string {
	if len(list) > 12 {
		return fmt.Sprintf("%d ranks %v…", len(list), list[:12])
	}
	return fmt.Sprintf("%d ranks %v", len(list), list)
}

func (p *pair) step(ctx context.Context, d kernels.Direction) {
	p.Helper()
	p.bound(d)
	name, err := p.under.Step(ctx, 0, program.Step{Way: program.Way(d)})
	p.ok("Step", err)
	if name == "" {
		p.fail("Step names no kernel")
	}
	_, err = p.model.Step(ctx, 0, program.Step{Way: program.Way(d)})
	p.ok("Step", err)
}

// bound sets the bounds of Counts.Examined: top-down all entries of the frontier; bottom-up
// all of a row without a parent, one to all of a row with one.
func (p *pair) bound(d kernels.Direction) {
	p.least, p.most = 0, 0
	for _, s := range p.part.Subgraphs {
		for i := uint32(0); s != nil && i < s.Rows; i++ {
			if rank := s.First + i; d == kernels.TopDown && p.model.frontier[rank] {
				p.least += int64(s.Out.Degree(i))
				p.most += int64(s.Out.Degree(i))
			} else if d == kernels.BottomUp && !p.model.seen[rank] {
				row := neighbours(s.In, i)
				p.most += int64(len(row))
				if slices.ContainsFunc(row, func(u uint32) bool { return p.model.frontier[u] }) {
					p.least++
				} else {
					p.least += int64(len(row))
				}
			}
		}
	}
}

func (p *pair) finish() kernels.Counts {
	p.Helper()
	got, err := p.under.Advance()
	p.ok("Advance", err)
	p.compare(got)
	return got
}

// compare finishes the model's superstep and compares its counts.
func (p *pair) compare(got kernels.Counts) {
	p.Helper()
	want, err := p.model.Advance()
	p.ok("Advance", err)
	if got.Next != want.Next {
		p.fail("Advance: Next is %d, want %d", got.Next, want.Next)
	}
	if p.need&kernels.NeedNextArcs != 0 && got.NextArcs != want.NextArcs {
		p.fail("Advance: NextArcs is %d, want %d", got.NextArcs, want.NextArcs)
	}
	if p.need&kernels.NeedFewArcs != 0 && got.NextArcs != want.NextArcs {
		few := want.NextArcs*kernels.ManyPart <= p.outArcs()
		if p.ownsAll() {
			few = few && want.NextArcs <= kernels.ManyTimes*want.Unvisited+int64(p.part.Ranks/64)
		}
		bound := got.NextArcs > want.NextArcs && got.NextArcs <= int64(p.part.Ranks/64)
		if !bound && (got.NextArcs != -1 || few) {
			p.fail("Advance: NextArcs is %d of %d, want %d", got.NextArcs, p.outArcs(), want.NextArcs)
		}
	}
	if p.need&kernels.NeedUnvisited != 0 && got.Unvisited != want.Unvisited {
		p.fail("Advance: Unvisited is %d, want %d", got.Unvisited, want.Unvisited)
	}
	if p.need&kernels.NeedUnvisitedArcs != 0 && got.UnvisitedArcs != want.UnvisitedArcs {
		p.fail("Advance: UnvisitedArcs is %d, want %d", got.UnvisitedArcs, want.UnvisitedArcs)
	}
	if p.need&kernels.NeedExamined != 0 && (got.Examined < p.least || got.Examined > p.most) {
		p.fail("Advance: Examined is %d, want %d … %d", got.Examined, p.least, p.most)
	}
}

// manyStepper is the processor under test, nil where it runs no several supersteps a call.
func (p *pair) manyStepper() kernels.MultiStepper {
	if many, is := p.under.(kernels.MultiStepper); is && many.MultiStepLimits().Levels > 0 {
		return many
	}
	return nil
}

// stepMany asks for several supersteps at once, and returns the counts of those run.
// One that could have been run must be.
func (p *pair) stepMany(many kernels.MultiStepper, levels int) []kernels.Counts {
	p.Helper()
	limits := many.MultiStepLimits()
	fits := func() bool {
		p.bound(kernels.TopDown)
		return p.model.size() <= limits.Vertices && p.most <= limits.Arcs && !p.model.leaves()
	}
	name, counts, err := many.StepMany(context.Background(), levels)
	p.ok("StepMany", err)
	if len(counts) > levels || len(counts) > limits.Levels {
		p.fail("StepMany: %d supersteps, at most %d were asked for", len(counts), levels)
	}
	if len(counts) == 0 {
		if fits() {
			p.fail("StepMany: ran nothing from a small frontier")
		}
		return nil
	}
	if name == "" {
		p.fail("StepMany names no kernel")
	}
	for i, got := range counts {
		if !fits() {
			p.fail("StepMany: superstep %d starts from a frontier beyond the limits, or claims a foreign vertex", i)
		}
		_, err := p.model.Step(context.Background(), 0, push)
		p.ok("Step", err)
		p.compare(got)
	}
	if last := counts[len(counts)-1]; last.Next > 0 && len(counts) < min(levels, limits.Levels) && fits() && p.inArcs() <= limits.Arcs {
		p.fail("StepMany: stopped after %d supersteps of %d before a small frontier", len(counts), levels)
	}
	return counts
}

// inArcs is the number of in-arcs of the model's frontier.
func (p *pair) inArcs() (n int64) {
	for _, s := range p.part.Subgraphs {
		for i := uint32(0); s != nil && s.In != nil && i < s.Rows; i++ {
			if p.model.frontier[s.First+i] {
				n += int64(s.In.Degree(i))
			}
		}
	}
	return n
}

// foreign returns both processors' lists of vertices that partition q found.
func (p *pair) foreign(q int) (under, model []uint32) {
	p.Helper()
	under, err := p.under.RemoteClaims(q)
	p.ok("RemoteClaims", err)
	model, err = p.model.RemoteClaims(q)
	p.ok("RemoteClaims", err)
	if got := slices.Sorted(slices.Values(under)); !slices.Equal(got, model) {
		p.fail("RemoteClaims(%d) is %s, want %s", q, some(got), some(model))
	}
	return under, model
}

// outArcs is the number of the partition's out-arcs.
func (p *pair) outArcs() (n int64) {
	for _, s := range p.part.Subgraphs {
		if s != nil && s.Out != nil {
			n += s.Out.Arcs()
		}
	}
	return n
}

// ownsAll reports whether no other partition has a vertex.
func (p *pair) ownsAll() bool {
	for _, r := range p.part.Ranges {
		if r.Owner != p.part.Index && r.Vertices > 0 {
			return false
		}
	}
	return true
}
