package main

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// writeFile writes path by a temporary file in the same folder and a rename, so that
// an error or an interrupt leaves what was there before. "-" is standard output.
func (e *env) writeFile(path string, write func(w *bufio.Writer) error) (err error) {
	if path == "-" {
		w := bufio.NewWriterSize(e.stdout, 1<<16)
		if err := write(w); err != nil {
			return err
		}
		return w.Flush()
	}
	mode := os.FileMode(0o666) // less the umask, as for any new file
	if i, err := os.Stat(path); err == nil && i.Mode().IsRegular() {
		mode = i.Mode().Perm()
	}
	name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%08x.tmp", filepath.Base(path), rand.Uint32()))
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, ignoreClosed(f.Close()), os.Remove(f.Name()))
		}
	}()
	w := bufio.NewWriterSize(f, 1<<20)
	if err = write(w); err != nil {
		return err
	}
	if err = w.Flush(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func ignoreClosed(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}
