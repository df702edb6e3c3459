package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/internal/atomicfile"
	"github.com/totemgo/totemgo/power"
	"github.com/totemgo/totemgo/record"
)

// rewriteEvery is how often a recording rewrites its files; a write that takes long
// may take a tenth of the time at most.
const (
	rewriteEvery = time.Second
	rewriteShare = 10
)

const powerHelp = `power measures energy in sessions: meters are read before, during and after a command,
and every phase gets joules and watts, with what they cover. docs/energy.md says how.

  totemgo power meters
  totemgo power record -o session.json -- sleep 10
  totemgo power report session.json`

// powerCommands are those of power.
var powerCommands = []commandRow{
	{use: "meters", short: "List the meters of this machine, and why what is missing is missing", prepare: powerMeters, example: `  totemgo power meters
  totemgo power meters --sysfs-root tree.json --json`},
	{use: "record [flags] -- COMMAND [ARGUMENT...]", short: "Run a command and measure its energy", long: powerRecordHelp, prepare: powerRecord,
		example: `  totemgo power record -o s.json -- make bench
  totemgo power record --power model:idle=50,busy=180 -o s.json -- sleep 2
  totemgo power record --power replay:watts.csv,column=watts,covers=whole-system --samples s.csv -- sleep 10`},
	{use: "report SESSION", short: "Print a recorded session again", prepare: powerReport, example: `  totemgo power report s.json`},
}

// powerMeters prepares "totemgo power meters".
func powerMeters(e *env, c *cobra.Command) runner {
	var o power.OpenOptions
	e.jsonFlag(c)
	powerRootFlag(c, &o)
	return func(_ context.Context, _ []string) error {
		list, err := power.List(o)
		if err != nil {
			return err
		}
		list.Command, list.Version = "power meters", buildVersion()
		if e.json {
			return writeJSON(e.stdout, list)
		}
		printMeters(e.stdout, list)
		return nil
	}
}

func powerRootFlag(c *cobra.Command, o *power.OpenOptions) {
	c.Flags().StringVar(&o.SysfsRoot, "sysfs-root", "", "where sysfs is: a directory, or a JSON snapshot {path: content} (default /sys)")
}

func printMeters(w io.Writer, list *record.PowerMeters) {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	if len(list.Meters) > 0 {
		fmt.Fprintln(t, "METER\tCOVERS\tMETHOD\tRESOLUTION\tWRAPS AT\tRENEWED\tSTATE")
	}
	for _, m := range list.Meters {
		state := "in the total"
		switch {
		case m.DuplicateOf != "":
			state = "same as " + m.DuplicateOf
		case !m.Available:
			state = reason(m.Reason, m.Cure)
		case m.PartOf != "":
			state = "part of " + m.PartOf
		case !m.InTotal:
			state = "shown apart"
		case m.Reason != "":
			state += "; " + m.Reason
		}
		resolution := figure(m.ResolutionJ, "J", "-")
		if m.ResolutionW != nil {
			resolution = figure(m.ResolutionW, "W", "-")
		}
		fmt.Fprintf(t, "%s\t%s (%s)\t%s\t%s\t%s\t%s\t%s\n", m.Name, m.Domain, m.Coverage, m.Method,
			resolution, figure(m.WrapJ, "J", "-"), figure(m.UpdateIntervalS, "s", "-"), state)
	}
	_ = t.Flush() // w remembers it
	printMissing(w, list.Missing)
}

// figure states a figure that may be unknown.
func figure(x *float64, unit, unknown string) string {
	if x == nil {
		return unknown
	}
	return fmt.Sprintf("%.6g %s", *x, unit)
}

// reason says why a meter is missing, and the cure if one is known.
func reason(why, cure string) string { return strings.TrimSuffix(why+"; "+cure, "; ") }

func printMissing(w io.Writer, missing []record.PowerMissing) {
	for _, m := range missing {
		fmt.Fprintf(w, "%s: %s\n", m.Name, reason(m.Reason, m.Cure))
	}
}

// recording is what "power record" was asked for.
type recording struct {
	*env
	specs    []string
	open     power.OpenOptions
	rate     float64
	out      string
	samples  string
	baseline time.Duration
	subtract bool
}

