package power

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/totemgo/totemgo/record"
)

// The sampler's rates in Hz.
const (
	MinRate     = 1
	MaxRate     = 1000
	DefaultRate = 10
)

// maxFailures is how many reads in a row may fail before a meter counts as lost. Until
// it has failed for failingFor it is still tried, so that a short fault does not end it
// at a high rate.
const (
	maxFailures = 3
	failingFor  = time.Second
)

// clockStep is how far the wall clock may drift from the monotonic clock between two
// rounds before that is a step.
const clockStep = 500 * time.Millisecond

// Options of a session. The zero value has no meters and samples at DefaultRate.
type Options struct {
	// Meters are the meters to read, as Open returns them. The session owns them
	// from Start on, also when Start fails, and closes them.
	Meters []Meter
	// Unavailable is what to state as missing in results, as Open returns it.
	Unavailable []Unavailable
	// Rate is the sampling rate in Hz, from MinRate to MaxRate; 0 is DefaultRate.
	Rate float64
	// SubtractBaseline adds to every interval its energy less the power that
	// Baseline measured.
	SubtractBaseline bool

	// clock returns the time since the session's start and the wall clock; nil is
	// the machine's. A session with a clock has no sampler: sample is called instead.
	clock func() (time.Duration, time.Time)
}

// A Session reads meters in one goroutine of its own, from Start to Close. All
// methods may be called from several goroutines.
type Session struct {
	o       Options
	start   time.Time
	total   []bool // which meters count, before mirrors are found
	lacking []Info // meters that would count if they could be read
	stop    context.CancelFunc
	sampler sync.WaitGroup

	mu     sync.Mutex
	series []*series
	pairs  []*pair
	marks  []*Mark
	closed bool
	shut   func() error  // closes the meters, once
	end    time.Duration // when closed

	lastRound  time.Duration
	cost       record.PowerSampler
	wallOffset time.Duration // wall clock less monotonic clock, at the last round
	clockSteps int
	baseline   *Interval
}

// Start begins a session and its sampler, and takes the first reading of every
// meter. ctx ends the sampler as Close does, but the results stay. No meters at all
// is no error: every energy is then unknown.
func Start(ctx context.Context, o Options) (*Session, error) {
	s := &Session{o: o, start: time.Now(), shut: sync.OnceValue(func() error { return closeMeters(o.Meters) })}
	s.cost.RateHz = cmp.Or(o.Rate, DefaultRate)
	if !(s.cost.RateHz >= MinRate && s.cost.RateHz <= MaxRate) {
		return nil, errors.Join(fmt.Errorf("power: %g Hz: %w (%d to %d)", o.Rate, ErrRate, MinRate, MaxRate), s.shut())
	}
	infos := make([]Info, len(o.Meters))
	for i, m := range o.Meters {
		infos[i] = m.Info()
		ser := &series{info: infos[i]}
		if !infos[i].Stream {
			ser.period = 1 / s.cost.RateHz
		}
		s.series = append(s.series, ser)
	}
	s.total = inTotal(infos)
	s.lacking = lacking(infos, s.total, o.Unavailable)
	if o.clock != nil {
		_, s.start = o.clock()
	}
	for _, m := range o.Meters {
		if err := m.Begin(s.start); err != nil {
			return nil, errors.Join(fmt.Errorf("power: start %s: %w", m.Info().Name, err), s.shut())
		}
	}
	ctx, s.stop = context.WithCancel(ctx)
	s.sample()
	for j, b := range infos {
		for i, a := range infos[:j] {
			if a.Group != "" && a.Group == b.Group {
				s.pairs = append(s.pairs, &pair{first: i, second: j, at: [2]uint64{s.series[i].raw, s.series[j].raw}})
			}
		}
	}
	if o.clock == nil {
		s.sampler.Go(func() { s.run(ctx) })
	}
	return s, nil
}

func closeMeters(ms []Meter) error {
	var errs []error
	for _, m := range ms {
		errs = append(errs, m.Close())
	}
	return errors.Join(errs...)
}

