package gen

import (
	"errors"
	"fmt"
)

// ErrOption marks every error that options cause: a value outside its range, or
// values that contradict each other. A value outside its range is a *RangeError.
var ErrOption = errors.New("gen: bad option")

// ErrRange is returned where a range of edges is asked for that the graph does not
// have.
var ErrRange = errors.New("gen: no such range of edges")

// ErrAlloc is returned where the machine has less memory at hand than the edges take.
var ErrAlloc = errors.New("gen: not enough memory")

// RangeError is an option with a value outside what is allowed. It wraps ErrOption.
type RangeError struct {
	Option   string // name of the option: "scale", "edge factor", …
	Value    int64
	Min, Max int64 // the allowed values, both included
}

// Error names the option, its value and the allowed range.
func (e *RangeError) Error() string {
	return fmt.Sprintf("gen: %s %d is outside %d..%d", e.Option, e.Value, e.Min, e.Max)
}

// Unwrap returns ErrOption.
func (e *RangeError) Unwrap() error { return ErrOption }

func checkRange(option string, v, lo, hi int64) error {
	if v < lo || v > hi {
		return &RangeError{Option: option, Value: v, Min: lo, Max: hi}
	}
	return nil
}
