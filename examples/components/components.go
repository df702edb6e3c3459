package main

import (
	"context"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/program"
)

// flood is components by labels that spread: every vertex starts with its own id and takes the
// smallest that reaches it. The smallest id of a component reaches all of it, so that labels do
// not depend on the order of steps.
var flood = &program.Program{
	Name:   "components",
	Arrays: []program.Array{{Name: "label", Type: program.U32, Init: program.ID}},
	Edges:  []program.EdgeOp{{Name: "flood", From: 0, To: 0, Arcs: program.Both, Map: program.Copy, Combine: program.Min}},
}

// pullPart is the part of all arcs from which on a frontier's arcs are more work than all rows.
const pullPart = 8

// components returns the smallest dense id of the weak component of every vertex, by dense id. It
// takes as many supersteps as the longest shortest path to the smallest id of a component.
func components(ctx context.Context, e *engine.Engine) (*engine.RunResult, []uint32, error) {
	r, err := e.Run(ctx, flood, func(m program.Machine) error {
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
		return nil, nil, err
	}
	return r, engine.ArrayOf[uint32](r, 0), nil
}
