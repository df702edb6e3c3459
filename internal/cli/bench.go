package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/gen"
	"github.com/totemgo/totemgo/graph/graphio"
	"github.com/totemgo/totemgo/graph500"
	"github.com/totemgo/totemgo/internal/ceiling"
	"github.com/totemgo/totemgo/kernels/cpu"
	"github.com/totemgo/totemgo/record"
)

func newBench(e *env) *cobra.Command {
	c := &cobra.Command{
		Use:   "bench",
		Short: "Time searches, and measure what the machine allows",
		Long: `bench bfs times searches of a graph, bench path paths between pairs of vertices; bench machine
measures the limits that bound them: bytes read in order, and words read at random.

  totemgo bench bfs --graph kron:20 --roots 64
  totemgo bench path --graph kron:20 --pairs 200
  totemgo bench machine -o rates.json`,
		Args: knownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newBenchBFS(e), newBenchPath(e), newBenchAllPairs(e), newBenchMachine(e), newBenchDevice(e), newBenchCheck(e))
	return c
}

type benchFlags struct {
	graph, seed     string
	roots, rounds   int
	asJSON, goBench bool
	tune, directors bool
	profile         bool // time devices' kernels
	kernels         bool // compare the sets
}

func newBenchBFS(e *env) *cobra.Command {
	var (
		ef engineFlags
		rf readFlags
		bf benchFlags
	)
	c := &cobra.Command{
		Use:   "bfs --graph GRAPH",
		Short: "Time searches of a graph from many roots",
		Long: `bench bfs times one search from each root, after one that is not timed. Roots are drawn
by Graph500's rule within the largest component. A search's time runs from the call
until the parent of every vertex, in the graph's own ids and with unreached vertices
marked, lies in memory. --kernels all compares auto and each set of kernels: in 9 rounds
or more they search in turn from the same roots; for each set it prints the median and
the quartiles, over the rounds, of the time over that of auto. GRAPH is kron:SCALE or
uniform:SCALE (both with 16 edges a vertex), grid:ROWSxCOLUMNS, chain:VERTICES or a file.

  totemgo bench bfs --graph kron:20 --roots 64 --json
  totemgo bench bfs --graph grid:2000x2000 --director top-down
  totemgo bench bfs --graph kron:20 --directors
  totemgo bench bfs --graph kron:20 --kernels all
  totemgo bench bfs --graph kron:18 --gobench --rounds 6 > new.txt`,
		Args: takes(),
		RunE: func(c *cobra.Command, _ []string) error { return e.benchBFS(c.Context(), &ef, &rf, &bf) },
	}
	ef.add(e, c, true)
	rf.add(c, "")
	bf.add(c)
	fl := c.Flags()
	fl.Lookup("kernels").Usage += "; all compares the sets"
	fl.IntVar(&bf.roots, "roots", 64, "number of roots")
	fl.IntVar(&bf.rounds, "rounds", 1, "times that all roots are searched; a root's time is the mean of its rounds")
	fl.BoolVar(&bf.tune, "tune", false, "search for better --tuning limits on this graph and machine, and print them")
	fl.BoolVar(&bf.directors, "directors", false, "compare the directors with an oracle: the best directions found for each root by trying both\nat each level")
	fl.BoolVar(&bf.profile, "profile", false, "clock each kernel of devices, in one more search a root that waits for each")
	fl.BoolVar(&bf.goBench, "gobench", false, "print a line for each round as Go benchmarks do, for benchstat")
	return c
}

// add adds the flags that bench bfs and bench path share.
func (f *benchFlags) add(c *cobra.Command) {
	fl := c.Flags()
	fl.StringVar(&f.graph, "graph", "", "`GRAPH` to search: kron:SCALE, uniform:SCALE, grid:RxC, chain:N or a file")
	fl.StringVar(&f.seed, "seed", "", "`A[,B]`: the seed of a generated graph")
	fl.BoolVar(&f.asJSON, "json", false, "print JSON")
}

