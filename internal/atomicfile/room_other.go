//go:build !darwin && !freebsd && !linux && !windows

package atomicfile

import (
	"errors"
	"os"
)

func room(*os.File) (uint64, error) { return 0, errors.ErrUnsupported }
