package atomicfile

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// room is the bytes that a file may grow by.
func room(f *os.File) (free uint64, err error) {
	dir, err := windows.UTF16PtrFromString(filepath.Dir(f.Name()))
	if err == nil {
		err = windows.GetDiskFreeSpaceEx(dir, &free, nil, nil)
	}
	return free, err
}
