package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"

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

const benchHelp = `bench bfs times searches of a graph, bench path paths between pairs of vertices; bench machine
measures the limits that bound them: bytes read in order, and words read at random.

  totemgo bench bfs --graph kron:20 --roots 64
  totemgo bench path --graph kron:20 --pairs 200
  totemgo bench machine -o rates.json`

// benchCommands are those of bench.
var benchCommands = []commandRow{
	{use: "bfs --graph GRAPH", short: "Time searches of a graph from many roots", long: benchBFSHelp, prepare: benchBFS},
	{use: "path --graph GRAPH", short: "Time paths between pairs of vertices", long: benchPathHelp, prepare: benchPath},
	{use: "apsp", short: "Time the distances between all pairs", long: benchAllPairsHelp, prepare: benchAllPairs},
	{use: "machine", short: "Measure the machine's ceilings, reads in order and at random, and its kernels", long: benchMachineHelp, prepare: benchMachine},
	{use: "device NAME | device --predict CARD", short: "Measure a device: memory, atomics, transfers, the latency of commands", long: benchDeviceHelp, prepare: benchDevice},
	{use: "check FILE", short: "Print the tables of a file that scripts/gpu-check.sh wrote", long: benchCheckHelp, prepare: benchCheck},
}

type benchFlags struct {
	engine          engineFlags
	read            readFlags
	graph, seed     string
	roots, rounds   int
	goBench         bool
	tune, directors bool
	profile         bool // time devices' kernels
	kernels         bool // compare the sets
}

const benchBFSHelp = `bench bfs times one search from each root, after one that is not timed. Roots are drawn
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
  totemgo bench bfs --graph kron:18 --gobench --rounds 6 > new.txt`

// benchBFS prepares "totemgo bench bfs".
func benchBFS(e *env, c *cobra.Command) runner {
	var bf benchFlags
	bf.add(e, c)
	fl := c.Flags()
	fl.Lookup("kernels").Usage += "; all compares the sets"
	fl.IntVar(&bf.roots, "roots", 64, "number of roots")
	fl.IntVar(&bf.rounds, "rounds", 1, "times that all roots are searched; a root's time is the mean of its rounds")
	atLeast(c, "1 or more", "roots", "rounds")
	fl.BoolVar(&bf.tune, "tune", false, "search for better --tuning limits on this graph and machine, and print them")
	fl.BoolVar(&bf.directors, "directors", false, "compare the directors with an oracle: the best directions found for each root by trying both\nat each level")
	fl.BoolVar(&bf.profile, "profile", false, "clock each kernel of devices, in one more search a root that waits for each")
	fl.BoolVar(&bf.goBench, "gobench", false, "print a line for each round as Go benchmarks do, for benchstat")
	return func(ctx context.Context, _ []string) error { return e.benchBFS(ctx, &bf) }
}

// add adds the flags that bench bfs and bench path share.
func (f *benchFlags) add(e *env, c *cobra.Command) {
	f.engine.add(e, c, true)
	f.read.add(c, "")
	fl := c.Flags()
	fl.StringVar(&f.graph, "graph", "", "`GRAPH` to search: kron:SCALE, uniform:SCALE, grid:RxC, chain:N or a file")
	fl.StringVar(&f.seed, "seed", "", "`A[,B]`: the seed of a generated graph")
	e.jsonFlag(c)
}

