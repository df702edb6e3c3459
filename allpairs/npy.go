package allpairs

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"unsafe"
)

// npyMagic begins a file of NumPy's format .npy, version 1.0.
const npyMagic = "\x93NUMPY\x01\x00"

// NPY is a file of NumPy's format .npy with an n × n array, by rows (numpy.lib.format).
type NPY[T Value] struct {
	n    int
	head []byte
}

// NewNPY is for an array of n rows.
func NewNPY[T Value](n int) *NPY[T] {
	kind := map[any]string{int32(0): "<i4", float32(0): "<f4", float64(0): "<f8"}[any(T(0))]
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }", kind, n, n)
	text += strings.Repeat(" ", 63-(len(npyMagic)+2+len(text))%64) + "\n" // the values begin at a multiple of 64
	head := binary.LittleEndian.AppendUint16([]byte(npyMagic), uint16(len(text)))
	return &NPY[T]{n, append(head, text...)}
}

// Head is the bytes before the first row.
func (a *NPY[T]) Head() []byte { return a.head }

// Size is the bytes of the file.
func (a *NPY[T]) Size() int64 {
	return int64(len(a.head)) + int64(a.n)*int64(a.n)*int64(unsafe.Sizeof(T(0)))
}

// WriteRow writes row u into the file, and returns buffer for the next row. The error is file's.
func (a *NPY[T]) WriteRow(file io.WriterAt, u int, row []T, buffer []byte) ([]byte, error) {
	buffer, err := binary.Append(buffer[:0], binary.LittleEndian, row)
	if err == nil {
		_, err = file.WriteAt(buffer, int64(len(a.head))+int64(u)*int64(len(buffer)))
	}
	return buffer, err
}

// Write writes the file with the rows that row returns for 0 … n−1. The error is w's.
func (a *NPY[T]) Write(w io.Writer, row func(u uint32) []T) error {
	_, err := w.Write(a.head)
	for u := 0; u < a.n && err == nil; u++ {
		err = binary.Write(w, binary.LittleEndian, row(uint32(u)))
	}
	return err
}
