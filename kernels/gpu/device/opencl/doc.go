// Package opencl drives OpenCL 1.2 devices of any vendor without cgo: the driver's
// loader is opened when Open is called, so that a program starts without one. The
// build tag nogpu leaves the driver out; it is also left out where it cannot be
// called. Open then returns device.ErrNoDriver.
package opencl
