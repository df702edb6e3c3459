// Package cpu is a kernels.Processor on CPU threads, in plain Go and free of cgo.
//
// # Data of a search
//
// seen, frontier and next are bitmaps over all ranks, 64 ranks a word. While a
// frontier is small it is a list instead, and no step touches memory in proportion
// to the graph. A top-down step always reads a list and leaves lists; a bottom-up
// step reads the frontier's bitmap and writes next, word by word.
//
// # Who writes what
//
// Top-down, many threads may claim one vertex: the claim is an atomic or on the word
// of seen, tested first with a load, and whoever set the bit writes parent and keeps
// the vertex in its own list. A search on one thread claims without atomics.
// Bottom-up, each word of next, seen and its 64 parents has one writer; the frontier
// is only read.
//
// Work is split by edges: bottom-up by chunks of whole words that hold like numbers
// of arcs, cut when the graph is loaded; top-down by chunks of frontier vertices,
// with the rows of hubs set aside and cut into chunks of arcs.
package cpu
