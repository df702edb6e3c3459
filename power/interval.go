package power

import (
	"fmt"
	"math"
	"sort"
	"time"

	"github.com/totemgo/totemgo/record"
)

// MeterEnergy is one meter's part of an interval.
type MeterEnergy struct {
	Info    Info
	InTotal bool
	// Known tells whether there is an energy at all; without it Joules means nothing.
	Known  bool
	Joules float64
	// PeakWatts is the highest power: of a power meter the highest reading, of a
	// counter the steepest rise over one sampling period or ten renewals of its
	// source, whichever is longer.
	PeakWatts float64
	// Covered is the number of seconds of the interval with known energy, Gap how
	// many of these were bridged over a gap by a straight line, Extrapolated how many
	// lie before the first or after the last reading.
	Covered, Gap, Extrapolated float64
}

// MeanWatts is the energy over the seconds that it covers, 0 if unknown.
func (m MeterEnergy) MeanWatts() float64 {
	if m.Covered <= 0 {
		return 0
	}
	return m.Joules / m.Covered
}

// Interval is the energy of a stretch of a session.
type Interval struct {
	Name       string
	Start, End time.Duration // since the session's start
	// Meters has one entry per meter, in the session's order.
	Meters []MeterEnergy
	// Known tells whether every meter that counts knows an energy; without it the
	// figures below mean nothing.
	Known bool
	// Joules is the sum over the meters that count, each joule once.
	Joules float64
	// PeakWatts is the highest power of all of them together.
	PeakWatts float64
	// Covered is the number of seconds for which all of them know their energy.
	Covered float64
	// NetJoules is Joules less the baseline's power over Covered; it is known only
	// where HasNet is set.
	NetJoules float64
	HasNet    bool
	// Coverage is one of the Coverage names, "" if no meter counts.
	Coverage            string
	Estimated, Replayed bool
}

// Seconds is the length of the interval.
func (i Interval) Seconds() float64 { return i.End.Seconds() - i.Start.Seconds() }

// MeanWatts is Joules over Covered, 0 if unknown.
func (i Interval) MeanWatts() float64 {
	if !i.Known || i.Covered <= 0 {
		return 0
	}
	return i.Joules / i.Covered
}

// Record turns the interval into its record.
func (i Interval) Record() record.PowerMark {
	m := record.PowerMark{
		Name: i.Name, StartS: i.Start.Seconds(), EndS: i.End.Seconds(), DurationS: i.Seconds(),
		CoveredS: i.Covered, Coverage: i.Coverage, Estimated: i.Estimated, Replayed: i.Replayed,
		Meters: []record.PowerMarkMeter{},
	}
	if i.Known {
		m.EnergyJ, m.MeanW, m.PeakW = pointer(i.Joules), pointer(i.MeanWatts()), pointer(i.PeakWatts)
		if i.HasNet {
			m.NetEnergyJ = pointer(i.NetJoules)
		}
	}
	for _, x := range i.Meters {
		r := record.PowerMarkMeter{Name: x.Info.Name, CoveredS: x.Covered, GapS: x.Gap, ExtrapolatedS: x.Extrapolated, InTotal: x.InTotal}
		if x.Known {
			r.EnergyJ, r.MeanW, r.PeakW = pointer(x.Joules), pointer(x.MeanWatts()), pointer(x.PeakWatts)
		}
		m.Meters = append(m.Meters, r)
	}
	return m
}

func pointer(x float64) *float64 { return &x }

// GreenFigures are the figures of a Green Graph500 run.
type GreenFigures struct {
	EnergyJoules, DurationSeconds     float64
	AveragePowerWatts                 float64 // energy over duration
	JoulesPerSearch                   float64
	MTEPSPerWatt                      float64 // harmonic-mean TEPS / 10^6 / average power
	Coverage                          string
	Estimated, Replayed, FullyCovered bool
}