// benchGraph makes or reads the graph.
func (e *env) benchGraph(ctx context.Context, bf *benchFlags, rf *readFlags, ef *engineFlags) (graph.Source, func() error, error) {
	kind, size, generated := strings.Cut(bf.graph, ":")
	a, b, err := parseSeeds(bf.seed, 1, 0)
	if kind == "kron" {
		a, b, err = parseSeeds(bf.seed, gen.DefaultSeed1, gen.DefaultSeed2)
	}
	if err != nil {
		return nil, nil, err
	}
	bar := e.progress("generating")
	defer bar.done()
	progress := func(done, total int64) { bar.set(done, total, "edges") }
	var r gen.Recipe
	num := func(s string) int64 {
		n, perr := strconv.ParseInt(s, 10, 64)
		if perr != nil {
			err = usagef("--graph %q: %q is no number", bf.graph, s)
		}
		return n
	}
	switch {
	case generated && kind == "kron":
		r = gen.KroneckerOptions{Scale: int(num(size)), Seed1: a, Seed2: b, Threads: ef.o.Threads, Progress: progress}
	case generated && kind == "uniform":
		scale := num(size)
		if err == nil && (scale < 1 || scale > gen.MaxScale) {
			err = usagef("--graph %q: scale %d is outside 1..%d", bf.graph, scale, gen.MaxScale)
		}
		if err != nil {
			return nil, nil, err
		}
		r = gen.UniformOptions{Vertices: 1 << scale, Edges: 16 << scale, Seed: a, Threads: ef.o.Threads, Progress: progress}
	case generated && kind == "grid":
		rows, columns, ok := strings.Cut(size, "x")
		if !ok {
			return nil, nil, usagef("--graph %q: want grid:ROWSxCOLUMNS", bf.graph)
		}
		r = gen.GridOptions{Rows: num(rows), Columns: num(columns), Threads: ef.o.Threads, Progress: progress}
	case generated && kind == "chain":
		r = gen.ShapeOptions{Shape: gen.Chain, Vertices: num(size), Threads: ef.o.Threads, Progress: progress}
	default:
		bar.done()
		file, err := rf.open(ctx, e, bf.graph, ef.o.Threads, ef.o.MemoryLimit)
		if err != nil {
			if errors.Is(err, os.ErrNotExist) && generated {
				err = fmt.Errorf("%w (generated graphs are kron:SCALE, uniform:SCALE, grid:ROWSxCOLUMNS, chain:VERTICES)", err)
			}
			return nil, nil, err
		}
		return file.Source, file.Close, nil
	}
	if err != nil {
		return nil, nil, err
	}
	made, err := r.Size()
	if err != nil {
		return nil, nil, err
	}
	if err := checkMemory(bf.graph, made, ef); err != nil {
		return nil, nil, err
	}
	list, err := gen.Make(ctx, r)
	return list, func() error { return nil }, err
}

