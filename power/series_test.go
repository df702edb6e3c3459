package power

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"
	"time"
)

// times draws n rising times from 0 to about total seconds, in whole nanoseconds.
func times(r *rand.Rand, n int, total float64) []time.Duration {
	out := make([]time.Duration, n)
	for i := range out {
		out[i] = time.Duration(r.Float64() * total * 1e9)
	}
	out[0] = 0
	sort.Slice(out, func(i, j int) bool { return out[i] < out[j] })
	for i := 1; i < n; i++ {
		if out[i] <= out[i-1] {
			out[i] = out[i-1] + 1
		}
	}
	return out
}

// TestTrapezoidIsExactForLines compares energies over random intervals with the
// closed form, for power that is a straight line: the trapezoid, interpolated at the
// edges, must be exact whatever the times of the readings.
func TestTrapezoidIsExactForLines(t *testing.T) {
	seed := uint64(1)
	r := rand.New(rand.NewPCG(seed, 2))
	for round := range 300 {
		a, b := 20+200*r.Float64(), 3*r.Float64()
		s := &series{info: Info{Method: Power, Stream: true}}
		ts := times(r, 2+r.IntN(50), 60)
		for _, x := range ts {
			s.add(Reading{At: x, Watts: a + b*x.Seconds()})
		}
		last := ts[len(ts)-1].Seconds()
		p, q := r.Float64()*last, r.Float64()*last
		if p > q {
			p, q = q, p
		}
		want := a*(q-p) + b/2*(q*q-p*p)
		got := s.between(p, q, s.nominal())
		if math.Abs(got.Joules-want) > 1e-9*(1+want) || math.Abs(got.Covered-(q-p)) > 1e-12 {
			t.Fatalf("round %d: %v J over %v s, want %v over %v", round, got.Joules, got.Covered, want, q-p)
		}
		if peak := a + b*q; math.Abs(got.PeakWatts-peak) > 1e-9*peak {
			t.Fatalf("round %d: peak %v, want %v", round, got.PeakWatts, peak)
		}
	}
}

// TestTrapezoidErrorIsBounded compares with the closed form for a sine: the error of
// the trapezoid is at most h²/12 · max|P”| · length.
func TestTrapezoidErrorIsBounded(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 100 {
		a, b, w := 100.0, 40.0, 0.2+2*r.Float64()
		s := &series{info: Info{Method: Power, Stream: true}}
		h, last := 0.0, time.Duration(0)
		for x := time.Duration(0); x < 20*time.Second; x += time.Duration((0.01 + 0.2*r.Float64()) * 1e9) {
			s.add(Reading{At: x, Watts: a + b*math.Sin(w*x.Seconds())})
			h = max(h, (x - last).Seconds())
			last = x
		}
		p, q := 3*r.Float64(), 10+9*r.Float64()
		q = min(q, last.Seconds())
		want := a*(q-p) - b/w*(math.Cos(w*q)-math.Cos(w*p))
		got := s.between(p, q, s.nominal()).Joules
		// The lines at the edges add at most the same again.
		if bound := 2 * h * h / 12 * b * w * w * (q - p + 2*h); math.Abs(got-want) > bound {
			t.Fatalf("round %d: %v, want %v ± %v", round, got, want, bound)
		}
	}
}

// TestIntervalsAdd splits an interval anywhere: the parts make the whole.
func TestIntervalsAdd(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, method := range []Method{Power, Counter} {
		for range 200 {
			s := &series{info: Info{Method: method, Unit: 1e-6, Wrap: 1 << 32}, period: 1}
			raw := r.Uint64N(1 << 32)
			for _, x := range times(r, 30, 30) {
				raw = (raw + r.Uint64N(2e8)) % (1 << 32)
				s.add(Reading{At: x, Count: raw, Watts: 300 * r.Float64()})
			}
			last := s.points[len(s.points)-1].t
			c := []float64{r.Float64() * last, r.Float64() * last, r.Float64() * last}
			sort.Float64s(c)
			whole := s.between(c[0], c[2], 1)
			x, y := s.between(c[0], c[1], 1), s.between(c[1], c[2], 1)
			near(t, "energy", x.Joules+y.Joules, whole.Joules, 1e-8)
			near(t, "covered", x.Covered+y.Covered, whole.Covered, 1e-9)
			near(t, "gap", x.Gap+y.Gap, whole.Gap, 1e-9)
		}
	}
}

