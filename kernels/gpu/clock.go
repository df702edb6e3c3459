package gpu

import (
	"context"
	"time"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/mix"
	"github.com/totemgo/totemgo/kernels"
)

// StepTimes is what supersteps on a device alone take, in seconds, on a graph in cache.
type StepTimes struct {
	PushS     float64 // one without work, its launch included: top-down
	PullS     float64 // bottom-up
	ThinS     float64 // a level of thin without work, without the launch
	ArcS      float64 // a top-down arc to a visited vertex
	FindS     float64 // a vertex that a top-down superstep finds and lists
	ThinFindS float64 // a vertex that thin finds
	RowS      float64 // a row of the first bottom-up superstep of a phase
	ScanS     float64 // a vertex that a bottom-up superstep scans without a hit
	MeetS     float64 // a vertex that a bottom-up superstep finds and does not list
}

// Of the graph that supersteps are clocked on: vertices of a half, and out-arcs of each.
const (
	clockHalf   = 1 << 12
	clockDegree = 4
	clockRounds = 25
)

// clockPart is a graph of two halves, whose arcs lead from one to the other.
func clockPart() *kernels.Part {
	const n, odd = 2 * clockHalf, mix.Golden & (1<<32 - 1)
	a := &graph.Adjacency{Offsets32: make([]uint32, n+1)}
	part := &kernels.Part{Ranks: n, Ranges: []kernels.Range{{Vertices: n}}, VertexOf: make([]uint32, n),
		Subgraphs: []*graph.Subgraph{{Rows: n, Out: a, In: a}}}
	for v := range uint32(n) {
		part.VertexOf[v] = v
		for k := range uint32(clockDegree) { // arcs of rows in sequence lead to different vertices, apart from each other
			a.Neighbours = append(a.Neighbours, ^v&clockHalf|(clockDegree*v+k)*odd&(clockHalf-1))
		}
		a.FirstNeighbours = append(a.FirstNeighbours, a.Neighbours[clockDegree*v])
		a.Offsets32[v+1] = uint32(len(a.Neighbours))
	}
	return part
}

// clockedStep is a superstep to clock: from so many rows of the lower half.
type clockedStep struct {
	kernel       string // "push", "pull", "first": the pull that begins a phase, or "thin"
	rows         uint32
	lower, upper uint32 // words of the bitmaps in each half: 0 or all bits
}

// clockSteps clocks supersteps, the time of a launch given. Each counts by its least time.
func (p *Program) clockSteps(ctx context.Context, launch float64) (t StepTimes, err error) {
	on, err := New(p, Options{})
	if err != nil {
		return t, err
	}
	if err := on.Load(ctx, clockPart()); err != nil {
		return t, err
	}
	const all = graph.None
	const empty, thin, thinFinds, push, arcs, finds, pull, scans, rows, meets = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
	kinds := [...]clockedStep{empty: {"thin", 0, 0, 0}, thin: {"thin", 1, 0, all}, thinFinds: {"thin", uint32(p.group), 0, 0},
		push: {"push", 0, 0, 0}, arcs: {"push", clockHalf, 0, all}, finds: {"push", clockHalf, 0, 0},
		pull: {"pull", 1, 0, 0}, scans: {"pull", clockHalf, 0, 0}, rows: {"first", 0, all, all}, meets: {"first", 0, 0, all}}
	var took [len(kinds)]float64
	for round := range clockRounds { // in turn, so that other load meets all alike
		for i, k := range kinds {
			x, err := on.clock(ctx, k)
			if err != nil {
				_ = on.Close()
				return t, err
			}
			if round == 0 || x < took[i] {
				took[i] = x
			}
		}
	}
	more := func(i, than int, n uint32) float64 { return max(0, took[i]-took[than]) / float64(n) }
	return StepTimes{PushS: launch + more(push, empty, 1), PullS: launch + more(pull, empty, 1), ThinS: more(thin, empty, 1),
		ArcS: more(arcs, push, clockDegree*clockHalf), FindS: more(finds, arcs, clockHalf),
		ThinFindS: more(thinFinds, thin, clockDegree*uint32(p.group)), RowS: more(rows, pull, 2*clockHalf),
		ScanS: more(scans, pull, clockHalf), MeetS: more(meets, rows, clockHalf)}, on.Close()
}

// clock is the time of a superstep and a wait.
func (p *Processor) clock(ctx context.Context, s clockedStep) (took float64, err error) {
	defer p.done("Measure", &err)
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	const slot = 1
	counters := make([]uint32, p.counterWords(1))
	before, now, then := counters[p.slotAt(slot-1):], counters[p.chunkAt(slot, 0):], counters[p.chunkAt(slot+1, 0):]
	now[countVertices], now[countSmall], now[countLeft], now[countOut] = s.rows, s.rows, s.rows, clockDegree*s.rows
	force := uint32(stepPull)
	switch s.kernel {
	case "push", "thin":
		force = stepPush
	case "pull":
		before[headerWay] = stepPull
		fallthrough
	default: // the next lists are full
		then[countSmall], then[countMedium], then[countLong] = clockHalf, clockHalf, clockHalf
	}
	p.reset(0)
	for _, bits := range p.bitmaps {
		p.fill(bits, 0, clockHalf/8, s.lower)
		p.fill(bits, clockHalf/8, clockHalf/8, s.upper)
	}
	p.upload(p.counters, 0, counters)
	list := func(i int64, words []uint32) {
		for k := range words {
			words[k] = uint32(i) + uint32(k)
		}
	}
	p.write(p.lists[slot%2], 0, int64(s.rows), list)
	p.write(p.scratchB, 0, int64(s.rows), list)
	if err := p.finish(); err != nil {
		return 0, err
	}
	begun := time.Now()
	if s.kernel == "thin" {
		p.thin(slot, force, min(1, int(s.rows)))
	} else {
		p.step(0, slot, force, 1<<40)
	}
	err = p.finish()
	return time.Since(begun).Seconds(), err
}
