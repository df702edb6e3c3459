//go:build !nogpu && (linux || darwin || windows) && (amd64 || arm64)

package opencl

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"unsafe"

	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// Driver is the devices of all platforms of a loader, or of drivers opened without one.
type Driver struct {
	platforms []platform
	devices   []listed
	opened    []uintptr // handles of libraries
	faults    []string  // why a library, a platform or a device is missing
}

// platform is a platform and the functions that take it.
type platform struct {
	cl *library
	id uintptr
}

// listed is a device that Open accepts.
type listed struct {
	platform
	device uintptr
	info   device.Info
}

// Open loads the driver and lists its devices. It returns device.ErrNoDriver without any.
func Open(o Options) (*Driver, error) {
	if o.Loader == "" {
		o.Loader = os.Getenv(LoaderVariable)
	}
	if o.Loader != "" {
		return open([]string{o.Loader}, nil)
	}
	return open(loaders(), vendors)
}

// open lists the devices of the first loader that opens. If that has no GPU, it adds those of the
// drivers that vendors finds and the loader does not list.
func open(loaders []string, vendors func() []string) (*Driver, error) {
	d := &Driver{}
	for _, path := range loaders {
		if d.add(path) {
			break
		}
	}
	if vendors != nil && !slices.ContainsFunc(d.devices, func(l listed) bool { return !l.info.HostCPU }) {
		for _, path := range vendors() {
			d.add(path)
		}
	}
	if len(d.devices) == 0 {
		return nil, noDriver(strings.Join(d.faults, "; "))
	}
	return d, nil
}

// add lists the platforms of a loader, or of the driver of one vendor. It returns false if the
// library does not open.
func (d *Driver) add(path string) bool {
	handle, err := openLibrary(path)
	if err != nil {
		if s := device.Printable(err.Error()); len(d.faults) == 0 || !absent(path, s) {
			d.faults = append(d.faults, s)
		}
		return false
	}
	if slices.Contains(d.opened, handle) {
		return true
	}
	d.opened = append(d.opened, handle)
	find := func(name string) uintptr {
		address, err := symbol(handle, name)
		if err != nil {
			return 0
		}
		return address
	}
	l, missing := bind(find)
	list, what := uintptr(0), path+" lists no platform"
	if l != nil {
		list = l.GetPlatformIDs
	} else if list = icdPlatforms(find); list == 0 {
		d.faults = append(d.faults, path+" lacks "+missing)
		return true
	}
	var n uint32
	if code := call(list, 0, 0, uintptr(unsafe.Pointer(&n))); code != 0 || n == 0 {
		d.faults = append(d.faults, fmt.Sprintf("%s (code %d)", what, code))
		return true
	}
	ids := make([]uintptr, n)
	if code := call(list, uintptr(n), uintptr(unsafe.Pointer(&ids[0])), 0); code != 0 {
		d.faults = append(d.faults, fmt.Sprintf("%s (clGetPlatformIDs, code %d)", what, code))
		return true
	}
	for _, id := range ids {
		known := slices.ContainsFunc(d.platforms, func(p platform) bool { return p.id == id })
		p := platform{l, id}
		if p.cl == nil {
			p.cl, missing = dispatched(id)
		}
		switch {
		case known:
		case p.cl == nil:
			d.faults = append(d.faults, path+" lacks "+missing)
		default:
			d.platforms = append(d.platforms, p)
			d.list(p)
		}
	}
	return true
}

// list adds the devices of a platform.
func (d *Driver) list(p platform) {
	fault := func(what string, code int) {
		d.faults = append(d.faults, fmt.Sprintf("platform %s: %s (code %d)", name(p.cl.GetPlatformInfo, p.id, platformName), what, code))
	}
	var count uint32
	if code := call(p.cl.GetDeviceIDs, p.id, deviceTypeAll, 0, 0, uintptr(unsafe.Pointer(&count))); code != 0 || count == 0 {
		fault("no device", code)
		return
	}
	ids := make([]uintptr, count)
	if code := call(p.cl.GetDeviceIDs, p.id, deviceTypeAll, uintptr(count), uintptr(unsafe.Pointer(&ids[0])), 0); code != 0 {
		fault("clGetDeviceIDs", code)
		return
	}
	for _, id := range ids {
		switch little, code := p.cl.number(id, deviceLittleEndian); {
		case code != 0:
			fault("clGetDeviceInfo", code)
		case uint32(little) == 0:
			fault(name(p.cl.GetDeviceInfo, id, deviceName)+" is big-endian", 0)
		default:
			d.devices = append(d.devices, listed{p, id, p.describe(id, len(d.devices))})
		}
	}
}

