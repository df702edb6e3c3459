// Package device is the interface of compute drivers: device memory, in-order streams and
// kernels built from one source. Package opencl drives OpenCL devices, the module cuda
// NVIDIA's, package fake wraps either for tests.
//
// Copies are between buffers and staging memory that the driver allocated, never the Go
// heap. Work on a stream is asynchronous until Finish or a wait for an event; streams of
// one device are ordered only by such waits. Several goroutines may use a device, its buffers
// and its programs at once; a stream and a kernel one at a time.
package device
