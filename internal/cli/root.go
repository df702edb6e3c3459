// Package cli holds the commands of totemgo: it reads flags, prints, and returns exit statuses. Algorithms are rows of one
// table, which one runner runs; the other commands have a file each.
package cli

//go:generate go test -run ^TestReference$ -update .

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/totemgo/totemgo/allpairs"
	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/gen"
	"github.com/totemgo/totemgo/graph/graphio"
	"github.com/totemgo/totemgo/graph500"
	"github.com/totemgo/totemgo/internal/atomicfile"
	"github.com/totemgo/totemgo/internal/cpufeat"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/partition"
	"github.com/totemgo/totemgo/power"
	"github.com/totemgo/totemgo/record"
)

// Exit statuses.
const (
	exitOK          = 0
	exitFailed      = 1   // what files or results show
	exitUsage       = 2   // the command line alone is wrong
	exitInterrupted = 130 // Ctrl-C; 128 plus the number of another signal
)

// version is set by the release build; otherwise the module's own version is used.
var version = ""

// exitError is an error with an exit status of its own. Without err, the command has said all.
type exitError struct {
	status int
	err    error
}

func (e *exitError) Error() string { return fmt.Sprint(e.err) }
func (e *exitError) Unwrap() error { return e.err }

// usageError marks an error that the command line alone shows.
func usageError(err error) error { return &exitError{exitUsage, err} }

func usagef(format string, args ...any) error { return usageError(fmt.Errorf(format, args...)) }

// env is what a command may touch besides its flags.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	args           []string
	drivers        []device.Driver
	probe          *probe
	quiet          bool // no progress and no notes
	bar            *bar // shown last

	// Flags that mean the same in every command that has them.
	json    bool
	threads int
	memory  bytesFlag // most memory to take
}

// Main executes the command line of the process and returns the exit status. The drivers are
// those of devices besides the system's OpenCL and CUDA.
func Main(drivers ...device.Driver) int {
	if cores := runtime.NumCPU(); runtime.GOMAXPROCS(0) > cores { // threads beyond the cores wait for each other
		runtime.GOMAXPROCS(cores)
	}
	return run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, drivers...)
}

// run executes one command line and returns the exit status. The first interrupt, hangup or SIGTERM
// cancels the command; if it does not end within grace, as in a driver's call that hangs, run returns
// without it, and its temporary files are removed. The second one ends the process at once.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer, drivers ...device.Driver) int {
	if asksToProbe(args) {
		return answerProbe(stdout, drivers...)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, interrupts()...)
	defer signal.Stop(signals)
	go func() {
		select {
		case sig := <-signals:
			signal.Stop(signals)
			cancel(endedBy{sig})
		case <-ctx.Done():
		}
	}()
	var patience atomic.Bool
	done := make(chan int, 1)
	go func() {
		done <- execute(context.WithValue(ctx, patienceKey{}, &patience), args, stdin, stdout, stderr, drivers...)
	}()
	select {
	case status := <-done:
		return status
	case <-ctx.Done():
	}
	var late <-chan time.Time
	if !patience.Load() {
		late = time.After(grace)
	}
	select {
	case status := <-done:
		return status
	case <-late:
		atomicfile.Abandon()
		return interrupted(ctx, stderr)
	}
}

// endedBy is the cause of a context that a signal has cancelled.
type endedBy struct{ os.Signal }

func (e endedBy) Error() string { return e.String() }

// interrupted says that the command was cancelled, and returns its status.
func interrupted(ctx context.Context, stderr io.Writer) int {
	fmt.Fprintln(stderr, "totemgo: interrupted")
	if by, is := context.Cause(ctx).(endedBy); is {
		return endingStatus(by.Signal)
	}
	return exitInterrupted
}

// grace is how long a command may take to end after an interrupt.
const grace = time.Second

// patienceKey is the context's key of an *atomic.Bool: the command is waited for after an interrupt.
type patienceKey struct{}

// endsItself makes an interrupt wait for the command, which ends after a process that got the signal.
func endsItself(ctx context.Context) {
	if p, is := ctx.Value(patienceKey{}).(*atomic.Bool); is {
		p.Store(true)
	}
}

