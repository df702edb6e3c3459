package power

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/totemgo/totemgo/record"
)

// Energy is what is known of a stretch of time.
type Energy struct {
	// Known tells whether there is an energy at all; without it the figures mean nothing.
	Known  bool
	Joules float64
	// PeakWatts is the highest power: of a power meter the highest reading, of a
	// counter the steepest rise over one sampling period or ten renewals of its
	// source, whichever is longer.
	PeakWatts float64
	// Covered is the number of seconds with known energy.
	Covered float64
}

// MeanWatts is the energy over the seconds that it covers, 0 if unknown.
func (e Energy) MeanWatts() float64 {
	if !e.Known || e.Covered <= 0 {
		return 0
	}
	return e.Joules / e.Covered
}

// figures are energy, mean and peak power as records have them: nil if unknown.
func (e Energy) figures() (joules, mean, peak *float64) {
	if !e.Known {
		return nil, nil, nil
	}
	return pointer(e.Joules), pointer(e.MeanWatts()), pointer(e.PeakWatts)
}

// MeterEnergy is one meter's part of an interval.
type MeterEnergy struct {
	Energy
	Info    Info
	InTotal bool
	// Gap is how many of the covered seconds were bridged over a gap by a straight line,
	// Extrapolated how many lie before the first or after the last reading.
	Gap, Extrapolated float64
}

// Interval is the energy of a stretch of a session: the sum over the meters that count,
// each joule once. It is known if every meter that counts knows its energy; PeakWatts is
// that of all of them together, and Covered the seconds for which all know their energy.
type Interval struct {
	Energy
	Name       string
	Start, End time.Duration // since the session's start
	// Meters has one entry per meter, in the session's order.
	Meters []MeterEnergy
	// NetJoules is Joules less the baseline's power over Covered; it is known only
	// where HasNet is set.
	NetJoules float64
	HasNet    bool
	// Coverage is one of the Coverage names, "" if no meter counts.
	Coverage string
	// Partial says how many of the meters that should count are known, such as "2 of 3
	// packages"; "" if all are, or none. The total lacks those that could not be opened; one
	// that was opened and has no energy makes it unknown.
	Partial             string
	Estimated, Replayed bool
}

// Seconds is the length of the interval.
func (i Interval) Seconds() float64 { return i.End.Seconds() - i.Start.Seconds() }

// Record turns the interval into its record.
func (i Interval) Record() record.PowerMark {
	m := record.PowerMark{
		Name: i.Name, StartS: i.Start.Seconds(), EndS: i.End.Seconds(), DurationS: i.Seconds(),
		CoveredS: i.Covered, Coverage: i.Coverage, Partial: i.Partial, Estimated: i.Estimated, Replayed: i.Replayed,
		Meters: []record.PowerMarkMeter{},
	}
	m.EnergyJ, m.MeanW, m.PeakW = i.figures()
	if i.HasNet {
		m.NetEnergyJ = pointer(i.NetJoules)
	}
	for _, x := range i.Meters {
		r := record.PowerMarkMeter{Name: x.Info.Name, CoveredS: x.Covered, GapS: x.Gap, ExtrapolatedS: x.Extrapolated, InTotal: x.InTotal}
		r.EnergyJ, r.MeanW, r.PeakW = x.figures()
		m.Meters = append(m.Meters, r)
	}
	return m
}

func pointer(x float64) *float64 { return &x }

// positive is x as records have it: nil where 0 says that it is unknown.
func positive(x float64) *float64 {
	if x > 0 {
		return &x
	}
	return nil
}

// Cost is what one round of work took.
type Cost struct{ Seconds, Joules float64 }

// CostOf is the cost of an interval, with ErrUnknownEnergy if no meter knows it.
// The mean power of the part that is covered stands for the whole.
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
	s := slices.Sorted(slices.Values(xs))
	q := func(p float64) float64 {
		i, x := math.Modf(p * float64(len(s)-1))
		low := s[int(i)]
		return low + x*(s[min(int(i)+1, len(s)-1)]-low)
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
