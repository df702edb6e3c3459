package power

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxLine bounds a record of a log or of a live source, in bytes.
const maxLine = 1 << 20

// scan calls take with each record of r, its number from 1 and what decode makes of it;
// it leaves out what decode skips. It ends with r, or with take's first error.
func scan(r io.Reader, split bufio.SplitFunc, decode decode, take func(n int, w float64, at stamp, err error) error) error {
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, maxLine)
	sc.Split(split)
	n := 1
	for ; sc.Scan(); n++ {
		w, at, skip, err := decode(sc.Text())
		if skip {
			continue
		}
		if err := take(n, w, at, err); err != nil {
			return err
		}
	}
	if err := sc.Err(); err != nil {
		return fmt.Errorf("line %d: %w", n, err)
	}
	return nil
}

// decode reads a record: watts and time, or skip for a comment or a header.
type decode func(text string) (w float64, at stamp, skip bool, err error)

// malformed counts record n, which holds no reading, and keeps the first reason.
func (f *Faults) malformed(n int, err error) {
	if f.Malformed++; f.Malformed == 1 {
		f.Notes = append(f.Notes, fmt.Sprintf("line %d: %v", n, err))
	}
}

// A lineFormat says how a line of text holds a power reading.
type lineFormat struct {
	column  string         // a name in the header, or a number from 1; "": by its usual names
	pattern *regexp.Regexp // instead of columns: the group "watts" or the first is the power
	time    string         // the time's column; "": by its usual names
	scale   float64        // watts per unit; 0: 1
	zone    *time.Location // of stamps that name none; nil: local
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
	power, when int    // columns or groups; when is -1 without times
}

func newDecoder(f lineFormat) *decoder {
	d := &decoder{f: f, when: -1}
	if f.pattern != nil {
		d.header, d.when, d.power = true, f.pattern.SubexpIndex("time"), max(1, f.pattern.SubexpIndex("watts"))
	}
	if f.scale == 0 {
		d.f.scale = 1
	}
	if f.zone == nil {
		d.f.zone = time.Local
	}
	return d
}

// line decodes one line. skip is true for comments, blank lines and the header.
func (d *decoder) line(s string) (w float64, at stamp, skip bool, err error) {
	s = strings.TrimSpace(strings.TrimPrefix(s, "\ufeff"))
	if s == "" || d.f.pattern == nil && strings.HasPrefix(s, "#") {
		return 0, stamp{}, true, nil
	}
	power, when, skip, err := d.fields(s)
	if err != nil || skip {
		return 0, stamp{}, skip, err
	}
	if d.when >= 0 {
		if at, err = parseTime(when, d.f.zone); err != nil {
			return 0, stamp{}, false, err
		}
	}
	w, err = parsePower(power)
	return w * d.f.scale, at, false, err
}

// fields takes power and time out of a line. The header is skipped, and what does not
// match the pattern.
func (d *decoder) fields(s string) (power, when string, skip bool, err error) {
	var f []string
	if d.f.pattern != nil {
		if f = d.f.pattern.FindStringSubmatch(s); f == nil {
			return "", "", true, nil
		}
	} else {
		if !d.header {
			d.sep = separator(s)
			if skip, err = d.columns(split(s, d.sep)); err != nil || skip {
				return "", "", skip, err
			}
		}
		f = split(s, d.sep)
	}
	if d.power >= len(f) || d.when >= len(f) {
		return "", "", false, fmt.Errorf("%w: %d columns", ErrFormat, len(f))
	}
	if d.when >= 0 {
		when = f[d.when]
	}
	return f[d.power], when, false, nil
}

// columns finds the columns in the first line; it returns true if that was a header.
func (d *decoder) columns(fields []string) (header bool, err error) {
	if d.power, err = find(fields, d.f.column, powerNames, true); err != nil {
		return false, err
	}
	header = true
	if columnNumber(d.f.column) > 0 {
		// A line with a number where the power stands is no header.
		_, err := parsePower(fields[d.power])
		header = err != nil
	}
	if header || d.f.time != "" {
		if d.when, err = find(fields, d.f.time, timeNames, header); err != nil && d.f.time != "" {
			return false, err
		}
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

// find returns the column called name, or of that number, or the first of the usual
// names if name is "". Names stand in a header alone.
func find(fields []string, name string, usual []string, header bool) (int, error) {
	if n := columnNumber(name); n > len(fields) {
		return -1, fmt.Errorf("%w: column %d of %d", ErrFormat, n, len(fields))
	} else if n > 0 {
		return n - 1, nil
	}
	if name != "" {
		usual = []string{name}
	}
	for _, u := range usual {
		i := slices.IndexFunc(fields, func(f string) bool { return strings.EqualFold(f, u) })
		if i >= 0 && header {
			return i, nil
		}
	}
	return -1, fmt.Errorf("%w: no column %q in the header %q", ErrFormat, strings.Join(usual, ", "), strings.Join(fields, ","))
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
	f := strings.Fields(s)
	switch {
	case sep != "" && strings.Contains(s, `"`):
		r := csv.NewReader(strings.NewReader(s))
		r.Comma, r.LazyQuotes, r.TrimLeadingSpace = rune(sep[0]), true, sep != "\t"
		f, _ = r.Read() // one line with lazy quotes has no errors
	case sep != "":
		f = strings.Split(s, sep)
	}
	for i := range f {
		if f[i] = strings.TrimSpace(f[i]); sep == "" {
			f[i] = strings.Trim(f[i], `"`)
		}
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
