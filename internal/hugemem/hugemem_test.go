package hugemem

import (
	"errors"
	"runtime/debug"
	"sync"
	"testing"
	"unsafe"
)

// same fails the test if the live arrays differ from those at the call.
func same(t *testing.T) {
	before := Live()
	t.Cleanup(func() {
		if after := Live(); after != before {
			t.Errorf("live arrays %+v, at the start %+v", after, before)
		}
	})
}

func zeroed[T Elem](t *testing.T, s []T) {
	t.Helper()
	var zero T
	for i, v := range s {
		if v != zero {
			t.Fatalf("element %d of %d is %v", i, len(s), v)
		}
	}
}

func TestMakeAndFree(t *testing.T) {
	same(t)
	for _, n := range []int{0, 1, 2, 1000, MinMapped/4 - 1, MinMapped / 4, MinMapped/4 + 1, 3<<20 + 17} {
		before := Live()
		s := Make[uint32](n)
		if len(s.S) != n || cap(s.S) != n || s.Bytes() != 4*int64(n) {
			t.Fatalf("Make(%d): length %d, capacity %d, %d bytes", n, len(s.S), cap(s.S), s.Bytes())
		}
		zeroed(t, s.S)
		for i := range s.S {
			s.S[i] = uint32(i) * 2654435761
		}
		want := before
		if n > 0 {
			want.Arrays++
			want.Bytes += 4 * int64(n)
		}
		if 4*n >= MinMapped {
			if s.Mapped() {
				want.Mapped += 4 * int64(n)
				if uintptr(unsafe.Pointer(&s.S[0]))%HugePage != 0 {
					t.Errorf("Make(%d) is not aligned to a huge page", n)
				}
			} else {
				want.Refused += 4 * int64(n)
			}
			if CanGuard() && !race && !s.Mapped() {
				t.Errorf("Make(%d) is not mapped", n)
			}
		} else if s.Mapped() {
			t.Errorf("Make(%d) is mapped", n)
		}
		if s.Huge() {
			want.Huge += 4 * int64(n)
		}
		if got := Live(); got != want {
			t.Errorf("Make(%d): live %+v, want %+v", n, got, want)
		}
		c := s
		s.Free()
		s.Free()
		c.Free() // a copy is the same array
		if s.S != nil || Live() != before {
			t.Errorf("after Free: %d elements, live %+v, want %+v", len(s.S), Live(), before)
		}
	}
	var zero Slice[float64]
	zero.Free()
	if zero.Huge() || zero.Mapped() || zero.Bytes() != 0 || zero.Protect(None) != nil {
		t.Error("the zero Slice is not empty")
	}
}

func TestElements(t *testing.T) {
	same(t)
	type edge struct{ U, V uint32 }
	type id uint32
	edges, ids, bytes, floats := Make[edge](1<<20), Make[id](5), Make[uint8](5), Make[float64](1<<19)
	edges.S[1<<20-1] = edge{1, 2}
	if len(ids.S) != 5 || len(bytes.S) != 5 || len(floats.S) != 1<<19 {
		t.Error("wrong lengths")
	}
	edges.Free()
	ids.Free()
	bytes.Free()
	floats.Free()
}

// faults tells whether f touches inaccessible memory.
func faults(f func()) (fault bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { fault = recover() != nil }()
	f()
	return false
}

var sink byte

func guard(t *testing.T) {
	if !CanGuard() {
		t.Skip("this system has no guard pages")
	}
	same(t)
	t.Cleanup(SetGuard(true))
}

func at(s []byte, i int) *byte { return (*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(s)), i)) }