func (e *env) benchBFS(ctx context.Context, ef *engineFlags, rf *readFlags, bf *benchFlags) error {
	if ef.o.Kernels == allKernels {
		ef.o.Kernels, bf.kernels = "auto", true
	}
	switch {
	case bf.graph == "":
		return usagef("--graph is missing: kron:20, say, or a file")
	case bf.roots < 1 || bf.rounds < 1:
		return usagef("--roots and --rounds are at least 1")
	case bf.directors && ef.o.Director != "auto":
		return usagef("--directors compares all of them: --director cannot stand beside it")
	case bf.kernels && (bf.tune || bf.goBench):
		return usagef("--kernels all stands beside neither --tune nor --gobench")
	case bf.directors && (bf.tune || bf.goBench):
		return usagef("--directors stands beside neither --tune nor --gobench")
	}
	if err := ef.check(); err != nil {
		return err
	}
	src, closeSource, err := e.benchGraph(ctx, bf, rf, ef)
	if err != nil {
		return err
	}
	defer closeSource()
	roots, err := benchRoots(ctx, src, bf.roots, ef.o.Threads)
	if err != nil {
		return err
	}
	counts, err := graph500.CountEdges(ctx, src, ef.o.Threads)
	if err != nil {
		return err
	}
	eng, err := e.newEngine(ctx, bf.graph, src, ef)
	if err != nil {
		return err
	}
	defer eng.Close()
	if bf.kernels && eng.Kernels() == "" {
		return usagef("--kernels all: --processors %s has no CPU, whose kernels they are", ef.processors)
	}
	labels := src.VertexLabels()
	clocked, counted := eng.NewResult(), eng.NewResult().Collect()
	defer clocked.Free()
	defer counted.Free()
	if err := eng.BFSInto(ctx, labels.Label(roots[0]), clocked); err != nil { // untimed
		return err
	}
	if bf.tune {
		return e.tune(ctx, eng, labels, roots, clocked, *ef.o.Tuning, bf.rounds)
	}
	doc := record.Bench{Graph: bf.graph, Threads: threadsOf(eng), Kernels: eng.Kernels(), Tuning: ef.tuning, Setup: eng.Setup()}
	times, searches := make([]float64, len(roots)), make([]float64, len(roots))
	edges := make([]int64, len(roots))
	bar := e.progress("searching")
	for round := range bf.rounds {
		sum := 0.0
		for i, root := range roots {
			if err := eng.BFSInto(ctx, labels.Label(root), clocked); err != nil {
				bar.done()
				return err
			}
			t := clocked.Time.Seconds()
			sum += t
			times[i] += t / float64(bf.rounds)
			searches[i] += clocked.SearchTime.Seconds() / float64(bf.rounds)
			if round == 0 {
				spec := int64(0)
				if edges[i], spec, err = counts.Of(clocked.Parents); err != nil {
					return err
				}
				doc.Searches = append(doc.Searches, record.Search{
					Root: labels.Label(root), NEdge: edges[i], NEdgeSpec: spec, Reached: clocked.NumReached, Depth: clocked.Depth,
				})
			}
			bar.set(int64(round*len(roots)+i+1), int64(bf.rounds*len(roots)), "searches")
		}
		if bf.goBench {
			e.print("BenchmarkBFS/graph=%s/placement=%s/processors=%s/director=%s\t%d\t%.0f ns/op\n", bf.graph, doc.Placement, ef.processors, doc.Director,
				len(roots), 1e9*sum/float64(len(roots)))
		}
	}
	bar.done()
	// One more search a root, not timed, counts what the levels read.
	var means graph500.LevelMeans
	var work workload
	var levels [][]record.Level // of each root
	for _, root := range roots {
		if err := eng.CountBFS(ctx, labels.Label(root), counted); err != nil {
			return err
		}
		list := counted.Statistics.All()
		levels = append(levels, list)
		means.Add(list)
		means.AddCounted(list)
		work.add(list, doc.Processors, int64(eng.NumVertices()), counted.NumReached)
	}
	if bf.profile {
		if err := e.profile(ctx, eng, labels.Label, roots, clocked); err != nil {
			return err
		}
	}
	doc.Processors = eng.Processors()
	if len(doc.Processors) == 1 && doc.Processors[0].Commands != nil {
		leastBytes(doc.Processors[0].Commands.Kernels, levels, float64(doc.Processors[0].Vertices))
	}
	doc.CountedOutsideClock = true
	doc.Levels = means.Levels()
	for i := range doc.Searches {
		doc.Searches[i].TimeS = times[i]
	}
	doc.Time, doc.TEPS = benchTimes(times, searches, edges)
	if doc.Roofline, err = work.roofline(ctx, len(roots), doc.Time.MeanS, int64(src.NumVertices()), ef.o.Threads); err != nil {
		return err
	}
	if bf.goBench {
		return nil
	}
	if bf.directors {
		if doc.Directors, err = e.directors(ctx, eng, labels.Label, roots, clocked, bf.rounds); err != nil {
			return err
		}
	}
	if bf.kernels {
		if doc.KernelSets, err = e.kernelSets(ctx, eng, labels.Label, roots, clocked, bf.rounds); err != nil {
			return err
		}
	}
	if bf.asJSON {
		return e.printDocument(&doc.Head, record.SchemaBench, &doc)
	}
	e.print("%s, %d roots, %s, %s, director %s, kernels %s", bf.graph, len(roots), ef.processors, doc.Placement, doc.Director, doc.Kernels)
	if doc.Share != "" {
		e.print(", --share %s", doc.Share)
	}
	if doc.Tuning != "" {
		e.print(", tuning %s", doc.Tuning)
	}
	fmt.Fprintln(e.stdout)
	e.print("time: mean %s, median %s, least %s, most %s (supersteps %s, parents %s)\n", seconds(doc.Time.MeanS), seconds(doc.Time.MedianS),
		seconds(doc.Time.MinS), seconds(doc.Time.MaxS), seconds(*doc.Time.SearchMeanS), seconds(*doc.Time.MapMeanS))
	if doc.TEPS != nil {
		e.print("TEPS: harmonic mean %.4g\n", doc.TEPS.HarmonicMean)
	}
	e.print("roofline: %.2f of what the machine allows (%.3g bytes in order at %.3g/s, %.3g random reads at %.3g/s)\n\n", doc.Roofline.Fraction,
		doc.Roofline.BytesStreamed, doc.Roofline.SequentialRate, doc.Roofline.RandomAccesses, doc.Roofline.RandomRate)
	if bf.directors {
		if err := e.printDirectors(doc.Directors); err != nil {
			return err
		}
		fmt.Fprintln(e.stdout)
	}
	if bf.kernels {
		if err := e.printKernelSets(doc.KernelSets); err != nil {
			return err
		}
		fmt.Fprintln(e.stdout)
	}
	if bf.profile {
		if err := e.printCommands(doc.Processors); err != nil {
			return err
		}
	}
	return e.printLevels(doc.Levels)
}

