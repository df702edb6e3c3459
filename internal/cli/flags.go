package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/graphio"
	"github.com/totemgo/totemgo/kernels/cpu"
	"github.com/totemgo/totemgo/kernels/gpu"
	"github.com/totemgo/totemgo/partition"
)

// bytesFlag is a number of bytes, such as 512MiB.
type bytesFlag int64

func (b *bytesFlag) String() string {
	if *b == 0 {
		return ""
	}
	return humanize.IBytes(uint64(*b))
}
func (b *bytesFlag) Type() string { return "SIZE" }
func (b *bytesFlag) Set(s string) error {
	n, err := humanize.ParseBytes(s)
	if err != nil || n > 1<<62 {
		return fmt.Errorf("%q is no number of bytes (want for example 512MiB or 4GB)", s)
	}
	*b = bytesFlag(n)
	return nil
}

// engineFlags are the flags of every command that places a graph. Most are fields of the
// engine's options; check reads the others into them.
type engineFlags struct {
	o                             engine.Options
	processors, share, assignment string
	deviceGraph                   string
	tuning, rates                 string
	device                        bytesFlag // memory of each device's part
	command                       *cobra.Command
}

func (f *engineFlags) add(e *env, c *cobra.Command, runs bool) {
	fl := c.Flags()
	f.command, f.o.Drivers, f.o.Probe, f.o.LeftOut = c, e.drivers, e.probe.auto, e.probe.leftOut
	fl.StringVar(&f.processors, "processors", "auto", "`LIST` of processors, one partition each: cpu, cpu:THREADS, opencl:N, cuda:N;\nauto takes the CPU below 1,048,576 edges, else the GPU that holds the graph, else the CPU with every GPU")
	fl.StringVar((*string)(&f.o.Placement), "placement", "", "`RULE` that places vertices: "+strings.Join(placements(), ", ")+"\n(default hubs-on-cpu, or original for a graph without hubs)")
	fl.StringVar(&f.share, "share", "", "`FRACTIONS` of the edges per processor, adding up to 1: 0.9,0.1")
	fl.StringVar(&f.assignment, "assignment", "", "`FILE` that names each vertex's processor: lines of vertex and processor number, or a processor a line,\nas METIS and KaHIP write parts")
	fl.Uint64Var(&f.o.Seed, "placement-seed", 1, "seed of --placement random")
	fl.Float64Var(&f.o.TwoEnded, "two-ended", 0, "`SHARE` of the arcs, those of the vertices of the largest degrees, that the first GPU takes")
	fl.IntVar(&f.o.Threads, "threads", 0, "most threads of the CPU, over all processors (default all cores)")
	fl.Var((*bytesFlag)(&f.o.MemoryLimit), "memory-limit", memoryUsage)
	fl.Var(&f.device, "device-memory", "most memory that the part of the graph on each GPU takes, such as 4MiB")
	fl.StringVar(&f.deviceGraph, "device-graph", "device", "`PLACE` of a GPU's part of the graph: device (its own memory), host (the host's, read in place) or\nsplit (its own while it fits, the rest in the host's); docs/gpu.md says which GPUs can")
	fl.StringVar(&f.rates, "rates", "", "`FILE` that bench machine wrote: the speeds that default shares follow from, and the costs that\n--director auto predicts from")
	completes(c, "placement", placements()...)
	oneOf(c, "device-graph", "device", "host", "split")
	atLeast(c, noThreads, "threads")
	group(c, "GPU", "two-ended", "device-memory", "device-graph")
	group(c, "Placement", "processors", "placement", "share", "assignment", "placement-seed", "rates")
	if runs {
		fl.BoolVar(&f.o.ReleaseHost, "release-host", false, "free the host's copy of a GPU's part of the graph once the GPU has it")
		fl.StringVar(&f.o.Kernels, "kernels", "auto", "`SET` of the CPU's inner loops: avx512, avx2, generic, auto (for each the quickest, as measured), or a list\nof some such as probe=generic,settle=avx2: "+strings.Join(cpu.KernelNames(), ", "))
		completes(c, "kernels", append(cpu.Kernels(), "auto")...)
		fl.StringVar(&f.tuning, "tuning", "", "`LIMITS` between the ways to run a step on the CPU, as bench bfs --tune prints them:\nserial=1024,list=8; what is not named keeps its default")
		fl.BoolVar(&f.o.NoKernelCache, "no-cache", false, "compile the kernels of GPUs anew, instead of taking them from the user's cache folder")
		fl.StringVar((*string)(&f.o.Director), "director", "auto", "`RULE` that chooses top-down or bottom-up: "+strings.Join(directors(), ", "))
		completes(c, "director", directors()...)
		group(c, "GPU", "release-host", "no-cache")
	}
}

