package cli

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/gen"
	"github.com/totemgo/totemgo/graph/graphio"
)

// TestRoundTrip converts a graph to every format that can hold it, by the command,
// and back to an edge list. The file is that of scripts/roundtrip, or a small one.
func TestRoundTrip(t *testing.T) {
	file, roots := os.Getenv("TOTEMGO_ROUNDTRIP"), 64
	dir := t.TempDir()
	if file == "" {
		made := filepath.Join(dir, "made.el")
		file = filepath.Join(dir, "small.el")
		if r := command(t, "generate", "rmat", "--scale", "9", "--edges", "3000", "-o", made); r.status != 0 {
			t.Fatal(r.stderr)
		}
		if r := command(t, "convert", made, file, "--directed"); r.status != 0 {
			t.Fatal(r.stderr)
		}
		roots = 8
	}
	want := openTrip(t, file)
	for _, name := range []string{"x.sg", "x.mtx", "x.gr", "x.wsg", "x.tgr", "totem"} {
		t.Run("format="+name, func(t *testing.T) {
			there := filepath.Join(dir, name)
			args := []string{"convert", file, there}
			if name == "totem" {
				there += ".txt"
				args = []string{"convert", file, there, "--format", "totem"}
			}
			trip(t, want, args, there, roots)
		})
	}
	t.Run("format=x.graph", func(t *testing.T) {
		there := filepath.Join(dir, "x.graph")
		if r := command(t, "convert", file, there); r.status == 0 {
			t.Error("METIS takes a directed graph with self-loops and duplicates as it is")
		} else if !strings.Contains(r.stderr, "--undirected") {
			t.Errorf("the refusal names no cure: %s", r.stderr)
		}
		simple := filepath.Join(dir, "simple.el")
		options := []string{"--undirected", "--drop-loops", "--merge-duplicates", "first"}
		if r := command(t, append([]string{"convert", file, simple}, options...)...); r.status != 0 {
			t.Fatal(r.stderr)
		}
		f, err := graphio.Open(context.Background(), simple, graphio.Options{Direction: graphio.Undirected})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		trip(t, f.Source, append([]string{"convert", file, there}, options...), there, roots)
	})
}

func openTrip(t *testing.T, path string) graph.Source {
	t.Helper()
	f, err := graphio.Open(context.Background(), path, graphio.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f.Source
}

// trip runs a conversion and compares what comes back.
func trip(t *testing.T, want graph.Source, args []string, there string, roots int) {
	t.Helper()
	r := command(t, args...)
	if r.status != 0 {
		t.Fatal(r.stderr)
	}
	if r.stderr != "" {
		t.Logf("named: %s", strings.TrimSpace(r.stderr))
	}
	got := openTrip(t, there)
	if got.NumEdges() != want.NumEdges() || got.IsDirected() != want.IsDirected() {
		t.Fatalf("%d edges, directed %v; want %d, %v", got.NumEdges(), got.IsDirected(), want.NumEdges(), want.IsDirected())
	}
	// Ids come back, or the loss is named and they are the dense ones in the same order.
	kept := sameLabels(want.VertexLabels(), got.VertexLabels())
	if !kept && r.stderr == "" {
		t.Error("the ids are others, and nothing was said")
	}
	dw, dg := degrees(want), degrees(got)
	if len(dw) > len(dg) {
		t.Fatalf("%d vertices came back, want %d", len(dg), len(dw))
	}
	if !slices.Equal(dw, dg[:len(dw)]) {
		slices.Sort(dw)
		sorted := slices.DeleteFunc(slices.Clone(dg), func(d int64) bool { return d == 0 })
		slices.Sort(sorted)
		if !slices.Equal(slices.DeleteFunc(dw, func(d int64) bool { return d == 0 }), sorted) {
			t.Fatal("the degrees are others")
		}
		if kept {
			t.Fatal("degrees are at other vertices")
		}
	}
	ew, eg := tripEngine(t, want), tripEngine(t, got)
	list, err := gen.Roots(context.Background(), gen.RootOptions{Vertices: int64(want.NumVertices()), Count: roots}, func(uint32) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	for _, root := range list {
		a, err := ew.BFS(context.Background(), want.VertexLabels().Label(root))
		if err != nil {
			t.Fatal(err)
		}
		b, err := eg.BFS(context.Background(), got.VertexLabels().Label(root))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(a.Levels(), b.Levels()[:want.NumVertices()]) || a.NumReached != b.NumReached || a.Depth != b.Depth {
			t.Fatalf("other levels from root %d", want.VertexLabels().Label(root))
		}
	}
}

func tripEngine(t *testing.T, src graph.Source) *engine.Engine {
	t.Helper()
	e, err := engine.New(context.Background(), src, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func sameLabels(a, b *graph.Labels) bool {
	if a.Len() != b.Len() {
		return false
	}
	for v := range a.Len() {
		if a.Label(uint32(v)) != b.Label(uint32(v)) {
			return false
		}
	}
	return true
}

// degrees counts the records at each vertex.
func degrees(src graph.Source) []int64 {
	d := make([]int64, src.NumVertices())
	var buf []graph.Edge
	n := src.Blocks(16)
	for i := range n {
		block := src.Block(16, i, buf)
		for _, e := range block {
			d[e.U]++
			d[e.V]++
		}
	}
	return d
}
