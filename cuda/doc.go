// Package cuda drives NVIDIA devices through the CUDA driver interface, for
// engine.Options.Drivers. It is a module of its own, so that engine needs no module of
// CUDA's. It needs cgo, cuda.h and libcuda, and a program that imports it ends at its start
// where there is no driver or no device: it belongs into a binary of its own.
//
// A device has one context. Everything that only enqueues work goes through the one
// thread on which that context is current. What waits for a device (Stream.Finish,
// Event.Wait) does so on the caller's thread, with the context current there meanwhile,
// so that one partition's wait does not hold up another's launches.
package cuda
