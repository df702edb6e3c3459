package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/gen"
	"github.com/totemgo/totemgo/record"
)

// generators are the kinds of graphs that generate makes.
var generators = []string{"kron", "rmat", "uniform", "grid", "density", "chain", "star", "complete"}

// shapeFlags are the flags that say what a kind of graph is like; the first of them must be given.
var shapeFlags = map[string]struct {
	needs int
	flags []string
}{
	"kron":     {1, []string{"scale", "edgefactor"}},
	"rmat":     {1, []string{"scale", "edgefactor", "edges", "a", "b", "c", "d"}},
	"uniform":  {0, []string{"scale", "vertices", "edgefactor", "edges"}}, // one of the first two
	"grid":     {2, []string{"rows", "columns"}},
	"density":  {2, []string{"vertices", "density", "largest-degree"}},
	"chain":    {1, []string{"vertices"}},
	"star":     {1, []string{"vertices"}},
	"complete": {1, []string{"vertices"}},
}

type generateFlags struct {
	saveFlags
	scale, edgefactor int
	vertices, edges   int64
	seed              string
	rows, columns     int64
	density, largest  float64
	a, b, c, d        float64
	span, output      string
	dryRun            bool
}

const generateHelp = `generate makes a graph and writes it to a file. The format is --format, or that of
the file's name. Tuples go into a Graph500 file as they are made; any other format gets
the undirected graph, with self-loops and duplicates unless options drop them. The same
seed gives the same graph for any number of threads.

  totemgo generate kron --scale 20 -o k20.tgr
  totemgo generate kron --scale 16 --format graph500 -o k16.edges --weights k16.weights
  totemgo generate rmat --scale 26 --edgefactor 48 --dry-run
  totemgo generate uniform --vertices 1000000 --edges 16000000 -o u.el
  totemgo generate grid --rows 2000 --columns 2000 -o grid.graph
  totemgo generate density --vertices 10240 --density 0.25 --largest-degree 40 -o dense.tgr`

