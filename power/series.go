package power

import (
	"cmp"
	"errors"
	"io/fs"
	"math"
	"sort"
	"time"

	"github.com/totemgo/totemgo/record"
)

// maxWatts bounds what one counter can plausibly tell, a rise since its last move and a wrap since its
// last reading: what implies more energy is a reset. The largest packages and cards draw under 2 kW.
const maxWatts = 5000

// maxDelay is how much later than its time a counter may have been read, in seconds.
const maxDelay = 0.2

// What lies above is no power: of a stream, so that sums stay finite; of a device that is polled.
const (
	maxReading = 1e12
	maxPolled  = 1e5
)

// unseenWatts is the power from which on two wraps could hide between two readings.
const unseenWatts = 400

// stillLimit is how long a counter may stand still at the end of an interval, in seconds,
// before its last value is no more believed.
const stillLimit = 5

// gapFactor is how many usual steps a step may last before it is a gap.
const gapFactor = 2.5

// peakRenewals is over how many renewals of its source a counter's peak power is
// taken, so that the step of one renewal does not look like a peak.
const peakRenewals = 10

// point is one reading in a series.
type point struct {
	t float64 // seconds since the session's start
	v float64 // watts of a power meter; joules since the first reading of a counter
	e float64 // joules since the first reading, reckoned
	b float64 // seconds since the first reading without known energy
	m int     // readings without a value since the last point
}

// series holds a meter's readings and what went wrong with them.
type series struct {
	info   Info
	period float64 // seconds between readings; 0: the source's own pace
	points []point
	raw    uint64  // last count
	moved  float64 // when it was another than the one before
	sum    uint64  // counts since the first

	seen   record.PowerSeen // its counts and its loss
	absent int              // readings without a value since the last point
	unseen int              // steps in which a counter may have wrapped twice

	streak  int           // failed reads in a row
	failing time.Duration // when the first of them was
	gone    bool          // not tried again
}

// add appends a reading. Readings that are not later than the last are counted and
// dropped, and so are values that are no power.
func (s *series) add(r Reading) {
	var last point
	n, power := len(s.points), s.info.Method == Power
	if n > 0 {
		last = s.points[n-1]
	}
	p := point{t: r.At.Seconds(), v: r.Watts, b: last.b, m: s.absent}
	dt := p.t - last.t
	switch {
	case r.Missing:
		s.absent++
		return
	case n > 0 && dt < 0:
		s.seen.OutOfOrder++
		return
	case n > 0 && dt == 0:
		s.seen.Repeats++
		return
	case power && !(r.Watts >= 0 && r.Watts <= maxReading) || power && !s.info.Stream && r.Watts > maxPolled:
		s.seen.Malformed++
		return
	case n > 0 && power:
		p.e = last.e + (last.v+p.v)/2*dt
	case n > 0:
		p.b += s.count(r.Count, dt, p.t-s.moved)
		p.e = float64(s.sum) * s.info.Unit
		p.v = p.e
	}
	if n > 0 && !s.info.Stream && p.v == last.v && p.b == last.b {
		s.seen.Repeats++
	}
	if n == 0 || r.Count != s.raw {
		s.moved = p.t
	}
	s.raw, s.absent = r.Count, 0
	s.points = append(s.points, p)
}

// count adds up what a counter has counted in dt seconds, the last of those since it moved, and
// returns those seconds for which that is unknown.
func (s *series) count(raw uint64, dt, since float64) (unknown float64) {
	wrap := s.info.Wrap
	plausible := func(counts uint64, t float64) bool { return float64(counts)*s.info.Unit <= maxWatts*(t+maxDelay) }
	if wrap > 0 && dt*unseenWatts > float64(wrap)*s.info.Unit {
		s.unseen++
	}
	switch {
	case raw >= s.raw && (plausible(raw-s.raw, since) || s.info.Method == Modelled):
		s.sum += raw - s.raw
	case raw < s.raw && wrap > 0 && s.raw <= wrap && plausible(wrap-s.raw+raw, dt):
		s.seen.Wraps++
		s.sum += wrap - s.raw + raw
	default:
		s.seen.Resets++
		return dt
	}
	return 0
}

// pair are two counters that may be one: rounds in which either moved, and those in which
// they stood side by side afterwards.
type pair struct {
	first, second int
	moved, near   int
	at            [2]uint64
}

// A counter mirrors another if after most moves both stand at one value, give or take what
// is counted between the two reads, over a session that counts enough to tell.
const (
	mirrorSlack = 1 // joules
	mirrorLeast = 2 // joules
)

// compare follows the pair for one round.
func (p *pair) compare(a, b *series) {
	if at := [2]uint64{a.raw, b.raw}; at != p.at {
		p.at = at
		p.moved++
		if float64(max(a.raw, b.raw)-min(a.raw, b.raw))*a.info.Unit <= mirrorSlack {
			p.near++
		}
	}
}

// mirrored tells whether the two of s are one counter; open, that it may be.
func (p *pair) mirrored(s []*series) (yes, open bool) {
	near := p.near*2 > p.moved
	enough := float64(s[p.second].sum)*s[p.second].info.Unit >= mirrorLeast
	return near && enough, near && !enough
}

// lose marks the meter as gone.
func (s *series) lose(at time.Duration, why string) {
	if !s.seen.Lost {
		s.seen.Lost, s.seen.LostAtS, s.seen.Reason = true, pointer(at.Seconds()), why
	}
}

