//go:build !cuda

package engine

import "github.com/totemgo/totemgo/kernels/gpu/device"

// deviceKinds are the kinds of devices that this build drives.
var deviceKinds = []string{"opencl"}

func openCUDA() (driver, error) {
	return nil, &device.Error{Op: "Open", Device: "cuda", Err: device.ErrNoDriver,
		Detail: "CUDA devices need the binary totemgo-cuda; any vendor's GPU runs as opencl:N"}
}
