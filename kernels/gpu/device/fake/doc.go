// Package fake wraps a device for tests: it counts every operation and everything that
// is not freed, fails the n-th operation on demand, and states less memory than there is.
package fake
