// Package atomicfile writes a file whole: to a temporary file in the same folder, which
// then takes the file's name. A reader sees the old file or the new one, and a write
// that fails leaves the old one. A symbolic link stays one, its target is created if it
// does not exist, and a file that is replaced passes its permissions on.
//
// A device or pipe is written directly, and so is a file that this process has open and a name such as /dev/stderr leads to,
// from where it stands. So is a file in a folder that takes no temporary
// file, from the first byte written; it is emptied if the write fails. Where the system
// refuses the rename, as for a mount point, the temporary file is copied.
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
	"sync/atomic"
	"syscall"
)

// File is a file that appears under its name once Rename has returned.
type File struct {
	name      string // as given
	path      string // where symbolic links lead
	temporary string // what it is called now; "" if it is written directly
	file      *os.File
	inPlace   bool        // a regular file under its own name: emptied before the first byte, and by Remove
	begun     atomic.Bool // the first byte is written
	// NoSync makes Close return before the data is on the disk.
	NoSync bool
}

// Calls of the system, replaced by tests.
var (
	fsync  = (*os.File).Sync
	rename = os.Rename
)

// Create opens path for writing. Remove has to be called if the file is given up.
func Create(path string) (*File, error) {
	f := &File{name: path, path: Target(path)}
	mode := fs.FileMode(0o666) // less the umask, as for any new file
	old, err := os.Stat(path)
	switch {
	case err == nil && filepath.Dir(f.path) == descriptors:
		f.file, err = duplicate(f.path)
		return f, f.named(err)
	case err == nil && !old.Mode().IsRegular():
		f.file, err = os.OpenFile(path, os.O_WRONLY, 0)
		return f, f.named(err)
	case err == nil:
		mode = old.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return f, f.named(err)
	}
	temporary := filepath.Join(filepath.Dir(f.path), fmt.Sprintf(".totemgo.%016x.part", rand.Uint64()))
	live.Lock()
	defer live.Unlock()
	if live.over {
		return f, f.named(errAbandoned)
	}
	if f.file, err = os.OpenFile(temporary, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode); err == nil {
		f.temporary = temporary
		if old != nil {
			inherit(f.file, old)
		}
	} else if old != nil {
		if direct, derr := os.OpenFile(f.path, os.O_WRONLY, 0); derr == nil {
			f.file, f.inPlace, err = direct, true, nil
		}
	}
	if err == nil {
		live.files[f] = true
	}
	return f, f.named(err)
}

// descriptors is the folder in which Linux names the open files of this process, as /dev/stderr leads to.
var descriptors = fmt.Sprintf("/proc/%d/fd", os.Getpid())

// maxLinks is the number of symbolic links that a path may lead through.
const maxLinks = 40

// Check returns the error that Create would return, before the work that makes what is written. It opens no device or pipe.
func Check(path string) error {
	if Direct(path) {
		return nil
	}
	f, err := Create(path)
	if err == nil {
		err = f.Remove()
	}
	return err
}

// Direct tells whether path is a device or pipe, or names an open file of this process.
func Direct(path string) bool {
	st, err := os.Stat(path)
	return err == nil && !st.IsDir() && (!st.Mode().IsRegular() || filepath.Dir(Target(path)) == descriptors)
}