// maxComputeUnits bounds what a driver reports.
const maxComputeUnits = 1 << 16

// describe describes a device; numbers that the driver does not tell are 0.
func (p platform) describe(id uintptr, number int) device.Info {
	value := func(param uintptr) int64 {
		v, _ := p.cl.number(id, param)
		return max(0, v)
	}
	info := device.Info{
		Name:              fmt.Sprintf("opencl:%d", number),
		Kind:              "opencl",
		Model:             name(p.cl.GetDeviceInfo, id, deviceName),
		Vendor:            name(p.cl.GetDeviceInfo, id, deviceVendor),
		Platform:          name(p.cl.GetPlatformInfo, p.id, platformName),
		Version:           name(p.cl.GetDeviceInfo, id, deviceVersion),
		Driver:            name(p.cl.GetDeviceInfo, id, driverVersion),
		Memory:            value(deviceGlobalMem),
		LargestAllocation: value(deviceMaxAlloc),
		ComputeUnits:      int(min(uint32(value(deviceComputeUnits)), maxComputeUnits)),
		MaxGroup:          int(value(deviceMaxGroup)),
		HostCPU:           value(deviceType)&deviceTypeCPU != 0,
		Unified:           uint32(value(deviceUnifiedMemory)) != 0,
	}
	extensions := strings.Fields(text(p.cl.GetDeviceInfo, id, deviceExtensions))
	info.Compiler = true
	info.FP64 = slices.Contains(extensions, "cl_khr_fp64")
	info.Int64Atomics = slices.Contains(extensions, "cl_khr_int64_base_atomics")
	info.InPlace = info.Unified || p.cl.fineGrained(id)
	info.Bus = p.cl.bus(id, extensions)
	return info
}

// bus is the device's PCI address, by the extensions cl_khr_pci_bus_info and
// cl_nv_device_attribute_query; "" without either.
func (l *library) bus(id uintptr, extensions []string) string {
	var at struct{ domain, bus, device, function uint32 }
	known := slices.Contains(extensions, "cl_khr_pci_bus_info") &&
		query(l.GetDeviceInfo, unsafe.Sizeof(at), uintptr(unsafe.Pointer(&at)), 0, id, devicePCI) == 0
	if !known && !slices.Contains(extensions, "cl_nv_device_attribute_query") {
		return ""
	}
	if !known {
		var slot uint32 // 8 * device + function
		for param, to := range map[uintptr]*uint32{deviceBusNV: &at.bus, deviceSlotNV: &slot, deviceDomainNV: &at.domain} {
			if query(l.GetDeviceInfo, 4, uintptr(unsafe.Pointer(to)), 0, id, param) != 0 {
				return ""
			}
		}
		at.device = slot >> 3
	}
	return fmt.Sprintf("%04x:%02x:%02x", at.domain, at.bus, at.device)
}

// fineGrained reports fine-grained shared virtual memory of buffers, which kernels read in
// place.
func (l *library) fineGrained(id uintptr) bool {
	svm, _ := l.number(id, deviceSVM)
	return l.SVMAlloc != 0 && l.SVMFree != 0 && svm&svmFineGrainBuffer != 0
}

// Kind returns "opencl".
func (d *Driver) Kind() string { return "opencl" }

// Devices describes the devices of all platforms, in the loader's order.
func (d *Driver) Devices() ([]device.Info, error) {
	infos := make([]device.Info, len(d.devices))
	for i, l := range d.devices {
		infos[i] = l.info
	}
	return infos, nil
}

// Open makes a context on device i.
func (d *Driver) Open(i int) (device.Device, error) {
	if i < 0 || i >= len(d.devices) {
		return nil, &device.Error{Op: "Open", Device: fmt.Sprintf("opencl:%d", i), Err: device.ErrNoDevice}
	}
	l := &d.devices[i]
	dev := &dev{cl: l.cl, id: l.device, info: l.info}
	properties := [3]uintptr{0x1084, l.id, 0} // CL_CONTEXT_PLATFORM
	var code int
	dev.context, code = create(l.cl.CreateContext, uintptr(unsafe.Pointer(&properties[0])), 1, uintptr(unsafe.Pointer(&dev.id)), 0, 0)
	if code == 0 {
		return dev, nil
	}
	err := class(code)
	if err != device.ErrMemory {
		err = device.ErrUnavailable
	}
	return nil, dev.refuse("Open", err, code, "")
}
