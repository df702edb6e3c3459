// Package graph holds the types every other room speaks in: vertices, edges,
// edge lists, the compressed sparse row form (CSR), and the subgraph that one
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
package graph
