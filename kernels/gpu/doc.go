// Package gpu runs a partition on a compute device: it implements kernels.Processor
// over package device, with the kernels of package src.
//
// # Device memory
//
// Over all ranks: the bitmaps seen, frontier and next, parent and vertex id (4 bytes a rank each).
// Over all vertex ids: places of own vertices in the result (2 bits each). Over
// own ranks: finder (1 byte) and three lists (4 bytes each): the frontier, and two scratch
// buffers. In a bottom-up phase these list the unvisited vertices, before and after a
// step; topdown_edge keeps its prefix sums in them, and the end of a search what is
// exchanged. Adjacency is cut by rows into chunks, each within the device's largest
// allocation and below 2^31 arcs, so that kernels use 32-bit arithmetic; each kernel is
// launched once a chunk.
//
// # Programs with values
//
// A program that is no search has memory of its own for each run: valueRun. Its kernels are built
// from value*.cl when a run first needs them.
//
// # Transfers
//
// The graph is uploaded once. A search transfers the claims of a top-down step, the
// frontier before a bottom-up step, the messages of other processors and some counters
// (20 bytes a chunk); parents leave at the end, as vertex ids and in the order of vertex ids.
//
// A processor has two in-order queues: one for kernels, counters, its own frontier and
// incoming messages; one for the claims, which are copied beside kernels.
//
// A step that no message follows (bottom-up, or no other partition) counts the new
// frontier in the same queue, so that a level on a device alone waits for the device
// once; up to 64 levels of small frontiers wait once together (topdown_thin).
package gpu
