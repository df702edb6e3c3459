//go:build !darwin && !freebsd && !linux && !windows

package atomicfile

import "errors"

func room(string) (uint64, error) { return 0, errors.ErrUnsupported }