// take adds what a read at time t returned. late is true for a round that began late.
func (s *series) take(readings []Reading, err error, t time.Duration, late bool) {
	for _, r := range readings {
		s.add(r)
	}
	if late && len(readings) > 0 && !s.info.Stream {
		s.seen.Late++
	}
	switch {
	case err == nil:
		s.streak, s.seen.Lost, s.seen.LostAtS, s.seen.Reason = 0, false, nil, ""
		return
	case errors.Is(err, ErrEnded):
		if errors.Is(err, ErrChoice) {
			s.points = nil // what it read was not one meter's
		}
		s.lose(t, err.Error())
		s.gone = true
		return
	}
	s.seen.Failures++
	if s.streak++; s.streak == 1 {
		s.failing = t
	}
	missing := errors.Is(err, fs.ErrNotExist)
	if s.streak >= maxFailures || missing {
		s.gone = missing || t-s.failing >= failingFor
		s.lose(t, err.Error())
	}
}

// nominal is the usual step in seconds: the sampler's period, or the median of the
// source's own steps; 0 if unknown.
func (s *series) nominal() float64 {
	if s.period > 0 {
		return s.period
	}
	if len(s.points) < 2 {
		return s.info.Update.Seconds()
	}
	steps := make([]float64, len(s.points)-1)
	for i := range steps {
		steps[i] = s.points[i+1].t - s.points[i].t
	}
	sort.Float64s(steps)
	return steps[(len(steps)-1)/2]
}

// from is the index of the first point at t or later.
func (s *series) from(t float64) int {
	return sort.Search(len(s.points), func(i int) bool { return s.points[i].t >= t })
}

// gaps counts the gaps that reach into [a, b], the readings that are missing in them, and their
// seconds there: steps that last far longer than the usual one, or in which the source had no value.
func (s *series) gaps(a, b, nominal float64) (gaps, missing int, longest, total float64) {
	for i := max(s.from(a), 1); nominal > 0 && i < len(s.points) && s.points[i-1].t < b; i++ {
		p, q, n := s.points[i-1].t, s.points[i].t, s.points[i].m
		if q-p > gapFactor*nominal {
			n = max(n, int(math.Round((q-p)/nominal))-1)
		}
		if n > 0 {
			gaps, missing, longest, total = gaps+1, missing+n, max(longest, q-p), total+min(q, b)-max(p, a)
		}
	}
	return gaps, missing, longest, total
}

// at is the state at time t, which lies inside the series: power along the line between
// two readings, a counter's energy likewise.
func (s *series) at(t float64) point {
	i := s.from(t)
	if i == len(s.points) {
		return s.points[i-1]
	}
	q := s.points[i]
	if q.t == t || i == 0 {
		return q
	}
	p := s.points[i-1]
	x := (t - p.t) / (q.t - p.t)
	m := point{t: t, v: p.v + x*(q.v-p.v), e: p.e + x*(q.e-p.e), b: p.b + x*(q.b-p.b)}
	if s.info.Method == Power {
		m.e = p.e + (p.v+m.v)/2*(t-p.t)
	}
	return m
}

// between is the energy from a to b: exact differences for a counter read at both
// ends, the trapezoid over the real times for power. A stream's first and last
// value are held for at most two usual steps beyond the readings, which is stated;
// what lies further out has no known energy.
func (s *series) between(a, b, nominal float64) MeterEnergy {
	m := MeterEnergy{Info: s.info}
	n := len(s.points)
	if n == 0 || b <= a {
		return m
	}
	first, last := s.points[0], s.points[n-1]
	lo, hi := max(a, first.t), min(b, last.t)
	if hi > lo {
		p, q := s.at(lo), s.at(hi)
		m.Joules = q.e - p.e
		m.Covered = (hi - lo) - (q.b - p.b)
		if s.info.Method == Power {
			m.PeakWatts = s.highest(lo, hi)
		} else {
			m.PeakWatts = cmp.Or(peak([]*series{s}, lo, hi, s.window(s.period)), m.Joules/(hi-lo))
		}
		if s.info.Method == Counter {
			moved := s.points[sort.Search(n, func(i int) bool { return s.points[i].e >= q.e })].t
			if still := hi - max(moved, lo); still > stillLimit {
				m.Covered -= min(still, m.Covered) // a counter that stands still tells nothing
			}
		}
		_, _, _, m.Gap = s.gaps(lo, hi, nominal)
	}
	if s.info.Method == Power {
		hold := 2 * nominal
		if left := min(b, first.t) - max(a, first.t-hold); left > 0 {
			m.extend(first.v, left)
		}
		if !s.seen.Lost {
			if right := min(b, last.t+hold) - max(a, last.t); right > 0 {
				m.extend(last.v, right)
			}
		}
	}
	m.Known = m.Covered > 0 && (m.Joules > 0 || s.info.Method != Counter)
	if !m.Known {
		return MeterEnergy{Info: s.info}
	}
	return m
}

// extend adds t seconds at w watts.
func (m *MeterEnergy) extend(w, t float64) {
	m.Joules += w * t
	m.Covered += t
	m.Extrapolated += t
	m.PeakWatts = max(m.PeakWatts, w)
}

// window is the shortest time over which this meter's power means something.
func (s *series) window(nominal float64) float64 {
	return max(nominal, peakRenewals*s.info.Update.Seconds())
}

// highest is the highest reading of power in [a, b], which lies inside the series.
func (s *series) highest(a, b float64) float64 {
	top := max(s.at(a).v, s.at(b).v)
	for _, p := range s.points[s.from(a):s.from(b)] {
		top = max(top, p.v)
	}
	return top
}

// peak is the highest power of meters together over w seconds from a reading of the first on,
// within [a, b]; 0 if there are none.
func peak(meters []*series, a, b, w float64) (top float64) {
	for _, p := range meters[0].points[meters[0].from(a):] {
		if w <= 0 || p.t+w > b {
			break
		}
		sum := 0.0
		for _, s := range meters {
			sum += (s.at(p.t+w).e - s.at(p.t).e) / w
		}
		top = max(top, sum)
	}
	return top
}
