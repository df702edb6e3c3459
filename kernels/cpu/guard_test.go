package cpu

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"testing"
	"unsafe"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/internal/hugetest"
)

// fences are arrays that begin right behind an inaccessible page or end right before
// one.
type fences struct {
	end   bool // they end before one
	check []func() error
}

// fill is what stands in a fence's pages beside the array.
func fill[T uint32 | uint64]() T { return ^T(0) / 3 }

// fence returns a copy of s in pages of its own. Those pages may be written only if
// the array may.
func fence[T uint32 | uint64](t testing.TB, f *fences, s []T, writable bool) []T {
	t.Helper()
	var zero T
	page := os.Getpagesize() / int(unsafe.Sizeof(zero))
	// Whole pages, so that an inaccessible one stands at either end.
	guard := hugetest.Start()
	a := hugemem.Make[T](max(1, (len(s)+page-1)/page) * page)
	for i := range a.S {
		a.S[i] = fill[T]()
	}
	guard.Stop()
	at := 0
	if f.end {
		at = len(a.S) - len(s)
	}
	inner := a.S[at : at+len(s) : at+len(s)]
	copy(inner, s)
	if !writable {
		if err := guard.Protect(hugetest.ReadOnly); err != nil {
			t.Fatal(err)
		}
	}
	f.check = append(f.check, func() (err error) {
		for i, v := range a.S {
			if (i < at || i >= at+len(s)) && v != fill[T]() {
				err = fmt.Errorf("entry %d of %d was written", i-at, len(s))
			}
		}
		a.Free()
		return err
	})
	return inner
}

// fenced runs f with the arrays that it makes behind a page, and once more before one.
// It fails the test if f touches such a page, writes to an array that is not writable,
// or beside one.
func fenced(t *testing.T, what string, f func(f *fences)) {
	t.Helper()
	for _, end := range []bool{false, true} {
		g := &fences{end: end}
		if p := caught(func() { f(g) }); p != nil {
			t.Fatalf("%s, arrays that end before a page: %v: %v", what, end, p)
		}
		for _, check := range g.check {
			if err := check(); err != nil {
				t.Fatalf("%s, arrays that end before a page: %v: %v", what, end, err)
			}
		}
	}
}

// caught returns what f panics with, a fault of memory included, or nil.
func caught(f func()) (p any) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { p = recover() }()
	f()
	return nil
}

// guardShapes runs f over blocks of whole and partial last words, of none to the most
// that a call covers.
func guardShapes(t *testing.T, f func(what string, b *block)) {
	r := rand.New(rand.NewPCG(11, 12))
	pads := []int{0, 1, 15, 16, 17, 47, 48, 63}
	for _, words := range []int{0, 1, 2, 3, 64, blockWords - 1, blockWords} {
		for i, pad := range pads {
			if words == 0 && pad > 0 || words > 64 && i%4 > 1 {
				continue
			}
			for _, seen := range []float64{0, 0.5, 0.97} {
				front := []float64{0, 0.02, 0.6}[r.IntN(3)]
				b := newBlock(r, words, pad, 1+r.IntN(40), seen, front)
				f(fmt.Sprintf("%d words less %d rows, seen %v, front %v", words, pad, seen, front), b)
			}
		}
	}
}

// TestGuardProbe: no set's probe touches what lies beside its arrays, or writes to those
// that it only reads, and all do what plain Go does.
func TestGuardProbe(t *testing.T) {
	hugetest.Guard(t)
	guardShapes(t, func(what string, b *block) {
		want := b.clone()
		n := probeGeneric(&want.probeBlock)
		for _, s := range available() {
			fenced(t, s.name+": "+what, func(f *fences) {
				got := fencedBlock(t, f, b)
				k := s.probe(&got)
				seen, next, parent, rest := got.seen, got.next, got.parent, got.rest
				if k != n || !slices.Equal(rest[:k], want.rest[:n]) || !slices.Equal(seen, want.seen) || !slices.Equal(next, want.next) {
					t.Fatalf("%s: %s: not what plain Go does", s.name, what)
				}
				for i, u := range parent {
					if seen[i/64]>>(i%64)&1 != 0 && u != want.parent[i] {
						t.Fatalf("%s: %s: parent %d is %d, want %d", s.name, what, i, u, want.parent[i])
					}
				}
			})
		}
	})
}

// fencedBlock is b with each array behind or before an inaccessible page.
func fencedBlock(t *testing.T, f *fences, b *block) probeBlock {
	got := probeBlock{
		seen: fence(t, f, b.seen, true), next: fence(t, f, b.next, true), far: fence(t, f, b.far, false), long: fence(t, f, b.long, false),
		parent: fence(t, f, b.parent, true), rest: fence(t, f, b.rest, true), front: fence(t, f, b.front, false),
	}
	for k := range nearColumns {
		got.near[k], got.nearID[k] = fence(t, f, b.near[k], false), fence(t, f, b.nearID[k], false)
	}
	return got
}

// TestGuardSettle is TestGuardProbe for settle.
func TestGuardSettle(t *testing.T) {
	hugetest.Guard(t)
	guardShapes(t, func(what string, b *block) {
		b.parent = append(b.parent, make([]uint32, len(b.scatter)-len(b.parent))...)
		want := b.clone()
		settleGeneric(want.scatter, want.seen, want.next, want.parent)
		for _, s := range available() {
			fenced(t, s.name+": "+what, func(f *fences) {
				scatter, seen := fence(t, f, b.scatter, true), fence(t, f, b.seen, true)
				next, parent := fence(t, f, b.next, true), fence(t, f, b.parent, true)
				s.settle(scatter, seen, next, parent)
				if !slices.Equal(scatter, want.scatter) || !slices.Equal(seen, want.seen) || !slices.Equal(next, want.next) || !slices.Equal(parent, want.parent) {
					t.Fatalf("%s: %s: not what plain Go does", s.name, what)
				}
			})
		}
	})
}

