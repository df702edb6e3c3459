//go:build !nogpu

package power

import (
	"fmt"

	"golang.org/x/sys/windows"
)

// loadNVML opens the library called name, the driver's nvml.dll if that is "".
func loadNVML(name string) (*nvmlAPI, error) {
	var dll *windows.LazyDLL
	if name == "" {
		name = "nvml.dll"
		dll = windows.NewLazySystemDLL(name)
	} else {
		dll = windows.NewLazyDLL(name)
	}
	if err := dll.Load(); err != nil {
		return nil, fmt.Errorf("%s not found", name)
	}
	return nvmlResolve(func(f string) (uintptr, error) {
		p := dll.NewProc(f)
		if err := p.Find(); err != nil {
			return 0, err
		}
		return p.Addr(), nil
	})
}