func execute(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, drivers ...device.Driver) int {
	reading, stop := context.WithCancel(ctx)
	defer stop()
	in := &patient{ctx: reading, from: stdin}
	ctx = context.WithValue(ctx, stdinKey{}, io.Reader(in))
	e := &env{stdin: in, stderr: stderr, args: args, drivers: drivers}
	out := &remembered{to: stdout, before: func() { e.bar.erase() }}
	e.stdout = out
	e.probe = &probe{note: e.note, left: map[string]bool{}}
	root := newRoot(e)
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(stderr)
	root.InitDefaultCompletionCmd(args...)
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args, c.RunE = knownCommand, func(c *cobra.Command, _ []string) error { return c.Help() }
		}
	}
	started := false
	root.PersistentPreRunE = func(c *cobra.Command, args []string) error {
		started = true
		if f := c.Flags().Lookup("memory-limit"); f != nil {
			if err := hugemem.Check(hugemem.MinMapped); err != nil { // a limit of the system leaves nothing
				return err
			}
			limit := f.Value.(*bytesFlag)
			*limit = cmp.Or(*limit, bytesFlag(engine.DefaultMemoryLimit()))
			hugemem.Limit(int64(*limit))
		}
		return cmp.Or(e.checkFiles(c, args), checkValues(c))
	}
	// Goroutines that read a mapped graph look after themselves; this is for the others.
	var ran *cobra.Command
	err := graphio.Guard("the graph", func() (err error) {
		defer hugemem.Recover(&err)
		ran, err = root.ExecuteContextC(ctx)
		return err
	})
	hugemem.Limit(0)
	e.bar.erase()
	if out.err != nil && ctx.Err() == nil {
		started, err = true, fmt.Errorf("standard output: %w", out.err)
	}
	status, hint, exit := exitFailed, "", (*exitError)(nil)
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &exit) && exit.status != exitUsage:
		status, err = exit.status, exit.err
	case ctx.Err() != nil:
		return interrupted(ctx, stderr)
	case !started:
		status, hint = exitUsage, "; see "+ran.CommandPath()+" --help"
	case exit != nil || isUsage(err):
		status = exitUsage
	}
	if err != nil {
		fmt.Fprintf(stderr, "totemgo: %s%s\n", message(err), hint)
	}
	return status
}

// isUsage tells whether an error of a package shows that the command line alone is wrong.
func isUsage(err error) bool {
	wrong := func(target error) bool { return errors.Is(err, target) }
	if file := (*graphio.Error)(nil); !errors.As(err, &file) && (wrong(graphio.ErrOptions) || wrong(graphio.ErrUnknownFormat)) {
		return true // what a file shows has the same errors
	}
	return slices.ContainsFunc([]error{engine.ErrOptions, gen.ErrOption, graph500.ErrConfig, graph500.ErrStyle, allpairs.ErrOptions, power.ErrSpec}, wrong)
}

// message is what an error tells a person: one line, without the packages' prefixes and
// repetitions, with the flag that helps where there is one.
func message(err error) string {
	s := err.Error()
	if file := (*graphio.Error)(nil); errors.As(err, &file) {
		s = strings.Replace(s, file.Hint.String(), file.Hint.Spell(cureFlag), 1)
	}
	if system := (*fs.PathError)(nil); errors.As(err, &system) {
		s = strings.Replace(s, system.Op+" "+system.Path, system.Path, 1)
	}
	var lines []string
	for _, line := range strings.Split(strings.TrimSpace(s), "\n") {
		if !slices.ContainsFunc(lines, func(earlier string) bool { return strings.HasSuffix(earlier, line) }) {
			lines = append(lines, line)
		}
	}
	s = strings.Join(lines, "; ")
	s = strings.ReplaceAll(s, "raise the memory limit", "--memory-limit sets another")
	s = packagePrefix.ReplaceAllString(s, "$1")
	s = strings.NewReplacer("invalid options: ", "", "bad option: ", "").Replace(s)
	if w := (*engine.WeightError)(nil); errors.As(err, &w) && w.Reason == engine.WeightNegative {
		s += "; --bellman-ford accepts negative weights"
	}
	if errors.Is(err, kernels.ErrUnsupported) {
		s += "; --processors cpu runs it"
	}
	if errors.Is(err, engine.ErrMemory) || errors.Is(err, partition.ErrMemory) || errors.Is(err, graph.ErrMemory) || errors.Is(err, hugemem.ErrMemory) {
		s += "; --memory-limit sets another"
	}
	return singular(s)
}

