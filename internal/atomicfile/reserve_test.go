package atomicfile

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestReserve: the file appears with what was written, from the end on; one that does not fit is refused with both
// sizes.
func TestReserve(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.npy")
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	want := make([]byte, 100_000)
	for i := range want {
		want[i] = byte(i % 251)
	}
	if err := f.Reserve(int64(len(want))); err != nil {
		t.Fatal(err)
	}
	for at := len(want) - 1000; at >= 0; at -= 1000 {
		if _, err := f.WriteAt(want[at:at+1000], int64(at)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(f.Close(), f.Rename()); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	for _, size := range []int64{1 << 60, 5} {
		f, err := Create(path)
		if err != nil {
			t.Fatal(err)
		}
		err = f.Reserve(size)
		if large := size > 5; errors.Is(err, syscall.ENOSPC) != large || large && !strings.Contains(err.Error(), "1152921504606846976 bytes") {
			t.Errorf("%d bytes: %v", size, err)
		}
		if err := f.Remove(); err != nil {
			t.Error(err)
		}
	}
	if got, _ := os.ReadFile(path); !bytes.Equal(got, want) {
		t.Error("a file that was given up replaces the old one")
	}
	f, err = Create(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Reserve(5); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a device: %v", err)
	}
	_ = f.Remove()
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("%v are left", list)
	}
}
