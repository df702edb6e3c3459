//go:build darwin || freebsd || linux

package atomicfile

import "golang.org/x/sys/unix"

// room is the bytes that a file in dir may grow by.
func room(dir string) (uint64, error) {
	var disk unix.Statfs_t
	err := unix.Statfs(dir, &disk)
	return min(uint64(max(0, disk.Bavail)), 1<<62/max(1, uint64(disk.Bsize))) * uint64(disk.Bsize), err //nolint:unconvert // types differ by system
}
