package program

import (
	"math"
	"unsafe"
)

// Value are the Go types of the values of an array.
type Value interface {
	uint32 | int32 | uint64 | int64 | float32 | float64
}

// Bits is the bit pattern of a value.
type Bits uint64

// Pack returns the bit pattern of v.
func Pack[T Value](v T) Bits {
	if unsafe.Sizeof(v) == 4 {
		return Bits(*(*uint32)(unsafe.Pointer(&v)))
	}
	return *(*Bits)(unsafe.Pointer(&v))
}

// Unpack returns the value of a bit pattern.
func Unpack[T Value](b Bits) (v T) {
	if unsafe.Sizeof(v) == 4 {
		low := uint32(b)
		return *(*T)(unsafe.Pointer(&low))
	}
	return *(*T)(unsafe.Pointer(&b))
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
func Largest[T Value]() T {
	switch all := Unpack[T](math.MaxUint64); {
	case T(1)/2 != 0:
		return T(math.Inf(1))
	case all > 0: // unsigned
		return all
	case unsafe.Sizeof(all) == 4:
		return Unpack[T](math.MaxInt32)
	}
	return Unpack[T](math.MaxInt64)
}

// TopOf is the bit pattern of the largest value of a type.
func TopOf(t Type) Bits { return tops[t] }

var tops = [...]Bits{Pack(Largest[uint32]()), Pack(Largest[int32]()), Pack(Largest[uint64]()), Pack(Largest[int64]()),
	Pack(Largest[float32]()), Pack(Largest[float64]())}

// Less compares two bit patterns of a type.
func Less(t Type, a, b Bits) bool { return lessOf[t](a, b) }

var lessOf = [...]func(a, b Bits) bool{less[uint32], less[int32], less[uint64], less[int64], less[float32], less[float64]}

func less[T Value](a, b Bits) bool { return Unpack[T](a) < Unpack[T](b) }
