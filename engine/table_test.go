package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bits-and-blooms/bitset"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/partition"
	"github.com/totemgo/totemgo/record"
)

// fixedRates are costs for the director auto that do not depend on the machine.
var fixedRates = bsp.Rates{ClaimNS: 2, VisitNS: 2, ProbeNS: 1, WordNS: 1, StepNS: 20}

// oracle is a graph and what checks its trees.
type oracle struct {
	name string
	list *graph.EdgeList
	*ref.Checker
	linked int // vertices with an edge to another one
}

func newOracle(g ref.Named) *oracle {
	o := &oracle{name: g.Name, list: g.List, Checker: ref.NewChecker(g.List)}
	linked := bitset.New(uint(g.List.Vertices))
	for _, e := range g.List.Edges {
		if e.U != e.V {
			linked.Set(uint(e.U)).Set(uint(e.V))
		}
	}
	o.linked = int(linked.Count())
	return o
}

// check compares a result with the levels and checks every parent.
func (o *oracle) check(root uint32, r *engine.BFSResult) error {
	want := o.Levels(root)
	if got := r.Levels(); !slices.Equal(got, want) {
		return fmt.Errorf("levels %v, want %v", got, want)
	}
	if err := o.CheckTree(root, r.Parents); err != nil {
		return err
	}
	reached, depth := ref.Reached(want)
	if !r.Reached().Equal(reached) || r.NumReached != int64(reached.Count()) || r.Depth != int64(depth) {
		return fmt.Errorf("reached %d at depth %d, %v, want %v at %d", r.NumReached, r.Depth, r.Reached(), reached, depth)
	}
	return nil
}

func cpus(threads ...int) []engine.Processor {
	var list []engine.Processor
	for _, n := range threads {
		list = append(list, engine.Processor{Kind: "cpu", Threads: n})
	}
	return list
}

func open(t testing.TB, src graph.Source, o engine.Options) *engine.Engine {
	t.Helper()
	if o.Rates.IsZero() {
		o.Rates = fixedRates
	}
	e, err := engine.New(context.Background(), src, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// script draws directions.
func script(rng *rand.Rand) bsp.Script {
	s := make(bsp.Script, 1+rng.IntN(12))
	for i := range s {
		s[i] = kernels.Direction(rng.IntN(2))
	}
	return s
}

// TestTable searches every graph of the corpus under every placement, number of
// partitions and director, and under random sequences of directions: levels must be
// the oracle's and every parent valid. It also demands that each placement of several
// partitions has sent something by push and by pull, so that the exchange is tested.
func TestTable(t *testing.T) {
	const seed = 20
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	var oracles []*oracle
	large := 0
	for _, g := range ref.Corpus() {
		o := newOracle(g)
		oracles = append(oracles, o)
		if o.linked > 1000 {
			large++
		}
	}
	if len(oracles) < 30 || large < 10 {
		t.Fatalf("the corpus has %d graphs, %d of more than 1000 vertices with edges", len(oracles), large)
	}
	for k, policy := range partition.Policies() {
		for parts := 1; parts <= 4; parts++ {
			t.Run(fmt.Sprintf("placement=%s/partitions=%d", policy, parts), func(t *testing.T) {
				push, pull := 0.0, 0.0
				for i, o := range oracles {
					if raceEnabled && (i+k+parts)%12 != 0 {
						continue
					}
					a, b := tableRow(t, o, policy, parts, rng)
					push, pull = push+a, pull+b
				}
				if parts > 1 && (push == 0 || pull == 0) {
					t.Errorf("%v bytes were sent by push, %v by pull", push, pull)
				}
			})
		}
	}
}

// tableRow searches one graph on one placement and returns the bytes sent by push and
// by pull.
func tableRow(t *testing.T, o *oracle, policy partition.Policy, parts int, rng *rand.Rand) (push, pull float64) {
	t.Helper()
	threads := slices.Repeat([]int{1}, parts)
	if len(o.list.Edges)%2 == 0 {
		threads[parts-1] = 2
	}
	return searchAll(t, o, engine.Options{Placement: policy, Processors: cpus(threads...)}, rng)
}

// searchAll searches a graph with every director and some random sequences of
// directions, and returns the bytes sent by push and by pull.
func searchAll(t *testing.T, o *oracle, opts engine.Options, rng *rand.Rand) (push, pull float64) {
	t.Helper()
	var now bsp.Director
	opts.NewDirector, opts.Seed = func() bsp.Director { return now }, rng.Uint64()
	e := open(t, o.list, opts)
	defer e.Close()
	for i, p := range e.Processors() {
		if p.Vertices == 0 && o.linked >= len(opts.Processors) {
			t.Errorf("%s, %s, two-ended %v: partition %d of %d is empty", o.name, opts.Placement, opts.TwoEnded, i, len(opts.Processors))
		}
	}
	var directors []bsp.Director
	for _, name := range bsp.Directors() {
		d, err := bsp.NewDirector(name, fixedRates)
		if err != nil {
			t.Fatal(err)
		}
		directors = append(directors, d)
	}
	for range 3 {
		directors = append(directors, script(rng))
	}
	r := e.NewResult()
	defer r.Free()
	r.Statistics = &bsp.Statistics{}
	roots := ref.Named{Name: o.name, List: o.list}.Roots()
	for i, d := range directors {
		now = d
		for j, root := range roots {
			// All roots in turn; deep searches once a director.
			if j > 0 && (i+j)%len(roots) != 0 {
				continue
			}
			if err := e.BFSInto(context.Background(), uint64(root), r); err != nil {
				t.Fatalf("%s, director %s %v, root %d: %v", o.name, d.Name(), d, root, err)
			}
			if err := o.check(root, r); err != nil {
				t.Fatalf("%s, director %s %v, root %d: %v", o.name, d.Name(), d, root, err)
			}
			for _, l := range r.Statistics.Levels {
				for _, p := range l.Processors {
					if l.Direction == record.TopDown {
						push += p.BytesSent
					} else {
						pull += p.BytesSent
					}
				}
			}
		}
	}
	return push, pull
}
