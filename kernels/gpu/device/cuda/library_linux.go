//go:build !nogpu && (amd64 || arm64)

package cuda

import "github.com/ebitengine/purego"

// drivers are the libraries to try, in order: the system's, then those of containers and WSL.
func drivers() []string {
	return []string{"libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"}
}

// compilers are the libraries of NVRTC to try for a driver of a CUDA release such as 12.
func compilers(release int) (list []string) {
	names := map[int]string{13: "libnvrtc.so.13", 12: "libnvrtc.so.12", 11: "libnvrtc.so.11.2"}
	for r := min(release, 13); r >= 11; r-- {
		list = append(list, names[r], "/usr/local/cuda/lib64/"+names[r], "/opt/cuda/lib64/"+names[r])
	}
	return list
}

func openLibrary(path string) (uintptr, error) {
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func symbol(library uintptr, name string) (uintptr, error) { return purego.Dlsym(library, name) }
