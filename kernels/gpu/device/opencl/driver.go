//go:build !nogpu && (linux || darwin || windows) && (amd64 || arm64)

package opencl

import (
	"fmt"
	"unsafe"

	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// Driver is a loaded OpenCL driver and the devices of all its platforms.
type Driver struct {
	cl        *library
	ids       []uintptr
	platforms []uintptr
	infos     []device.Info
}

// Open loads the driver and lists its devices. It returns device.ErrNoDriver without any.
func Open(o Options) (*Driver, error) {
	l, err := load(o)
	if err != nil {
		return nil, err
	}
	d := &Driver{cl: l}
	var n uint32
	if code := call(l.GetPlatformIDs, 0, 0, uintptr(unsafe.Pointer(&n))); code != 0 || n == 0 {
		return nil, noDriver(fmt.Sprintf("the loader finds no platform (code %d)", code))
	}
	platforms := make([]uintptr, n)
	if code := call(l.GetPlatformIDs, uintptr(n), uintptr(unsafe.Pointer(&platforms[0])), 0); code != 0 {
		return nil, noDriver(fmt.Sprintf("clGetPlatformIDs: code %d", code))
	}
	var silent string
	for _, p := range platforms {
		var count uint32
		if code := call(l.GetDeviceIDs, p, deviceTypeAll, 0, 0, uintptr(unsafe.Pointer(&count))); code != 0 || count == 0 {
			silent = fmt.Sprintf("platform %s has no device (code %d)", text(l.GetPlatformInfo, p, platformName), code)
			continue
		}
		ids := make([]uintptr, count)
		if call(l.GetDeviceIDs, p, deviceTypeAll, uintptr(count), uintptr(unsafe.Pointer(&ids[0])), 0) != 0 {
			continue
		}
		for _, id := range ids {
			if l.number(id, deviceLittleEndian)&0xFFFFFFFF == 0 {
				continue
			}
			d.ids = append(d.ids, id)
			d.platforms = append(d.platforms, p)
			d.infos = append(d.infos, d.describe(id, p))
		}
	}
	if len(d.ids) == 0 {
		return nil, noDriver(silent)
	}
	return d, nil
}

func (d *Driver) describe(id, platform uintptr) device.Info {
	info := device.Info{
		Name:              fmt.Sprintf("opencl:%d", len(d.infos)),
		Kind:              "opencl",
		Model:             text(d.cl.GetDeviceInfo, id, deviceName),
		Vendor:            text(d.cl.GetDeviceInfo, id, deviceVendor),
		Platform:          text(d.cl.GetPlatformInfo, platform, platformName),
		Version:           text(d.cl.GetDeviceInfo, id, deviceVersion),
		Driver:            text(d.cl.GetDeviceInfo, id, driverVersion),
		Memory:            d.cl.number(id, deviceGlobalMem),
		LargestAllocation: d.cl.number(id, deviceMaxAlloc),
		ComputeUnits:      int(uint32(d.cl.number(id, deviceComputeUnits))),
		MaxGroup:          int(d.cl.number(id, deviceMaxGroup)),
		HostCPU:           d.cl.number(id, deviceType)&deviceTypeCPU != 0,
		Unified:           uint32(d.cl.number(id, deviceUnifiedMemory)) != 0,
	}
	info.InPlace = info.Unified || d.fineGrained(id)
	return info
}

// fineGrained reports fine-grained shared virtual memory of buffers, which kernels read in
// place.
func (d *Driver) fineGrained(id uintptr) bool {
	return d.cl.SVMAlloc != 0 && d.cl.SVMFree != 0 && d.cl.number(id, deviceSVM)&svmFineGrainBuffer != 0
}

// Kind returns "opencl".
func (d *Driver) Kind() string { return "opencl" }

// Devices describes the devices of all platforms, in the loader's order.
func (d *Driver) Devices() ([]device.Info, error) { return append([]device.Info(nil), d.infos...), nil }

// Open makes a context on device i.
func (d *Driver) Open(i int) (device.Device, error) {
	if i < 0 || i >= len(d.ids) {
		return nil, &device.Error{Op: "Open", Device: fmt.Sprintf("opencl:%d", i), Err: device.ErrNoDevice}
	}
	dev := &dev{cl: d.cl, id: d.ids[i], info: d.infos[i]}
	properties := [3]uintptr{0x1084, d.platforms[i], 0} // CL_CONTEXT_PLATFORM
	var err error
	dev.context, err = dev.create("Open", d.cl.CreateContext, uintptr(unsafe.Pointer(&properties[0])), 1,
		uintptr(unsafe.Pointer(&dev.id)), 0, 0)
	if err != nil {
		return nil, err
	}
	return dev, nil
}
