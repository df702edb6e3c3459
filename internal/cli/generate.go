package cli

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/gen"
	"github.com/totemgo/totemgo/graph/graphio"
	"github.com/totemgo/totemgo/record"
)

// kinds of graphs that generate makes.
var generators = []string{"kron", "rmat", "uniform", "grid", "density", "chain", "star", "complete"}

type generateFlags struct {
	scale, edgefactor, threads int
	vertices, edges            int64
	seed                       string
	rows, columns              int64
	density, largest           float64
	a, b, c, d                 float64
	span, output, format       string
	weights, merge             string
	tuple                      int
	dropLoops, dryRun, asJSON  bool
	memory                     bytesFlag
}

func newGenerate(e *env) *cobra.Command {
	var f generateFlags
	c := &cobra.Command{
		Use:   "generate KIND -o FILE",
		Short: "Make a graph: " + strings.Join(generators, ", "),
		Long: `generate makes a graph and writes it to a file. The format is --format, or that of
the file's name. Tuples go into a Graph500 file as they are made; any other format gets
the undirected graph, with self-loops and duplicates unless options drop them. The same
seed gives the same graph for any number of threads.

  totemgo generate kron --scale 20 -o k20.tgr
  totemgo generate kron --scale 16 --format graph500 -o k16.edges --weights k16.weights
  totemgo generate rmat --scale 26 --edgefactor 48 --dry-run
  totemgo generate uniform --vertices 1000000 --edges 16000000 -o u.el
  totemgo generate grid --rows 2000 --columns 2000 -o grid.graph
  totemgo generate density --vertices 10240 --density 0.25 --largest-degree 40 -o dense.tgr`,
		Args: func(c *cobra.Command, args []string) error {
			if err := takes("KIND")(c, args); err != nil {
				return fmt.Errorf("%w; kinds are %s", err, strings.Join(generators, ", "))
			}
			if !slices.Contains(generators, args[0]) {
				return usagef("unknown kind of graph %q; known are %s", args[0], strings.Join(generators, ", "))
			}
			return nil
		},
		ValidArgs: generators,
		RunE:      func(c *cobra.Command, args []string) error { return e.generate(c.Context(), c, args[0], &f) },
	}
	fl := c.Flags()
	fl.IntVar(&f.scale, "scale", 0, fmt.Sprintf("binary logarithm of the number of vertices (kron, rmat, uniform), 1 to %d;\nkron to %d with --range or --dry-run", gen.MaxScale, gen.MaxKroneckerScale))
	fl.IntVar(&f.edgefactor, "edgefactor", gen.DefaultEdgeFactor, "edges per vertex")
	fl.Int64Var(&f.vertices, "vertices", 0, "number of vertices (uniform, density, chain, star, complete)")
	fl.Int64Var(&f.edges, "edges", 0, "number of edges (rmat, uniform)")
	fl.Int64Var(&f.rows, "rows", 0, "rows of a grid")
	fl.Int64Var(&f.columns, "columns", 0, "columns of a grid")
	fl.Float64Var(&f.density, "density", 0, "part of all pairs of vertices that are edges, 0 to 1; the graph is connected (density)")
	fl.Float64Var(&f.largest, "largest-degree", 100, "largest degree in percent of the vertices, at least 2 edges (density)")
	fl.Float64Var(&f.a, "a", 0.57, "probability of the quadrant (0,0) (rmat)")
	fl.Float64Var(&f.b, "b", 0.19, "probability of the quadrant (0,1) (rmat)")
	fl.Float64Var(&f.c, "c", 0.19, "probability of the quadrant (1,0) (rmat)")
	fl.Float64Var(&f.d, "d", 0.05, "probability of the quadrant (1,1) (rmat)")
	fl.StringVar(&f.seed, "seed", "", "`A[,B]`: the seed; kron takes two (default 2,3; otherwise 1)")
	fl.IntVar(&f.threads, "threads", 0, "most threads (default all cores)")
	fl.StringVar(&f.span, "range", "", "`FROM:TO`: make only the edges FROM to TO-1")
	fl.StringVarP(&f.output, "output", "o", "", "`FILE` to write (- for standard output)")
	fl.StringVar(&f.format, "format", "", "`FORMAT` of the output: "+strings.Join(formatNames(true), ", ")+"\n(default by its name)")
	completes(c, "format", formatNames(true)...)
	fl.StringVar(&f.weights, "weights", "", "make weights; `FILE` takes those of a Graph500 tuple file,\nother formats hold them: --weights yes")
	fl.IntVar(&f.tuple, "tuple", 0, "bytes of a Graph500 tuple, 12 or 16 (default 12)")
	fl.BoolVar(&f.dropLoops, "drop-loops", false, "leave self-loops out")
	fl.StringVar(&f.merge, "merge-duplicates", "", "merge parallel edges; the weight is the `first`, min, max or sum")
	completes(c, "merge-duplicates", "first", "min", "max", "sum")
	fl.BoolVar(&f.dryRun, "dry-run", false, "print sizes and bytes, and make nothing")
	fl.BoolVar(&f.asJSON, "json", false, "print JSON")
	fl.Var(&f.memory, "memory-limit", "most memory to take, such as 4GiB (default 80% of what is available)")
	return c
}

