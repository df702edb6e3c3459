package graphio_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/graph/graphio"
)

// le makes bytes of numbers: int64 and uint64 take 8, int32 and uint32 take 4, byte 1.
func le(numbers ...any) string {
	var b []byte
	for _, n := range numbers {
		switch v := n.(type) {
		case byte:
			b = append(b, v)
		case int64:
			b = binary.LittleEndian.AppendUint64(b, uint64(v))
		case uint64:
			b = binary.LittleEndian.AppendUint64(b, v)
		case int32:
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		case uint32:
			b = binary.LittleEndian.AppendUint32(b, v)
		}
	}
	return string(b)
}

type refusal struct {
	name    string // of the case
	file    string
	content string
	options graphio.Options
	line    int64
	class   error
	mention []string
}

func refusals() []refusal {
	return []refusal{
		{name: "K01/crlf-word", file: "a.txt", content: "0\t1\r\n1\tx\r\n", line: 2, class: graphio.ErrFormat, mention: []string{`"x"`}},
		{name: "K01/utf-16", file: "a.txt", content: "\xff\xfe0\x00 \x001\x00\n\x00", class: graphio.ErrUnsupported, mention: []string{"UTF-16"}},
		{name: "K02/comment-in-line", file: "a.el", content: "0 1\n1 2 # x\n", line: 2, class: graphio.ErrFormat, mention: []string{"columns"}},
		{name: "K03/metis-zero", file: "a.graph", content: "3 2\n2 3\n1\n0\n", line: 4, class: graphio.ErrFormat, mention: []string{"neighbour 0", "1..3"}},
		{name: "K03/mtx-zero", file: "a.mtx", content: "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n0 3\n", line: 4, class: graphio.ErrFormat, mention: []string{"row 0", "1..3"}},
		{name: "K03/gr-zero", file: "a.gr", content: "p sp 3 1\na 0 2 1\n", line: 2, class: graphio.ErrFormat, mention: []string{"vertex 0", "1..3"}},
		{name: "K03/konect-zero", file: "out.a", content: "% asym unweighted\n1 2\n0 1\n", line: 3, class: graphio.ErrFormat, mention: []string{"vertex 0"}},
		{name: "K03/totem-range", file: "a.totem", content: "# NODES: 3\n# EDGES: 2\n# DIRECTED\n0 1\n0 3\n", line: 5, class: graphio.ErrFormat, mention: []string{"vertex 3", "0..2"}},
		{name: "K04/beyond-64-bits", file: "a.el", content: "1 2\n18446744073709551616 3\n", line: 2, class: graphio.ErrTooLarge, mention: []string{"18446744073709551616"}},
		{name: "K04/negative", file: "a.el", content: "1 2\n3 -4\n", line: 2, class: graphio.ErrFormat, mention: []string{"-4"}},
		{name: "K04/negative-alone", file: "a.mtx", content: "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n-1 2\n", line: 3, class: graphio.ErrFormat, mention: []string{`found negative number "-1", expected a row, from 0 on`}},
		{name: "K04/fraction", file: "a.el", content: "1 2.5\n", line: 1, class: graphio.ErrFormat, mention: []string{"2.5"}},
		{name: "K05/el-third", file: "a.el", content: "0 1\n1 2 3\n", line: 2, class: graphio.ErrFormat, mention: []string{"3 columns", "2"}},
		{name: "K05/wel-missing", file: "a.wel", content: "0 1 5\n1 2\n", line: 2, class: graphio.ErrFormat, mention: []string{"2 columns", "3"}},
		{name: "K05/txt-one", file: "a.txt", content: "0 1\n\n2\n", line: 3, class: graphio.ErrFormat, mention: []string{"1 column"}},
		{name: "K05/csv-empty", file: "a.csv", content: "0,1\n1,\n", line: 2, class: graphio.ErrFormat},
		{name: "K05/csv-blank", file: "a.csv", content: "0,1\n1 2\n", line: 2, class: graphio.ErrFormat},
		{name: "K05/mtx-extra", file: "a.mtx", content: "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2 3\n", line: 3, class: graphio.ErrFormat, mention: []string{"3 columns"}},
		{name: "K05/words", file: "a.txt", content: "source target\n1 2\nalice bob\n", line: 3, class: graphio.ErrFormat, mention: []string{"alice"}},
		{name: "K05/header-only", file: "a.txt", content: "source target\n", line: 1, class: graphio.ErrFormat},
		{name: "K05/prose", file: "a.txt", content: "This is no graph at all.\nIt never was.\n", line: 1, class: graphio.ErrFormat},
		{name: "K10/overflow", file: "a.wel", content: "0 1 9223372036854775808\n", line: 1, class: graphio.ErrTooLarge, mention: []string{"9223372036854775808"}},
		{name: "K05/empty-column", file: "a.csv", content: "1,,2\n", line: 1, class: graphio.ErrFormat, mention: []string{"found nothing"}},
		{name: "K05/one-column", file: "a.csv", content: "1,2\n3\n", line: 2, class: graphio.ErrFormat, mention: []string{"1 column", "(malformed input)"}},
		{name: "K05/letter-alone", file: "a.gr", content: "p sp 3 1\na\n", line: 2, class: graphio.ErrFormat, mention: []string{"0 columns", "3"}},
		{name: "K07/metis-weights-end-early", file: "a.graph", content: "2 0 10\n5\n", class: graphio.ErrTruncated, mention: []string{"1 vertex line", "2"}},
		{name: "K07/metis-sizes-end-early", file: "a.graph", content: "3 1 100\n5 2\n5 1\n", options: graphio.Options{Lenient: true}, class: graphio.ErrTruncated, mention: []string{"2 vertex lines", "3"}},
		{name: "K10/overflow-real", file: "a.wel", content: "0 1 1e999\n", line: 1, class: graphio.ErrTooLarge, mention: []string{"1e999"}},
		{name: "K12/nan", file: "a.wel", content: "0 1 1\n0 1 nan\n", line: 2, class: graphio.ErrFormat, mention: []string{"nan"}},
		{name: "K12/inf", file: "a.wel", content: "0 1 1\n\n0 1 -Inf\n", line: 3, class: graphio.ErrFormat, mention: []string{"-Inf"}},
		{name: "K12/infinity-mtx", file: "a.mtx", content: "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 Infinity\n", line: 3, class: graphio.ErrFormat, mention: []string{"Infinity"}},
		{name: "K12/hex", file: "a.wel", content: "0 1 0x10\n", line: 1, class: graphio.ErrFormat, mention: []string{"0x10"}},
		{name: "K12/underscore", file: "a.wel", content: "0 1 1_0\n", line: 1, class: graphio.ErrFormat, mention: []string{"1_0"}},
		{name: "K13/mtx-integer", file: "a.mtx", content: "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 3\n2 1 1.5\n", line: 4, class: graphio.ErrFormat, mention: []string{"1.5"}},
		{name: "K14/banner", file: "a.mtx", content: "%MatrixMarket matrix coordinate pattern general\n1 1 0\n", line: 1, class: graphio.ErrFormat, mention: []string{"%%MatrixMarket"}},
		{name: "K14/no-banner", file: "a.mtx", content: "3 3 1\n1 2\n", line: 1, class: graphio.ErrFormat, mention: []string{"%%MatrixMarket"}},
		{name: "K14/sizes", file: "a.mtx", content: "%%MatrixMarket matrix coordinate pattern general\n3 3\n", line: 2, class: graphio.ErrFormat, mention: []string{"2 columns"}},
		{name: "K14/no-sizes", file: "a.mtx", content: "%%MatrixMarket matrix coordinate pattern general\n%\n", class: graphio.ErrTruncated},
		{name: "K15/complex", file: "a.mtx", content: "%%MatrixMarket matrix coordinate complex general\n1 1 0\n", line: 1, class: graphio.ErrUnsupported, mention: []string{"complex"}},
		{name: "K15/array", file: "a.mtx", content: "%%MatrixMarket matrix array real skew-symmetric\n1 1\n1\n", line: 1, class: graphio.ErrUnsupported, mention: []string{"array"}},
		{name: "K15/hermitian", file: "a.mtx", content: "%%MatrixMarket matrix coordinate real hermitian\n1 1 0\n", line: 1, class: graphio.ErrUnsupported, mention: []string{"hermitian"}},
		{name: "K15/skew-diagonal", file: "a.mtx", content: "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 2 1.0\n", line: 3, class: graphio.ErrFormat, mention: []string{"diagonal"}},
		{name: "K15/rectangular", file: "a.mtx", content: "%%MatrixMarket matrix coordinate pattern general\n2 3 0\n", line: 2, class: graphio.ErrUnsupported, mention: []string{"2 rows", "3 columns"}},
		{name: "K16/mtx-short", file: "a.mtx", content: "%%MatrixMarket matrix coordinate pattern general\n3 3 4\n1 2\n2 3\n", class: graphio.ErrTruncated, mention: []string{"2 entries", "4"}},
		{name: "K16/mtx-long", file: "a.mtx", content: "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n\n1 2\n%\n2 3\n", line: 6, class: graphio.ErrFormat, mention: []string{"1 entry", "line 2"}},
		{name: "K16/gr-short", file: "a.gr", content: "c x\np sp 3 2\na 1 2 1\n", class: graphio.ErrTruncated, mention: []string{"1 arc", "2"}},
		{name: "K16/gr-long", file: "a.gr", content: "p sp 3 1\na 1 2 1\na 2 3 1\n", line: 3, class: graphio.ErrFormat},
		{name: "K16/metis-one-sided", file: "a.graph", content: "4 3\n2\n1 3\n2\n3\n", class: graphio.ErrFormat, line: 5, mention: []string{"3-4"}},
		{name: "K16/metis-count", file: "a.graph", content: "3 3\n2\n1 3\n2\n", class: graphio.ErrTruncated, line: 1, mention: []string{"2 edges", "3 edges"}},
		{name: "K16/metis-short", file: "a.graph", content: "5 1\n2\n1\n", class: graphio.ErrTruncated, mention: []string{"2 vertex lines", "5"}},
		{name: "K16/metis-long", file: "a.graph", content: "2 1\n2\n1\n\n1\n", line: 5, class: graphio.ErrFormat, mention: []string{"2 vertices"}},
		{name: "K16/metis-weights-differ", file: "a.graph", content: "2 1 1\n2 5\n1 6\n", line: 3, class: graphio.ErrFormat, mention: []string{"5", "6", "1-2"}},
		{name: "K16/konect-short", file: "out.a", content: "% sym unweighted\n% 4 3 3\n1 2\n2 3\n", class: graphio.ErrTruncated, mention: []string{"2 records", "4", "line 2"}},
		{name: "K16/konect-long", file: "out.a", content: "% sym weighted\n% 1 3 3\n1 2 5\n2 3 5\n", class: graphio.ErrFormat, mention: []string{"2 records", "1", "line 2"}},
		{name: "K16/totem-short", file: "a.totem", content: "# NODES: 3\n# EDGES: 4\n# DIRECTED\n0 1\n", class: graphio.ErrTruncated, mention: []string{"4"}},
		{name: "K17/mtx-entries", file: "a.mtx", content: "%%MatrixMarket matrix coordinate pattern general\n2 2 18446744073709551615\n1 1\n", line: 2, class: graphio.ErrTooLarge, mention: []string{"18446744073709551615"}},
		{name: "K17/mtx-entries-large", file: "a.mtx", content: "%%MatrixMarket matrix coordinate pattern general\n2 2 400000000000000000\n1 1\n", class: graphio.ErrTruncated, mention: []string{"400000000000000000"}},
		{name: "K17/mtx-rows", file: "a.mtx", content: "%%MatrixMarket matrix coordinate pattern general\n5000000000 5000000000 1\n1 1\n", line: 2, class: graphio.ErrTooLarge, mention: []string{"5000000000"}},
		{name: "K17/mtx-vertices", file: "a.mtx", content: "%%MatrixMarket matrix coordinate pattern general\n4000000000 4000000000 1\n1 2\n", line: 2, class: graphio.ErrTooLarge, mention: []string{"4000000000", "1 record"}},
		{name: "K17/gr-vertices", file: "a.gr", content: "p sp 4294967294 1\na 1 2 5\n", line: 1, class: graphio.ErrTooLarge, mention: []string{"4294967294"}},
		{name: "K17/totem-vertices", file: "a.totem", content: "# NODES: 5000000\n# EDGES: 1\n# DIRECTED\n0 1\n", line: 2, class: graphio.ErrTooLarge, mention: []string{"5000000"}},
		{name: "K17/konect-vertices", file: "out.a", content: "% bip unweighted\n% 1 5000000 3\n1 1\n", line: 2, class: graphio.ErrTooLarge, mention: []string{"5000003"}},
		{name: "K17/konect-records", file: "out.a", content: "% sym unweighted\n% 18446744073709551615 3 3\n1 2\n", line: 2, class: graphio.ErrTooLarge, mention: []string{"18446744073709551615"}},
		{name: "K17/metis-lenient", file: "a.graph", content: "4294967294 0\n", options: graphio.Options{Lenient: true}, class: graphio.ErrTruncated, mention: []string{"4294967294"}},
		{name: "K17/metis-vertices", file: "a.graph", content: "4294967295 1\n2\n", line: 1, class: graphio.ErrTooLarge, mention: []string{"4294967295"}},
		{name: "K17/metis-edges", file: "a.graph", content: "2 18446744073709551615\n2\n1\n", line: 1, class: graphio.ErrTooLarge},
		{name: "K17/sg", file: "a.sg", content: le(byte(0), int64(math.MaxInt64), int64(3)) + "xxxxxxxx", class: graphio.ErrTooLarge, mention: []string{"9223372036854775807"}},
		{name: "K17/sg-vertices", file: "a.sg", content: le(byte(0), int64(3), int64(-1)), class: graphio.ErrTooLarge},
		{name: "K18/gzip-damaged", file: "a.el.gz", content: "\x1f\x8b\x08\x00garbage and more garbage", class: graphio.ErrFormat, mention: []string{"gzip"}},
		{name: "K18/zstd-cut", file: "a.el.zst", content: "\x28\xb5\x2f\xfd\x04", class: graphio.ErrTruncated, mention: []string{"zstd"}},
		{name: "K18/xz-cut", file: "a.el.xz", content: "\xfd7zXZ\x00\x00", class: graphio.ErrTruncated, mention: []string{"xz"}},
		{name: "K18/bzip2-cut", file: "a.el.bz2", content: "BZh91AY&SY", class: graphio.ErrTruncated, mention: []string{"bzip2"}},
		{name: "K19/fmt", file: "a.graph", content: "2 1 12\n2\n1\n", line: 1, class: graphio.ErrFormat, mention: []string{"12"}},
		{name: "K19/odd-weights", file: "a.graph", content: "2 1 1\n2 5\n1\n", line: 3, class: graphio.ErrFormat, mention: []string{"without a weight"}},
		{name: "K19/no-vertex-weight", file: "a.graph", content: "2 1 10\n3 2\n\n", line: 3, class: graphio.ErrFormat, mention: []string{"vertex weight"}},
		{name: "K19/ncon", file: "a.graph", content: "2 1 1 2\n2 1\n1 1\n", line: 1, class: graphio.ErrFormat, mention: []string{"ncon"}},
		{name: "K19/self-loop", file: "a.graph", content: "2 2\n1 2\n1\n", line: 2, class: graphio.ErrFormat, mention: []string{"self-loop"}},
		{name: "K20/cut", file: "a.sg", content: le(byte(0), int64(2), int64(2), int64(0), int64(1), int64(2), int32(1)), class: graphio.ErrTruncated, mention: []string{"45", "49"}},
		{name: "K20/long", file: "a.sg", content: le(byte(0), int64(0), int64(1), int64(0), int64(0), int32(1)), class: graphio.ErrFormat},
		{name: "K20/range", file: "a.sg", content: le(byte(1), int64(1), int64(2), int64(0), int64(1), int64(1), int32(2), int64(0), int64(0), int64(1), int32(0)), class: graphio.ErrFormat, mention: []string{"2", "0..1"}},
		{name: "K20/halves-differ", file: "a.sg", content: le(byte(1), int64(1), int64(2), int64(0), int64(1), int64(1), int32(1), int64(0), int64(0), int64(1), int32(1)), class: graphio.ErrFormat, mention: []string{"in-arcs"}},
		{name: "K20/offsets", file: "a.sg", content: le(byte(0), int64(2), int64(2), int64(0), int64(9), int64(2), int32(1), int32(0)), class: graphio.ErrFormat, mention: []string{"9"}},
		{name: "K20/one-sided", file: "a.sg", content: le(byte(0), int64(1), int64(2), int64(0), int64(1), int64(1), int32(1)), class: graphio.ErrFormat},
		{name: "K20/flag", file: "a.sg", content: le(byte(7), int64(0), int64(0), int64(0)), class: graphio.ErrFormat, mention: []string{"7"}},
		{name: "K20/short-header", file: "a.sg", content: "abc", class: graphio.ErrTruncated},
		{name: "K21/ragged", file: "a.packed", content: strings.Repeat("\x00", 26), class: graphio.ErrTruncated, mention: []string{"26", "12"}},
		{name: "K21/ragged-16", file: "a.packed", content: strings.Repeat("\x00", 24), options: graphio.Options{Tuple: 16}, class: graphio.ErrTruncated, mention: []string{"24", "16", "12"}},
		{name: "K21/negative", file: "a.packed", content: le(int64(-1), int64(3)), options: graphio.Options{Tuple: 16}, class: graphio.ErrFormat, mention: []string{"-1"}},
		{name: "K21/16-as-12", file: "a.packed", content: le(int64(3), int64(1), int64(4), int64(1), int64(5), int64(9)), class: graphio.ErrFormat, mention: []string{"16"}},
		{name: "K01/utf-16-graphalytics", file: "a.e", content: "\xff\xfe1\x00 \x002\x00\n\x00", class: graphio.ErrUnsupported, mention: []string{"UTF-16"}},
		{name: "K01/utf-16-no-name", file: "a", content: "\xfe\xff\x001\x00 \x002\x00\n", class: graphio.ErrUnsupported, mention: []string{"UTF-16"}},
		{name: "K01/utf-16-no-mark", file: "a.txt", content: "0\x00 \x001\x00\n\x001\x00 \x002\x00\n\x00", class: graphio.ErrUnsupported, mention: []string{"UTF-16"}},
		{name: "K01/utf-16-no-mark-no-name", file: "a", content: "\x000\x00\t\x001\x00\n", class: graphio.ErrUnsupported, mention: []string{"UTF-16"}},
		{name: "K54/names-kept", file: "a.csv", content: "source,target\nalice,bob\n", options: graphio.Options{Vertices: 9}, class: graphio.ErrOptions, mention: []string{"names as ids"}},
		{name: "K01/utf-16-edges", file: "a.edges", content: "\xff\xfe1\x00 \x002\x00\n\x00", class: graphio.ErrUnsupported, mention: []string{"UTF-16"}},
		{name: "K21/unknown-name-is-input", file: "a.bin", content: strings.Repeat("\x00\x01\x02", 12), class: graphio.ErrFormat, mention: []string{"graph500"}},
		{name: "K21/unknown-name", file: "a.bin", content: strings.Repeat("\x00\x01\x02", 12), class: graphio.ErrUnknownFormat, mention: []string{"graph500"}},
		{name: "totem/header", file: "a.totem", content: "# NODES: 3\n0 1\n", line: 2, class: graphio.ErrFormat, mention: []string{"EDGES"}},
		{name: "konect/format", file: "out.a", content: "% tri unweighted\n1 2\n", line: 1, class: graphio.ErrFormat, mention: []string{"tri"}},
		{name: "konect/dynamic", file: "out.a", content: "% asym dynamic\n1 2 -1 5\n", line: 1, class: graphio.ErrUnsupported, mention: []string{"dynamic"}},
		{name: "konect/one-id", file: "out.a", content: "% asym unweighted\n% 2 3 3\n\n 2\n1 3\n", line: 4, class: graphio.ErrFormat, mention: []string{"1 column"}},
		{name: "konect/one-id-weighted", file: "out.a", content: "% asym positive\n2\n1 3\n", line: 2, class: graphio.ErrFormat, mention: []string{"1 column"}},
		{name: "konect/range", file: "out.a", content: "% asym unweighted\n% 2 3 3\n1 2\n1 4\n", line: 4, class: graphio.ErrFormat, mention: []string{"vertex 4", "1..3"}},
		{name: "gr/problem", file: "a.gr", content: "p cnf 3 1\n", line: 1, class: graphio.ErrUnsupported, mention: []string{"cnf"}},
		{name: "adjacency/word", file: "a.adj", content: "Adjacency\n0\n0\n", line: 1, class: graphio.ErrFormat, mention: []string{`"Adjacency"`}},
		{name: "adjacency/number", file: "a.adj", content: "AdjacencyGraph\n1\n1\n0\nx\n", line: 5, class: graphio.ErrFormat, mention: []string{`"x"`}},
		{name: "adjacency/real", file: "a.adj", content: "WeightedAdjacencyGraph\n1\n1\n0\n0\n 1.5\n", line: 6, class: graphio.ErrFormat, mention: []string{"1.5", "column 2"}},
		{name: "adjacency/short", file: "a.adj", content: "AdjacencyGraph\n2\n2\n0\n1\n1\n", class: graphio.ErrTruncated, mention: []string{"5 numbers", "6"}},
		{name: "adjacency/long", file: "a.adj", content: "AdjacencyGraph\n1\n1\n0\n0\n0\n", class: graphio.ErrFormat, mention: []string{"5 numbers", "4"}},
		{name: "adjacency/large", file: "a.adj", content: "AdjacencyGraph\n4294967296\n0\n", class: graphio.ErrTooLarge, mention: []string{"4294967296"}},
		{name: "adjacency/offset", file: "a.adj", content: "AdjacencyGraph\n2\n1\n0\n2\n1\n", class: graphio.ErrFormat, mention: []string{"offset 2 of vertex 1"}},
		{name: "adjacency/range", file: "a.adj", content: "AdjacencyGraph\n2\n1\n0\n1\n2\n", class: graphio.ErrFormat, mention: []string{"neighbour 2 of vertex 0"}},
		{name: "adjacency/no-counts", file: "a.adj", content: "AdjacencyGraph\n", class: graphio.ErrTruncated},
		{name: "dimacs/problem", file: "a.col", content: "p sat 3 1\n", line: 1, class: graphio.ErrUnsupported, mention: []string{"sat", "edge, col, max"}},
		{name: "dimacs/count", file: "a.col", content: "p edge 3 2\ne 1 2\n", class: graphio.ErrTruncated, mention: []string{"1 edge", "2"}},
		{name: "dimacs/range", file: "a.clq", content: "p col 3 1\ne 1 4\n", line: 2, class: graphio.ErrFormat, mention: []string{"vertex 4", "1..3"}},
		{name: "dimacs/arc-in-edges", file: "a.col", content: "p edge 3 1\na 1 2\n", line: 2, class: graphio.ErrFormat, mention: []string{`"a"`}},
		{name: "dimacs/no-capacity", file: "a.max", content: "p max 3 1\nn 1 s\na 1 2\n", line: 3, class: graphio.ErrFormat, mention: []string{"a u v capacity"}},
		{name: "graphml/no-node", file: "a.graphml", content: graphmlOf(`edgedefault="directed"`, "<node id='a'/>\n<edge source='a' target='b'/>"), line: 3, class: graphio.ErrFormat, mention: []string{`"b"`}},
		{name: "graphml/twice", file: "a.graphml", content: graphmlOf(`edgedefault="directed"`, "<node id='a'/><node id='a'/>"), line: 2, class: graphio.ErrFormat, mention: []string{`"a" again`}},
		{name: "graphml/mixed", file: "a.graphml", content: graphmlOf(`edgedefault="directed"`, "<node id='a'/><edge source='a' target='a'/><edge source='a' target='a' directed='false'/>"), class: graphio.ErrUnsupported, mention: []string{"1 undirected and 1 directed"}},
		{name: "graphml/nested", file: "a.graphml", content: graphmlOf(`edgedefault="directed"`, "<node id='a'><graph edgedefault='directed'/></node>"), line: 2, class: graphio.ErrUnsupported, mention: []string{"within a node"}},
		{name: "graphml/two", file: "a.graphml", content: "<graphml><graph edgedefault='directed'/><graph edgedefault='directed'/></graphml>", line: 1, class: graphio.ErrUnsupported, mention: []string{"second graph"}},
		{name: "graphml/none", file: "a.graphml", content: "<graphml></graphml>", class: graphio.ErrTruncated},
		{name: "graphml/hyperedge", file: "a.graphml", content: graphmlOf(`edgedefault="directed"`, "<hyperedge/>"), line: 2, class: graphio.ErrUnsupported, mention: []string{"hyperedge"}},
		{name: "graphml/cut", file: "a.graphml", content: "<graphml>\n<graph edgedefault='directed'><node id='a'/>", line: 2, class: graphio.ErrTruncated, mention: []string{"</graph>"}},
		{name: "graphml/weight", file: "a.graphml", content: graphmlOf(`edgedefault="directed"`, "<node id='a'/>\n<edge source='a' target='a'>\n<data key='w'>nan</data></edge>"), line: 3, class: graphio.ErrFormat, mention: []string{"nan", "WeightColumn"}},
		{name: "graphml/no-weight", file: "a.graphml", content: graphmlOf(`edgedefault="directed"`, "<node id='a'/><edge source='a' target='a'><data key='w'>1</data></edge>\n<edge source='a' target='a'/>"), line: 3, class: graphio.ErrFormat, mention: []string{"without a weight"}},
		{name: "graphml/default", file: "a.graphml", content: graphmlOf("", ""), line: 2, class: graphio.ErrFormat, mention: []string{"edgedefault"}},
		{name: "graphml/encoding", file: "a.graphml", content: `<?xml version="1.0" encoding="ISO-8859-1"?><graphml/>`, class: graphio.ErrUnsupported, mention: []string{"ISO-8859-1"}},
		{name: "graphml/other", file: "a.graphml", content: "<svg/>", line: 1, class: graphio.ErrFormat, mention: []string{`"svg"`}},
		{name: "K17/promised", file: "a.gr", content: "p sp 99999999999999999999999 3\na 1 2 3\n", line: 1, class: graphio.ErrFormat, mention: []string{"99999999999999999999999", "before 1 line"}},
		{name: "K17/promised-konect", file: "out.a", content: "% sym unweighted\n% 99999999999999999999999 3 3\n1 2\n2 3\n", line: 2, class: graphio.ErrTooLarge, mention: []string{"before 2 lines"}},
		{name: "K17/adjacency", file: "a.adj", content: "AdjacencyGraph\n99999999999999999999999\n", line: 2, class: graphio.ErrTooLarge, mention: []string{"found 99999999999999999999999, expected an integer"}},
		{name: "K52/labelled-matrix", file: "a.csv", content: ",a,b,c\na,0,1,0\nb,1,0,1\nc,0,1,0\n", line: 2, class: graphio.ErrFormat, mention: []string{"dense matrix", "Columns"}},
		{name: "K52/labelled-matrix-no-corner", file: "a.txt", content: "x y\nx 0 1\ny 1 0\n", line: 2, class: graphio.ErrFormat, mention: []string{"dense matrix"}},
		{name: "K52/matrix-below-letters", file: "a.csv", content: "a,b,c,d\n0,1,0,0\n1,0,1,0\n0,1,0,1\n0,0,1,0\n", line: 2, class: graphio.ErrFormat, mention: []string{"dense matrix", "Columns"}},
		{name: "K52/matrix-below-numbers", file: "a.csv", content: "0,1,2\n0,1,0\n1,0,1\n0,1,0\n", line: 1, class: graphio.ErrFormat, mention: []string{"dense matrix"}},
		{name: "K52/matrix-below-numbers-from-1", file: "a.tsv", content: "1\t2\t3\n0\t1\t0\n1\t0\t1\n0\t1\t0\n", line: 1, class: graphio.ErrFormat, mention: []string{"dense matrix"}},
		{name: "K52/matrix-below-numbered-names", file: "a.csv", content: "V1,V2,V3\n0,1,0\n1,0,1\n0,1,0\n", line: 2, class: graphio.ErrFormat, mention: []string{"dense matrix"}},
		{name: "K52/matrix-of-numbered-rows", file: "a.csv", content: "\"\",\"V1\",\"V2\",\"V3\"\n\"1\",0,1,0\n\"2\",1,0,1\n\"3\",0,1,0\n", line: 2, class: graphio.ErrFormat, mention: []string{"dense matrix"}},
		{name: "K52/sizes-of-a-matrix", file: "a.txt", content: "4 4 3\n1 2 5\n2 3 6\n3 4 7\n", line: 1, class: graphio.ErrFormat, mention: []string{"4 4 3", "FirstLine"}},
		{name: "K52/sizes-of-two-sides", file: "a.txt", content: "4 5 3\n1 5 5\n2 3 6\n3 4 7\n", line: 1, class: graphio.ErrFormat, mention: []string{"4 5 3"}},
		{name: "K52/sizes-before-weights", file: "a.txt", content: "4 3\n1 2 5\n2 3 6\n3 4 7\n", line: 1, class: graphio.ErrFormat, mention: []string{"2 numbers before records of 3 columns", "sizes"}},
		{name: "K52/dimacs-without-p", file: "a.txt", content: "c x\ne 1 2\ne 2 3\n", line: 2, class: graphio.ErrFormat, mention: []string{"DIMACS"}},
		{name: "K52/dot-behind-a-comment", file: "a.txt", content: "# x\ndigraph G {\n a -> b\n}\n", class: graphio.ErrUnknownFormat, mention: []string{"DOT"}},
		{name: "K52/pajek-behind-a-comment", file: "a.txt", content: "% x\n*Network x\n*Vertices 2\n*Arcs\n1 2 1\n", class: graphio.ErrUnknownFormat, mention: []string{"Pajek"}},
		{name: "K52/gdf", file: "a.csv", content: "nodedef>name VARCHAR\na\nedgedef>node1,node2\na,a\n", class: graphio.ErrUnknownFormat, mention: []string{"GDF"}},
		{name: "K51/names-late", file: "a.csv", content: "1,2\n2,x\n", line: 2, class: graphio.ErrFormat, mention: []string{`"x"`, "Options.Names"}},
		{name: "K51/table-of-vertices", file: "a.csv", content: "id|name\n1|x y\n2|z\n", line: 2, class: graphio.ErrFormat, mention: []string{"a table of vertices", "Columns"}},
		{name: "K51/two-pairs", file: "a.csv", content: "from,to,source,target\n1,2,3,4\n5,6,7,8\n", line: 2, class: graphio.ErrFormat, mention: []string{"several pairs", "Columns"}},
		{name: "K51/ids-and-names", file: "a.csv", content: "source_id,source_name,target_id,target_name\n1,a,2,b\n", line: 2, class: graphio.ErrFormat, mention: []string{"several pairs"}},
		{name: "K51/gephi-undirected", file: "a.csv", content: "Source,Target,Type\n1,2,Directed\n2,3,Undirected\n", line: 3, class: graphio.ErrFormat, mention: []string{`"Type" is undirected`, "Options.Direction"}},
		{name: "K51/letters", file: "a", content: "a b\nc d\ne f\n", line: 1, class: graphio.ErrFormat, mention: []string{`"a b"`, "FirstLine"}},
		{name: "K51/letters-u-v", file: "a", content: "u v\nw x\n", line: 1, class: graphio.ErrFormat, mention: []string{`"u v"`, "FirstLine"}},
		{name: "K51/numbered-names", file: "a", content: "v1 v2\nv3 v4\n", line: 1, class: graphio.ErrFormat, mention: []string{`"v1 v2"`, "FirstLine"}},
		{name: "K51/names-with-hashes", file: "a", content: "go rust\n#x go\nrust x\n", line: 2, class: graphio.ErrFormat, mention: []string{"begin with #"}},
		{name: "gr/no-weight", file: "a.gr", content: "p sp 3 1\na 1 2\n", line: 2, class: graphio.ErrFormat},
		{name: "gr/letter", file: "a.gr", content: "p sp 3 1\ne 1 2 1\n", line: 2, class: graphio.ErrFormat, mention: []string{`"e"`}},
		{name: "gr/no-problem", file: "a.gr", content: "c only\n", class: graphio.ErrTruncated},
		{name: "native/magic", file: "a.tgr", content: strings.Repeat("x", 200), class: graphio.ErrFormat},
		{name: "native/short", file: "a.tgr", content: "\x89TGR\r\n\x1a\n", class: graphio.ErrTruncated},
		{name: "memory-limit", file: "a.el", content: "0 1\n1 2\n2 3\n", options: graphio.Options{MemoryLimit: 20}, class: graphio.ErrTooLarge, mention: []string{"20"}},
		{name: "foreign-weight-column", file: "a.mtx", content: "%%MatrixMarket matrix coordinate pattern general\n1 1 0\n", options: graphio.Options{WeightColumn: 3}, class: graphio.ErrOptions, mention: []string{"matrixmarket"}},
		{name: "K51/row-names", file: "a.csv", content: "weight,from,to\n1,5,10,20\n2,5,20,30\n", line: 2, class: graphio.ErrFormat,
			mention: []string{"3 names and 4 columns"}},
		{name: "K51/no-such-column", file: "a.csv", content: "a,b,c\n1,2,3\n", options: graphio.Options{Columns: []string{"a", "d"}}, line: 2,
			class: graphio.ErrOptions, mention: []string{`"d"`, `"c"`}},
		{name: "K51/column-beyond", file: "a.csv", content: "a,b,c\n1,2,3\n", options: graphio.Options{Columns: []string{"1", "4"}}, line: 2,
			class: graphio.ErrFormat, mention: []string{"3 columns", "4"}},
		{name: "K51/one-column-twice", file: "a.csv", content: "1,2,3\n", options: graphio.Options{Columns: []string{"2", "2"}}, line: 1,
			class: graphio.ErrOptions, mention: []string{"columns 2 and 2"}},
		{name: "K51/word-in-column", file: "a.tsv", content: "10\tlikes\t20\n20\tis\tx\n", options: graphio.Options{Columns: []string{"1", "3"}}, line: 2,
			class: graphio.ErrFormat, mention: []string{`"x"`, "column 7"}},
		{name: "K51/foreign-columns", file: "a.mtx", content: "%%MatrixMarket matrix coordinate pattern general\n1 1 0\n",
			options: graphio.Options{Columns: []string{"1", "2"}}, class: graphio.ErrOptions, mention: []string{"matrixmarket"}},
		{name: "foreign-tuple", file: "a.el", content: "0 1\n", options: graphio.Options{Tuple: 16}, class: graphio.ErrOptions, mention: []string{"graph500"}},
		{name: "foreign-weights", file: "a.el", content: "0 1\n", options: graphio.Options{WeightsPath: "w"}, class: graphio.ErrOptions, mention: []string{"graph500"}},
		{name: "K54/hidden-behind-header", file: "a.csv", content: "source,target\n#cats,u1\ndogs,u2\n", options: graphio.Options{Names: true}, line: 2,
			class: graphio.ErrFormat, mention: []string{"begins as a comment", "quotes"}},
		{name: "K54/hidden-late", file: "a.csv", content: "source,target\ndogs,u2\n%cats,u1\n", line: 3, class: graphio.ErrFormat,
			mention: []string{"begins as a comment"}},
		{name: "K54/zero-byte", file: "a.txt", content: "1 2\x00\n2 3\n", line: 1, class: graphio.ErrFormat, mention: []string{`2\x00`}},
		{name: "K54/latin-names", file: "a.csv", content: "source,target\n\xe9,b\n\xe8,b\n", line: 2, class: graphio.ErrUnsupported, mention: []string{"UTF-8"}},
		{name: "K54/latin-graphml", file: "a.graphml", content: "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<graphml/>", class: graphio.ErrUnsupported,
			mention: []string{"ISO-8859-1", "UTF-8"}},
		{name: "K54/one-end", file: "a.csv", content: "source,weight\n1,2\n", line: 2, class: graphio.ErrFormat, mention: []string{"source,weight", "Columns"}},
		{name: "K54/slashes", file: "a.txt", content: "// comment\n1 2\n", line: 1, class: graphio.ErrFormat, mention: []string{"record 2", "Names", "FirstLine"}},
		{name: "K54/sizes-of-words", file: "a.txt", content: "n 3\nm 2\n0 1\n1 2\n", line: 1, class: graphio.ErrFormat, mention: []string{"record 3"}},
		{name: "K54/numbers-late", file: "a.txt", content: "a b\nb c\n1 2\n", line: 1, class: graphio.ErrFormat, mention: []string{"record 3"}},
		{name: "K54/assignment", file: "a.txt", content: "c x\np asn 2 1\na 1 2 5\n", line: 2, class: graphio.ErrUnsupported, mention: []string{`"asn"`}},
		{name: "K54/tree-width", file: "a", content: "p tw 3 2\n1 2\n2 3\n", line: 1, class: graphio.ErrUnsupported, mention: []string{`"tw"`, "sp, edge"}},
		{name: "K54/edge-array", file: "a", content: "WeightedEdgeArray\n1 2 3\n", class: graphio.ErrUnknownFormat, mention: []string{"PBBS"}},
		{name: "K54/hypergraph", file: "a", content: "AdjacencyHypergraph\n1\n", class: graphio.ErrUnknownFormat, mention: []string{"Ligra"}},
		{name: "K54/sizes-of-both-arcs", file: "a.txt", content: "3 2\n0 1\n1 0\n1 2\n2 1\n", line: 1, class: graphio.ErrFormat,
			mention: []string{"4 records follow", "FirstLine"}},
		{name: "K54/one-record-follows", file: "a.txt", content: "2 1\n0 1\n", line: 1, class: graphio.ErrFormat, mention: []string{"1 record follows"}},
		{name: "K54/one-line-of-words", file: "a", content: "alice,bob\n", line: 1, class: graphio.ErrFormat, mention: []string{"FirstLine edge"}},
		{name: "K54/sizes-in-wel", file: "a.wel", content: "3 2\n0 1 5\n1 2 6\n", line: 1, class: graphio.ErrFormat, mention: []string{"FirstLine sizes", "Columns"}},
		{name: "K54/zero-based-metis", file: "a.graph", content: "4 4\n1 3\n0 2\n1 3\n2 0\n", line: 2, class: graphio.ErrFormat, mention: []string{"begin at 1", "Lenient"}},
		{name: "K54/metis-named-edges", file: "a.edges", content: "4 4\n2 4\n1 3\n2 4\n3 1\n", class: graphio.ErrFormat, mention: []string{"metis"}},
		{name: "K54/zeros", file: "a", content: strings.Repeat("\x00", 10240), class: graphio.ErrUnsupported, mention: []string{"an archive of 0 files"}},
		{name: "K54/lzma", file: "a", content: "\x5d\x00\x00\x80\x00" + strings.Repeat("\xff", 8) + "x", class: graphio.ErrUnknownFormat, mention: []string{"LZMA", "xz"}},
		{name: "K54/properties", file: "a.properties", content: "graph.a.directed = true\n", class: graphio.ErrUnknownFormat, mention: []string{"Graphalytics", "NAME.e"}},
		{name: "K54/int32-tuples", file: "a.edges", content: le(int32(0), int32(1), int32(1), int32(2), int32(2), int32(3)), class: graphio.ErrFormat,
			mention: []string{"8-byte tuples", "Tuple"}},
		{name: "K54/int64-tuples", file: "a.edges", content: le(int64(0), int64(1), int64(1), int64(-1), int64(2), int64(3)), class: graphio.ErrFormat,
			mention: []string{"16-byte tuples"}},
		{name: "K54/points-and-commas", file: "a.csv", content: "1;2;1.000\n2;3;1,5\n", options: graphio.Options{WeightColumn: 3}, line: 1,
			class: graphio.ErrFormat, mention: []string{`"1.000"`, "decimal commas"}},
		{name: "K54/no-known-ends", file: "a.csv", content: "eid,left,right,w\n100,1,2,9\n200,2,3,9\n", line: 2, class: graphio.ErrFormat,
			mention: []string{"eid,left,right,w", "Columns"}},
		{name: "K54/two-columns-of-a-name", file: "a.csv", content: "from,from,to\n1,2,3\n", options: graphio.Options{Columns: []string{"from", "to"}}, line: 2,
			class: graphio.ErrOptions, mention: []string{"several", `"from"`}},
		{name: "K55/unlike-names", file: "a.csv", content: "alice,bob\nNA,carol\n", line: 1, class: graphio.ErrFormat, mention: []string{"FirstLine edge"}},
		{name: "K55/two-kinds", file: "a.csv", content: "userId,movieId,rating\n1,2,5\n2,3,4\n", line: 2, class: graphio.ErrFormat,
			mention: []string{"ids of two kinds", "userId,movieId", "Columns"}},
		{name: "K55/two-kinds-ldbc", file: "a.csv", content: "Person.id|City.id\n1|2\n2|3\n", line: 2, class: graphio.ErrFormat, mention: []string{"ids of two kinds"}},
		{name: "K55/second-end-first", file: "a.csv", content: "target,hub\n1,2\n2,3\n", line: 2, class: graphio.ErrFormat, mention: []string{"other order", "Columns"}},
		{name: "K55/comment-of-columns", file: "a.csv", content: "# weight,source,target\n1,2,3\n2,3,3\n", line: 1, class: graphio.ErrFormat,
			mention: []string{"comment", "Options.Columns 2,3"}},
		{name: "K55/comment-in-reverse", file: "a.txt", content: "#to from\n1 2\n2 3\n", line: 1, class: graphio.ErrFormat, mention: []string{"Options.Columns 2,1"}},
		{name: "K55/sizes-and-flag", file: "a.txt", content: "3 3 0\n0 1 5\n1 2 6\n2 0 7\n", line: 1, class: graphio.ErrFormat,
			mention: []string{"3 3 0", "3 records follow", "FirstLine"}},
		{name: "K55/facts", file: "a.pl", content: "edge(1,2).\nedge(2,3).\n", line: 1, class: graphio.ErrFormat, mention: []string{"edge(1", "Names"}},
		{name: "K55/sql", file: "a.sql", content: "INSERT INTO e VALUES (1,2)\nINSERT INTO e VALUES (2,3)\n", line: 1, class: graphio.ErrFormat, mention: []string{"statement"}},
		{name: "K55/neighbours-of-names", file: "a.txt", content: "a: b\nc: b\nb: a:\n", line: 1, class: graphio.ErrFormat, mention: []string{`"a:"`, "Names"}},
		{name: "K55/tab-and-comma", file: "a.txt", content: "alice\t,bob\nbob\t,alice\n", line: 1, class: graphio.ErrFormat, mention: []string{`",bob"`}},
		{name: "K55/dimacs-without-problem", file: "a.txt", content: "p 3 2\na 1 2\na 2 3\n", line: 1, class: graphio.ErrFormat, mention: []string{"DIMACS"}},
		{name: "K55/git-lfs", file: "a.txt", content: "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 7\n", class: graphio.ErrUnknownFormat,
			mention: []string{"Git LFS"}},
		{name: "K55/ncol-with-names", file: "a.ncol", content: "source target\na b\n", line: 1, class: graphio.ErrFormat, mention: []string{"source target", "FirstLine edge"}},
		{name: "K55/empty-gzip", file: "a.txt.gz", class: graphio.ErrTruncated, mention: []string{"an empty file", "get it again"}},
		{name: "K55/empty-zip", file: "a.ZIP", class: graphio.ErrTruncated, mention: []string{"an empty file"}},
		{name: "K55/endless-line", file: "a.txt", content: strings.Repeat("1 2 ", 50000), line: 1, class: graphio.ErrFormat,
			mention: []string{"200000 bytes", "65536"}},
		{name: "unknown-format", file: "a.el", content: "0 1\n", options: graphio.Options{Format: "gif"}, class: graphio.ErrUnknownFormat, mention: []string{"gif", "metis"}},
	}
}

