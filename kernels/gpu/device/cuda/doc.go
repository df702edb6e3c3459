// Package cuda drives NVIDIA devices through the CUDA driver interface. It has code
// under the build tag cuda only, needs cgo, cuda.h and libcuda there, and a program that
// imports it then ends at its start where there is no driver or no device: it belongs
// into a binary of its own.
//
// A device has one context. Everything that only enqueues work goes through the one
// thread on which that context is current. What waits for a device (Stream.Finish,
// Event.Wait) does so on the caller's thread, with the context current there meanwhile,
// so that one partition's wait does not hold up another's launches.
package cuda
