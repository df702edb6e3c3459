package kerneltest

import (
	"math"

	"github.com/totemgo/totemgo/program"
)

// number is the arithmetic of one type of values, on bit patterns. Slices are []T.
type number struct {
	alloc func(n int) any
	slice func(s any, lo, hi uint32) any
	list  func(s any) ([]program.Bits, bool) // false where s is no []T
	get   func(s any, i uint32) program.Bits
	set   func(s any, i uint32, b program.Bits)
	of    func(f float64) program.Bits
	float func(b program.Bits) float64
	sum   func(a, b program.Bits) program.Bits
	plus  func(a, b program.Bits) program.Bits // at most the largest value
	rows  func(rows any) userRows
}

// numbers are the arithmetics, by program.Type.
var numbers = [...]number{numberOf[uint32](), numberOf[int32](), numberOf[uint64](), numberOf[int64](), numberOf[float32](), numberOf[float64]()}

func numberOf[T program.Value]() number {
	u, p := program.Unpack[T], program.Pack[T]
	return number{
		alloc: func(n int) any { return make([]T, n) },
		slice: func(s any, lo, hi uint32) any { return s.([]T)[lo:hi:hi] },
		list: func(s any) (list []program.Bits, is bool) {
			values, is := s.([]T)
			for _, v := range values {
				list = append(list, p(v))
			}
			return list, is
		},
		get:   func(s any, i uint32) program.Bits { return p(s.([]T)[i]) },
		set:   func(s any, i uint32, b program.Bits) { s.([]T)[i] = u(b) },
		of:    func(f float64) program.Bits { return p(T(f)) },
		float: func(b program.Bits) float64 { return float64(u(b)) },
		sum:   func(a, b program.Bits) program.Bits { return p(u(a) + u(b)) },
		plus: func(a, b program.Bits) program.Bits {
			if s := u(a) + u(b); u(b) < 0 || s >= u(a) {
				return p(s)
			}
			return p(program.Largest[T]())
		},
		rows: func(rows any) userRows { return rowsOf[T]{rows.(program.Rows[T])} },
	}
}

// near tells that two values of type t are equal, or floats that differ by rounding.
func near(t program.Type, a, b program.Bits) bool {
	if a == b || !t.Float() {
		return a == b
	}
	return nearFloats(t, numbers[t].float(a), numbers[t].float(b))
}

// nearFloats tells that two numbers are equal up to the rounding of type t.
func nearFloats(t program.Type, x, y float64) bool {
	most := 1e-9
	if t == program.F32 {
		most = 1e-4
	}
	return x == y || math.Abs(x-y) <= most*max(math.Abs(x), math.Abs(y))
}

// userRows is a program.Rows of any type.
type userRows interface {
	push(u uint32, from program.Bits, row []uint32, w []float64) []program.Bits
	pull(v uint32, row []uint32, w []float64, from any, set []uint64, to program.Bits) (program.Bits, bool)
	combine(to, v program.Bits) (program.Bits, bool)
}

type rowsOf[T program.Value] struct{ user program.Rows[T] }

// typed returns weights as the operator's type, nil for none.
func (rowsOf[T]) typed(w []float64) (list []T) {
	for _, x := range w {
		list = append(list, T(x))
	}
	return list
}

func (r rowsOf[T]) push(u uint32, from program.Bits, row []uint32, w []float64) []program.Bits {
	out := make([]T, len(row))
	r.user.Push(u, program.Unpack[T](from), row, r.typed(w), out)
	list, _ := numbers[program.TypeOf[T]()].list(out)
	return list
}

func (r rowsOf[T]) pull(v uint32, row []uint32, w []float64, from any, set []uint64, to program.Bits) (program.Bits, bool) {
	values, _ := from.([]T) // nil without From
	x, ok := r.user.Pull(v, row, r.typed(w), values, set, program.Unpack[T](to))
	return program.Pack(x), ok
}

func (r rowsOf[T]) combine(to, v program.Bits) (program.Bits, bool) {
	x := program.Unpack[T](to)
	joined := r.user.Combine(&x, program.Unpack[T](v))
	return program.Pack(x), joined
}
