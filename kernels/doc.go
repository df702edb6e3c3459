// Package kernels is the contract between the superstep loop (package bsp) and a processor: CPU
// threads (package kernels/cpu) or a device (package kernels/gpu). A Processor holds a part of a
// graph; a Run is the state of one program (package program) on it. The package has no
// implementation.
//
// # Calls of a run
//
//	Begin                                  before everything
//	Seed                                   the owner of the vertex only
//	per superstep of an edge operator:
//	  Expand of own ranges → Take of others   where sources have arcs elsewhere (a pull)
//	  Step
//	  Fold of others → Merge of own ranges    where targets are owned elsewhere (a push)
//	  Advance
//	VertexMap, Local, Keep, Use            between supersteps
//	Read                                   at the end; of a tree RemoteClaims, LookupParents, Parents
//
// Own ranges are those of the processor's partition, remote ranges the others.
//
// # State of a tree
//
// Over all ranks: seen (own visited vertices, and remote ones that were claimed or were in
// a frontier taken; cleared by Begin only), parent (an entry per rank, written by the
// claim that sets the seen bit), frontier and next (bitmaps, or lists while small). Over
// own ranks: finder, one byte: the processor's own index for a local find, else the first sender
// whose claim was new when claims were merged in the order of senders. The parent of v is
// partition finder(v)'s parent entry, so parents are exchanged only at the end and late or
// double claims cannot win.
package kernels
