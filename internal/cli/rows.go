package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/graphio"
	"github.com/totemgo/totemgo/program"
	"github.com/totemgo/totemgo/record"
)

// table has rows of numbers, each of a dense id.
type table struct {
	columns []column
	rows    iter.Seq[uint32] // rising
}

// column appends the number of a row, which reads the same in TSV, CSV and JSON, or its name.
type column struct {
	name   string
	number func(dst []byte, row uint32) []byte
	label  func(row uint32) uint64 // of a column of ids
	text   bool                    // number appends names
}

// ids is a column of the file's ids of vertices.
func ids(name string, label func(row uint32) uint64) column {
	c := whole(name, label)
	c.label = label
	return c
}

// named writes names instead of ids, unless there are none.
func (t *table) named(names *graph.Names) {
	for i := range t.columns {
		if label := t.columns[i].label; label != nil && names != nil {
			t.columns[i].text = true
			t.columns[i].number = func(dst []byte, row uint32) []byte { return append(dst, names.At(label(row))...) }
		}
	}
}

// whole is a column of ids or counts.
func whole(name string, of func(row uint32) uint64) column {
	return column{name: name, number: func(dst []byte, row uint32) []byte { return strconv.AppendUint(dst, of(row), 10) }}
}

// numbers is a column of values by dense id. Floats are the shortest that read back the same.
func numbers[T program.Value](name string, values []T) column {
	return column{name: name, number: func(dst []byte, row uint32) []byte {
		switch x := any(values[row]).(type) {
		case float64:
			return strconv.AppendFloat(dst, x, 'g', -1, 64)
		case float32:
			return strconv.AppendFloat(dst, float64(x), 'g', -1, 32)
		case uint64:
			return strconv.AppendUint(dst, x, 10)
		}
		return strconv.AppendInt(dst, int64(values[row]), 10)
	}}
}

// every yields the rows 0 … n−1 that satisfy is, which may be nil.
func every(n int, is func(row uint32) bool) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for row := range uint32(n) {
			if (is == nil || is(row)) && !yield(row) {
				return
			}
		}
	}
}

// names lists the columns' names.
func (t *table) names() []string {
	var list []string
	for _, c := range t.columns {
		list = append(list, c.name)
	}
	return list
}

// header is the comment above the rows of TSV.
func (t *table) header() string { return "# " + strings.Join(t.names(), "\t") + "\n" }

// appendRow appends the numbers of a row, or what names hold of each column, between separators.
func (t *table) appendRow(dst []byte, row uint32, separator byte, names []string) []byte {
	for i, c := range t.columns {
		if i > 0 {
			dst = append(dst, separator)
		}
		if names != nil {
			dst = append(dst, names[i]...)
		}
		start := len(dst)
		if dst = c.number(dst, row); c.text {
			dst = quoteName(dst, start, separator, names != nil)
		}
	}
	return dst
}

// quoteName puts what dst holds from start on into the quotes of JSON, or of CSV where it needs them.
func quoteName(dst []byte, start int, separator byte, asJSON bool) []byte {
	name := string(dst[start:])
	switch {
	case asJSON:
		text, _ := json.Marshal(name) // a string has a form in JSON
		return append(dst[:start], text...)
	case separator == ',' && strings.ContainsAny(name, ",\""):
		return append(dst[:start], `"`+strings.ReplaceAll(name, `"`, `""`)+`"`...)
	}
	return dst
}

// best returns the k first rows in the order of compare, ties by id.
func (t *table) best(k int, compare func(a, b uint32) int) []uint32 {
	var list []uint32
	trim := func() {
		slices.SortFunc(list, func(a, b uint32) int { return cmp.Or(compare(a, b), cmp.Compare(a, b)) })
		list = list[:min(k, len(list))]
	}
	for row := range t.rows {
		if list = append(list, row); len(list)-k > max(k, 1000) {
			trim()
		}
	}
	trim()
	return list
}

// record returns rows as documents state them.
func (t *table) record(rows []uint32) []record.Row {
	var list []record.Row
	for _, row := range rows {
		r := record.Row{}
		for _, c := range t.columns {
			if text := c.number(nil, row); c.text {
				r[c.name] = string(text)
			} else {
				r[c.name] = json.Number(text)
			}
		}
		list = append(list, r)
	}
	return list
}

// rowFormat is the text around rows and their numbers.
type rowFormat struct {
	begin, before, separator, after, between, end string
}

// extension is that of a file's name, in lower case, without that of a compression.
func extension(path string) string {
	name := strings.ToLower(path)
	for _, compressed := range []string{".gz", ".zst", ".xz"} {
		name = strings.TrimSuffix(name, compressed)
	}
	return filepath.Ext(name)
}

// notRows are extensions that tell other formats than those of rows, or compressions that are not written.
var notRows = []string{".7z", ".br", ".lz4", ".lzma", ".npy", ".parquet", ".rar", ".tar", ".xlsx", ".z", ".zip"}

// checkRows refuses a file name that tells a format in which rows are not written.
func checkRows(path string) error {
	if slices.Contains(notRows, extension(path)) {
		return usagef("%s: rows are written as .csv, .json, .jsonl or else TSV, compressed as .gz, .zst or .xz", path)
	}
	z, err := graphio.Compress(io.Discard, path)
	if err != nil {
		return usageError(err)
	}
	return z.Close()
}

// formatOf is the format that a file's name tells: CSV, JSON, or TSV for all other names. Rows
// of TSV follow head, lines that begin with #.
func (t *table) formatOf(path, head string) (f rowFormat, names []string) {
	switch extension(path) {
	case ".csv": // RFC 4180
		return rowFormat{begin: strings.Join(t.names(), ",") + "\r\n", separator: ",", after: "\r\n"}, nil
	case ".json":
		f = rowFormat{begin: "[\n", before: "{", separator: ",", after: "}", between: ",\n", end: "\n]\n"}
	case ".jsonl", ".ndjson":
		f = rowFormat{before: "{", separator: ",", after: "}\n"}
	default:
		return rowFormat{begin: head, separator: "\t", after: "\n"}, nil
	}
	for _, n := range t.names() {
		names = append(names, strconv.Quote(n)+":")
	}
	return f, names
}

// writeTable writes a table in the format and compression of the file's name.
func (e *env) writeTable(ctx context.Context, path, head string, t *table) error {
	f, names := t.formatOf(path, head)
	return e.writeFile(ctx, path, func(w *bufio.Writer) error {
		line := []byte(f.begin)
		between := ""
		for row := range t.rows {
			line = append(append(line, between...), f.before...)
			line = append(t.appendRow(line, row, f.separator[0], names), f.after...)
			if _, err := w.Write(line); err != nil {
				return err
			}
			line, between = line[:0], f.between
		}
		_, err := w.Write(append(line, f.end...))
		return err
	})
}
