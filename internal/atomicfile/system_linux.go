package atomicfile

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// allocate reserves the file's blocks on the disk.
func allocate(f *os.File, size int64) error { return unix.Fallocate(int(f.Fd()), 0, 0, size) }

// descriptor is the open file of this process that a path in /proc names, as /dev/stderr leads to; -1 for others.
func descriptor(path string) int {
	fd, err := strconv.Atoi(filepath.Base(path))
	if err != nil || filepath.Dir(path) != fmt.Sprintf("/proc/%d/fd", os.Getpid()) {
		return -1
	}
	return fd
}

// duplicate returns another handle of an open file, at the same place in it.
func duplicate(fd int, name string) (*os.File, error) {
	again, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(again), name), nil
}
