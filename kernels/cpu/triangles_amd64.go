//go:build amd64 && !noasm

package cpu

import "github.com/totemgo/totemgo/internal/cpufeat"

// countBitsOf returns the function of this processor.
func countBitsOf() func(row, list, hits []uint32) uint32 {
	if cpufeat.Get().AVX512 {
		return countBits512
	}
	return countBitsGeneric
}

// countBits512 relies on list's entries being below 32 × the length of row.
func countBits512(row, list, hits []uint32) uint32 {
	if len(list) == 0 {
		return 0
	}
	_ = hits[len(list)-1]
	return countBitsAVX512(row, list, hits)
}

//go:noescape
func countBitsAVX512(row, list, hits []uint32) uint32
