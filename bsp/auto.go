package bsp

import (
	"context"
	"math"
	"time"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/partition"
)

// Rates are the costs, in nanoseconds, from which "auto" predicts a superstep: time of one
// operation over all threads. MeasureRates takes them of the host's threads, whatever the
// processors are; Calibrate replaces Claim and Visit where all processors are CPUs. So
// measured rates of a list with devices are those of the host, not of the list.
type Rates struct {
	// ClaimNS is one arc of a top-down step: a random test of a visited bit.
	ClaimNS float64 `json:"claim_ns"`
	// VisitNS is one unvisited vertex of a bottom-up step: with its first neighbour, or
	// with all that it reads, where Probe is 0.
	VisitNS float64 `json:"visit_ns"`
	// ProbeNS is one further neighbour of a bottom-up step.
	ProbeNS float64 `json:"probe_ns"`
	// WordNS is one word of 64 ranks in a pass over bitmaps.
	WordNS float64 `json:"word_ns"`
	// StepNS is what a bottom-up step costs beyond a top-down one, however small.
	StepNS float64 `json:"step_ns"`
}

// IsZero tells that no rates were given.
func (r Rates) IsZero() bool { return r == Rates{} }

// auto compares the predicted cost of both directions. Top-down costs the frontier's
// arcs. Bottom-up costs every unvisited vertex a probe of its first neighbour, and
// further probes until one hits: with a fraction f of the arcs leaving the frontier
// and d arcs a vertex, (1−(1−f)^d)/f in the mean. A flip costs passes over the
// bitmaps and is added to the side that flips.
type auto struct {
	rates Rates
	f     GraphInfo
}