// autoProcessors leaves the choice of processors to the graph and the machine.
const autoProcessors = "auto"

// check reads the flags into the options and returns the faults that the command line alone
// shows, before a graph is read.
func (f *engineFlags) check() (err error) {
	o := &f.o
	if o.DeviceGraph, err = gpu.ParseGraphPlacement(f.deviceGraph); err != nil {
		return err
	}
	tuning, err := cpu.ParseTuning(f.tuning)
	if err != nil {
		return usagef("--tuning: %v", err)
	}
	o.Tuning = &tuning
	if f.processors == autoProcessors {
		o.Processors = []engine.Processor{{Kind: engine.CPU}} // until resolve
	} else if o.Processors, err = engine.ParseProcessors(f.processors); err != nil {
		return err
	}
	for i := range o.Processors {
		if o.Processors[i].Kind != engine.CPU {
			o.Processors[i].Memory = int64(f.device)
		}
	}
	if f.rates != "" {
		if o.Rates, o.Speeds, err = readRates(f.command.Context(), f.rates); err != nil {
			return err
		}
	}
	if f.share != "" {
		o.Shares = nil
		for _, s := range strings.Split(f.share, ",") {
			x, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
			if err != nil {
				return usagef("--share %s: %q is no number", f.share, s)
			}
			o.Shares = append(o.Shares, x)
		}
	}
	if f.assignment != "" && o.Placement != partition.Auto {
		return usagef("--assignment and --placement exclude each other")
	}
	if err := o.Check(); err != nil {
		return f.onFlags(err)
	}
	if f.assignment != "" {
		o.Placement = partition.Assigned
	}
	return nil
}

// flagOf names the flags of fields of engine.Options.
var flagOf = map[string]string{
	"Threads": "threads", "Placement": "placement", "Shares": "share", "TwoEnded": "two-ended", "Director": "director", "Kernels": "kernels",
}

// onFlags names the flag and its value in each fault of the engine's options.
func (f *engineFlags) onFlags(err error) error {
	var faults []error
	for _, fault := range err.(interface{ Unwrap() []error }).Unwrap() {
		if o, is := fault.(*engine.OptionError); is && flagOf[o.Field] != "" {
			fault = usagef("--%s %v: %w", flagOf[o.Field], f.command.Flags().Lookup(flagOf[o.Field]).Value, o.Reason)
		}
		faults = append(faults, fault)
	}
	return errors.Join(faults...)
}

// resolve replaces --processors auto by what suits a graph of that size.
func (f *engineFlags) resolve(ctx context.Context, vertices, edges int64, directed bool) {
	if f.processors != autoProcessors {
		return
	}
	f.o = engine.AutoProcessors(ctx, engine.GraphSize{Vertices: vertices, Edges: edges, Directed: directed}, int64(f.device), f.o)
	f.processors = listOf(f.o.Processors)
}

// listOf is a list of processors as --processors takes it.
func listOf(list []engine.Processor) string {
	text := ""
	for _, p := range list {
		text += "," + p.String()
	}
	return text[1:]
}