// TestCountersAreExact wraps a counter at random and compares every interval between
// readings with the exact sum in integers.
func TestCountersAreExact(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		wrap := 1_000_000_000 + r.Uint64N(1e11)
		s := &series{info: Info{Method: Counter, Unit: 1e-6, Wrap: wrap}, period: 1}
		sum, raw := []uint64{0}, r.Uint64N(wrap)
		s.add(Reading{Count: raw})
		ts := []float64{0}
		for i := 1; i < 60; i++ {
			d := r.Uint64N(700_000_000) // below the wrap
			at := time.Duration(i) * time.Second
			raw += d
			if raw >= wrap {
				raw -= wrap
			}
			s.add(Reading{At: at, Count: raw})
			sum, ts = append(sum, sum[i-1]+d), append(ts, at.Seconds())
		}
		i, j := r.IntN(60), r.IntN(60)
		if i > j {
			i, j = j, i
		}
		if i == j {
			continue
		}
		got := s.between(ts[i], ts[j], 1)
		near(t, "energy", got.Joules, float64(sum[j]-sum[i])*1e-6, 1e-9)
		if s.seen.Resets != 0 {
			t.Fatalf("%d resets", s.seen.Resets)
		}
	}
}

func TestResetsHaveNoEnergy(t *testing.T) {
	for _, wrap := range []uint64{0, 262143328850} {
		s := &series{info: Info{Method: Counter, Unit: 1e-6, Wrap: wrap}, period: 1}
		for i, c := range []uint64{100e6, 200e6, 10e6, 110e6} {
			s.add(Reading{At: time.Duration(i) * time.Second, Count: c})
		}
		m := s.between(0, 3, 1)
		if s.seen.Resets != 1 || s.seen.Wraps != 0 {
			t.Errorf("wrap %d: %d resets, %d wraps", wrap, s.seen.Resets, s.seen.Wraps)
		}
		near(t, "energy", m.Joules, 200, 1e-9)
		near(t, "covered", m.Covered, 2, 1e-9)
		near(t, "mean", m.MeanWatts(), 100, 1e-9)
	}
}

func TestBadPowerIsDropped(t *testing.T) {
	s := &series{info: Info{Method: Power}, period: 1}
	for i, w := range []float64{10, math.NaN(), math.Inf(1), -3, math.MaxUint32 * 1e-3, 10} { // all bits in milliwatts
		s.add(Reading{At: time.Duration(i) * time.Second, Watts: w})
	}
	if s.seen.Malformed != 4 || len(s.points) != 2 {
		t.Errorf("%d malformed, %d points", s.seen.Malformed, len(s.points))
	}
	gaps, missing, longest, total := s.gaps(math.Inf(-1), math.Inf(1), 1)
	if gaps != 1 || missing != 4 || longest != 5 || total != 5 {
		t.Errorf("%d gaps, %d missing, longest %v of %v", gaps, missing, longest, total)
	}
}

func TestStreamsHoldTheirEnds(t *testing.T) {
	s := &series{info: Info{Method: Power, Stream: true}}
	for i := range 4 {
		s.add(Reading{At: time.Duration(i+1) * time.Second, Watts: 50})
	}
	m := s.between(0, 5, s.nominal())
	near(t, "energy", m.Joules, 250, 1e-9)
	near(t, "extrapolated", m.Extrapolated, 2, 1e-9)
	m = s.between(0, 20, s.nominal())
	near(t, "covered", m.Covered, 6, 1e-9) // two steps beyond the end, no more
	m = s.between(4.2, 4.7, s.nominal())
	near(t, "after the last reading", m.Joules, 25, 1e-9)
	m = s.between(30, 31, s.nominal())
	if m.Known {
		t.Errorf("an energy long after the last reading: %+v", m)
	}
	s.lose(4*time.Second, "gone")
	if m = s.between(4.2, 4.7, s.nominal()); m.Known {
		t.Errorf("an energy after the loss: %+v", m)
	}
}

