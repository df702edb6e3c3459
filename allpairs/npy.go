package allpairs

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
)

// npyMagic begins a file of NumPy's format .npy, version 1.0.
const npyMagic = "\x93NUMPY\x01\x00"

// npyHeader is the head of an n × n array of T, by rows (numpy.lib.format).
func npyHeader[T Value](n int) []byte {
	kind := map[any]string{int32(0): "<i4", float32(0): "<f4", float64(0): "<f8"}[any(T(0))]
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }", kind, n, n)
	text += strings.Repeat(" ", 63-(len(npyMagic)+2+len(text))%64) + "\n" // the values begin at a multiple of 64
	head := binary.LittleEndian.AppendUint16([]byte(npyMagic), uint16(len(text)))
	return append(head, text...)
}

// WriteNPY writes the matrix in NumPy's format .npy: row u, by dense id, has the distances from u.
// Pairs without a path hold Unreachable.
func (m *Matrix[T]) WriteNPY(w io.Writer) error {
	if _, err := w.Write(npyHeader[T](m.n)); err != nil {
		return err
	}
	row, line := make([]T, m.n), make([]byte, 0, 8*m.n)
	for u := range m.n {
		m.Row(u, row)
		line = line[:0]
		for _, x := range row {
			switch x := any(x).(type) {
			case int32:
				line = binary.LittleEndian.AppendUint32(line, uint32(x))
			case float32:
				line = binary.LittleEndian.AppendUint32(line, math.Float32bits(x))
			case float64:
				line = binary.LittleEndian.AppendUint64(line, math.Float64bits(x))
			}
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}