// TestRefusals reads files that are wrong, with any number of threads, blocks of any
// size, from a file and from a pipe, and demands the same error each time.
func TestRefusals(t *testing.T) {
	for _, r := range refusals() {
		t.Run(r.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), r.file)
			if err := os.WriteFile(path, []byte(r.content), 0o600); err != nil {
				t.Fatal(err)
			}
			first := ""
			for _, threads := range []int{1, 3} {
				for _, block := range []int{0, 4} {
					o := r.options.WithBlock(block)
					o.Threads = threads
					f, err := graphio.Open(context.Background(), path, o)
					if err == nil {
						f.Close()
						t.Fatalf("read without an error, %d records", f.Report.Records)
					}
					if !errors.Is(err, r.class) {
						t.Errorf("%v does not wrap %v", err, r.class)
					}
					message := strings.ReplaceAll(err.Error(), path, "")
					if first == "" {
						first = message
					} else if message != first && r.options.MemoryLimit == 0 {
						t.Errorf("threads %d, block %d: %q, before: %q", threads, block, message, first)
					}
					var e *graphio.Error
					if errors.As(err, &e) {
						if e.Line != r.line {
							t.Errorf("line %d, want %d: %v", e.Line, r.line, err)
						}
						if e.File != path {
							t.Errorf("file %q, want %q", e.File, path)
						}
					} else if r.line > 0 {
						t.Errorf("%v is no *Error", err)
					}
					for _, m := range r.mention {
						if !strings.Contains(message, m) {
							t.Errorf("%q does not mention %q", message, m)
						}
					}
				}
			}
		})
	}
}