func (d *auto) Name() string       { return string(DirectorAuto) }
func (d *auto) Need() kernels.Need { return kernels.NeedFewArcs | kernels.NeedUnvisited }
func (d *auto) Start(f GraphInfo)  { d.f = f }
func (d *auto) Next(s *Observation) kernels.Direction {
	if s.Arcs < 0 {
		return kernels.BottomUp // a large part of all vertices
	}
	r := d.rates
	down := float64(s.Arcs) * r.ClaimNS
	up := r.StepNS + float64(d.f.Words)*r.WordNS
	if s.Unvisited > 0 {
		deg := float64(d.f.Arcs) / float64(max(1, d.f.Vertices))
		f := float64(s.Arcs) / float64(max(1, d.f.Arcs))
		probes := deg
		if f > 0 {
			probes = min(deg, (1-math.Pow(1-min(f, 1), deg))/f)
		}
		up += float64(s.Unvisited) * (r.VisitNS + max(0, probes-1)*r.ProbeNS)
	}
	flip := 2*float64(d.f.Words)*r.WordNS + r.StepNS
	if s.Last == kernels.TopDown {
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
	// What a bottom-up step after a top-down one costs at least.
	up := 2*d.rates.StepNS + 3*float64(d.f.Words)*d.rates.WordNS
	if float64(limits.Arcs)*d.rates.ClaimNS <= up {
		return limits.Levels
	}
	return 1
}

const (
	// rateSamples is the number of operations that each rate is measured over.
	rateSamples = 1 << 16
	// stepCost is what a bottom-up step costs however small the graph: its passes
	// over bitmaps and its handing of work to threads, in nanoseconds. It is a bound,
	// not a measurement: on graphs so small that it decides, either way is quick.
	stepCost = 3000
)

// MeasureRates times the operations that a search is made of, on arrays of the graph's own
// size and, for neighbours, the graph's own rows: one thread, divided by the number of
// threads. It reads the rows of p, so it comes before they are released.
func MeasureRates(ctx context.Context, p *partition.Placement, threads int) Rates {
	words := int(p.Ranks / 64)
	if words == 0 || ctx.Err() != nil {
		return Rates{ClaimNS: 1, VisitNS: 1, ProbeNS: 1, WordNS: 1, StepNS: stepCost}
	}
	seen := hugemem.Make[uint64](words)
	defer seen.Free()
	parent := hugemem.Make[uint32](int(p.Ranks))
	defer parent.Free()
	per := func(n int, f func()) float64 {
		best := time.Duration(1 << 62)
		for range 3 {
			start := time.Now()
			f()
			best = min(best, time.Since(start))
		}
		return max(0.01, float64(best.Nanoseconds())/float64(max(1, n))/float64(threads))
	}
	var r Rates
	r.StepNS = stepCost
	r.WordNS = per(words, func() {
		for i, w := range seen.S {
			seen.S[i] = ^w &^ w
		}
	})
	clear(seen.S)
	var nbr, first []uint32
	for _, s := range p.Subgraphs {
		a := s.In
		if a == nil {
			a = s.Out
		}
		if a != nil && a.Arcs() > 0 {
			// The middle of the rows: neither the hubs' nor the leaves'.
			mid := len(a.Neighbours) / 2
			nbr = a.Neighbours[mid:min(len(a.Neighbours), mid+rateSamples)]
			first = a.FirstNeighbours[:min(len(a.FirstNeighbours), rateSamples)]
			break
		}
	}
	r.ClaimNS = per(len(nbr), func() {
		for i, v := range nbr {
			if seen.S[v/64]>>(v%64)&1 == 0 {
				seen.S[v/64] |= 1 << (v % 64)
				parent.S[v] = uint32(i)
			}
		}
	})
	hits := uint64(0)
	r.ProbeNS = per(len(nbr), func() {
		for _, v := range nbr {
			hits += seen.S[v/64] >> (v % 64) & 1
		}
	})
	parent.S[0] = uint32(hits) // keeps the loop
	r.VisitNS = per(len(first), func() {
		for i, v := range first {
			if v < p.Ranks && seen.S[v/64]>>(v%64)&1 != 0 {
				parent.S[i] = v
			}
		}
	})
	return r
}

const (
	// calibrateVertices is the number of vertices from which on it pays to calibrate:
	// on a smaller graph either way is quick.
	calibrateVertices = 1 << 14
	// calibratePart is the part of the vertices, one in calibratePart, that the
	// frontier's arcs have to reach for a superstep to be clocked: about there the two
	// directions cost the same.
	calibratePart = 4
	// calibrateLevels bounds the levels of a calibrating search: there are fewer than these
	// before the frontier of a graph with hubs is that large.
	calibrateLevels = 32
)

// Calibrate clocks one superstep each way, from a frontier at which a director has to
// choose, and returns the rates with what an arc of a top-down step and an unvisited vertex
// of a bottom-up one cost. Each direction takes a search of its own, which ends with the
// clocked superstep, or without one after calibrateLevels levels or the given time. The
// rates stay what they are where there is no such frontier, as on a mesh, for a small
// graph, and for a list with devices. The error is ctx's or a processor's.
func (l *Loop) Calibrate(ctx context.Context, rates Rates, within time.Duration) (Rates, error) {
	if l.info.Vertices < calibrateVertices {
		return rates, nil
	}
	for _, p := range l.procs {
		if p.Kind() != kernels.CPU {
			return rates, nil
		}
	}
	// A vertex from the middle of the largest range: neither a hub nor a leaf.
	root, rows := graph.None, uint32(0)
	for _, r := range l.ranges {
		if r.Vertices > rows {
			rows, root = r.Vertices, r.First+r.Vertices/2
		}
	}
	// Bottom-up first: its step is the longer one, and readies memory for the other.
	up := stepTimer{way: kernels.BottomUp, enough: l.info.Vertices / calibratePart, deadline: time.Now().Add(within)}
	down := up
	down.way = kernels.TopDown
	for _, c := range []*stepTimer{&up, &down} {
		if _, err := l.Search(ctx, Search{Root: root, Director: c, until: c.until}); err != nil || c.took == 0 {
			return rates, err
		}
	}
	if down.seen.Arcs > 0 && up.seen.Unvisited > 0 {
		rates.ClaimNS = float64(down.took.Nanoseconds()) / float64(down.seen.Arcs)
		// What a vertex costs in all, its further neighbours included.
		rates.VisitNS, rates.ProbeNS = float64(up.took.Nanoseconds())/float64(up.seen.Unvisited), 0
	}
	return rates, nil
}

// stepTimer is a director that goes top-down to the first frontier of enough arcs, and
// clocks one superstep from there. The search ends after it, or where it gives up.
type stepTimer struct {
	way      kernels.Direction
	enough   int64
	deadline time.Time

	seen  Observation // before the clocked step
	begun time.Time   // zero before it
	took  time.Duration
}

func (c *stepTimer) Name() string       { return "step-timer" }
func (c *stepTimer) Need() kernels.Need { return kernels.NeedNextArcs | kernels.NeedUnvisited }
func (c *stepTimer) Start(GraphInfo)    {}
func (c *stepTimer) Next(s *Observation) kernels.Direction {
	if s.Arcs < c.enough {
		return kernels.TopDown
	}
	c.seen, c.begun = *s, time.Now()
	return c.way
}

// until ends the search: it is called after each superstep.
func (c *stepTimer) until(s *Observation) bool {
	if !c.begun.IsZero() {
		c.took = max(1, time.Since(c.begun))
		return true
	}
	return s.Level >= calibrateLevels || time.Now().After(c.deadline)
}
