//go:build !nogpu && (linux || darwin || windows) && (amd64 || arm64)

package opencl

import "github.com/totemgo/totemgo/kernels/gpu/device"

// FineGrained tells whether a device of this package has fine-grained shared virtual
// memory.
func FineGrained(of device.Device) bool {
	d := of.(*dev)
	return (&Driver{cl: d.cl}).fineGrained(d.id)
}

// NewSharedBuffer is NewHostBuffer in fine-grained shared virtual memory.
func NewSharedBuffer(of device.Device, bytes int64, fill func([]byte)) (device.Buffer, error) {
	return of.(*dev).newShared(bytes, fill)
}
