package bsp

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/totemgo/totemgo/kernels"
)

// Rates are the costs from which DirectorAuto predicts a superstep: nanoseconds an operation,
// with all processors at work. Calibrate replaces ClaimNS, VisitNS and ProbeNS of DefaultRates by those of
// supersteps on the processors, with devices StepNS too.
type Rates struct {
	// ClaimNS is the cost of an arc of a top-down step: a random test of a visited bit.
	ClaimNS float64 `json:"claim_ns"`
	// VisitNS is the cost of an unvisited vertex of a bottom-up step: with its first
	// neighbour, or with all neighbours that it reads if ProbeNS is 0.
	VisitNS float64 `json:"visit_ns"`
	// ProbeNS is the cost of a further neighbour in a bottom-up step.
	ProbeNS float64 `json:"probe_ns"`
	// WordNS is the cost of a word of 64 ranks in a pass over bitmaps.
	WordNS float64 `json:"word_ns"`
	// StepNS is the fixed cost of a bottom-up step beyond that of a top-down step.
	StepNS float64 `json:"step_ns"`
}

// IsZero reports that no rates were given.
func (r Rates) IsZero() bool { return r == Rates{} }

// auto chooses the direction of the lower predicted cost. Top-down costs ClaimNS per arc of
// the frontier. Bottom-up costs VisitNS per unvisited vertex and ProbeNS per further
// neighbour until one is in the frontier: with d arcs per vertex, of which a fraction f leaves
// the frontier, (1−(1−f)^d)/f neighbours in the mean. A change of direction costs passes over
// the bitmaps.
type auto struct {
	rates Rates
	graph GraphInfo
	rule  *kernels.Rule // by which Next chooses, once Rule was called for the graph
}

func (d *auto) Name() string       { return string(DirectorAuto) }
func (d *auto) Need() kernels.Need { return kernels.NeedFewArcs | kernels.NeedUnvisited }
func (d *auto) Start(g GraphInfo) {
	if g != d.graph {
		d.graph, d.rule = g, nil
	}
}

func (d *auto) Next(o *Observation) kernels.Direction {
	switch {
	case o.Arcs < 0:
		return kernels.BottomUp // above the limit of NeedFewArcs
	case d.rule != nil:
		return d.rule.Way(o.Last, o.Unvisited, o.Arcs)
	}
	return d.predict(o)
}

// Rule tabulates predict: for each number of unvisited vertices that begins a step of a rule, the most arcs of a
// frontier that goes top-down. The predicted cost of a top-down step grows with them, that of a bottom-up step falls.
func (d *auto) Rule(*Observation) *kernels.Rule {
	if d.rule != nil {
		return d.rule
	}
	d.rule = &kernels.Rule{}
	for last := range d.rule.Above {
		o := Observation{Last: kernels.Direction(last)}
		for i := range d.rule.Above[last] {
			if o.Unvisited = int64(4+i%4) << (i / 4) / 4; o.Unvisited > 2*d.graph.Vertices {
				break
			}
			d.rule.Above[last][i] = uint32(max(0, sort.Search(int(min(d.graph.Arcs, math.MaxUint32-1)), func(arcs int) bool {
				o.Arcs = int64(arcs)
				return d.predict(&o) == kernels.BottomUp
			})-1))
		}
	}
	return d.rule
}

// predict chooses by the costs.
func (d *auto) predict(o *Observation) kernels.Direction {
	r := d.rates
	down := float64(o.Arcs) * r.ClaimNS
	up := r.StepNS + float64(d.graph.Words)*r.WordNS
	if o.Unvisited > 0 {
		deg := float64(d.graph.Arcs) / float64(max(1, d.graph.Vertices))
		f := float64(o.Arcs) / float64(max(1, d.graph.Arcs))
		probes := deg
		if f > 0 {
			probes = min(deg, (1-math.Pow(1-min(f, 1), deg))/f)
		}
		up += float64(o.Unvisited) * (r.VisitNS + max(0, probes-1)*r.ProbeNS)
	}
	flip := 2*float64(d.graph.Words)*r.WordNS + r.StepNS
	if o.Last == kernels.TopDown {
		up += flip
	} else {
		down += flip
	}
	if up < down {
		return kernels.BottomUp
	}
	return kernels.TopDown
}

func (d *auto) Steps(_ *Observation, limits kernels.MultiStepLimits) int {
	// The least cost of a bottom-up step after a top-down one.
	up := 2*d.rates.StepNS + 3*float64(d.graph.Words)*d.rates.WordNS
	if float64(limits.Arcs)*d.rates.ClaimNS <= up {
		return limits.Levels
	}
	return 1
}

// stepCost is the fixed cost of a bottom-up step in nanoseconds: passes over bitmaps and
// handing work to threads. It is assumed, not measured: where it decides, both
// directions are fast.
const stepCost = 3000

