package atomicfile

import "golang.org/x/sys/windows"

// room is the bytes that a file in dir may grow by.
func room(dir string) (free uint64, err error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err == nil {
		err = windows.GetDiskFreeSpaceEx(name, &free, nil, nil)
	}
	return free, err
}
