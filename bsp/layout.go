package bsp

import (
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/partition"
	"github.com/totemgo/totemgo/program"
)

// Layout is all that supersteps need to know of a placement. It is the same in every process.
type Layout struct {
	program.Info
	// Ranges are those of rank space; Owner is the number of a processor.
	Ranges     []graph.Range
	Ranks      uint32
	Processors int
	// Expand[w][a][i] are the ranges that processor i reads as sources of a step of way w over
	// arcs a and does not own, Fold[w][a][i] those that it writes as targets. They rise. In an
	// undirected graph all operators are Forward.
	Expand, Fold [2][3][][]int
	// Split says that the arcs of a vertex may lie on several processors.
	Split bool
	// Hub is the processor of the range with the highest mean degree, −1 if there is one
	// processor only; HubArcs is the number of its out-arcs.
	Hub     int
	HubArcs int64
}

// NewLayout returns the layout of a placement: every processor stores all arcs of its own
// vertices, so a push folds into all other ranges and a pull expands them.
func NewLayout(p *partition.Placement) *Layout {
	n := len(p.Processors)
	l := &Layout{Ranges: p.Ranges, Ranks: p.Ranks, Processors: n, Hub: -1, Info: program.Info{Isolated: p.Isolated, Directed: p.Directed}}
	out := make([]int64, n) // out-arcs
	best := -1.0
	for r, rg := range p.Ranges {
		arcs, s := int64(0), p.Subgraphs[r]
		if s.In != nil {
			arcs = s.In.Arcs()
		}
		if s.Out != nil {
			arcs = s.Out.Arcs()
			out[rg.Owner] += arcs
		}
		l.Arcs += arcs
		l.Vertices += int64(rg.Vertices)
		if mean := float64(arcs) / float64(max(1, rg.Vertices)); n > 1 && rg.Vertices > 0 && mean > best {
			best, l.Hub = mean, rg.Owner
		}
	}
	if l.Hub >= 0 {
		l.HubArcs = out[l.Hub]
	}
	others := make([][]int, n)
	for i := range n {
		for r, rg := range p.Ranges {
			if rg.Owner != i && rg.Vertices > 0 {
				others[i] = append(others[i], r)
			}
		}
	}
	for a := range l.Fold[program.Push] {
		l.Fold[program.Push][a], l.Expand[program.Pull][a] = others, others
	}
	return l
}

// routes[i][d] lists the ranges whose messages processor i sends to d.
type routes [][][]int

// routes returns the routes of each processor's ranges from their owners to it, or with fold from it to
// their owners; nil if there are none.
func (l *Layout) routes(ranges [][]int, fold bool) (out routes) {
	for i, list := range ranges {
		for _, r := range list {
			for len(out) < l.Processors {
				out = append(out, make([][]int, l.Processors))
			}
			from, to := l.Ranges[r].Owner, i
			if fold {
				from, to = to, from
			}
			out[from][to] = append(out[from][to], r)
		}
	}
	return out
}

// rangeOf returns the range of a vertex's rank, −1 for no vertex.
func (l *Layout) rangeOf(rank uint32) int {
	for r, rg := range l.Ranges {
		if rank >= rg.First && rank < rg.First+rg.Vertices {
			return r
		}
	}
	return -1
}
