//go:build !linux

package atomicfile

import (
	"errors"
	"os"
)

// allocate gives the file a size: other systems reserve no blocks, or slowly.
func allocate(f *os.File, size int64) error { return f.Truncate(size) }

// duplicate is not reached: descriptors does not exist.
func duplicate(string) (*os.File, error) { return nil, errors.ErrUnsupported }
