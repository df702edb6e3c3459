//go:build amd64 && !noasm

package allpairs

import (
	"unsafe"

	"github.com/totemgo/totemgo/internal/cpufeat"
)

// tileAVX512 runs 3 × a type's number + 0 the product of Shortest, 1 that of Widest, 2 rate, with terms as the turns.
//
//go:noescape
func tileAVX512(op, terms int, c, a, b, next unsafe.Pointer)

//go:noescape
func tileAVX2(op, terms int, c, a, b, next unsafe.Pointer)

// assembly lists the kernels of this processor, best first.
func assembly[T Value]() (list []kernels[T]) {
	if cpufeat.Get().AVX512 {
		list = append(list, asmKernels[T]("avx512", tileAVX512, 16*64))
	}
	if cpufeat.Get().AVX2 {
		list = append(list, asmKernels[T]("avx2", tileAVX2, 8*32))
	}
	return list
}

// asmKernels wraps assembly, which reads and writes the bytes that the wrapper has compared with the slices'
// lengths. A turn of rate adds up so many bytes of values.
func asmKernels[T Value](name string, tile func(op, terms int, c, a, b, next unsafe.Pointer), bytes int) kernels[T] {
	first := map[any]int{float32(0): 0, int32(0): 3, float64(0): 6}[any(T(0))]
	k := kernels[T]{name: name, operations: bytes / int(unsafe.Sizeof(T(0)))}
	k.rate = func(turns int) { tile(first+2, turns, nil, nil, nil, nil) }
	for by := range k.product {
		k.product[by] = func(c, a, b, next []T, terms int) {
			tile(first+by, terms, unsafe.Pointer(&c[:tileLen][0]), unsafe.Pointer(&a[:tileLen-Side+terms][0]),
				unsafe.Pointer(&b[:terms*Side][0]), unsafe.Pointer(unsafe.SliceData(next)))
		}
	}
	return k
}
