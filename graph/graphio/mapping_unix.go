//go:build unix

package graphio

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps the whole of a regular file for reading. It returns nil data where the
// file cannot be mapped, so that the caller reads it instead.
func mapFile(f *os.File, size int64) *mapping {
	if size <= 0 || int64(int(size)) != size {
		return nil
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil
	}
	return &mapping{data: data, unmap: unix.Munmap}
}

// advise tells the kernel that the mapping is read from front to back.
func (m *mapping) advise() {
	// A refused hint costs nothing but time.
	_ = unix.Madvise(m.data, unix.MADV_SEQUENTIAL)
}
