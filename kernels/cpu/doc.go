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
// Within a step each word of seen and next, and its 64 entries of parent, is read and
// written by one thread alone, or read by all and written by none; the frontier is only
// read. Bottom-up, threads take chunks of whole words, or pieces of the list of the
// unsettled that are cut where the word changes. Top-down, threads take runs of ranks,
// and of each row the part that leads there; or they first sort arcs into buckets by the
// rank they lead to, and then claim bucket by bucket. There are two exceptions. A thin
// frontier of short rows is shared by pieces, and bits of seen are claimed atomically; a
// very thin one is left to one thread. And where a step writes the source of every arc
// at its target, assembly does so from several threads at once: any of the sources will
// do. docs/performance.md states it function by function.
package cpu
