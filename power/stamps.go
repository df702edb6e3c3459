package power

import (
	"fmt"
	"math"
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

// The layouts of stamps, with a zone and without.
var (
	zonedLayouts = []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999 -0700",
		"2006-01-02 15:04:05.999999999 MST", time.RFC1123Z, time.RFC1123}
	plainLayouts = []string{"2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006/01/02 15:04:05.999999999",
		"2006-01-02T15:04", "2006-01-02 15:04"}
)

// Stamps in nanoseconds since 1970 have 64 bits: these are the years they reach.
const firstYear, lastYear = 1678, 2261

// parseTime reads a stamp: a date and time with or without a zone, or a number:
// seconds since some start below 10^8, else since 1970 in seconds, milliseconds,
// microseconds or nanoseconds by size. zone is that of dates that name none, and
// the one whose abbreviations are known.
func parseTime(s string, zone *time.Location) (stamp, error) {
	s = strings.TrimSpace(s)
	bad := func() (stamp, error) { return stamp{}, fmt.Errorf("%w: %q is no time", ErrFormat, s) }
	if v, err := strconv.ParseFloat(s, 64); err == nil {
		unit := time.Second
		switch a := math.Abs(v); {
		case math.IsNaN(v) || a >= math.MaxInt64:
			return bad()
		case a < 1e8:
			return stamp{has: true, at: time.Duration(math.Round(v * 1e9))}, nil
		case a >= 1e17:
			unit = time.Nanosecond
		case a >= 1e14:
			unit = time.Microsecond
		case a >= 1e11:
			unit = time.Millisecond
		}
		if math.Abs(v)*float64(unit) >= math.MaxInt64 {
			return bad()
		}
		// A float64 of such size does not tell nanoseconds: digits are read in two parts.
		whole, frac, _ := strings.Cut(s, ".")
		n, err := strconv.ParseInt(whole, 10, 64)
		x, ferr := strconv.ParseUint("0"+frac, 10, 64)
		if v < 0 || err != nil || ferr != nil {
			return stamp{has: true, absolute: true, at: time.Duration(math.Round(v * float64(unit)))}, nil
		}
		part := float64(x) / math.Pow10(len(frac)) * float64(unit)
		return stamp{has: true, absolute: true, at: time.Duration(n)*unit + time.Duration(math.Round(part))}, nil
	}
	for _, layouts := range [][]string{zonedLayouts, plainLayouts} {
		for _, l := range layouts {
			if t, err := time.ParseInLocation(l, s, zone); err == nil {
				if t.Year() < firstYear || t.Year() > lastYear {
					return bad()
				}
				return stamp{has: true, absolute: true, at: time.Duration(t.UnixNano())}, nil
			}
		}
	}
	return bad()
}