// oneOfMany finds a count of 1 before the plural of what is counted.
var oneOfMany = regexp.MustCompile(`(^|[^\d.,-])1 ((?:[a-z]+ )?(?:vertices|entries|searches|(?:edge|arc|record|reading|field|tuple|label|weight|parent|level|root|column|value|name|` +
	`line|file|byte|thread|core|processor|share|self-loop|duplicate|iteration|round|sample|gap|wrap|reset|repeat|read|step|pair|time|row|fault)s))\b`)

// singular writes "1 vertex" where text has "1 vertices".
func singular(text string) string {
	return oneOfMany.ReplaceAllStringFunc(text, func(s string) string {
		if strings.HasPrefix(strings.TrimLeft(s, " ("), "1 without ") {
			return s
		}
		for _, end := range [...][2]string{{"ices", "ex"}, {"ies", "y"}, {"ches", "ch"}, {"s", ""}} {
			if stem, is := strings.CutSuffix(s, end[0]); is {
				return stem + end[1]
			}
		}
		return s
	})
}

// packagePrefix finds the prefixes that packages give to their errors.
var packagePrefix = regexp.MustCompile(`(^|: |; )(?:(?:allpairs|bsp|cpu|engine|gen|gpu|graph|graph500|graphio|hugemem|kernels|partition|power): )+`)

// flagError says in words what is wrong with a flag's value.
func flagError(c *cobra.Command, err error) error {
	bad, number, unknown := (*pflag.InvalidValueError)(nil), (*strconv.NumError)(nil), (*pflag.NotExistError)(nil)
	switch {
	case errors.As(err, &bad) && errors.As(err, &number):
		name, what := bad.GetFlag().Name, map[string]string{"ParseFloat": "a number", "ParseBool": "true or false"}[number.Func]
		if errors.Is(err, strconv.ErrRange) {
			return usagef("--%s %q is too large", name, bad.GetValue())
		}
		return usagef("--%s %q: want %s", name, bad.GetValue(), cmp.Or(what, "a whole number"))
	case bad != nil:
		return usagef("--%s: %w", bad.GetFlag().Name, bad.Unwrap())
	case errors.As(err, &unknown) && foreignFlags[unknown.GetSpecifiedName()] != "":
		name := unknown.GetSpecifiedName()
		return usagef("there is no %s: %s", "--"[:min(2, len(name))]+name, foreignFlags[name])
	case unknown != nil:
		flags := &cobra.Command{} // a command for each flag: they are spelled like what was typed by the same rule
		c.Flags().VisitAll(func(f *pflag.Flag) {
			flags.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
		})
		hint := near(flags, unknown.GetSpecifiedName(), "--")
		if hint == "" && !c.HasParent() {
			hint = "; the flags of a command follow its name"
		}
		return usagef("%w%s", err, hint)
	}
	return usageError(err)
}

// foreignFlags says what to type for the flags of other programs, of the GAP Benchmark Suite first of all.
var foreignFlags = map[string]string{
	"f":      "a graph's file is the argument, as in totemgo bfs FILE",
	"g":      "totemgo graph500 --scale N and totemgo bench bfs --graph kron:N make Kronecker graphs",
	"u":      "totemgo bench bfs --graph uniform:N makes uniform graphs",
	"k":      "--edgefactor of totemgo graph500 and totemgo generate is the edges per vertex",
	"v":      "--version prints the version",
	"n":      "--roots is the number of searches of totemgo graph500 and totemgo bench bfs",
	"o":      "totemgo convert INPUT OUTPUT names the output by an argument",
	"output": "totemgo convert INPUT OUTPUT names the output by an argument",
	"r":      "--root is the vertex that totemgo bfs, sssp and reach start from",
	"V":      "--version prints the version",
	"s":      "--undirected reads arcs as edges; the size of a generated graph is --scale",
}

// takes checks the number of arguments and names those that are missing.
func takes(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			verb := "is"
			if len(names)-len(args) > 1 {
				verb = "are"
			}
			return usagef("%s %s missing after %q", and(names[len(args):]), verb, c.CommandPath())
		case len(args) > len(names):
			what := "no argument"
			if len(names) > 0 {
				what = "only " + and(names)
			}
			return usagef("%s takes %s; %q is one too many", c.Name(), what, args[len(names)])
		}
		return nil
	}
}

