//go:build unix

package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestAllPairsPipe: a named pipe is opened once, and takes the whole matrix.
func TestAllPairsPipe(t *testing.T) {
	el, pipe := file(t, "g.el", twoTriangles), filepath.Join(t.TempDir(), "pipe.npy")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Skipf("no named pipes: %v", err)
	}
	read := make(chan string, 1)
	go func() {
		f, err := os.Open(pipe)
		if err != nil {
			read <- err.Error()
			return
		}
		defer f.Close()
		text, err := io.ReadAll(f)
		if err != nil {
			read <- err.Error()
		}
		read <- string(text)
	}()
	command(t, "apsp", el, "-o", pipe).must(t)
	plain := filepath.Join(t.TempDir(), "plain.npy")
	command(t, "apsp", el, "-o", plain).must(t)
	if got := <-read; got != content(t, plain) || !strings.HasPrefix(got, "\x93NUMPY") {
		t.Errorf("the pipe gave %d bytes", len(got))
	}
}
