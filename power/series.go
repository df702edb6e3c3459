package power

import (
	"math"
	"sort"
	"time"
)

// maxWatts bounds what one counter can plausibly tell: a counter that falls is a
// wrap only if the energy that this implies stays below it, else a reset. The
// largest packages and cards draw under 2 kW.
const maxWatts = 5000

// maxDelay is how much later than its time a counter may have been read, in seconds.
const maxDelay = 0.2

// maxReading bounds a reading of power: what lies above is no power, and sums stay finite.
const maxReading = 1e12

// unseenWatts is the power from which on two wraps could hide between two readings.
const unseenWatts = 400

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
}

// series holds a meter's readings and what went wrong with them.
type series struct {
	info   Info
	period float64 // seconds between readings; 0: the source's own pace
	points []point
	raw    uint64 // last count
	sum    uint64 // counts since the first

	wraps, resets, repeats, late, outOfOrder, malformed, failures, unseen int
	lost                                                                  bool
	lostAt                                                                float64
	lostWhy                                                               string
}

// add appends a reading. Readings that are not later than the last are counted and
// dropped, and so are values that are no power.
func (s *series) add(r Reading) {
	t := r.At.Seconds()
	n := len(s.points)
	if n > 0 && t <= s.points[n-1].t {
		if t == s.points[n-1].t {
			s.repeats++
		} else {
			s.outOfOrder++
		}
		return
	}
	if s.info.Method == Power {
		s.addPower(t, r.Watts)
		return
	}
	if n == 0 {
		s.raw = r.Count
		s.points = append(s.points, point{t: t})
		return
	}
	last := s.points[n-1]
	p := point{t: t, b: last.b}
	dt := t - last.t
	wrap := s.info.Wrap
	switch {
	case r.Count >= s.raw:
		if r.Count == s.raw {
			s.repeats++
		}
		s.sum += r.Count - s.raw
	case wrap > 0 && s.raw <= wrap && float64(wrap-s.raw+r.Count)*s.info.Unit <= maxWatts*(dt+maxDelay):
		s.wraps++
		s.sum += wrap - s.raw + r.Count
	default:
		s.resets++
		p.b += dt
	}
	if wrap > 0 && dt*unseenWatts > float64(wrap)*s.info.Unit {
		s.unseen++
	}
	s.raw = r.Count
	p.e = float64(s.sum) * s.info.Unit
	p.v = p.e
	s.points = append(s.points, p)
}

func (s *series) addPower(t, w float64) {
	if math.IsNaN(w) || w < 0 || w > maxReading {
		s.malformed++
		return
	}
	p := point{t: t, v: w}
	if n := len(s.points); n > 0 {
		last := s.points[n-1]
		if !s.info.Stream && w == last.v {
			s.repeats++
		}
		p.e = last.e + (last.v+w)/2*(t-last.t)
		p.b = last.b
	}
	s.points = append(s.points, p)
}

// lose marks the meter as gone.
func (s *series) lose(at time.Duration, why string) {
	if !s.lost {
		s.lost, s.lostAt, s.lostWhy = true, at.Seconds(), why
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

// gaps counts the steps that last far longer than the usual one.
func (s *series) gaps(nominal float64) (gaps, missing int, longest, total float64) {
	if nominal <= 0 {
		return
	}
	for i := 1; i < len(s.points); i++ {
		dt := s.points[i].t - s.points[i-1].t
		if dt <= gapFactor*nominal {
			continue
		}
		gaps++
		missing += int(math.Round(dt/nominal)) - 1
		longest = max(longest, dt)
		total += dt
	}
	return
}

// at is the energy since the first reading, and the seconds without known energy,
// at time t inside the series: a counter's value is interpolated between its
// readings, power along the line between them.
func (s *series) at(t float64) (energy, broken float64) {
	i := sort.Search(len(s.points), func(i int) bool { return s.points[i].t >= t })
	if i == len(s.points) {
		p := s.points[i-1]
		return p.e, p.b
	}
	q := s.points[i]
	if q.t == t || i == 0 {
		return q.e, q.b
	}
	p := s.points[i-1]
	x := (t - p.t) / (q.t - p.t)
	broken = p.b + x*(q.b-p.b)
	if s.info.Method == Power {
		return p.e + (p.v+s.watts(t))/2*(t-p.t), broken
	}
	return p.e + x*(q.e-p.e), broken
}

// watts is the power of a power meter at time t inside the series.
func (s *series) watts(t float64) float64 {
	i := sort.Search(len(s.points), func(i int) bool { return s.points[i].t >= t })
	switch {
	case i == len(s.points):
		return s.points[i-1].v
	case i == 0 || s.points[i].t == t:
		return s.points[i].v
	}
	p, q := s.points[i-1], s.points[i]
	return p.v + (t-p.t)/(q.t-p.t)*(q.v-p.v)
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
		e0, b0 := s.at(lo)
		e1, b1 := s.at(hi)
		m.Joules = e1 - e0
		m.Covered = (hi - lo) - (b1 - b0)
		m.PeakWatts = s.peak(lo, hi)
		m.Gap = s.gapSeconds(lo, hi, nominal)
	}
	if s.info.Method == Power {
		hold := 2 * nominal
		if left := min(b, first.t) - max(a, first.t-hold); left > 0 {
			m.extend(first.v, left)
		}
		if !s.lost {
			if right := min(b, last.t+hold) - max(a, last.t); right > 0 {
				m.extend(last.v, right)
			}
		}
	}
	m.Known = m.Covered > 0
	return m
}

// extend adds t seconds at w watts.
func (m *MeterEnergy) extend(w, t float64) {
	m.Joules += w * t
	m.Covered += t
	m.Extrapolated += t
	m.PeakWatts = max(m.PeakWatts, w)
}

// gapSeconds is how much of [a, b] lies in gaps.
func (s *series) gapSeconds(a, b, nominal float64) float64 {
	if nominal <= 0 {
		return 0
	}
	sum := 0.0
	i := sort.Search(len(s.points), func(i int) bool { return s.points[i].t > a })
	for ; i < len(s.points); i++ {
		if i == 0 {
			continue
		}
		p, q := s.points[i-1].t, s.points[i].t
		if p >= b {
			break
		}
		if q-p > gapFactor*nominal {
			sum += min(q, b) - max(p, a)
		}
	}
	return sum
}

// window is the shortest time over which this meter's power means something.
func (s *series) window(nominal float64) float64 {
	return max(nominal, peakRenewals*s.info.Update.Seconds())
}

// peak is the highest power in [a, b], which lies inside the series: the highest
// value of a power meter, the steepest rise of a counter over its window.
func (s *series) peak(a, b float64) float64 {
	i := sort.Search(len(s.points), func(i int) bool { return s.points[i].t >= a })
	j := sort.Search(len(s.points), func(i int) bool { return s.points[i].t > b })
	if s.info.Method == Power {
		top := max(s.watts(a), s.watts(b))
		for ; i < j; i++ {
			top = max(top, s.points[i].v)
		}
		return top
	}
	w := s.window(s.period)
	top, found := 0.0, false
	for k := i; i < j; i++ {
		k = max(k, i+1)
		for k < j && s.points[k].t-s.points[i].t < w {
			k++
		}
		if k >= j {
			break
		}
		top, found = max(top, (s.points[k].e-s.points[i].e)/(s.points[k].t-s.points[i].t)), true
	}
	if !found && b > a {
		e0, _ := s.at(a)
		e1, _ := s.at(b)
		return (e1 - e0) / (b - a)
	}
	return top
}
