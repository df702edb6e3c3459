// Package fake is a device for tests. New makes one in Go, with memory of its own: a
// slice of the host is never visible to it without a copy, and work on a stream is
// done when somebody waits for it, no sooner, so that a caller who reads a result or
// reuses staging too early is found out. Its kernels are serial Go twins of the
// device kernels, by name. Wrap takes any other device instead.
//
// Both count every operation and everything that is not freed, and fail the n-th
// operation on demand.
package fake
