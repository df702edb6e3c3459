//go:build !nogpu

package power

import (
	"fmt"

	"golang.org/x/sys/windows"
)

// loadNVML opens the library called name, the driver's nvml.dll if that is "".
func loadNVML(name string) (*nvmlAPI, error) {
	from := uintptr(0) // anywhere
	if name == "" {
		name, from = "nvml.dll", windows.LOAD_LIBRARY_SEARCH_SYSTEM32
	}
	h, err := windows.LoadLibraryEx(name, 0, from)
	if err != nil {
		return nil, fmt.Errorf("%s not found", name)
	}
	return nvmlResolve(func(f string) (uintptr, error) { return windows.GetProcAddress(h, f) })
}
