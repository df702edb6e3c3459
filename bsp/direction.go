package bsp

import (
	"errors"
	"fmt"
	"strings"

	"github.com/totemgo/totemgo/kernels"
)

// ErrDirector is returned where a director's name is unknown.
var ErrDirector = errors.New("bsp: unknown director")

// GraphInfo are what a director knows of the graph before a search.
type GraphInfo struct {
	Vertices int64 // that have edges
	Arcs     int64 // out-arcs of all partitions
	Words    int64 // 64-bit words of rank space
	// Hub is the partition that owns the range of highest degrees, −1 if there is
	// only one partition; HubArcs are its out-arcs.
	Hub     int
	HubArcs int64
}

// Observation is what a director may read before a superstep: sums over all partitions.
// Fields that its Need does not name are 0.
type Observation struct {
	Level    int               // of the step to come; 0 expands the root
	Last     kernels.Direction // of the step before; TopDown at level 0
	Frontier int64             // vertices
	Before   int64             // vertices of the frontier before, 0 at level 0
	// Arcs are the out-arcs of the frontier (NeedNextArcs), or a bound of them; −1 if it
	// was so large that they were not counted (both NeedFewArcs).
	Arcs int64
	// Unvisited vertices (NeedUnvisited) and their in-arcs (NeedUnvisitedArcs).
	Unvisited, UnvisitedArcs int64
	// HubFrontier and HubArcs are the hub partition's part of Frontier and Arcs.
	HubFrontier, HubArcs int64
}

// Director chooses the direction of each superstep. One value serves one search at
// a time; Start begins a search.
type Director interface {
	// Name is what users call it.
	Name() string
	// Need says which counts it reads.
	Need() kernels.Need
	// Start begins a search.
	Start(f GraphInfo)
	// Next chooses the direction of the step to come.
	Next(s *Observation) kernels.Direction
}

// Lookahead is a Director that knows for how many supersteps it will go top-down, so that a
// processor may run them in one call. Next is not called for them.
type Lookahead interface {
	Director
	// Steps is called after Next has chosen top-down from s. It returns the number
	// of supersteps, that one included, for which Next would choose top-down as long as
	// every frontier keeps within the limits.
	Steps(s *Observation, limits kernels.MultiStepLimits) int
}

// Directors lists the names that NewDirector knows.
func Directors() []string {
	return []string{"auto", "totem", "beamer", "ratio", "top-down", "bottom-up"}
}

// NewDirector returns the director of that name; rates are read by "auto".
func NewDirector(name string, rates Rates) (Director, error) {
	switch name {
	case "auto":
		return &auto{rates: rates}, nil
	case "totem":
		return &totem{}, nil
	case "beamer":
		return &beamer{}, nil
	case "ratio":
		return &ratio{}, nil
	case "top-down":
		return fixed(kernels.TopDown), nil
	case "bottom-up":
		return fixed(kernels.BottomUp), nil
	}
	return nil, fmt.Errorf("%w %q; known are %s", ErrDirector, name, strings.Join(Directors(), ", "))
}

// fixed goes one way throughout.
type fixed kernels.Direction

func (d fixed) Name() string                        { return kernels.Direction(d).String() }
func (d fixed) Need() kernels.Need                  { return 0 }
func (d fixed) Start(GraphInfo)                     {}
func (d fixed) Next(*Observation) kernels.Direction { return kernels.Direction(d) }

func (d fixed) Steps(_ *Observation, limits kernels.MultiStepLimits) int { return limits.Levels }

// Script follows a list of directions, its last one to the end. Any script gives the
// same levels, which tests rely on.
type Script []kernels.Direction

func (d Script) Name() string       { return "script" }
func (d Script) Need() kernels.Need { return 0 }
func (d Script) Start(GraphInfo)    {}
func (d Script) Next(s *Observation) kernels.Direction {
	if len(d) == 0 {
		return kernels.TopDown
	}
	return d[min(s.Level, len(d)-1)]
}

func (d Script) Steps(s *Observation, limits kernels.MultiStepLimits) int {
	for n := 1; n < limits.Levels; n++ {
		if d.Next(&Observation{Level: s.Level + n}) != kernels.TopDown {
			return n
		}
	}
	return limits.Levels
}

