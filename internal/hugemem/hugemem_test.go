package hugemem

import (
	"errors"
	"math"
	"runtime"
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
		if len(s.S) != n || cap(s.S) != n {
			t.Fatalf("Make(%d): length %d, capacity %d", n, len(s.S), cap(s.S))
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
		mapped := n > 0 && s.b.unmap != nil
		if mapped {
			want.Mapped += 4 * int64(n)
			want.Taken += Taken(4 * int64(n))
			if uintptr(unsafe.Pointer(&s.S[0]))%HugePage != 0 {
				t.Errorf("Make(%d) is not aligned to a huge page", n)
			}
		}
		maps := !race && (runtime.GOOS == "linux" || runtime.GOOS == "darwin")
		if mapped != (maps && 4*n >= MinMapped) {
			t.Errorf("Make(%d) is mapped: %v", n, mapped)
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

// TestLimit: arrays and the heap are refused beyond the limit, garbage aside, and as an error.
func TestLimit(t *testing.T) {
	same(t)
	t.Cleanup(func() { Limit(0) })
	const limit = 256 << 20
	Limit(limit)
	make1 := func(n int) (s Slice[byte], err error) {
		defer Recover(&err)
		return Make[byte](n), nil
	}
	half, err := make1(limit / 2)
	if err != nil {
		t.Fatal(err)
	}
	for range 8 { // garbage, of which Check makes room
		if err := Check(limit / 4); err != nil {
			t.Fatal(err)
		}
		sink = make([]byte, limit/4)
		sink = nil
	}
	var refusal *Error
	for _, err := range []error{func() error { _, err := make1(limit / 2); return err }(), Check(limit / 2), Check(math.MaxInt64)} {
		if !errors.As(err, &refusal) || !errors.Is(err, ErrMemory) || refusal.Limit != limit || refusal.Used < limit/2 {
			t.Errorf("beyond the limit: %v", err)
		}
	}
	half.Free()
	if half, err = make1(limit / 2); err != nil {
		t.Errorf("after Free: %v", err)
	}
	half.Free()
	if got := debug.SetMemoryLimit(-1); got > limit {
		t.Errorf("the Go runtime may take %d bytes", got)
	}
	defer func() {
		if recover() != "other" {
			t.Error("another panic is caught")
		}
	}()
	defer Recover(&err)
	panic("other")
}

var sink []byte
