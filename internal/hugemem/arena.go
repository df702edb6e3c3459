package hugemem

import "unsafe"

// Arena is arrays that are freed together. The zero Arena is empty and ready.
type Arena struct {
	// Bytes is the memory that its arrays take: see Taken.
	Bytes int64
	// Dry makes no arrays: Alloc counts their bytes alone, and returns nil.
	Dry   bool
	frees []func()
}

// Alloc returns an array of n zeroes that a.Free frees.
func Alloc[T Elem](a *Arena, n int) []T {
	var zero T
	a.Bytes += Taken(int64(n) * int64(unsafe.Sizeof(zero)))
	if a.Dry {
		return nil
	}
	b := Make[T](n)
	a.Defer(b.Free)
	return b.S
}

// Defer makes Free call f.
func (a *Arena) Defer(f func()) { a.frees = append(a.frees, f) }

// Free frees all arrays: the arena is empty again.
func (a *Arena) Free() {
	for _, f := range a.frees {
		f()
	}
	*a = Arena{Dry: a.Dry}
}

// Taken is the memory that an array of so many bytes takes: whole huge pages if it is mapped.
func Taken(bytes int64) int64 {
	if bytes < MinMapped || race || !maps {
		return bytes
	}
	return (bytes + HugePage - 1) &^ (HugePage - 1)
}
