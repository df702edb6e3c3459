package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/allpairs"
	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/atomicfile"
	"github.com/totemgo/totemgo/internal/workers"
	"github.com/totemgo/totemgo/record"
)

const apspHelp = `apsp reads a graph file ("-" is standard input) and finds the distances between all pairs of
vertices: along arcs with their weights, or in hops where it has none. Weights may be negative; a
cycle of negative weight is refused with its vertices. It prints how many pairs have a path, the
diameter, radius and mean distance. -o writes the distances: a name that ends in .npy gives a matrix
in NumPy's format, its rows and columns in the order of vertex ids (a pair without a path holds the
largest int32, or inf), any other name a row (from, to, distance) for each pair of
two vertices with a path. --predecessors writes the vertex before the last of a shortest path of each
pair, which tells all paths: as rows by ids, or as .npy by row numbers from 0, -1 without one.
The room of an .npy file is reserved on the disk before the work begins; a note tells then whether other
files may lack some.

By default the method is the one that is predicted to be faster on this graph:
  blocked    Floyd-Warshall on tiles of a dense matrix: for dense graphs of up to some 10,000 vertices
  searches   a search from every vertex: for sparse graphs; with --summary it needs no matrix
  naive, squaring   Floyd-Warshall by vertices, and repeated squaring, to compare with
Distances of whole weights are int32, or float64 where those are too small; others have the type of
the file's weights.

  totemgo apsp lesmis.graph
  totemgo apsp lesmis.graph -o distances.npy
  totemgo apsp weights.npy -o distances.npy --predecessors before.npy
  totemgo apsp power.graph --summary --json
  totemgo apsp roads.txt --undirected --widest -o widths.csv.gz`

// apspFlags are the flags of apsp.
type apspFlags struct {
	read                         readFlags
	method, typ, kernels, output string
	predecessors, processors     string
	threads                      int
	widest, summary              bool
}

// apsp prepares "totemgo apsp".
func apsp(e *env, c *cobra.Command) runner {
	f := &apspFlags{}
	fl := c.Flags()
	fl.StringVar(&f.method, "method", "auto", "`METHOD`: "+strings.Join(allpairs.Methods(), ", "))
	completes(c, "method", allpairs.Methods()...)
	fl.StringVar(&f.typ, "type", "auto", "`TYPE` of distances: auto, int32, float32 or float64")
	oneOf(c, "type", "auto", "int32", "float32", "float64")
	fl.StringVar(&f.kernels, "kernels", "", "tile `KERNELS`: avx512, avx2 or generic (default the best of this processor)")
	fl.StringVar(&f.processors, "processors", "cpu", "`PROCESSOR` of dense methods: cpu, cpu:THREADS, opencl:N or cuda:N")
	fl.BoolVar(&f.widest, "widest", false, "find widest paths instead: the largest least weight of a path's arcs")
	fl.BoolVar(&f.summary, "summary", false, "keep no matrix where the method needs none")
	fl.StringVarP(&f.output, "output", "o", "", "write the distances to `FILE` (- for standard output); its name tells the format\n"+
		"(.npy, .csv, .json, .jsonl, else TSV) and the compression (.gz, .zst, .xz)")
	fl.StringVar(&f.predecessors, "predecessors", "", "write the vertex before the last of a shortest path of each pair to `FILE`; its name tells the format")
	e.jsonFlag(c)
	e.memoryFlag(c)
	f.read.add(c, "")
	return func(ctx context.Context, args []string) error { return e.allPairs(ctx, f, args[0]) }
}