// tuneGain is the least part of the time that a limit must save to be taken: less is
// the machine's noise.
const tuneGain = 0.02

// tune changes one limit after the other, and takes what makes searches faster. Tunings
// are compared in turn, by the least of their rounds.
func (e *env) tune(ctx context.Context, eng *engine.Engine, labels *graph.Labels, roots []uint32, r *engine.BFSResult, start cpu.Tuning, rounds int) error {
	bar := e.progress("tuning")
	defer bar.done()
	// measure returns the mean time of a search with each of the tunings.
	measure := func(list []cpu.Tuning) ([]float64, error) {
		least := make([]float64, len(list))
		for k := range 2 + rounds {
			for i, t := range list {
				if err := eng.Tune(ctx, t); err != nil {
					return nil, err
				}
				sum := 0.0
				for _, root := range roots {
					if err := eng.BFSInto(ctx, labels.Label(root), r); err != nil {
						return nil, err
					}
					sum += r.Time.Seconds()
				}
				if mean := sum / float64(len(roots)); k == 0 || mean < least[i] {
					least[i] = mean
				}
			}
		}
		return least, nil
	}
	best := start
	for limit := range cpu.Limits {
		bar.set(int64(limit), cpu.Limits, "limits")
		list := append([]cpu.Tuning{best}, best.Variations(limit)...)
		times, err := measure(list)
		if err != nil {
			return err
		}
		for i, t := range times {
			if t < times[0]*(1-tuneGain) && t == slices.Min(times) {
				best = list[i]
			}
		}
	}
	times, err := measure([]cpu.Tuning{start, best})
	if err != nil {
		return err
	}
	bar.done()
	if best == start || times[1] >= times[0] {
		e.print("no better limits than --tuning %s: mean %s\n", start, seconds(times[0]))
		return nil
	}
	e.print("--tuning %s\nmean %s, with %s before\n", best, seconds(times[1]), seconds(times[0]))
	return nil
}

// threadsOf is the number of threads of an engine's CPU processors.
func threadsOf(eng *engine.Engine) int {
	n := 0
	for _, p := range eng.Processors() {
		n += p.Threads
	}
	return n
}

