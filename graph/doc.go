// Package graph holds the types that all packages share: vertices, edges, edge lists,
// the compressed sparse row form (CSR), and the subgraph that one
// processor loads.
//
// # Ids
//
// A vertex has up to three names:
//
//   - its label, the id the file uses: up to 64 bits, possibly sparse, possibly
//     counted from 1;
//   - its id, dense, 0 … Vertices−1, 32 bits: what CSR and results are indexed by;
//   - its rank, given by a placement (package partition): what kernels use.
//
// Labels translates between the first two; only package partition and what lies
// below it see the third.
//
// # Counting
//
// Edges is the number of records of the file: an undirected edge counts once even
// where the format lists it at both ends; self-loops and duplicates count. Arcs is
// what the CSR holds: an undirected edge is two arcs, a self-loop one.
//
// # Making and checking
//
// Readers and generators make an EdgeList; sparse ids become dense through Compact.
// Build makes a CSR of any Source, keeping, dropping or merging self-loops and
// duplicates; NewCSR wraps rows that exist. Build and package partition begin with
// Scatter. Validate of either checks all that its type promises. Measure and Components
// describe a graph without building it.
//
// All work is parallel, gives the same result for every number of goroutines, starts
// none that outlive the call, and ends early with its context. Sizes are computed in
// 64 bits before anything large is allocated. Errors wrap the sentinels of errors.go.
package graph