// allPairs runs apsp.
func (e *env) allPairs(ctx context.Context, f *apspFlags, path string) error {
	method, err := allpairs.ParseMethod(f.method)
	switch {
	case err != nil:
		return usageError(err)
	case f.summary && (f.output != "" || f.predecessors != ""):
		return usagef("--summary keeps no matrix, which -o and --predecessors write")
	case e.json && (f.output == "-" || f.predecessors == "-"):
		return usagef("- puts the matrix on standard output, where --json would go too")
	case f.kernels != "" && !slices.Contains(allpairs.Kernels[int32](), f.kernels):
		return usagef("--kernels %s: this processor has %s", f.kernels, strings.Join(allpairs.Kernels[int32](), ", "))
	}
	for _, path := range []string{f.output, f.predecessors} {
		if err := checkRows(path); err != nil && extension(path) != ".npy" {
			return err
		}
	}
	procs, err := engine.ParseProcessors(f.processors)
	if err != nil {
		return err
	}
	if len(procs) != 1 {
		return usagef("--processors %s: want one", f.processors)
	}
	f.threads = procs[0].Threads
	o := allpairs.Options{Method: method, Threads: f.threads, Kernels: f.kernels, MemoryLimit: int64(e.memory)}
	if f.widest {
		o.Algebra = allpairs.Widest
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
	auto, kind := f.typ == "auto", g.WeightKind()
	switch {
	case f.typ == "float32" || auto && kind == graph.Float32:
		return allPairsOf[float32](ctx, e, f, g, o)
	case f.typ == "float64" || auto && (kind == graph.Float64 || !allpairs.Fits[int32](g)):
		return allPairsOf[float64](ctx, e, f, g, o)
	}
	return allPairsOf[int32](ctx, e, f, g, o)
}

// allPairsOf runs apsp with distances of type T.
func allPairsOf[T allpairs.Value](ctx context.Context, e *env, f *apspFlags, g *graph.CSR, o allpairs.Options) error {
	o.Progress = e.progress("all pairs").of("steps")
	o.Start = func(p *allpairs.Plan) {
		if p.Time > time.Second || isTerminal(e.stderr) {
			e.note("%s (%s): about %s, %s for matrices", p.Method, p.Reason, seconds(p.Time.Seconds()), sizeString(p.Bytes))
		}
	}
	o.Predecessors = f.predecessors != ""
	start := time.Now()
	distances, err := createNPY[T](f.output, g.NumVertices(), o.Threads)
	if err != nil {
		return err
	}
	before, err := createNPY[int32](f.predecessors, g.NumVertices(), o.Threads)
	if err != nil {
		return distances.close(err)
	}
	var (
		s    *allpairs.Summary
		p    *allpairs.Plan
		took time.Duration
	)
	if (f.output != "" && distances == nil) || (o.Predecessors && before == nil) {
		e.noteRoom(f.output, distances != nil, g.NumVertices())
		e.noteRoom(f.predecessors, before != nil, g.NumVertices())
		var m *allpairs.Matrix[T]
		if m, p, err = allpairs.Solve[T](ctx, g, o); err == nil {
			defer func() { _ = m.Free() }()
			took = time.Since(start)
			s = m.Summary(ctx, o.Threads)
			labels, row := g.VertexLabels(), make([]T, m.N())
			d := pairs[T]{f.output, distances, func(u uint32) []T { m.Row(int(u), row); return row },
				func(u, v uint32, x T) bool { return u != v && x != allpairs.Unreachable[T](o.Algebra) },
				func(row []T) column { return numbers("distance", row) }}
			b := pairs[int32]{f.predecessors, before, func(u uint32) []int32 { return m.Predecessors(int(u)) },
				func(_, _ uint32, x int32) bool { return x >= 0 },
				func(row []int32) column {
					return ids("predecessor", func(v uint32) uint64 { return labels.Label(uint32(row[v])) })
				}}
			if err = d.write(ctx, e, m.N(), labels); err == nil {
				err = b.write(ctx, e, m.N(), labels)
			}
		}
	} else {
		b := allpairs.NewSummarizer[T](g.NumVertices(), o)
		p, err = allpairs.Rows(ctx, g, o, func(worker int, r allpairs.Row[T]) error {
			return errors.Join(distances.put(worker, r.From, r.Distances), before.put(worker, r.From, r.Predecessors), b.Add(worker, r))
		})
		took, s = time.Since(start), b.Summary()
	}
	if err = before.close(distances.close(err)); err != nil || f.output == "-" || f.predecessors == "-" {
		return err
	}
	doc := record.AllPairs{Vertices: int64(g.NumVertices()), Arcs: g.NumArcs(), Type: fmt.Sprintf("%T", T(0)), Algebra: "shortest",
		Method: p.Method.String(), Reason: p.Reason, Kernels: p.Kernels, Threads: workers.Count(o.Threads), MatrixBytes: p.Bytes,
		PredictedS: p.Time.Seconds(), TimeS: took.Seconds(), Pairs: s.Pairs, Connected: s.Connected, Diameter: s.Diameter, Radius: s.Radius,
		Average: s.Average, Histogram: s.Histogram}
	if f.widest {
		doc.Algebra = "widest"
	}
	return e.show(record.SchemaAllPairs, &doc, func() {
		fmt.Fprintf(e.stdout, "pairs %d\ndiameter %v\nradius %v\naverage %v\nmethod %s (%s)\ntime %s\n", s.Pairs, s.Diameter, s.Radius, s.Average,
			doc.Method, doc.Reason, seconds(doc.TimeS))
	})
}

// noteRoom says before the work that a file whose room is not reserved may lack some: text takes 2 bytes at least for each
// of n × n values, of which unconnected pairs have none.
func (e *env) noteRoom(path string, reserved bool, n int) {
	if path == "" || path == "-" || reserved {
		return
	}
	need := 2 * float64(n) * float64(n)
	if free, err := atomicfile.Room(path); err == nil && float64(free) < need {
		e.note("%s: the values of %d vertices may take more than %s uncompressed, and the disk has %s", path, n,
			humanize.IBytes(uint64(need)), humanize.IBytes(free))
	}
}

// npyFile is a file of an array that is written row by row, in any order; nil is no file.
type npyFile[T allpairs.Value] struct {
	*allpairs.NPY[T]
	file    *atomicfile.File
	buffers [][]byte // by worker: a row
}

// createNPY reserves the file of n × n values; nil for a path of another format, a device or pipe, and for what is no new file.
func createNPY[T allpairs.Value](path string, n, threads int) (*npyFile[T], error) {
	if path == "-" || strings.ToLower(filepath.Ext(path)) != ".npy" || atomicfile.Direct(path) {
		return nil, nil
	}
	a := &npyFile[T]{NPY: allpairs.NewNPY[T](n), buffers: make([][]byte, workers.Count(threads))}
	var err error
	if a.file, err = atomicfile.Create(path); err != nil {
		return nil, err
	}
	if err = a.file.Reserve(a.Size()); err == nil {
		_, err = a.file.WriteAt(a.Head(), 0)
	}
	if err != nil {
		_ = a.file.Remove() // nothing is written yet
		if errors.Is(err, errors.ErrUnsupported) {
			err = nil
		}
		return nil, err
	}
	return a, nil
}

func (a *npyFile[T]) put(worker int, u uint32, row []T) (err error) {
	if a != nil {
		a.buffers[worker], err = a.WriteRow(a.file, int(u), row, a.buffers[worker])
	}
	return err
}

// close gives the file its name, or removes it after an error, which it returns.
func (a *npyFile[T]) close(err error) error {
	if a == nil {
		return err
	}
	return a.file.End(err)
}

// pairs is a matrix to write.
type pairs[T allpairs.Value] struct {
	path    string // "" if it is not asked for
	file    *npyFile[T]
	row     func(u uint32) []T // valid until the next call
	present func(u, v uint32, x T) bool
	column  func(row []T) column
}

// write writes the matrix: into the file, as .npy, or a row for each pair that is present.
func (p *pairs[T]) write(ctx context.Context, e *env, n int, labels *graph.Labels) error {
	if p.path == "" {
		return nil
	}
	if p.file != nil {
		return p.file.Write(untilDone{ctx, p.file.file}, p.row)
	}
	if extension(p.path) == ".npy" {
		return e.writeFile(ctx, p.path, func(w *bufio.Writer) error { return allpairs.NewNPY[T](n).Write(w, p.row) })
	}
	row, from := make([]T, n), uint32(0)
	t := &table{
		columns: []column{
			ids("from", func(uint32) uint64 { return labels.Label(from) }),
			ids("to", func(v uint32) uint64 { return labels.Label(v) }),
			p.column(row),
		},
		rows: func(yield func(uint32) bool) {
			for from = range uint32(n) {
				copy(row, p.row(from))
				for v, x := range row {
					if p.present(from, uint32(v), x) && !yield(uint32(v)) {
						return
					}
				}
			}
		},
	}
	t.named(labels.Names())
	return e.writeTable(ctx, p.path, t.header(), t)
}