// now returns the session's time and the wall clock.
func (s *Session) now() (time.Duration, time.Time) {
	if s.o.clock != nil {
		return s.o.clock()
	}
	t := time.Now()
	return t.Sub(s.start), t.Round(0)
}

// run is the sampler: rounds at multiples of the period; one that comes too late is
// counted, those that were missed altogether are left out.
func (s *Session) run(ctx context.Context) {
	period := time.Duration(float64(time.Second) / s.cost.RateHz)
	timer := time.NewTimer(period)
	defer timer.Stop()
	due := period
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		s.mu.Lock()
		t, _ := s.now()
		s.round(t-due > period/2)
		t, _ = s.now()
		s.mu.Unlock()
		if due += period; due <= t {
			due = (t/period + 1) * period
		}
		timer.Reset(due - t)
	}
}

// sample takes one round of readings now and returns its time.
func (s *Session) sample() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.round(false)
}

// round reads every meter once; the lock is held. All readings of a round bear the
// time of its start, so that a mark's edge is a reading.
func (s *Session) round(late bool) time.Duration {
	if s.closed {
		return s.end
	}
	t, wall := s.now()
	if s.cost.Ticks > 0 && t == s.lastRound {
		return t // read at this very time already
	}
	s.lastRound = t
	offset := wall.Sub(s.start.Round(0)) - t
	if d := offset - s.wallOffset; s.cost.Ticks > 0 && (d > clockStep || d < -clockStep) {
		s.clockSteps++
	}
	s.wallOffset = offset
	s.cost.Ticks++
	if late {
		s.cost.LateTicks++
	}
	for i, m := range s.o.Meters {
		if ser := s.series[i]; !ser.gone {
			readings, err := m.Read(t)
			ser.take(readings, err, t, late)
		}
	}
	for _, p := range s.pairs {
		p.compare(s.series[p.first], s.series[p.second])
	}
	after, _ := s.now()
	d := (after - t).Seconds()
	s.cost.CostS += d
	s.cost.WorstTickS = max(s.cost.WorstTickS, d)
	return t
}

// A Mark is a phase of a session between two readings of every meter.
type Mark struct {
	s          *Session
	name       string
	start, end time.Duration
	ended      bool
}

// Mark begins a phase. Phases may overlap and names may repeat. Every polled meter
// is read now, so that the phase's energy does not depend on the sampling rate.
func (s *Session) Mark(name string) *Mark {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := &Mark{s: s, name: name, start: s.round(false)}
	s.marks = append(s.marks, m)
	return m
}

// End ends the phase with another reading and returns its energy. A second End
// returns the phase's energy again, which for streams may have grown more exact,
// now that later readings are in.
func (m *Mark) End() Interval {
	s := m.s
	s.mu.Lock()
	if !m.ended {
		m.end, m.ended = s.round(false), true
	}
	end, v := m.end, s.look()
	s.mu.Unlock()
	return v.interval(m.name, m.start, end)
}

// view is what a session holds at one moment. Readings are only ever appended, so it
// can be worked on while the sampler goes on.
type view struct {
	series   []series
	nominal  []float64 // steps, reckoned once
	total    []bool
	mirrors  []string // the meter whose counter this one shows too, or ""
	lacking  []Info
	baseline *Interval // nil: nothing to subtract
}

// look takes a view; the lock is held.
func (s *Session) look() *view {
	v := &view{total: slices.Clone(s.total), lacking: s.lacking, mirrors: make([]string, len(s.series))}
	for _, x := range s.series {
		v.series = append(v.series, *x)
	}
	for _, p := range s.pairs {
		yes, open := p.mirrored(s.series)
		first, second := v.series[p.first].info.Name, &v.series[p.second]
		switch {
		case yes:
			v.total[p.second], v.mirrors[p.second] = false, first
		case open && v.total[p.second]:
			second.seen.Notes = append(slices.Clip(second.seen.Notes), "too little energy to tell whether it mirrors "+first)
		}
	}
	if s.o.SubtractBaseline {
		v.baseline = s.baseline
	}
	return v
}

