package cli

import (
	"bufio"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/allpairs"
	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/graphio"
	"github.com/totemgo/totemgo/internal/workers"
	"github.com/totemgo/totemgo/record"
)

const apspHelp = `apsp reads a graph file ("-" is standard input) and finds the distances between all pairs of
vertices: along arcs with their weights, or in hops where it has none. Weights may be negative; a
cycle of negative weight is refused with its vertices. It prints how many pairs have a path, the
diameter, radius and mean distance. -o writes the distances: a name that ends in .npy gives a matrix
in NumPy's format, its rows and columns in the order of vertex ids (a pair without a path holds the
largest int32, or inf), any other name a row (from, to, distance) for each pair of
two vertices with a path.

By default the method is the one that is predicted to be faster on this graph:
  blocked    Floyd-Warshall on tiles of a dense matrix: for dense graphs of up to some 10,000 vertices
  searches   a search from every vertex: for sparse graphs; with --summary it needs no matrix
  naive, squaring   Floyd-Warshall by vertices, and repeated squaring, to compare with
Distances of whole weights are int32, or float64 where those are too small; others have the type of
the file's weights.

  totemgo apsp lesmis.graph
  totemgo apsp lesmis.graph -o distances.npy
  totemgo apsp power.graph --summary --json
  totemgo apsp roads.txt --undirected --widest -o widths.csv.gz`

// apspFlags are the flags of apsp.
type apspFlags struct {
	read                         readFlags
	method, typ, kernels, output string
	processors                   string
	threads                      int
	widest, summary, json        bool
	memory                       int64
}

func newAllPairs(e *env) *cobra.Command {
	f := &apspFlags{}
	c := &cobra.Command{
		Use: "apsp FILE", Short: "Find the distances between all pairs of vertices", Long: apspHelp, Args: takes("FILE"),
		RunE: func(c *cobra.Command, args []string) error { return e.allPairs(c.Context(), f, args[0]) },
	}
	fl := c.Flags()
	fl.StringVar(&f.method, "method", "auto", "`METHOD`: "+strings.Join(allpairs.Methods(), ", "))
	completes(c, "method", allpairs.Methods()...)
	fl.StringVar(&f.typ, "type", "auto", "`TYPE` of distances: auto, int32, float32 or float64")
	completes(c, "type", "auto", "int32", "float32", "float64")
	fl.StringVar(&f.kernels, "kernels", "", "tile `KERNELS`: avx512, avx2 or generic (default the best of this processor)")
	fl.StringVar(&f.processors, "processors", "cpu", "`PROCESSOR` of dense methods: cpu, cpu:THREADS, opencl:N or cuda:N")
	fl.BoolVar(&f.widest, "widest", false, "find widest paths instead: the largest least weight of a path's arcs")
	fl.BoolVar(&f.summary, "summary", false, "keep no matrix where the method needs none")
	fl.StringVarP(&f.output, "output", "o", "", "write the distances to `FILE` (- for standard output); its name tells the format\n"+
		"(.npy, .csv, .json, .jsonl, else TSV) and the compression (.gz, .zst, .xz)")
	fl.Var((*bytesFlag)(&f.memory), "memory-limit", "most memory to take, such as 4GiB (default 80% of what is available)")
	fl.BoolVar(&f.json, "json", false, "print JSON")
	f.read.add(c, "")
	return c
}

// allPairs runs apsp.
func (e *env) allPairs(ctx context.Context, f *apspFlags, path string) error {
	method, err := allpairs.ParseMethod(f.method)
	switch {
	case err != nil:
		return usageError{err}
	case f.summary && f.output != "":
		return usagef("--summary keeps no matrix, which -o writes")
	case f.output == "-" && f.json:
		return usagef("-o - puts the distances on standard output, where --json would go too")
	}
	if f.kernels != "" && !slices.Contains(allpairs.Kernels[int32](), f.kernels) {
		return usagef("--kernels %s: this processor has %s", f.kernels, strings.Join(allpairs.Kernels[int32](), ", "))
	}
	types := map[string]func(context.Context, *env, *apspFlags, *graph.CSR, allpairs.Options) error{
		"int32": allPairsOf[int32], "float32": allPairsOf[float32], "float64": allPairsOf[float64],
	}
	if f.typ != "auto" && types[f.typ] == nil {
		return usagef("--type %q is none of auto, int32, float32, float64", f.typ)
	}
	procs, err := engine.ParseProcessors(f.processors)
	if err != nil {
		return err
	}
	if len(procs) != 1 {
		return usagef("--processors %s: want one", f.processors)
	}
	f.threads = procs[0].Threads
	o := allpairs.Options{Method: method, Threads: f.threads, Kernels: f.kernels, MemoryLimit: f.memory}
	if f.widest {
		o.Algebra = allpairs.Widest
	}
	if o.MemoryLimit == 0 {
		o.MemoryLimit = engine.DefaultMemoryLimit()
	}
	if procs[0].Kind != engine.CPU {
		if o.Device, err = engine.OpenDevice(procs[0], e.drivers...); err != nil {
			return err
		}
		defer func() { _ = o.Device.Close() }()
	}
	file, err := f.read.open(ctx, e, path, f.threads, o.MemoryLimit)
	if err != nil {
		return err
	}
	defer file.Close()
	g, err := graph.Build(ctx, file.Source, graph.BuildOptions{Threads: f.threads})
	if err != nil {
		return err
	}
	typ := f.typ
	switch {
	case typ != "auto":
	case g.WeightKind() == graph.Float32:
		typ = "float32"
	case g.WeightKind() == graph.Float64 || !allpairs.Fits[int32](g):
		typ = "float64"
	default:
		typ = "int32"
	}
	return types[typ](ctx, e, f, g, o)
}

