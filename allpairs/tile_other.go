//go:build !amd64 || noasm

package allpairs

func assembly() (f32 []kernels[float32], i32 []kernels[int32], f64 []kernels[float64]) { return }
