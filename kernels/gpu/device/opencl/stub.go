//go:build nogpu || !(linux || darwin || windows) || !(amd64 || arm64)

package opencl

import "github.com/totemgo/totemgo/kernels/gpu/device"

// Driver is an OpenCL driver; this build has none.
type Driver struct{}

// Open returns device.ErrNoDriver.
func Open(Options) (*Driver, error) { return nil, noDriver("this build has no OpenCL") }

// Kind returns "opencl".
func (*Driver) Kind() string { return "opencl" }

// Devices returns device.ErrNoDriver.
func (*Driver) Devices() ([]device.Info, error) { return nil, noDriver("this build has no OpenCL") }

// Open returns device.ErrNoDriver.
func (*Driver) Open(int) (device.Device, error) { return nil, noDriver("this build has no OpenCL") }
