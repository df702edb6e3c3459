package graphio_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/graphio"
)

// npy is a file of version 1.
func npy(descr, order, shape, values string) string {
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr, order, shape)
	return "\x93NUMPY\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(text)))) + text + values
}

func packed(order binary.ByteOrder, values ...any) string {
	var b []byte
	for _, v := range values {
		b, _ = binary.Append(b, order, v)
	}
	return string(b)
}

// TestDense: each layout and type of values gives the arcs 0 → 1 of weight 5, 1 → 0 of weight 7 and a loop 1 → 1 of weight 2.
func TestDense(t *testing.T) {
	inf := math.Inf(1)
	for name, content := range map[string]string{
		"i1.npy":  npy("|i1", "False", "(2, 2)", packed(binary.LittleEndian, []int8{0, 5, 7, 2})),
		"u1.npy":  npy("|u1", "False", "(2, 2)", packed(binary.LittleEndian, []uint8{0, 5, 7, 2})),
		"i2.npy":  npy("<i2", "False", "(2, 2)", packed(binary.LittleEndian, []int16{0, 5, 7, 2})),
		"u2.npy":  npy(">u2", "False", "(2, 2)", packed(binary.BigEndian, []uint16{0, 5, 7, 2})),
		"i4.npy":  npy("<i4", "True", "(2, 2)", packed(binary.LittleEndian, []int32{math.MaxInt32, 7, 5, 2})),
		"u4.npy":  npy("<u4", "False", "(2, 2)", packed(binary.LittleEndian, []uint32{0, 5, 7, 2})),
		"i8.npy":  npy("<i8", "False", "(2, 2)", packed(binary.LittleEndian, []int64{math.MaxInt64, 5, 7, 2})),
		"f4.npy":  npy(">f4", "False", "(2, 2)", packed(binary.BigEndian, []float32{float32(inf), 5, 7, 2})),
		"f8.npy":  npy("<f8", "False", "(2, 2)", packed(binary.LittleEndian, []float64{inf, 5, 7, 2})),
		"int.mtx": "%%MatrixMarket matrix array integer general\n% by columns\n2 2\n0\n7\n5\n\n2\n",
		"big.mtx": "%%MatrixMarket matrix array integer general\n2 2\n9223372036854775807\n7\n5\n2\n",
		"f.mtx":   "%%MatrixMarket matrix array real general\n2 2\ninf\n7.0\n5\n2e0\n",
	} {
		f, err := graphio.Open(t.Context(), write(t, t.TempDir(), name, content), graphio.Options{})
		if err != nil {
			t.Error(err)
			continue
		}
		g, err := graph.Build(t.Context(), f.Source, graph.BuildOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var weights []float64
		for k := range g.Weights().Len() {
			weights = append(weights, g.Weights().Float64(k))
		}
		if !g.IsDirected() || !f.Report.DirectionStated || g.SelfLoops() != 1 || !slices.Equal(g.Targets(), []uint32{1, 0, 1}) || !slices.Equal(weights, []float64{5, 7, 2}) {
			t.Errorf("%s: %v with weights %v", name, g.Targets(), weights)
		}
		if err := g.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if base := uint64(strings.Count(name, "mtx")); g.VertexLabels().Label(0) != base {
			t.Errorf("%s: the first id is %d", name, g.VertexLabels().Label(0))
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestDenseOthers: booleans have no weights, a symmetric array is undirected, zeros beside the diagonal are named.
func TestDenseOthers(t *testing.T) {
	for name, c := range map[string]struct {
		content, warning string
		vertices, arcs   int
		kind             graph.WeightKind
		directed         bool
	}{
		"b.npy": {npy("|b1", "False", "(2, 2)", "\x01\x01\x00\x00"), "", 2, 2, graph.Unweighted, true},
		"0.npy": {npy("<f8", "False", "(0, 0)", ""), "", 0, 0, graph.Float64, true},
		"z.npy": {npy("|i1", "False", "(2, 2)", "\x00\x01\x00\x00"), "1 entry of 0 off the diagonal", 2, 2, graph.Int32, true},
		"s.mtx": {"%%MatrixMarket matrix array real symmetric\n3 3\n0\n1\n2\n0\ninf\n4\n", "", 3, 5, graph.Float64, false},
	} {
		f, err := graphio.Open(t.Context(), write(t, t.TempDir(), name, c.content), graphio.Options{})
		if err != nil {
			t.Error(err)
			continue
		}
		g, err := graph.Build(t.Context(), f.Source, graph.BuildOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if g.NumVertices() != c.vertices || int(g.NumArcs()) != c.arcs || g.WeightKind() != c.kind || g.IsDirected() != c.directed || g.Validate() != nil ||
			!strings.Contains(strings.Join(f.Report.Warnings, "\n"), c.warning) || c.warning == "" && len(f.Report.Warnings) > 0 {
			t.Errorf("%s: %d vertices, %v, %v, directed %v, warnings %q", name, g.NumVertices(), g.Targets(), g.WeightKind(), g.IsDirected(), f.Report.Warnings)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestDenseRefused: what a file lacks is found by its size, before memory is taken for what its header says.
func TestDenseRefused(t *testing.T) {
	for name, c := range map[string]struct {
		content string
		class   error
		mention string
	}{
		"head.npy":    {"\x93NUMPY\x01\x00\xff\x00{", graphio.ErrTruncated, "header"},
		"version.npy": {"\x93NUMPY\x04\x00\x01\x00{}{}", graphio.ErrTruncated, "version"},
		"short.npy":   {npy("<i4", "False", "(2147483647, 2147483647)", "\x00\x00"), graphio.ErrTruncated, "2147483647"},
		"one.npy":     {npy("<i4", "False", "(2, 2)", strings.Repeat("\x00", 15)), graphio.ErrTruncated, "15 bytes"},
		"long.npy":    {npy("<i4", "False", "(2, 2)", strings.Repeat("\x00", 17)), graphio.ErrFormat, "17 bytes"},
		"large.npy":   {npy("<i4", "False", "(99999999999, 99999999999)", ""), graphio.ErrTooLarge, "99999999999"},
		"wide.npy":    {npy("<i4", "False", "(1, 2)", strings.Repeat("\x00", 8)), graphio.ErrUnsupported, "2 columns"},
		"vector.npy":  {npy("<i4", "False", "(4,)", strings.Repeat("\x00", 16)), graphio.ErrUnsupported, "two sizes"},
		"complex.npy": {npy("<c8", "False", "(1, 1)", strings.Repeat("\x00", 8)), graphio.ErrUnsupported, "c8"},
		"object.npy":  {npy("|O", "False", "(1, 1)", strings.Repeat("\x00", 8)), graphio.ErrUnsupported, "descr"},
		"nan.npy":     {npy("<f8", "False", "(1, 1)", packed(binary.LittleEndian, math.NaN())), graphio.ErrFormat, "NaN in row 0, column 0"},
		"less.npy":    {npy("<f8", "False", "(1, 1)", packed(binary.LittleEndian, math.Inf(-1))), graphio.ErrFormat, "-Inf"},
		"few.mtx":     {"%%MatrixMarket matrix array integer general\n2 2\n1\n2\n3\n", graphio.ErrTruncated, "3 values"},
		"many.mtx":    {"%%MatrixMarket matrix array integer general\n1 1\n1\n2\n", graphio.ErrFormat, "one value more"},
		"huge.mtx":    {"%%MatrixMarket matrix array integer general\n4000000000 4000000000\n1\n", graphio.ErrTooLarge, "4000000000"},
		"more.mtx":    {"%%MatrixMarket matrix array integer general\n100000 100000\n1\n", graphio.ErrTooLarge, "100000"},
		"word.mtx":    {"%%MatrixMarket matrix array real general\n1 1\nx\n", graphio.ErrFormat, "\"x\""},
		"half.mtx":    {"%%MatrixMarket matrix array integer general\n1 1\n1.5\n", graphio.ErrFormat, "1.5"},
		"sizes.mtx":   {"%%MatrixMarket matrix array integer general\n1 1 1\n1\n", graphio.ErrFormat, "3 columns"},
		"rows.mtx":    {"%%MatrixMarket matrix array integer general\n1 2\n1\n2\n", graphio.ErrUnsupported, "2 columns"},
		"end.mtx":     {"%%MatrixMarket matrix array integer general\n", graphio.ErrTruncated, "sizes"},
		"bits.mtx":    {"%%MatrixMarket matrix array pattern general\n1 1\n1\n", graphio.ErrUnsupported, "pattern"},
	} {
		_, err := graphio.Open(t.Context(), write(t, t.TempDir(), name, c.content), graphio.Options{})
		if !errors.Is(err, c.class) || !strings.Contains(err.Error(), c.mention) {
			t.Errorf("%s: %v, want %v with %q", name, err, c.class, c.mention)
		}
	}
}