// Target is where the symbolic links of a path lead, whose end need not exist.
func Target(path string) string {
	for range maxLinks {
		if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			path = filepath.Join(dir, filepath.Base(path))
		}
		to, err := os.Readlink(path)
		if err != nil || filepath.Dir(path) == descriptors {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return path
}

// live holds the files of the process that are not complete.
var live = struct {
	sync.Mutex
	files map[*File]bool
	over  bool
}{files: map[*File]bool{}}

var errAbandoned = errors.New("the process is ending")

// Abandon removes all temporary files and lets none take its name: the process is about to end while
// others may still write.
func Abandon() {
	live.Lock()
	defer live.Unlock()
	live.over = true
	for f := range live.files {
		_ = f.discard() // nobody is left to tell
	}
}

// discard removes a temporary file, and empties a file that is written in place.
func (f *File) discard() error {
	switch {
	case f.temporary != "":
		return os.Remove(f.temporary)
	case f.inPlace && f.begun.Load():
		return os.Truncate(f.path, 0)
	}
	return nil
}

// Write implements io.Writer.
func (f *File) Write(p []byte) (int, error) {
	if err := f.begin(); err != nil {
		return 0, f.named(err)
	}
	n, err := f.file.Write(p)
	return n, f.named(err)
}

// Room is the bytes that a new file at path may have. The error wraps errors.ErrUnsupported where the system does not tell,
// and for a device or pipe.
func Room(path string) (uint64, error) {
	if Direct(path) {
		return 0, fmt.Errorf("%s: %w: no file", path, errors.ErrUnsupported)
	}
	return room(filepath.Dir(Target(path)))
}

// Reserve gives the file a size, and its blocks on the disk where the system can; WriteAt then fills it. The error wraps
// errors.ErrUnsupported for what is no new regular file, and syscall.ENOSPC where the disk has less room.
func (f *File) Reserve(size int64) error {
	if f.temporary == "" {
		return fmt.Errorf("%s: %w: no new file", f.name, errors.ErrUnsupported)
	}
	free, err := room(filepath.Dir(f.temporary))
	if err == nil && free < uint64(size) {
		err = syscall.ENOSPC
	} else if err = allocate(f.file, size); errors.Is(err, errors.ErrUnsupported) { // no reservation
		err = f.file.Truncate(size)
	}
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("%s: %d bytes do not fit on the disk, which has %d: %w", f.name, size, free, syscall.ENOSPC)
	case err != nil:
		return fmt.Errorf("%s: %w", f.name, err)
	}
	return nil
}

// WriteAt writes a part of a file that Reserve has made, from any goroutine.
func (f *File) WriteAt(p []byte, off int64) (int, error) {
	n, err := f.file.WriteAt(p, off)
	return n, f.named(err)
}

// begin empties a file that is written in place.
func (f *File) begin() error {
	if !f.inPlace || f.begun.Swap(true) {
		return nil
	}
	return f.file.Truncate(0)
}

// Close brings the data to the disk and closes the file, which keeps its temporary name.
// A file system without fsync is accepted.
func (f *File) Close() error {
	err := f.begin()
	if (f.temporary != "" || f.inPlace) && !f.NoSync && err == nil {
		err = durable(f.file)
	}
	return f.named(errors.Join(err, f.file.Close()))
}

// durable waits until the data is on the disk, where the file system can tell.
func durable(f *os.File) error {
	err := fsync(f)
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		return nil
	}
	return err
}

// Rename gives a closed file its name.
func (f *File) Rename() error {
	live.Lock()
	defer live.Unlock()
	delete(live.files, f)
	if live.over && (f.temporary != "" || f.inPlace) {
		return f.named(errAbandoned)
	}
	if f.temporary == "" {
		return nil
	}
	if err := rename(f.temporary, f.path); err != nil {
		if cerr := f.copy(); cerr != nil {
			return &fs.PathError{Op: "rename", Path: f.name, Err: errors.Unwrap(err)}
		}
		f.temporary, f.inPlace = "", true
		f.begun.Store(true)
		return nil
	}
	f.temporary = f.path
	return nil
}

// copy writes the temporary file's data to the file, creates it if it does not exist, and
// removes the temporary file.
func (f *File) copy() error {
	from, err := os.Open(f.temporary)
	if err != nil {
		return err
	}
	defer from.Close()
	mode := fs.FileMode(0o666)
	if i, err := from.Stat(); err == nil {
		mode = i.Mode().Perm()
	}
	_, missing := os.Stat(f.path)
	to, err := os.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	if _, err = io.Copy(to, from); err == nil && !f.NoSync {
		err = durable(to)
	}
	if err = errors.Join(err, to.Close()); err != nil {
		if missing != nil {
			_ = os.Remove(f.path)
		} else {
			_ = os.Truncate(f.path, 0)
		}
		return err
	}
	return os.Remove(f.temporary)
}

// Remove closes the file and removes it, after Rename under its own name.
func (f *File) Remove() error {
	_ = f.file.Close() // closed already, or the error that led here is the one to report
	live.Lock()
	delete(live.files, f)
	live.Unlock()
	return f.named(f.discard())
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
	return f.End(write(f))
}

// End closes the file and gives it its name, or, after an error, removes it and returns that error.
func (f *File) End(err error) error {
	if err == nil {
		err = f.Close()
	}
	if err == nil {
		err = f.Rename()
	}
	if err != nil {
		err = errors.Join(err, f.Remove())
	}
	return err
}
