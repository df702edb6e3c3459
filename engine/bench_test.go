package engine_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/gen"
)

// benchScale is the scale of the benchmarks' graphs; TOTEMGO_BENCH_SCALE sets it.
func benchScale() int {
	if s, err := strconv.Atoi(os.Getenv("TOTEMGO_BENCH_SCALE")); err == nil {
		return s
	}
	return 16
}

func kron(b *testing.B, scale int) *graph.EdgeList {
	l, err := gen.Make(context.Background(), gen.KroneckerOptions{Scale: scale})
	if err != nil {
		b.Fatal(err)
	}
	return l
}

// go test ./engine -run - -bench New -count 6
func BenchmarkNew(b *testing.B) {
	l := kron(b, benchScale())
	b.Run(fmt.Sprintf("graph=kron/scale=%d/placement=hubs-on-cpu/processors=cpu", benchScale()), func(b *testing.B) {
		for b.Loop() {
			e, err := engine.New(context.Background(), l, engine.Options{})
			if err != nil {
				b.Fatal(err)
			}
			e.Close()
		}
		b.ReportMetric(float64(len(l.Edges))*float64(b.N)/b.Elapsed().Seconds(), "edges/s")
	})
}

// go test ./engine -run - -bench BFS -count 6
//
// An operation is one search; the roots are those of Graph500, in turn.
func BenchmarkBFS(b *testing.B) {
	for _, g := range []struct {
		name, placement string
		recipe          gen.Recipe
	}{
		{"kron/scale=16", "hubs-on-cpu", gen.KroneckerOptions{Scale: 16}},
		{"kron/scale=20", "hubs-on-cpu", gen.KroneckerOptions{Scale: 20}},
		{"uniform/scale=20", "original", gen.UniformOptions{Vertices: 1 << 20, Edges: 16 << 20}},
		{"grid/side=2000", "original", gen.GridOptions{Rows: 2000, Columns: 2000}},
	} {
		b.Run("graph="+g.name+"/placement="+g.placement, func(b *testing.B) {
			l, err := gen.Make(context.Background(), g.recipe)
			if err != nil {
				b.Fatal(err)
			}
			roots, err := gen.Roots(context.Background(), gen.RootOptions{Vertices: int64(l.Vertices)}, degreeAbove0(l))
			if err != nil {
				b.Fatal(err)
			}
			for _, procs := range []string{"cpu", "cpu:1", "cpu:1,cpu:1"} {
				b.Run("processors="+procs, func(b *testing.B) { benchmarkBFS(b, l, roots, procs) })
			}
		})
	}
}

func benchmarkBFS(b *testing.B, l *graph.EdgeList, roots []uint32, procs string) {
	list, err := engine.ParseProcessors(procs)
	if err != nil {
		b.Fatal(err)
	}
	e, err := engine.New(context.Background(), l, engine.Options{Processors: list})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	r := e.NewResult()
	defer r.Free()
	i := 0
	for b.Loop() {
		if err := e.BFSInto(context.Background(), uint64(roots[i%len(roots)]), r); err != nil {
			b.Fatal(err)
		}
		i++
	}
	b.ReportMetric(float64(len(l.Edges))*float64(b.N)/b.Elapsed().Seconds(), "edges/s")
}

func degreeAbove0(l *graph.EdgeList) func(uint32) bool {
	has := make([]bool, l.Vertices)
	for _, e := range l.Edges {
		if e.U != e.V {
			has[e.U], has[e.V] = true, true
		}
	}
	return func(v uint32) bool { return has[v] }
}

// go test ./engine -run - -bench PageRank -count 6
//
// An operation is one call until ranks change by less than 1e-4, with rank dropped as in GAP's pr_spmv.
func BenchmarkPageRank(b *testing.B) {
	l := kron(b, benchScale())
	for _, procs := range []string{"cpu:1", "cpu:2", "cpu:1,cpu:1"} {
		b.Run(fmt.Sprintf("graph=kron/scale=%d/processors=%s", benchScale(), procs), func(b *testing.B) {
			list, err := engine.ParseProcessors(procs)
			if err != nil {
				b.Fatal(err)
			}
			e := open(b, l, engine.Options{Processors: list})
			for _, float32s := range []bool{false, true} {
				b.Run(fmt.Sprintf("float32=%v", float32s), func(b *testing.B) {
					n := 0
					for b.Loop() {
						r, err := e.PageRank(context.Background(), engine.PageRankOptions{Dangling: engine.DanglingDrop, Tolerance: 1e-4, Float32: float32s})
						if err != nil {
							b.Fatal(err)
						}
						n = r.Iterations
					}
					b.ReportMetric(float64(n), "iterations")
				})
			}
		})
	}
}

// go test ./engine -run - -bench SSSP -count 6
//
// An operation is one search with weights 1 … 255 and the default Delta; the roots are those of Graph500, in turn.
func BenchmarkSSSP(b *testing.B) {
	for _, g := range []struct {
		name, placement string
		recipe          gen.Recipe
	}{
		{fmt.Sprintf("kron/scale=%d", benchScale()), "hubs-on-cpu", gen.KroneckerOptions{Scale: benchScale()}},
		{"uniform/scale=18", "original", gen.UniformOptions{Vertices: 1 << 18, Edges: 16 << 18}},
		{"grid/side=1000", "original", gen.GridOptions{Rows: 1000, Columns: 1000}},
	} {
		b.Run("graph="+g.name+"/placement="+g.placement, func(b *testing.B) {
			l, err := gen.Make(context.Background(), g.recipe)
			if err != nil {
				b.Fatal(err)
			}
			w := make([]int32, len(l.Edges))
			for k := range w {
				w[k] = 1 + int32(uint32(k)*2654435761>>8%255)
			}
			l.Weights = graph.WeightsOf(w)
			roots, err := gen.Roots(context.Background(), gen.RootOptions{Vertices: int64(l.Vertices)}, degreeAbove0(l))
			if err != nil {
				b.Fatal(err)
			}
			for _, procs := range []string{"cpu", "cpu:1", "cpu:1,cpu:1"} {
				b.Run("processors="+procs, func(b *testing.B) {
					list, err := engine.ParseProcessors(procs)
					if err != nil {
						b.Fatal(err)
					}
					e := open(b, l, engine.Options{Processors: list, Weights: true})
					i, took := 0, time.Duration(0)
					for b.Loop() {
						r, err := e.SSSP(context.Background(), uint64(roots[i%len(roots)]), engine.SSSPOptions{})
						if err != nil {
							b.Fatal(err)
						}
						took += r.Time
						i++
					}
					b.ReportMetric(float64(took.Nanoseconds())/float64(b.N), "ns/search")
				})
			}
		})
	}
}
