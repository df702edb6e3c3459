// Package bsp runs a breadth-first search as bulk-synchronous supersteps over any
// list of processors: the superstep loop, the exchange of frontiers, the directors
// that choose between top-down and bottom-up, the aggregation of parents at the end,
// and statistics per level and processor.
//
// # A superstep
//
//	direction := director.Next(counts)
//	bottom-up: every processor publishes its frontier, gathers the others', steps
//	top-down:  every processor steps, hands out its outbox, merges what it is sent
//	counts are summed; the search ends when no partition has a next vertex
//
// There is no barrier between a step and the merge: a processor merges the outbox of
// sender s as soon as s is done, in the order of senders, and waits only for the
// next one. Each processor is driven by one goroutine, which New starts and Close
// ends (the caller's goroutine drives the first); none is started in a search.
//
// While one partition holds the whole frontier, its processor may run several top-down
// supersteps in one call (kernels.MultiStepper) where the director knows that it will want
// them (Lookahead): without exchange, the others not woken. Where all processors are CPUs,
// the caller's goroutine runs a superstep of a few vertices for all of them, in turn.
//
// No processor is special, no device buffer is seen here, and any sequence of
// directions gives the same levels.
package bsp
