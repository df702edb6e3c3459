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
// # Devices
//
// A device runs the built-in edge operators, and operators with a Device source: C in the dialect of
// package kernels/gpu/src, with the types uint, int, u64, i64, float and double. Sources see arrays as
// pointers of these names, by rank; array k whose Name is no identifier is t_k. NONE is 2^32 − 1,
// U32_TOP … F64_TOP are the largest values. Names that begin with t_ are reserved.
//
//   - VertexOp: statements for each vertex v of the set, which is vertex i of its block. ARG(k) is
//     Args[k], SUM(k, x) adds to Sum[k], MIN(x) lowers Min, DROP removes v from the set. A vertex writes
//     its own entries only. Sums of a block have one order, not that of Block.
//   - EdgeOp with Rows: a macro IDENTITY, the value that merging leaves as it is, and the functions
//     FN T send(uint u, T from, T w) for an arc, whose weight is 1 without weights, and
//     FN uint merge(T* to, T x), which is Rows.Combine and is also used to fold a row before it is combined.
//   - LocalOp: Device is statements for each stored arc u, v, the k-th of its row, of the operator's Arcs;
//     DeviceRanks those for every rank v, afterwards. Both run on many lanes at once: LD(&a[v]) reads an
//     entry that others change, and find(a, v), link(a, u, v) and compress(a, v) are union-find.
//
// A device without doubles refuses F64, ARG, SUM and MIN; one without 64-bit atomics all types of 8
// bytes. Without its source an operator is refused by name: the error wraps kernels.ErrUnsupported.
//
// # Determinism
//
// The results of a program are the same for every thread count, and, without floating-point
// sums, for every placement and list of processors. Sums of floats have one order for one
// placement. Exceptions are what the Claim of a vertex chose, and user operators that depend
// on an order.
package program
