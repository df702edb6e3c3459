package graphio_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// runBzip2 writes testdata/bzip2/NAME.bz2.
func runBzip2(t *testing.T, name string) {
	out, err := os.Create(filepath.Join("testdata", "bzip2", name+".bz2"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd := exec.Command("bzip2", "-c", filepath.Join("testdata", name))
	cmd.Stdout = out
	if err := cmd.Run(); err != nil {
		t.Fatalf("bzip2: %v", err)
	}
}