// parseSeeds reads "A" or "A,B"; b is given where there is no B.
func parseSeeds(s string, a, b uint64) (uint64, uint64, error) {
	if s == "" {
		return a, b, nil
	}
	first, second, two := strings.Cut(s, ",")
	a, err := strconv.ParseUint(strings.TrimSpace(first), 0, 64)
	if err == nil && two {
		b, err = strconv.ParseUint(strings.TrimSpace(second), 0, 64)
	}
	if err != nil {
		return 0, 0, usagef("--seed %q: want A or A,B, numbers below 2^64", s)
	}
	return a, b, nil
}

// shapeFlags are the flags that say what a kind of graph is like.
var shapeFlags = map[string][]string{
	"kron":     {"scale", "edgefactor"},
	"rmat":     {"scale", "edgefactor", "edges", "a", "b", "c", "d"},
	"uniform":  {"scale", "vertices", "edgefactor", "edges"},
	"grid":     {"rows", "columns"},
	"density":  {"vertices", "density", "largest-degree"},
	"chain":    {"vertices"},
	"star":     {"vertices"},
	"complete": {"vertices"},
}

// checkShape refuses flags that the kind of graph has no use for, and those that say
// the same thing twice.
func (f *generateFlags) checkShape(c *cobra.Command, kind string) error {
	given := c.Flags().Changed
	for _, k := range generators {
		for _, n := range shapeFlags[k] {
			if given(n) && !slices.Contains(shapeFlags[kind], n) {
				return usagef("generate %s has no use for --%s; it takes --%s", kind, n, strings.Join(shapeFlags[kind], ", --"))
			}
		}
	}
	for _, pair := range [][2]string{{"scale", "vertices"}, {"edgefactor", "edges"}} {
		if given(pair[0]) && given(pair[1]) {
			return usagef("--%s and --%s exclude each other", pair[0], pair[1])
		}
	}
	if f.edgefactor < 1 || f.edgefactor > gen.MaxEdgeFactor {
		return usagef("--edgefactor %d is outside 1..%d", f.edgefactor, gen.MaxEdgeFactor)
	}
	if kind == "rmat" && given("edges") && f.edges < 1 {
		return usagef("--edges %d: want 1 or more", f.edges)
	}
	if kind != "kron" && strings.Contains(f.seed, ",") {
		return usagef("--seed %q: generate %s takes one number", f.seed, kind)
	}
	return nil
}

// checkScale checks the scale of a Kronecker graph: ids of more than 32 bits are made by parts only.
func (f *generateFlags) checkScale() error {
	if f.scale < gen.MinScale || f.scale > gen.MaxKroneckerScale || f.scale > gen.MaxScale && f.span == "" && !f.dryRun {
		return usagef("--scale %d: want %d..%d, or up to %d with --range or --dry-run", f.scale, gen.MinScale, gen.MaxScale, gen.MaxKroneckerScale)
	}
	return nil
}