// Green computes the figures of an interval in which the given number of searches
// ran, at harmonicMeanTEPS. It fails with ErrUnknownEnergy if the meters that count
// do not know the energy. Where they cover only part of the interval, the mean power
// of that part stands for the whole, and FullyCovered is false.
func Green(i Interval, searches int, harmonicMeanTEPS float64) (GreenFigures, error) {
	if !i.Known || i.Covered <= 0 || i.Seconds() <= 0 {
		return GreenFigures{}, fmt.Errorf("power: green figures of %q: %w", i.Name, ErrUnknownEnergy)
	}
	if searches <= 0 {
		return GreenFigures{}, fmt.Errorf("power: green figures of %q: %d searches", i.Name, searches)
	}
	g := GreenFigures{
		DurationSeconds: i.Seconds(), EnergyJoules: i.Joules, FullyCovered: true,
		Coverage: i.Coverage, Estimated: i.Estimated, Replayed: i.Replayed,
	}
	if i.Covered < g.DurationSeconds-1e-6 {
		g.EnergyJoules = i.MeanWatts() * g.DurationSeconds
		g.FullyCovered = false
	}
	g.AveragePowerWatts = g.EnergyJoules / g.DurationSeconds
	g.JoulesPerSearch = g.EnergyJoules / float64(searches)
	if g.AveragePowerWatts > 0 {
		g.MTEPSPerWatt = harmonicMeanTEPS / 1e6 / g.AveragePowerWatts
	}
	return g, nil
}

// Cost is what one round of work took.
type Cost struct{ Seconds, Joules float64 }

// CostOf is the cost of an interval, with ErrUnknownEnergy if no meter knows it.
// As in Green, the mean power of the part that is covered stands for the whole.
func CostOf(i Interval) (Cost, error) {
	if !i.Known || i.Covered <= 0 {
		return Cost{}, fmt.Errorf("power: cost of %q: %w", i.Name, ErrUnknownEnergy)
	}
	return Cost{Seconds: i.Seconds(), Joules: i.MeanWatts() * i.Seconds()}, nil
}

// Spread is the middle of a sample and how far it spreads.
type Spread struct{ Median, P10, P90 float64 }

// SpreadOf takes the quantiles of xs, interpolated between neighbours; the zero
// Spread of no values.
func SpreadOf(xs []float64) Spread {
	if len(xs) == 0 {
		return Spread{}
	}
	s := append([]float64(nil), xs...)
	sort.Float64s(s)
	q := func(p float64) float64 {
		x := p * float64(len(s)-1)
		i := int(math.Floor(x))
		if i+1 >= len(s) {
			return s[len(s)-1]
		}
		return s[i] + (x-float64(i))*(s[i+1]-s[i])
	}
	return Spread{Median: q(0.5), P10: q(0.1), P90: q(0.9)}
}

// Ratios compares two ways to do one piece of work.
type Ratios struct {
	Time, Energy, EDP Spread // EDP is energy times time
	Rounds            int
}

// CompareCosts compares rounds that alternated: round i of b over round i of a, so
// that a ratio below 1 says that b is cheaper. Pairing round with neighbouring round
// takes slow drift, of temperature or load, out of the ratio. It fails unless
// both have as many rounds, at least one, each with time and energy above 0.
func CompareCosts(a, b []Cost) (Ratios, error) {
	if len(a) != len(b) || len(a) == 0 {
		return Ratios{}, fmt.Errorf("power: compare: %d rounds against %d", len(a), len(b))
	}
	var t, e, edp []float64
	for i := range a {
		if a[i].Seconds <= 0 || a[i].Joules <= 0 || b[i].Seconds <= 0 || b[i].Joules <= 0 {
			return Ratios{}, fmt.Errorf("power: compare: round %d: %w", i+1, ErrUnknownEnergy)
		}
		t = append(t, b[i].Seconds/a[i].Seconds)
		e = append(e, b[i].Joules/a[i].Joules)
		edp = append(edp, b[i].Seconds*b[i].Joules/(a[i].Seconds*a[i].Joules))
	}
	return Ratios{Time: SpreadOf(t), Energy: SpreadOf(e), EDP: SpreadOf(edp), Rounds: len(a)}, nil
}