const powerRecordHelp = `Run a command with its own standard streams, measure while it runs, and pass on its
exit status and signals. What is missing and the summary go to standard error, with -q nothing does.`

// powerRecord prepares "totemgo power record".
func powerRecord(e *env, c *cobra.Command) runner {
	r := recording{env: e}
	f := c.Flags()
	f.SetInterspersed(false)
	f.StringArrayVar(&r.specs, "power", []string{power.KindAuto},
		"meters: auto, none, rapl, nvml, hwmon, wattsup:PORT, line:FILE, replay:FILE, model:idle=W,busy=W; may be given several times")
	f.Float64Var(&r.rate, "rate", power.DefaultRate, "samples a second, 1 to 1000")
	f.StringVarP(&r.out, "output", "o", "", "write results and samples to this JSON file, whole each second (- for standard output, at the end)")
	f.StringVar(&r.samples, "samples", "", "write the samples to this CSV file, whole each second (- for standard output, at the end)")
	f.DurationVar(&r.baseline, "baseline", 0, "measure the idle machine this long before the command starts")
	f.BoolVar(&r.subtract, "subtract-baseline", false, "state also the energy less the baseline")
	powerRootFlag(c, &r.open)
	c.Args = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("record needs a command: totemgo power record -- COMMAND")
		}
		return nil
	}
	return r.run
}

func (r *recording) run(ctx context.Context, args []string) (err error) {
	specs, err := power.ParseSpecs(r.specs)
	switch {
	case err != nil:
		return err
	case !(r.rate >= power.MinRate && r.rate <= power.MaxRate):
		return usagef("--rate %g: from %d to %d", r.rate, power.MinRate, power.MaxRate)
	case r.baseline < 0:
		return usagef("--baseline %v: want 0 or more", r.baseline)
	case r.subtract && r.baseline == 0:
		return usagef("--subtract-baseline needs --baseline above 0")
	case r.out != "" && filepath.Clean(r.out) == filepath.Clean(r.samples):
		return usagef("--output and --samples name one file, %s", r.out)
	}
	cmd := exec.Command(args[0], args[1:]...)
	if cmd.Err != nil { // told before any file is touched
		return &exitError{startStatus(cmd.Err), cmd.Err}
	}
	// The command has the standard streams themselves, not copies of them.
	cmd.Stdin, cmd.Stdout, cmd.Stderr = r.stdin.(*patient).from, beneath(r.stdout), r.stderr

	meters, missing, err := power.Open(specs, r.open) // may wait, such as for a pipe's writer
	if err != nil {
		return err
	}
	// Signals that come from here on are for the command, once it runs.
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, passedSignals()...)
	endsItself(ctx)
	defer signal.Stop(signals)
	if !r.quiet && len(meters) == 0 {
		for _, u := range missing {
			fmt.Fprintf(r.stderr, "power: %s: %s\n", u.Name, reason(u.Reason, u.Cure))
		}
	}
	// Signals go to the command; the session ends after it, whatever they do to ctx.
	s, err := power.Start(context.WithoutCancel(ctx), power.Options{Meters: meters, Unavailable: missing, Rate: r.rate, SubtractBaseline: r.subtract})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := measureBaseline(ctx, s, r.baseline, signals); err != nil {
		return err
	}
	status, result, err := r.command(s, cmd, signals)
	if err != nil {
		return err
	}
	if !r.quiet {
		told := *result
		if len(meters) == 0 {
			told.Missing = nil // said before the run
		}
		w := &remembered{to: r.stderr}
		if printSession(w, &told); w.err != nil {
			return w.err
		}
	}
	if status != 0 {
		return &exitError{status: status} // the command has said what there is to say
	}
	return nil
}

// measureBaseline waits for the baseline, if there is to be one, or for a signal that
// ends the run, which may have come already.
func measureBaseline(ctx context.Context, s *power.Session, d time.Duration, signals <-chan os.Signal) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	got := make(chan error, 1)
	if d > 0 {
		go func() {
			_, err := s.Baseline(ctx, d)
			got <- err
		}()
	} else {
		got <- ctx.Err() // a signal may have come before
	}
	for {
		select {
		case sig := <-signals:
			if st := endingStatus(sig); st != 0 {
				cancel()
				<-got
				return &exitError{st, fmt.Errorf("ended by %v before the command", sig)}
			}
		case err := <-got:
			if len(signals) == 0 {
				return err
			}
			got <- err // signals go first
		}
	}
}