// recipe turns the flags into a recipe.
func (f *generateFlags) recipe(c *cobra.Command, kind string, progress func(done, total int64)) (gen.Recipe, error) {
	a, b, err := parseSeeds(f.seed, 1, 0)
	if kind == "kron" {
		a, b, err = parseSeeds(f.seed, gen.DefaultSeed1, gen.DefaultSeed2)
	}
	if err != nil {
		return nil, err
	}
	if err := f.checkShape(c, kind); err != nil {
		return nil, err
	}
	weights, counted := f.weights != "", c.Flags().Changed("edges")
	needs := func(names ...string) error {
		for _, n := range names {
			if !c.Flags().Changed(n) {
				return usagef("generate %s needs --%s", kind, strings.Join(names, " and --"))
			}
		}
		return nil
	}
	switch kind {
	case "kron":
		return gen.KroneckerOptions{
			Scale: f.scale, EdgeFactor: f.edgefactor, Seed1: a, Seed2: b, Threads: f.threads, Weights: weights, Progress: progress,
		}, cmp.Or(needs("scale"), f.checkScale())
	case "rmat":
		edges := f.edges
		if !counted && f.scale >= gen.MinScale && f.scale <= gen.MaxScale {
			edges = int64(f.edgefactor) << f.scale
		}
		return gen.RMATOptions{
			Scale: f.scale, Edges: edges, A: f.a, B: f.b, C: f.c, D: f.d, Seed: a, Threads: f.threads, Weights: weights, Progress: progress,
		}, needs("scale")
	case "uniform":
		n, m := f.vertices, f.edges
		if c.Flags().Changed("scale") {
			if f.scale < gen.MinScale || f.scale > gen.MaxScale {
				return nil, usagef("--scale %d is outside %d..%d", f.scale, gen.MinScale, gen.MaxScale)
			}
			n = 1 << f.scale
		} else if err := needs("vertices"); err != nil {
			return nil, err
		}
		if !counted {
			m = n * int64(f.edgefactor)
		}
		return gen.UniformOptions{Vertices: n, Edges: m, Seed: a, Threads: f.threads, Weights: weights, Progress: progress}, nil
	case "density":
		return gen.DensityOptions{Vertices: f.vertices, Density: f.density, LargestDegree: f.largest, Seed: a, Threads: f.threads, Weights: weights,
			Progress: progress}, needs("vertices", "density")
	case "grid":
		return gen.GridOptions{Rows: f.rows, Columns: f.columns, Seed: a, Threads: f.threads, Weights: weights, Progress: progress}, needs("rows", "columns")
	}
	shape := map[string]gen.Shape{"chain": gen.Chain, "star": gen.Star, "complete": gen.Complete}[kind]
	return gen.ShapeOptions{Shape: shape, Vertices: f.vertices, Seed: a, Threads: f.threads, Weights: weights, Progress: progress}, needs("vertices")
}

func (e *env) generate(ctx context.Context, c *cobra.Command, kind string, f *generateFlags) error {
	if err := checkThreads(f.threads); err != nil {
		return err
	}
	bar := e.progress("generating")
	r, err := f.recipe(c, kind, func(done, total int64) { bar.set(done, total, "edges") })
	if err != nil {
		return err
	}
	size, err := r.Size()
	if err != nil {
		return err
	}
	from, to := int64(0), size.Edges
	if f.span != "" {
		if from, to, err = parseSpan(f.span, size.Edges); err != nil {
			return err
		}
	}
	merge, err := parseMerge(f.merge)
	if err != nil {
		return err
	}
	doc := record.Generate{Graph: kind, Vertices: size.Vertices, Edges: to - from, Weighted: f.weights != "", DryRun: f.dryRun}
	weight, list, numbered := graph.Unweighted, 8*(to-from), size.Vertices
	if f.weights != "" {
		weight, list = graph.Float32, 12*(to-from)
	}
	need := list
	if f.scale > gen.MaxScale {
		need, numbered = list+16*(to-from), 0 // ids of 64 bits first; those that occur are numbered
	}
	if f.dryRun {
		if f.asJSON {
			doc.Head = e.head(record.SchemaGenerate)
			return e.printJSON(doc)
		}
		_, err := fmt.Fprintf(e.stdout, "%s: %d vertices, %d edges\nin memory: %d bytes (%s)\nGraph500 tuple file: %d bytes (%s)\nas pairs of int64: %d bytes (%s)\n", kind,
			size.Vertices, to-from, need, humanize.IBytes(uint64(need)), 12*(to-from), humanize.IBytes(uint64(12*(to-from))),
			16*(to-from), humanize.IBytes(uint64(16*(to-from))))
		return err
	}
	if f.output == "" {
		return usagef("generate needs -o FILE, or --dry-run")
	}
	if err := checkOutput(f.output, f.format, f.weights, f.asJSON); err != nil {
		return err
	}
	so := graphio.SaveOptions{Format: f.format, Tuple: f.tuple, Threads: f.threads, Stdout: e.stdout}
	name := f.format
	if name == "" {
		name, _ = graphio.DetectName(f.output)
	}
	if name == "graph500" {
		so.WeightsPath = f.weights
	} else if f.weights != "" && f.weights != "yes" {
		return usagef("--weights %s: only a Graph500 tuple file has its weights in a file of its own; say --weights yes", f.weights)
	}
	if err := graphio.CheckSave(f.output, so); err != nil {
		return err
	}
	limit := int64(f.memory)
	change := f.dropLoops || merge != graph.KeepDuplicates
	if change || graphio.NeedsRows(f.output, so) {
		need = max(need, list+min(graph.BuildBytes(int(numbered), to-from, false, weight), math.MaxInt64-list))
	}
	if err := fits(fmt.Sprintf("a graph of %d vertices and %d edges", size.Vertices, to-from), need, limit); err != nil {
		return err
	}
	start := time.Now()
	edges, err := makeEdges(ctx, r, size, from, to, f.weights != "", graph.CompactOptions{Threads: f.threads, MemoryLimit: limit})
	if err != nil {
		return err
	}
	bar.done()
	took := time.Since(start).Seconds()
	doc.TimeS = &took
	var src graph.Source = edges
	if change {
		src, err = simplify(ctx, edges, f.dropLoops, merge, f.threads, limit)
		if err != nil {
			return err
		}
		doc.Edges = src.NumEdges()
	}
	so.MemoryLimit = limit
	wbar := e.progress("writing " + f.output)
	so.Progress = func(p graphio.Progress) { wbar.set(p.Done, p.Total, p.Unit) }
	rep, err := graphio.Save(ctx, f.output, src, so)
	wbar.done()
	if err != nil {
		return err
	}
	for _, n := range slices.Concat(rep.Losses, rep.Notes) {
		e.note("%s: %s", f.output, n)
	}
	doc.Outputs = append(doc.Outputs, record.Output{File: f.output, Format: rep.Format, Bytes: rep.Bytes})
	if f.asJSON {
		doc.Head = e.head(record.SchemaGenerate)
		return e.printJSON(doc)
	}
	if f.output == "-" || f.weights == "-" {
		return nil
	}
	rate := float64(to-from) / took / 1e6
	_, err = fmt.Fprintf(e.stdout, "%s: %d vertices, %d edges in %s (%.1f M edges/s)\n%s: %s, %s\n", kind, doc.Vertices, doc.Edges, seconds(took), rate,
		f.output, rep.Format, humanize.IBytes(uint64(rep.Bytes)))
	return err
}