// TestLongWords keeps messages short whatever the file holds.
func TestLongWords(t *testing.T) {
	long := strings.Repeat("x", 100000)
	for format, contents := range map[string][]string{
		"matrixmarket": {"%%MatrixMarket matrix " + long + " real general\n", "%%MatrixMarket matrix coordinate " + long + " general\n",
			"%%MatrixMarket matrix coordinate real " + long + "\n", long},
		"metis":    {"1 0 10\n" + strings.Repeat("9", 100000) + "\n", "1 " + long + "\n"},
		"edgelist": {"1 2 " + strings.Repeat("9", 100000) + "\n", long + "\n", strings.Repeat("1", 100000) + " 2\n"},
		"totem":    {long, "# NODES: " + long + "\n"},
		"konect":   {long, "% sym " + long + "\n", "% sym unweighted\n% " + strings.Repeat("9", 100000) + "\n"},
		"dimacs9":  {long, "p " + long + " 1 1\n"},
	} {
		for _, content := range contents {
			o := graphio.Options{Format: format, Stdin: strings.NewReader(content)}
			if format == "edgelist" {
				o.WeightColumn = 3
			}
			if _, err := graphio.Open(context.Background(), "-", o); err == nil || len(err.Error()) > 400 {
				t.Errorf("%s, %.40q: %.200v", format, content, err)
			}
		}
	}
}

