package bsp_test

import (
	"context"
	"testing"
	"time"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/gen"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/program"
)

// counting counts what a loop asks of a run.
type counting struct {
	kernels.Claims
	resets int
	steps  [2]int // by direction
}

func (c *counting) Begin(need kernels.Need) error {
	c.resets++
	return c.Claims.Begin(need)
}

func (c *counting) Step(ctx context.Context, op int, s program.Step) (string, error) {
	c.steps[s.Way]++
	return c.Claims.Step(ctx, op, s)
}

// made generates a graph.
func made(t *testing.T, r gen.Recipe) *graph.EdgeList {
	t.Helper()
	list, err := gen.Make(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// calibrating calibrates over partitions of list and returns what was asked of the first.
func calibrating(t *testing.T, list *graph.EdgeList, parts int, within time.Duration) (before, after bsp.Rates, asked *counting) {
	t.Helper()
	owners := make([]uint8, list.Vertices)
	for v := range owners {
		owners[v] = uint8(v % parts)
	}
	p := place(t, list, parts, owners)
	loop := load(t, p, func(r run) kernels.Run {
		c := &counting{Claims: r}
		if asked == nil {
			asked = c
		}
		return c
	})
	defer loop.Close()
	before = bsp.DefaultRates(1)
	after, err := loop.Calibrate(t.Context(), before, within)
	if err != nil {
		t.Fatal(err)
	}
	counted := *asked
	if _, err := search(loop, p, list.Edges[0].U, script("D"), nil); err != nil {
		t.Errorf("a search after calibrating: %v", err)
	}
	return before, after, &counted
}

// TestCalibrate: two searches, one superstep of each clocked and the last of its search; a
// graph without a large frontier, or without time for one, gives up after few levels.
func TestCalibrate(t *testing.T) {
	kron := made(t, gen.KroneckerOptions{Scale: 15, Seed1: gen.DefaultSeed1, Seed2: gen.DefaultSeed2})
	chain := made(t, gen.ShapeOptions{Shape: gen.Chain, Vertices: 20000})
	small := made(t, gen.KroneckerOptions{Scale: 10, Seed1: gen.DefaultSeed1, Seed2: gen.DefaultSeed2})
	for parts := 1; parts <= 2; parts++ {
		before, after, asked := calibrating(t, kron, parts, time.Minute)
		if asked.resets != 2 || asked.steps[kernels.BottomUp] != 1 || asked.steps[kernels.TopDown] < 3 || asked.steps[kernels.TopDown]%2 != 1 {
			t.Errorf("%d partitions: %d searches, steps %v: want 2 that go down as far, and one step up", parts, asked.resets, asked.steps)
		}
		if after.ClaimNS <= 0 || after.VisitNS <= 0 || after.ProbeNS != 0 || after.WordNS != before.WordNS || after.StepNS != before.StepNS {
			t.Errorf("%d partitions: rates %+v, %+v before", parts, after, before)
		}
		before, after, asked = calibrating(t, chain, parts, time.Minute)
		if asked.resets != 1 || asked.steps[kernels.TopDown] > 64 || asked.steps[kernels.BottomUp] > 0 || after != before {
			t.Errorf("a chain in %d partitions: %d searches, steps %v, rates %+v, %+v before", parts, asked.resets, asked.steps, after, before)
		}
		before, after, asked = calibrating(t, chain, parts, -1)
		if asked.resets != 1 || asked.steps[kernels.TopDown] != 1 || after != before {
			t.Errorf("a chain without time: %d searches, steps %v", asked.resets, asked.steps)
		}
		if before, after, asked = calibrating(t, small, parts, time.Minute); asked.resets != 0 || after != before {
			t.Errorf("a small graph: %d searches", asked.resets)
		}
	}
}
