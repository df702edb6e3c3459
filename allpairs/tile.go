package allpairs

import (
	"math"
	"runtime"
	"unsafe"
)

// Side is the number of rows and columns of a tile. Three tiles of 4-byte values fill a level-1 cache of 48 KiB.
const Side = 64

const tileLen = Side * Side

// Value is the type of distances.
type Value interface{ int32 | float32 | float64 }

// Algebra is what a matrix product adds up and picks.
type Algebra uint8

// The algebras.
const (
	Shortest Algebra = iota // the least sum of weights: (min, +)
	Widest                  // the largest least weight: (max, min)
)

// kernels is the tile kernels for one type. A tile is tileLen values, rows one after the other.
type kernels[T Value] struct {
	name string
	// product, by algebra, sets c[i][j] to the least of c[i][j] and, over the first terms k, a[i][k] + b[k][j]; for
	// Widest read max for min and min for +. a begins with the first entry of a column of its tile, b is terms
	// rows. Of one term, a and b may lie in c where the product does not change them; else c overlaps neither. The
	// tile that next begins is prefetched.
	product [2]func(c, a, b, next []T, terms int)
	// rate runs turns of operations each additions and as many minima, in registers alone.
	rate       func(turns int)
	operations int
}

// far is the entry of a pair without a path while a matrix is computed. Of int32 it is half the
// largest: the sum of two does not overflow, and entries above half of it stay above through all
// sums of weights that From accepts.
func far[T Value](by Algebra) T {
	var x T
	switch p := any(&x).(type) {
	case *int32:
		if *p = math.MaxInt32 / 2; by == Widest {
			*p = math.MinInt32
		}
	case *float32:
		*p = float32(math.Inf(1 - 2*int(by)))
	case *float64:
		*p = math.Inf(1 - 2*int(by))
	}
	return x
}

// Unreachable is the entry of a pair without a path in a finished matrix: +Inf, or the largest
// int32; of Widest −Inf, or the smallest.
func Unreachable[T Value](by Algebra) T {
	x := far[T](by)
	if p, is := any(&x).(*int32); is && by == Shortest {
		*p = math.MaxInt32
	}
	return x
}

// own is the entry of a vertex and itself: 0, or of Widest without bound.
func own[T Value](by Algebra) T {
	if by == Shortest {
		return 0
	}
	if x, is := any(T(0)).(int32); is {
		x = math.MaxInt32
		return T(x)
	}
	return T(math.Inf(1))
}

// sets lists the kernels of T, best first.
func sets[T Value]() []kernels[T] {
	plain := kernels[T]{name: "generic", rate: rateGeneric[T], operations: 8}
	for by := range plain.product {
		plain.product[by] = func(c, a, b, _ []T, terms int) { tileGeneric(Algebra(by), c, a, b, terms) }
	}
	return append(assembly[T](), plain)
}

// tileGeneric is product of an algebra.
func tileGeneric[T Value](by Algebra, c, a, b []T, terms int) {
	for i := 0; i < tileLen; i += Side {
		row := c[i : i+Side : i+Side]
		for k, x := range a[i : i+terms] {
			other := b[k*Side : k*Side+Side : k*Side+Side]
			if by == Widest {
				for j := range row {
					row[j] = max(row[j], min(x, other[j]))
				}
				continue
			}
			for j := range row {
				row[j] = min(row[j], x+other[j])
			}
		}
	}
}

func rateGeneric[T Value](turns int) {
	var x [8]T
	y := T(unsafe.Sizeof(x[0]))
	for range turns {
		for i := range x {
			x[i] = min(x[i], y+x[(i+1)%8])
		}
	}
	runtime.KeepAlive(x)
}