// benchGraph makes or reads the graph.
func (e *env) benchGraph(ctx context.Context, bf *benchFlags) (*graphio.File, error) {
	if bf.graph == "" {
		return nil, usagef("--graph is missing: kron:20, say, or a file")
	}
	kind, size, generated := strings.Cut(bf.graph, ":")
	f, scale := generateFlags{edgefactor: gen.DefaultEdgeFactor, seed: bf.seed}, int64(0)
	into := map[string][]*int64{"kron": {&scale}, "uniform": {&scale}, "grid": {&f.rows, &f.columns}, "chain": {&f.vertices}}[kind]
	if !generated || into == nil {
		file, err := bf.read.open(ctx, e, bf.graph, bf.engine.o.Threads, bf.engine.o.MemoryLimit)
		if errors.Is(err, os.ErrNotExist) {
			err = fmt.Errorf("%w (generated graphs are kron:SCALE, uniform:SCALE, grid:ROWSxCOLUMNS, chain:VERTICES)", err)
		}
		return file, err
	}
	sizes := strings.SplitN(size, "x", len(into))
	if len(sizes) != len(into) {
		return nil, usagef("--graph %q: want grid:ROWSxCOLUMNS", bf.graph)
	}
	for i, text := range sizes {
		var err error
		if *into[i], err = strconv.ParseInt(text, 10, 64); err != nil {
			return nil, usagef("--graph %q: %q is no number", bf.graph, text)
		}
	}
	if f.scale = int(scale); kind == "uniform" && (f.scale < gen.MinScale || f.scale > gen.MaxScale) {
		return nil, usagef("--graph %q: scale %d is outside %d..%d", bf.graph, f.scale, gen.MinScale, gen.MaxScale)
	}
	r, made, err := f.recipe(kind, func(flag string) bool { return flag == "scale" }, bf.engine.o.Threads, e.progress("generating").of("edges"))
	if err == nil {
		err = checkMemory(bf.graph, made, &bf.engine)
	}
	if err != nil {
		return nil, err
	}
	list, err := gen.Make(ctx, r)
	return &graphio.File{Source: list}, err
}

// searching is an engine with a graph, and the roots to search it from.
type searching struct {
	src    graph.Source
	counts *graph500.EdgeCounts
	roots  []uint64 // ids of the file
	eng    *engine.Engine
	r      *engine.BFSResult // of the last search
	close  []func()
}

// open makes or reads the graph, draws roots and places it. The caller calls Close, whatever it returns.
func (s *searching) open(ctx context.Context, e *env, bf *benchFlags) error {
	file, err := e.benchGraph(ctx, bf)
	if err != nil {
		return err
	}
	s.close = append(s.close, func() { _ = file.Close() })
	if err := s.draw(ctx, file.Source, bf.roots, bf.engine.o.Threads); err != nil {
		return err
	}
	eng, err := e.newEngine(ctx, bf.graph, file.Source, &bf.engine)
	if err != nil {
		return err
	}
	s.use(eng)
	return nil
}

// use searches with an engine from now on, which Close closes.
func (s *searching) use(eng *engine.Engine) {
	s.eng, s.r = eng, eng.NewResult()
	s.close = append(s.close, func() { _ = eng.Close() }, s.r.Free)
}

// Close frees what was opened.
func (s *searching) Close() {
	for _, f := range slices.Backward(s.close) {
		f()
	}
	s.close = nil
}

// draw draws roots by Graph500's rule within the largest component.
func (s *searching) draw(ctx context.Context, src graph.Source, want, threads int) error {
	_, _, comp, err := graph.Components(ctx, src, threads)
	if err != nil {
		return err
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
	for _, v := range roots {
		s.roots = append(s.roots, src.VertexLabels().Label(v))
	}
	if err == nil {
		s.src = src
		s.counts, err = graph500.CountEdges(ctx, src, threads)
	}
	return err
}

// each searches from the roots one after the other.
func (s *searching) each(ctx context.Context) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i, root := range s.roots {
			if err := s.eng.BFSInto(ctx, root, s.r); !yield(i, err) || err != nil {
				return
			}
		}
	}
}

// inTurn returns, for each of n settings, the mean time of a search in each of so many rounds, in which the settings take turns.
func (s *searching) inTurn(ctx context.Context, bar *bar, rounds, n int, set func(k int) error) ([][]float64, error) {
	means := make([][]float64, n)
	for round := range rounds {
		bar.set(int64(round), int64(rounds), "rounds")
		for k := range means {
			if err := set(k); err != nil {
				return nil, err
			}
			sum := 0.0
			for _, err := range s.each(ctx) {
				if err != nil {
					return nil, err
				}
				sum += s.r.Time.Seconds()
			}
			means[k] = append(means[k], sum/float64(len(s.roots)))
		}
	}
	return means, nil
}

