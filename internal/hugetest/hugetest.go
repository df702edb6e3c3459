// Package hugetest puts the arrays of package hugemem between inaccessible pages, and takes
// their memory away. Only tests import it.
//
// Between Start and Stop every array, whatever its size, gets pages of its own between two
// inaccessible pages, flush against the second: reading or writing past the end faults, and
// so does a read more than a page before the start. Free panics after a write into the rest
// of the first page. It is for the whole process.
package hugetest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"unsafe"

	"github.com/totemgo/totemgo/internal/hugemem"
)

// Access is what Protect allows.
type Access uint8

// The accesses.
const (
	ReadWrite Access = iota // as made
	ReadOnly                // writes fault
	None                    // reads and writes fault
)

const canary = 0xA5 // fills the slack before an array

// Set is the arrays made between Start and Stop that are not freed.
type Set struct {
	before *hugemem.Mapper
	stop   sync.Once
	mu     sync.Mutex
	pages  map[unsafe.Pointer][]byte // by start of an array: the pages between the inaccessible ones
}

// Guard is Start for a test: Stop follows at its end. It skips t where the system cannot make
// memory inaccessible.
func Guard(t testing.TB) *Set {
	t.Helper()
	if !canProtect {
		t.Skip("this system cannot make memory inaccessible")
	}
	s := Start()
	t.Cleanup(s.Stop)
	return s
}

// Start begins a set. A set may begin within another; its arrays are its own.
func Start() *Set {
	s := &Set{pages: make(map[unsafe.Pointer][]byte)}
	mapper := hugemem.Mapper(s.array)
	s.before = hugemem.Hook.Swap(&mapper)
	return s
}

// Stop ends the set: it gets no further array. A second Stop does nothing.
func (s *Set) Stop() { s.stop.Do(func() { hugemem.Hook.Store(s.before) }) }

// Len returns the number of arrays.
func (s *Set) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.pages)
}

// Protect sets the access to all arrays of the set until the next Protect; inaccessible
// arrays can be freed.
func (s *Set) Protect(a Access) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, pages := range s.pages {
		if err := protect(pages, a); err != nil {
			return fmt.Errorf("hugetest: protect: %w", err)
		}
	}
	return nil
}

// array is a hugemem.Mapper.
func (s *Set) array(size int64) (unsafe.Pointer, func()) {
	page := int64(os.Getpagesize())
	padded := (size + page - 1) &^ (page - 1)
	all, err := mapPages(int(padded + 2*page))
	if err != nil {
		return nil, nil
	}
	pages := all[page : page+padded]
	if err := errors.Join(protect(all[:page], None), protect(all[page+padded:], None)); err != nil {
		panic(err)
	}
	slack := pages[:padded-size]
	fill := bytes.Repeat([]byte{canary}, len(slack))
	copy(slack, fill)
	start := unsafe.Pointer(&pages[len(slack)])
	s.mu.Lock()
	s.pages[start] = pages
	s.mu.Unlock()
	return start, func() {
		s.mu.Lock()
		delete(s.pages, start)
		s.mu.Unlock()
		if err := protect(pages, ReadWrite); err != nil {
			panic(err)
		}
		written := !bytes.Equal(slack, fill)
		if err := unmap(all); err != nil {
			panic(err)
		}
		if written {
			panic(fmt.Sprintf("hugetest: the page before an array of %d bytes was written", size))
		}
	}
}
