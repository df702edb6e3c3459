package power

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// stamp is a line's time: absolute (since 1970), or since some start.
type stamp struct {
	has      bool
	absolute bool
	at       time.Duration
}

// The layouts of stamps: with a zone, without one, and with the day first. Seconds may
// have a fraction.
var (
	zonedLayouts = []string{time.RFC3339, "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 MST",
		time.RFC1123Z, time.RFC1123}
	plainLayouts = []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006/01/02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04"}
	dayLayouts   = []string{"2.1.2006 15:04:05", "2.1.2006 15:04"}
)

// dayOrMonth is the start of a date whose day and month cannot be told apart.
var dayOrMonth = regexp.MustCompile(`^[0-9]{1,2}[/-][0-9]{1,2}[/-][0-9]{4}`)

// Stamps in nanoseconds since 1970 have 64 bits: these are the years they reach.
const firstYear, lastYear = 1678, 2261

// stamps reads the times of a source, in the order of its lines.
type stamps struct {
	zone  *time.Location // of times that name none, and whose abbreviations are known
	given bool           // the zone was asked for, not assumed
	unit  time.Duration  // of numbers, as the column's name says; 0: by their size
	last  time.Time      // the last time that named no zone
}

// parse reads a stamp: a date and time with or without a zone, or a number: seconds since
// some start below 10^8, else since 1970 in seconds, milliseconds, microseconds or
// nanoseconds by size. ErrChoice says that the zone is missing.
func (c *stamps) parse(s string) (stamp, error) {
	s = strings.TrimSpace(s)
	if v, err := strconv.ParseFloat(s, 64); err == nil {
		return parseNumber(s, v, c.unit)
	}
	for _, l := range zonedLayouts {
		if t, err := time.ParseInLocation(l, s, c.zone); err == nil {
			// An unknown abbreviation is taken for UTC by package time.
			name, offset := t.Zone()
			if offset == 0 && t.Location() != c.zone && !strings.Contains(" UTC GMT WET ", " "+cmp.Or(name, "UTC")+" ") {
				return stamp{}, fmt.Errorf("%w: %q: the zone %s is not known: give zone=, such as zone=Europe/Berlin or zone=+02:00", ErrChoice, s, name)
			}
			return absolute(s, t)
		}
	}
	for i, l := range append(plainLayouts, dayLayouts...) {
		wall, err := time.Parse(l, s)
		if err != nil {
			continue
		}
		if i >= len(plainLayouts) && !c.given {
			return stamp{}, fmt.Errorf("%w: %q is a local time without a zone: give zone=, such as zone=Europe/Berlin or zone=+02:00", ErrChoice, s)
		}
		last := c.last
		t, ok := c.local(wall)
		switch {
		case !ok:
			return stamp{}, fmt.Errorf("%w: %q: clocks in %v skipped that time", ErrFormat, s, c.zone)
		case !c.given && c.zone == time.UTC && !last.IsZero() && last.Sub(t).Round(time.Hour) == time.Hour:
			return stamp{}, fmt.Errorf("%w: %q: the clock went back by an hour: if summer time ended, give zone=, such as zone=Europe/Berlin", ErrChoice, s)
		}
		return absolute(s, t)
	}
	if dayOrMonth.MatchString(s) {
		return stamp{}, fmt.Errorf("%w: %q: day or month may stand first; write the year first, or DD.MM.YYYY", ErrFormat, s)
	}
	return stamp{}, notTime(s)
}

func notTime(s string) error {
	return fmt.Errorf("%w: %q is no time: want date and time in one field, as in 2026-01-31 15:04:05, or a number", ErrFormat, s)
}

// absolute is a time as a stamp.
func absolute(s string, t time.Time) (stamp, error) {
	if t.Year() < firstYear || t.Year() > lastYear {
		return stamp{}, notTime(s)
	}
	return stamp{has: true, absolute: true, at: time.Duration(t.UnixNano())}, nil
}

// local is when clocks in the zone showed wall, a time in UTC by name. Of the two times
// that an hour turned back has, it is the nearer to the last one; false: there is none.
func (c *stamps) local(wall time.Time) (t time.Time, ok bool) {
	_, offset := wall.In(c.zone).Zone()
	for _, hours := range []time.Duration{1, 0, -1} {
		x := wall.Add(hours*time.Hour - time.Duration(offset)*time.Second).In(c.zone)
		_, o := x.Zone()
		if x.Add(time.Duration(o)*time.Second).Equal(wall) && (!ok || c.last.IsZero() || x.Sub(c.last).Abs() < t.Sub(c.last).Abs()) {
			t, ok = x, true
		}
	}
	if ok {
		c.last = t
	}
	return t, ok
}

// timeUnits are the units of numbers in the names of time columns.
var timeUnits = map[string]time.Duration{"ns": time.Nanosecond, "us": time.Microsecond, "µs": time.Microsecond, "μs": time.Microsecond,
	"usec": time.Microsecond, "ms": time.Millisecond, "msec": time.Millisecond, "milliseconds": time.Millisecond, "s": time.Second,
	"sec": time.Second, "seconds": time.Second, "min": time.Minute, "minutes": time.Minute, "h": time.Hour, "hours": time.Hour}

// parseNumber reads the number s, which is about v, in a unit, or by its size if that is 0.
func parseNumber(s string, v float64, unit time.Duration) (stamp, error) {
	a, guessed := math.Abs(v), unit == 0
	switch {
	case !guessed:
	case a >= 1e17:
		unit = time.Nanosecond
	case a >= 1e14:
		unit = time.Microsecond
	case a >= 1e11:
		unit = time.Millisecond
	default:
		unit = time.Second
	}
	if math.IsNaN(v) || a*float64(unit) >= math.MaxInt64 {
		return stamp{}, notTime(s)
	}
	at := time.Duration(math.Round(v * float64(unit)))
	if x, _, err := big.ParseFloat(s, 10, 128, big.ToNearestEven); err == nil { // a float64 does not tell nanoseconds
		n, _ := x.Mul(x, big.NewFloat(float64(unit))).Add(x, big.NewFloat(math.Copysign(0.5, v))).Int64()
		at = time.Duration(n)
	}
	absolute := a*float64(unit) >= 1e17
	if y := time.Unix(0, int64(at.Abs())).Year(); guessed && absolute && (y < 2000 || y > 2100) {
		return stamp{}, fmt.Errorf("%w: %q is a time in an unknown unit: name it in the column's name, as in time_ms", ErrChoice, s)
	}
	return stamp{has: true, absolute: absolute, at: at}, nil
}

// parseZone reads a zone: a name of the time zone database, or an offset such as +02:00.
func parseZone(s string) (*time.Location, error) {
	for _, l := range []string{"-07:00", "-0700", "-07"} {
		if t, err := time.Parse(l, s); err == nil {
			_, offset := t.Zone()
			return time.FixedZone(s, offset), nil
		}
	}
	return time.LoadLocation(s)
}