func (e *env) benchBFS(ctx context.Context, bf *benchFlags) error {
	if bf.engine.o.Kernels == allKernels {
		bf.engine.o.Kernels, bf.kernels = "auto", true
	}
	switch {
	case bf.directors && bf.engine.o.Director != "auto":
		return usagef("--directors compares all of them: --director cannot stand beside it")
	case bf.kernels && (bf.tune || bf.goBench):
		return usagef("--kernels all stands beside neither --tune nor --gobench")
	case bf.directors && (bf.tune || bf.goBench):
		return usagef("--directors stands beside neither --tune nor --gobench")
	}
	if err := bf.engine.check(); err != nil {
		return err
	}
	s := &searching{}
	defer s.Close()
	if err := s.open(ctx, e, bf); err != nil {
		return err
	}
	eng := s.eng
	if bf.kernels && eng.Kernels() == "" {
		return usagef("--kernels all: --processors %s has no CPU, whose kernels they are", bf.engine.processors)
	}
	if err := eng.BFSInto(ctx, s.roots[0], s.r); err != nil { // untimed
		return err
	}
	if bf.tune {
		return e.tune(ctx, s, *bf.engine.o.Tuning, bf.rounds)
	}
	doc := record.Bench{Graph: bf.graph, Threads: threadsOf(eng), Kernels: eng.Kernels(), Tuning: bf.engine.tuning, Setup: eng.Setup()}
	n := len(s.roots)
	times, searches, edges := make([]float64, n), make([]float64, n), make([]int64, n)
	bar := e.progress("searching")
	for round := range bf.rounds {
		sum := 0.0
		for i, err := range s.each(ctx) {
			if err != nil {
				return err
			}
			t := s.r.Time.Seconds()
			sum += t
			times[i] += t / float64(bf.rounds)
			searches[i] += s.r.SearchTime.Seconds() / float64(bf.rounds)
			if round == 0 {
				spec := int64(0)
				if edges[i], spec, err = s.counts.Of(s.r.Parents); err != nil {
					return err
				}
				doc.Searches = append(doc.Searches, record.Search{
					Root: s.roots[i], NEdge: edges[i], NEdgeSpec: spec, Reached: s.r.NumReached, Depth: s.r.Depth,
				})
			}
			bar.set(int64(round*n+i+1), int64(bf.rounds*n), "searches")
		}
		if bf.goBench {
			e.print("BenchmarkBFS/graph=%s/placement=%s/processors=%s/director=%s\t%d\t%.0f ns/op\n", bf.graph, doc.Placement, bf.engine.processors, doc.Director,
				n, 1e9*sum/float64(n))
		}
	}
	// One more search a root, not timed, counts what the levels read.
	counted := eng.NewResult().Collect()
	defer counted.Free()
	var means graph500.LevelMeans
	var work workload
	var levels [][]record.Level // of each root
	for _, root := range s.roots {
		if err := eng.CountBFS(ctx, root, counted); err != nil {
			return err
		}
		list := counted.Statistics.All()
		levels = append(levels, list)
		means.Add(list)
		means.AddCounted(list)
		work.add(list, doc.Processors, int64(eng.NumVertices()), counted.NumReached)
	}
	if bf.profile {
		if err := s.profile(ctx); err != nil {
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
	var err error
	if doc.Roofline, err = work.roofline(ctx, n, doc.Time.MeanS, int64(s.src.NumVertices()), bf.engine.o.Threads); err != nil || bf.goBench {
		return err
	}
	if bf.directors {
		if doc.Directors, err = e.directors(ctx, s, bf.rounds); err != nil {
			return err
		}
	}
	if bf.kernels {
		if doc.KernelSets, err = e.kernelSets(ctx, s, bf.rounds); err != nil {
			return err
		}
	}
	return e.show(record.SchemaBench, &doc, func() { e.printBench(&doc, bf.engine.processors, bf) })
}

func (e *env) printBench(doc *record.Bench, processors string, bf *benchFlags) {
	e.print("%s, %d roots, %s, %s, director %s, kernels %s", bf.graph, len(doc.Searches), processors, doc.Placement, doc.Director, doc.Kernels)
	if doc.Share != "" {
		e.print(", --share %s", doc.Share)
	}
	if doc.Tuning != "" {
		e.print(", tuning %s", doc.Tuning)
	}
	e.print("\ntime: mean %s, median %s, least %s, most %s (supersteps %s, parents %s)\n", seconds(doc.Time.MeanS), seconds(doc.Time.MedianS),
		seconds(doc.Time.MinS), seconds(doc.Time.MaxS), seconds(*doc.Time.SearchMeanS), seconds(*doc.Time.MapMeanS))
	if doc.TEPS != nil {
		e.print("TEPS: harmonic mean %.4g\n", doc.TEPS.HarmonicMean)
	}
	e.print("roofline: %.2f of what the machine allows (%.3g bytes in order at %.3g/s, %.3g random reads at %.3g/s)\n\n", doc.Roofline.Fraction,
		doc.Roofline.BytesStreamed, doc.Roofline.SequentialRate, doc.Roofline.RandomAccesses, doc.Roofline.RandomRate)
	if bf.directors {
		e.printDirectors(doc.Directors)
	}
	if bf.kernels {
		e.printKernelSets(doc.KernelSets)
	}
	if bf.profile {
		e.printCommands(doc.Processors)
	}
	e.printLevels(doc.Levels)
}

// tuneGain is the least part of the time that a limit must save to be taken: less is
// the machine's noise.
const tuneGain = 0.02

// tune changes one limit after the other, and takes what makes searches faster. Tunings
// are compared in turn, by the least of their rounds.
func (e *env) tune(ctx context.Context, s *searching, start cpu.Tuning, rounds int) error {
	bar := e.progress("tuning")
	measure := func(list ...cpu.Tuning) (least []float64, err error) {
		means, err := s.inTurn(ctx, nil, 2+rounds, len(list), func(k int) error { return s.eng.Tune(ctx, list[k]) })
		for _, m := range means {
			least = append(least, slices.Min(m))
		}
		return least, err
	}
	best := start
	for limit := range cpu.Limits {
		bar.set(int64(limit), cpu.Limits, "limits")
		list := append([]cpu.Tuning{best}, best.Variations(limit)...)
		times, err := measure(list...)
		if err != nil {
			return err
		}
		for i, t := range times {
			if t < times[0]*(1-tuneGain) && t == slices.Min(times) {
				best = list[i]
			}
		}
	}
	times, err := measure(start, best)
	if err != nil {
		return err
	}
	if best == start || times[1] >= times[0] {
		e.print("no better limits than --tuning %s: mean %s\n", start, seconds(times[0]))
	} else {
		e.print("--tuning %s\nmean %s, with %s before\n", best, seconds(times[1]), seconds(times[0]))
	}
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

const benchMachineHelp = `bench machine measures how many bytes a second the machine reads in order, and how many
words at random, alone and many in flight, by the size of the working set, on one thread
and on all. The file's costs are those that --director auto predicts from. The CPU's inner
loops of each set that runs here are measured on a graph of Graph500's of scale 17, one
by one: nanoseconds for a vertex, or an entry of a row, and the set that auto takes. A loop of
additions and minima in registers alone bounds apsp. With
--processors each processor of the list also searches a graph of Graph500's alone: default
shares follow from the speeds (--rates FILE).

  totemgo bench machine
  totemgo bench machine -o rates.json --largest 1GiB
  totemgo bench machine -o rates.json --processors cpu,opencl:0`

// benchMachine prepares "totemgo bench machine".
func benchMachine(e *env, c *cobra.Command) runner {
	var (
		output, list string
		scale        int
		most         bytesFlag = 1 << 28
	)
	fl := c.Flags()
	fl.StringVarP(&output, "output", "o", "", "write the figures to `FILE` (- for standard output), for --rates")
	fl.StringVar(&list, "processors", "", "`LIST` of processors whose speed to measure: cpu, cpu:THREADS, opencl:N, cuda:N")
	fl.IntVar(&scale, "scale", 18, "binary logarithm of the vertices of the graph that they search")
	e.threadsFlag(c)
	fl.Var(&most, "largest", "the largest working set")
	e.jsonFlag(c)
	return func(ctx context.Context, _ []string) error {
		doc := record.BenchMachine{}
		if most < leastSet {
			return usagef("--largest %d B: want %s or more", most, sizeString(leastSet))
		}
		if list != "" {
			var err error
			if doc.Speeds, err = e.speeds(ctx, list, scale); err != nil {
				return err
			}
		}
		for bytes := int64(leastSet); bytes <= int64(most); bytes *= 8 {
			for _, t := range slices.Compact([]int{1, e.threads}) {
				r, err := ceiling.Measure(ctx, bytes, t)
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
		if doc.Kernels, err = kernelTimes(ctx, e.threads); err != nil {
			return err
		}
		if doc.MinPlus, err = minPlusRates(ctx, e.threads); err != nil {
			return err
		}
		if output != "" {
			doc.Head = e.head(record.SchemaBenchMachine)
			err := e.writeFile(ctx, output, func(w *bufio.Writer) error { return writeJSON(w, doc) })
			if err != nil || output == "-" {
				return err
			}
		}
		return e.show(record.SchemaBenchMachine, &doc, func() { e.printMachine(doc) })
	}
}

// leastSet is the least working set that bench machine measures, in bytes.
const leastSet = 32 << 10

func (e *env) printMachine(doc record.BenchMachine) {
	printTable(e.stdout, "working set\tthreads\tin order GB/s\tat random M/s\tdependent M/s\t", doc.Ceilings, func(r record.Ceiling) string {
		return fmt.Sprintf("%s\t%d\t%.1f\t%.1f\t%.1f\t", sizeString(r.WorkingSetBytes), r.Threads, r.SequentialBytesPerS/1e9, r.RandomReadsPerS/1e6, r.DependentReadsPerS/1e6)
	})
	for _, s := range doc.Speeds {
		threads := ""
		if s.Threads > 0 {
			threads = fmt.Sprintf(" on %d threads", s.Threads)
		}
		e.print("%s%s: %.4g edges/s\n", s.Processor, threads, s.EdgesPerS)
	}
	fmt.Fprintln(e.stdout)
	for _, r := range doc.MinPlus {
		e.print("min-plus in registers, %s, %s, %d threads: %.1f Gop/s\n", r.Type, r.Kernels, r.Threads, r.GopS)
	}
	fmt.Fprintln(e.stdout)
	e.printKernelTimes(doc.Kernels)
}

// speedRoots is the number of searches that a speed is measured over.
const speedRoots = 16

// speeds lets each processor of a list search a graph of Graph500's alone.
func (e *env) speeds(ctx context.Context, list string, scale int) (speeds []record.Speed, err error) {
	o := engine.Options{Threads: e.threads, Drivers: e.drivers}
	procs, err := engine.ParseProcessors(list)
	if err == nil {
		o.Processors = procs
		err = o.Check()
	}
	if err != nil {
		return nil, err
	}
	bar := e.progress("searching")
	g, err := gen.Make(ctx, gen.KroneckerOptions{Scale: scale, Threads: e.threads})
	if err != nil {
		return nil, err
	}
	s := &searching{}
	if err := s.draw(ctx, g, speedRoots, e.threads); err != nil {
		return nil, err
	}
	for i, p := range procs {
		bar.set(int64(i), int64(len(procs)), "processors")
		name := p.String()
		if p.Kind == engine.CPU {
			name = p.Kind.String()
		}
		if slices.ContainsFunc(speeds, func(x record.Speed) bool { return x.Processor == name }) {
			continue
		}
		o.Processors = procs[i : i+1]
		eng, err := engine.New(ctx, g, o)
		if err != nil {
			return nil, err
		}
		s.use(eng)
		rate, err := s.rate(ctx)
		s.Close()
		if err != nil {
			return nil, err
		}
		speeds = append(speeds, record.Speed{Processor: name, Threads: threadsOf(eng), EdgesPerS: rate})
	}
	return speeds, nil
}

// rate returns the edges a second of the engine's searches.
func (s *searching) rate(ctx context.Context) (float64, error) {
	times, edges := make([]float64, len(s.roots)), make([]int64, len(s.roots))
	for range 2 { // the first is not timed
		for i, err := range s.each(ctx) {
			if err != nil {
				return 0, err
			}
			times[i] = s.r.Time.Seconds()
			if edges[i], _, err = s.counts.Of(s.r.Parents); err != nil {
				return 0, err
			}
		}
	}
	_, teps := benchTimes(times, times, edges)
	if teps == nil {
		return 0, graph500.ErrNoRoots
	}
	return teps.HarmonicMean, nil
}

// readRates reads the costs and the speeds out of a file that bench machine wrote.
func readRates(ctx context.Context, path string) (bsp.Rates, []record.Speed, error) {
	in, err := openInput(ctx, path)
	if err != nil {
		return bsp.Rates{}, nil, err
	}
	defer in.Close()
	var doc record.BenchMachine
	if err := json.NewDecoder(in).Decode(&doc); err != nil || doc.Schema != record.SchemaBenchMachine {
		return bsp.Rates{}, nil, &graphio.Error{File: path, Found: "no rates", Want: "a file that totemgo bench machine -o wrote", Err: graphio.ErrFormat}
	}
	return bsp.Rates(doc.Rates), doc.Speeds, nil
}