// interval is the energy between two times, less the baseline besides if that is asked for.
func (v *view) interval(name string, from, to time.Duration) Interval {
	i := v.gross(name, from, to)
	if v.baseline != nil && i.Known {
		i.NetJoules, i.HasNet = i.Joules-v.baseline.MeanWatts()*i.Covered, true
	}
	return i
}

func (v *view) gross(name string, from, to time.Duration) Interval {
	for k := len(v.nominal); k < len(v.series); k++ {
		v.nominal = append(v.nominal, v.series[k].nominal())
	}
	i := Interval{Name: name, Start: from, End: to}
	a, b := from.Seconds(), to.Seconds()
	var counted []MeterEnergy
	var together []*series
	known, means, window := 0, 0.0, 0.0
	for k := range v.series {
		s := &v.series[k]
		m := s.between(a, b, v.nominal[k])
		m.InTotal = v.total[k]
		i.Meters = append(i.Meters, m)
		if m.InTotal {
			counted, together = append(counted, m), append(together, s)
			means, window = means+m.MeanWatts(), max(window, s.window(v.nominal[k]))
			if m.Known {
				known++
			}
			i.Coverage = s.info.Coverage
			i.Estimated = i.Estimated || s.info.Estimated
			i.Replayed = i.Replayed || s.info.Replayed
		}
	}
	if all := len(counted) + len(v.lacking); known > 0 && known < all {
		i.Partial = fmt.Sprintf("%d of %d %s", known, all, plural(counted, v.lacking))
	}
	if len(counted) == 0 || known < len(counted) {
		return i
	}
	i.Energy = slices.MinFunc(counted, func(a, b MeterEnergy) int { return cmp.Compare(a.Covered, b.Covered) }).Energy
	if len(counted) == 1 {
		return i
	}
	// Meters that know different parts of the interval are brought to the part that all of
	// them cover by their own mean power.
	i.Joules = 0
	for _, m := range counted {
		i.Joules += m.Joules * (i.Covered / m.Covered)
	}
	i.PeakWatts = max(means, peak(together, a, b, window))
	return i
}

// Baseline measures for d what the machine draws when nothing runs; the caller sees
// to it that nothing does. It returns early with ctx's error. The figure is stated in
// results, and subtracted only with Options.SubtractBaseline.
func (s *Session) Baseline(ctx context.Context, d time.Duration) (Interval, error) {
	m := s.Mark("baseline")
	var err error
	select {
	case <-ctx.Done():
		err = ctx.Err()
	case <-time.After(d):
	}
	i := m.End()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && i.Known {
		s.baseline = &i
	}
	i.HasNet = false
	return i, err
}

// Close takes a last reading, ends the sampler and closes the meters. The results
// stay. The error joins those of the meters; a second Close returns what the first did.
func (s *Session) Close() error {
	s.mu.Lock()
	s.end = s.round(false)
	s.closed = true
	s.mu.Unlock()
	s.stop()
	s.sampler.Wait()
	return s.shut()
}

// Result states the session so far: meters with what happened to them, their
// samples, and every mark. Until Close it takes a reading first, and marks that
// have not ended reach until now. What it returns is the caller's.
func (s *Session) Result() *record.PowerSession {
	s.mu.Lock()
	t := s.round(false)
	p := &record.PowerSession{
		Schema: record.PowerSessionSchema, Start: s.start.Round(0).UTC().Format(time.RFC3339Nano),
		DurationS: t.Seconds(), Complete: s.closed, ClockSteps: s.clockSteps,
		Meters: []record.PowerMeter{}, Marks: []record.PowerMark{}, Sampler: s.cost,
	}
	if s.baseline != nil {
		p.BaselineW = pointer(s.baseline.MeanWatts())
	}
	v := s.look()
	var marks []Mark
	for _, m := range s.marks {
		marks = append(marks, *m)
	}
	s.mu.Unlock()

	if t > 0 {
		p.Sampler.CostShare = p.Sampler.CostS / t.Seconds()
	}
	whole := v.gross("", 0, t)
	p.Coverage, p.Partial, p.Estimated, p.Replayed = whole.Coverage, whole.Partial, whole.Estimated, whole.Replayed
	for i := range v.series {
		m := v.meterRecord(i, whole.Meters[i])
		if f, ok := s.o.Meters[i].(Faulty); ok {
			x := f.Faults()
			m.Seen.Malformed += x.Malformed
			m.Seen.ClockSteps += x.ClockSteps
			m.Seen.Repeats += x.Repeats
			m.Seen.OutOfOrder += x.OutOfOrder
			m.Seen.Notes = append(m.Seen.Notes, x.Notes...)
		}
		p.Meters = append(p.Meters, m)
	}
	for _, u := range s.o.Unavailable {
		p.Missing = append(p.Missing, record.PowerMissing{Name: u.Name, Reason: u.Reason, Cure: u.Cure})
	}
	for _, m := range marks {
		end := m.end
		if !m.ended {
			end = t
		}
		r := v.interval(m.name, m.start, end).Record()
		r.Open = !m.ended
		p.Marks = append(p.Marks, r)
	}
	p.Notes = notes(whole, p.ClockSteps)
	return p
}

