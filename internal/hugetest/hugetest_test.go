package hugetest

import (
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"unsafe"

	"github.com/totemgo/totemgo/internal/hugemem"
)

// faults tells whether f touches inaccessible memory.
func faults(f func()) (fault bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { fault = recover() != nil }()
	f()
	return false
}

var sink byte

// guard starts a set, and fails the test if arrays are left.
func guard(t *testing.T) *Set {
	before := hugemem.Live()
	t.Cleanup(func() {
		if after := hugemem.Live(); after != before {
			t.Errorf("live arrays %+v, at the start %+v", after, before)
		}
	})
	return Guard(t)
}

func at(s []byte, i int) *byte { return (*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(s)), i)) }

func TestGuardPages(t *testing.T) {
	guard(t)
	page := os.Getpagesize()
	for _, n := range []int{1, 7, 63, page - 1, page, page + 1, 5 << 20} {
		s := hugemem.Make[uint8](n)
		for i, v := range s.S {
			if v != 0 {
				t.Fatalf("element %d of %d is %v", i, n, v)
			}
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
	u := hugemem.Make[uint64](3)
	if uintptr(unsafe.Pointer(&u.S[0]))%8 != 0 {
		t.Error("unaligned elements")
	}
	u.Free()
	z := hugemem.Make[uint64](0)
	z.Free()
}

func TestCanary(t *testing.T) {
	guard(t)
	s := hugemem.Make[uint8](100)
	*at(s.S, -1) = 0
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, "array of 100 bytes") {
			t.Errorf("a write before the start: Free panics with %q", text)
		}
	}()
	s.Free()
}

func TestProtect(t *testing.T) {
	set := guard(t)
	s := hugemem.Make[uint32](10)
	for _, c := range []struct {
		access      Access
		read, write bool
	}{{None, true, true}, {ReadOnly, false, true}, {ReadWrite, false, false}, {None, true, true}} {
		if err := set.Protect(c.access); err != nil {
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

// TestSet: a set has the arrays made between its Start and Stop, without those of a set within.
func TestSet(t *testing.T) {
	outer := guard(t)
	c := hugemem.Make[uint32](10)
	set := Start()
	a, b := hugemem.Make[uint32](10), hugemem.Make[uint8](hugemem.MinMapped)
	set.Stop()
	set.Stop()
	d := hugemem.Make[uint32](10)
	if set.Len() != 2 || outer.Len() != 2 {
		t.Fatalf("%d arrays in the set and %d outside, want 2 and 2", set.Len(), outer.Len())
	}
	if err := set.Protect(None); err != nil {
		t.Fatal(err)
	}
	if !faults(func() { a.S[0] = 1 }) || !faults(func() { b.S[0] = 1 }) || faults(func() { c.S[0], d.S[0] = 1, 1 }) {
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
	d.Free()
	outer.Stop()
	if e := hugemem.Make[uint32](10); set.Len() != 0 || outer.Len() != 0 {
		t.Errorf("%d and %d freed arrays in the sets", set.Len(), outer.Len())
	} else {
		e.Free()
	}
}