// beamer is the rule of Beamer, Asanović, Patterson, Direction-Optimizing
// Breadth-First Search (SC 2012): up once the frontier's arcs exceed the unvisited
// arcs over alpha, while it grows; down once the frontier is smaller than the
// vertices over beta, while it shrinks. The values are those of the GAP benchmark.
type beamer struct{ f GraphInfo }

const (
	beamerAlpha = 15
	beamerBeta  = 18
)

func (d *beamer) Name() string       { return "beamer" }
func (d *beamer) Need() kernels.Need { return kernels.NeedNextArcs | kernels.NeedUnvisitedArcs }
func (d *beamer) Start(f GraphInfo)  { d.f = f }
func (d *beamer) Next(s *Observation) kernels.Direction {
	if s.Last == kernels.TopDown {
		if s.Arcs > s.UnvisitedArcs/beamerAlpha && s.Frontier > s.Before {
			return kernels.BottomUp
		}
		return kernels.TopDown
	}
	if s.Frontier < d.f.Vertices/beamerBeta && s.Frontier < s.Before {
		return kernels.TopDown
	}
	return kernels.BottomUp
}

func (d *beamer) Steps(s *Observation, limits kernels.MultiStepLimits) int {
	// After n steps at least s.UnvisitedArcs − n·limits.Arcs arcs are unvisited.
	return int(min(int64(limits.Levels), s.UnvisitedArcs/limits.Arcs-beamerAlpha+1))
}

// ratio goes up while the frontier holds more than a part of the unvisited vertices.
type ratio struct{}

// ratioUp is that part.
const ratioUp = 0.05

func (ratio) Name() string       { return "ratio" }
func (ratio) Need() kernels.Need { return kernels.NeedUnvisited }
func (ratio) Start(GraphInfo)    {}
func (ratio) Next(s *Observation) kernels.Direction {
	if s.Level > 0 && float64(s.Frontier) > ratioUp*float64(s.Unvisited) {
		return kernels.BottomUp
	}
	return kernels.TopDown
}

func (ratio) Steps(s *Observation, limits kernels.MultiStepLimits) int {
	// After n steps at least s.Unvisited − n·limits.Vertices vertices are unvisited.
	n := float64(s.Unvisited)/float64(limits.Vertices) - 1/ratioUp
	return int(min(float64(limits.Levels), n+1))
}

// totem is the rule of Sallinen, Gharaibeh, Ripeanu (2015): it reads the partition of
// the hubs alone, goes up when the frontier there holds 2% of its arcs, and down for
// good after three bottom-up steps. Where that partition or its frontier is empty, or
// there is one partition, it reads the sums.
type totem struct {
	f    GraphInfo
	ups  int
	over bool
}

const (
	totemUp    = 0.02
	totemSteps = 3
)

func (d *totem) Name() string       { return "totem" }
func (d *totem) Need() kernels.Need { return kernels.NeedNextArcs }
func (d *totem) Start(f GraphInfo)  { *d = totem{f: f} }
func (d *totem) Next(s *Observation) kernels.Direction {
	if d.over {
		return kernels.TopDown
	}
	if d.ups > 0 {
		if d.ups++; d.ups > totemSteps {
			d.over = true
			return kernels.TopDown
		}
		return kernels.BottomUp
	}
	arcs, of := s.Arcs, d.f.Arcs
	if d.f.Hub >= 0 && d.f.HubArcs > 0 && s.HubFrontier > 0 {
		arcs, of = s.HubArcs, d.f.HubArcs
	}
	if of > 0 && float64(arcs) >= totemUp*float64(of) {
		d.ups = 1
		return kernels.BottomUp
	}
	return kernels.TopDown
}

func (d *totem) Steps(_ *Observation, limits kernels.MultiStepLimits) int {
	of := d.f.Arcs
	if d.f.Hub >= 0 && d.f.HubArcs > 0 {
		of = min(of, d.f.HubArcs)
	}
	if d.over || float64(limits.Arcs) < totemUp*float64(of) {
		return limits.Levels
	}
	return 1
}
