//go:build !darwin && !linux

package hugemem

// maps tells whether the system has mappings.
const maps = false

func mapAligned(_, _ int) []byte { return nil }
func unmap([]byte)               {}
