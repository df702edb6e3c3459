package opencl

import "github.com/totemgo/totemgo/kernels/gpu/device"

// LoaderVariable is the environment variable that names another loader library.
const LoaderVariable = "TOTEMGO_OPENCL"

// Options say which driver to open. The zero value opens the system's.
type Options struct {
	// Loader is the path of the ICD loader or of one driver; empty means the value
	// of LoaderVariable, and if that is empty the system's loader.
	Loader string
}

func noDriver(detail string) error {
	return &device.Error{Op: "Open", Device: "opencl", Detail: detail, Err: device.ErrNoDriver}
}
