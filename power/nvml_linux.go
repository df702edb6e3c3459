//go:build !nogpu && linux && (amd64 || arm64)

package power

import (
	"cmp"
	"fmt"

	"github.com/ebitengine/purego"
)

// nvmlName is what the driver installs.
const nvmlName = "libnvidia-ml.so.1"

// loadNVML opens the library called name, nvmlName if that is "". The library stays
// loaded: the driver's own threads may run in it.
func loadNVML(name string) (*nvmlAPI, error) {
	name = cmp.Or(name, nvmlName)
	h, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("%s not found", name)
	}
	return nvmlResolve(func(f string) (uintptr, error) { return purego.Dlsym(h, f) })
}
