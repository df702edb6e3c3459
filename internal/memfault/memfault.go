// Package memfault makes errors of the memory faults that reading a mapped file raises
// once another program has cut the file short.
package memfault

import "runtime/debug"

// Catch runs f and returns its error, or what made makes of a memory fault. It covers
// the calling goroutine, not those that f starts. Any other panic passes through.
func Catch(f func() error, made func(fault error) error) (err error) {
	old := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(old)
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		if fault, ok := r.(interface {
			error
			Addr() uintptr
		}); ok {
			err = made(fault)
			return
		}
		panic(r)
	}()
	return f()
}
