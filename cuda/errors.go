package cuda

import (
	"fmt"
	"reflect"

	"github.com/totemgo/totemgo/kernels/gpu/device"
	"gorgonia.org/cu"
)

// status is a driver's code from a call of our own.
type status int

func (s status) Error() string { return fmt.Sprintf("status %d", int(s)) }

// code is the driver's number of an error; the module does not export its type.
func code(err error) int {
	if v := reflect.ValueOf(err); v.IsValid() && v.Kind() == reflect.Int {
		return int(v.Int())
	}
	return 0
}

// deviceUnavailable is CUDA_ERROR_DEVICE_UNAVAILABLE, which the module has no name for.
const deviceUnavailable = 46

// class is the error class of a driver's error.
func class(err error) error {
	switch code(err) {
	case int(cu.OutOfMemory):
		return device.ErrMemory
	case int(cu.NoDevice), int(cu.InvalidDevice):
		return device.ErrNoDevice
	case int(cu.InvalidPtx), int(cu.NoBinaryForGpu), int(cu.InvalidImage), int(cu.InvalidSource),
		int(cu.JitCompilerNotFound), int(cu.NotFound):
		return device.ErrBuild
	case int(cu.IllegalAddress), int(cu.IllegalInstruction), int(cu.MisalignedAddress), int(cu.InvalidAddressSpace),
		int(cu.InvalidPc), int(cu.HardwareStackError), int(cu.LaunchFailed), int(cu.LaunchTimeout), int(cu.Assert),
		int(cu.EccUncorrectable), int(cu.NvlinkUncorrectable), int(cu.ContextIsDestroyed), int(cu.Deinitialized),
		int(cu.Unknown), deviceUnavailable:
		return device.ErrLost
	}
	return nil
}
