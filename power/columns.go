package power

import (
	"encoding/csv"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A lineFormat says how a line of text holds a power reading.
type lineFormat struct {
	column  string         // a name in the header, or a number from 1; "": by its usual names
	pattern *regexp.Regexp // instead of columns: the group "watts" or the first is the power
	time    string         // the time's column; "": by its usual names
	scale   float64        // watts per unit
	zone    *time.Location // of stamps that name none
}

// The usual names of columns, in lower case.
var (
	powerNames = []string{"watts", "power_w", "power", "w", "watt"}
	timeNames  = []string{"time", "timestamp", "t_s", "t", "date", "datetime", "seconds", "elapsed", "elapsed_s"}
)

// decoder turns lines into readings. The first line that is no comment is the
// header, if a column has to be found by name.
type decoder struct {
	f           lineFormat
	sep         string // "" is white space
	header      bool   // the header has been read, or is not needed
	power, when int    // columns; when is -1 without times
}

// stamp is a line's time: absolute (since 1970), or since some start.
type stamp struct {
	has      bool
	absolute bool
	at       time.Duration
}

func newDecoder(f lineFormat) *decoder {
	d := &decoder{f: f, when: -1}
	if f.scale == 0 {
		d.f.scale = 1
	}
	if f.zone == nil {
		d.f.zone = time.Local
	}
	if f.pattern != nil {
		d.header = true
	}
	return d
}

// line decodes one line. skip is true for comments, blank lines and the header.
func (d *decoder) line(s string) (w float64, at stamp, skip bool, err error) {
	s = strings.TrimSpace(strings.TrimPrefix(s, "\ufeff"))
	if s == "" || d.f.pattern == nil && strings.HasPrefix(s, "#") {
		return 0, stamp{}, true, nil
	}
	if d.f.pattern != nil {
		return d.match(s)
	}
	if !d.header {
		d.sep = separator(s)
		skip, err = d.columns(split(s, d.sep))
		if err != nil || skip {
			return 0, stamp{}, skip, err
		}
	}
	fields := split(s, d.sep)
	if d.power >= len(fields) || d.when >= len(fields) {
		return 0, stamp{}, false, fmt.Errorf("%w: %d columns", ErrFormat, len(fields))
	}
	if d.when >= 0 {
		at, err = parseTime(fields[d.when], d.f.zone)
		if err != nil {
			return 0, stamp{}, false, err
		}
	}
	w, err = parsePower(fields[d.power])
	return w * d.f.scale, at, false, err
}

// match reads a line by the pattern: the group "watts" or the first, and a group
// "time" if there is one.
func (d *decoder) match(s string) (w float64, at stamp, skip bool, err error) {
	m := d.f.pattern.FindStringSubmatch(s)
	if m == nil {
		return 0, stamp{}, true, nil // other lines are none of ours
	}
	g := 1
	if i := d.f.pattern.SubexpIndex("watts"); i > 0 {
		g = i
	}
	if i := d.f.pattern.SubexpIndex("time"); i > 0 {
		if at, err = parseTime(m[i], d.f.zone); err != nil {
			return 0, stamp{}, false, err
		}
	}
	w, err = parsePower(m[g])
	return w * d.f.scale, at, false, err
}

// columns finds the columns in the first line; it returns true if that was a header.
func (d *decoder) columns(fields []string) (header bool, err error) {
	// A line with a number where the power stands is no header.
	if n := columnNumber(d.f.column); n > 0 {
		if n > len(fields) {
			return false, fmt.Errorf("%w: column %d of %d", ErrFormat, n, len(fields))
		}
		d.power = n - 1
		_, err := parsePower(fields[d.power])
		header = err != nil
	} else {
		header = true
		d.power = find(fields, d.f.column, powerNames)
		if d.power < 0 {
			want := d.f.column
			if want == "" {
				want = strings.Join(powerNames, ", ")
			}
			return false, fmt.Errorf("%w: no column %q in the header %q", ErrFormat, want, strings.Join(fields, ","))
		}
	}
	switch n := columnNumber(d.f.time); {
	case n > len(fields):
		return false, fmt.Errorf("%w: column %d of %d", ErrFormat, n, len(fields))
	case n > 0:
		d.when = n - 1
	case header:
		d.when = find(fields, d.f.time, timeNames)
	}
	if d.when < 0 && d.f.time != "" {
		return false, fmt.Errorf("%w: no column %q in the first line %q", ErrFormat, d.f.time, strings.Join(fields, ","))
	}
	d.header = true
	return header, nil
}

// columnNumber is the number, from 1, that stands for a column; 0 for a name.
func columnNumber(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return max(n, 0)
}

// find returns the column called name, or the first of the usual names if name is "".
func find(fields []string, name string, usual []string) int {
	if name != "" {
		for i, f := range fields {
			if strings.EqualFold(f, name) {
				return i
			}
		}
		return -1
	}
	for _, u := range usual {
		for i, f := range fields {
			if strings.EqualFold(f, u) {
				return i
			}
		}
	}
	return -1
}

var quotedField = regexp.MustCompile(`"[^"]*"`)

// separator guesses what stands between the fields of a line; "" is white space.
func separator(s string) string {
	s = quotedField.ReplaceAllString(s, "")
	for _, c := range []string{"\t", ";", ","} {
		if strings.Contains(s, c) {
			return c
		}
	}
	return ""
}

// split takes a line apart. Fields may stand in quotes, as in CSV.
func split(s, sep string) []string {
	var f []string
	switch {
	case sep == "":
		f = strings.Fields(s)
		for i := range f {
			f[i] = strings.Trim(f[i], `"`)
		}
		return f
	case strings.Contains(s, `"`):
		r := csv.NewReader(strings.NewReader(s))
		r.Comma, r.LazyQuotes, r.TrimLeadingSpace = rune(sep[0]), true, sep != "\t"
		f, _ = r.Read() // one line with lazy quotes has no errors
	default:
		f = strings.Split(s, sep)
	}
	for i := range f {
		f[i] = strings.TrimSpace(f[i])
	}
	return f
}

// parsePower reads a number, which a unit W may follow.
func parsePower(s string) (float64, error) {
	s = strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(s), "W"), "w"))
	w, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(w) || math.IsInf(w, 0) {
		return 0, fmt.Errorf("%w: %q is no power", ErrFormat, s)
	}
	return w, nil
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
