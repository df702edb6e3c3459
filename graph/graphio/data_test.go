package graphio_test

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/graph/graphio"
)

// TestData compares the counts of real graphs with those of their publishers, which
// stand in the table of the folder's README.
func TestData(t *testing.T) {
	dir := folder(t, "TOTEMGO_DATA", "data")
	readme, err := os.Open(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	defer readme.Close()
	ran := 0
	for lines := bufio.NewScanner(readme); lines.Scan(); {
		cells := strings.Split(lines.Text(), "|")
		if len(cells) < 8 {
			continue
		}
		number := func(s string) (int64, bool) {
			v, err := strconv.ParseInt(strings.ReplaceAll(strings.TrimSpace(s), ",", ""), 10, 64)
			return v, err == nil
		}
		names := strings.Split(cells[1], ",")
		vertices, edges := strings.Split(cells[5], ";"), strings.Split(cells[6], ";")
		for i, name := range names {
			if i >= len(vertices) || i >= len(edges) {
				break
			}
			n, ok := number(vertices[i])
			m, ok2 := number(edges[i])
			if !ok || !ok2 {
				continue
			}
			ran++
			name = strings.TrimSpace(name)
			t.Run(name, func(t *testing.T) {
				f, err := graphio.Open(context.Background(), filepath.Join(dir, name), graphio.Options{Threads: 2})
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				if int64(f.Source.NumVertices()) != n || f.Source.NumEdges() != m {
					t.Errorf("%d vertices, %d edges; want %d, %d", f.Source.NumVertices(), f.Source.NumEdges(), n, m)
				}
				if f.Report.Records != m {
					t.Errorf("report says %d records, want %d", f.Report.Records, m)
				}
				underLostNames(t, filepath.Join(dir, name), f)
			})
		}
	}
	if ran < 15 {
		t.Errorf("only %d files found in the table", ran)
	}
}

// underLostNames reads a real file as downloads and pipes name it: no rule about ambiguous files may refuse it, and none
// may take it for another format.
func underLostNames(t *testing.T, path string, want *graphio.File) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"x", filepath.Base(path) + ".1", filepath.Base(path) + "?download=1", "x.zip", "-"} {
		o, from := graphio.Options{Threads: 2}, filepath.Join(dir, name)
		wrapped := data
		switch {
		case name == "-":
			o.Stdin, from = bytes.NewReader(data), name
		case name == "x.zip":
			wrapped = zipOf(t, file{"readme.txt", []byte("x")}, file{filepath.Base(path), data})
			fallthrough
		default:
			if err := os.WriteFile(from, wrapped, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		f, err := graphio.Open(context.Background(), from, o)
		if err != nil {
			t.Errorf("as %s: %v", name, err)
			continue
		}
		a, b := f.Source, want.Source
		if f.Report.Format != want.Report.Format || a.NumVertices() != b.NumVertices() || a.NumEdges() != b.NumEdges() || a.IsDirected() != b.IsDirected() || a.WeightKind() != b.WeightKind() {
			t.Errorf("as %s: %+v, %d vertices, %d edges", name, f.Report, a.NumVertices(), a.NumEdges())
		}
		f.Close()
	}
}
