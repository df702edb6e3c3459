// Package opencl drives OpenCL 1.2 devices of any vendor without cgo: Open opens the
// system's ICD loader, so that a program starts without one. With the build tag nogpu, and
// on platforms other than Linux, macOS and Windows on amd64 and arm64, Open returns
// device.ErrNoDriver.
package opencl