// generate prepares "totemgo generate".
func generate(e *env, c *cobra.Command) runner {
	var f generateFlags
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
	fl.StringVar(&f.span, "range", "", "`FROM:TO`: make only the edges FROM to TO-1")
	fl.StringVarP(&f.output, "output", "o", "", "`FILE` to write (- for standard output)")
	f.add(e, c, "make weights; `FILE` takes those of a Graph500 tuple file,\nother formats hold them: --weights yes")
	fl.IntVar(&f.o.Tuple, "tuple", 0, "bytes of a Graph500 tuple, 12 or 16 (default 12)")
	fl.BoolVar(&f.dryRun, "dry-run", false, "print sizes and bytes, and make nothing")
	c.ValidArgs = generators
	c.Args = func(c *cobra.Command, args []string) error {
		if err := takes("KIND")(c, args); err != nil {
			return fmt.Errorf("%w; kinds are %s", err, strings.Join(generators, ", "))
		}
		if !slices.Contains(generators, args[0]) {
			return usagef("unknown kind of graph %q; known are %s", args[0], strings.Join(generators, ", "))
		}
		return nil
	}
	return func(ctx context.Context, args []string) error { return e.generate(ctx, c, args[0], &f) }
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

// checkShape refuses flags that the kind of graph has no use for, and those that say
// the same thing twice.
func (f *generateFlags) checkShape(c *cobra.Command, kind string) error {
	given, shape := c.Flags().Changed, shapeFlags[kind]
	for _, k := range generators {
		for _, n := range shapeFlags[k].flags {
			if given(n) && !slices.Contains(shape.flags, n) {
				return usagef("generate %s has no use for --%s; it takes --%s", kind, n, strings.Join(shape.flags, ", --"))
			}
		}
	}
	for _, pair := range [][2]string{{"scale", "vertices"}, {"edgefactor", "edges"}} {
		if given(pair[0]) && given(pair[1]) {
			return usagef("--%s and --%s exclude each other", pair[0], pair[1])
		}
	}
	needs := shape.flags[:shape.needs]
	if kind == "uniform" && !given("scale") {
		needs = []string{"vertices"}
	}
	switch {
	case f.edgefactor < 1 || f.edgefactor > gen.MaxEdgeFactor:
		return usagef("--edgefactor %d is outside 1..%d", f.edgefactor, gen.MaxEdgeFactor)
	case kind != "kron" && given("scale") && (f.scale < gen.MinScale || f.scale > gen.MaxScale):
		return usagef("--scale %d is outside %d..%d", f.scale, gen.MinScale, gen.MaxScale)
	case kind == "rmat" && given("edges") && f.edges < 1:
		return usagef("--edges %d: want 1 or more", f.edges)
	case kind != "kron" && strings.Contains(f.seed, ","):
		return usagef("--seed %q: generate %s takes one number", f.seed, kind)
	case slices.ContainsFunc(needs, func(n string) bool { return !given(n) }):
		return usagef("generate %s needs --%s", kind, strings.Join(needs, " and --"))
	case kind == "kron" && (f.scale < gen.MinScale || f.scale > gen.MaxKroneckerScale || f.scale > gen.MaxScale && f.span == "" && !f.dryRun):
		// Ids of more than 32 bits are made by parts only.
		return usagef("--scale %d: want %d..%d, or up to %d with --range or --dry-run", f.scale, gen.MinScale, gen.MaxScale, gen.MaxKroneckerScale)
	}
	return nil
}

// recipe turns the flags into a recipe, with its size. given tells which flags were.
func (f *generateFlags) recipe(kind string, given func(flag string) bool, threads int, progress func(done, total int64)) (r gen.Recipe, size gen.Size, err error) {
	a, b, err := parseSeeds(f.seed, 1, 0)
	if kind == "kron" {
		a, b, err = parseSeeds(f.seed, gen.DefaultSeed1, gen.DefaultSeed2)
	}
	if err != nil {
		return nil, size, err
	}
	n, m, weights := f.vertices, f.edges, f.o.WeightsPath != ""
	if kind == "rmat" || kind == "uniform" {
		if given("scale") {
			n = 1 << f.scale
		}
		if !given("edges") {
			m = n * int64(f.edgefactor)
		}
	}
	switch kind {
	case "kron":
		r = gen.KroneckerOptions{Scale: f.scale, EdgeFactor: f.edgefactor, Seed1: a, Seed2: b, Threads: threads, Weights: weights, Progress: progress}
	case "rmat":
		r = gen.RMATOptions{Scale: f.scale, Edges: m, A: f.a, B: f.b, C: f.c, D: f.d, Seed: a, Threads: threads, Weights: weights, Progress: progress}
	case "uniform":
		r = gen.UniformOptions{Vertices: n, Edges: m, Seed: a, Threads: threads, Weights: weights, Progress: progress}
	case "density":
		r = gen.DensityOptions{Vertices: n, Density: f.density, LargestDegree: f.largest, Seed: a, Threads: threads, Weights: weights, Progress: progress}
	case "grid":
		r = gen.GridOptions{Rows: f.rows, Columns: f.columns, Seed: a, Threads: threads, Weights: weights, Progress: progress}
	default:
		shape := map[string]gen.Shape{"chain": gen.Chain, "star": gen.Star, "complete": gen.Complete}[kind]
		r = gen.ShapeOptions{Shape: shape, Vertices: n, Seed: a, Threads: threads, Weights: weights, Progress: progress}
	}
	size, err = r.Size()
	return r, size, err
}

func (e *env) generate(ctx context.Context, c *cobra.Command, kind string, f *generateFlags) error {
	if err := f.checkShape(c, kind); err != nil {
		return err
	}
	r, size, err := f.recipe(kind, c.Flags().Changed, e.threads, e.progress("generating").of("edges"))
	if err != nil {
		return err
	}
	from, to := int64(0), size.Edges
	if f.span != "" {
		ok := false
		if from, to, ok = parseSpan(f.span, ":"); !ok || from < 0 || to > size.Edges {
			return usagef("--range %q: want FROM:TO within 0:%d", f.span, size.Edges)
		}
	}
	doc := record.Generate{Graph: kind, Vertices: size.Vertices, Edges: to - from, Weighted: f.o.WeightsPath != "", DryRun: f.dryRun}
	weight, list, numbered := graph.Unweighted, 8*doc.Edges, size.Vertices
	if doc.Weighted {
		weight, list = graph.Float32, 12*doc.Edges
	}
	need := list
	if f.scale > gen.MaxScale {
		need, numbered = list+16*doc.Edges, 0 // ids of 64 bits first; those that occur are numbered
	}
	if f.dryRun {
		return e.show(record.SchemaGenerate, &doc, func() {
			e.print("%s: %d vertices, %d edges\n", kind, size.Vertices, doc.Edges)
			fmt.Fprintf(e.stdout, "in memory: %d bytes (%s)\n", need, sizeString(need))
			fmt.Fprintf(e.stdout, "Graph500 tuple file: %d bytes (%s)\n", 12*doc.Edges, sizeString(12*doc.Edges))
			fmt.Fprintf(e.stdout, "as pairs of int64: %d bytes (%s)\n", 16*doc.Edges, sizeString(16*doc.Edges))
		})
	}
	if f.output == "" {
		return usagef("generate needs -o FILE, or --dry-run")
	}
	if err := f.check(e, f.output, true); err != nil {
		return err
	}
	need = max(need, f.need(f.output, numbered, doc.Edges, list, false, weight))
	if err := fits(fmt.Sprintf("a graph of %d vertices and %d edges", size.Vertices, doc.Edges), need, f.o.MemoryLimit); err != nil {
		return err
	}
	start := time.Now()
	edges, err := makeEdges(ctx, r, size, from, to, doc.Weighted, graph.CompactOptions{Threads: e.threads, MemoryLimit: f.o.MemoryLimit})
	if err != nil {
		return err
	}
	took := time.Since(start).Seconds()
	doc.TimeS = &took
	src, err := f.simplify(ctx, edges)
	if err != nil {
		return err
	}
	doc.Edges = src.NumEdges()
	rep, err := e.save(ctx, f.output, src, f.o)
	if err != nil {
		return err
	}
	doc.Outputs = append(doc.Outputs, record.Output{File: f.output, Format: rep.Format, Bytes: rep.Bytes})
	return e.show(record.SchemaGenerate, &doc, func() {
		if f.output != "-" && f.o.WeightsPath != "-" {
			rate := ""
			if x := float64(to-from) / took; x >= 1e5 {
				rate = fmt.Sprintf(" (%.1f M edges/s)", x/1e6)
			}
			e.print("%s: %d vertices, %d edges in %s%s\n%s: %s, %s\n", kind, doc.Vertices, doc.Edges, seconds(took), rate, f.output, rep.Format, sizeString(rep.Bytes))
		}
	})
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

// parseSpan reads two whole numbers around a separator; ok tells that the second is not below the first.
func parseSpan(s, separator string) (from, to int64, ok bool) {
	a, b, two := strings.Cut(s, separator)
	from, err1 := strconv.ParseInt(a, 10, 64)
	to, err2 := strconv.ParseInt(b, 10, 64)
	return from, to, two && err1 == nil && err2 == nil && from <= to
}
