//go:build nogpu && !cgo && linux

package cli

import (
	"debug/elf"
	"os"
	"testing"
)

// TestStatic looks at the test's own executable, which holds all that the command
// does: a build with the tag nogpu and without cgo asks for no interpreter and no
// library.
func TestStatic(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.Open(self)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("the executable needs a dynamic linker")
		}
	}
	libraries, err := f.ImportedLibraries() // nil without a dynamic section
	if err != nil || len(libraries) > 0 {
		t.Errorf("the executable needs the libraries %q, %v", libraries, err)
	}
}
