//go:build !nogpu && (linux || darwin) && (amd64 || arm64)

package opencl

import (
	"runtime"

	"github.com/ebitengine/purego"
)

// loaders are the libraries to try, in order.
func loaders() []string {
	if runtime.GOOS == "darwin" {
		return []string{"/System/Library/Frameworks/OpenCL.framework/OpenCL"}
	}
	return []string{"libOpenCL.so.1", "libOpenCL.so"}
}

func openLibrary(path string) (uintptr, error) {
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func symbol(library uintptr, name string) (uintptr, error) { return purego.Dlsym(library, name) }
