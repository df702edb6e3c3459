//go:build !nogpu && ((linux && (amd64 || arm64)) || (windows && amd64))

package power

import (
	"fmt"

	"github.com/ebitengine/purego"
)

// nvmlResolve finds the functions in the loaded library; the energy counter may be missing in old drivers. The _v2 names
// are the ones nvml.h maps the plain names to since NVML 3.
func nvmlResolve(symbol func(string) (uintptr, error)) (*nvmlAPI, error) {
	n := &nvmlAPI{}
	for _, f := range []struct {
		to   any
		name string
	}{
		{&n.initialise, "nvmlInit_v2"},
		{&n.shutdown, "nvmlShutdown"},
		{&n.deviceCount, "nvmlDeviceGetCount_v2"},
		{&n.device, "nvmlDeviceGetHandleByIndex_v2"},
		{&n.name, "nvmlDeviceGetName"},
		{&n.totalEnergy, "nvmlDeviceGetTotalEnergyConsumption"},
		{&n.powerUsage, "nvmlDeviceGetPowerUsage"},
	} {
		p, err := symbol(f.name)
		switch {
		case err == nil:
			purego.RegisterFunc(f.to, p)
		case f.to == &n.totalEnergy:
			n.totalEnergy = func(nvmlDevice, *uint64) nvmlCode { return nvmlNotSupported }
		default:
			return nil, fmt.Errorf("NVML library without %s: %w", f.name, err)
		}
	}
	return n, nil
}
