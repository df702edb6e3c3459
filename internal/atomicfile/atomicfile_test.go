package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// A write that fails leaves the old file, and nothing beside it.
func TestWriteFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	boom := errors.New("boom")
	err := Write(path, func(w io.Writer) error {
		_, err := io.WriteString(w, "new")
		return errors.Join(err, boom)
	})
	if !errors.Is(err, boom) {
		t.Errorf("%v, want boom", err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "old" {
		t.Errorf("the file holds %q, %v", b, err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}

	var p *fs.PathError
	in := filepath.Join(path, "nowhere")
	if err := Write(in, func(io.Writer) error { return nil }); !errors.As(err, &p) || p.Path != in {
		t.Errorf("%v, want an error at %s", err, in)
	}
}

// Several files appear together: those renamed already are removed again.
func TestRemoveAfterRename(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(f, "new"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before Rename: %v", err)
	}
	if err := errors.Join(f.Close(), f.Rename()); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "new" {
		t.Errorf("the file holds %q, %v", b, err)
	}
	if err := f.Remove(); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestAbandon: a process that ends leaves no temporary file, and none takes its name any more.
func TestAbandon(t *testing.T) {
	defer func() { live.over = false }()
	dir := t.TempDir()
	f, err := Create(filepath.Join(dir, "file"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("half")); err != nil {
		t.Fatal(err)
	}
	Abandon()
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := errors.Join(f.Close(), f.Rename()); !errors.Is(err, errAbandoned) {
		t.Errorf("the abandoned file is renamed: %v", err)
	}
	if err := Write(filepath.Join(dir, "other"), func(io.Writer) error { return nil }); !errors.Is(err, errAbandoned) {
		t.Errorf("a new file: %v", err)
	}
}