func TestPeakOfACounterSpansItsRenewals(t *testing.T) {
	// A counter renewed each 0.1 s, read each 0.01 s: one step of 10 J in 0.01 s is
	// 100 W over the second, not 1000 W.
	s := &series{info: Info{Method: Counter, Unit: 1, Update: 100 * time.Millisecond}, period: 0.01}
	for i := range 1000 {
		s.add(Reading{At: time.Duration(i) * 10 * time.Millisecond, Count: uint64(i/10) * 10})
	}
	// A window of ten renewals can hold eleven steps.
	near(t, "peak", s.between(0, 9.9, 0.01).PeakWatts, 100, 10)
}

func TestUnseenWrapsAreTold(t *testing.T) {
	c := newManual()
	m := &scripted{info: counterInfo("a")}
	m.info.Wrap = 262143328850
	s := start(t, c, Options{Meters: []Meter{m}})
	c.t = time.Hour
	m.count = 5
	s.sample()
	if n := s.Result().Meters[0].Seen.Notes; len(n) != 1 {
		t.Errorf("notes %q", n)
	}
}

// A counter that falls near its end was reset where a wrap would mean more than 5 kW,
// however short the step is; a delayed read does not make a reset of a wrap.
func TestFallNearTheEnd(t *testing.T) {
	for _, c := range []struct {
		left          float64 // joules to the end
		step          time.Duration
		wraps, resets int
	}{
		{3700, 100 * time.Millisecond, 0, 1},
		{3700, time.Second, 1, 0},
		{6100, time.Second, 0, 1},
		{5, 10 * time.Microsecond, 1, 0},
		{300, time.Millisecond, 1, 0},
	} {
		const wrap = 65_712_999_613
		s := &series{info: Info{Method: Counter, Unit: 1e-6, Wrap: wrap}, period: 0.1}
		s.add(Reading{Count: wrap - uint64(c.left*1e6)})
		s.add(Reading{At: c.step, Count: 1000})
		if s.seen.Wraps != c.wraps || s.seen.Resets != c.resets {
			t.Errorf("%v J before the end, %v: %d wraps, %d resets", c.left, c.step, s.seen.Wraps, s.seen.Resets)
		}
	}
}

// One wrong value of a counter costs its two steps, and no energy; one that stood still may catch up.
func TestCounterThatJumps(t *testing.T) {
	for name, c := range map[string]struct {
		counts          []uint64 // joules, each second
		joules, covered float64
	}{
		"up and down": {[]uint64{100, 200, 90000, 400, 500}, 200, 2},
		"down and up": {[]uint64{90000, 90100, 0, 90300, 90400}, 200, 2},
		"catches up":  {[]uint64{100, 100, 100, 100, 16000}, 15900, 4},
	} {
		s := &series{info: Info{Method: Counter, Unit: 1, Wrap: 262143}, period: 1}
		for i, n := range c.counts {
			s.add(Reading{At: time.Duration(i) * time.Second, Count: n})
		}
		m := s.between(0, 4, 1)
		near(t, name, m.Joules, c.joules, 1e-9)
		near(t, name, m.Covered, c.covered, 1e-9)
	}
}

// A counter that moves no more has no energy from then on.
func TestCounterThatStops(t *testing.T) {
	for stop, covered := range map[int]float64{30: 3, 90: 10} { // a short rest is none
		s := &series{info: Info{Method: Counter, Unit: 1, Wrap: 1 << 20}, period: 0.1}
		for i := range 101 {
			s.add(Reading{At: time.Duration(i) * 100 * time.Millisecond, Count: uint64(10 * min(i, stop))})
		}
		m := s.between(0, 10, 0.1)
		near(t, "energy", m.Joules, 10*float64(stop), 1e-9)
		near(t, "covered", m.Covered, covered, 1e-9)
		if m = s.between(9.5, 10, 0.1); m.Known || m.Covered != 0 {
			t.Errorf("where it stands still: %+v", m)
		}
	}
}
