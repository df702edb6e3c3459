//go:build nogpu || !(linux || windows) || !(amd64 || arm64)

package cuda

import "github.com/totemgo/totemgo/kernels/gpu/device"

const absent = "this build has no CUDA"

// Driver is a CUDA driver; this build has none.
type Driver struct{}

// Open returns device.ErrNoDriver.
func Open(Options) (*Driver, error) { return nil, noDriver(0, absent) }

// Kind returns "cuda".
func (*Driver) Kind() string { return "cuda" }

// Devices returns device.ErrNoDriver.
func (*Driver) Devices() ([]device.Info, error) { return nil, noDriver(0, absent) }

// Open returns device.ErrNoDriver.
func (*Driver) Open(int) (device.Device, error) { return nil, noDriver(0, absent) }
