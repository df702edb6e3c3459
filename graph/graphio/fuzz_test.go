package graphio_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/graphio"
)

// fuzzMemory is what a reader may take for a small input, in bytes.
const fuzzMemory = 64 << 20

// seed adds the files of testdata, the refused inputs, and the collected cases where
// they are at hand, that have one of the endings.
func seed(f *testing.F, endings ...string) {
	has := func(name string) bool {
		for _, e := range endings {
			if strings.HasSuffix(name, e) || e == "out." && strings.HasPrefix(filepath.Base(name), e) {
				return true
			}
		}
		return false
	}
	add := func(root string) {
		// A folder that cannot be read gives fewer seeds.
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && has(path) {
				if data, err := os.ReadFile(path); err == nil && len(data) < 1<<16 {
					f.Add(data)
				}
			}
			return nil
		})
	}
	add("testdata")
	if dir := os.Getenv("TOTEMGO_CASES"); dir != "" {
		add(dir)
	}
	for _, r := range refusals() {
		if has(r.file) {
			f.Add([]byte(r.content))
		}
	}
	f.Add([]byte{})
}

// checkRead reads data and demands that it ends, with a graph that holds together or a
// typed error, alike for one block and many.
func checkRead(t *testing.T, data []byte, o graphio.Options) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	messages := make([]string, 2)
	for pass := range messages {
		o := o.WithBlock([]int{0, 5}[pass])
		o.Threads = 1 + pass
		o.MemoryLimit = fuzzMemory
		o.Stdin = bytes.NewReader(data)
		f, err := graphio.Open(ctx, "-", o)
		if err != nil {
			var e *graphio.Error
			if !errors.As(err, &e) {
				t.Fatalf("%v is no *graphio.Error", err)
			}
			messages[pass] = err.Error()
			continue
		}
		n := uint32(f.Source.NumVertices())
		if err := f.Verify(ctx); err != nil {
			for i := range f.Source.Blocks(3) { // wrong, but no panic
				f.Source.Block(3, i, nil)
				f.Source.BlockWeights(3, i)
			}
			f.Close()
			continue
		}
		edges := int64(0)
		for i := range f.Source.Blocks(3) {
			block := f.Source.Block(3, i, nil)
			if w := f.Source.BlockWeights(3, i); w.Kind() != graph.Unweighted && w.Len() != len(block) {
				t.Fatalf("%d weights for %d records", w.Len(), len(block))
			}
			edges += int64(len(block))
			for _, e := range block {
				if e.U >= n || e.V >= n {
					t.Fatalf("edge %v in a graph of %d vertices", e, n)
				}
			}
		}
		if edges != f.Source.NumEdges() || f.Report.Records != edges && o.Direction == graphio.AsStated {
			t.Fatalf("%d records, %d edges stated, report %d", edges, f.Source.NumEdges(), f.Report.Records)
		}
		if l := f.Source.VertexLabels(); l.Len() != int(n) {
			t.Fatalf("%d labels for %d vertices", l.Len(), n)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if messages[0] != messages[1] && !strings.Contains(messages[0]+messages[1], "memory") {
		t.Fatalf("one block: %q, many: %q", messages[0], messages[1])
	}
	var after runtime.MemStats
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 4*fuzzMemory {
		t.Fatalf("%d bytes allocated for an input of %d", took, len(data))
	}
}

func fuzzFormat(f *testing.F, format string, endings ...string) {
	seed(f, endings...)
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		checkRead(t, data, graphio.Options{Format: format})
		checkRead(t, data, graphio.Options{Format: format, Lenient: true, Direction: graphio.Directed})
	})
}

func FuzzEdgeList(f *testing.F) {
	seed(f, ".txt", ".el", ".csv", ".tsv", ".wel")
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		checkRead(t, data, graphio.Options{Format: "edgelist"})
		checkRead(t, data, graphio.Options{Format: "edgelist", WeightColumn: 3, Lenient: true})
		checkRead(t, data, graphio.Options{Format: "edgelist", Columns: []string{"3", "1"}})
	})
}

func FuzzNCOL(f *testing.F)         { fuzzFormat(f, "ncol", ".ncol") }
func FuzzMatrixMarket(f *testing.F) { fuzzFormat(f, "matrixmarket", ".mtx") }
func FuzzMETIS(f *testing.F)        { fuzzFormat(f, "metis", ".graph") }
func FuzzDIMACS9(f *testing.F)      { fuzzFormat(f, "dimacs9", ".gr") }
func FuzzDIMACS(f *testing.F)       { fuzzFormat(f, "dimacs", ".col", ".clq", ".max") }
func FuzzAdjacency(f *testing.F)    { fuzzFormat(f, "adjacency", ".adj") }
func FuzzGraphML(f *testing.F)      { fuzzFormat(f, "graphml", ".graphml") }
func FuzzGAP(f *testing.F)          { fuzzFormat(f, "gap", ".sg") }
func FuzzGAPWeighted(f *testing.F)  { fuzzFormat(f, "gap-weighted", ".wsg") }
func FuzzGraph500(f *testing.F) {
	seed(f, ".packed", ".edges", ".g500")
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		checkRead(t, data, graphio.Options{Format: "graph500"})
		checkRead(t, data, graphio.Options{Format: "graph500", Tuple: 16})
	})
}
func FuzzTotem(f *testing.F)        { fuzzFormat(f, "totem", ".totem") }
func FuzzGraphalytics(f *testing.F) { fuzzFormat(f, "graphalytics", ".e") }

// FuzzGraphalyticsSet reads the vertex and the properties file as well.
func FuzzGraphalyticsSet(f *testing.F) {
	f.Add([]byte("7\n3\n5 x\n"), []byte("7 3 1 0.25\n3 5 2 0.5\n"), []byte("graph.g.directed = false\ngraph.g.edge-properties.names = age, weight\ngraph.g.meta.edges: 2\n"))
	f.Add([]byte("\xef\xbb\xbf1\r2\r1"), []byte(""), []byte("\xff\xfeg\x00"))
	f.Fuzz(func(t *testing.T, vertices, edges, properties []byte) {
		if len(vertices)+len(edges)+len(properties) > 1<<16 {
			return
		}
		dir := t.TempDir()
		for name, data := range map[string][]byte{"g.v": vertices, "g.e": edges, "g.properties": properties} {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, o := range []graphio.Options{{Format: "graphalytics"}, {Format: "graphalytics", Lenient: true}} {
			o.MemoryLimit = fuzzMemory
			g, err := graphio.Open(context.Background(), filepath.Join(dir, "g.e"), o)
			if err != nil {
				var e *graphio.Error
				if !errors.As(err, &e) || e.File == "" {
					t.Fatalf("%v is no *graphio.Error with a file", err)
				}
				continue
			}
			n := uint32(g.Source.NumVertices())
			for _, e := range g.Source.Block(1, 0, nil) {
				if e.U >= n || e.V >= n {
					t.Fatalf("edge %v in a graph of %d vertices", e, n)
				}
			}
			g.Close()
		}
	})
}

func FuzzKONECT(f *testing.F) { fuzzFormat(f, "konect", "out.") }

// FuzzNative mends the checksums of every other input, so that what lies behind them is
// reached.
func FuzzNative(f *testing.F) {
	seed(f, ".tgr")
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		if len(data) >= 128 && len(data)%2 == 0 {
			table := crc32.MakeTable(crc32.Castagnoli)
			data = slices.Clone(data)
			binary.LittleEndian.PutUint32(data[120:], crc32.Checksum(data[128:], table))
			binary.LittleEndian.PutUint32(data[124:], crc32.Checksum(data[:124], table))
		}
		checkRead(t, data, graphio.Options{Format: "native"})
		checkRead(t, data, graphio.Options{Format: "native", Direction: graphio.Directed})
		checkRead(t, data, graphio.Options{Format: "native", Direction: graphio.Undirected})
	})
}

// FuzzArchive reads tar and zip files of any content.
func FuzzArchive(f *testing.F) {
	for _, texts := range [][]string{{"a.el", smallList}, {"a/a.mtx", smallMatrix, "a/a_b.mtx", denseMatrix}, {"1.txt", smallList, "2.txt", smallList}} {
		f.Add(tarOf(f, files(texts...)...))
		f.Add(zipOf(f, files(texts...)...))
		f.Add(compressGzip(f, tarOf(f, files(texts...)...)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		checkRead(t, data, graphio.Options{})
		checkRead(t, data, graphio.Options{Member: "a.el"})
	})
}

// FuzzDetect reads without being told the format, compressed or not.
func FuzzDetect(f *testing.F) {
	seed(f, "")
	for _, text := range []string{"0 1\n1 2\n", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n"} {
		f.Add(compressGzip(f, []byte(text)))
		f.Add(compressZstd(f, []byte(text)))
		f.Add(compressXZ(f, []byte(text)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		checkRead(t, data, graphio.Options{})
	})
}
