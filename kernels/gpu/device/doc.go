// Package device is the smallest interface that serves every compute driver: memory
// on a device, streams that run in order, kernels built from one source. Package
// opencl drives OpenCL devices, the module cuda NVIDIA's, package fake wraps either for tests.
//
// Copies run between buffers and staging memory, which the driver allocated: memory
// of the Go heap is never in flight. Work on a stream is asynchronous until Finish
// or an event of it is waited for; streams of one device are independent but for
// events. A device, its buffers and its programs may be used by several goroutines;
// a stream and a kernel by one at a time.
package device
