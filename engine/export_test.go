package engine

import "github.com/totemgo/totemgo/kernels/gpu/device"

// TestDriver is a driver of OpenCL devices that a test brings.
type TestDriver interface {
	Devices() []device.Info
	Open(i int) (device.Device, error)
}

// OpenDevicesOf is OpenDevices on the devices of a test's driver, whose kernels are not
// kept.
func OpenDevicesOf(d TestDriver, o Options) (*Devices, error) {
	o.NoKernelCache = true
	all := &Devices{drivers: map[string]driver{"opencl": d}, open: map[string]*opened{}}
	for _, p := range o.Processors {
		if p.Kind == "cpu" {
			continue
		}
		if err := all.add(p, &o); err != nil {
			_ = all.Close()
			return nil, err
		}
	}
	if err := all.readInPlace(&o); err != nil {
		_ = all.Close()
		return nil, err
	}
	return all, nil
}
