package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"unicode"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/graphio"
)

// vertexLines reads a text file, plain or compressed, whose lines name vertices.
type vertexLines struct {
	path    string
	labels  *graph.Labels
	line    int64
	comment func(fields []string) error // of lines that begin with #, or nil
}

// stdinKey is the key of the command's standard input in its context.
type stdinKey struct{}

// openInput opens a file to read, "-" for the standard input of the command whose context ctx is.
func openInput(ctx context.Context, path string) (io.ReadCloser, error) {
	if in, is := ctx.Value(stdinKey{}).(io.Reader); is && path == "-" {
		return io.NopCloser(in), nil
	}
	return os.Open(path)
}

// each calls f for the fields of every line that has some. Lines that begin with # are comments, and with % where ids are
// numbers; names may begin so, hence only the first lines are comments then, and none in CSV. The names of columns in the
// first line are no fields.
func (l *vertexLines) each(ctx context.Context, f func(fields []string) error) error {
	in, err := openInput(ctx, l.path)
	if err != nil {
		return err
	}
	defer in.Close()
	names, kind, begun := l.labels.Names() != nil, extension(l.path), false
	if strings.HasPrefix(kind, ".json") || kind == ".ndjson" {
		return &graphio.Error{File: l.path, Found: "JSON", Want: "lines of TSV or CSV", Err: graphio.ErrUnsupported}
	}
	z, err := graphio.Decompress(in)
	if err != nil {
		return l.named(err)
	}
	defer z.Close()
	text := bufio.NewReader(z)
	head, err := text.Peek(64)
	switch {
	case err != nil && err != io.EOF:
		return l.named(err)
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		_, _ = text.Discard(3) // peeked
	case graphio.IsUTF16(head):
		return &graphio.Error{File: l.path, Found: "text in UTF-16", Want: "UTF-8 or ASCII", Err: graphio.ErrUnsupported}
	}
	s := bufio.NewScanner(text)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		if l.line++; l.line%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		line := strings.TrimRight(s.Text(), "\r")
		fields := strings.FieldsFunc(line, func(r rune) bool { return unicode.IsSpace(r) || r == ',' && !names })
		tabs, err := strings.Contains(line, "\t"), error(nil)
		switch {
		case len(fields) == 0:
			continue
		case !names && (line[0] == '#' || line[0] == '%'), names && !begun && kind != ".csv" && line[0] == '#' && (line[1:2] == " " || !tabs):
			if l.comment != nil {
				err = l.comment(fields)
			}
		case l.line == 1 && (!names || kind == ".csv") && strings.EqualFold(strings.Trim(strings.Split(line, ",")[0], `"`), "vertex"):
		case names && kind == ".csv":
			if fields, err = csv.NewReader(strings.NewReader(line)).Read(); err != nil {
				return l.bad(fmt.Sprintf("%q", line), "a line of CSV")
			}
			err = f(fields)
		case names && tabs: // names may have blanks
			fields = strings.Split(line, "\t")
			fallthrough
		default:
			begun, err = true, f(fields)
		}
		if err != nil {
			return err
		}
	}
	return l.named(s.Err())
}

// named says which file an error of reading is of.
func (l *vertexLines) named(err error) error {
	if file := (*graphio.Error)(nil); errors.As(err, &file) && file.File == "" {
		file.File = l.path
	} else if err != nil {
		err = fmt.Errorf("%s: %w", l.path, err)
	}
	return err
}

// bad is the error of the current line.
func (l *vertexLines) bad(found, want string) error {
	return &graphio.Error{File: l.path, Line: l.line, Found: found, Want: want, Err: graphio.ErrFormat}
}

// id reads the file's id of a vertex.
func (l *vertexLines) id(s string) (uint32, error) {
	if l.labels.Names() == nil && (s == "" || strings.Trim(s, "0123456789") != "") {
		return 0, l.bad(fmt.Sprintf("%q", s), "a vertex id")
	}
	v, err := l.labels.Find(s)
	if err != nil {
		return 0, fmt.Errorf("%s:%d: %w", l.path, l.line, err)
	}
	return v, nil
}

// readValues reads lines of a vertex and a number ≥ 0; an optional one is 1 if it is missing. No vertex may have two lines.
func readValues(ctx context.Context, path string, labels *graph.Labels, optional bool, set func(v uint32, x float64)) error {
	l := &vertexLines{path: path, labels: labels}
	seen := make([]bool, labels.Len())
	return l.each(ctx, func(fields []string) error {
		if len(fields) != 2 && !(optional && len(fields) == 1) {
			return l.bad(fmt.Sprintf("%d columns", len(fields)), "a vertex and a number")
		}
		v, err := l.id(fields[0])
		if err != nil {
			return err
		}
		if seen[v] {
			return l.bad("vertex "+fields[0]+" again", "one line a vertex")
		}
		seen[v] = true
		text := strings.Join(fields[1:], "")
		x, err := strconv.ParseFloat(cmp.Or(text, "1"), 64)
		if err != nil || !(x >= 0) || math.IsInf(x, 0) {
			return l.bad(fmt.Sprintf("%q", text), "a number of 0 or more")
		}
		set(v, x)
		return nil
	})
}

// readAssignment reads lines of a vertex and a processor number, or a number a line in the order of the vertices, as METIS
// and KaHIP write parts.
func readAssignment(ctx context.Context, path string, labels *graph.Labels, processors int) ([]uint8, error) {
	const unset = 255
	owner := bytes.Repeat([]byte{unset}, labels.Len())
	l := &vertexLines{path: path, labels: labels}
	columns, n := 0, 0
	err := l.each(ctx, func(fields []string) (err error) {
		if columns = cmp.Or(columns, len(fields)); len(fields) != columns || columns > 2 {
			return l.bad(fmt.Sprintf("%d columns", len(fields)), "a vertex and a processor number, or a part a line")
		}
		v := uint32(n)
		n++
		if columns == 2 {
			if v, err = l.id(fields[0]); err != nil {
				return err
			}
		} else if n > len(owner) {
			return nil // counted
		}
		if owner[v] != unset {
			return l.bad("vertex "+fields[0]+" again", "one line a vertex")
		}
		p, err := strconv.Atoi(fields[columns-1])
		if err != nil || p < 0 || p >= processors {
			return l.bad(fmt.Sprintf("%q", fields[columns-1]), fmt.Sprintf("a processor, 0..%d", processors-1))
		}
		owner[v] = uint8(p)
		return nil
	})
	if err == nil && columns == 1 && n != len(owner) {
		err = &graphio.Error{File: path, Found: fmt.Sprintf("parts of %d vertices", n), Want: fmt.Sprintf("%d, as the graph has", len(owner)), Err: graphio.ErrFormat}
	}
	if v := bytes.IndexByte(owner, unset); err == nil && v >= 0 {
		err = fmt.Errorf("%s: %w: vertex %s has no processor", path, graphio.ErrFormat, labels.Append(nil, uint32(v)))
	}
	return owner, err
}
