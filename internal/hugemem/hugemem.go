// Package hugemem makes arrays that lie outside the Go heap.
//
// An array of MinMapped bytes or more gets an anonymous mapping of its own,
// aligned to HugePage and advised to use huge pages: random reads then need far
// fewer page walks, the garbage collector neither scans nor counts it, and its
// memory goes back to the system the moment it is freed. Smaller arrays, and all
// arrays on systems without mappings or when the system refuses one, are
// ordinary Go memory.
//
// A mapped array is not known to the garbage collector: it lives until Free, and
// using a slice of it after that faults. The race detector does not watch
// mappings, so under it all arrays are Go memory, but for those in guard mode.
//
// # Guard mode
//
// SetGuard gives every array, whatever its size, pages of its own between two
// inaccessible pages, flush against the second: reading or writing past the end
// faults, and so does a read more than a page before the start. Writes into the
// rest of the first page are found by Free. An array in guard mode, and a Set of
// them, can be made inaccessible with Protect. Tests of kernels and of the
// exchange between processors use this.
package hugemem

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"
)

const (
	// HugePage is the size of a huge page, and what mapped arrays are aligned to.
	HugePage = 2 << 20
	// MinMapped is the size in bytes from which an array gets a mapping.
	MinMapped = 1 << 20

	canary = 0xA5 // fills the slack before an array in guard mode
)

// ErrNotProtectable is returned by Protect for an array that shares its pages
// with other memory.
var ErrNotProtectable = errors.New("hugemem: array has no pages of its own")

// Elem is what an array may hold: types without pointers.
type Elem interface {
	~uint8 | ~uint16 | ~uint32 | ~uint64 | ~int8 | ~int16 | ~int32 | ~int64 | ~int | ~float32 | ~float64 |
		~struct{ U, V uint32 }
}

// Access is what Protect allows.
type Access uint8

// The accesses.
const (
	ReadWrite Access = iota // as made
	ReadOnly                // writes fault
	None                    // reads and writes fault
)

// Slice is an array made by Make, and the handle to free it. Copies of a Slice
// are the same array. The zero Slice is empty and may be freed.
type Slice[T Elem] struct {
	// S is the array. It must not be used after Free.
	S []T
	b *block
}

// block is the memory of one array.
type block struct {
	bytes   int64
	mapping []byte // all pages, guards included; nil for Go memory
	inner   []byte // the pages that the array may use
	slack   []byte // the bytes of inner before the array; guard mode only
	huge    bool
	refused bool // the system refused a mapping
	guarded bool
	freed   atomic.Bool
	serial  uint64
}

// state counts live arrays; it is global because memory is the process's.
var state struct {
	arrays, bytes, mapped, huge, refused atomic.Int64

	guard   atomic.Bool
	mu      sync.Mutex
	serial  uint64
	guarded map[uint64]*block // the live arrays made in guard mode
}

// Usage is the memory of the arrays that have been made and not freed.
type Usage struct {
	// Arrays is their number, those without elements left out.
	Arrays int64
	// Bytes is their size.
	Bytes int64
	// Mapped is the part of Bytes that lies outside the Go heap.
	Mapped int64
	// Huge is the part of Mapped that the system was asked, and agreed, to back
	// with huge pages.
	Huge int64
	// Refused is the part of Bytes that should have been mapped and is Go memory,
	// because the system has no mappings or refused one.
	Refused int64
}

// Live returns the memory of the arrays that are made and not freed.
func Live() Usage {
	return Usage{state.arrays.Load(), state.bytes.Load(), state.mapped.Load(), state.huge.Load(), state.refused.Load()}
}

