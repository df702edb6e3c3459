//go:build !nogpu && (linux || windows) && (amd64 || arm64)

package cuda

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// oldest is the oldest compute capability that the PTX of package src runs on, 10 × major + minor.
const oldest = 60

// Driver is a loaded CUDA driver and its devices.
type Driver struct {
	cu    *library
	ids   []uintptr
	infos []device.Info
	arch  []int // compute capabilities, 10 × major + minor
	// compiler loads NVRTC at the first use.
	compiler func() (*compiler, error)
}

// Open loads the driver and lists its devices of compute capability 6.0 and later. It returns
// device.ErrNoDriver without any.
func Open(o Options) (*Driver, error) {
	l := &library{}
	if err := load(l, "cu", o.Library, LibraryVariable, drivers()); err != nil {
		return nil, noDriver(0, err.Error())
	}
	d := &Driver{cu: l}
	var version, n int32
	if code := call(l.Init, 0); code != 0 {
		return nil, noDriver(code, "cuInit: "+l.name(code))
	}
	if code := call(l.DriverGetVersion, uintptr(unsafe.Pointer(&version))); code != 0 {
		return nil, noDriver(code, "cuDriverGetVersion: "+l.name(code))
	}
	if code := call(l.DeviceGetCount, uintptr(unsafe.Pointer(&n))); code != 0 {
		return nil, noDriver(code, "cuDeviceGetCount: "+l.name(code))
	}
	d.compiler = sync.OnceValues(func() (*compiler, error) { return openCompiler(o.Compiler, int(version)/1000) })
	reason, code := "the driver has no device", 0
	for i := range n {
		var id int32
		if code = call(l.DeviceGet, uintptr(unsafe.Pointer(&id)), uintptr(i)); code != 0 {
			reason = fmt.Sprintf("cuDeviceGet of device %d: %s", i, l.name(code))
			continue
		}
		var info device.Info
		var arch int
		if info, arch, code = d.describe(uintptr(id)); code != 0 {
			reason = fmt.Sprintf("the driver does not describe device %d: %s", i, l.name(code))
			continue
		}
		if arch < oldest {
			reason = fmt.Sprintf("%s has compute capability %d.%d, older than 6.0: it runs as opencl:N", info.Model, arch/10, arch%10)
			continue
		}
		info.Driver = fmt.Sprintf("CUDA %d.%d", version/1000, version%1000/10)
		d.ids, d.infos, d.arch = append(d.ids, uintptr(id)), append(d.infos, info), append(d.arch, arch)
	}
	if len(d.ids) == 0 {
		return nil, noDriver(code, reason)
	}
	return d, nil
}

// describe returns the device's description and compute capability, and a status.
func (d *Driver) describe(id uintptr) (info device.Info, arch, code int) {
	var name [256]byte
	if code = call(d.cu.DeviceGetName, uintptr(unsafe.Pointer(&name[0])), uintptr(len(name)), id); code != 0 {
		return info, 0, code
	}
	var memory uintptr
	if code = call(d.cu.DeviceTotalMem, uintptr(unsafe.Pointer(&memory)), id); code != 0 {
		return info, 0, code
	}
	attribute := func(a int) int {
		var value int32
		if c := call(d.cu.DeviceGetAttribute, uintptr(unsafe.Pointer(&value)), uintptr(a), id); c != 0 {
			return 0 // drivers may not know it
		}
		return int(value)
	}
	arch = 10*attribute(attrMajor) + attribute(attrMinor)
	return device.Info{
		Name: fmt.Sprintf("cuda:%d", len(d.infos)), Kind: "cuda", Model: device.Printable(trimmed(name[:])),
		Vendor: "NVIDIA Corporation", Platform: "CUDA", Version: fmt.Sprintf("sm_%d", arch),
		Memory: int64(memory), LargestAllocation: int64(memory),
		ComputeUnits: attribute(attrMultiprocs), MaxGroup: attribute(attrMaxGroup),
		Unified: attribute(attrIntegrated) != 0, InPlace: attribute(attrMapsHost) != 0,
		Bandwidth: 2 * int64(attribute(attrMemoryClock)) * 1000 * int64(attribute(attrBusWidth)) / 8, // two transfers a cycle
		Compiler:  true, FP64: true, Int64Atomics: true,
		Bus: fmt.Sprintf("%04x:%02x:%02x", attribute(attrPCIDomain), attribute(attrPCIBus), attribute(attrPCIDevice)),
	}, arch, 0
}

// Kind returns "cuda".
func (d *Driver) Kind() string { return "cuda" }

// Devices describes the devices in the driver's order.
func (d *Driver) Devices() ([]device.Info, error) { return append([]device.Info(nil), d.infos...), nil }

// Open retains the primary context of device i.
func (d *Driver) Open(i int) (device.Device, error) {
	if i < 0 || i >= len(d.ids) {
		return nil, &device.Error{Op: "Open", Device: fmt.Sprintf("cuda:%d", i), Err: device.ErrNoDevice}
	}
	dev := &dev{cu: d.cu, id: d.ids[i], info: d.infos[i], arch: d.arch[i], compiler: d.compiler}
	// Refused where another library of the process uses the context already: then its flags stay.
	call(d.cu.DevicePrimaryCtxSetFlags, dev.id, schedBlocking)
	if code := call(d.cu.DevicePrimaryCtxRetain, uintptr(unsafe.Pointer(&dev.context)), dev.id); code != 0 {
		return nil, &device.Error{Op: "Open", Device: dev.info.Name, Code: code, Detail: d.cu.name(code), Err: device.ErrUnavailable}
	}
	return dev, nil
}
