package power

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
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
	switch err := sc.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("line %d: %w: longer than %d bytes", n, ErrFormat, maxLine)
	case err != nil:
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
	where   [2]string      // a column and its value in the lines to read; "": all lines
	scale   float64        // watts per unit; 0: as the column's name says, or 1
	zone    *time.Location // of stamps that name none; nil: not given
	assumed *time.Location // the zone if none is given; nil: local
}

// The usual names of columns, in lower case.
var (
	powerNames  = []string{"watts", "power_w", "power", "w", "watt"}
	timeNames   = []string{"time", "timestamp", "t_s", "t", "date", "datetime", "seconds", "elapsed", "elapsed_s"}
	deviceNames = []string{"index", "gpu", "gpu_index", "gpu_id", "uuid", "gpu_uuid", "pci.bus_id", "gpu_bus_id", "device", "device_id",
		"meter", "sensor", "channel", "outlet", "node", "host", "hostname", "name", "gpu_name", "serial", "device_name", "socket", "card"}
)

// maxDevices bounds the values of a device's column; with more it is one that numbers lines.
const maxDevices = 1000

// What a line without a reading may be.
var (
	errMissing = fmt.Errorf("%w: no value", ErrFormat) // the source had none at this time
	errOther   = fmt.Errorf("%w: of another device", ErrFormat)
)

// decoder turns lines into readings. The first line that is no comment is the
// header, if a column has to be found by name.
type decoder struct {
	f           lineFormat
	times       stamps
	sep         string         // "" is white space
	header      bool           // the header has been read, or is not needed
	names       []string       // of the columns; nil without a header
	width       int            // fields of the first line
	partial     bool           // the next line is the rest of one
	mark        string         // of decimals, "." or ",", once a number has one
	power, when int            // columns or groups; when is -1 without times
	where       int            // column of f.where, or of the devices, or -1
	name        string         // of that column
	devices     map[string]int // lines of each device
	repeated    bool           // one of them has several
}

func newDecoder(f lineFormat) *decoder {
	d := &decoder{f: f, when: -1, where: -1, devices: map[string]int{}}
	d.times = stamps{zone: cmp.Or(f.zone, f.assumed, time.Local), given: f.zone != nil}
	if f.pattern != nil {
		d.header, d.when, d.power = true, f.pattern.SubexpIndex("time"), max(1, f.pattern.SubexpIndex("watts"))
	}
	return d
}

// line decodes one line. skip is true for comments, blank lines and the header. The error
// is ErrChoice where no later line can be read either.
func (d *decoder) line(s string) (w float64, at stamp, skip bool, err error) {
	s = strings.TrimSpace(strings.TrimPrefix(s, "\ufeff"))
	if d.partial {
		s, d.partial = "", false
	}
	if s == "" || d.f.pattern == nil && strings.HasPrefix(s, "#") {
		return 0, stamp{}, true, nil
	}
	f, err := d.fields(s)
	if err != nil || f == nil {
		return 0, stamp{}, err == nil, err
	}
	if d.when >= 0 {
		if f[d.when], err = d.decimal(f[d.when]); err == nil {
			at, err = d.times.parse(f[d.when])
		}
		if err != nil {
			return 0, stamp{}, false, err
		}
	}
	if d.where >= 0 {
		if err = d.device(f[d.where]); err != nil {
			return 0, at, false, err
		}
	}
	if f[d.power], err = d.decimal(f[d.power]); err == nil {
		w, err = parsePower(f[d.power], d.f.scale)
	}
	return w, at, false, err
}

// markedNumber is a number: its whole part, which may have marks of thousands, its decimal mark, the
// digits behind it, and what follows.
var markedNumber = regexp.MustCompile(`^([-+]?[0-9]+|[-+]?[0-9]{1,3}(?:[.,][0-9]{3})+)(?:([.,])([0-9]*))?((?:[^0-9.,].*)?)$`)

// decimal writes a number with a decimal point and without marks of thousands. All numbers of a log
// have one decimal mark.
func (d *decoder) decimal(s string) (string, error) {
	m := markedNumber.FindStringSubmatch(s)
	if m == nil || m[2] != "" && strings.Contains(m[1], m[2]) {
		return s, nil
	}
	whole, mark, digits := strings.NewReplacer(".", "", ",", "").Replace(m[1]), m[2], m[3]
	thousands := len(digits) == 3 && len(m[1]) <= 3 && m[1] != "0" // 1,234: or decimals
	switch {
	case mark == "":
		return whole + m[4], nil
	case mark == "," && d.mark == "." && thousands:
		return whole + digits + m[4], nil
	case mark == "," && d.mark == "" && thousands || d.mark != "" && mark != d.mark:
		return s, fmt.Errorf("%w: %q: a comma may mark decimals or thousands; write all numbers with a decimal point", ErrChoice, s)
	}
	d.mark = mark
	return whole + "." + digits + m[4], nil
}

