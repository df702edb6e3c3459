//go:build amd64 && !noasm

package cpu

import "github.com/totemgo/totemgo/internal/cpufeat"

// pullManyOf returns the function of this processor.
func pullManyOf() func(*manyBlock) {
	f, pull := cpufeat.Get(), pullManyAVX512
	if !f.AVX2 {
		return pullManyGeneric
	}
	if !f.AVX512 {
		pull = pullManyAVX2
	}
	return func(b *manyBlock) { // of neighbours that are ranks below the length of front
		if n := len(b.ends); n > 0 {
			_, _, _ = b.seen[n-1], b.next[n-1], b.counts[n-1]
			_ = b.neighbours[b.start:b.ends[n-1]]
			pull(b)
		}
	}
}

//go:noescape
func pullManyAVX512(b *manyBlock)

//go:noescape
func pullManyAVX2(b *manyBlock)
