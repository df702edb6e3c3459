// Package allpairs computes the distances between all pairs of vertices of a graph: dense, by one
// min-plus tile kernel, or by a search from every vertex. It needs no partition and no engine.
//
// # Values
//
// Distances are int32, float32 or float64. Weights must be such that the longest path cannot
// overflow, and of integers that its sum is exact: other graphs are refused with the arc. So
// there is no NaN, and −0 becomes 0. Weights may be negative; a cycle of negative weight is
// refused with its vertices. Sums of floats are added up in an order that depends on the method,
// the number of vertices, and whether a device computes them, and not on threads or kernels: all
// methods agree within a rounding for each arc of a path.
//
// # The tile
//
// A matrix is stored in tiles of 64 × 64. Its kernel, c = min(c, a·b) over (min, +), has 4 rows
// of c in registers: over all 64 terms it loads and stores c once. Floyd-Warshall by blocks
// (Venkataraman, Sahni and Mukhopadhyaya, "A blocked all-pairs shortest-paths algorithm", JEA 2003;
// Katz and Kider, "All-pairs shortest-paths for large graphs on the GPU", 2008) closes a block of
// the diagonal and multiplies the rest; so does repeated squaring. The same code over (max, min)
// finds widest paths.
//
// # Searches
//
// Sparse graphs are solved by a search from each vertex: breadth-first without weights,
// Dijkstra's, or Johnson's where weights are negative (JACM 1977).
package allpairs
