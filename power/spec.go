package power

import (
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/totemgo/totemgo/record"
)

// Kinds of specifications.
const (
	KindAuto    = "auto"    // RAPL, NVML and the hwmon sensors of GPUs, whatever is there
	KindNone    = "none"    // no meter
	KindRAPL    = "rapl"    // CPU packages and memory
	KindNVML    = "nvml"    // NVIDIA GPUs
	KindHwmon   = "hwmon"   // sensors of the kernel's hardware monitoring
	KindWattsUp = "wattsup" // a Watts Up? PRO at a serial port
	KindLine    = "line"    // any source of lines, live
	KindReplay  = "replay"  // a recorded log
	KindModel   = "model"   // an estimate from the share of CPU time
)

// specKeys are the options of each kind, as alternatives of a regular expression.
var specKeys = map[string]string{
	KindAuto: "", KindNone: "", KindRAPL: "", KindNVML: "",
	KindHwmon:   "chip|label|covers",
	KindWattsUp: "covers|baud",
	KindLine:    "file|exec|column|time|where|pattern|unit|zone|covers|baud",
	KindReplay:  "file|column|time|where|pattern|unit|zone|covers",
	KindModel:   "idle|busy",
}

// Spec is a parsed specification of meters, such as "rapl" or
// "replay:watts.csv,column=watts,covers=whole-system".
type Spec struct {
	Kind string
	// File is the log (replay), the file, FIFO or device (line) or the port (wattsup).
	File string
	// Exec is the command whose output is followed (line), instead of File.
	Exec string
	// Column is the power's column by name or by number from 1, "" by its usual names;
	// Time the same for the time. Pattern is a regular expression instead: its group
	// "watts" or its first is the power, its group "time" the time.
	Column, Time, Pattern string
	// Where chooses lines by another column: "index:2" those that have 2 in column index.
	Where string
	// Unit is that of the power: "W", "kW", "mW" or "uW"; "": as the column's name says, or W.
	Unit string
	// Zone is the time zone of stamps that name none, such as "Europe/Berlin" or "+02:00".
	Zone string
	// Covers is record.CoverageWholeSystem or record.CoverageComponent.
	Covers string
	// Baud is the serial rate; 0 leaves a port as it is (wattsup: 115200).
	Baud int
	// Idle and Busy are the model's watts.
	Idle, Busy float64
	// Chip and Label choose one chip or sensor (hwmon); "": all.
	Chip, Label string
}

// field is where the value of an option goes.
func (s *Spec) field(key string) any {
	return map[string]any{
		"file": &s.File, "exec": &s.Exec, "column": &s.Column, "time": &s.Time, "where": &s.Where, "pattern": &s.Pattern, "unit": &s.Unit,
		"zone": &s.Zone, "covers": &s.Covers, "baud": &s.Baud, "idle": &s.Idle, "busy": &s.Busy, "chip": &s.Chip, "label": &s.Label,
	}[key]
}

// ParseSpec parses one specification: a kind, then for some kinds ':' and a file or
// options KEY=VALUE, separated by commas. A comma that no known KEY= follows belongs
// to the value before it. Nothing is opened. Errors wrap ErrSpec.
func ParseSpec(text string) (Spec, error) {
	kind, rest, _ := strings.Cut(text, ":")
	s := Spec{Kind: kind}
	if err := s.parse(rest); err != nil {
		return Spec{}, fmt.Errorf("power: %w %q: %w", ErrSpec, text, err)
	}
	return s, nil
}

// ParseSpecs parses several specifications. One text may list several kinds without
// options: "rapl,nvml". Errors are those of ParseSpec.
func ParseSpecs(texts []string) ([]Spec, error) {
	var specs []Spec
	for _, t := range texts {
		parts := []string{t}
		if !strings.Contains(t, ":") {
			parts = strings.Split(t, ",")
		}
		for _, p := range parts {
			s, err := ParseSpec(p)
			if err != nil {
				return nil, err
			}
			specs = append(specs, s)
		}
	}
	return specs, nil
}