// makeEdges makes the edges from to to-1. Ids of more than 32 bits are the labels of dense ones.
func makeEdges(ctx context.Context, r gen.Recipe, size gen.Size, from, to int64, weighted bool, o graph.CompactOptions) (list *graph.EdgeList, err error) {
	list = &graph.EdgeList{Vertices: int(size.Vertices)}
	var w []float32
	if weighted {
		w = make([]float32, to-from)
		list.Weights = graph.WeightsOf(w)
	}
	if kron, is := r.(gen.KroneckerOptions); is && kron.Scale > gen.MaxScale {
		wide := make([]graph.Pair64, to-from)
		if err := kron.FillWide(ctx, from, wide, w); err != nil {
			return nil, err
		}
		if list.Edges, list.Labels, err = graph.Compact(ctx, [][]graph.Pair64{wide}, o); err != nil {
			return nil, err
		}
		list.Vertices = list.Labels.Len()
		return list, nil
	}
	list.Edges = make([]graph.Edge, to-from)
	return list, r.Fill(ctx, from, list.Edges, w)
}

// parseSpan reads FROM:TO.
func parseSpan(s string, edges int64) (from, to int64, err error) {
	a, b, ok := strings.Cut(s, ":")
	from, err1 := strconv.ParseInt(a, 10, 64)
	to, err2 := strconv.ParseInt(b, 10, 64)
	if !ok || err1 != nil || err2 != nil || from < 0 || to < from || to > edges {
		return 0, 0, usagef("--range %q: want FROM:TO within 0:%d", s, edges)
	}
	return from, to, nil
}

var merges = map[string]graph.Duplicates{
	"": graph.KeepDuplicates, "first": graph.MergeFirst, "min": graph.MergeMin, "max": graph.MergeMax, "sum": graph.MergeSum,
}

func parseMerge(s string) (graph.Duplicates, error) {
	m, ok := merges[s]
	if !ok {
		return m, usagef("--merge-duplicates %q: want first, min, max or sum", s)
	}
	return m, nil
}

// simplify builds the graph without self-loops or with parallel edges merged.
func simplify(ctx context.Context, src graph.Source, dropLoops bool, merge graph.Duplicates, threads int, limit int64) (graph.Source, error) {
	o := graph.BuildOptions{Threads: threads, Duplicates: merge, MemoryLimit: limit}
	if dropLoops {
		o.Loops = graph.DropLoops
	}
	return graph.Build(ctx, src, o)
}