// TestGuardSpread is TestGuardProbe for spread, with rows that hold the last rank.
func TestGuardSpread(t *testing.T) {
	hugetest.Guard(t)
	r := rand.New(rand.NewPCG(15, 16))
	for n := range 70 {
		for _, s := range spreading() {
			ranks := uint32(1 + r.IntN(100))
			row, ahead := []uint32{0, ranks - 1}[:min(n, 2)], []uint32{ranks - 1, 0}[:n%3]
			for len(row) < n {
				row = append(row, r.Uint32N(ranks))
			}
			before := slices.Repeat([]uint32{graph.None}, int(ranks))
			want := slices.Clone(before)
			spreadGeneric(row, 3, want, nil)
			what := fmt.Sprintf("%s: %d entries", s.name, n)
			fenced(t, what, func(f *fences) {
				scatter := fence(t, f, before, true)
				s.spread(fence(t, f, row, false), 3, scatter, fence(t, f, ahead, false))
				if !slices.Equal(scatter, want) {
					t.Fatalf("%s: not what plain Go does", what)
				}
			})
		}
	}
}

// TestGuardScan is TestGuardProbe for scan, with rows that hold the last rank and the
// word of no neighbour.
func TestGuardScan(t *testing.T) {
	hugetest.Guard(t)
	r := rand.New(rand.NewPCG(13, 14))
	for n := range 70 {
		for _, p := range []float64{0, 0.05} {
			words := 1 + r.IntN(70)
			b := newBlock(r, 0, 0, words, 0, p)
			row := make([]uint32, n)
			for i := range row {
				row[i] = uint32(64*words) - r.Uint32N(65)
			}
			want := scanGeneric(row, b.front)
			for _, s := range available() {
				what := fmt.Sprintf("%s: row of %d, front of %d words", s.name, n, words)
				fenced(t, what, func(f *fences) {
					if got := s.scan(fence(t, f, row, false), fence(t, f, b.front, false)); got != want {
						t.Fatalf("%s: %d, want %d", what, got, want)
					}
				})
			}
		}
	}
}

// TestGuardPrefetch is TestGuardProbe for prefetch: it may ask for lines beyond the last row,
// and reads nothing but rest and offsets.
func TestGuardPrefetch(t *testing.T) {
	hugetest.Guard(t)
	r := rand.New(rand.NewPCG(15, 16))
	for _, n := range []int{0, 1, 2, 3, 63, 64, 1000} {
		row := make([]uint32, r.IntN(2000))
		offsets, rest := make([]uint32, n), make([]uint32, n)
		for i := range n {
			offsets[i] = r.Uint32N(uint32(len(row)) + 1)
			rest[i] = uint32(n - 1 - i)
		}
		for _, s := range available() {
			fenced(t, fmt.Sprintf("%s: %d rows", s.name, n), func(f *fences) {
				s.prefetch(fence(t, f, rest, false), fence(t, f, offsets, false), fence(t, f, row, false))
			})
		}
	}
}

// TestGuardByVertex is TestGuardProbe for byVertex.
func TestGuardByVertex(t *testing.T) {
	hugetest.Guard(t)
	r := rand.New(rand.NewPCG(17, 19))
	for _, n := range []int{0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 1000, 1023, 1024} {
		rankOf, parent := mapped(r, n)
		want := make([]uint32, n)
		byVertexGeneric(want, rankOf, parent)
		for _, s := range mapping() {
			what := fmt.Sprintf("%s: %d vertices", s.name, n)
			fenced(t, what, func(f *fences) {
				out := fence(t, f, make([]uint32, n), true)
				s.byVertex(out, fence(t, f, rankOf, false), fence(t, f, parent, false))
				if !slices.Equal(out, want) {
					t.Fatalf("%s: not what plain Go does", what)
				}
			})
		}
	}
}

// TestGuardCanFail: a kernel of any set that gets a length beyond the array faults, and
// one that writes beside its arrays is noticed.
func TestGuardCanFail(t *testing.T) {
	hugetest.Guard(t)
	r := rand.New(rand.NewPCG(19, 20))
	for _, s := range available() {
		b := newBlock(r, 2, 0, 4, 0, 0)
		f := &fences{end: true}
		row := fence(t, f, make([]uint32, 40), false)
		if p := caught(func() { s.scan(unsafe.Slice(&row[0], 41), b.front) }); p == nil {
			t.Errorf("%s: scan reads a page that it must not, without a fault", s.name)
		}
		short := fence(t, f, b.parent[:64], true)
		lie := unsafe.Slice(&short[0], 128)
		if p := caught(func() { s.settle(slices.Repeat([]uint32{7}, 128), b.seen, b.next, lie) }); p == nil {
			t.Errorf("%s: settle writes to a page that it must not, without a fault", s.name)
		}
		fixed := fence(t, f, b.parent, false)
		if p := caught(func() { s.settle(b.scatter, []uint64{0, 0}, b.next, fixed) }); p == nil {
			t.Errorf("%s: settle writes to an array that it must not, without a fault", s.name)
		}
		g := &fences{end: false}
		short = fence(t, g, b.parent[:64], true)
		lie = unsafe.Slice(&short[0], 128)
		s.settle(slices.Repeat([]uint32{7}, 128), []uint64{0, 0}, b.next, lie)
		if g.check[0]() == nil {
			t.Errorf("%s: settle writes beside an array unnoticed", s.name)
		}
		for _, check := range f.check {
			if err := check(); err != nil {
				t.Error(err)
			}
		}
	}
}
