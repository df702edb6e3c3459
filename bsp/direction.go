package bsp

import (
	"errors"
	"fmt"
	"math"

	"github.com/totemgo/totemgo/kernels"
)

// ErrDirector is returned by NewDirector for an unknown name.
var ErrDirector = errors.New("bsp: unknown director")

// ErrDirectorFailed is wrapped by Search's error if the director panicked (the message has its
// stack), is nil, or chose no direction.
var ErrDirectorFailed = errors.New("bsp: the director failed")

// GraphInfo is what a director learns of the graph before a search.
type GraphInfo struct {
	Vertices int64 // with edges
	Arcs     int64 // out-arcs of all partitions
	Words    int64 // of a bitmap of all ranks, 64 ranks a word
	// Hub is the partition with the highest mean degree, −1 if there is one partition only;
	// HubArcs is the number of its out-arcs.
	Hub     int
	HubArcs int64
}

// Observation is the state of a search before a superstep: sums over all partitions. A count
// that Director.Need does not name may have any value.
type Observation struct {
	Level    int               // of the next superstep; 0 expands the root
	Last     kernels.Direction // of the previous superstep; TopDown at level 0
	Frontier int64             // vertices
	Before   int64             // vertices of the previous frontier, 0 at level 0
	// Arcs is the number of out-arcs of the frontier (NeedNextArcs). With NeedFewArcs it may be
	// an upper bound, and −1 above the limit of that count.
	Arcs int64
	// Unvisited is the number of unvisited vertices (NeedUnvisited), UnvisitedArcs that of
	// their in-arcs (NeedUnvisitedArcs).
	Unvisited, UnvisitedArcs int64
	// HubFrontier and HubArcs are the hub partition's part of Frontier and Arcs.
	HubFrontier, HubArcs int64
}

// Director chooses the direction of each superstep. One value serves one search at a time.
type Director interface {
	// Name is the name in reports.
	Name() string
	// Need is the set of counts that Next and Steps read.
	Need() kernels.Need
	// Start begins a search.
	Start(g GraphInfo)
	// Next chooses the direction of the next superstep.
	Next(o *Observation) kernels.Direction
}

// Lookahead is a Director that can promise several top-down supersteps, so that a processor
// may run them in one call. Next is not called for them.
type Lookahead interface {
	Director
	// Steps is called after Next has chosen top-down from o. It returns the number of
	// supersteps, that one included, for which Next would choose top-down while every frontier
	// stays within limits.
	Steps(o *Observation, limits kernels.MultiStepLimits) int
}

// Ruled is a Director whose choices follow from the frontier's out-arcs and the unvisited vertices
// alone, so that a processor that owns every vertex may choose itself.
type Ruled interface {
	Director
	// Rule is called after Next has chosen from o. It returns the rule by which Next would choose all
	// further directions, nil if there is none. Next is not called for the supersteps that follow it.
	Rule(o *Observation) *kernels.Rule
}

// constant is the rule of one direction. A frontier without out-arcs goes top-down.
func constant(d kernels.Direction) *kernels.Rule {
	r := &kernels.Rule{}
	for last := range r.Above {
		for i := range r.Above[last] {
			if d == kernels.TopDown {
				r.Above[last][i] = math.MaxUint32
			}
		}
	}
	return r
}

// OneWay is a Director that always chooses one direction, so that the adjacency of the other
// need not be built.
type OneWay interface {
	Director
	// Direction is that of every superstep.
	Direction() kernels.Direction
}

// DirectorName is the name of a director of this package.
type DirectorName string

// The directors.
const (
	DirectorAuto     DirectorName = "auto"      // compares predicted costs: see Rates
	DirectorTotem    DirectorName = "totem"     // Sallinen, Gharaibeh, Ripeanu (2015)
	DirectorBeamer   DirectorName = "beamer"    // Beamer, Asanović, Patterson (SC 2012)
	DirectorRatio    DirectorName = "ratio"     // compares the frontier with the unvisited vertices
	DirectorTopDown  DirectorName = "top-down"  // always top-down
	DirectorBottomUp DirectorName = "bottom-up" // always bottom-up
)

