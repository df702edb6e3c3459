package device

import (
	"errors"
	"fmt"
)

// What can go wrong, beneath an *Error.
var (
	// ErrNoDriver is returned by a driver's Open where none can be loaded, or where
	// the build left it out.
	ErrNoDriver = errors.New("no driver")
	// ErrNoDevice is returned for a device that is not there.
	ErrNoDevice = errors.New("no such device")
	// ErrMemory is returned where an allocation fails or exceeds a limit.
	ErrMemory = errors.New("out of device memory")
	// ErrBuild is returned where a program does not compile or load.
	ErrBuild = errors.New("the program does not build")
	// ErrLost is returned by every operation after a fault of the device: nothing made
	// from it can be used any more, only freed.
	ErrLost = errors.New("the device is lost")
)

// Error is a failed operation of a device.
type Error struct {
	// Op is the operation: "NewBuffer", "Launch bfs_thread".
	Op string
	// Device is the name of the device, "opencl:0", or of the driver, "opencl".
	Device string
	// Code is the driver's own, or 0.
	Code int
	// Detail is what the driver said beyond the code, such as a compiler's log.
	Detail string
	// Err is the class of the error, one of this package's, or nil.
	Err error
}

func (e *Error) Error() string {
	text := e.Device + ": " + e.Op
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	if e.Code != 0 {
		text += fmt.Sprintf(" (code %d)", e.Code)
	}
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }
