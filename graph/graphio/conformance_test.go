package graphio_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/graphio"
)

var update = flag.Bool("update", false, "write the native and bzip2 fixtures anew (bzip2 needs the tool)")

// The tiny graph stands in testdata in every format:
//
//	    4     7     9
//	0 ---- 1 ---- 3 ---- 5
//	 \     |             |
//	1 \    | 2           | 2
//	    -- 2 ----------- 4
//	             3
var tinyEdges = []graph.Edge{{U: 0, V: 1}, {U: 0, V: 2}, {U: 1, V: 2}, {U: 1, V: 3}, {U: 2, V: 4}, {U: 3, V: 5}, {U: 4, V: 5}}
var tinyWeights = []int32{4, 1, 2, 7, 3, 9, 2}

// tiny is the graph as it should be read: base is the label of vertex 0.
func tiny(t testing.TB, weighted bool) *graph.CSR {
	list := &graph.EdgeList{Vertices: 6, Edges: tinyEdges}
	if weighted {
		list.Weights = graph.WeightsOf(tinyWeights)
	}
	g, err := graph.Build(context.Background(), list, graph.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// conformanceFile says which files of testdata hold the tiny graph in a format.
type conformanceFile struct {
	format   string
	names    []string
	weighted bool
	base     uint64
	options  graphio.Options
}

func conformanceFiles() []conformanceFile {
	return []conformanceFile{
		{format: "edgelist", names: []string{"tiny.txt", "tiny.el", "tiny.csv", "tiny.tsv"}},
		{format: "edgelist", names: []string{"tiny.wel"}, weighted: true},
		{format: "ncol", names: []string{"tiny.ncol"}, weighted: true},
		{format: "matrixmarket", names: []string{"tiny.mtx"}, weighted: true, base: 1},
		{format: "metis", names: []string{"tiny.graph"}, weighted: true, base: 1},
		{format: "dimacs9", names: []string{"tiny.gr"}, weighted: true, base: 1, options: graphio.Options{Direction: graphio.Undirected}},
		{format: "dimacs", names: []string{"tiny.col"}, base: 1},
		{format: "dimacs", names: []string{"tiny.max"}, weighted: true, base: 1, options: graphio.Options{Direction: graphio.Undirected}},
		{format: "adjacency", names: []string{"tiny.adj"}, weighted: true, options: graphio.Options{Direction: graphio.Undirected}},
		{format: "graphml", names: []string{"tiny.graphml"}, weighted: true},
		{format: "gap", names: []string{"tiny.sg"}},
		{format: "gap-weighted", names: []string{"tiny.wsg"}, weighted: true},
		{format: "graph500", names: []string{"tiny.packed"}},
		{format: "totem", names: []string{"tiny.totem"}, weighted: true},
		{format: "graphalytics", names: []string{"tiny.e", "tiny.v"}, weighted: true},
		{format: "konect", names: []string{"out.tiny"}, weighted: true, base: 1},
		{format: "npy", names: []string{"tiny.npy"}, weighted: true, options: graphio.Options{Direction: graphio.Undirected}},
		{format: "native", names: []string{"tiny.tgr"}, weighted: true},
	}
}

func compressGzip(t testing.TB, data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func compressZstd(t testing.TB, data []byte) []byte {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	return z.EncodeAll(data, nil)
}

func compressXZ(t testing.TB, data []byte) []byte {
	var b bytes.Buffer
	z, err := xz.WriterConfig{DictCap: 1 << 16}.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// file is a file to pack.
type file struct {
	name string
	data []byte
}

// tarOf packs files and their folder.
func tarOf(t testing.TB, files ...file) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: "g/", Mode: 0o755})
	for _, f := range files {
		if err == nil {
			err = w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: f.name, Size: int64(len(f.data)), Mode: 0o644})
		}
		if err == nil {
			_, err = w.Write(f.data)
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// zipOf packs files.
func zipOf(t testing.TB, files ...file) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		z, err := w.Create(f.name)
		if err == nil {
			_, err = z.Write(f.data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// compression is a way to wrap a file.
type compression struct {
	name, suffix, reported string
	wrap                   func(t testing.TB, name string, data []byte) []byte
}

func (c compression) archive() bool {
	return slices.Contains([]string{".tar", ".tgz", ".zip"}, c.suffix)
}

// compressions are the ways a file of testdata can be wrapped. There is no library
// that writes bzip2: those files are fixtures.
func compressions() []compression {
	half := func(data []byte) int { return len(data) / 2 }
	return []compression{
		{"none", "", "", func(_ testing.TB, _ string, data []byte) []byte { return data }},
		{"gzip", ".gz", "gzip", func(t testing.TB, _ string, data []byte) []byte { return compressGzip(t, data) }},
		{"two-members", ".gz", "gzip", func(t testing.TB, _ string, data []byte) []byte {
			return append(compressGzip(t, data[:half(data)]), compressGzip(t, data[half(data):])...)
		}},
		{"zstd", ".zst", "zstd", func(t testing.TB, _ string, data []byte) []byte { return compressZstd(t, data) }},
		{"bzip2", ".bz2", "bzip2", func(t testing.TB, name string, _ []byte) []byte {
			data, err := os.ReadFile(filepath.Join("testdata", "bzip2", name+".bz2"))
			if err != nil {
				t.Fatal(err)
			}
			return data
		}},
		{"xz", ".xz", "xz", func(t testing.TB, _ string, data []byte) []byte { return compressXZ(t, data) }},
		{"tar", ".tar", "tar", func(t testing.TB, name string, data []byte) []byte { return tarOf(t, file{name, data}) }},
		{"tar.gz", ".tgz", "gzip", func(t testing.TB, name string, data []byte) []byte {
			return compressGzip(t, tarOf(t, file{"g/README.md", []byte("# g\n")}, file{"g/" + name, data}, file{"g/x.html", []byte("<html>")}))
		}},
		{"zip", ".zip", "zip", func(t testing.TB, name string, data []byte) []byte {
			return zipOf(t, file{name, data}, file{"readme.html", []byte("<html>")})
		}},
		{"gz in zip", ".zip", "gzip", func(t testing.TB, name string, data []byte) []byte {
			return zipOf(t, file{"a/" + name + ".gz", compressGzip(t, data)})
		}},
	}
}

// sameAsTiny compares what was read with the tiny graph.
func sameAsTiny(t *testing.T, f *graphio.File, weighted bool, base uint64) {
	t.Helper()
	src := f.Source
	if src.NumVertices() != 6 || src.NumEdges() != 7 || src.IsDirected() {
		t.Fatalf("%d vertices, %d edges, directed %v; want 6, 7, false", src.NumVertices(), src.NumEdges(), src.IsDirected())
	}
	if b, ok := src.VertexLabels().Base(); !ok || b != base {
		t.Errorf("labels from %d (%v), want %d", b, ok, base)
	}
	got, err := graph.Build(context.Background(), src, graph.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := tiny(t, weighted)
	if !slices.Equal(got.Offsets(), want.Offsets()) || !slices.Equal(got.Targets(), want.Targets()) {
		t.Errorf("rows %v %v, want %v %v", got.Offsets(), got.Targets(), want.Offsets(), want.Targets())
	}
	if got.WeightKind() != want.WeightKind() {
		t.Fatalf("weights are %v, want %v", got.WeightKind(), want.WeightKind())
	}
	for i := range want.Weights().Len() {
		if got.Weights().Float64(i) != want.Weights().Float64(i) {
			t.Fatalf("weight %d is %v, want %v", i, got.Weights().Float64(i), want.Weights().Float64(i))
		}
	}
}

// TestConformance reads the tiny graph in every readable format under every
// compression, from a file and from standard input, by detection alone.
func TestConformance(t *testing.T) {
	ctx := context.Background()
	if *update {
		updateFixtures(t)
	}
	covered := map[string]bool{}
	for _, c := range conformanceFiles() {
		for _, name := range c.names {
			data, err := os.ReadFile(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			for _, z := range compressions() {
				covered[c.format+"/"+z.name] = true
				t.Run(fmt.Sprintf("format=%s/compression=%s/file=%s", c.format, z.name, name), func(t *testing.T) {
					dir := t.TempDir()
					write := func(name string, data []byte) {
						if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
							t.Fatal(err)
						}
					}
					wrapped := z.wrap(t, name, data)
					write(name+z.suffix, wrapped)
					if c.format == "graphalytics" {
						for _, other := range []string{"tiny.v", "tiny.e", "tiny.properties"} {
							raw, err := os.ReadFile(filepath.Join("testdata", other))
							if err != nil {
								t.Fatal(err)
							}
							if other == "tiny.properties" {
								write(other, raw)
							} else if other != name {
								write(other+z.suffix, z.wrap(t, other, raw))
							}
						}
					}
					for _, threads := range []int{1, 2} {
						o := c.options.WithBlock(16)
						o.Threads = threads
						f, err := graphio.Open(ctx, filepath.Join(dir, name+z.suffix), o)
						if c.format == "graphalytics" && errors.Is(err, graphio.ErrUnsupported) && strings.Contains(err.Error(), "unpack it") && z.archive() {
							return
						}
						if err != nil {
							t.Fatal(err)
						}
						sameAsTiny(t, f, c.weighted, c.base)
						if f.Report.Format != c.format || f.Report.Compression != z.reported || f.Report.Bytes != int64(len(wrapped)) || f.Report.Records != 7 {
							t.Errorf("report %+v, want format %s, compression %q, %d bytes, 7 records", f.Report, c.format, z.reported, len(wrapped))
						}
						if err := f.Verify(ctx); err != nil {
							t.Error(err)
						}
						if err := f.Close(); err != nil {
							t.Error(err)
						}
						if err := f.Close(); err != nil {
							t.Error(err)
						}
					}
				})
				// Standard input has no name: what only a name tells has to be said.
				if name == "tiny.v" || c.format == "graphalytics" && z.archive() {
					continue
				}
				t.Run(fmt.Sprintf("format=%s/compression=%s/file=%s/stdin", c.format, z.name, name), func(t *testing.T) {
					o := c.options.WithBlock(16)
					o.Threads = 2
					o.Stdin = iotestOneByte{bytes.NewReader(z.wrap(t, name, data))}
					switch c.format {
					case "metis", "gap", "gap-weighted", "graph500", "ncol":
						o.Format = c.format
					case "graphalytics":
						o.Format, o.Direction = c.format, graphio.Undirected
					}
					if name == "tiny.wel" {
						o.WeightColumn = 3
					}
					f, err := graphio.Open(ctx, "-", o)
					if err != nil {
						t.Fatal(err)
					}
					defer f.Close()
					sameAsTiny(t, f, c.weighted, c.base)
				})
			}
		}
	}
	for _, f := range graphio.Formats() {
		if !f.Readable {
			continue
		}
		for _, z := range compressions() {
			if !covered[f.Name+"/"+z.name] {
				t.Errorf("format %s has no conformance test under compression %s", f.Name, z.name)
			}
		}
	}
}

// iotestOneByte reads a few bytes at a time, as a slow pipe does.
type iotestOneByte struct{ r io.Reader }

func (r iotestOneByte) Read(p []byte) (int, error) { return r.r.Read(p[:min(len(p), 7)]) }

// updateFixtures writes the native file and the bzip2 files of testdata.
func updateFixtures(t *testing.T) {
	if _, err := graphio.Save(context.Background(), filepath.Join("testdata", "tiny.tgr"), tiny(t, true), graphio.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join("testdata", "bzip2"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range conformanceFiles() {
		for _, name := range c.names {
			runBzip2(t, name)
		}
	}
}

// TestMembers reads compressed files made of several members or streams.
func TestMembers(t *testing.T) {
	text := "# Undirected graph\n0 1\n0 2\n1 2\n1 3\n2 4\n3 5\n4 5\n"
	for name, wrap := range map[string]func(testing.TB, []byte) []byte{"gz": compressGzip, "zst": compressZstd, "xz": compressXZ} {
		t.Run(name, func(t *testing.T) {
			var data []byte
			for _, part := range strings.SplitAfter(text, "\n") {
				data = append(data, wrap(t, []byte(part))...)
			}
			path := filepath.Join(t.TempDir(), "members.el."+name)
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := graphio.Open(context.Background(), path, graphio.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			sameAsTiny(t, f, false, 0)
		})
	}
	t.Run("bz2", func(t *testing.T) {
		one, err := os.ReadFile("testdata/bzip2/tiny.el.bz2")
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "members.el.bz2")
		if err := os.WriteFile(path, append(append([]byte(nil), one...), one...), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := graphio.Open(context.Background(), path, graphio.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if f.Source.NumEdges() != 14 {
			t.Errorf("%d edges, want 14", f.Source.NumEdges())
		}
	})
}
