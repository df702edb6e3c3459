package gpu

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/totemgo/totemgo/internal/atomicfile"
	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// cacheLimit is the size that the cache is kept below, in bytes.
const cacheLimit = 64 << 20

// cacheSuffix ends the name of each file: "<key>.totemgo-kernels". A file is the
// SHA-256 of a binary and the binary.
const cacheSuffix = ".totemgo-kernels"

// cache keeps binaries of programs in a folder. All its failures are silent: the
// program is then built.
type cache struct {
	dir  string
	info device.Info
}

// key names the binary of text built with options for the device.
func (c cache) key(text string, options []string) string {
	h := sha256.New()
	for _, part := range []string{"1", text, strings.Join(options, " "), c.info.Kind, c.info.Platform, c.info.Vendor,
		c.info.Model, c.info.Version, c.info.Driver} {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (c cache) path(key string) string { return filepath.Join(c.dir, key+cacheSuffix) }

// read returns the binary of key, nil where it is not there or damaged.
func (c cache) read(key string) []byte {
	if c.dir == "" {
		return nil
	}
	// A pipe would be waited for, and a file of ours is within the limit.
	info, err := os.Stat(c.path(key))
	if err != nil || !info.Mode().IsRegular() || info.Size() > cacheLimit {
		return nil
	}
	data, err := os.ReadFile(c.path(key))
	if err != nil || len(data) <= sha256.Size {
		return nil
	}
	binary := data[sha256.Size:]
	if sum := sha256.Sum256(binary); !bytes.Equal(sum[:], data[:sha256.Size]) {
		return nil
	}
	return binary
}

// write keeps a binary.
func (c cache) write(key string, binary []byte) {
	if len(binary)+sha256.Size > cacheLimit || os.MkdirAll(c.dir, 0o755) != nil {
		return
	}
	if info, err := os.Lstat(c.path(key)); err == nil && !info.Mode().IsRegular() {
		_ = os.Remove(c.path(key)) // a pipe would be waited for
	}
	sum := sha256.Sum256(binary)
	err := atomicfile.Write(c.path(key), func(w io.Writer) error {
		_, err := w.Write(append(sum[:], binary...))
		return err
	})
	if err == nil {
		c.trim()
	}
}

// trim removes the oldest files until the rest is within the limit.
func (c cache) trim() {
	var list []os.FileInfo
	var sum int64
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.Contains(e.Name(), cacheSuffix) {
			list = append(list, info)
			sum += info.Size()
		}
	}
	slices.SortFunc(list, func(a, b os.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, f := range list {
		if sum <= cacheLimit {
			return
		}
		if os.Remove(filepath.Join(c.dir, f.Name())) == nil {
			sum -= f.Size()
		}
	}
}
