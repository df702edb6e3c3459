// Package atomicfile writes a file whole: to a temporary file in the same folder, which
// then takes the file's name. A reader sees the old file or the new one, and a write
// that fails leaves the old one. A symbolic link stays one, a file that is replaced
// passes its permissions on, and a device or pipe is written directly.
//
// Errors of the system are *fs.PathError with the path that was given.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
)

// File is a file that appears under its name once Rename has returned.
type File struct {
	name      string // as given
	path      string // where symbolic links lead
	temporary string // what it is called now; "" if it is written directly
	file      *os.File
	// NoSync makes Close return before the data is on the disk.
	NoSync bool
}

// Create opens path for writing. Remove has to be called if the file is given up.
func Create(path string) (*File, error) {
	f := &File{name: path, path: path}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		f.path = target
	}
	mode, err := fs.FileMode(0o666), error(nil) // less the umask, as for any new file
	if i, serr := os.Stat(f.path); serr == nil {
		if mode = i.Mode().Perm(); !i.Mode().IsRegular() {
			f.file, err = os.OpenFile(f.path, os.O_WRONLY, 0)
			return f, f.named(err)
		}
	}
	temporary := filepath.Join(filepath.Dir(f.path), fmt.Sprintf(".%s.%016x.part", filepath.Base(f.path), rand.Uint64()))
	live.Lock()
	defer live.Unlock()
	if live.over {
		return f, f.named(errAbandoned)
	}
	if f.file, err = os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode); err == nil {
		f.temporary = temporary
		live.names[temporary] = true
	}
	return f, f.named(err)
}

// live holds the temporary names of the process.
var live = struct {
	sync.Mutex
	names map[string]bool
	over  bool
}{names: map[string]bool{}}

var errAbandoned = errors.New("the process is ending")

// Abandon removes all temporary files and lets none take its name: the process is about to end while
// others may still write.
func Abandon() {
	live.Lock()
	defer live.Unlock()
	live.over = true
	for name := range live.names {
		_ = os.Remove(name) // nobody is left to tell
	}
}

// Write implements io.Writer.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.file.Write(p)
	return n, f.named(err)
}

// Close brings the data to the disk and closes the file, which keeps its temporary name.
func (f *File) Close() error {
	var err error
	if f.temporary != "" && !f.NoSync {
		err = f.file.Sync()
	}
	return f.named(errors.Join(err, f.file.Close()))
}

// Rename gives a closed file its name.
func (f *File) Rename() error {
	if f.temporary == "" {
		return nil
	}
	live.Lock()
	defer live.Unlock()
	if live.over {
		return f.named(errAbandoned)
	}
	delete(live.names, f.temporary)
	if err := os.Rename(f.temporary, f.path); err != nil {
		return &fs.PathError{Op: "rename", Path: f.name, Err: errors.Unwrap(err)}
	}
	f.temporary = f.path
	return nil
}

// Remove closes the file and removes it, after Rename under its own name.
func (f *File) Remove() error {
	_ = f.file.Close() // closed already, or the error that led here is the one to report
	if f.temporary == "" {
		return nil
	}
	live.Lock()
	delete(live.names, f.temporary)
	live.Unlock()
	return f.named(os.Remove(f.temporary))
}

// named gives an error of the system the name of the file.
func (f *File) named(err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return &fs.PathError{Op: p.Op, Path: f.name, Err: p.Err}
	}
	return err
}

// Write writes path with what write produces.
func Write(path string, write func(w io.Writer) error) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	if err = write(f); err == nil {
		err = f.Close()
	}
	if err == nil {
		err = f.Rename()
	}
	if err == nil {
		return nil
	}
	return errors.Join(err, f.Remove())
}
