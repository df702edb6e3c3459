//go:build amd64 && !noasm

package cpu

import "github.com/totemgo/totemgo/program"

// checkRelax panics where the arrays do not cover a row.
func checkRelax[T program.Value](row []uint32, w []T, out []uint32) {
	if n := len(row); n > 0 {
		_, _ = w[n-1], out[n+restSlack-1]
	}
}

func relaxI32x512(row []uint32, w, dst []int32, x int32, out []uint32) int {
	checkRelax(row, w, out)
	return relaxI32AVX512(row, w, dst, x, out)
}

func relaxF32x512(row []uint32, w, dst []float32, x float32, out []uint32) int {
	checkRelax(row, w, out)
	return relaxF32AVX512(row, w, dst, x, out)
}

func relaxI64x512(row []uint32, w, dst []int64, x int64, out []uint32) int {
	checkRelax(row, w, out)
	return relaxI64AVX512(row, w, dst, x, out)
}

func relaxF64x512(row []uint32, w, dst []float64, x float64, out []uint32) int {
	checkRelax(row, w, out)
	return relaxF64AVX512(row, w, dst, x, out)
}

func prefetchRows(rows, offsets, neighbours, weights []uint32) {
	width := 0
	if len(neighbours) > 0 {
		width = 4 * (len(weights) / len(neighbours))
	}
	prefetchRowsAsm(rows, offsets, neighbours, weights, width)
}

//go:noescape
func prefetchRowsAsm(rows, offsets, neighbours, weights []uint32, width int)

//go:noescape
func relaxI32AVX512(row []uint32, w, dst []int32, x int32, out []uint32) int

//go:noescape
func relaxF32AVX512(row []uint32, w, dst []float32, x float32, out []uint32) int

//go:noescape
func relaxI64AVX512(row []uint32, w, dst []int64, x int64, out []uint32) int

//go:noescape
func relaxF64AVX512(row []uint32, w, dst []float64, x float64, out []uint32) int