// and joins names as a sentence does.
func and(names []string) string {
	last := len(names) - 1
	return strings.TrimPrefix(strings.Join(names[:last], ", ")+" and "+names[last], " and ")
}

// knownCommand takes no argument: what is left on the command line of a command with
// commands of its own is none of them.
func knownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usagef("unknown command %q%s", args[0], near(c, args[0], ""))
}

// near asks for the commands of c that are spelled like what was typed, or names those that other programs call so.
func near(c *cobra.Command, typed, dashes string) string {
	c.SuggestionsMinimumDistance = min(2, len(typed)/3)
	names := c.SuggestionsFor(typed)
	if len(names) == 0 {
		return ""
	}
	return "; did you mean " + dashes + strings.Join(names, " or "+dashes) + "?"
}

// commandRow is a command: how it is called, what it says, and what it does.
type commandRow struct {
	use, short, long, example string // use names the arguments that it takes, in capitals
	also                      string // its names in other programs
	prepare                   func(e *env, c *cobra.Command) runner
	commands                  []commandRow // its own, instead of prepare
}

// runner runs a command line.
type runner func(ctx context.Context, args []string) error

// commands are those that are no algorithms.
var commands = []commandRow{
	{use: "apsp FILE", short: "Find the distances between all pairs of vertices", long: apspHelp, prepare: apsp},
	{use: "graph500 --scale N", short: "Run the Graph500 benchmark: generate, construct, search, validate", long: graph500Help, prepare: runGraph500},
	{use: "generate KIND -o FILE", short: "Make a graph: " + strings.Join(generators, ", "), long: generateHelp, prepare: generate},
	{use: "convert INPUT OUTPUT", short: "Convert a graph file to another format", long: convertHelp, prepare: convert},
	{use: "info FILE", short: "Say what a graph file holds and what each placement would put where", long: infoHelp, prepare: info},
	{use: "partition FILE", short: "Show where a placement would put a graph, without running anything", long: partitionHelp, prepare: showPartition},
	{use: "validate GRAPH PARENTS", short: "Check a BFS tree against a graph by the rules of Graph500", long: validateHelp, prepare: validate},
	{use: "bench", short: "Time searches, and measure what the machine allows", long: benchHelp, commands: benchCommands},
	{use: "devices", short: "List the processors that --processors can name", long: devicesHelp, prepare: devices},
	{use: "power", short: "Measure energy: list meters, record a command, report a session", long: powerHelp, commands: powerCommands},
	{use: "version", short: "Print the version and what the machine offers", prepare: showVersion},
}

// build makes the command of a row.
func (r commandRow) build(e *env) *cobra.Command {
	c := &cobra.Command{Use: r.use, Short: r.short, Long: r.long, Example: r.example, SuggestFor: strings.Fields(r.also)}
	if r.prepare == nil {
		c.Args, c.RunE = knownCommand, func(c *cobra.Command, _ []string) error { return c.Help() }
		for _, sub := range r.commands {
			c.AddCommand(sub.build(e))
		}
		return c
	}
	var names []string
	for _, word := range strings.Fields(r.use)[1:] {
		if strings.ToUpper(word) != word || word[0] == '-' {
			break
		}
		names = append(names, word)
	}
	c.Args = takes(names...)
	run := r.prepare(e, c)
	c.RunE = func(c *cobra.Command, args []string) error { return run(c.Context(), args) }
	return c
}

