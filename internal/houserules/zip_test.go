package houserules

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/zip"
)

// file is a file of the module, for zip.
type file string

func (f file) Path() string { return string(f) }
func (f file) Lstat() (os.FileInfo, error) {
	return os.Lstat(filepath.Join(root, filepath.FromSlash(string(f))))
}
func (f file) Open() (io.ReadCloser, error) {
	return os.Open(filepath.Join(root, filepath.FromSlash(string(f))))
}

func TestModuleCanBeZipped(t *testing.T) {
	names := moduleFiles(t)
	var files []zip.File
	for _, name := range names {
		files = append(files, file(name))
	}
	if _, err := zip.CheckFiles(files); err != nil { // module cuda is left out, and no fault
		t.Error(err)
	}
	if !slices.Contains(names, "LICENSE") {
		t.Error("there is no LICENSE")
	}
}

func TestModuleZipCanFail(t *testing.T) {
	if _, err := zip.CheckFiles([]zip.File{file("go.mod"), file("con.txt")}); err == nil || !strings.Contains(err.Error(), "Windows") {
		t.Errorf("con.txt is a device of Windows: %v", err)
	}
}
