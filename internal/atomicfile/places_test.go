package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// replaceCalls lets fsync and rename fail, and puts them back after the test.
func replaceCalls(t *testing.T, sync, ren error) {
	oldSync, oldRename := fsync, rename
	t.Cleanup(func() { fsync, rename = oldSync, oldRename })
	if sync != nil {
		fsync = func(f *os.File) error { return &fs.PathError{Op: "sync", Path: f.Name(), Err: sync} }
	}
	if ren != nil {
		rename = func(from, to string) error { return &os.LinkError{Op: "rename", Old: from, New: to, Err: ren} }
	}
}

// TestPlaces writes over a file and to a new name where the system refuses a call.
func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		name      string
		sync, ren error
		want      error // of Write
	}{
		{name: "nothing refused"},
		{name: "fsync EINVAL", sync: syscall.EINVAL},
		{name: "fsync ENOSYS", sync: syscall.ENOSYS},
		{name: "fsync EOPNOTSUPP", sync: errors.ErrUnsupported},
		{name: "fsync EIO", sync: syscall.EIO, want: syscall.EIO},
		{name: "fsync ENOSPC", sync: syscall.ENOSPC, want: syscall.ENOSPC},
		{name: "rename of a mount point", ren: syscall.EBUSY},
		{name: "rename across devices", ren: syscall.EXDEV},
		{name: "no rename", ren: syscall.ENOSYS},
		{name: "neither", sync: syscall.EINVAL, ren: syscall.EPERM},
	} {
		t.Run(c.name, func(t *testing.T) {
			replaceCalls(t, c.sync, c.ren)
			dir := t.TempDir()
			for _, old := range []string{"", "a longer text than the new one"} {
				path := filepath.Join(dir, "o.tsv")
				if old != "" {
					if err := os.WriteFile(path, []byte(old), 0o640); err != nil {
						t.Fatal(err)
					}
				}
				err := Write(path, func(w io.Writer) error {
					_, err := io.WriteString(w, "new")
					return err
				})
				if !errors.Is(err, c.want) {
					t.Errorf("over %q: %v, want %v", old, err, c.want)
				}
				want := "new"
				if c.want != nil {
					want = old
				}
				if b, _ := os.ReadFile(path); string(b) != want {
					t.Errorf("over %q: %q, want %q", old, b, want)
				}
				if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) != 0 {
					t.Errorf("over %q: left behind: %v", old, left)
				}
			}
		})
	}
}

// TestRenamedInPlace: files that appear together are taken back, also where they were copied.
func TestRenamedInPlace(t *testing.T) {
	replaceCalls(t, nil, syscall.EBUSY)
	path := filepath.Join(t.TempDir(), "o")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(f, "new"); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Close(), f.Rename()); err != nil {
		t.Fatal(err)
	}
	if err := f.Remove(); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(path); err != nil || len(b) != 0 {
		t.Errorf("the file holds %q, %v", b, err)
	}
}

// TestLongNames writes names up to the 255 bytes that file systems take.
func TestLongNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"x", strings.Repeat("n", 240), strings.Repeat("n", 251) + ".tsv", strings.Repeat("é", 127)} {
		if err := Write(filepath.Join(dir, name), func(w io.Writer) error { return nil }); err != nil {
			t.Errorf("%d bytes: %v", len(name), err)
		}
	}
	err := Write(filepath.Join(dir, strings.Repeat("n", 256)), func(w io.Writer) error { return nil })
	if p := (*fs.PathError)(nil); !errors.As(err, &p) {
		t.Errorf("256 bytes: %v", err)
	}
}