// directors makes one of each.
func directors(rates Rates) []Director {
	return []Director{&auto{rates: rates}, &totem{}, &beamer{}, ratio{}, fixed(kernels.TopDown), fixed(kernels.BottomUp)}
}

// Directors lists the names that NewDirector knows.
func Directors() (names []DirectorName) {
	for _, d := range directors(Rates{}) {
		names = append(names, DirectorName(d.Name()))
	}
	return names
}

// NewDirector returns the director of that name, or ErrDirector. Only DirectorAuto reads rates.
func NewDirector(name DirectorName, rates Rates) (Director, error) {
	known := ""
	for _, d := range directors(rates) {
		if d.Name() == string(name) {
			return d, nil
		}
		known += ", " + d.Name()
	}
	return nil, fmt.Errorf("%w %q; known are %s", ErrDirector, name, known[2:])
}

// fixed always chooses one direction.
type fixed kernels.Direction

func (d fixed) Name() string                        { return d.Direction().String() }
func (d fixed) Need() kernels.Need                  { return 0 }
func (d fixed) Start(GraphInfo)                     {}
func (d fixed) Next(*Observation) kernels.Direction { return d.Direction() }
func (d fixed) Direction() kernels.Direction        { return kernels.Direction(d) }

func (d fixed) Rule(*Observation) *kernels.Rule { return constant(d.Direction()) }

func (d fixed) Steps(_ *Observation, limits kernels.MultiStepLimits) int { return limits.Levels }

// Script chooses the direction of each level from a list, whose last entry holds for all
// further levels; an empty one is top-down. Levels of vertices do not depend on it.
type Script []kernels.Direction

// Name implements Director.
func (d Script) Name() string { return "script" }

// Need implements Director: it needs no counts.
func (d Script) Need() kernels.Need { return 0 }

// Start implements Director.
func (d Script) Start(GraphInfo) {}

// Next implements Director by the entry of the level.
func (d Script) Next(o *Observation) kernels.Direction {
	if len(d) == 0 {
		return kernels.TopDown
	}
	return d[min(o.Level, len(d)-1)]
}

// Rule implements Ruled from the last entry on.
func (d Script) Rule(o *Observation) *kernels.Rule {
	if o.Level < len(d)-1 {
		return nil
	}
	return constant(d.Next(o))
}

// Steps implements Lookahead: the levels up to the next bottom-up one.
func (d Script) Steps(o *Observation, limits kernels.MultiStepLimits) int {
	for n := 1; n < limits.Levels; n++ {
		if d.Next(&Observation{Level: o.Level + n}) != kernels.TopDown {
			return n
		}
	}
	return limits.Levels
}

// beamer is the rule of Beamer, Asanović, Patterson, Direction-Optimizing Breadth-First
// Search (SC 2012). It switches to bottom-up when the frontier's out-arcs exceed the
// unvisited in-arcs ÷ alpha and the frontier grows; back to top-down when the frontier is
// smaller than the vertices ÷ beta and shrinks. Alpha and beta are those of the GAP benchmark.
type beamer struct{ graph GraphInfo }

const (
	beamerAlpha = 15
	beamerBeta  = 18
)

func (d *beamer) Name() string       { return string(DirectorBeamer) }
func (d *beamer) Need() kernels.Need { return kernels.NeedNextArcs | kernels.NeedUnvisitedArcs }
func (d *beamer) Start(g GraphInfo)  { d.graph = g }
func (d *beamer) Next(o *Observation) kernels.Direction {
	if o.Last == kernels.TopDown {
		if o.Arcs > o.UnvisitedArcs/beamerAlpha && o.Frontier > o.Before {
			return kernels.BottomUp
		}
		return kernels.TopDown
	}
	if o.Frontier < d.graph.Vertices/beamerBeta && o.Frontier < o.Before {
		return kernels.TopDown
	}
	return kernels.BottomUp
}

