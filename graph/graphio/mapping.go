package graphio

import (
	"fmt"

	"github.com/totemgo/totemgo/internal/memfault"
)

// mapping is a file in memory: mapped, or read where mapping is not possible.
type mapping struct {
	data  []byte
	unmap func([]byte) error // nil where data is ordinary memory
}

func (m *mapping) close() error {
	data, unmap := m.data, m.unmap
	m.data, m.unmap = nil, nil
	if unmap == nil {
		return nil
	}
	return unmap(data)
}

// Guard runs fn and turns the memory fault that reading a mapped file raises once
// another program has cut that file short into an error that wraps ErrTruncated. The
// protection covers the calling goroutine, not those that fn starts: each of them
// needs a Guard of its own. Any other panic passes through.
func Guard(path string, fn func() error) error {
	return memfault.Catch(fn, func(error) error { return cutShort(path) })
}

// cutShort is the error of a file that became unreadable.
func cutShort(path string) error {
	return &Error{File: path, Err: fmt.Errorf("%w: the file was cut short or became unreadable while it was read", ErrTruncated)}
}