// command runs the command under the session and keeps the files up to date. It
// closes the session. status is the command's exit status, 128 plus the signal's
// number if a signal ended it.
func (r *recording) command(s *power.Session, cmd *exec.Cmd, signals <-chan os.Signal) (status int, result *record.PowerSession, err error) {
	state := func(exit *int) *record.PowerSession {
		p := s.Result()
		p.Command, p.Version, p.Argv, p.ExitStatus = "power record", buildVersion(), cmd.Args, exit
		return p
	}
	update := func() error {
		if r.out == "" && r.samples == "" {
			return nil
		}
		return r.write(state(nil), false)
	}
	if err := update(); err != nil {
		return 0, nil, err // refuses a file that cannot be written before the command runs
	}
	mark := s.Mark("command")
	if err := cmd.Start(); err != nil {
		return 0, nil, &exitError{startStatus(err), err}
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	next := time.NewTimer(0)
	defer next.Stop()
	for running := true; running; {
		select {
		case sig := <-signals:
			passSignal(cmd.Process, sig)
		case <-next.C:
			begun := time.Now()
			_ = update() // the last write, after the run, tells if it fails
			next.Reset(max(rewriteEvery, rewriteShare*time.Since(begun)))
		case err = <-ended:
			running = false
		}
	}
	mark.End()
	cerr := s.Close()
	status = endStatus(cmd.ProcessState)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = nil // the status says it
	}
	result = state(&status)
	if cerr != nil {
		result.Notes = append(result.Notes, "closing the meters: "+cerr.Error())
	}
	werr := r.write(result, true)
	if werr != nil && status != 0 {
		// Prints the failure, and keeps the command's own status.
		fmt.Fprintln(r.stderr, "totemgo:", werr)
		werr = nil
	}
	return status, result, errors.Join(err, werr)
}

// write writes the files that were asked for; standard output, devices and pipes once, at the end.
func (r *recording) write(p *record.PowerSession, end bool) error {
	var errs []error
	for _, f := range []struct {
		path   string
		encode func(io.Writer, *record.PowerSession) error
	}{{r.out, power.EncodeSession}, {r.samples, power.WriteSamples}} {
		switch {
		case f.path == "" || !end && special(f.path):
		case f.path == "-":
			errs = append(errs, f.encode(r.stdout, p))
		default:
			errs = append(errs, atomicfile.Write(f.path, func(w io.Writer) error { return f.encode(w, p) }))
		}
	}
	return errors.Join(errs...)
}

// special tells whether path is no file: standard output, a device or a pipe.
func special(path string) bool {
	st, err := os.Stat(path)
	return path == "-" || err == nil && !st.Mode().IsRegular() && !st.IsDir()
}

// powerReport prepares "totemgo power report".
func powerReport(e *env, c *cobra.Command) runner {
	e.jsonFlag(c)
	return func(ctx context.Context, args []string) error {
		in, err := openInput(ctx, args[0])
		if err != nil {
			return err
		}
		defer in.Close()
		s, err := power.DecodeSession(args[0], in)
		if err != nil {
			return err
		}
		if e.json {
			return writeJSON(e.stdout, s)
		}
		printSession(e.stdout, s)
		return nil
	}
}