func newRoot(e *env) *cobra.Command {
	showVersion := false
	root := &cobra.Command{
		Use:   "totemgo",
		Short: "Graph algorithms on CPU and GPU, partitioned by degree, and Graph500",
		Long: `totemgo runs graph algorithms on graphs that are split by vertex degree between
processors, CPUs and any number of GPUs: kcore and cdlp between CPUs only; triangles, path
and cc --strong read host memory. On top stands the Graph500 benchmark.

  totemgo graph500 --scale 20              a validated Graph500 run
  totemgo bfs wiki-Vote.txt --root 30      search a graph file
  totemgo pagerank wiki-Vote.txt --top 5   the five vertices with the highest scores
  totemgo info web.txt.gz                  what a file holds, and where it would go
  totemgo convert web.txt.gz web.tgr       a format that opens in milliseconds
  totemgo power record -- COMMAND          the energy of a command

Results go to standard output; progress and messages to standard error. Exit status:
0 done, 1 a file, a search or a validation failed, 2 the command line is wrong,
130 interrupted, 143 ended by SIGTERM, 129 by a hangup.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          knownCommand,
		RunE: func(c *cobra.Command, _ []string) error {
			if showVersion {
				return e.printVersion()
			}
			return c.Help()
		},
	}
	root.Flags().BoolVar(&showVersion, "version", false, "print the version, as the command version does")
	root.PersistentFlags().BoolVarP(&e.quiet, "quiet", "q", false, "show no progress and no notes; results and errors remain")
	root.SetHelpCommand(&cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command",
		RunE: func(_ *cobra.Command, args []string) error {
			c, rest, err := root.Find(args)
			if err == nil {
				err = knownCommand(c, rest)
			}
			if err != nil {
				return usageError(err)
			}
			c.InitDefaultHelpFlag()
			return c.Help()
		},
	})
	root.SetFlagErrorFunc(flagError)
	root.SetUsageFunc(usage)
	root.CompletionOptions.HiddenDefaultCmd = false
	root.AddCommand(newCapacity(e))
	for _, a := range algorithms {
		root.AddCommand(a.row().build(e))
	}
	for _, r := range commands {
		root.AddCommand(r.build(e))
	}
	return root
}

// flagGroups are the titles of groups of flags in the usage, "" for those without one.
var flagGroups = [...]string{"", "Graph file", "Placement", "GPU"}

// usage prints how a command is called, its commands and its flags by group.
func usage(c *cobra.Command) error {
	w := c.OutOrStderr()
	fmt.Fprint(w, "Usage:\n")
	if c.Runnable() {
		fmt.Fprintf(w, "  %s\n", c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "  %s [command]\n\nCommands:\n", c.CommandPath())
		for _, s := range c.Commands() {
			if s.IsAvailableCommand() || s.Name() == "help" {
				fmt.Fprintf(w, "  %-11s %s\n", s.Name(), s.Short)
			}
		}
	}
	for _, title := range flagGroups {
		set := pflag.NewFlagSet("", pflag.ContinueOnError)
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if g := f.Annotations[groupOf]; strings.Join(g, "") == title {
				set.AddFlag(f)
			}
		})
		if set.HasAvailableFlags() {
			fmt.Fprintf(w, "\n%s:\n%s", cmp.Or(strings.TrimPrefix(title+" flags", " flags"), "Flags"), set.FlagUsages())
		}
	}
	if c.HasAvailableInheritedFlags() {
		fmt.Fprintf(w, "\nGlobal flags:\n%s", c.InheritedFlags().FlagUsages())
	}
	return nil
}

// showVersion prepares "totemgo version".
func showVersion(e *env, c *cobra.Command) runner {
	e.jsonFlag(c)
	return func(_ context.Context, _ []string) error { return e.printVersion() }
}

// printVersion prints the version and the machine.
func (e *env) printVersion() error {
	doc := record.Version{Go: runtime.Version()}
	return e.show(record.SchemaVersion, &doc, func() {
		e.print("totemgo %s (%s, %s)\n%s, %d cores\n", doc.Version, doc.Go, doc.Machine.OS, doc.Machine.CPU, doc.Machine.Cores)
	})
}

// buildVersion is the module's version as the build knows it.
func buildVersion() string {
	if version != "" {
		return version
	}
	if b, ok := debug.ReadBuildInfo(); ok && b.Main.Version != "" {
		return b.Main.Version
	}
	return "(devel)"
}

// head fills in the common part of a document.
func (e *env) head(schema string) record.Head {
	return record.Head{
		Schema: schema, Command: strings.Join(append([]string{"totemgo"}, e.args...), " "), Version: buildVersion(),
		Machine: machine(), PeakRSSBytes: peakRSS(),
	}
}

func machine() *record.Machine {
	f := cpufeat.Get()
	m := &record.Machine{CPU: f.Name, Cores: runtime.NumCPU(), OS: runtime.GOOS + "/" + runtime.GOARCH, MemoryBytes: hugemem.Installed()}
	if f.AVX2 {
		m.Features = append(m.Features, "avx2")
	}
	if f.AVX512 {
		m.Features = append(m.Features, "avx512")
	}
	return m
}
