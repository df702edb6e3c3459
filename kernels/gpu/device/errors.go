package device

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Classes of errors, wrapped by *Error.
var (
	// ErrNoDriver is returned by Open where no driver can be loaded, or the build has none.
	ErrNoDriver = errors.New("no driver")
	// ErrNoDevice is returned for a device that does not exist.
	ErrNoDevice = errors.New("no such device")
	// ErrUnavailable is returned by Open for a device that is listed and does not open.
	ErrUnavailable = errors.New("the device does not open")
	// ErrMemory is returned where an allocation fails or exceeds a limit; the device stays
	// usable.
	ErrMemory = errors.New("out of device memory")
	// ErrBuild is returned where a program does not compile, link or load.
	ErrBuild = errors.New("the program does not build")
	// ErrLost is permanent: after a fault of the device every operation returns it, and what
	// was made from the device can only be freed.
	ErrLost = errors.New("the device is lost")
)

// Error is a failed operation of a device.
type Error struct {
	// Op is the operation: "NewBuffer", "Launch topdown_thread".
	Op string
	// Device is the name of the device, "opencl:0", or of the driver, "opencl".
	Device string
	// Code is the driver's error code, or 0.
	Code int
	// Detail is further text of the driver, such as a compiler's log.
	Detail string
	// Err is the class, one of this package's errors, or nil.
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
		text += ": "
		for i, line := range strings.Split(e.Detail, "\n") {
			if i > 0 {
				text += "\n"
			}
			text += Printable(strings.ReplaceAll(line, "\t", " "))
		}
	}
	return text
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Printable escapes control codes, newlines among them, and bytes that are not UTF-8: texts of drivers
// go to terminals.
func Printable(s string) string {
	quoted := strconv.Quote(s)
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(quoted[1 : len(quoted)-1])
}