// TestFirstFault checks that the fault reported is the first of the file, and its line
// exact, whatever the blocks and threads.
func TestFirstFault(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", "\r"} {
		var b strings.Builder
		for i := range 5000 {
			switch {
			case i == 3210 || i == 3300 || i == 4999:
				b.WriteString("1 2 3")
			case i%97 == 0:
				b.WriteString("# comment")
			case i%89 == 0:
			default:
				fmt.Fprintf(&b, "%d %d", i, i*7)
			}
			b.WriteString(end)
		}
		path := filepath.Join(t.TempDir(), "a.el")
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, block := range []int{1, 7, 100, 1000, 0} {
			for threads := range 5 {
				for _, pipe := range []bool{false, true} {
					o := graphio.Options{Threads: threads + 1}.WithBlock(block)
					name := path
					if pipe {
						name, o.Format = "-", "edgelist"
						o.Stdin = strings.NewReader(b.String())
					}
					_, err := graphio.Open(context.Background(), name, o)
					var e *graphio.Error
					if !errors.As(err, &e) || e.Line != 3211 {
						t.Fatalf("end %q, block %d, threads %d, pipe %v: %v, want line 3211", end, block, threads+1, pipe, err)
					}
				}
			}
		}
	}
}

// TestFileErrors opens what is no readable file.
func TestFileErrors(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	if _, err := graphio.Open(ctx, filepath.Join(dir, "none.el"), graphio.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if _, err := graphio.Open(ctx, dir, graphio.Options{}); !errors.Is(err, graphio.ErrFormat) || !strings.Contains(err.Error(), "directory") {
		t.Errorf("directory: %v", err)
	}
	if _, err := graphio.Open(ctx, "-", graphio.Options{}); !errors.Is(err, graphio.ErrOptions) {
		t.Errorf("no standard input: %v", err)
	}
	if os.Getuid() != 0 {
		path := filepath.Join(dir, "secret.el")
		if err := os.WriteFile(path, []byte("0 1\n"), 0); err != nil {
			t.Fatal(err)
		}
		if _, err := graphio.Open(ctx, path, graphio.Options{}); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("unreadable file: %v", err)
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := graphio.Open(ended, dir, graphio.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: %v", err)
	}
	for _, o := range []graphio.Options{{WeightColumn: 2}, {WeightColumn: -2}, {Tuple: 13}, {Direction: 9}} {
		if _, err := graphio.Open(ctx, dir, o); !errors.Is(err, graphio.ErrOptions) {
			t.Errorf("options %+v: %v", o, err)
		}
	}
}

func TestOpenNilContext(t *testing.T) {
	var none context.Context
	if _, err := graphio.Open(none, "graph.el", graphio.Options{}); !errors.Is(err, graphio.ErrOptions) {
		t.Error(err)
	}
}

// A native file whose ids would exceed 64 bits is refused.
func TestNativeIDsBeyond64Bits(t *testing.T) {
	data, err := os.ReadFile("testdata/native-v1.tgr")
	if err != nil {
		t.Fatal(err)
	}
	n := binary.LittleEndian.Uint64(data[16:])
	for _, c := range []struct {
		base uint64
		want error
	}{{math.MaxUint64 - (n - 1), nil}, {math.MaxUint64 - (n - 2), graphio.ErrFormat}} {
		binary.LittleEndian.PutUint64(data[56:], c.base)
		binary.LittleEndian.PutUint32(data[124:], crc32.Checksum(data[:124], crc32.MakeTable(crc32.Castagnoli)))
		file := filepath.Join(t.TempDir(), "g.tgr")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := graphio.Open(t.Context(), file, graphio.Options{})
		if !errors.Is(err, c.want) {
			t.Errorf("%d vertices from %d on: %v, want %v", n, c.base, err, c.want)
		}
		if err == nil {
			f.Close()
		}
	}
}

// TestCommentsOfOneWord: comments that are not each before records of their own are not the lists of LGL.
func TestCommentsOfOneWord(t *testing.T) {
	for _, text := range []string{"#one\n#two\n0 1\n1 2\n", "# one\n0 1\n#two\n", "#one\n0 1\n#two\n# of many words\n1 2\n"} {
		f, err := graphio.Open(t.Context(), write(t, t.TempDir(), "a.txt", text), graphio.Options{})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if n := strings.Count(text, "\n") - strings.Count(text, "#"); f.Source.NumEdges() != int64(n) {
			t.Errorf("%q: %d edges, want %d", text, f.Source.NumEdges(), n)
		}
		f.Close()
	}
}

// What may be two things is refused, and both readings and the cure are named.
func TestAmbiguous(t *testing.T) {
	for name, c := range map[string]struct {
		file, content string
		mention       []string
		cure          graphio.Cure
		decided       graphio.Options // reads it
	}{
		"row numbers":     {"a.csv", "0,5,6\n1,6,7\n2,7,5\n", []string{"number of the row"}, graphio.CureColumns, graphio.Options{Columns: []string{"2", "3"}}},
		"row names":       {"a.csv", "\"\",\"who\",\"whom\"\n\"1\",4,2\n\"2\",2,3\n", []string{"number of the row"}, graphio.CureColumns, graphio.Options{Columns: []string{"who", "whom"}}},
		"adjacency":       {"a.adjlist", "0 1 2\n1 2 0\n2 0 1\n", []string{"adjacency lists", "edges"}, graphio.CureColumns, graphio.Options{WeightColumn: 3}},
		"adjacency names": {"a.txt", "a b c\nb c a\nc a b\n", []string{"adjacency lists"}, graphio.CureColumns, graphio.Options{Columns: []string{"1", "2"}, FirstLine: graphio.FirstEdge}},
		"lengths":         {"a.txt", "0 1\n1 2 3\n2 0\n3 1\n", []string{"adjacency lists"}, graphio.CureColumns, graphio.Options{}},
		"matrix":          {"a.txt", "0 1 1 0\n1 0 0 1\n1 0 0 1\n0 1 1 0\n", []string{"dense matrix", "edge list"}, graphio.CureColumns, graphio.Options{Columns: []string{"1", "2"}}},
		"small matrix":    {"a.csv", "0,2,0\n2,0,5\n0,5,0\n", []string{"dense matrix", "edge list"}, graphio.CureColumns, graphio.Options{WeightColumn: 3}},
		"sizes":           {"a.txt", "4 3\n0 1\n1 2\n2 3\n", []string{"numbers of vertices and edges", "edge"}, graphio.CureFirstLine, graphio.Options{FirstLine: graphio.FirstSizes}},
		"sizes from 1":    {"a.el", "3 2\n1 2\n3 2\n", []string{"numbers of vertices and edges", "edge"}, graphio.CureFirstLine, graphio.Options{FirstLine: graphio.FirstEdge}},
		"header or edge":  {"a.txt", "x y\na b\n", []string{"edge", "names of columns"}, graphio.CureFirstLine, graphio.Options{FirstLine: graphio.FirstEdge}},
		"triples":         {"a.txt", "a likes b\nb likes c\nc hates a\n", []string{"more than two columns"}, graphio.CureColumns, graphio.Options{Columns: []string{"1", "3"}, FirstLine: graphio.FirstEdge}},
		"node list":       {"a.txt", "# nodes\n0 7\n1 7\n# edges\n0 1\n", []string{"list of vertices before the edges"}, graphio.CureFormat, graphio.Options{Format: "edgelist"}},
		"TGF":             {"a.txt", "1 alice\n2 bob\n#\n1 2\n", []string{"Trivial Graph Format", "names"}, graphio.CureColumns, graphio.Options{}},
		"LGL":             {"a.txt", "# 1\n2 5\n3 6\n# 2\n3 7\n", []string{"LGL"}, graphio.CureFormat, graphio.Options{Format: "edgelist"}},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, t.TempDir(), c.file, c.content)
			_, err := graphio.Open(t.Context(), path, graphio.Options{})
			e := (*graphio.Error)(nil)
			if !errors.As(err, &e) || !errors.Is(err, graphio.ErrFormat) || !slices.Contains(e.Hint.Cures, c.cure) {
				t.Fatalf("error %v, want the cure %v", err, c.cure)
			}
			for _, m := range c.mention {
				if !strings.Contains(err.Error(), m) {
					t.Errorf("%v does not mention %q", err, m)
				}
			}
			if reflect.DeepEqual(c.decided, graphio.Options{}) {
				return
			}
			f, err := graphio.Open(t.Context(), path, c.decided)
			if err != nil {
				t.Fatalf("decided: %v", err)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Formats that are not read are named, by their marks or their names.
func TestUnread(t *testing.T) {
	for file, c := range map[string]struct{ content, name string }{
		"a.txt":        {"Creator \"x\"\ngraph\n[\n  node [ id 1 ]\n]\n", "GML"},
		"b.txt":        {"*Vertices 2\n1 \"a\"\n2 \"b\"\n*Edges\n1 2\n", "Pajek"},
		"c.lgl":        {"# a\nb\nc\n", "LGL"},
		"d.txt":        {"/* c */ strict digraph G { a -> b }\n", "DOT"},
		"e.txt":        {"<?xml version=\"1.0\"?>\n<gexf version=\"1.2\"></gexf>\n", "GEXF"},
		"f.txt":        {"DL N = 3\nformat = edgelist1\n", "UCINET DL"},
		"g.txt":        {">>graph6<<A_\n", "graph6"},
		"h.g6":         {"A_\n", "graph6"},
		"i.txt":        {"title  key\n  4  1  1  2\nrua  3 3 4 0\n", "Rutherford-Boeing"},
		"j":            {"MATLAB 5.0 MAT-file, Platform: x\x00\x01", "MATLAB"},
		"k.npz":        {"PK\x05\x06" + strings.Repeat("\x00", 18), "NumPy"},
		"l":            {"PAR1\x15\x04", "Parquet"},
		"m.graph":      {"\x00\x01\x02\x83", "WebGraph"},
		"n.properties": {"graphclass=it.unimi.dsi.webgraph.BVGraph\n", "WebGraph"},
		"o.gr":         {le(uint64(1), uint64(4), uint64(2), uint64(1)) + strings.Repeat("\x00", 32), "Galois"},
		"p.csv":        {"{\"nodes\": []}\n", "JSON"},
		"q.txt":        {"<!DOCTYPE html>\n<html></html>\n", "HTML"},
		"r.tgf":        {"1 a\n#\n1 1\n", "Trivial Graph Format"},
	} {
		_, err := graphio.Open(t.Context(), write(t, t.TempDir(), file, c.content), graphio.Options{})
		if !errors.Is(err, graphio.ErrUnknownFormat) || !strings.Contains(err.Error(), c.name) {
			t.Errorf("%s: %v, want the name %s", file, err, c.name)
		}
	}
}

// TestLostNames: content tells METIS under lost names, and keeps an edge list under METIS' name apart.
func TestLostNames(t *testing.T) {
	const ring, weighted = "4 4\n2 4\n1 3\n2 4\n1 3\n", "% c\n3 2 1\n2 7\n1 7 3 5\n2 5\n"
	for _, content := range []string{ring, weighted} {
		for _, name := range []string{"x.graph.1", "x?download=1", "x.graph?download=1", "x", "x.gz.2"} {
			f, err := graphio.Open(t.Context(), write(t, t.TempDir(), name, content), graphio.Options{})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if f.Report.Format != "metis" || f.Source.IsDirected() {
				t.Errorf("%s: %s", name, f.Report.Format)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := graphio.Open(t.Context(), write(t, t.TempDir(), "x.txt", ring), graphio.Options{}); err == nil || !strings.Contains(err.Error(), "METIS") {
		t.Errorf("under the name of an edge list: %v", err)
	}
}
