// Package partition decides where each vertex lives and builds what each processor
// loads.
//
// # A placement is ranges of ranks, and who owns them
//
// Every vertex that has an edge (to another vertex) gets a rank. A Policy assigns
// each such vertex to a range, orders every range by falling degree (ties keep the
// order of ids), cuts rank space there and names the processor that owns the range.
// Nothing else describes a placement. Each range starts at a multiple of 64; the
// ranks between are padding. Vertices without edges have no rank.
//
// Degree is the number of distinct neighbours other than the vertex itself, over
// out- and in-arcs together: an undirected neighbour counts once, a directed pair of
// opposite arcs twice.
//
// # How it is built
//
//	records ──Scatter──▶ buckets of arcs by source id        16 bytes a record
//	buckets ──dedupe───▶ rows by id, degrees, loops           in place, in half of it
//	degrees ──policy───▶ ranges, ranks
//	rows    ──scatter──▶ buckets of arcs by target id         in place, in the other half
//	buckets ──gather───▶ subgraphs                            8 bytes a record
//
// Relabelling is a transposition: rows are read in the order of (falling degree, rank),
// and every vertex is appended to the rows of its neighbours, which so come out in that
// order, without a sort or a lookup. Random accesses are one a row, not one an arc, and stay
// within a bucket that fits in a core's cache.
//
// graph.Scatter reads the records in blocks, twice. Beside the source, sorting holds
// 16 bytes a record and 8 a vertex, building 24 a record and 44 a vertex (directed: 16
// and 16, 24 and 60; weights add their size two or four times a record), and each worker
// its buffers for a bucket. NeedFor returns the sum.
//
// The package is data only: it sends nothing and knows no kernel.
package partition