// printSession prints a session for people. Whatever is estimated or replayed says so
// beside every figure.
func printSession(w io.Writer, s *record.PowerSession) {
	const unknown = "unknown"
	tag := ""
	if s.Estimated {
		tag += " estimated"
	}
	if s.Replayed {
		tag += " replayed"
	}
	fmt.Fprintf(w, "session of %.3f s from %s", s.DurationS, s.Start)
	if len(s.Argv) > 0 {
		fmt.Fprintf(w, ": %s", strings.Join(s.Argv, " "))
	}
	if s.ExitStatus != nil {
		fmt.Fprintf(w, " (exit status %d)", *s.ExitStatus)
	}
	if !s.Complete {
		fmt.Fprint(w, " (not complete)")
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "MARK\tMETER\tSECONDS\tCOVERED\tENERGY\tMEAN\tPEAK\t")
	for _, m := range s.Marks {
		name := m.Name
		if m.Open {
			name += " (open)"
		}
		coverage := cmp.Or(m.Coverage, "no meter")
		if m.Partial != "" {
			coverage += ", partial: " + m.Partial
		}
		fmt.Fprintf(t, "%s\ttotal (%s)\t%.3f\t%.3f\t%s\t%s\t%s\t%s\n", name, coverage, m.DurationS, m.CoveredS,
			figure(m.EnergyJ, "J", unknown), figure(m.MeanW, "W", unknown), figure(m.PeakW, "W", unknown), strings.TrimSpace(tag))
		if m.NetEnergyJ != nil {
			fmt.Fprintf(t, "\tless baseline\t\t\t%s\t\t\t%s\n", figure(m.NetEnergyJ, "J", unknown), strings.TrimSpace(tag))
		}
		for _, x := range m.Meters {
			note := ""
			if !x.InTotal {
				note = "apart"
			}
			if x.GapS > 0 {
				note += fmt.Sprintf(" %.3g s bridged", x.GapS)
			}
			if x.ExtrapolatedS > 0 {
				note += fmt.Sprintf(" %.3g s extrapolated", x.ExtrapolatedS)
			}
			fmt.Fprintf(t, "\t%s\t\t%.3f\t%s\t%s\t%s\t%s\n", x.Name, x.CoveredS,
				figure(x.EnergyJ, "J", unknown), figure(x.MeanW, "W", unknown), figure(x.PeakW, "W", unknown), strings.TrimSpace(note))
		}
	}
	_ = t.Flush() // w remembers it
	for _, m := range s.Meters {
		printSeen(w, m)
	}
	if s.BaselineW != nil {
		fmt.Fprintf(w, "baseline: %s%s\n", figure(s.BaselineW, "W", unknown), tag)
	}
	fmt.Fprint(w, singular(fmt.Sprintf("sampler: %g Hz, %d rounds, %d late, %.3g s inside reads (%.2g of one core), longest %.3g s\n",
		s.Sampler.RateHz, s.Sampler.Ticks, s.Sampler.LateTicks, s.Sampler.CostS, s.Sampler.CostShare, s.Sampler.WorstTickS)))
	printMissing(w, s.Missing)
	for _, n := range s.Notes {
		fmt.Fprintln(w, "note:", n)
	}
}

// printSeen prints what happened to a meter: one line, longer the more went wrong.
func printSeen(w io.Writer, m record.PowerMeter) {
	if m.Seen == nil {
		return
	}
	n := m.Seen
	line := fmt.Sprintf("%s: %s, %d samples", m.Name, m.Method, n.Samples)
	for _, x := range []struct {
		count int
		what  string
	}{
		{n.Wraps, "wraps"}, {n.Resets, "resets"}, {n.Repeats, "repeats"}, {n.Late, "late"}, {n.OutOfOrder, "out of order"},
		{n.Malformed, "malformed"}, {n.Failures, "failed reads"}, {n.ClockSteps, "clock steps"},
	} {
		if x.count > 0 {
			line += fmt.Sprintf(", %d %s", x.count, x.what)
		}
	}
	if n.Gaps > 0 || n.MissingSamples > 0 {
		line += fmt.Sprintf(", %d gaps (%d samples missing, the longest %.3g s)", n.Gaps, n.MissingSamples, n.LongestGapS)
	}
	if n.Lost {
		at := 0.0
		if n.LostAtS != nil {
			at = *n.LostAtS
		}
		line += fmt.Sprintf("; lost at %.3f s: %s", at, n.Reason)
	}
	fmt.Fprintln(w, singular(line))
	for _, x := range n.Notes {
		fmt.Fprintf(w, "%s: %s\n", m.Name, x)
	}
}

// startStatus is the status for a command that could not be started: 127 where there
// is none of that name, 126 where it cannot be run.
func startStatus(err error) int {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return 127
	}
	return 126
}
