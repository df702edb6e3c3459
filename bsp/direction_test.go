package bsp_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/kernels"
)

// TestDirectorRules walks each director over states and looks at what it picks.
func TestDirectorRules(t *testing.T) {
	const D, U = kernels.TopDown, kernels.BottomUp
	facts := bsp.GraphInfo{Vertices: 1800, Arcs: 20000, Words: 30, Hub: 1, HubArcs: 10000}
	alone := bsp.GraphInfo{Vertices: 1800, Arcs: 20000, Words: 30, Hub: -1}
	rates := bsp.Rates{ClaimNS: 2, VisitNS: 2, ProbeNS: 1, WordNS: 1, StepNS: 100}
	for _, c := range []struct {
		name   string
		facts  bsp.GraphInfo
		states []bsp.Observation
		want   string
	}{
		{"top-down", facts, []bsp.Observation{{}, {Level: 1, Arcs: 19000, Frontier: 1000}}, "DD"},
		{"bottom-up", facts, []bsp.Observation{{}, {Level: 1, Last: U}}, "UU"},
		{"beamer", facts, []bsp.Observation{
			{Frontier: 1, Arcs: 100, UnvisitedArcs: 15000},                                      // 100 ≤ 15000/15
			{Frontier: 90, Before: 1, Arcs: 1001, UnvisitedArcs: 15000},                         // up
			{Frontier: 50, Before: 90, Last: U},                                                 // < 100 and shrinking: down
			{Frontier: 120, Before: 50, Last: U},                                                // growing: stays
			{Frontier: 110, Before: 120, Last: U},                                               // ≥ 100: stays
			{Frontier: 80, Before: 110, Arcs: 2000, UnvisitedArcs: 15000, Last: D},              // shrinking: stays down
			{Frontier: 80, Before: 80, Arcs: 2000, UnvisitedArcs: 15000, Last: kernels.TopDown}, // not growing
		}, "DUDUUDD"},
		{"ratio", facts, []bsp.Observation{
			{Level: 0, Frontier: 1, Unvisited: 10}, {Level: 1, Frontier: 6, Unvisited: 100}, {Level: 2, Frontier: 5, Unvisited: 100},
		}, "DUD"},
		{"totem", facts, []bsp.Observation{
			{Arcs: 5000}, // the hub's frontier is empty, so the sums count: 5000 of 20000
			{}, {}, {Arcs: 9000, HubArcs: 9000, HubFrontier: 9}, {Arcs: 9000, HubArcs: 9000, HubFrontier: 9},
		}, "UUUDD"},
		{"totem", facts, []bsp.Observation{
			{Arcs: 5000, HubArcs: 199, HubFrontier: 1}, {Arcs: 200, HubArcs: 200, HubFrontier: 1}, {}, {}, {},
		}, "DUUUD"},
		{"totem", alone, []bsp.Observation{{Arcs: 399}, {Arcs: 400}, {}, {}, {}}, "DUUUD"},
		{"auto", facts, []bsp.Observation{
			{Frontier: 1, Arcs: 2, Unvisited: 1799, UnvisitedArcs: 19990},
			{Frontier: 300, Arcs: 15000, Unvisited: 1500, UnvisitedArcs: 4000},
			{Frontier: 1000, Arcs: 3000, Unvisited: 500, UnvisitedArcs: 900, Last: U},
			{Frontier: 1, Arcs: 1, Unvisited: 499, UnvisitedArcs: 900, Last: U},
			{Frontier: 1, Arcs: 0, Unvisited: 0, Last: D},
		}, "DUUDD"},
	} {
		d, err := bsp.NewDirector(bsp.DirectorName(c.name), rates)
		if err != nil {
			t.Fatal(err)
		}
		if d.Name() != c.name {
			t.Errorf("%s calls itself %s", c.name, d.Name())
		}
		for range 2 { // a search leaves nothing behind
			got := ""
			d.Start(c.facts)
			for _, s := range c.states {
				if d.Next(&s) == U {
					got += "U"
				} else {
					got += "D"
				}
			}
			if got != c.want {
				t.Errorf("%s went %s, want %s", c.name, got, c.want)
			}
		}
	}
}

