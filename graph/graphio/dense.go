package graphio

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unsafe"

	"github.com/totemgo/totemgo/graph"
)

// Dense matrices: entry (i, j) is the weight of the arc i → j. No arc is an entry of +Inf, of integers the largest int32
// or int64, of booleans False, and 0 on the diagonal. A 0 elsewhere is an arc of weight 0.

const npyMagic = "\x93NUMPY"

// npyHead is the dictionary at the beginning of a file of NumPy's format .npy (numpy.lib.format).
var npyHead = regexp.MustCompile(`^\{\s*'descr':\s*'([<>|=])([a-z]\d+)',\s*'fortran_order':\s*(True|False),\s*'shape':\s*\((\d+), (\d+)\),?\s*\}\s*$`)

// readNPY reads a square matrix. The file's size is compared with the header before anything is allocated.
func readNPY(in *input, f *File) (graph.Source, error) {
	data, err := in.all()
	if err != nil {
		return nil, err
	}
	begin, size := 10, 0
	if len(data) >= 12 && bytes.HasPrefix(data, []byte(npyMagic)) && data[6] >= 1 && data[6] <= 3 {
		if size = int(binary.LittleEndian.Uint16(data[8:])); data[6] > 1 {
			begin, size = 12, int(binary.LittleEndian.Uint32(data[8:]))
		}
	}
	if size == 0 || size > len(data)-begin {
		return nil, bad(ErrTruncated, fmt.Sprintf("%d bytes without a whole header", len(data)), "\\x93NUMPY, a version from 1 to 3 and a header")
	}
	head, values := data[begin:begin+size], data[begin+size:]
	words := npyHead.FindSubmatch(head)
	if words == nil {
		return nil, bad(ErrUnsupported, "the header "+quote(strings.TrimSpace(string(head))), "one matrix of numbers: descr, fortran_order and two sizes")
	}
	rows, rerr := strconv.ParseUint(string(words[4]), 10, 32)
	columns, cerr := strconv.ParseUint(string(words[5]), 10, 32)
	width, _ := strconv.Atoi(string(words[2][1:]))                     // digits
	switch held := uint64(len(values)) / max(rows*uint64(width), 1); { // rows
	case rerr != nil || cerr != nil || rows > math.MaxInt32:
		return nil, bad(ErrTooLarge, fmt.Sprintf("a matrix of %s rows and %s columns", cut(string(words[4])), cut(string(words[5]))), "at most 2147483647 of each")
	case rows != columns:
		return nil, bad(ErrUnsupported, fmt.Sprintf("a matrix of %d rows and %d columns", rows, columns), "as many rows as columns: the vertices of a graph")
	case width < 1 || width > 8:
		return nil, bad(ErrUnsupported, "values of type "+quote(words[2]), "b1, i1 to i8, u1 to u4, f4 or f8")
	case held != rows || uint64(len(values)) != rows*rows*uint64(width):
		return nil, bad(short(held, rows), fmt.Sprintf("%d bytes of values", len(values)), fmt.Sprintf("%d × %d values of %d, as the header says", rows, rows, width))
	}
	m := &matrix{in: in, f: f, n: int(rows), directed: true, turned: words[3][0] == 'T'}
	var order binary.ByteOrder = binary.LittleEndian
	if words[1][0] == '>' {
		order = binary.BigEndian
	}
	switch string(words[2]) {
	case "b1":
		m.unweighted = true
		return dense(m, func(k int) int32 {
			if values[k] == 0 {
				return math.MaxInt32
			}
			return 1
		})
	case "i1":
		return dense(m, func(k int) int32 { return int32(int8(values[k])) })
	case "u1":
		return dense(m, func(k int) int32 { return int32(values[k]) })
	case "i2":
		return dense(m, func(k int) int32 { return int32(int16(order.Uint16(values[2*k:]))) })
	case "u2":
		return dense(m, func(k int) int32 { return int32(order.Uint16(values[2*k:])) })
	case "i4":
		return dense(m, func(k int) int32 { return int32(order.Uint32(values[4*k:])) })
	case "u4":
		return dense(m, func(k int) int64 { return int64(order.Uint32(values[4*k:])) })
	case "i8":
		return dense(m, func(k int) int64 { return int64(order.Uint64(values[8*k:])) })
	case "f4":
		return dense(m, func(k int) float32 { return math.Float32frombits(order.Uint32(values[4*k:])) })
	case "f8":
		return dense(m, func(k int) float64 { return math.Float64frombits(order.Uint64(values[8*k:])) })
	}
	return nil, bad(ErrUnsupported, "values of type "+quote(words[2]), "b1, i1 to i8, u1 to u4, f4 or f8")
}

