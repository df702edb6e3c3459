//go:build !nogpu && ((linux && (amd64 || arm64)) || (windows && amd64))

package power

import (
	"bytes"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// nvmlCalls are the addresses of NVML's functions in the loaded library. The _v2
// names are the ones nvml.h maps the plain names to since NVML 3.
type nvmlCalls struct {
	init, down, count, handle, label, energy, power uintptr
}

// nvmlResolve finds the functions; the energy counter may be missing in old drivers.
func nvmlResolve(symbol func(string) (uintptr, error)) (nvmlAPI, error) {
	n := &nvmlCalls{}
	for _, f := range []struct {
		to       *uintptr
		name     string
		optional bool
	}{
		{&n.init, "nvmlInit_v2", false},
		{&n.down, "nvmlShutdown", false},
		{&n.count, "nvmlDeviceGetCount_v2", false},
		{&n.handle, "nvmlDeviceGetHandleByIndex_v2", false},
		{&n.label, "nvmlDeviceGetName", false},
		{&n.energy, "nvmlDeviceGetTotalEnergyConsumption", true},
		{&n.power, "nvmlDeviceGetPowerUsage", false},
	} {
		p, err := symbol(f.name)
		if err != nil && !f.optional {
			return nil, fmt.Errorf("NVML library without %s: %w", f.name, err)
		}
		*f.to = p
	}
	return n, nil
}

// call returns NVML's code, a C int in the low half of the register.
func call(f uintptr, args ...uintptr) int {
	if f == 0 {
		return nvmlNotSupported
	}
	r, _, _ := purego.SyscallN(f, args...)
	return int(int32(r))
}

func (n *nvmlCalls) initialise() int { return call(n.init) }
func (n *nvmlCalls) shutdown() int   { return call(n.down) }

func (n *nvmlCalls) deviceCount() (int, int) {
	c := new(uint32)
	code := call(n.count, uintptr(unsafe.Pointer(c)))
	runtime.KeepAlive(c)
	return int(*c), code
}

func (n *nvmlCalls) device(index int) (nvmlDevice, int) {
	d := new(uintptr)
	code := call(n.handle, uintptr(index), uintptr(unsafe.Pointer(d)))
	runtime.KeepAlive(d)
	return nvmlDevice(*d), code
}

func (n *nvmlCalls) name(d nvmlDevice) (string, int) {
	b := make([]byte, 96) // NVML_DEVICE_NAME_V2_BUFFER_SIZE
	code := call(n.label, uintptr(d), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
	s, _, _ := bytes.Cut(b, []byte{0})
	return string(s), code
}

func (n *nvmlCalls) totalEnergy(d nvmlDevice) (uint64, int) {
	e := new(uint64)
	code := call(n.energy, uintptr(d), uintptr(unsafe.Pointer(e)))
	runtime.KeepAlive(e)
	return *e, code
}

func (n *nvmlCalls) powerUsage(d nvmlDevice) (uint32, int) {
	w := new(uint32)
	code := call(n.power, uintptr(d), uintptr(unsafe.Pointer(w)))
	runtime.KeepAlive(w)
	return *w, code
}