// Make returns an array of n zeroes.
func Make[T Elem](n int) Slice[T] {
	var zero T
	size := int64(unsafe.Sizeof(zero))
	if n <= 0 {
		return Slice[T]{S: make([]T, n)} // negative: the language's own panic
	}
	b := &block{bytes: int64(n) * size}
	var start unsafe.Pointer
	if state.guard.Load() {
		start = b.mapGuarded()
	}
	if start == nil && b.bytes >= MinMapped && !race {
		start = b.mapHuge()
	}
	s := Slice[T]{b: b}
	if start != nil {
		s.S = unsafe.Slice((*T)(start), n)
	} else {
		b.refused = b.bytes >= MinMapped
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
	b.release()
}

// Huge reports whether the system accepted huge pages for the array; it may still use
// small ones.
func (s Slice[T]) Huge() bool { return s.b != nil && s.b.huge }

// Mapped reports whether the array lies outside the Go heap.
func (s Slice[T]) Mapped() bool { return s.b != nil && s.b.mapping != nil }

// Bytes returns the size of the array.
func (s Slice[T]) Bytes() int64 {
	if s.b == nil {
		return 0
	}
	return s.b.bytes
}

// Protect sets the access to the array until the next Protect. Only arrays made in guard
// mode have pages of their own; for others it returns ErrNotProtectable.
func (s Slice[T]) Protect(a Access) error {
	if s.b == nil {
		return nil
	}
	return s.b.protect(a)
}

func (b *block) count(sign int64) {
	state.arrays.Add(sign)
	state.bytes.Add(sign * b.bytes)
	if b.mapping != nil {
		state.mapped.Add(sign * b.bytes)
	}
	if b.huge {
		state.huge.Add(sign * b.bytes)
	}
	if b.refused {
		state.refused.Add(sign * b.bytes)
	}
}

func (b *block) release() {
	if b.guarded {
		state.mu.Lock()
		delete(state.guarded, b.serial)
		state.mu.Unlock()
		if err := b.protect(ReadWrite); err != nil {
			panic(err) // test mode only: the mapping is ours, so this is a bug
		}
		for i, c := range b.slack {
			if c != canary {
				panic(fmt.Sprintf("hugemem: byte %d before an array of %d bytes was overwritten", len(b.slack)-i, b.bytes))
			}
		}
	}
	if b.mapping != nil {
		unmap(b.mapping)
	}
}

func (b *block) protect(a Access) error {
	if !b.guarded {
		return ErrNotProtectable
	}
	if b.freed.Load() && a != ReadWrite {
		return nil
	}
	if err := protect(b.inner, a); err != nil {
		return fmt.Errorf("hugemem: protect: %w", err)
	}
	return nil
}

// mapHuge maps the block, aligned to huge pages. It returns nil if the system
// refuses.
func (b *block) mapHuge() unsafe.Pointer {
	size := (b.bytes + HugePage - 1) &^ (HugePage - 1)
	if size+HugePage > maxInt {
		return nil
	}
	m := mapAligned(int(size), HugePage)
	if m == nil {
		return nil
	}
	b.mapping, b.inner = m, m
	b.huge = adviseHuge(m)
	return unsafe.Pointer(unsafe.SliceData(m))
}

const maxInt = int64(^uint(0) >> 1)

// mapGuarded maps the block between two inaccessible pages, ending at the
// second. It returns nil if the system has no mappings or refuses.
func (b *block) mapGuarded() unsafe.Pointer {
	page := int64(pageSize())
	if page == 0 || b.bytes > maxInt-3*page {
		return nil
	}
	size := (b.bytes + page - 1) &^ (page - 1)
	m := mapAligned(int(size+2*page), int(page))
	if m == nil {
		return nil
	}
	before, inner, behind := m[:page], m[page:page+size], m[page+size:]
	if protect(before, None) != nil || protect(behind, None) != nil {
		unmap(m)
		return nil
	}
	b.mapping, b.inner, b.guarded = m, inner, true
	b.slack = inner[:size-b.bytes]
	for i := range b.slack {
		b.slack[i] = canary
	}
	state.mu.Lock()
	state.serial++
	b.serial = state.serial
	if state.guarded == nil {
		state.guarded = make(map[uint64]*block)
	}
	state.guarded[b.serial] = b
	state.mu.Unlock()
	return unsafe.Pointer(&inner[size-b.bytes])
}

// CanGuard reports whether this system has guard mode.
func CanGuard() bool { return pageSize() != 0 }

// SetGuard turns guard mode on or off for arrays made from now on, and returns a
// function that sets it back. It is for tests, and for the whole process. Where
// CanGuard is false it changes nothing.
func SetGuard(on bool) (undo func()) {
	old := state.guard.Swap(on)
	return func() { state.guard.Store(old) }
}

// Mark is a moment between two calls of Make.
type Mark uint64

// Now returns the present moment.
func Now() Mark {
	state.mu.Lock()
	defer state.mu.Unlock()
	return Mark(state.serial)
}

// Set is a number of arrays made in guard mode.
type Set struct{ blocks []*block }

// Between returns the arrays that were made in guard mode after from, up to to,
// and are not freed. For tests that protect another package's arrays.
func Between(from, to Mark) Set {
	state.mu.Lock()
	defer state.mu.Unlock()
	var s Set
	for serial, b := range state.guarded {
		if Mark(serial) > from && Mark(serial) <= to {
			s.blocks = append(s.blocks, b)
		}
	}
	return s
}

// Len returns the number of arrays.
func (s Set) Len() int { return len(s.blocks) }

// Protect sets the access to all live arrays of the set. No array of the set may be freed
// meanwhile.
func (s Set) Protect(a Access) error {
	for _, b := range s.blocks {
		if b.freed.Load() {
			continue
		}
		if err := b.protect(a); err != nil {
			return err
		}
	}
	return nil
}
