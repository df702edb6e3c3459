// Package graph500 is the Graph500 benchmark: generation, kernel 1 (construction),
// kernel 2 (breadth-first search), kernel 3 (shortest paths, on request), the choice of
// roots, validation of every tree, statistics and the official output.
//
// Run makes a whole run against any Engine. The parts stand alone: a Validator
// checks one tree, of either kernel, by the five rules, CountEdges gives the edges of a search,
// gen.Roots draws the search keys, Summarize and Rates the statistics, WriteOfficial
// the official lines.
//
// # What is timed
//
// Kernel 1 starts from the complete tuple list in memory and its length alone; the
// number of vertices is found inside the clock. Kernel 2 runs from before the root
// is visited to the parents, in original ids, in memory, kernel 3 to the parents and
// distances. Neither generation nor validation nor the one warm-up search of each kernel
// is timed.
//
// # Power
//
// With Config.Power the searches of a validated run are repeated, without validation,
// while a session of package power reads meters; or two configurations search in turn
// and are compared. The clock of a repeated search is that of kernel 2.
//
// # Sources
//
// The Graph 500 specification, "Graph 500 Benchmarks 1 and 2", version 2.0, and the
// layouts printed by versions 2.1.4 and 3.0 of the reference code.
package graph500
