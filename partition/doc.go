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
//	records ──scatter──▶ buckets of arcs by source id        16 bytes a record
//	buckets ──dedupe───▶ rows by id, degrees, loops           8 bytes a record
//	degrees ──policy───▶ ranges, ranks
//	rows    ──relabel──▶ subgraphs, rows sorted by (degree, rank)
//
// Records are read in blocks from a graph.Source, twice, and buckets are freed before
// the subgraphs are allocated. So two phases bound the memory beside the source:
// sorting holds 24 bytes a record and 20 a vertex, building 16 a record and 48 a vertex
// (directed: 16 and 32, 16 and 68; weights add their size three or four times a
// record). NeedFor has the sum.
//
// The package is data only: it sends nothing and knows no kernel.
package partition
