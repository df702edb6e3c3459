package gpu

import (
	"errors"
	"fmt"
)

var (
	// ErrOptions is returned by New and ParseStrategy for options that make no sense.
	ErrOptions = errors.New("gpu: bad options")
	// ErrTooLarge is returned by Load where the partition does not fit the device.
	ErrTooLarge = errors.New("the partition does not fit the device")
	// ErrNotInPlace is returned by New where the graph is to lie in the host's memory and
	// the device does not read that in place.
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

func (e *Error) Unwrap() error { return e.Err }
