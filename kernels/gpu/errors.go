package gpu

import (
	"errors"
	"fmt"
)

var (
	// ErrOptions is returned for invalid options, and for names of none.
	ErrOptions = errors.New("gpu: bad options")
	// ErrGroup is returned by Build for a device whose work-groups have less than 32 lanes.
	ErrGroup = errors.New("the device's work-groups are too small")
	// ErrTooLarge is returned by Load for a range of too many chunks, or 32 rows that exceed
	// the device's largest allocation.
	ErrTooLarge = errors.New("the partition does not fit the device")
	// ErrNotInPlace is returned by New for OnHost and Split where the device does not read
	// host memory in place.
	ErrNotInPlace = errors.New("the device cannot read the host's memory in place")
)

// Error is a failed operation of a processor. It wraps a *device.Error, ErrTooLarge
// or ErrNotInPlace.
type Error struct {
	Op     string // the method of kernels.Processor
	Device string
	Err    error
}

func (e *Error) Error() string { return fmt.Sprintf("gpu: %s on %s: %v", e.Op, e.Device, e.Err) }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }
