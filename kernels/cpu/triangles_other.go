//go:build !amd64 || noasm

package cpu

// countBitsOf returns the function of this processor.
func countBitsOf() func(row, list, hits []uint32) uint32 { return countBitsGeneric }