// readArray reads the values of a MatrixMarket array of n rows: a number a line, by columns; of a symmetric one the
// lower triangle.
func readArray(in *input, f *File, n uint64, real, symmetric bool) (graph.Source, error) {
	count := n * n
	if symmetric {
		count = n * (n + 1) / 2
	}
	if n > math.MaxInt32 || in.size >= 0 && in.compression == "" && count > uint64(in.size)/2+1 {
		return nil, bad(ErrTooLarge, fmt.Sprintf("an array of %d rows and columns", n), fmt.Sprintf("no more than a file of %d bytes can hold", max(0, in.size)))
	}
	var whole []int64
	var reals []float64
	k := uint64(0)
	for h := in.peekRecord("%"); h != nil; h = in.peekRecord("%") {
		if in.skip(h); k == count {
			return nil, h.fault(ErrFormat, "one value more", fmt.Sprintf("%d, as the line of sizes says", count))
		}
		if k&(k-1) == 0 { // before append doubles it
			if err := in.hold(int64(8 * max(k, 1))); err != nil {
				return nil, err
			}
		}
		var err error
		text, want := string(bytes.TrimSpace(h.text)), "a whole number within 64 bits"
		if k++; real {
			reals, want = append(reals, 0), "a number"
			reals[k-1], err = strconv.ParseFloat(text, 64)
		} else {
			whole = append(whole, 0)
			whole[k-1], err = strconv.ParseInt(text, 10, 64)
		}
		if err != nil {
			return nil, h.fault(ErrFormat, quote(text), want)
		}
	}
	if k < count {
		return nil, bad(ErrTruncated, plural(int64(k), "value"), fmt.Sprintf("%d, as the line of sizes says", count))
	}
	m := &matrix{in: in, f: f, n: int(n), base: 1, directed: !symmetric, turned: true, triangle: symmetric}
	if real {
		return dense(m, func(k int) float64 { return reals[k] })
	}
	for _, x := range whole {
		if x != int64(int32(x)) {
			return dense(m, func(k int) int64 { return whole[k] })
		}
	}
	return dense(m, func(k int) int32 { return int32(whole[k]) })
}

// matrix is how the values of a dense matrix lie.
type matrix struct {
	in         *input
	f          *File
	n          int
	base       uint64 // of ids
	directed   bool
	unweighted bool
	turned     bool // by columns
	triangle   bool // the lower triangle only, by columns
}

// index is the place of entry (i, j).
func (m *matrix) index(i, j int) int {
	switch {
	case m.triangle:
		i, j = max(i, j), min(i, j)
		return j*m.n - j*(j-1)/2 + i - j
	case m.turned:
		i, j = j, i
	}
	return i*m.n + j
}

// dense makes the graph of the values.
func dense[T graph.Weight](m *matrix, value func(k int) T) (graph.Source, error) {
	least, none := math.Inf(-1), T(0)
	switch none := any(&none).(type) {
	case *int32:
		*none = math.MaxInt32
	case *int64:
		*none = math.MaxInt64
	case *float32:
		*none = float32(math.Inf(1))
	case *float64:
		*none = math.Inf(1)
	}
	offsets := make([]uint64, m.n+1)
	zeros, loops := int64(0), int64(0)
	for i := range m.n {
		arcs := offsets[i]
		for j := range m.n {
			x := value(m.index(i, j))
			switch {
			case x != x || float64(x) == least:
				return nil, bad(ErrFormat, fmt.Sprintf("%v in row %d, column %d", x, uint64(i)+m.base, uint64(j)+m.base), "a number, or +Inf for no arc")
			case x == none || x == 0 && i == j:
				continue
			case i == j:
				loops++
			case x == 0:
				zeros++
			}
			arcs++
		}
		if offsets[i+1] = arcs; i%64 == 0 && m.in.ctx.Err() != nil {
			return nil, m.in.ctx.Err()
		}
	}
	arcs := int(offsets[m.n])
	keep := !m.unweighted && m.in.o.WeightColumn >= 0
	kept := 0
	if keep {
		kept = arcs
	} else if !m.unweighted {
		m.f.Report.IgnoredColumns = int64(arcs)
	}
	if err := m.in.hold(int64(arcs)*4 + int64(m.n)*8 + int64(kept)*int64(unsafe.Sizeof(none))); err != nil {
		return nil, err
	}
	targets, weights := make([]uint32, 0, arcs), make([]T, 0, kept)
	for i := range m.n {
		for j := range m.n {
			if x := value(m.index(i, j)); x != none && (x != 0 || i != j) {
				if targets = append(targets, uint32(j)); keep {
					weights = append(weights, x)
				}
			}
		}
	}
	if zeros > 0 && !m.unweighted {
		m.f.Report.warnf("%s of 0 off the diagonal are arcs of weight 0: no arc is +Inf, or the largest int32 or int64", plural(zeros, "entry"))
	}
	parts := graph.CSRParts{Directed: m.directed, Offsets: offsets, Targets: targets, Trusted: true, Loops: loops,
		Labels: graph.IdentityLabels(m.n, m.base)}
	if keep {
		parts.Weights = graph.WeightsOf(weights)
	}
	return graph.NewCSR(parts)
}
