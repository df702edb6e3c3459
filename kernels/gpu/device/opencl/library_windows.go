//go:build !nogpu && windows && (amd64 || arm64)

package opencl

import "syscall"

// loaders are the libraries to try, in order.
func loaders() []string { return []string{"OpenCL.dll"} }

func openLibrary(path string) (uintptr, error) {
	h, err := syscall.LoadLibrary(path)
	return uintptr(h), err
}

func symbol(library uintptr, name string) (uintptr, error) {
	return syscall.GetProcAddress(syscall.Handle(library), name)
}
