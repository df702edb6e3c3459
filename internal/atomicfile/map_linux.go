package atomicfile

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// Map gives the file a size, reserves its blocks on the disk, and maps it for writing, until Close or Remove. The error
// wraps errors.ErrUnsupported for what is no new regular file, and unix.ENOSPC where the disk has less room.
func (f *File) Map(size int64) ([]byte, error) {
	if f.temporary == "" || f.mapped != nil || size <= 0 || int64(int(size)) != size {
		return nil, fmt.Errorf("%s: %w: mapping", f.name, errors.ErrUnsupported)
	}
	fd := int(f.file.Fd())
	var disk unix.Statfs_t
	err := unix.Fstatfs(fd, &disk)
	free := int64(min(disk.Bavail, 1<<62/uint64(max(1, disk.Bsize)))) * disk.Bsize
	if err == nil && free < size {
		err = unix.ENOSPC
	}
	if err == nil {
		err = unix.Fallocate(fd, 0, 0, size)
	}
	if errors.Is(err, errors.ErrUnsupported) { // no reservation
		err = f.file.Truncate(size)
	}
	if errors.Is(err, unix.ENOSPC) {
		return nil, fmt.Errorf("%s: %d bytes do not fit on the disk, which has %d: %w", f.name, size, free, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	m, err := unix.Mmap(fd, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: mapping: %w", f.name, errors.ErrUnsupported, err)
	}
	f.mapped, f.unmap = m, unix.Munmap
	return m, nil
}