func (d *beamer) Steps(o *Observation, limits kernels.MultiStepLimits) int {
	// After n steps at least o.UnvisitedArcs − n·limits.Arcs arcs are unvisited.
	return int(min(int64(limits.Levels), o.UnvisitedArcs/limits.Arcs-beamerAlpha+1))
}

// ratio chooses bottom-up while the frontier exceeds ratioUp of the unvisited vertices.
type ratio struct{}

const ratioUp = 0.05

func (ratio) Name() string       { return string(DirectorRatio) }
func (ratio) Need() kernels.Need { return kernels.NeedUnvisited }
func (ratio) Start(GraphInfo)    {}
func (ratio) Next(o *Observation) kernels.Direction {
	if o.Level > 0 && float64(o.Frontier) > ratioUp*float64(o.Unvisited) {
		return kernels.BottomUp
	}
	return kernels.TopDown
}

func (ratio) Steps(o *Observation, limits kernels.MultiStepLimits) int {
	// After n steps at least o.Unvisited − n·limits.Vertices vertices are unvisited.
	n := float64(o.Unvisited)/float64(limits.Vertices) - 1/ratioUp
	return int(min(float64(limits.Levels), n+1))
}

// totem is the rule of Sallinen, Gharaibeh, Ripeanu (2015). It switches to bottom-up when the
// out-arcs of the hub partition's frontier reach totemUp of that partition's out-arcs, and
// back to top-down for the rest of the search after totemSteps steps. It compares the sums of
// all partitions instead if there is no hub partition, or it or its frontier is empty.
type totem struct {
	graph GraphInfo
	ups   int  // bottom-up steps so far
	over  bool // the bottom-up steps are done
}

const (
	totemUp    = 0.02
	totemSteps = 3
)

func (d *totem) Name() string       { return string(DirectorTotem) }
func (d *totem) Need() kernels.Need { return kernels.NeedNextArcs }
func (d *totem) Start(g GraphInfo)  { *d = totem{graph: g} }
func (d *totem) Next(o *Observation) kernels.Direction {
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
	arcs, of := o.Arcs, d.graph.Arcs
	if d.graph.Hub >= 0 && d.graph.HubArcs > 0 && o.HubFrontier > 0 {
		arcs, of = o.HubArcs, d.graph.HubArcs
	}
	if of > 0 && float64(arcs) >= totemUp*float64(of) {
		d.ups = 1
		return kernels.BottomUp
	}
	return kernels.TopDown
}

func (d *totem) Rule(*Observation) *kernels.Rule {
	if !d.over {
		return nil
	}
	return constant(kernels.TopDown)
}

func (d *totem) Steps(_ *Observation, limits kernels.MultiStepLimits) int {
	of := d.graph.Arcs
	if d.graph.Hub >= 0 && d.graph.HubArcs > 0 {
		of = min(of, d.graph.HubArcs)
	}
	if d.over || float64(limits.Arcs) < totemUp*float64(of) {
		return limits.Levels
	}
	return 1
}

// A director may be a caller's own: its panic, as its error, fails the search, not the loop.

// start begins a search with d and returns the counts that d needs.
func (b *BFS) start(d Director) (need kernels.Need, err error) {
	if d == nil {
		return 0, fmt.Errorf("%w: there is none", ErrDirectorFailed)
	}
	err = guard(ErrDirectorFailed, func() error {
		d.Start(b.info)
		need = d.Need()
		return nil
	})
	return need, err
}

// ask returns what f, which calls a director, returns. A panic fails the search.
func ask[T any](b *BFS, f func() T) (answer T) {
	err := guard(ErrDirectorFailed, func() error {
		answer = f()
		return nil
	})
	if err != nil {
		b.failBy(err)
	}
	return answer
}

// next returns d's choice; the search fails if d chooses no direction.
func (b *BFS) next(d Director, o *Observation) kernels.Direction {
	dir := ask(b, func() kernels.Direction { return d.Next(o) })
	if dir != kernels.TopDown && dir != kernels.BottomUp {
		b.failBy(fmt.Errorf("%w: %s chose direction %d", ErrDirectorFailed, ask(b, d.Name), dir))
	}
	return dir
}
