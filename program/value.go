package program

import "math"

// Value are the Go types of the values of an array.
type Value interface {
	uint32 | int32 | uint64 | int64 | float32 | float64
}

// Bits is the bit pattern of a value.
type Bits uint64

// Pack returns the bit pattern of v.
func Pack[T Value](v T) Bits {
	switch v := any(v).(type) {
	case uint32:
		return Bits(v)
	case int32:
		return Bits(uint32(v))
	case uint64:
		return Bits(v)
	case int64:
		return Bits(v)
	case float32:
		return Bits(math.Float32bits(v))
	case float64:
		return Bits(math.Float64bits(v))
	}
	return 0
}

// Unpack returns the value of a bit pattern.
func Unpack[T Value](b Bits) (v T) {
	switch p := any(&v).(type) {
	case *uint32:
		*p = uint32(b)
	case *int32:
		*p = int32(uint32(b))
	case *uint64:
		*p = uint64(b)
	case *int64:
		*p = int64(b)
	case *float32:
		*p = math.Float32frombits(uint32(b))
	case *float64:
		*p = math.Float64frombits(uint64(b))
	}
	return v
}

// TypeOf is the Type of T.
func TypeOf[T Value]() Type {
	var v T
	switch any(v).(type) {
	case uint32:
		return U32
	case int32:
		return I32
	case uint64:
		return U64
	case int64:
		return I64
	case float32:
		return F32
	}
	return F64
}

// Largest is the largest value of T, +Inf for floats.
func Largest[T Value]() (v T) {
	switch p := any(&v).(type) {
	case *uint32:
		*p = math.MaxUint32
	case *int32:
		*p = math.MaxInt32
	case *uint64:
		*p = math.MaxUint64
	case *int64:
		*p = math.MaxInt64
	case *float32:
		*p = float32(math.Inf(1))
	case *float64:
		*p = math.Inf(1)
	}
	return v
}

// TopOf is the bit pattern of the largest value of a type.
func TopOf(t Type) Bits {
	switch t {
	case U32:
		return Pack(Largest[uint32]())
	case I32:
		return Pack(Largest[int32]())
	case U64:
		return Pack(Largest[uint64]())
	case I64:
		return Pack(Largest[int64]())
	case F32:
		return Pack(Largest[float32]())
	}
	return Pack(Largest[float64]())
}

// Less compares two bit patterns of a type.
func Less(t Type, a, b Bits) bool {
	switch t {
	case I32:
		return int32(uint32(a)) < int32(uint32(b))
	case I64:
		return int64(a) < int64(b)
	case F32:
		return Unpack[float32](a) < Unpack[float32](b)
	case F64:
		return Unpack[float64](a) < Unpack[float64](b)
	}
	return a < b
}
