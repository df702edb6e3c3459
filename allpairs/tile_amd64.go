//go:build amd64 && !noasm

package allpairs

import "github.com/totemgo/totemgo/internal/cpufeat"

//go:noescape
func productF32AVX512(c, a, b *float32)

//go:noescape
func productI32AVX512(c, a, b *int32)

//go:noescape
func productF64AVX512(c, a, b *float64)

//go:noescape
func widestF32AVX512(c, a, b *float32)

//go:noescape
func widestI32AVX512(c, a, b *int32)

//go:noescape
func widestF64AVX512(c, a, b *float64)

//go:noescape
func productF32AVX2(c, a, b *float32)

//go:noescape
func productI32AVX2(c, a, b *int32)

//go:noescape
func productF64AVX2(c, a, b *float64)

//go:noescape
func widestF32AVX2(c, a, b *float32)

//go:noescape
func widestI32AVX2(c, a, b *int32)

//go:noescape
func widestF64AVX2(c, a, b *float64)

//go:noescape
func stepF32AVX2(c, a, b *float32)

//go:noescape
func stepI32AVX2(c, a, b *int32)

//go:noescape
func stepF64AVX2(c, a, b *float64)

//go:noescape
func widenF32AVX2(c, a, b *float32)

//go:noescape
func widenI32AVX2(c, a, b *int32)

//go:noescape
func widenF64AVX2(c, a, b *float64)

//go:noescape
func rateF32AVX512(turns int)

//go:noescape
func rateI32AVX512(turns int)

//go:noescape
func rateF64AVX512(turns int)

//go:noescape
func rateF32AVX2(turns int)

//go:noescape
func rateI32AVX2(turns int)

//go:noescape
func rateF64AVX2(turns int)

// assembly holds the kernels of this processor by type, best first.
func assembly() (f32 []kernels[float32], i32 []kernels[int32], f64 []kernels[float64]) {
	f := cpufeat.Get()
	if f.AVX512 {
		f32 = append(f32, asmKernels("avx512", productF32AVX512, stepF32AVX2, widestF32AVX512, widenF32AVX2, rateF32AVX512, 16*16))
		i32 = append(i32, asmKernels("avx512", productI32AVX512, stepI32AVX2, widestI32AVX512, widenI32AVX2, rateI32AVX512, 16*16))
		f64 = append(f64, asmKernels("avx512", productF64AVX512, stepF64AVX2, widestF64AVX512, widenF64AVX2, rateF64AVX512, 16*8))
	}
	if f.AVX2 {
		f32 = append(f32, asmKernels("avx2", productF32AVX2, stepF32AVX2, widestF32AVX2, widenF32AVX2, rateF32AVX2, 8*8))
		i32 = append(i32, asmKernels("avx2", productI32AVX2, stepI32AVX2, widestI32AVX2, widenI32AVX2, rateI32AVX2, 8*8))
		f64 = append(f64, asmKernels("avx2", productF64AVX2, stepF64AVX2, widestF64AVX2, widenF64AVX2, rateF64AVX2, 8*4))
	}
	return f32, i32, f64
}

// asmKernels wraps assembly, which reads and writes the bytes that the wrappers have compared
// with the slices' lengths.
func asmKernels[T Value](name string, product, step, widest, widen func(c, a, b *T), rate func(int), operations int) kernels[T] {
	whole := func(f func(c, a, b *T)) func(c, a, b []T) {
		return func(c, a, b []T) { f(&c[:tileLen][0], &a[:tileLen][0], &b[:tileLen][0]) }
	}
	one := func(f func(c, a, b *T)) func(c, a, b []T) {
		return func(c, a, b []T) { f(&c[:tileLen][0], &a[:tileLen-Side+1][0], &b[:Side][0]) }
	}
	return kernels[T]{name, [2]algebra[T]{{whole(product), one(step)}, {whole(widest), one(widen)}}, rate, operations}
}
