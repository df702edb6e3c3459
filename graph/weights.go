package graph

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"unsafe"
)

// Weight is the set of types a weight can have.
type Weight interface {
	int32 | int64 | float32 | float64
}

// WeightKind is the type of the weights of a graph.
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
	if k > Float64 {
		return fmt.Sprintf("WeightKind(%d)", uint8(k))
	}
	return [...]string{"unweighted", "int32", "int64", "float32", "float64"}[k]
}

// Size is the number of bytes of one weight of the kind, 0 for Unweighted.
func (k WeightKind) Size() int { return [...]int{0, 4, 8, 4, 8}[k] }

// Weights is a slice of weights of one kind. The zero value holds none.
type Weights struct {
	kind   WeightKind
	vector vector // nil if Unweighted
}

// vector is a vec of any type. Methods of two vectors demand the same type.
type vector interface {
	len() int
	slice(lo, hi int) vector
	copy(i int, src vector, j int)
	less(i int, v vector, j int) bool
	float64(i int) float64
	set(i int, src vector, j int) bool
	setInt(i int, x int64) bool
	negate(i int) bool
	append(dst []byte, i int) []byte
	scatter(o *ScatterOptions, n uint32, records []Edge, from vector, at, arcs []uint64) error
	sortBuckets(ctx context.Context, b *builder) (vector, error)
}

type vec[T Weight] []T

// WeightsOf wraps a slice of weights; the slice is not copied.
func WeightsOf[T Weight](s []T) Weights {
	var zero T
	k := Int32
	switch any(zero).(type) {
	case int64:
		k = Int64
	case float32:
		k = Float32
	case float64:
		k = Float64
	}
	return Weights{k, vec[T](s)}
}

// WeightsAs returns the slice inside w, not a copy, or ErrWeightKind if w holds
// weights of another kind.
func WeightsAs[T Weight](w Weights) ([]T, error) {
	if v, ok := w.vector.(vec[T]); ok {
		return v, nil
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
func (w Weights) Len() int {
	if w.vector == nil {
		return 0
	}
	return w.vector.len()
}

// Slice returns weights lo … hi−1, sharing memory. Slicing an Unweighted value
// returns it unchanged.
func (w Weights) Slice(lo, hi int) Weights {
	if w.vector != nil {
		w.vector = w.vector.slice(lo, hi)
	}
	return w
}

// Copy copies weight j of src, which must be of the same kind, to weight i.
func (w Weights) Copy(i int, src Weights, j int) {
	if w.vector != nil {
		w.vector.copy(i, src.vector, j)
	}
}

// Negate changes the sign of weight i. It reports false, and changes nothing, if the kind does not hold the result.
func (w Weights) Negate(i int) bool { return w.vector == nil || w.vector.negate(i) }

func (v vec[T]) negate(i int) bool {
	x := -v[i]
	if x == v[i] && x != 0 {
		return false
	}
	v[i] = x
	return true
}

// Less reports whether weight i is below weight j of v, which must be of the same
// kind.
func (w Weights) Less(i int, v Weights, j int) bool {
	return w.vector != nil && w.vector.less(i, v.vector, j)
}

// Float64 returns weight i as a float64, 1 if Unweighted. An int64 beyond 2^53 is rounded.
func (w Weights) Float64(i int) float64 {
	if w.vector == nil {
		return 1
	}
	return w.vector.float64(i)
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
	out := MakeWeights(k, w.Len())
	for i := range w.Len() {
		if !out.vector.set(i, w.vector, i) {
			return Weights{}, fmt.Errorf("%w: weight %s at record %d has no exact %v", ErrWeightLoss, w.Format(i), i, k)
		}
	}
	return out, nil
}

// Format returns weight i in the shortest form that reads back to the same value.
func (w Weights) Format(i int) string { return string(w.Append(nil, i)) }

// Append appends weight i to dst as text, in the shortest form that reads back to
// the same value of the same kind.
func (w Weights) Append(dst []byte, i int) []byte {
	if w.vector == nil {
		return dst
	}
	return w.vector.append(dst, i)
}

func (v vec[T]) len() int                         { return len(v) }
func (v vec[T]) slice(lo, hi int) vector          { return v[lo:hi:hi] }
func (v vec[T]) copy(i int, src vector, j int)    { v[i] = src.(vec[T])[j] }
func (v vec[T]) less(i int, w vector, j int) bool { return v[i] < w.(vec[T])[j] }
func (v vec[T]) float64(i int) float64            { return float64(v[i]) }

// set stores weight j of src, of any kind, at index i, and reports whether the value is
// exact.
func (v vec[T]) set(i int, src vector, j int) bool {
	switch s := src.(type) {
	case vec[int32]:
		return v.setInt(i, int64(s[j]))
	case vec[int64]:
		return v.setInt(i, s[j])
	}
	x := src.float64(j)
	if half := T(1) / 2; half == 0 { // whole numbers: conversion is defined in their range alone
		limit := math.Ldexp(1, 8*int(unsafe.Sizeof(half))-1)
		if !(x >= -limit && x < limit) {
			return false
		}
	}
	v[i] = T(x)
	return float64(v[i]) == x || x != x
}

func (v vec[T]) setInt(i int, x int64) bool {
	v[i] = T(x)
	f := float64(v[i])
	return any(v[i]) == any(x) || f >= -(1<<63) && f < 1<<63 && int64(f) == x
}

func (v vec[T]) append(dst []byte, i int) []byte {
	switch x := any(v[i]).(type) {
	case int32:
		return strconv.AppendInt(dst, int64(x), 10)
	case int64:
		return strconv.AppendInt(dst, x, 10)
	case float32:
		return strconv.AppendFloat(dst, float64(x), 'g', -1, 32)
	default:
		return strconv.AppendFloat(dst, float64(v[i]), 'g', -1, 64)
	}
}

// scatter writes the arcs of records, and their weights, from, to v.
func (v vec[T]) scatter(o *ScatterOptions, n uint32, records []Edge, from vector, at, arcs []uint64) error {
	return scatter(o, n, records, from.(vec[T]), at, arcs, v)
}

// sortBuckets sorts the arcs of b, and v with them.
func (v vec[T]) sortBuckets(ctx context.Context, b *builder) (vector, error) {
	kept, err := sortBuckets(ctx, b, v, merger[T](b.opt.Duplicates))
	return vec[T](kept), err
}
