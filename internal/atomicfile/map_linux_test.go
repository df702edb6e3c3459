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

// TestMap: the file appears with what was written to the mapping; one that does not fit is refused with both sizes.
func TestMap(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.npy")
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	data, err := f.Map(100_000)
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		data[i] = byte(i % 251)
	}
	want := bytes.Clone(data)
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
		_, err = f.Map(size)
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
	if _, err := f.Map(5); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a device: %v", err)
	}
	_ = f.Remove()
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("%v are left", list)
	}
}
