// Package kernels is the contract between the superstep loop (package bsp) and a
// processor: a set of CPU threads (package kernels/cpu) or a device (package
// kernels/gpu). It holds no implementation.
//
// # One search, seen by one processor
//
//	Reset                                     before the root is placed
//	SetRoot                                   the owner of the root only
//	per level, top-down:   Step → Outbox of each foreign range → Deliver → Finish
//	per level, bottom-up:  Publish → Gather of each foreign range → Step → Finish
//	at the end:            Foreign, Answer, Parents
//
// bsp calls each processor from one goroutine at a time; different processors run at
// once. Messages live in host memory and belong to their sender until its next Step
// (Outbox) or its next Publish.
//
// # What a processor keeps
//
// Over all ranks: seen (its own visited vertices and every remote one it has
// claimed or pulled; cleared by Reset only), parent (a rank for each rank, written
// only by the claim that set the seen bit), frontier and next (bits, or a list
// while small). Over its own ranks: finder, one byte: its own number for a local
// find, else the lowest-numbered partition whose bit was new when the inboxes were
// merged in the order of senders. The parent of v is the parent entry of partition
// finder(v): no parents travel before the end, and late or double claims cannot win.
package kernels
