// Package cpu is a kernels.Processor on CPU threads, in plain Go and free of cgo.
//
// # Data of a search
//
// seen and the bits of both frontiers are bitmaps over all ranks, 64 ranks a word; parent
// holds the vertex id of the parent of each rank. A small frontier is a list (type
// frontier), and a superstep on it touches no memory in proportion to the graph. A
// top-down step reads a list; a bottom-up step reads bits and writes bits.
//
// # Who writes what
//
// Within a step a word of seen or of next, with its 64 entries of parent, has one owner,
// or is read only. The frontier is read only.
//
//	step              owner of a word                    how arcs reach it
//	serial            the one thread                     row by row
//	own-ranks         the thread of a run of ranks       its own vertices' rows; others are sent
//	bucketed          the thread that takes the bucket   arcs are sorted by target
//	bucketed-scatter  the same                           the same, written to scatter untested
//	direct-scatter    a chunk's thread, in a later pass  any thread writes scatter: assembly, or one thread
//	words             a chunk's thread                   each unvisited vertex scans its row
//	stragglers        the one thread                     the same, for a list of vertices
//
// The stores of direct-scatter race: an entry keeps one of the sources that lead there,
// and any will do. docs/performance.md states each function's accesses.
//
// # Kernels
//
// A kernelSet holds the inner loops of one instruction set. Choose measures them on the
// loaded graph and takes each from the quickest set.
package cpu
