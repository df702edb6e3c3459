package graphio

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/graph"
)

// expected are the graphs of formats that tell their size before their records, the first of which is faulty.
var expected = []struct {
	name, content     string
	format            string
	vertices, records int64
	directed          bool
}{
	{"a.mtx", "%%MatrixMarket matrix coordinate pattern general\n5 5 3\n1 x\n2 3\n3 4\n", "", 5, 3, true},
	{"s.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n5 5 3\n1 x\n2 3\n3 4\n", "", 5, 3, false},
	{"a.gr", "p sp 5 2\na 1 x 1\na 2 3 1\n", "", 5, 2, true},
	{"a.graph", "3 2\nx\n1 3\n2\n", "", 3, 2, false},
	{"a.totem", "# NODES: 5\n# EDGES: 3\n# DIRECTED\n1 x\n2 3\n3 4\n", "", 5, 3, true},
	{"u.totem", "# NODES: 5\n# EDGES: 4\n# UNDIRECTED\n1 x\n2 3\n3 4\n4 3\n", "", 5, 2, false},
	{"a.edges", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00", "graph500", 0, 2, false},
}

// TestExpect demands that Options.Expect ends a read before the first record, and is left out where the lenient option
// allows fewer records than declared.
func TestExpect(t *testing.T) {
	stop := errors.New("stop")
	for _, x := range expected {
		path := filepath.Join(t.TempDir(), x.name)
		if err := os.WriteFile(path, []byte(x.content), 0o600); err != nil {
			t.Fatal(err)
		}
		got := ""
		o := Options{Format: x.format, Expect: func(vertices, records int64, directed bool) error {
			got = fmt.Sprint(vertices, records, directed)
			return stop
		}}
		want := fmt.Sprint(x.vertices, x.records, x.directed)
		if _, err := Open(context.Background(), path, o); !errors.Is(err, stop) || got != want {
			t.Errorf("%s: %v, expected %s instead of %s", x.name, err, got, want)
		}
		if x.format != "" {
			continue // the size of a stream of tuples is not known
		}
		var zipped bytes.Buffer
		z := gzip.NewWriter(&zipped)
		_, _ = z.Write([]byte(x.content))
		_ = z.Close()
		if err := os.WriteFile(path+".gz", zipped.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		got = ""
		if _, err := Open(context.Background(), path+".gz", o); !errors.Is(err, stop) || got != want {
			t.Errorf("%s.gz: %v, expected %s instead of %s", x.name, err, got, want)
		}
		o.Lenient = true
		if _, err := Open(context.Background(), path, o); errors.Is(err, stop) || err == nil {
			t.Errorf("%s, lenient: %v", x.name, err)
		}
	}
}

// TestExpectGAP demands the same of a binary format with a header.
func TestExpectGAP(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.sg")
	list := &graph.EdgeList{Vertices: 4, Edges: []graph.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 3, V: 0}}}
	if _, err := Save(context.Background(), path, list, SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint32(content[len(content)-4:], 99) // no vertex
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	_, err = Open(context.Background(), path, Options{Expect: func(vertices, records int64, directed bool) error {
		return fmt.Errorf("%d %d %v %w", vertices, records, directed, stop)
	}})
	if !errors.Is(err, stop) || !strings.Contains(err.Error(), "4 3 false") {
		t.Error(err)
	}
}

// TestRefusedBeforeReading demands that a limit below what declared records take refuses them before the first, which is faulty,
// and that one above lets them be read.
func TestRefusedBeforeReading(t *testing.T) {
	const n = 400000 // several blocks, so that records are joined
	path := filepath.Join(t.TempDir(), "a.mtx")
	text := fmt.Sprintf("%%%%MatrixMarket matrix coordinate pattern general\n9 9 %d\n1 x\n%s", n, strings.Repeat("1 2\n", n-1))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for limit, want := range map[int64]error{16*n - 1: ErrTooLarge, 16 * n * 8: ErrFormat} {
		if _, err := Open(context.Background(), path, Options{MemoryLimit: limit, Threads: 1}); !errors.Is(err, want) {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
	// A number that the file cannot hold is not believed.
	text = "%%MatrixMarket matrix coordinate pattern general\n9 9 123456789\n1 2\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(context.Background(), path, Options{MemoryLimit: 1 << 20}); !errors.Is(err, ErrTruncated) {
		t.Error(err)
	}
}

// TestNeedsRows compares NeedsRows with what Save refuses under a limit that rows exceed and nothing else does.
func TestNeedsRows(t *testing.T) {
	const n = 2000
	list := &graph.EdgeList{Vertices: n}
	for v := range uint32(n) {
		list.Edges = append(list.Edges, graph.Edge{U: v, V: (v + 1) % n})
	}
	for _, f := range Formats() {
		if !f.Writable {
			continue
		}
		path := filepath.Join(t.TempDir(), "a")
		limit := graph.BuildBytes(n, n, false, graph.Unweighted) - 1
		_, err := Save(context.Background(), path, list, SaveOptions{Format: f.Name, MemoryLimit: limit})
		if err != nil && !errors.Is(err, ErrTooLarge) {
			t.Fatalf("%s: %v", f.Name, err)
		}
		if got := NeedsRows(path, SaveOptions{Format: f.Name}); got != (err != nil) {
			t.Errorf("%s: %v, Save: %v", f.Name, got, err)
		}
	}
}
