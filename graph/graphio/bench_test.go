package graphio_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/graphio"
)

// benchList is a graph with hubs: 2^17 vertices, 2^20 records, seeded.
func benchList(kind graph.WeightKind) *graph.EdgeList {
	r := rand.New(rand.NewPCG(1, 2))
	l := &graph.EdgeList{Vertices: 1 << 17, Edges: make([]graph.Edge, 1<<20)}
	for i := range l.Edges {
		u, v := uint32(r.IntN(1<<17)), uint32(r.IntN(1<<17))
		if i%3 == 0 {
			v &= 0xff
		}
		if u == v {
			v ^= 1
		}
		l.Edges[i] = graph.Edge{U: u, V: v}
	}
	if kind == graph.Int32 {
		w := make([]int32, len(l.Edges))
		for i := range w {
			w[i] = int32(r.IntN(255)) + 1
		}
		l.Weights = graph.WeightsOf(w)
	}
	if kind == graph.Float64 {
		w := make([]float64, len(l.Edges))
		for i := range w {
			w[i] = float64(r.IntN(1e6)) / 1e6
		}
		l.Weights = graph.WeightsOf(w)
	}
	return l
}

// BenchmarkRead reads a graph of 2^20 records in every format, on one and two threads.
// MB/cpu-s is the size of the file over the processor time of the whole process, the
// garbage collector's included: what a core does on a machine that is shared.
//
//	go test ./graph/graphio -run '^$' -bench Read -benchtime 10x
func BenchmarkRead(b *testing.B) {
	dir := b.TempDir()
	for _, c := range []struct {
		name, file string
		kind       graph.WeightKind
		directed   bool
	}{
		{"edgelist", "g.el", graph.Unweighted, true},
		{"edgelist-weighted", "g.wel", graph.Int32, true},
		{"edgelist-real", "r.wel", graph.Float64, true},
		{"edgelist-csv", "g.csv", graph.Unweighted, true},
		{"edgelist-gzip", "g.el.gz", graph.Unweighted, true},
		{"edgelist-zstd", "g.el.zst", graph.Unweighted, true},
		{"matrixmarket", "g.mtx", graph.Unweighted, true},
		{"metis", "g.graph", graph.Unweighted, false},
		{"dimacs9", "g.gr", graph.Int32, true},
		{"gap", "g.sg", graph.Unweighted, false},
		{"gap-weighted", "g.wsg", graph.Int32, false},
		{"graph500", "g.packed", graph.Unweighted, false},
		{"totem", "g.totem", graph.Unweighted, true},
		{"graphalytics", "g.e", graph.Unweighted, true},
		{"konect", "out.g", graph.Unweighted, true},
		{"native", "g.tgr", graph.Unweighted, false},
	} {
		list := benchList(c.kind)
		list.Directed = c.directed
		var src graph.Source = list
		if c.name == "metis" {
			g, err := graph.Build(context.Background(), list, graph.BuildOptions{Duplicates: graph.MergeMin, Loops: graph.DropLoops})
			if err != nil {
				b.Fatal(err)
			}
			src = g
		}
		path := filepath.Join(dir, c.file)
		if _, err := graphio.Save(context.Background(), path, src, graphio.SaveOptions{}); err != nil {
			b.Fatal(err)
		}
		st, err := os.Stat(path)
		if err != nil {
			b.Fatal(err)
		}
		for _, threads := range []int{1, 2} {
			b.Run("format="+c.name+"/threads="+strconv.Itoa(threads), func(b *testing.B) {
				b.SetBytes(st.Size())
				before := cpuSeconds()
				for b.Loop() {
					f, err := graphio.Open(context.Background(), path, graphio.Options{Threads: threads})
					if err != nil {
						b.Fatal(err)
					}
					if err := f.Close(); err != nil {
						b.Fatal(err)
					}
				}
				if used := cpuSeconds() - before; used > 0 {
					b.ReportMetric(float64(st.Size())*float64(b.N)/used/1e6, "MB/cpu-s")
				}
			})
		}
	}
}

// BenchmarkWrite writes the same graph:
//
//	go test ./graph/graphio -run '^$' -bench Write -benchtime 10x
func BenchmarkWrite(b *testing.B) {
	dir := b.TempDir()
	list := benchList(graph.Unweighted)
	for _, file := range []string{"g.el", "g.mtx", "g.sg", "g.packed", "g.tgr"} {
		b.Run("file="+file, func(b *testing.B) {
			for b.Loop() {
				report, err := graphio.Save(context.Background(), filepath.Join(dir, file), list, graphio.SaveOptions{}.WithoutSync())
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(report.Bytes)
			}
		})
	}
}
