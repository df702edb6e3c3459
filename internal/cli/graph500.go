package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/gen"
	"github.com/totemgo/totemgo/graph500"
	"github.com/totemgo/totemgo/power"
	"github.com/totemgo/totemgo/record"
)

// referenceVariables are environment variables of the reference code, and what happens here.
var referenceVariables = [...][2]string{
	{"TMPFILE", "the tuples stay in memory; totemgo generate kron -o FILE writes them"},
	{"REUSEFILE", "the tuples are made anew; totemgo bench bfs --graph FILE searches those of a file"},
	{"SKIP_VALIDATION", "every tree is validated, outside the clocks"},
	{"SKIP_BFS", "kernel 2 always runs"},
}

const graph500Help = `graph500 makes the benchmark's Kronecker graph of 2^N vertices, constructs the search
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
  totemgo graph500 --scale 16 --processors cpu:1,cpu:1 --share 0.9,0.1 --director totem --json`

// runGraph500 prepares "totemgo graph500".
func runGraph500(e *env, c *cobra.Command) runner {
	var (
		ef          engineFlags
		gf          greenFlags
		cfg         graph500.Config
		seed, style string
		stats       bool
	)
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
	e.jsonFlag(c)
	atLeast(c, "1 or more", "edgefactor", "roots")
	fl.BoolVar(&stats, "stats", false, "print tables of the processors and levels too")
	c.Args = func(c *cobra.Command, args []string) error {
		if _, err := strconv.ParseUint(strings.Join(args, ""), 10, 32); err == nil && len(args) < 3 { // SCALE EDGEFACTOR
			flags := slices.DeleteFunc([]string{"scale", "edgefactor"}, c.Flags().Changed)
			text := "totemgo graph500"
			for i, flag := range flags[:min(len(args), len(flags))] {
				text += " --" + flag + " " + args[i]
			}
			return usagef("the scale and the edges per vertex are flags: %s", text)
		}
		return takes()(c, args)
	}
	return func(ctx context.Context, _ []string) error {
		if !c.Flags().Changed("scale") {
			return usagef("--scale is missing: the binary logarithm of the number of vertices")
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
			if _, set := os.LookupEnv(v[0]); set {
				e.note("%s has no effect: %s", v[0], v[1])
			}
		}
		cfg.Threads, cfg.Count = ef.o.Threads, e.json || stats
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
		bar := e.progress("")
		cfg.Progress = func(s graph500.Stage, done, total int64) {
			if string(s) != bar.title {
				bar = e.progress(string(s))
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
		if doc == nil {
			return err
		}
		perr := e.show(record.SchemaGraph500, doc, func() {
			if cfg.SSSP && st == graph500.Style214 {
				e.note("the style 2.1.4 knows no kernel 3: these are the figures of kernel 2")
			}
			_ = graph500.WriteOfficial(e.stdout, st, doc) // e.stdout remembers the error
			if doc.Share != "" && !stats {
				e.print("%-32s--share %s\n", "shares:", doc.Share)
			}
			if stats {
				e.printStats(doc.Processors, doc.Kernels, doc.Levels)
			}
		})
		return cmp.Or(perr, err)
	}
}

// greenFlags are the flags of a Green Graph500 session.
type greenFlags struct {
	specs    []string
	duration time.Duration
	compare  []string
	open     power.OpenOptions

	parsed  []power.Spec
	engines []*engineFlags // of the run: one, or the two to compare
}

func (f *greenFlags) add(c *cobra.Command) {
	fl := c.Flags()
	fl.StringArrayVar(&f.specs, "power", nil, "`SPEC` of meters to read while searches are repeated: auto, none, rapl, nvml, hwmon, wattsup:PORT, line:FILE, replay:FILE, model:idle=W,busy=W; may be given several times")
	fl.DurationVar(&f.duration, "duration", 0, "`TIME` to repeat searches for, such as 10m; needs --power")
	fl.StringArrayVar(&f.compare, "compare", nil, "`PROCESSORS` of a configuration; given twice, the two search in turn and are compared; needs --power")
	powerRootFlag(c, &f.open)
	completes(c, "power", power.KindAuto, power.KindNone, power.KindRAPL, power.KindNVML, power.KindHwmon,
		power.KindWattsUp+":", power.KindLine+":", power.KindReplay+":", power.KindModel+":idle=")
}

// check finds the faults that the command line alone shows.
func (f *greenFlags) check(c *cobra.Command, ef *engineFlags) error {
	given := c.Flags().Changed
	switch {
	case given("power") && !given("duration"):
		return usagef("--power needs --duration: how long to repeat searches, such as 10m")
	case given("duration") && !given("power"):
		return usagef("--duration needs --power: the meters to read")
	case given("compare") && !given("power"):
		return usagef("--compare needs --power and --duration")
	case given("duration") && f.duration <= 0:
		return usagef("--duration %v: want more than 0", f.duration)
	case given("compare") && len(f.compare) != 2:
		return usagef("--compare is given %d times: want two configurations", len(f.compare))
	case given("compare") && given("processors"):
		return usagef("--compare names the processors: --processors cannot stand beside it")
	}
	var err error
	if f.parsed, err = power.ParseSpecs(f.specs); err != nil {
		return err
	}
	for _, p := range f.compare {
		x := *ef
		x.processors = p
		f.engines = append(f.engines, &x)
	}
	if f.engines == nil {
		f.engines = []*engineFlags{ef}
	}
	for _, x := range f.engines {
		if err := x.check(); err != nil {
			return err
		}
	}
	return nil
}

// power opens the meters, and says which of those that "auto" looks for are missing.
// It is nil where no power is asked for, or nothing can be read.
func (f *greenFlags) power(e *env, engines []engine.Options) (*graph500.PowerConfig, error) {
	if len(f.specs) == 0 {
		return nil, nil
	}
	meters, missing, err := power.Open(f.parsed, f.open)
	if err != nil {
		return nil, err
	}
	for _, u := range missing {
		if u.DuplicateOf == "" {
			e.note("%s: %s", u.Name, reason(u.Reason, u.Cure))
		}
	}
	if len(meters) == 0 {
		e.note("no meter: searches are not repeated, and there are no figures of power")
		return nil, nil
	}
	p := &graph500.PowerConfig{Session: power.Options{Meters: meters, Unavailable: missing}, Duration: f.duration}
	if len(engines) > 1 {
		p.Against = graph500.WithEngine(engines[1])
	}
	return p, nil
}
