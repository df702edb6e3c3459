//go:build !nogpu && (amd64 || arm64)

package cuda

import "syscall"

// drivers are the libraries to try, in order.
func drivers() []string { return []string{"nvcuda.dll"} }

// compilers are the libraries of NVRTC to try for a driver of a CUDA release such as 12.
func compilers(release int) (list []string) {
	names := map[int]string{13: "nvrtc64_130_0.dll", 12: "nvrtc64_120_0.dll", 11: "nvrtc64_112_0.dll"}
	for r := min(release, 13); r >= 11; r-- {
		list = append(list, names[r])
	}
	return list
}

func openLibrary(path string) (uintptr, error) {
	h, err := syscall.LoadLibrary(path)
	return uintptr(h), err
}

func symbol(library uintptr, name string) (uintptr, error) {
	return syscall.GetProcAddress(syscall.Handle(library), name)
}