// fields takes a line apart: nil for the header, and for what does not match the pattern.
func (d *decoder) fields(s string) (f []string, err error) {
	if d.f.pattern != nil {
		return d.f.pattern.FindStringSubmatch(s), nil
	}
	if !d.header {
		if strings.Contains(s, "\x00") {
			return nil, fmt.Errorf("%w: no text: UTF-16 (iconv -f UTF-16 -t UTF-8 converts it), or a compressed file", ErrFormat)
		}
		d.sep = separator(s)
		if header, err := d.columns(split(s, d.sep)); err != nil || header {
			return nil, err
		}
	}
	f = split(s, d.sep)
	for len(f) > d.width && f[len(f)-1] == "" {
		f = f[:len(f)-1]
	}
	if header, err := d.again(f); header {
		return nil, err
	}
	// Between blanks a field that lacks has no place.
	if max(d.power, d.when, d.where) >= len(f) || len(f) > d.width || len(f) < d.width && d.sep == "" {
		return nil, fmt.Errorf("%w: %d fields where the first line has %d", ErrFormat, len(f), d.width)
	}
	return f, nil
}

// again tells whether a line names columns, as the header does, or their units in place of values.
func (d *decoder) again(f []string) (header bool, err error) {
	if d.names == nil || len(f) <= d.power || f[d.power] == "" {
		return false, nil
	}
	bare := func(i int) string { return strings.Trim(f[i], "()[]") }
	scale, err := unit(bare(d.power))
	switch {
	case slices.EqualFunc(f, d.names, strings.EqualFold):
		return true, nil
	case scale > 0 || err != nil:
		if named, _ := columnScale(d.names[d.power]); d.f.scale == 0 && err != nil || scale != d.f.scale && named > 0 && named == d.f.scale {
			return true, fmt.Errorf("%w: the unit %q of column %q: say unit=W, kW, mW or uW", ErrChoice, f[d.power], d.names[d.power])
		}
		d.f.scale = cmp.Or(d.f.scale, scale)
		if d.when >= 0 && d.when < len(f) {
			d.times.unit = cmp.Or(d.times.unit, timeUnits[strings.ToLower(bare(d.when))])
		}
		return true, nil
	case wordy(f[d.power]) && slices.ContainsFunc(f, d.named):
		return true, fmt.Errorf("%w: another header, %.200q: cut the log there", ErrChoice, strings.Join(f, ","))
	}
	return false, nil
}

// named tells whether a column is called s.
func (d *decoder) named(s string) bool {
	return slices.ContainsFunc(d.names, func(n string) bool { return s != "" && strings.EqualFold(n, s) })
}

// device looks whether a line is of the device that was asked for. If none was, it fails
// once the lines turn out to be of several.
func (d *decoder) device(value string) error {
	if len(d.devices) < maxDevices || d.devices[value] > 0 {
		d.devices[value]++
		d.repeated = d.repeated || d.devices[value] > 1
	}
	switch {
	case d.f.where[0] != "" && value != d.f.where[1]:
		return errOther
	case d.f.where[0] == "" && d.repeated && len(d.devices) > 1:
		return fmt.Errorf("%w: several devices in one log: choose one, such as where=%s:%s; column %q has %s", ErrChoice, d.name, value, d.name, d.values())
	}
	return nil
}

// values are some of the devices seen.
func (d *decoder) values() string {
	v := slices.Sorted(maps.Keys(d.devices))
	if len(v) > 8 {
		v = append(v[:8], "...")
	}
	return strings.Join(v, ", ")
}

// columns finds the columns in the first line; it returns true if that was a header.
func (d *decoder) columns(fields []string) (header bool, err error) {
	if d.power, err = find(fields, d.f.column, powerNames, true); err != nil {
		return false, err
	}
	d.width, header = len(fields), true
	if columnNumber(d.f.column) > 0 {
		// A line with a number where the power stands is no header.
		power, err := d.decimal(fields[d.power])
		if err != nil {
			return false, err
		}
		header = wordy(power)
	}
	if header {
		d.names = fields
	}
	for _, c := range []struct {
		to    *int
		name  string
		usual []string
	}{{&d.when, d.f.time, timeNames}, {&d.where, d.f.where[0], deviceNames}} {
		if *c.to, err = find(fields, c.name, c.usual, header); err != nil && c.name != "" {
			return false, err
		}
	}
	if header && d.when >= 0 {
		for _, w := range words(fields[d.when]) {
			d.times.unit = cmp.Or(timeUnits[strings.ToLower(w)], d.times.unit)
		}
	}
	if d.where == d.power || d.where == d.when {
		d.where = -1
	} else if d.where >= 0 {
		d.name = cmp.Or(d.f.where[0], fields[d.where])
	}
	if header && d.f.scale == 0 {
		if d.f.scale, err = columnScale(fields[d.power]); err != nil {
			return false, err
		}
	}
	d.header = true
	return header, nil
}

