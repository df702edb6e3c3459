package graph500

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/power"
	"github.com/totemgo/totemgo/record"
)

// PowerConfig asks for a power session after a validated run: searches over the same
// roots are repeated, without validation, for a time.
type PowerConfig struct {
	// Session holds the meters, as power.Open returns them, and how to read them. Run
	// owns the meters, and closes them whatever it returns. Without any meter there are
	// no figures, which is no error.
	Session power.Options
	// Duration is how long searches are repeated: the search under way then still ends,
	// and every root is searched once at least.
	Duration time.Duration
	// Against, if set, makes a second configuration of the same graph. Its trees are
	// validated too. Then the two search in turn and are compared, instead of the
	// figures of the first alone.
	Against Build
}

// shortGreen is what the rules ask for at least.
const shortGreen = time.Minute

// powered is the power side of one run. Without meters it is nil; all methods but
// repeat and compare may then be called.
type powered struct {
	PowerConfig
	meters  []*heldMeter
	session *power.Session // reads during the run before; nil without a meter that can
	marks   []*power.Mark
	phases  []record.GreenPhase
}

// newPowered takes over the meters.
func newPowered(c *PowerConfig) *powered {
	if c == nil || len(c.Session.Meters) == 0 {
		return nil
	}
	p := &powered{PowerConfig: *c}
	for _, m := range c.Session.Meters {
		p.meters = append(p.meters, &heldMeter{Meter: m})
	}
	return p
}

// start begins a session over the meters, replayed logs among them or not. It is nil without a meter.
func (p *powered) start(ctx context.Context, replayed bool) (*power.Session, error) {
	o := p.Session
	o.Meters = nil
	for _, m := range p.meters {
		if replayed || !m.Info().Replayed {
			o.Meters = append(o.Meters, m)
		}
	}
	if len(o.Meters) == 0 {
		return nil, nil
	}
	s, err := power.Start(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPower, err)
	}
	return s, nil
}

// begin starts the session of the run before the repeated searches. It leaves out replayed
// logs, which begin with the first repeated search.
func (p *powered) begin(ctx context.Context) (err error) {
	if p != nil {
		p.session, err = p.start(ctx, false)
	}
	return err
}

// phase marks a stage of the run before, until the function it returns is called.
func (p *powered) phase(s Stage) (end func()) {
	if p == nil || p.session == nil {
		return func() {}
	}
	m := p.session.Mark(string(s))
	p.marks = append(p.marks, m)
	return func() { m.End() }
}

// endRun ends the session of the run before and keeps its phases.
func (p *powered) endRun() error {
	if p == nil || p.session == nil {
		return nil
	}
	for _, m := range p.marks {
		i := m.End().Record() // again: a stream's later readings make it more exact
		f := record.GreenPhase{Name: i.Name, DurationS: i.DurationS, EnergyJ: i.EnergyJ, Meters: []record.GreenPhaseMeter{}}
		for _, e := range i.Meters {
			if e.EnergyJ != nil {
				f.Meters = append(f.Meters, record.GreenPhaseMeter{Name: e.Name, EnergyJ: *e.EnergyJ})
			}
		}
		p.phases = append(p.phases, f)
	}
	err := p.session.Close()
	p.session, p.marks = nil, nil
	return err
}

// close ends the session, if any, and closes the meters.
func (p *powered) close() error {
	if p == nil {
		return nil
	}
	errs := []error{p.endRun()}
	for _, m := range p.meters {
		errs = append(errs, m.Meter.Close())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%w: closing the meters: %w", ErrPower, err)
	}
	return nil
}

// measure ends the session of the run before, and fills in the figures of repeated
// searches. A failure then, but the context's, keeps the validated run.
func (p *powered) measure(ctx context.Context, c Config, e Engine, tuples graph.Source, out *record.Graph500) error {
	err := p.endRun()
	switch {
	case err != nil:
	case p.Against != nil:
		err = p.compare(ctx, c, e, tuples, out)
	default:
		err = p.repeat(ctx, c, e, out)
	}
	if cerr := ctx.Err(); cerr != nil {
		return cerr
	}
	if err == nil || errors.Is(err, ErrValidation) || errors.Is(err, ErrPower) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrPower, err)
}

