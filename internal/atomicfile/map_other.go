//go:build !linux

package atomicfile

import (
	"errors"
	"fmt"
)

// Map is for Linux.
func (f *File) Map(int64) ([]byte, error) {
	return nil, fmt.Errorf("%s: %w: mapping", f.name, errors.ErrUnsupported)
}