// unitScale is the number of watts in each unit of power; those of one spelling are told
// apart by unit= alone. otherUnits are what is no power.
var (
	unitScale = map[string]float64{"W": 1, "kW": 1e3, "mW": 1e-3, "uW": 1e-6, "µW": 1e-6, "μW": 1e-6,
		"w": 1, "watt": 1, "watts": 1, "kw": 1e3, "kilowatt": 1e3, "kilowatts": 1e3, "milliwatt": 1e-3, "milliwatts": 1e-3,
		"microwatt": 1e-6, "microwatts": 1e-6, "megawatt": 1e6, "megawatts": 1e6}
	otherUnits = map[string]string{"mw": "may be milliwatts or megawatts", "j": "is an energy", "mj": "is an energy", "uj": "is an energy",
		"kj": "is an energy", "joule": "is an energy", "joules": "is an energy", "ws": "is an energy", "wh": "is an energy",
		"mwh": "is an energy", "kwh": "is an energy", "va": "is no power", "kva": "is no power", "var": "is no power", "ma": "is no power",
		"amps": "is no power", "ampere": "is no power", "mv": "is no power", "volt": "is no power", "volts": "is no power",
		"dbm": "is no power in watts", "hp": "is no power in watts", "dw": "is neither W, kW, mW nor uW", "btu": "is no power in watts",
		"energy": "is no power", "voltage": "is no power", "temperature": "is no power", "apparent": "is no power", "reactive": "is no power"}
)

// unit is the scale of a unit, 0 if it is none, and an error if it is not one of power.
func unit(s string) (scale float64, err error) {
	if scale = cmp.Or(unitScale[s], unitScale[strings.ToLower(s)]); scale == 0 && otherUnits[strings.ToLower(s)] != "" {
		err = fmt.Errorf("%w: the unit %s %s", ErrFormat, s, otherUnits[strings.ToLower(s)])
	}
	return scale, err
}

// prefixed is a unit in two words.
var prefixed = regexp.MustCompile(`(?i)(milli|kilo|micro|mega)[^a-z]+(watts?)`)

// columnScale is that of the unit in a column's name, as in "power_mW" and "draw [W]"; 0:
// there is none.
func columnScale(name string) (scale float64, err error) {
	for _, w := range slices.Backward(words(prefixed.ReplaceAllString(name, "$1$2"))) {
		if scale, err = unit(w); err != nil {
			return 0, fmt.Errorf("column %q: %w; choose another with column=, or say unit=W, kW, mW or uW", name, err)
		} else if scale > 0 {
			break
		}
	}
	return scale, nil
}

// words are those of a column's name.
func words(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) })
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
		called := func(f string) bool { return strings.EqualFold(f, u) || name == "" && usualName(f) == u }
		i := slices.IndexFunc(fields, called)
		if i >= 0 && slices.ContainsFunc(fields[i+1:], called) {
			return -1, fmt.Errorf("%w: several columns are called %q: give the number of one", ErrFormat, u)
		} else if i >= 0 && header {
			return i, nil
		}
	}
	return -1, fmt.Errorf("%w: no column %q in the header %.200q: column=, time=, where= take its names or numbers", ErrFormat, strings.Join(usual, ", "), strings.Join(fields, ","))
}

// usualName writes the name of a column as the usual names are written: "Device ID" as device_id.
func usualName(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune(" _-()[]#/", r) }), "_")
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
		f[i] = strings.TrimSpace(f[i])
	}
	if sep != "" {
		return f
	}
	var joined []string // a number and its unit are one field
	for i := range f {
		x := strings.Trim(f[i], `"`)
		if scale, _ := unit(x); i > 0 && scale > 0 && !wordy(f[i-1]) {
			joined[len(joined)-1] += x
			continue
		}
		joined = append(joined, x)
	}
	return joined
}

// wordy tells whether s is neither a power nor says that there is none.
func wordy(s string) bool {
	_, err := parsePower(s, 0)
	return err != nil && err != errMissing
}

// noValue are what sources write, in lower case, where they have no value; so is text in [].
var noValue = map[string]bool{"": true, "n/a": true, "#n/a": true, "na": true, "nan": true, "null": true, "nil": true, "none": true,
	"-": true, "--": true, "unknown": true, "no data": true, "nodata": true, "unavailable": true, "err!": true}

// parsePower reads a number, which a unit may follow. scale is that of the column, 0 if it
// has none: 1.
func parsePower(s string, scale float64) (float64, error) {
	s = strings.TrimSpace(s)
	if noValue[strings.ToLower(s)] || strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]") {
		return 0, errMissing
	}
	end := strings.LastIndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }) + 1
	w, err := strconv.ParseFloat(strings.TrimSpace(s[:end]), 64)
	own, uerr := unit(s[end:])
	switch {
	case err != nil || w < 0 || math.IsInf(w, 0) || math.IsNaN(w) || own == 0 && s[end:] != "":
		return 0, cmp.Or(uerr, fmt.Errorf("%w: %q is no power", ErrFormat, s))
	case own > 0 && scale > 0 && own != scale:
		return 0, fmt.Errorf("%w: %q has another unit than the column", ErrFormat, s)
	}
	return w * cmp.Or(own, scale, 1), nil
}
