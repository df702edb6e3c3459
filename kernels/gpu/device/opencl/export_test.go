//go:build !nogpu && (linux || darwin || windows) && (amd64 || arm64)

package opencl

import "github.com/totemgo/totemgo/kernels/gpu/device"

// FineGrained tells whether a device of this package has fine-grained shared virtual
// memory.
func FineGrained(of device.Device) bool {
	d := of.(*dev)
	return d.cl.fineGrained(d.id)
}

// NewSharedBuffer is NewHostBuffer in fine-grained shared virtual memory.
func NewSharedBuffer(of device.Device, bytes int64, fill func([]byte)) (device.Buffer, error) {
	return of.(*dev).newShared(bytes, fill)
}

// OpenFrom is Open with these loaders and libraries of vendors.
func OpenFrom(loaders, vendors []string) (*Driver, error) {
	return open(loaders, func() []string { return vendors })
}

// Vendors lists the libraries of vendors to try.
func Vendors() []string { return vendors() }