// benchRoots draws roots by Graph500's rule within the largest component.
func benchRoots(ctx context.Context, src graph.Source, want, threads int) ([]uint32, error) {
	_, _, comp, err := graph.Components(ctx, src, threads)
	if err != nil {
		return nil, err
	}
	size := make([]uint32, len(comp))
	best := uint32(0)
	for _, c := range comp {
		if size[c]++; size[c] > size[best] || size[c] == size[best] && c < best {
			best = c
		}
	}
	roots, err := gen.Roots(ctx, gen.RootOptions{Vertices: int64(len(comp)), Count: want}, func(v uint32) bool { return comp[v] == best })
	if err == nil && len(roots) == 0 {
		err = graph500.ErrNoRoots
	}
	return roots, err
}

func benchTimes(times, searches []float64, edges []int64) (record.BenchTime, *record.BenchTEPS) {
	took, search := graph500.Summarize(times), graph500.Summarize(searches).Mean
	mapping := took.Mean - search
	t := record.BenchTime{
		MeanS: took.Mean, MedianS: took.Median, MinS: took.Min, MaxS: took.Max, SearchMeanS: &search, MapMeanS: &mapping,
	}
	var perEdge []float64
	for i, x := range times {
		if edges[i] > 0 {
			perEdge = append(perEdge, x/float64(edges[i]))
		}
	}
	if len(perEdge) == 0 {
		return t, nil
	}
	return t, &record.BenchTEPS{HarmonicMean: 1 / graph500.Summarize(perEdge).Mean}
}

// workload counts, over searches, what their algorithm has to read.
type workload struct{ streamed, bits, random float64 }

// add counts one search of a graph of n vertices. A top-down step streams its arcs and reads
// a bit of seen at random for each. A bottom-up step streams three bitmaps and, for each
// unvisited vertex, its first neighbour and that one's id; it reads a bit of the frontier at
// random for every entry that it examines. The result streams the ranks and the parents of
// all vertices, and reads the parent of each reached one at random.
func (w *workload) add(levels []record.Level, procs []record.Processor, n, reached int64) {
	ranks := 0.0
	for _, p := range procs {
		ranks += float64(p.Vertices)
	}
	visited := 1.0
	for _, l := range levels {
		examined := 0.0
		if l.EdgesExamined != nil {
			examined = *l.EdgesExamined
		}
		w.bits += examined
		if l.Direction == record.TopDown {
			w.streamed += 4 * examined
		} else {
			w.streamed += 3*ranks/8 + 8*max(0, ranks-visited)
		}
		visited += l.Frontier
	}
	w.streamed += 8 * float64(n)
	w.random += float64(reached)
}

// roofline compares a search's mean time with the least that the machine's ceilings,
// measured now on the same threads at the sizes of an array and of a bitmap by vertex, allow.
func (w *workload) roofline(ctx context.Context, searches int, mean float64, vertices int64, threads int) (*record.Roofline, error) {
	var rates [3]ceiling.Rates
	// Streams run over arrays larger than a working set of one array.
	for i, bytes := range []int64{4 * vertices, max(1, vertices/8), max(4*vertices, 64<<20)} {
		var err error
		if rates[i], err = ceiling.Measure(ctx, bytes, threads); err != nil {
			return nil, err
		}
	}
	n := float64(searches)
	f := &record.Roofline{
		BytesStreamed: w.streamed / n, RandomAccesses: (w.bits + w.random) / n, BitmapReads: w.bits / n,
		SequentialRate: rates[2].Sequential, RandomRate: rates[0].Random, BitmapRate: rates[1].Random,
	}
	f.Fraction = (f.BytesStreamed/f.SequentialRate + f.BitmapReads/f.BitmapRate + (f.RandomAccesses-f.BitmapReads)/f.RandomRate) / mean
	return f, nil
}

