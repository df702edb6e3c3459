// Package gpu runs a partition on a compute device: it implements kernels.Processor
// over package device, with the kernels of package src.
//
// # What lies on the device
//
// Over all ranks: seen, frontier and next as bitmaps, parent. Over own ranks: finder,
// one byte, and three lists. The lists are the frontier of a top-down step and the
// two lists of the unsettled of a bottom-up phase; a top-down step by arcs uses the
// latter for its prefix sums, the end of a search for what travels. Adjacency is cut
// by rows into chunks, each within the device's largest allocation and below 2^31
// arcs, so that all arithmetic of a kernel is 32-bit; kernels run chunk by chunk.
//
// # What moves
//
// The graph goes up once. A search moves the outbox of a step, the slice of the
// frontier that is published, the messages that arrive and a few counters; parents
// stay until the end, and leave as vertex ids.
//
// A processor has two queues, each in order: kernels with their counters, the frontier
// that is published and the messages that arrive, and the claims that leave, which are
// copied beside kernels.
//
// A step that can have no message after it (bottom-up, or no other partition) counts
// its finds in the same run, so that a level on a device alone waits for the device
// once; many levels of a thin graph wait once together.
package gpu