// meterRecord states one meter of a view.
func (v *view) meterRecord(i int, e MeterEnergy) record.PowerMeter {
	ser := &v.series[i]
	m := Describe(ser.info)
	m.InTotal, m.DuplicateOf = v.total[i], v.mirrors[i]
	seen := ser.seen
	seen.Samples, seen.CoveredS = len(ser.points), e.Covered
	seen.EnergyJ, seen.MeanW, seen.PeakW = e.figures()
	seen.Gaps, seen.MissingSamples, seen.LongestGapS, seen.GapS = ser.gaps(math.Inf(-1), math.Inf(1), v.nominal[i])
	seen.MissingSamples += ser.absent
	off, span := "", 0.0
	if n := len(ser.points); n > 0 {
		seen.MissingSamples += ser.points[0].m
		span = ser.points[n-1].t - ser.points[0].t
	}
	if ser.info.Disabled {
		off = " (it is disabled: enabled is 0)"
	}
	n := remarks(slices.Clone(seen.Notes))
	counter := ser.info.Method == Counter
	n.add(counter && !e.Known && seen.Samples > 1 && seen.Resets == 0,
		"the counter did not move in %.3g s%s: its energy is unknown", span, off)
	n.add(counter && seen.Resets > 0 && ser.info.Wrap == 0,
		"the counter fell and its range is unknown: so is what it counted then")
	n.add(counter && seen.Resets > 0 && ser.info.Wrap > 0,
		"the counter jumped further than %d W explain: what it counted then is unknown", maxWatts)
	n.add(ser.unseen > 0, "%d steps so long that the counter may have wrapped twice unseen: sample faster", ser.unseen)
	n.add(ser.info.Stream && seen.Gaps > 1 && seen.Gaps*16 >= seen.Samples && seen.MissingSamples > 3*seen.Samples,
		"readings come in bursts: if they are of several devices, this is their mean; where= chooses one")
	n.add(v.mirrors[i] != "", "mirrors %s from start to end: one counter, counted once", v.mirrors[i])
	seen.Notes = n
	m.Seen = &seen
	m.Samples = make([]record.PowerSample, len(ser.points))
	points := slices.Clone(ser.points) // the caller's
	for k := range points {
		p := &points[k]
		if m.Samples[k].TimeS = p.t; ser.info.Method == Power {
			m.Samples[k].PowerW = &p.v
		} else {
			m.Samples[k].EnergyJ = &p.v
		}
	}
	return m
}

// remarks are what a reader of results must know.
type remarks []string

func (n *remarks) add(when bool, format string, args ...any) {
	if when {
		*n = append(*n, fmt.Sprintf(format, args...))
	}
}

func notes(whole Interval, clockSteps int) (n remarks) {
	n.add(whole.Coverage == "", "no meter: no energy is known")
	n.add(whole.Partial != "", "partial: %s are known", whole.Partial)
	n.add(whole.Estimated, "estimated: the energy comes from a model, nothing was measured")
	n.add(whole.Replayed, "replayed: the power was recorded at another time")
	n.add(clockSteps > 0, "the wall clock jumped %d times; all times here are by the monotonic clock", clockSteps)
	return n
}