// allPairsOf runs apsp with distances of type T.
func allPairsOf[T allpairs.Value](ctx context.Context, e *env, f *apspFlags, g *graph.CSR, o allpairs.Options) error {
	bar := e.progress("all pairs")
	o.Progress = func(done, of int64) { bar.set(done, of, "") }
	start := time.Now()
	var (
		s   *allpairs.Summary
		p   *allpairs.Plan
		err error
	)
	if f.summary {
		s, p, err = allpairs.Summarize[T](ctx, g, o)
	} else {
		var m *allpairs.Matrix[T]
		if m, p, err = allpairs.Solve[T](ctx, g, o); err == nil {
			defer func() { _ = m.Free() }()
			took := time.Since(start)
			bar.done()
			if f.output != "" {
				if err := writePairs(ctx, e, f.output, m, o.Algebra, g.VertexLabels()); err != nil || f.output == "-" {
					return err
				}
			}
			s, start = m.Summary(ctx, o.Threads), time.Now().Add(-took)
		}
	}
	took := time.Since(start)
	bar.done()
	if err != nil {
		return err
	}
	doc := record.AllPairs{Vertices: int64(g.NumVertices()), Arcs: g.NumArcs(), Type: fmt.Sprintf("%T", T(0)), Algebra: "shortest",
		Method: p.Method.String(), Reason: p.Reason, Kernels: p.Kernels, Threads: workers.Count(o.Threads), MatrixBytes: p.Bytes,
		PredictedS: p.Time.Seconds(), TimeS: took.Seconds(), Pairs: s.Pairs, Connected: s.Connected, Diameter: s.Diameter, Radius: s.Radius,
		Average: s.Average, Histogram: s.Histogram}
	if f.widest {
		doc.Algebra = "widest"
	}
	if f.json {
		doc.Head = e.head(record.SchemaAllPairs)
		return e.printJSON(doc)
	}
	fmt.Fprintf(e.stdout, "pairs %d\ndiameter %v\nradius %v\naverage %v\nmethod %s (%s)\ntime %s\n", s.Pairs, s.Diameter, s.Radius, s.Average,
		doc.Method, doc.Reason, seconds(doc.TimeS))
	return nil
}

// writePairs writes a matrix: as .npy, or a row for each pair with a path.
func writePairs[T allpairs.Value](ctx context.Context, e *env, path string, m *allpairs.Matrix[T], by allpairs.Algebra, labels *graph.Labels) error {
	name := strings.ToLower(path)
	for _, compressed := range []string{".gz", ".zst", ".xz"} {
		name = strings.TrimSuffix(name, compressed)
	}
	if filepath.Ext(name) == ".npy" {
		return e.writeFile(ctx, path, func(to *bufio.Writer) error {
			z, err := graphio.Compress(to, path)
			if err != nil {
				return err
			}
			if err := m.WriteNPY(z); err != nil {
				return err
			}
			return z.Close()
		})
	}
	row, from := make([]T, m.N()), uint32(0)
	t := &table{
		columns: []column{
			whole("from", func(uint32) uint64 { return labels.Label(from) }),
			whole("to", func(v uint32) uint64 { return labels.Label(v) }),
			numbers("distance", row),
		},
		rows: func(yield func(uint32) bool) {
			for from = range uint32(m.N()) {
				m.Row(int(from), row)
				for v, d := range row {
					if d != allpairs.Unreachable[T](by) && v != int(from) && !yield(uint32(v)) {
						return
					}
				}
			}
		},
	}
	return e.writeTable(ctx, path, t.header(), t)
}
