//go:build unix

package atomicfile

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Write keeps what a name stands for: links, modes, pipes.
func TestWriteKeeps(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	put := func(name, text string) {
		t.Helper()
		err := Write(at(name), func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(at("secret"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("secret", at("link")); err != nil {
		t.Fatal(err)
	}
	put("link", "new")
	if b, err := os.ReadFile(at("secret")); err != nil || string(b) != "new" {
		t.Errorf("the link's target holds %q, %v", b, err)
	}
	if st, err := os.Lstat(at("link")); err != nil || st.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", st, err)
	}
	if st, err := os.Stat(at("secret")); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode became %v, %v", st.Mode(), err)
	}

	old := syscall.Umask(0o077)
	put("masked", "x")
	syscall.Umask(old)
	if st, err := os.Stat(at("masked")); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("the umask is left out: %v, %v", st.Mode(), err)
	}

	if err := syscall.Mkfifo(at("fifo"), 0o600); err != nil {
		t.Skip(err)
	}
	got := make(chan string, 1)
	go func() {
		b, _ := os.ReadFile(at("fifo"))
		got <- string(b)
	}()
	put("fifo", "through")
	if s := <-got; s != "through" {
		t.Errorf("the pipe gave %q", s)
	}
	left, err := filepath.Glob(at(".*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
