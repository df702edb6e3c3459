package power

import (
	"slices"
	"time"

	"github.com/totemgo/totemgo/record"
)

// Method is how a meter's readings become energy.
type Method uint8

// The methods.
const (
	// Counter meters read an energy counter: energy over an interval is a difference.
	Counter Method = iota
	// Power meters read power: energy is the trapezoid over the real times.
	Power
	// Modelled meters compute energy from a model; nothing is measured.
	Modelled
)

// String is the method's name in results.
func (m Method) String() string {
	return [...]string{Counter: "energy counter", Power: "integrated power", Modelled: "model"}[min(m, Modelled)]
}

// Info describes a meter. It does not change while the meter is open.
type Info struct {
	// Name is unique in a session, such as "rapl:package-0".
	Name string
	// Kind is the kind of source: "rapl", "nvml", "hwmon", "wattsup", "line",
	// "replay" or "model".
	Kind string
	// Domain is the part of the machine it covers: "package", "cores", "uncore",
	// "dram", "platform", "gpu", "cpu", "board" or "system".
	Domain string
	// Device is the device's own name, Source the file, port or command read.
	Device, Source string
	// Coverage is one of the Coverage names of package record.
	Coverage string
	Method   Method
	// Unit is the size of one step of Reading.Count in joules (Counter, Modelled)
	// or the resolution in watts, 0 if unknown (Power).
	Unit float64
	// Wrap is the number of steps after which a counter starts again; 0: it does not.
	Wrap uint64
	// Update is how often the source renews its value; 0: unknown.
	Update time.Duration
	// Stream is true where readings come at the source's own pace and carry its
	// own times, so that a mark cannot cause one.
	Stream bool
	// PartOf names the meter whose energy contains this one's: it is shown, and
	// left out of totals.
	PartOf string
	// Group is that of counters which may mirror one counter, such as those of a package's
	// dies; a session compares them. "": there are no others.
	Group string
	// Disabled is true where the source says that it is off.
	Disabled bool
	// Apart keeps the meter out of totals: what it covers overlaps with others.
	Apart bool
	// Estimated and Replayed mark figures that were not measured, or not now.
	Estimated, Replayed bool
}

// Reading is one value of a meter.
type Reading struct {
	// At is the time since the session's start.
	At time.Duration
	// Count is the counter (Counter, Modelled) in units of Info.Unit.
	Count uint64
	// Watts is the power (Power).
	Watts float64
	// Missing is true where the source had no value at this time.
	Missing bool
}

// Meter is one source of readings. The session that owns it calls it from one
// goroutine at a time.
type Meter interface {
	// Info describes the meter.
	Info() Info
	// Begin is called once, before the first Read, with the session's zero of time.
	Begin(start time.Time) error
	// Read returns the readings since the last call, in order. A meter that is
	// polled returns one, taken now; a stream returns those that came in, and may
	// return one later than now if it knows it. ErrEnded means that none will follow.
	Read(now time.Duration) ([]Reading, error)
	// Close ends the meter and every goroutine it started.
	Close() error
}

// passive is the part that meters share which do nothing between reads.
type passive struct{ info Info }

// Info describes the meter.
func (p passive) Info() Info { return p.info }

// Begin does nothing: the source is read when asked.
func (p passive) Begin(time.Time) error { return nil }

// Close does nothing: no file stays open.
func (p passive) Close() error { return nil }

// pollMeter asks for a number when it is read: of a counter, or power in steps of the unit.
type pollMeter struct {
	passive
	read func() (uint64, error)
}

// Read asks now.
func (m *pollMeter) Read(now time.Duration) ([]Reading, error) {
	v, err := m.read()
	if err != nil {
		return nil, err
	}
	r := Reading{At: now, Count: v}
	if m.info.Method == Power {
		r = Reading{At: now, Watts: float64(v) * m.info.Unit}
	}
	return []Reading{r}, nil
}

// Faults counts what a stream had to drop or correct. A Meter may implement
// Faulty to state them.
type Faults struct {
	Malformed  int // lines that held no reading
	ClockSteps int // jumps of the source's clock
	Repeats    int // records that were there already
	OutOfOrder int // records that came late; a finished log is sorted
	Notes      []string
}

// Faulty is implemented by meters that can drop readings before the session sees them.
type Faulty interface{ Faults() Faults } // the counts so far

// Describe turns a meter's description into its record.
func Describe(i Info) record.PowerMeter {
	m := record.PowerMeter{
		Name: i.Name, Kind: i.Kind, Domain: i.Domain, Device: i.Device, Source: i.Source,
		Coverage: i.Coverage, Method: i.Method.String(), PartOf: i.PartOf,
		Available: true, Estimated: i.Estimated, Replayed: i.Replayed,
	}
	switch i.Method {
	case Power:
		m.ResolutionW = positive(i.Unit)
	case Counter:
		m.ResolutionJ = positive(i.Unit)
	}
	m.WrapJ, m.UpdateIntervalS = positive(float64(i.Wrap)*i.Unit), positive(i.Update.Seconds())
	return m
}

// inTotal tells which meters the totals of a session contain, so that no joule
// counts twice: the first whole-system meter alone, if there is one; else all
// components that are neither part of another meter nor apart, or the platform
// meter if there are none; else the first model.
func inTotal(infos []Info) []bool {
	in := make([]bool, len(infos))
	first := func(is func(Info) bool) bool {
		i := slices.IndexFunc(infos, is)
		if i >= 0 {
			in[i] = true
		}
		return i >= 0
	}
	if first(func(x Info) bool { return x.Coverage == record.CoverageWholeSystem }) {
		return in
	}
	found := false
	for i, x := range infos {
		whole := func(y Info) bool { return y.Name == x.PartOf }
		if x.Coverage == record.CoverageComponent && !x.Apart && !slices.ContainsFunc(infos, whole) {
			in[i], found = true, true
		}
	}
	_ = found || first(func(x Info) bool { return x.Domain == "platform" }) ||
		first(func(x Info) bool { return x.Coverage == record.CoverageModel })
	return in
}

// lacking lists the components that cannot be read and would count in a total of components.
func lacking(infos []Info, in []bool, missing []Unavailable) (lack []Info) {
	if i := slices.Index(in, true); i < 0 || infos[i].Coverage != record.CoverageComponent {
		return nil
	}
	all := slices.Clone(infos)
	for _, u := range missing {
		if u.Info != nil && u.DuplicateOf == "" {
			all = append(all, *u.Info)
		}
	}
	for i, counts := range inTotal(all) {
		if counts && i >= len(infos) {
			lack = append(lack, all[i])
		}
	}
	return lack
}

// plural names what all the meters cover: packages, or meters of several kinds.
func plural(counted []MeterEnergy, lacking []Info) string {
	if slices.ContainsFunc(counted, func(m MeterEnergy) bool { return m.Info.Domain != "package" }) ||
		slices.ContainsFunc(lacking, func(x Info) bool { return x.Domain != "package" }) {
		return "meters"
	}
	return "packages"
}
