package engine

import (
	"context"
	"slices"

	"github.com/totemgo/totemgo/program"
)

// components floods labels: every vertex starts with its own id and takes the smallest that
// reaches it. The smallest id of a component reaches all of it, so that labels do not depend on
// the order of steps.
var components = &program.Program{
	Name:   "components",
	Arrays: []program.Array{{Name: "label", Type: program.U32, Init: program.ID}},
	Edges:  []program.EdgeOp{{Name: "flood", From: 0, To: 0, Arcs: program.Both, Map: program.Copy, Combine: program.Min}},
}

// pullPart is the part of all arcs from which on a frontier's arcs are more work than all rows.
const pullPart = 8

// Components returns the weakly connected components: two vertices have the same label if and
// only if a path joins them, whatever the direction of its arcs. It takes as many supersteps as
// the longest shortest path to the smallest id of a component.
func (e *Engine) Components(ctx context.Context) (*ComponentsResult, error) {
	r, err := e.Run(ctx, components, func(m program.Machine) error {
		f, err := m.EdgeMap(0, program.Step{Way: program.Pull, From: program.All})
		for err == nil && f.Count > 0 {
			s := program.Step{Way: program.Push}
			if f.Arcs > m.Info().Arcs/pullPart {
				s.Way = program.Pull
			}
			f, err = m.EdgeMap(0, s)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return &ComponentsResult{RunResult: r, Labels: ArrayOf[uint32](r, 0)}, nil
}

// ComponentsResult are the components of a graph.
type ComponentsResult struct {
	*RunResult
	// Labels holds the smallest dense id of the component of every vertex, by dense id.
	Labels []uint32
}

// Sizes returns the number of vertices of every component, largest first.
func (r *ComponentsResult) Sizes() []int {
	count := make(map[uint32]int)
	for _, label := range r.Labels {
		count[label]++
	}
	sizes := make([]int, 0, len(count))
	for _, n := range count {
		sizes = append(sizes, n)
	}
	slices.SortFunc(sizes, func(a, b int) int { return b - a })
	return sizes
}
