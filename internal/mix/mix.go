// Package mix makes random numbers of integers: SplitMix64 (Steele, Lea and Flood, 2014).
package mix

import "math/bits"

// Golden is 2^64 over the golden ratio, odd: the step of SplitMix64's state.
const Golden = 0x9e3779b97f4a7c15

// Mix mixes all bits of x into all bits: the finalizer of SplitMix64.
func Mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// Below takes 64 random bits to 0 … n−1; n = 0 stands for 2^64. The bias is below n/2^64.
func Below(x, n uint64) uint64 {
	if n == 0 {
		return x
	}
	high, _ := bits.Mul64(x, n)
	return high
}
