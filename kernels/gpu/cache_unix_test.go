//go:build unix

package gpu_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestCachePipe: a pipe in the place of a binary is not waited for.
func TestCachePipe(t *testing.T) {
	dir := t.TempDir()
	builds(t, dir)
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the cache holds %v, %v", files, err)
	}
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(files[0], 0o600); err != nil {
		t.Skip(err)
	}
	for _, want := range []int{1, 0} { // the file that is written takes its place
		if n := builds(t, dir); n != want {
			t.Errorf("%d builds, want %d", n, want)
		}
	}
}
