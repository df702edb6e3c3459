//go:build !darwin && !linux

package hugemem

func mapAligned(_, _ int) []byte { return nil }
func unmap([]byte)               {}
