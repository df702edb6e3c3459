//go:build darwin || linux

package hugemem

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// maps tells whether the system has mappings.
const maps = true

// mapAligned returns size bytes of fresh zeroes at a multiple of align, or nil.
// Both are multiples of the page size, align a power of two.
func mapAligned(size, align int) []byte {
	extra := align - unix.Getpagesize()
	p, err := unix.MmapPtr(-1, 0, nil, uintptr(size+extra), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil
	}
	all := unsafe.Slice((*byte)(p), size+extra)
	skip := int(-uintptr(p) & uintptr(align-1))
	unmap(all[:skip])
	unmap(all[skip+size:])
	return all[skip : skip+size : skip+size]
}

// unmap gives whole pages back.
func unmap(m []byte) {
	if len(m) > 0 {
		// It fails only for pages that are no mapping, and these are one.
		_ = unix.MunmapPtr(unsafe.Pointer(unsafe.SliceData(m)), uintptr(len(m)))
	}
}
