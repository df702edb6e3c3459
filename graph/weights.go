package graph

import (
	"fmt"
	"math"
	"strconv"
)

// Weight is the set of types a weight can have.
type Weight interface {
	int32 | int64 | float32 | float64
}

// WeightKind says which type the weights of a graph have.
type WeightKind uint8

// The kinds of weights. Their numbers are part of the native file format.
const (
	Unweighted WeightKind = iota
	Int32
	Int64
	Float32
	Float64
)

// String is the name of the kind's Go type, or "unweighted".
func (k WeightKind) String() string {
	switch k {
	case Unweighted:
		return "unweighted"
	case Int32:
		return "int32"
	case Int64:
		return "int64"
	case Float32:
		return "float32"
	case Float64:
		return "float64"
	}
	return fmt.Sprintf("WeightKind(%d)", uint8(k))
}

// Size is the number of bytes of one weight of the kind, 0 for Unweighted.
func (k WeightKind) Size() int { return [...]int{0, 4, 8, 4, 8}[k] }

// Weights is a slice of weights of one kind. The zero value holds none.
type Weights struct {
	kind WeightKind
	i32  []int32
	i64  []int64
	f32  []float32
	f64  []float64
}

// WeightsOf wraps a slice of weights; the slice is not copied.
func WeightsOf[T Weight](s []T) Weights {
	switch s := any(s).(type) {
	case []int32:
		return Weights{kind: Int32, i32: s}
	case []int64:
		return Weights{kind: Int64, i64: s}
	case []float32:
		return Weights{kind: Float32, f32: s}
	case []float64:
		return Weights{kind: Float64, f64: s}
	}
	panic("unreachable")
}

// WeightsAs returns the slice inside w, not a copy, or ErrWeightKind if w holds
// weights of another kind.
func WeightsAs[T Weight](w Weights) ([]T, error) {
	var s any
	switch w.kind {
	case Int32:
		s = w.i32
	case Int64:
		s = w.i64
	case Float32:
		s = w.f32
	case Float64:
		s = w.f64
	}
	if t, ok := s.([]T); ok {
		return t, nil
	}
	var zero T
	return nil, fmt.Errorf("%w: have %v, want %T", ErrWeightKind, w.kind, zero)
}

// MakeWeights returns n zero weights of the kind.
func MakeWeights(k WeightKind, n int) Weights {
	switch k {
	case Int32:
		return WeightsOf(make([]int32, n))
	case Int64:
		return WeightsOf(make([]int64, n))
	case Float32:
		return WeightsOf(make([]float32, n))
	case Float64:
		return WeightsOf(make([]float64, n))
	}
	return Weights{}
}

// Kind is the kind of the weights, Unweighted if there are none.
func (w Weights) Kind() WeightKind { return w.kind }

// Len is the number of weights.
func (w Weights) Len() int { return len(w.i32) + len(w.i64) + len(w.f32) + len(w.f64) }

// Slice returns weights lo … hi−1, sharing memory. Slicing an Unweighted value
// returns it unchanged.
func (w Weights) Slice(lo, hi int) Weights {
	switch w.kind {
	case Int32:
		w.i32 = w.i32[lo:hi:hi]
	case Int64:
		w.i64 = w.i64[lo:hi:hi]
	case Float32:
		w.f32 = w.f32[lo:hi:hi]
	case Float64:
		w.f64 = w.f64[lo:hi:hi]
	}
	return w
}

// Copy copies weight j of src, which must be of the same kind, to weight i.
func (w Weights) Copy(i int, src Weights, j int) {
	switch w.kind {
	case Int32:
		w.i32[i] = src.i32[j]
	case Int64:
		w.i64[i] = src.i64[j]
	case Float32:
		w.f32[i] = src.f32[j]
	case Float64:
		w.f64[i] = src.f64[j]
	}
}

// Less tells whether weight i is below weight j of v, which must be of the same
// kind.
func (w Weights) Less(i int, v Weights, j int) bool {
	switch w.kind {
	case Int32:
		return w.i32[i] < v.i32[j]
	case Int64:
		return w.i64[i] < v.i64[j]
	case Float32:
		return w.f32[i] < v.f32[j]
	case Float64:
		return w.f64[i] < v.f64[j]
	}
	return false
}

