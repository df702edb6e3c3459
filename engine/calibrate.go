package engine

import (
	"context"
	"time"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/kernels"
)

const (
	// calibrateVertices is the number of vertices from which on it pays to calibrate:
	// on a smaller graph either way is quick.
	calibrateVertices = 1 << 14
	// calibratePart is the part of the vertices, one in calibratePart, that the
	// frontier's arcs have to reach for a superstep to be clocked: about there the two
	// directions cost the same.
	calibratePart = 4
	// calibrateRuns is how often a superstep is clocked; the least time counts.
	calibrateRuns = 2
	// calibrateLevels bounds the levels of a calibrating search.
	calibrateLevels = 64
)

// calibrate clocks one superstep of real searches each way, from a frontier at which a
// director has to choose, and returns the rates with what an arc of a top-down step and
// an unvisited vertex of a bottom-up one cost. It does so for CPU processors; rates of a
// list with devices stay what they are. A search that finds no such frontier, as on a
// mesh, changes nothing.
func (e *Engine) calibrate(ctx context.Context, rates bsp.Rates) (bsp.Rates, error) {
	for _, p := range e.opts.Processors {
		if p.Kind != "cpu" {
			return rates, nil
		}
	}
	vertices := int64(e.n) - e.place.Isolated
	if vertices < calibrateVertices {
		return rates, nil
	}
	// A vertex from the middle of the largest range: neither a hub nor a leaf.
	root, rows := graph.None, uint32(0)
	for _, r := range e.place.Ranges {
		if r.Vertices > rows {
			rows, root = r.Vertices, r.First+r.Vertices/2
		}
	}
	if root == graph.None {
		return rates, nil
	}
	var claim, visit time.Duration
	var arcs, unvisited int64
	for run := range 2 * calibrateRuns {
		d := &clock{enough: max(1, vertices/calibratePart), way: kernels.Direction(run % 2)}
		if _, err := e.loop.Search(ctx, bsp.Search{Root: root, Director: d}); err != nil {
			return rates, err
		}
		if d.took == 0 {
			return rates, nil
		}
		if d.way == kernels.TopDown && (claim == 0 || d.took < claim) {
			claim, arcs = d.took, d.state.Arcs
		}
		if d.way == kernels.BottomUp && (visit == 0 || d.took < visit) {
			visit, unvisited = d.took, d.state.Unvisited
		}
	}
	if arcs > 0 && unvisited > 0 {
		rates.Claim = float64(claim.Nanoseconds()) / float64(arcs)
		// What a vertex costs in all, its further neighbours included.
		rates.Visit, rates.Probe = float64(visit.Nanoseconds())/float64(unvisited), 0
	}
	return rates, nil
}

// clock is a director that goes top-down to the first frontier of enough arcs, then one
// superstep its way, which it clocks, and bottom-up to the end.
type clock struct {
	enough int64
	way    kernels.Direction

	state bsp.State // before the clocked step
	begun time.Time
	took  time.Duration
	over  bool
}

func (c *clock) Name() string { return "clock" }
func (c *clock) Need() kernels.Need {
	return kernels.NeedNextArcs | kernels.NeedUnvisited
}
func (c *clock) Start(bsp.Facts) {}
func (c *clock) Next(s *bsp.State) kernels.Direction {
	switch {
	case !c.begun.IsZero():
		if !c.over {
			c.took, c.over = max(1, time.Since(c.begun)), true
		}
		return kernels.BottomUp
	case s.Arcs >= c.enough && s.Level < calibrateLevels:
		c.state, c.begun = *s, time.Now()
		return c.way
	}
	return kernels.TopDown
}
