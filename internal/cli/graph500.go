package cli

import (
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/gen"
	"github.com/totemgo/totemgo/graph500"
	"github.com/totemgo/totemgo/record"
)

// referenceVariables are environment variables of the reference code, and what happens here.
var referenceVariables = [...][2]string{
	{"TMPFILE", "the tuples stay in memory; totemgo generate kron -o FILE writes them"},
	{"REUSEFILE", "the tuples are made anew; totemgo bench bfs --graph FILE searches those of a file"},
	{"SKIP_VALIDATION", "every tree is validated, outside the clocks"},
	{"SKIP_BFS", "kernel 2 always runs"},
}

func newGraph500(e *env) *cobra.Command {
	var (
		ef     engineFlags
		gf     greenFlags
		cfg    graph500.Config
		seed   string
		style  string
		asJSON bool
		stats  bool
	)
	c := &cobra.Command{
		Use:   "graph500 --scale N",
		Short: "Run the Graph500 benchmark: generate, construct, search, validate",
		Long: `graph500 makes the benchmark's Kronecker graph of 2^N vertices, constructs the search
structure, searches from 64 roots and validates every tree. It prints the official
fields, then how many trees passed. A run with a failed validation prints no TEPS, or
with --style 3.0 and 2.1.4 the reference code's refusal and no times, and exits with
status 1. Edges are counted as version 3.0 of the reference code counts them, without
self-loops, in the styles spec and 3.0 (16239 at scale 10); as version 2.1.4 does, with
self-loops, in the style 2.1.4 (16383). The reference's variables TMPFILE, REUSEFILE,
SKIP_VALIDATION and SKIP_BFS have no effect.

With --sssp it then finds shortest paths from the same roots: kernel 3. The tuples have
ids of 48 bits and float32 weights, and every tree is validated by its distances, whose
sums are rounded to float32. The style 2.1.4 knows no kernel 3.

With --power and --duration the searches of kernel 2 are then repeated, without
validation, while meters are read: the figures of a Green Graph500 session. --compare,
given twice, lets two lists of processors search in turn and prints the ratios of time
and energy.

  totemgo graph500 --scale 20
  totemgo graph500 --scale 20 --sssp
  totemgo graph500 --scale 22 --power auto --duration 10m
  totemgo graph500 --scale 22 --power rapl,nvml --duration 10m --compare cpu --compare cpu,opencl:0
  totemgo graph500 --scale 16 --processors cpu:1,cpu:1 --share 0.9,0.1 --director totem --json`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				if _, err := strconv.ParseUint(args[0], 10, 8); err == nil {
					return usagef("the scale is a flag: totemgo graph500 --scale %s", args[0])
				}
			}
			return takes()(c, args)
		},
		RunE: func(c *cobra.Command, _ []string) error {
			ctx := c.Context()
			if !c.Flags().Changed("scale") {
				return usagef("--scale is missing: the binary logarithm of the number of vertices")
			}
			if cfg.EdgeFactor < 1 || cfg.Searches < 1 {
				return usagef("--edgefactor %d, --roots %d: want 1 or more", cfg.EdgeFactor, cfg.Searches)
			}
			st, err := graph500.ParseStyle(style)
			if err != nil {
				return err
			}
			if cfg.Seed1, cfg.Seed2, err = parseSeeds(seed, gen.DefaultSeed1, gen.DefaultSeed2); err != nil {
				return err
			}
			if err := gf.check(c, &ef); err != nil {
				return err
			}
			if err := cfg.Validate(); err != nil {
				return err
			}
			for _, v := range referenceVariables {
				if os.Getenv(v[0]) != "" {
					e.note("%s has no effect: %s", v[0], v[1])
				}
			}
			cfg.Threads, cfg.Count = ef.o.Threads, asJSON || stats
			for _, x := range gf.engines {
				x.resolve(ctx, int64(1)<<cfg.Scale, int64(cfg.EdgeFactor)<<cfg.Scale, false)
			}
			size, err := (gen.KroneckerOptions{Scale: cfg.Scale, EdgeFactor: cfg.EdgeFactor, Weights: cfg.SSSP}).Size()
			if err != nil {
				return err
			}
			if cfg.SSSP {
				size.EdgeBytes = size.FileBytes // ids of 48 bits
			}
			if err := checkMemory(fmt.Sprintf("scale %d", cfg.Scale), size, gf.engines...); err != nil {
				return err
			}
			engines := make([]engine.Options, len(gf.engines))
			for i, x := range gf.engines {
				if engines[i], err = x.options(graph.IdentityLabels(1<<cfg.Scale, 0)); err != nil {
					return err
				}
			}
			// Opening devices and building their kernels is outside every clock.
			all := engines[0]
			for _, o := range engines[1:] {
				all.Processors = slices.Concat(all.Processors, o.Processors)
			}
			devices, err := engine.OpenDevices(ctx, all)
			if err != nil {
				return err
			}
			defer devices.Close()
			for i := range engines {
				engines[i].Devices = devices
			}
			if cfg.Power, err = gf.power(e, engines); err != nil {
				return err
			}
			if cfg.SSSP && cfg.Power != nil {
				e.note("the searches that are repeated are kernel 2's")
			}
			stage := graph500.Stage("")
			bar := e.progress("")
			cfg.Progress = func(s graph500.Stage, done, total int64) {
				if s != stage {
					bar.done()
					stage, bar = s, e.progress(string(s))
				}
				unit := "searches"
				switch s {
				case graph500.Generating, graph500.Constructing:
					unit = "edges"
				case graph500.Repeating:
					unit = "seconds"
				}
				bar.set(done, total, unit)
			}
			doc, err := graph500.Run(ctx, cfg, graph500.WithEngine(engines[0]))
			bar.done()
			if doc == nil {
				return err
			}
			if asJSON {
				doc.Head = e.head(record.SchemaGraph500)
				if perr := e.printJSON(doc); perr != nil {
					return perr
				}
				return err
			}
			if cfg.SSSP && st == graph500.Style214 {
				e.note("the style 2.1.4 knows no kernel 3: these are the figures of kernel 2")
			}
			if perr := graph500.WriteOfficial(e.stdout, st, doc); perr != nil {
				return perr
			}
			if doc.Share != "" && !stats {
				e.print("%-32s--share %s\n", "shares:", doc.Share)
			}
			if stats {
				if perr := e.printStats(doc.Processors, doc.Kernels, doc.Levels); perr != nil {
					return perr
				}
			}
			return err
		},
	}
	ef.add(e, c, true)
	gf.add(c)
	fl := c.Flags()
	fl.IntVar(&cfg.Scale, "scale", 0, "binary logarithm of the number of vertices, 1 to 31")
	fl.IntVar(&cfg.EdgeFactor, "edgefactor", graph500.DefaultEdgeFactor, "edges per vertex")
	fl.IntVar(&cfg.Searches, "roots", graph500.DefaultSearches, "number of searches")
	fl.BoolVar(&cfg.SSSP, "sssp", false, "find shortest paths too, kernel 3")
	fl.StringVar(&seed, "seed", "", "`A,B`: the generator's seeds (default 2,3, the benchmark's)")
	fl.StringVar(&style, "style", string(graph500.StyleSpec), "`STYLE` of the output: spec, 3.0, or 2.1.4, which counts self-loops as edges")
	completes(c, "style", string(graph500.StyleSpec), string(graph500.Style30), string(graph500.Style214))
	fl.BoolVar(&asJSON, "json", false, "print JSON")
	fl.BoolVar(&stats, "stats", false, "print tables of the processors and levels too")
	return c
}