// parse reads "FILE,key=value,...".
func (s *Spec) parse(rest string) error {
	keys, known := specKeys[s.Kind]
	switch {
	case !known:
		return fmt.Errorf("unknown kind %q; there are auto, none, rapl, nvml, hwmon, wattsup, line, replay, model", s.Kind)
	case keys == "" && rest != "":
		return fmt.Errorf("%s takes no options", s.Kind)
	case keys == "":
		return nil
	}
	at := regexp.MustCompile(`(?:^|,)(`+keys+`)=`).FindAllStringSubmatchIndex(rest, -1)
	at = append(at, []int{len(rest)})
	s.File = rest[:at[0][0]]
	given := map[string]bool{"file": s.File != ""}
	if s.File != "" && (s.Kind == KindModel || s.Kind == KindHwmon) {
		return fmt.Errorf("%q is no option of %s", s.File, s.Kind)
	}
	for i, m := range at[:len(at)-1] {
		key, value := rest[m[2]:m[3]], rest[m[1]:at[i+1][0]]
		if given[key] {
			return fmt.Errorf("%s= is there twice", key)
		}
		given[key] = true
		if err := s.set(key, value); err != nil {
			return err
		}
	}
	return s.check(given)
}

func (s *Spec) set(key, value string) (err error) {
	if strings.TrimSpace(value) == "" {
		return fmt.Errorf("%s= is empty", key)
	}
	switch p := s.field(key).(type) {
	case *string:
		*p = value
	case *int:
		if *p, err = strconv.Atoi(value); err != nil || *p <= 0 {
			return fmt.Errorf("%s=%s is no rate", key, value)
		}
	case *float64:
		if *p, err = strconv.ParseFloat(value, 64); err != nil || math.IsNaN(*p) || math.IsInf(*p, 0) || *p < 0 {
			return fmt.Errorf("%s=%s is no number of watts", key, value)
		}
	}
	return nil
}

// check finds what options do not go together. given has the options that were there.
func (s *Spec) check(given map[string]bool) error {
	if s.Covers == "" {
		s.Covers = record.CoverageComponent
	}
	switch {
	case s.Covers != record.CoverageWholeSystem && s.Covers != record.CoverageComponent:
		return fmt.Errorf("covers=%s is neither whole-system nor component", s.Covers)
	case s.Kind == KindModel && !(given["idle"] && given["busy"]):
		return fmt.Errorf("a model needs idle=WATTS,busy=WATTS")
	case s.Kind == KindModel && s.Busy < s.Idle:
		return fmt.Errorf("busy=%g is below idle=%g", s.Busy, s.Idle)
	case s.Kind == KindHwmon && s.Chip == "" && (s.Label != "" || given["covers"]):
		return fmt.Errorf("label and covers need chip=NAME")
	case s.Kind == KindLine && (s.File == "") == (s.Exec == ""):
		return fmt.Errorf("line needs a file or exec=COMMAND")
	case (s.Kind == KindWattsUp || s.Kind == KindReplay) && s.File == "":
		return fmt.Errorf("%s needs a file: %s:FILE", s.Kind, s.Kind)
	}
	_, err := s.format()
	return err
}

// name is the meter's name: kind, file and column.
func (s Spec) name() string {
	n := s.Kind + ":" + filepath.Base(s.File)
	if s.Exec != "" {
		n = s.Kind + ":" + filepath.Base(strings.Fields(s.Exec)[0])
	}
	for _, choice := range []string{s.Column, s.Where} {
		if choice != "" {
			n += "/" + choice
		}
	}
	return n
}

// format is how lines are read.
func (s Spec) format() (f lineFormat, err error) {
	f = lineFormat{column: s.Column, time: s.Time, scale: unitScale[s.Unit]}
	if f.scale == 0 && s.Unit != "" {
		return f, fmt.Errorf("unit=%s is none of W, kW, mW, uW", s.Unit)
	}
	if s.Where != "" {
		column, value, ok := strings.Cut(s.Where, ":")
		if f.where = [2]string{strings.TrimSpace(column), strings.TrimSpace(value)}; !ok || f.where[0] == "" {
			return f, fmt.Errorf("where=%s: want COLUMN:VALUE", s.Where)
		}
	}
	if s.Pattern != "" {
		switch f.pattern, err = regexp.Compile(s.Pattern); {
		case err != nil:
			return f, err
		case f.pattern.NumSubexp() == 0:
			return f, fmt.Errorf("pattern=%s has no group (...) for the power", s.Pattern)
		case s.Column != "" || s.Time != "" || s.Where != "":
			return f, fmt.Errorf("pattern and columns exclude each other")
		}
	}
	if s.Zone != "" {
		f.zone, err = parseZone(s.Zone)
	}
	return f, err
}