// DefaultRates are rates for so many threads without a measurement. They are means over grids of 2^12 to 2^22 vertices and
// Kronecker graphs of scale 10 and 13 on one thread of an AMD EPYC (2026-11-29), arrays in its caches.
func DefaultRates(threads int) Rates {
	t := float64(max(1, threads))
	return Rates{ClaimNS: 0.55 / t, VisitNS: 0.75 / t, ProbeNS: 0.7 / t, WordNS: 0.5 / t, StepNS: stepCost}
}

const (
	// calibrateVertices is the number of vertices from which Calibrate searches: on a smaller
	// graph both directions are fast.
	calibrateVertices = 1 << 14
	// A superstep is timed from a frontier with at least vertices ÷ calibratePart arcs, where
	// both directions cost about the same.
	calibratePart = 4
	// calibrateLevels limits the levels of a search of Calibrate: on a graph with hubs the
	// frontier is that large earlier.
	calibrateLevels = 32
)

// Calibrate times one superstep in each direction, from a frontier at which both cost about
// the same, and returns rates with ClaimNS and VisitNS from these times and ProbeNS 0. It
// runs a search per direction, which ends after the timed superstep, or without one after 32
// levels or the given time. It returns rates unchanged if there is no such frontier (a mesh),
// for less than 2^14 vertices, and if a processor is of another process. The error is ctx's or a
// processor's.
//
// With devices each direction is timed twice and the shorter time counts. The time of the root's superstep,
// which has next to no work, is that of commands and waits: ClaimNS and VisitNS leave it out, and StepNS is
// a quarter of it, for the commands that a bottom-up step has more.
func (b *BFS) Calibrate(ctx context.Context, rates Rates, within time.Duration) (Rates, error) {
	if b.info.Vertices < calibrateVertices || len(b.tree) < b.Processors {
		return rates, nil
	}
	// The middle of the largest range: neither a hub nor a leaf.
	rows := slices.MaxFunc(b.Ranges, func(x, y kernels.Range) int { return cmp.Compare(x.Vertices, y.Vertices) })
	root := rows.First + rows.Vertices/2
	// Bottom-up first: its step takes longer, and brings memory into the caches.
	up := stepTimer{dir: kernels.BottomUp, enough: b.info.Vertices / calibratePart, deadline: time.Now().Add(within)}
	down := up
	down.dir = kernels.TopDown
	timers := []*stepTimer{&up, &down}
	if !b.allCPU {
		timers = append(timers, timers...)
	}
	for _, c := range timers {
		before := c.took
		c.begun, c.took = time.Time{}, 0
		if _, err := b.Search(ctx, Search{Root: root, Director: c, until: c.until}); err != nil || c.took == 0 && before == 0 {
			return rates, err
		}
		if before > 0 && (c.took == 0 || before < c.took) {
			c.took = before
		}
	}
	if down.seen.Arcs <= 0 || up.seen.Unvisited <= 0 {
		return rates, nil
	}
	fixed := time.Duration(0)
	if !b.allCPU {
		fixed = min(up.first, down.first)
		rates.StepNS = max(stepCost, float64(fixed.Nanoseconds())/4)
	}
	// A tenth at least, where the steps are hardly longer than the root's.
	rates.ClaimNS = float64(max(down.took-fixed, down.took/10).Nanoseconds()) / float64(down.seen.Arcs)
	// All neighbours that a vertex reads are in VisitNS.
	rates.VisitNS, rates.ProbeNS = float64(max(up.took-fixed, up.took/10).Nanoseconds())/float64(up.seen.Unvisited), 0
	return rates, nil
}

// stepTimer is a director that chooses top-down until the frontier has enough arcs, and
// times the superstep from there in its direction.
type stepTimer struct {
	dir      kernels.Direction
	enough   int64
	deadline time.Time

	seen  Observation // before the timed superstep
	begun time.Time   // of the timed superstep
	took  time.Duration
	root  time.Time     // when the root's superstep began
	first time.Duration // of the root's superstep, the least of all searches
}

func (c *stepTimer) Name() string       { return "step-timer" }
func (c *stepTimer) Need() kernels.Need { return kernels.NeedNextArcs | kernels.NeedUnvisited }
func (c *stepTimer) Start(GraphInfo)    {}
func (c *stepTimer) Next(o *Observation) kernels.Direction {
	if o.Level == 0 {
		c.root = time.Now()
	}
	if o.Arcs < c.enough {
		return kernels.TopDown
	}
	c.seen, c.begun = *o, time.Now()
	return c.dir
}

// until ends the search after the timed superstep, or without one.
func (c *stepTimer) until(o *Observation) bool {
	if took := time.Since(c.root); o.Level == 1 && (c.first == 0 || took < c.first) {
		c.first = took
	}
	if !c.begun.IsZero() {
		c.took = max(1, time.Since(c.begun))
		return true
	}
	return o.Level >= calibrateLevels || time.Now().After(c.deadline)
}