func newBenchMachine(e *env) *cobra.Command {
	var (
		output  string
		list    string
		threads int
		scale   int
		most    bytesFlag = 1 << 28
		asJSON  bool
	)
	c := &cobra.Command{
		Use:   "machine",
		Short: "Measure the machine's ceilings, reads in order and at random, and its kernels",
		Long: `bench machine measures how many bytes a second the machine reads in order, and how many
words at random, alone and many in flight, by the size of the working set, on one thread
and on all. The file's costs are those that --director auto predicts from. The CPU's inner
loops of each set that runs here are measured on a graph of Graph500's of scale 17, one
by one: nanoseconds for a vertex, or an entry of a row, and the set that auto takes. A loop of
additions and minima in registers alone bounds apsp. With
--processors each processor of the list also searches a graph of Graph500's alone: default
shares follow from the speeds (--rates FILE).

  totemgo bench machine
  totemgo bench machine -o rates.json --largest 1GiB
  totemgo bench machine -o rates.json --processors cpu,opencl:0`,
		Args: takes(),
		RunE: func(c *cobra.Command, _ []string) error {
			doc := record.BenchMachine{}
			if err := checkThreads(threads); err != nil {
				return err
			}
			if list != "" {
				var err error
				if doc.Speeds, err = e.speeds(c.Context(), list, scale, threads); err != nil {
					return err
				}
			}
			for bytes := int64(1 << 15); bytes <= int64(most); bytes *= 8 {
				for _, t := range []int{1, threads} {
					if t == 1 && threads == 1 && len(doc.Ceilings) > 0 && doc.Ceilings[len(doc.Ceilings)-1].WorkingSetBytes == bytes {
						continue
					}
					r, err := ceiling.Measure(c.Context(), bytes, t)
					if err != nil {
						return err
					}
					doc.Ceilings = append(doc.Ceilings, record.Ceiling{
						WorkingSetBytes: r.Bytes, Threads: r.Threads, SequentialBytesPerS: r.Sequential, RandomReadsPerS: r.Random, DependentReadsPerS: r.Dependent,
					})
				}
			}
			last := doc.Ceilings[len(doc.Ceilings)-1]
			perRead := 1e9 / last.RandomReadsPerS
			doc.Rates = record.Rates{
				ClaimNS: 2 * perRead, VisitNS: perRead + 4e9/last.SequentialBytesPerS, ProbeNS: perRead, WordNS: 24e9 / last.SequentialBytesPerS, StepNS: 3000,
			}
			var err error
			if doc.Kernels, err = kernelTimes(c.Context(), threads); err != nil {
				return err
			}
			if doc.MinPlus, err = minPlusRates(c.Context(), threads); err != nil {
				return err
			}
			doc.Head = e.head(record.SchemaBenchMachine)
			if output != "" {
				file := *e
				err := e.writeFile(c.Context(), output, func(w *bufio.Writer) error {
					file.stdout = w
					return file.printJSON(doc)
				})
				if err != nil || output == "-" {
					return err
				}
			}
			if asJSON {
				return e.printJSON(doc)
			}
			w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
			fmt.Fprintln(w, "working set\tthreads\tin order GB/s\tat random M/s\tdependent M/s\t")
			for _, r := range doc.Ceilings {
				fmt.Fprintf(w, "%s\t%d\t%.1f\t%.1f\t%.1f\t\n", sizeString(r.WorkingSetBytes), r.Threads, r.SequentialBytesPerS/1e9, r.RandomReadsPerS/1e6, r.DependentReadsPerS/1e6)
			}
			if err := w.Flush(); err != nil {
				return err
			}
			for _, s := range doc.Speeds {
				threads := ""
				if s.Threads > 0 {
					threads = singular(fmt.Sprintf(" on %d threads", s.Threads))
				}
				e.print("%s%s: %.4g edges/s\n", s.Processor, threads, s.EdgesPerS)
			}
			fmt.Fprintln(e.stdout)
			for _, r := range doc.MinPlus {
				e.print("min-plus in registers, %s, %s, %d threads: %.1f Gop/s\n", r.Type, r.Kernels, r.Threads, r.GopS)
			}
			fmt.Fprintln(e.stdout)
			return e.printKernelTimes(doc.Kernels)
		},
	}
	fl := c.Flags()
	fl.StringVarP(&output, "output", "o", "", "write the figures to `FILE` (- for standard output), for --rates")
	fl.StringVar(&list, "processors", "", "`LIST` of processors whose speed to measure: cpu, cpu:THREADS, opencl:N, cuda:N")
	fl.IntVar(&scale, "scale", 18, "binary logarithm of the vertices of the graph that they search")
	fl.IntVar(&threads, "threads", 0, "most threads (default all cores)")
	fl.Var(&most, "largest", "the largest working set")
	fl.BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// speedRoots is the number of searches that a speed is measured over.
const speedRoots = 16

// speeds lets each processor of a list search a graph of Graph500's alone.
func (e *env) speeds(ctx context.Context, list string, scale, threads int) (speeds []record.Speed, err error) {
	o := engine.Options{Threads: threads, Drivers: e.drivers}
	procs, err := engine.ParseProcessors(list)
	if err == nil {
		o.Processors = procs
		err = o.Check()
	}
	if err != nil {
		return nil, err
	}
	bar := e.progress("searching")
	defer bar.done()
	g, err := gen.Make(ctx, gen.KroneckerOptions{Scale: scale, Threads: threads})
	if err != nil {
		return nil, err
	}
	roots, err := benchRoots(ctx, g, speedRoots, threads)
	if err != nil {
		return nil, err
	}
	counts, err := graph500.CountEdges(ctx, g, threads)
	if err != nil {
		return nil, err
	}
	for i, p := range procs {
		bar.set(int64(i), int64(len(procs)), "processors")
		s := record.Speed{Processor: p.String()}
		if p.Kind == engine.CPU {
			s.Processor = p.Kind.String()
		}
		if slices.ContainsFunc(speeds, func(x record.Speed) bool { return x.Processor == s.Processor }) {
			continue
		}
		o.Processors = procs[i : i+1]
		if s.Threads, s.EdgesPerS, err = speed(ctx, g, o, roots, counts); err != nil {
			return nil, err
		}
		speeds = append(speeds, s)
	}
	return speeds, nil
}

// speed returns an engine's threads, and the edges a second of its searches.
func speed(ctx context.Context, g graph.Source, o engine.Options, roots []uint32, counts *graph500.EdgeCounts) (int, float64, error) {
	eng, err := engine.New(ctx, g, o)
	if err != nil {
		return 0, 0, err
	}
	defer eng.Close()
	r := eng.NewResult()
	defer r.Free()
	times, edges := make([]float64, len(roots)), make([]int64, len(roots))
	for round := range 2 { // the first is not timed
		for i, root := range roots {
			if err := eng.BFSInto(ctx, uint64(root), r); err != nil {
				return 0, 0, err
			}
			if times[i] = r.Time.Seconds(); round > 0 {
				continue
			}
			if edges[i], _, err = counts.Of(r.Parents); err != nil {
				return 0, 0, err
			}
		}
	}
	_, teps := benchTimes(times, times, edges)
	if teps == nil {
		return 0, 0, graph500.ErrNoRoots
	}
	return threadsOf(eng), teps.HarmonicMean, nil
}

// readRates reads the costs and the speeds out of a file that bench machine wrote.
func readRates(ctx context.Context, path string) (bsp.Rates, []record.Speed, error) {
	in, err := openInput(ctx, path)
	if err != nil {
		return bsp.Rates{}, nil, err
	}
	defer in.Close()
	data, err := io.ReadAll(in)
	if err != nil {
		return bsp.Rates{}, nil, err
	}
	var doc record.BenchMachine
	if err := json.Unmarshal(data, &doc); err != nil || doc.Schema != record.SchemaBenchMachine {
		return bsp.Rates{}, nil, &graphio.Error{File: path, Found: "no rates", Want: "a file that totemgo bench machine -o wrote", Err: graphio.ErrFormat}
	}
	return bsp.Rates(doc.Rates), doc.Speeds, nil
}
