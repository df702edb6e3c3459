package bsp

import (
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/partition"
	"github.com/totemgo/totemgo/program"
)

// Layout is all that supersteps need to know of a placement. It is the same in every process.
type Layout struct {
	Info program.Info
	// Ranges are those of rank space; Owner is the number of a processor.
	Ranges     []graph.Range
	Processors int
	// Expand[w][i] are the ranges that processor i reads as sources of a step of way w and does
	// not own, Fold[w][i] those that it writes as targets. They rise.
	Expand, Fold [2][][]int
}

// NewLayout returns the layout of a placement: every processor stores all arcs of its own
// vertices, so a push folds into all other ranges and a pull expands them.
func NewLayout(p *partition.Placement, processors int) *Layout {
	l := &Layout{Ranges: p.Ranges, Processors: processors, Info: program.Info{Isolated: p.Isolated, Directed: p.Directed}}
	for r, rg := range p.Ranges {
		l.Info.Vertices += int64(rg.Vertices)
		switch s := p.Subgraphs[r]; {
		case s.Out != nil:
			l.Info.Arcs += s.Out.Arcs()
		case s.In != nil:
			l.Info.Arcs += s.In.Arcs()
		}
	}
	for i := range processors {
		var others []int
		for r, rg := range p.Ranges {
			if rg.Owner != i && rg.Vertices > 0 {
				others = append(others, r)
			}
		}
		l.Expand[program.Push] = append(l.Expand[program.Push], nil)
		l.Fold[program.Push] = append(l.Fold[program.Push], others)
		l.Expand[program.Pull] = append(l.Expand[program.Pull], others)
		l.Fold[program.Pull] = append(l.Fold[program.Pull], nil)
	}
	return l
}

// routes[i][d] lists the ranges whose messages processor i sends to d.
type routes [][][]int

// expandRoutes returns the routes of a way's expansion: own ranges of the sender.
func (l *Layout) expandRoutes(w program.Way) routes {
	return l.routes(func(add func(from, to, r int)) {
		for to, ranges := range l.Expand[w] {
			for _, r := range ranges {
				add(l.Ranges[r].Owner, to, r)
			}
		}
	})
}

// foldRoutes returns the routes of a way's fold: own ranges of the receiver.
func (l *Layout) foldRoutes(w program.Way) routes {
	return l.routes(func(add func(from, to, r int)) {
		for from, ranges := range l.Fold[w] {
			for _, r := range ranges {
				add(from, l.Ranges[r].Owner, r)
			}
		}
	})
}

// routes returns the routes that list adds, nil if there are none.
func (l *Layout) routes(list func(add func(from, to, r int))) (out routes) {
	list(func(from, to, r int) {
		for out == nil || len(out) < l.Processors {
			out = append(out, make([][]int, l.Processors))
		}
		out[from][to] = append(out[from][to], r)
	})
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
