package cli

import (
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph500"
	"github.com/totemgo/totemgo/power"
)

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
		return usageError{err}
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
	if errors.Is(err, power.ErrSpec) {
		return nil, usageError{err}
	}
	if err != nil {
		return nil, err
	}
	for _, u := range missing {
		if u.DuplicateOf == "" {
			e.note("%s: %s", u.Name, strings.TrimSuffix(u.Reason+"; "+u.Cure, "; "))
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
