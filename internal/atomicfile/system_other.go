//go:build !linux

package atomicfile

import (
	"errors"
	"os"
)

// allocate gives the file a size: other systems reserve no blocks, or slowly.
func allocate(f *os.File, size int64) error { return f.Truncate(size) }

// descriptor knows no names of open files but those of devices.
func descriptor(string) int { return -1 }

func duplicate(int, string) (*os.File, error) { return nil, errors.ErrUnsupported }
