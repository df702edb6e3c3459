// Package gpu runs a partition on a compute device: it implements kernels.Processor
// over package device, with the kernels of package src.
//
// # Device memory
//
// Over all ranks: two bitmaps of visited vertices, which take turns, and parent and vertex id (4 bytes a rank each).
// Over all vertex ids: places of own vertices in the result (2 bits each). Over
// own ranks: finder (1 byte) and four lists (4 bytes each): two of the frontier, by the parity of supersteps, and two of the
// unvisited vertices, by the parity of bottom-up steps; at the end of a search these have what is
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
// frontier before a bottom-up step, the messages of other processors and some counters;
// parents leave at the end, as vertex ids and in the order of vertex ids.
//
// A processor has one in-order queue. A superstep waits for its messages and counters once, in Step, or
// with other processors in Fold, after what was merged before. On a device alone several supersteps
// share a wait (StepRule): the device chooses their ways.
package gpu