func TestGuardPages(t *testing.T) {
	guard(t)
	page := pageSize()
	for _, n := range []int{1, 7, 63, page - 1, page, page + 1, 5 << 20} {
		s := Make[uint8](n)
		zeroed(t, s.S)
		if s.Huge() {
			t.Errorf("%d bytes in guard mode are huge", n)
		}
		if faults(func() { s.S[0]++; s.S[n-1]++ }) {
			t.Errorf("%d bytes: the array itself faults", n)
		}
		if !faults(func() { sink = *at(s.S, n) }) || !faults(func() { *at(s.S, n) = 1 }) {
			t.Errorf("%d bytes: one past the end does not fault", n)
		}
		if !faults(func() { sink = *at(s.S, -page) }) {
			t.Errorf("%d bytes: a page before the start does not fault", n)
		}
		if n%page == 0 && !faults(func() { sink = *at(s.S, -1) }) {
			t.Errorf("%d bytes: one before the start does not fault", n)
		}
		s.Free()
	}
	u := Make[uint64](3)
	if uintptr(unsafe.Pointer(&u.S[0]))%8 != 0 {
		t.Error("unaligned elements")
	}
	u.Free()
	z := Make[uint64](0)
	z.Free()
}

func TestCanary(t *testing.T) {
	guard(t)
	s := Make[uint8](100)
	*at(s.S, -1) = 0
	defer func() {
		if recover() == nil {
			t.Error("Free does not notice a write before the start")
		}
	}()
	defer unmap(s.b.mapping) // which Free does not come to
	s.Free()
}

func TestProtect(t *testing.T) {
	plain := Make[uint32](10)
	if err := plain.Protect(None); !errors.Is(err, ErrNotProtectable) {
		t.Errorf("Protect of shared pages: %v", err)
	}
	plain.Free()
	guard(t)
	s := Make[uint32](10)
	for _, c := range []struct {
		access      Access
		read, write bool
	}{{None, true, true}, {ReadOnly, false, true}, {ReadWrite, false, false}, {None, true, true}} {
		if err := s.Protect(c.access); err != nil {
			t.Fatal(err)
		}
		if got := faults(func() { sink = byte(s.S[9]) }); got != c.read {
			t.Errorf("access %d: a read faults: %v", c.access, got)
		}
		if got := faults(func() { s.S[0] = 1 }); got != c.write {
			t.Errorf("access %d: a write faults: %v", c.access, got)
		}
	}
	s.Free() // inaccessible arrays can be freed
}

func TestSet(t *testing.T) {
	guard(t)
	from := Now()
	a, b := Make[uint32](10), Make[uint8](MinMapped)
	to := Now()
	c := Make[uint32](10)
	set := Between(from, to)
	if set.Len() != 2 {
		t.Fatalf("%d arrays in the set, want 2", set.Len())
	}
	if err := set.Protect(None); err != nil {
		t.Fatal(err)
	}
	if !faults(func() { a.S[0] = 1 }) || !faults(func() { b.S[0] = 1 }) || faults(func() { c.S[0] = 1 }) {
		t.Error("not the arrays of the set are inaccessible")
	}
	if err := set.Protect(ReadWrite); err != nil || faults(func() { a.S[0] = 1 }) {
		t.Errorf("the set is still inaccessible: %v", err)
	}
	a.Free()
	if err := set.Protect(None); err != nil {
		t.Error(err)
	}
	b.Free()
	c.Free()
	if n := Between(from, Now()).Len(); n != 0 {
		t.Errorf("%d freed arrays in a set", n)
	}
}

func TestConcurrentMakeAndFree(t *testing.T) {
	same(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 20 {
				s := Make[uint8](MinMapped)
				s.S[0]++
				s.Free()
			}
		})
	}
	wg.Wait()
}

func TestAvailable(t *testing.T) {
	n := Available()
	if n < 0 || n > 0 && n < 1<<20 {
		t.Errorf("Available() = %d", n)
	}
	t.Logf("%d bytes available", n)
}

// go test -run '^$' -bench . ./internal/hugemem
func BenchmarkMakeTouchFree(b *testing.B) {
	const n = 64 << 20
	b.SetBytes(n)
	for b.Loop() {
		s := Make[uint8](n)
		for i := 0; i < n; i += 4096 {
			s.S[i] = 1
		}
		s.Free()
	}
}
