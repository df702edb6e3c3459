package cuda

import "github.com/totemgo/totemgo/kernels/gpu/device"

// Environment variables that name other libraries.
const (
	LibraryVariable  = "TOTEMGO_CUDA"  // the driver
	CompilerVariable = "TOTEMGO_NVRTC" // the compiler NVRTC
)

// Options say which libraries to load. The zero value means the system's.
type Options struct {
	// Library is the path of libcuda; empty means the value of LibraryVariable, and if that is
	// empty the system's.
	Library string
	// Compiler is the path of libnvrtc, likewise with CompilerVariable.
	Compiler string
}

func noDriver(code int, detail string) error {
	return &device.Error{Op: "Open", Device: "cuda", Code: code, Detail: detail, Err: device.ErrNoDriver}
}
