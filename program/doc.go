// Package program declares graph algorithms for package engine: arrays of values, operators
// over arcs and vertices, and the Machine that a body drives them with.
//
// # A program
//
// A Program has arrays with one value a vertex, edge operators that send values along arcs,
// vertex operators that work on the values of a vertex, and local operators that work on a
// whole partition at once. It is data: one program runs on any processor and any placement.
//
//	var components = &program.Program{
//		Name:   "components",
//		Arrays: []program.Array{{Name: "label", Type: program.U32, Init: program.ID}},
//		Edges:  []program.EdgeOp{{Name: "spread", From: 0, To: 0, Arcs: program.Both, Map: program.Copy, Combine: program.Min}},
//	}
//
// # A body
//
// A body is a function that drives a program: it calls EdgeMap, VertexMap and Local of a
// Machine and decides by what they return. engine.Run runs it.
//
//	func(m program.Machine) error {
//		f, err := m.EdgeMap(0, program.Step{Way: program.Pull, From: program.All})
//		for err == nil && f.Count > 0 {
//			f, err = m.EdgeMap(0, program.Step{Way: program.Push})
//		}
//		return err
//	}
//
// # Ranks and ids
//
// Operators see ranks: the engine's numbers of vertices, 0 … below 2^32, with gaps. Results
// leave by vertex id. A vertex without arcs has no rank and no operator sees it; its results
// are the arrays' initial values.
//
// # The frontier
//
// A run has one frontier, a set of vertices. EdgeMap reads it and replaces it by the vertices
// whose values changed; VertexMap replaces it by the vertices that its operator left. Keep
// stores it under a number, Use and Step.From read it again.
//
// # Determinism
//
// The results of a program are the same for every thread count, and, without floating-point
// sums, for every placement and list of processors. Sums of floats have one order for one
// placement. Exceptions are what the Claim of a vertex chose, and user operators that depend
// on an order.
package program