// Float64 returns weight i as a float64. An int64 beyond 2^53 is rounded.
func (w Weights) Float64(i int) float64 {
	switch w.kind {
	case Int32:
		return float64(w.i32[i])
	case Int64:
		return float64(w.i64[i])
	case Float32:
		return float64(w.f32[i])
	case Float64:
		return w.f64[i]
	}
	return 1
}

// Convert returns the weights as another kind. It fails with ErrWeightLoss, naming
// the first weight that would change, where the conversion is not exact.
func (w Weights) Convert(k WeightKind) (Weights, error) {
	if k == w.kind {
		return w, nil
	}
	if w.kind == Unweighted || k == Unweighted {
		return Weights{}, fmt.Errorf("%w: have %v, want %v", ErrWeightKind, w.kind, k)
	}
	n := w.Len()
	out := MakeWeights(k, n)
	for i := range n {
		if !out.set(i, w, i) {
			return Weights{}, fmt.Errorf("%w: weight %s at record %d has no exact %v", ErrWeightLoss, w.Format(i), i, k)
		}
	}
	return out, nil
}

// set stores weight j of src in place i, and tells whether the value is exact.
func (w Weights) set(i int, src Weights, j int) bool {
	isInt := src.kind == Int32 || src.kind == Int64
	if isInt {
		v := int64(0)
		if src.kind == Int32 {
			v = int64(src.i32[j])
		} else {
			v = src.i64[j]
		}
		switch w.kind {
		case Int32:
			w.i32[i] = int32(v)
			return int64(int32(v)) == v
		case Int64:
			w.i64[i] = v
			return true
		case Float32:
			f := float32(v)
			w.f32[i] = f
			return exactInt(float64(f), v)
		default:
			f := float64(v)
			w.f64[i] = f
			return exactInt(f, v)
		}
	}
	v := src.Float64(j)
	switch w.kind {
	case Int32:
		if !(v >= math.MinInt32 && v <= math.MaxInt32) {
			return false
		}
		w.i32[i] = int32(v)
		return float64(int32(v)) == v
	case Int64:
		if !(v >= -(1<<63) && v < 1<<63) {
			return false
		}
		w.i64[i] = int64(v)
		return float64(int64(v)) == v
	case Float32:
		w.f32[i] = float32(v)
		return float64(float32(v)) == v || v != v
	default:
		w.f64[i] = v
		return true
	}
}

// exactInt tells whether f is exactly v. The bounds keep int64(f) defined.
func exactInt(f float64, v int64) bool { return f >= -(1<<63) && f < 1<<63 && int64(f) == v }

// Format returns weight i in the shortest form that reads back to the same value.
func (w Weights) Format(i int) string { return string(w.Append(nil, i)) }

// Append appends weight i to dst as text, in the shortest form that reads back to
// the same value of the same kind.
func (w Weights) Append(dst []byte, i int) []byte {
	switch w.kind {
	case Int32:
		return strconv.AppendInt(dst, int64(w.i32[i]), 10)
	case Int64:
		return strconv.AppendInt(dst, w.i64[i], 10)
	case Float32:
		return strconv.AppendFloat(dst, float64(w.f32[i]), 'g', -1, 32)
	case Float64:
		return strconv.AppendFloat(dst, w.f64[i], 'g', -1, 64)
	}
	return dst
}

// addTo adds weight j to weight i, and tells whether the sum lies in the range of
// the kind.
func (w Weights) addTo(i, j int) bool {
	switch w.kind {
	case Int32:
		sum := int64(w.i32[i]) + int64(w.i32[j])
		w.i32[i] = int32(sum)
		return int64(int32(sum)) == sum
	case Int64:
		a, b := w.i64[i], w.i64[j]
		w.i64[i] = a + b
		return (a+b < a) == (b < 0)
	case Float32:
		w.f32[i] += w.f32[j]
		return !math.IsInf(float64(w.f32[i]), 0)
	case Float64:
		w.f64[i] += w.f64[j]
		return !math.IsInf(w.f64[i], 0)
	}
	return true
}
