// Package kernels is the contract between the superstep loop (package bsp) and a
// processor: CPU threads (package kernels/cpu) or a device (package kernels/gpu). It has
// no implementation.
//
// # Calls of one search
//
//	Reset                                     before the root is placed
//	SetRoot                                   the owner of the root only
//	per level, top-down:   Step → Outbox of each remote range → MergeClaims → Finish
//	per level, bottom-up:  FrontierSlice → SetRemoteFrontier of each remote range → Step → Finish
//	at the end:            RemoteClaims, LookupParents, Parents
//
// Own ranges are those of the processor's partition, remote ranges the others.
//
// # State of a processor
//
// Over all ranks: seen (own visited vertices, and remote ones that were claimed or were in
// a gathered frontier; cleared by Reset only), parent (an entry per rank, written by the
// claim that sets the seen bit), frontier and next (bitmaps, or lists while small). Over
// own ranks: finder, one byte: the processor's own index for a local find, else the first sender whose
// claim was new when claims were merged in the order of senders. The parent of v is
// partition finder(v)'s parent entry, so parents are exchanged only at the end and late or
// double claims cannot win.
package kernels