// TestDirectorNames demands that every name works and that an unknown one is answered
// with those known.
func TestDirectorNames(t *testing.T) {
	for _, name := range bsp.Directors() {
		if d, err := bsp.NewDirector(name, bsp.Rates{}); err != nil || d.Name() != string(name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := bsp.NewDirector("up", bsp.Rates{})
	if !errors.Is(err, bsp.ErrDirector) {
		t.Errorf("%v", err)
	}
	for _, name := range append(bsp.Directors(), `"up"`) {
		if !strings.Contains(err.Error(), string(name)) {
			t.Errorf("%q does not say %s", err, name)
		}
	}
	if d := bsp.Script(nil); d.Next(&bsp.Observation{}) != kernels.TopDown {
		t.Error("an empty script does not go down")
	}
}

// TestLookahead: what a director says beforehand is what it then chooses, along random
// walks whose frontiers keep within the limits, their extremes included.
func TestLookahead(t *testing.T) {
	limits := kernels.MultiStepLimits{Levels: 64, Vertices: 20, Arcs: 60}
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range bsp.Directors() {
		d, err := bsp.NewDirector(name, bsp.Rates{ClaimNS: 2, VisitNS: 0.5, ProbeNS: 0.5, WordNS: 1, StepNS: 4})
		if err != nil {
			t.Fatal(err)
		}
		f, is := d.(bsp.Lookahead)
		if !is {
			t.Errorf("%s has no lookahead", name)
			continue
		}
		most, steps := 0, 0
		for range 3000 {
			arcs := int64(1) << (4 + r.IntN(10))
			facts := bsp.GraphInfo{Vertices: arcs / 3, Arcs: arcs, Words: r.Int64N(60), Hub: -1}
			d.Start(facts)
			s := &bsp.Observation{Frontier: 1 + r.Int64N(40), Arcs: r.Int64N(200), Unvisited: facts.Vertices, UnvisitedArcs: facts.Arcs, Level: r.IntN(3)}
			if d.Next(s) != kernels.TopDown {
				continue
			}
			n := f.Steps(s, limits)
			most = max(most, n)
			for i := 1; i < n && i < limits.Levels; i++ {
				v := max(1, limits.Vertices-r.Int64N(2)*r.Int64N(limits.Vertices))
				a := limits.Arcs - r.Int64N(2)*r.Int64N(limits.Arcs)
				s = &bsp.Observation{Level: s.Level + 1, Last: kernels.TopDown, Before: s.Frontier, Frontier: v, Arcs: a,
					Unvisited: s.Unvisited - v, UnvisitedArcs: s.UnvisitedArcs - limits.Arcs}
				if s.Unvisited < 0 {
					break
				}
				steps++
				if d.Next(s) != kernels.TopDown {
					t.Fatalf("%s foresaw %d steps down, goes up in number %d: %+v", name, n, i, s)
				}
			}
		}
		if name != "bottom-up" && (most < 2 || steps < 100) {
			t.Errorf("%s foresaw %d steps at most, %d in all", name, most, steps)
		}
	}
	const D, U = kernels.TopDown, kernels.BottomUp
	for _, c := range []struct {
		script      bsp.Script
		level, want int
	}{{nil, 0, 64}, {bsp.Script{D}, 5, 64}, {bsp.Script{D, D, U}, 0, 2}, {bsp.Script{D, D, U}, 1, 1}, {bsp.Script{D, U, D}, 2, 64}} {
		if got := c.script.Steps(&bsp.Observation{Level: c.level}, limits); got != c.want {
			t.Errorf("%v at level %d: %d, want %d", c.script, c.level, got, c.want)
		}
	}
}