// options returns the options that check has read, with the assignment for a graph of these
// labels.
func (f *engineFlags) options(labels *graph.Labels) (o engine.Options, err error) {
	o = f.o
	if f.assignment != "" {
		o.Assignment, err = readAssignment(f.command.Context(), f.assignment, labels, len(o.Processors))
	}
	return o, err
}

const (
	memoryUsage = "most memory to take, such as 4GiB (default 80% of what is available)"
	noThreads   = "0 for all cores, or more"
)

// threadsFlag adds --threads.
func (e *env) threadsFlag(c *cobra.Command) {
	c.Flags().IntVar(&e.threads, "threads", 0, "most threads (default all cores)")
	atLeast(c, noThreads, "threads")
}

// memoryFlag adds --memory-limit.
func (e *env) memoryFlag(c *cobra.Command) { c.Flags().Var(&e.memory, "memory-limit", memoryUsage) }

// directors and placements name those that can be asked for by name.
func directors() []string  { return textOf(bsp.Directors()) }
func placements() []string { return textOf(partition.Policies()) }

// textOf is a list of names as strings.
func textOf[T ~string](names []T) []string {
	text := make([]string, len(names))
	for i, n := range names {
		text[i] = string(n)
	}
	return text
}

// formatNames names the formats that are read, or written.
func formatNames(written bool) []string {
	var names []string
	for _, i := range graphio.Formats() {
		if written && i.Writable || !written && i.Readable {
			names = append(names, i.Name)
		}
	}
	return names
}

// completes tells the shell the values of a flag.
func completes(c *cobra.Command, flag string, values ...string) {
	err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic("completion of --" + flag + ": " + err.Error()) // the command has no such flag
	}
}

// Annotations of flags.
const (
	groupOf  = "totemgo-group"  // the group in the usage
	valuesOf = "totemgo-values" // all that checkValues accepts
	needsOf  = "totemgo-needs"  // the flag without which checkValues refuses it
	leastOf  = "totemgo-least"  // what checkValues wants: text that begins with the least number
)

// annotate marks flags of c.
func annotate(c *cobra.Command, key string, values []string, flags ...string) {
	for _, flag := range flags {
		if err := c.Flags().SetAnnotation(flag, key, values); err != nil {
			panic(err) // the command has no such flag
		}
	}
}

// group puts flags into a group of the usage.
func group(c *cobra.Command, title string, flags ...string) {
	annotate(c, groupOf, []string{title}, flags...)
}

// atLeast makes checkValues refuse numbers below that which want begins with.
func atLeast(c *cobra.Command, want string, flags ...string) {
	annotate(c, leastOf, []string{want}, flags...)
}

// oneOf makes checkValues refuse other values of a flag, and tells the shell these.
func oneOf(c *cobra.Command, flag string, values ...string) {
	completes(c, flag, values...)
	annotate(c, valuesOf, values, flag)
}

// checkValues refuses values of flags that atLeast and oneOf rule out, and flags without those that they need.
func checkValues(c *cobra.Command) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		value := f.Value.String()
		if known := f.Annotations[valuesOf]; known != nil && value != f.DefValue && !slices.Contains(known, value) {
			last := len(known) - 1
			err = usagef("--%s %q: want %s or %s", f.Name, value, strings.Join(known[:last], ", "), known[last])
		}
		for _, other := range f.Annotations[needsOf] {
			if !c.Flags().Changed(other) {
				err = usagef("--%s belongs to --%s: give both", f.Name, other)
			}
		}
		for _, want := range f.Annotations[leastOf] {
			text, _, _ := strings.Cut(want, " ")
			least, _ := strconv.ParseFloat(text, 64) // written in this package
			if x, _ := strconv.ParseFloat(value, 64); !(x >= least) {
				err = usagef("--%s %s: want %s", f.Name, value, want)
			}
		}
	})
	return err
}

// readFlags are the flags of every command that reads a graph file. Most are fields of the reader's options.
type readFlags struct {
	o                             graphio.Options
	directed, undirected, keepIDs bool
	firstLine                     string
	prefix                        string // of --format
}

