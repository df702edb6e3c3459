//go:build !darwin && !linux

package hugemem

func pageSize() int                { return 0 }
func mapAligned(_, _ int) []byte   { return nil }
func unmap([]byte)                 {}
func protect([]byte, Access) error { return ErrNotProtectable }
