// Package hugemem makes arrays that lie outside the Go heap.
//
// An array of MinMapped bytes or more gets an anonymous mapping of its own,
// aligned to HugePage and advised to use huge pages: random reads then need far
// fewer page walks, the garbage collector neither scans nor counts it, and its
// memory goes back to the system the moment it is freed. Smaller arrays, and all
// arrays on systems without mappings, are ordinary Go memory.
//
// Memory has limits: Limit's and the system's. Check refuses what would exceed them, and
// Make panics with an *Error, which Recover makes an error of.
//
// A mapped array is not known to the garbage collector: it lives until Free, and
// using a slice of it after that faults. The race detector does not watch
// mappings, so under it all arrays are Go memory, but for those of a Hook.
package hugemem

import (
	"math"
	"sync/atomic"
	"unsafe"
)

const (
	// HugePage is the size of a huge page, and what mapped arrays are aligned to.
	HugePage = 2 << 20
	// MinMapped is the size in bytes from which an array gets a mapping.
	MinMapped = 1 << 20
)

// Elem is what an array may hold: types without pointers.
type Elem interface {
	~uint8 | ~uint16 | ~uint32 | ~uint64 | ~int8 | ~int16 | ~int32 | ~int64 | ~int | ~float32 | ~float64 |
		~struct{ U, V uint32 }
}

// Slice is an array made by Make, and the handle to free it. Copies of a Slice
// are the same array. The zero Slice is empty and may be freed.
type Slice[T Elem] struct {
	// S is the array. It must not be used after Free.
	S []T
	b *block
}

// block is the memory of one array.
type block struct {
	bytes int64
	unmap func() // nil for Go memory
	freed atomic.Bool
}

// state counts live arrays; it is global because memory is the process's.
var state struct {
	arrays, bytes, mapped, taken, peak atomic.Int64
}

// Mapper maps an array of so many bytes. It returns its zeroed memory and what gives that
// back, or nil for none.
type Mapper func(bytes int64) (start unsafe.Pointer, unmap func())

// Hook, if set, maps all arrays that Make makes from then on, whatever their size. Package
// hugetest alone sets it.
var Hook atomic.Pointer[Mapper]

// Usage is the memory of the arrays that have been made and not freed.
type Usage struct {
	// Arrays is their number, those without elements left out.
	Arrays int64
	// Bytes is their size.
	Bytes int64
	// Mapped is the part of Bytes that lies outside the Go heap.
	Mapped int64
	// Taken is the memory of those: whole huge pages.
	Taken int64
}

// Live returns the memory of the arrays that are made and not freed.
func Live() Usage {
	return Usage{state.arrays.Load(), state.bytes.Load(), state.mapped.Load(), state.taken.Load()}
}

// Peak returns the most memory that Usage.Taken was since the last call, which one goroutine makes.
func Peak() int64 { return state.peak.Swap(state.taken.Load()) }

// Make returns an array of n zeroes. It panics with an *Error where memory is refused.
func Make[T Elem](n int) Slice[T] {
	var zero T
	size := int64(unsafe.Sizeof(zero))
	if n <= 0 {
		return Slice[T]{S: make([]T, n)} // negative: the language's own panic
	}
	b := &block{bytes: int64(n) * size}
	var start unsafe.Pointer
	if hook := Hook.Load(); hook != nil {
		start, b.unmap = (*hook)(b.bytes)
	}
	if start == nil && b.bytes >= MinMapped {
		if e := check(b.bytes, race || !maps); e != nil {
			panic(e)
		}
		if maps && !race {
			start = b.mapHuge()
		}
	}
	s := Slice[T]{b: b}
	if start != nil {
		s.S = unsafe.Slice((*T)(start), n)
	} else {
		s.S = make([]T, n)
	}
	b.count(1)
	return s
}

// Free gives the memory back. Freeing an array twice, also through a copy, does
// nothing.
func (s *Slice[T]) Free() {
	b := s.b
	*s = Slice[T]{}
	if b == nil || !b.freed.CompareAndSwap(false, true) {
		return
	}
	b.count(-1)
	if b.unmap != nil {
		b.unmap()
	}
}

func (b *block) count(sign int64) {
	state.arrays.Add(sign)
	state.bytes.Add(sign * b.bytes)
	if b.unmap != nil {
		state.mapped.Add(sign * b.bytes)
		now := state.taken.Add(sign * Taken(b.bytes))
		for most := state.peak.Load(); now > most && !state.peak.CompareAndSwap(most, now); most = state.peak.Load() {
		}
		tellRuntime()
	}
}

// mapHuge maps the block, aligned to huge pages. It panics with an *Error if the system refuses.
func (b *block) mapHuge() unsafe.Pointer {
	refusal := &Error{Need: b.bytes, Used: state.taken.Load(), By: "the system maps no more"}
	if b.bytes > math.MaxInt-2*HugePage {
		panic(refusal)
	}
	m := mapAligned(int(Taken(b.bytes)), HugePage)
	if m == nil {
		panic(refusal)
	}
	b.unmap = func() { unmap(m) }
	adviseHuge(m)
	return unsafe.Pointer(unsafe.SliceData(m))
}
