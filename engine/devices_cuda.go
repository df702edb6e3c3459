//go:build cuda

package engine

import "github.com/totemgo/totemgo/kernels/gpu/device/cuda"

// deviceKinds are the kinds of devices that this build drives.
var deviceKinds = []string{"cuda", "opencl"}

func openCUDA() (driver, error) {
	d, err := cuda.Open()
	if err != nil {
		return nil, err
	}
	return d, nil
}