// tally counts searches and their seconds per edge.
type tally struct {
	searches int64
	perEdge  float64
}

// search repeats a search that the validated run made. Its edges are known from
// there: they depend on the root alone.
func (t *tally) search(ctx context.Context, e Engine, s record.Search) error {
	start := time.Now()
	found, err := e.Search(ctx, uint32(s.Root))
	spent := time.Since(start)
	if err != nil {
		return fmt.Errorf("graph500: repeated search from %d: %w", s.Root, err)
	}
	t.searches++
	t.perEdge += max(spent-found.Copy, 1).Seconds() / float64(s.NEdge)
	return nil
}

// efficiency returns the figures of the searches, which took so many seconds and joules.
func (t *tally) efficiency(seconds, joules float64, meters []record.GreenMeter) record.Efficiency {
	e := record.Efficiency{
		HarmonicMeanTEPS: float64(t.searches) / t.perEdge, Searches: t.searches, DurationS: seconds, EnergyJ: joules,
		AveragePowerW: joules / seconds, JoulesPerSearch: joules / float64(t.searches), Meters: meters,
	}
	e.MTEPSPerWatt = e.HarmonicMeanTEPS / 1e6 / e.AveragePowerW
	return e
}

// countdown returns a function that reports progress once a second, and whether the time is over.
func countdown(total time.Duration, report func(Stage, int64, int64)) (over func() bool) {
	start, last := time.Now(), int64(0)
	return func() bool {
		spent := time.Since(start)
		if s := int64(min(spent, total) / time.Second); s > last {
			last = s
			report(Repeating, s, int64((total+time.Second-1)/time.Second))
		}
		return spent >= total
	}
}