// firstLines are the values of --first-line.
var firstLines = map[string]graphio.FirstLine{"": graphio.FirstByContent, "edge": graphio.FirstEdge, "names": graphio.FirstNames, "sizes": graphio.FirstSizes}

func (f *readFlags) add(c *cobra.Command, prefix string) {
	fl := c.Flags()
	f.prefix = prefix
	fl.StringVar(&f.o.Format, prefix+"format", "", "`FORMAT` of the input (default by content, then by name):\n"+strings.Join(formatNames(false), ", "))
	completes(c, prefix+"format", formatNames(false)...)
	fl.BoolVar(&f.directed, "directed", false, "read each line of the graph as an arc from its first vertex to its second, whatever the file says")
	fl.BoolVar(&f.undirected, "undirected", false, "read each line of the graph as an edge that leads both ways, whatever the file says")
	fl.StringSliceVar(&f.o.Columns, "columns", nil, "`SRC,DST[,WEIGHT[,TIME]]`: the columns of an edge list, by name or number")
	fl.StringVar(&f.firstLine, "first-line", "", "what the first line of an edge list is: `edge`, names (of columns) or sizes (vertices and edges)")
	oneOf(c, "first-line", "edge", "names", "sizes")
	fl.BoolVar(&f.o.Names, "names", false, "read the ids of an edge list as names (default if those of the first record are no numbers)")
	fl.BoolVar(&f.keepIDs, "keep-ids", false, "take the ids of an edge list as they stand: vertices are 0 to the largest id")
	fl.Int64Var(&f.o.Vertices, "vertices", 0, "`N` vertices, 0 to N-1, whatever ids of an edge list occur")
	atLeast(c, "1 or more", "vertices")
	fl.IntVar(&f.o.WeightColumn, "weight-column", 0, "`COLUMN` of an edge list that holds weights, from 3 on; -1 leaves weights out, in every format")
	fl.IntVar(&f.o.Tuple, "tuple", 0, "bytes of a Graph500 tuple, 12 or 16 (default 12)")
	fl.StringVar(&f.o.WeightsPath, "weights-in", "", "`FILE` of weights that belongs to a Graph500 tuple file")
	fl.StringVar(&f.o.Member, "member", "", "`NAME` of the graph's file in a tar or zip archive (default the one graph in it)")
	fl.BoolVar(&f.o.Lenient, "lenient", false, "read a file in spite of faults that leave its meaning clear, and count them")
	group(c, "Graph file", prefix+"format", "directed", "undirected", "columns", "first-line", "names", "keep-ids", "vertices", "weight-column", "tuple",
		"weights-in", "member", "lenient")
}

// open reads the graph and prints its warnings.
func (f *readFlags) open(ctx context.Context, e *env, path string, threads int, limit int64) (*graphio.File, error) {
	o := f.o
	o.FirstLine, o.Threads, o.MemoryLimit, o.Stdin = firstLines[f.firstLine], threads, limit, e.stdin
	o.Progress = e.progress("reading " + path).ofFile
	switch {
	case f.directed && f.undirected:
		return nil, usagef("--directed and --undirected exclude each other")
	case f.directed:
		o.Direction = graphio.Directed
	case f.undirected:
		o.Direction = graphio.Undirected
	}
	if f.keepIDs && o.Vertices == 0 {
		o.Vertices = -1
	}
	file, err := graphio.Open(ctx, path, o)
	if e := (*graphio.Error)(nil); errors.As(err, &e) && f.prefix != "" {
		for i, c := range e.Hint.Cures {
			if c == graphio.CureFormat {
				e.Hint.Cures[i] = graphio.CureInputFormat
			}
		}
	}
	if err != nil {
		return nil, err
	}
	for _, w := range file.Report.Warnings {
		e.note("%s: %s", path, w)
	}
	if n := file.Report.Tolerated; n > 0 {
		e.note("%s: %d faults let pass (--lenient)", path, n)
	}
	return file, nil
}
