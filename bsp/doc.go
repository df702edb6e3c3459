// Package bsp runs a breadth-first search in bulk-synchronous supersteps over any list of
// processors: the loop (loop.go), supersteps and their exchange of messages (superstep.go), the
// directors that choose between top-down and bottom-up (direction.go, auto.go), the parents
// at the end (resolve.go) and statistics per level and processor.
//
// # A superstep
//
//	direction := director.Next(counts)
//	bottom-up: every processor sends its frontier slices, receives those of others, steps
//	top-down:  every processor steps, sends its outboxes, merges those for it
//	sum the counts; end when the next frontier is empty
//
// There is no barrier between a step and the merge: a processor merges the outbox of
// sender s as soon as s has stepped, in the order of senders. A device sends after it has
// merged what CPUs sent, so that it waits once. One goroutine drives each processor: New
// starts them, Close ends them, and the caller's drives the first. A search starts none.
//
// If the director is a Lookahead, partitions with a narrow frontier may run several top-down
// supersteps in one call (kernels.MultiStepper), as long as none claims a vertex of another,
// without exchange and without waking other processors; a partition that ran too many takes
// them back (kernels.Undoer).
//
// No processor is special, no device buffer is visible, and levels do not depend on
// directions.
package bsp