// repeat searches from all roots in turn while a session reads the meters.
func (p *powered) repeat(ctx context.Context, c Config, e Engine, out *record.Graph500) (err error) {
	s, err := p.start(ctx, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	var t tally
	mark := s.Mark(string(Repeating))
	over := countdown(p.Duration, c.Progress)
	for i := 0; ; i++ {
		if err := t.search(ctx, e, out.Searches[i%len(out.Searches)]); err != nil {
			return err
		}
		if over() && i+1 >= len(out.Searches) {
			break
		}
	}
	energy := awaitReadings(ctx, mark)
	result := s.Result()
	cost, err := power.CostOf(energy)
	if err == nil && cost.Joules <= 0 {
		err = fmt.Errorf("no energy was counted: %w", power.ErrUnknownEnergy)
	}
	if err != nil {
		return fmt.Errorf("%w: %w%s", ErrPower, err, unknown(result))
	}
	g := &record.Green{Evidence: evidence(energy, result), CoveredS: energy.Covered, Phases: p.phases}
	if energy.Covered < cost.Seconds-1e-6 {
		g.Notes = append(g.Notes, fmt.Sprintf("the energy is known for %.3f of %.3f s: the mean power of these stands for the rest", energy.Covered, cost.Seconds))
	}
	if p.Duration < shortGreen {
		g.Notes = append(g.Notes, "shorter than a minute: the Green Graph500 rules ask for more")
	}
	meters := []record.GreenMeter{}
	for k, m := range energy.Meters {
		x := record.GreenMeter{Name: m.Info.Name, Covers: m.Info.Domain, Coverage: m.Info.Coverage, EnergyJ: m.Joules, Seen: result.Meters[k].Seen}
		switch {
		case m.InTotal:
			x.EnergyJ = m.MeanWatts() * cost.Seconds
			meters = append(meters, x)
		case m.Known:
			g.Apart = append(g.Apart, x)
		}
		if m.InTotal && m.Extrapolated > 0 {
			g.Notes = append(g.Notes, fmt.Sprintf("%s: its value is held for %.3g s where it had no reading yet", m.Info.Name, m.Extrapolated))
		}
	}
	g.Efficiency = t.efficiency(cost.Seconds, cost.Joules, meters)
	out.Green = g
	return nil
}

// readingWait is the limit of awaitReadings: two readings of a meter with one a second, and
// a margin.
const readingWait = 2500 * time.Millisecond

// awaitReadings ends a mark and waits up to readingWait for the last reading of a live
// stream.
func awaitReadings(ctx context.Context, mark *power.Mark) power.Interval {
	for end := time.Now().Add(readingWait); ; {
		i := mark.End()
		waits := func(m power.MeterEnergy) bool { return m.InTotal && m.Info.Stream && m.Extrapolated > 0 }
		if !slices.ContainsFunc(i.Meters, waits) || time.Now().After(end) {
			return i
		}
		select {
		case <-ctx.Done():
			return i
		case <-time.After(readingWait / 50):
		}
	}
}

// evidence returns how a session knows the energy of i, with the caveats.
func evidence(i power.Interval, s *record.PowerSession) record.Evidence {
	n := slices.Clone(s.Notes)
	if i.Coverage == record.CoverageComponent {
		n = append(n, "component power: the Green Graph500 rules ask for that of the whole system")
	}
	for _, m := range s.Meters {
		if !m.InTotal {
			continue
		}
		for _, note := range m.Seen.Notes {
			n = append(n, m.Name+": "+note)
		}
		if m.Seen.Lost {
			n = append(n, fmt.Sprintf("%s was lost %.3f s after the start: %s", m.Name, *m.Seen.LostAtS, m.Seen.Reason))
		}
		if m.Seen.Gaps > 0 && m.Method == power.Power.String() { // counters lose nothing in a gap
			n = append(n, fmt.Sprintf("%s: gaps bridged by a straight line: %d, the longest of %.3g s", m.Name, m.Seen.Gaps, m.Seen.LongestGapS))
		}
	}
	return record.Evidence{Coverage: i.Coverage, Estimated: i.Estimated, Replayed: i.Replayed, Sampler: s.Sampler, Notes: n}
}

// unknown lists the meters that were lost, or should count and know no energy; "" if there are none.
func unknown(s *record.PowerSession) string {
	var b strings.Builder
	for _, m := range s.Meters {
		if m.Seen.Lost {
			fmt.Fprintf(&b, "; %s was lost: %s", m.Name, m.Seen.Reason)
		} else if m.InTotal && m.Seen.EnergyJ == nil {
			fmt.Fprintf(&b, "; %s: %s", m.Name, cmp.Or(strings.Join(m.Seen.Notes, "; "), "no reading came"))
		}
	}
	return b.String()
}

// heldMeter is a meter that serves several sessions, one after the other: it begins
// once and is closed by its owner, and its times are moved to those of the session.
type heldMeter struct {
	power.Meter
	begun bool
	zero  time.Time
	shift time.Duration   // the session's start, by the meter's time
	last  []power.Reading // the last reading, by the meter's time, or none
	again bool            // a stream's last reading is to be given once more
}

// Begin begins the meter at the first session.
func (m *heldMeter) Begin(start time.Time) error {
	if m.begun {
		m.shift, m.again = start.Sub(m.zero), m.Info().Stream
		return nil
	}
	m.begun, m.zero = true, start
	return m.Meter.Begin(start)
}

// Read moves the readings' times. Those from before the session have negative ones;
// of a stream the last of them comes first, so that the power at the session's start
// is known.
func (m *heldMeter) Read(now time.Duration) ([]power.Reading, error) {
	readings, err := m.Meter.Read(now + m.shift)
	if m.again {
		readings, m.again = slices.Concat(m.last, readings), false
	}
	if n := len(readings); n > 0 {
		m.last = slices.Clone(readings[n-1:])
	}
	moved := slices.Clone(readings)
	for i := range moved {
		moved[i].At -= m.shift
	}
	return moved, err
}

// Faults are the meter's own, if it tells them.
func (m *heldMeter) Faults() power.Faults {
	if f, ok := m.Meter.(power.Faulty); ok {
		return f.Faults()
	}
	return power.Faults{}
}

// Close does nothing: the owner closes the meter.
func (m *heldMeter) Close() error { return nil }
