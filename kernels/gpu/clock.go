package gpu

import (
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
const clockHalf, clockDegree = 1 << 12, 4

// clockPart is a graph in cache, of two halves, whose arcs lead from one to the other. Ranks are vertex ids.
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

// clocked is a superstep to clock: from so many rows of the lower half, with a word of the bitmaps in each half, 0 or all bits.
type clocked struct {
	thin                          bool
	way, last, rows, lower, upper uint32
}

// clockSteps clocks supersteps, the time of a launch given. Each counts by its least time.
func (g *gauge) clockSteps(launch float64) StepTimes {
	const push, pull, all, n, group = stepPush, stepPull, graph.None, clockHalf, 32
	kinds := [...]clocked{{true, push, push, 0, 0, 0}, {true, push, push, 1, 0, all}, {true, push, push, group, 0, 0},
		{false, push, push, 0, 0, 0}, {false, push, push, n, 0, all}, {false, push, push, n, 0, 0},
		{false, pull, pull, 1, 0, 0}, {false, pull, pull, n, 0, 0}, {false, pull, push, 0, all, all}, {false, pull, push, 0, 0, all}}
	var took [len(kinds)]float64
	for round := range 25 { // in turn, so that other load meets all alike
		for i, k := range kinds {
			if x := g.clock(k); round == 0 || x < took[i] {
				took[i] = x
			}
		}
	}
	more := func(i, than int, n float64) float64 { return max(0, took[i]-took[than]) / n }
	return StepTimes{PushS: launch + more(3, 0, 1), PullS: launch + more(6, 0, 1), ThinS: more(1, 0, 1),
		ArcS: more(4, 3, clockDegree*n), FindS: more(5, 4, n), ThinFindS: more(2, 1, clockDegree*group),
		RowS: more(8, 6, 2*n), ScanS: more(7, 6, n), MeetS: more(9, 8, n)}
}

// clock is the time of a superstep and a wait.
func (g *gauge) clock(s clocked) float64 {
	const slot, full = 1, clockHalf
	counters := make([]uint32, g.counterWords(1))
	now, then := counters[g.chunkAt(slot, 0):], counters[g.chunkAt(slot+1, 0):]
	now[countVertices], now[countSmall], now[countLeft], now[countOut] = s.rows, s.rows, s.rows, clockDegree*s.rows
	if counters[g.slotAt(slot-1)+headerWay] = s.last; s.way == stepPull { // nothing is listed
		then[countSmall], then[countMedium], then[countLong] = full, full, full
	}
	for _, bits := range g.bitmaps {
		g.fill(bits, 0, clockHalf/8, s.lower)
		g.fill(bits, clockHalf/8, clockHalf/8, s.upper)
	}
	g.upload(g.counters, 0, counters)
	g.upload(g.lists[slot], 0, g.part.VertexOf[:s.rows])
	g.upload(g.scratchB, 0, g.part.VertexOf[:s.rows])
	_ = g.finish() // Measure returns the error
	return g.timed(1, func() {
		if s.thin {
			g.thin(slot, s.way, min(1, int(s.rows)))
		} else {
			g.step(0, slot, s.way, 1<<40)
		}
	})
}
