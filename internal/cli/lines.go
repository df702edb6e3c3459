package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/graphio"
)

// vertexLines reads a text file, plain or compressed, whose lines name vertices.
type vertexLines struct {
	path   string
	labels *graph.Labels
	line   int64
}

// each calls f for the fields of every line that has some, comments included. in is read instead
// of the path if it is not nil.
func (l *vertexLines) each(ctx context.Context, in io.Reader, f func(fields []string) error) error {
	if in == nil {
		file, err := os.Open(l.path)
		if err != nil {
			return err
		}
		defer file.Close()
		in = file
	}
	z, err := graphio.Decompress(in)
	if err != nil {
		return fmt.Errorf("%s: %w", l.path, err)
	}
	defer z.Close()
	text := bufio.NewReader(z)
	mark, err := text.Peek(3)
	switch {
	case err != nil && err != io.EOF:
		return fmt.Errorf("%s: %w", l.path, err)
	case bytes.HasPrefix(mark, []byte("\xef\xbb\xbf")):
		_, _ = text.Discard(3) // peeked
	case bytes.HasPrefix(mark, []byte("\xff\xfe")), bytes.HasPrefix(mark, []byte("\xfe\xff")):
		return &graphio.Error{File: l.path, Found: "text in UTF-16", Want: "UTF-8 or ASCII", Err: graphio.ErrUnsupported}
	}
	s := bufio.NewScanner(text)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		if l.line++; l.line%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		fields := strings.Fields(s.Text())
		if l.labels.Names() != nil && strings.Contains(s.Text(), "\t") { // names may have blanks
			fields = strings.Split(strings.TrimRight(s.Text(), "\r"), "\t")
		}
		if len(fields) > 0 {
			if err := f(fields); err != nil {
				return err
			}
		}
	}
	if err := s.Err(); err != nil {
		return fmt.Errorf("%s: %w", l.path, err)
	}
	return nil
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

// pairs calls f for every line of a vertex and one more column, which may be missing if alone is set.
// No vertex may have two lines.
func (l *vertexLines) pairs(ctx context.Context, want string, alone bool, f func(v uint32, s string) error) error {
	seen := make([]bool, l.labels.Len())
	return l.each(ctx, nil, func(fields []string) error {
		switch {
		case strings.HasPrefix(fields[0], "#"):
			return nil
		case len(fields) != 2 && !(alone && len(fields) == 1):
			return l.bad(fmt.Sprintf("%d columns", len(fields)), "a vertex and "+want)
		}
		v, err := l.id(fields[0])
		if err != nil {
			return err
		}
		if seen[v] {
			return l.bad("vertex "+fields[0]+" again", "one line a vertex")
		}
		seen[v] = true
		return f(v, strings.Join(fields[1:], ""))
	})
}

// readValues reads lines of a vertex and a number ≥ 0; an optional one is 1 if it is missing.
func readValues(ctx context.Context, path string, labels *graph.Labels, optional bool, set func(v uint32, x float64)) error {
	l := &vertexLines{path: path, labels: labels}
	return l.pairs(ctx, "a number", optional, func(v uint32, s string) error {
		x, err := strconv.ParseFloat(cmp.Or(s, "1"), 64)
		if err != nil || !(x >= 0) || math.IsInf(x, 0) {
			return l.bad(fmt.Sprintf("%q", s), "a number of 0 or more")
		}
		set(v, x)
		return nil
	})
}

// partFile finds the names of files that METIS and KaHIP write: a part a line, in the order of the vertices.
var partFile = regexp.MustCompile(`\.part\.?\d+(\.(gz|zst|xz|bz2))?$|(^|[/\\])tmppartition\d+$`)

// parts reads the part of each vertex.
func (l *vertexLines) parts(owner []uint8, processors int) error {
	n := 0
	err := l.each(context.Background(), nil, func(fields []string) error {
		p, err := strconv.Atoi(fields[0])
		switch {
		case len(fields) != 1:
			return l.bad(fmt.Sprintf("%d columns", len(fields)), "1: the part of a vertex, as METIS and KaHIP write it")
		case err != nil || p < 0 || p >= processors:
			return l.bad(fmt.Sprintf("part %q", fields[0]), fmt.Sprintf("0..%d, a processor each", processors-1))
		case n < len(owner):
			owner[n] = uint8(p)
		}
		n++
		return nil
	})
	if err == nil && n != len(owner) {
		err = &graphio.Error{File: l.path, Found: fmt.Sprintf("parts of %d vertices", n), Want: fmt.Sprintf("%d, as the graph has", len(owner)), Err: graphio.ErrFormat}
	}
	return err
}

// readAssignment reads lines of a vertex and a processor number.
func readAssignment(path string, labels *graph.Labels, processors int) ([]uint8, error) {
	const unset = 255
	owner := bytes.Repeat([]byte{unset}, labels.Len())
	l := &vertexLines{path: path, labels: labels}
	if partFile.MatchString(path) {
		return owner, l.parts(owner, processors)
	}
	err := l.pairs(context.Background(), "a processor number", false, func(v uint32, s string) error {
		p, err := strconv.Atoi(s)
		if err != nil || p < 0 || p >= processors {
			return l.bad(fmt.Sprintf("processor %q", s), fmt.Sprintf("0..%d", processors-1))
		}
		owner[v] = uint8(p)
		return nil
	})
	if v := bytes.IndexByte(owner, unset); err == nil && v >= 0 {
		err = fmt.Errorf("%s: %w: vertex %d has no processor", path, graphio.ErrFormat, labels.Label(uint32(v)))
	}
	return owner, err
}
