//go:build amd64 && !noasm

package allpairs

import "github.com/totemgo/totemgo/internal/cpufeat"

//go:noescape
func productF32x512(c, a, b *float32)

//go:noescape
func productI32x512(c, a, b *int32)

//go:noescape
func productF64x512(c, a, b *float64)

//go:noescape
func widestF32x512(c, a, b *float32)

//go:noescape
func widestI32x512(c, a, b *int32)

//go:noescape
func widestF64x512(c, a, b *float64)

//go:noescape
func productF32x256(c, a, b *float32)

//go:noescape
func productI32x256(c, a, b *int32)

//go:noescape
func productF64x256(c, a, b *float64)

//go:noescape
func widestF32x256(c, a, b *float32)

//go:noescape
func widestI32x256(c, a, b *int32)

//go:noescape
func widestF64x256(c, a, b *float64)

//go:noescape
func stepF32x256(c, a, b *float32)

//go:noescape
func stepI32x256(c, a, b *int32)

//go:noescape
func stepF64x256(c, a, b *float64)

//go:noescape
func widenF32x256(c, a, b *float32)

//go:noescape
func widenI32x256(c, a, b *int32)

//go:noescape
func widenF64x256(c, a, b *float64)

//go:noescape
func rateF32x512(turns int)

//go:noescape
func rateI32x512(turns int)

//go:noescape
func rateF64x512(turns int)

//go:noescape
func rateF32x256(turns int)

//go:noescape
func rateI32x256(turns int)

//go:noescape
func rateF64x256(turns int)

// assembly holds the kernels of this processor by type, best first.
func assembly() (f32 []kernels[float32], i32 []kernels[int32], f64 []kernels[float64]) {
	f := cpufeat.Get()
	if f.AVX512 {
		f32 = append(f32, asmKernels("avx512", productF32x512, stepF32x256, widestF32x512, widenF32x256, rateF32x512, 16*16))
		i32 = append(i32, asmKernels("avx512", productI32x512, stepI32x256, widestI32x512, widenI32x256, rateI32x512, 16*16))
		f64 = append(f64, asmKernels("avx512", productF64x512, stepF64x256, widestF64x512, widenF64x256, rateF64x512, 16*8))
	}
	if f.AVX2 {
		f32 = append(f32, asmKernels("avx2", productF32x256, stepF32x256, widestF32x256, widenF32x256, rateF32x256, 8*8))
		i32 = append(i32, asmKernels("avx2", productI32x256, stepI32x256, widestI32x256, widenI32x256, rateI32x256, 8*8))
		f64 = append(f64, asmKernels("avx2", productF64x256, stepF64x256, widestF64x256, widenF64x256, rateF64x256, 8*4))
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
