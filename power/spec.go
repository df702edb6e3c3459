package power

import (
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"

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
	// Unit is that of the power: "W" ("" as well), "kW", "mW" or "uW".
	Unit string
	// Zone is the time zone of stamps that name none, such as "UTC"; "": local time.
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

// specKeys are the options of each kind.
func specKeys(kind string) []string {
	switch kind {
	case KindHwmon:
		return []string{"chip", "label", "covers"}
	case KindWattsUp:
		return []string{"covers", "baud"}
	case KindLine:
		return []string{"file", "exec", "column", "time", "pattern", "unit", "zone", "covers", "baud"}
	case KindReplay:
		return []string{"file", "column", "time", "pattern", "unit", "zone", "covers"}
	case KindModel:
		return []string{"idle", "busy"}
	}
	return nil
}

// ParseSpec parses one specification: a kind, then for some kinds ':' and a file or
// options KEY=VALUE, separated by commas. A comma that no known KEY= follows belongs
// to the value before it. Nothing is opened. Errors wrap ErrSpec.
func ParseSpec(text string) (Spec, error) {
	kind, rest, _ := strings.Cut(text, ":")
	s := Spec{Kind: kind}
	bad := func(format string, args ...any) (Spec, error) {
		return Spec{}, fmt.Errorf("power: %w %q: %s", ErrSpec, text, fmt.Sprintf(format, args...))
	}
	switch kind {
	case KindAuto, KindNone, KindRAPL, KindNVML:
		if rest != "" {
			return bad("%s takes no options", kind)
		}
		return s, nil
	case KindHwmon, KindWattsUp, KindLine, KindReplay, KindModel:
	default:
		return bad("unknown kind %q; there are auto, none, rapl, nvml, hwmon, wattsup, line, replay, model", kind)
	}
	first, opts, twice := splitOptions(rest, specKeys(kind))
	if twice != "" {
		return bad("%s= is there twice", twice)
	}
	if first != "" {
		if kind == KindModel || kind == KindHwmon {
			return bad("%q is no option of %s", first, kind)
		}
		if opts["file"] != "" {
			return bad("%q and file=%s are two files", first, opts["file"])
		}
		s.File = first
	}
	keys := make([]string, 0, len(opts))
	for k := range opts {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		if err := s.set(k, opts[k]); err != nil {
			return bad("%v", err)
		}
	}
	if err := s.check(opts); err != nil {
		return bad("%v", err)
	}
	return s, nil
}

// ParseSpecs parses several specifications. One text may list several kinds without
// options: "rapl,nvml".
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

// splitOptions takes "FILE,key=value,..." apart; twice names a key that comes again.
func splitOptions(s string, keys []string) (first string, opts map[string]string, twice string) {
	opts = map[string]string{}
	re := regexp.MustCompile(`(?:^|,)(` + strings.Join(keys, "|") + `)=`)
	at := re.FindAllStringSubmatchIndex(s, -1)
	if len(at) == 0 {
		return s, opts, ""
	}
	for i, m := range at {
		end := len(s)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		k := s[m[2]:m[3]]
		if _, ok := opts[k]; ok {
			twice = k
		}
		opts[k] = s[m[1]:end]
	}
	return s[:at[0][0]], opts, twice
}

func (s *Spec) set(key, value string) error {
	number := func() (float64, error) {
		v, err := strconv.ParseFloat(value, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
			return 0, fmt.Errorf("%s=%s is no number of watts", key, value)
		}
		return v, nil
	}
	if strings.TrimSpace(value) == "" {
		return fmt.Errorf("%s= is empty", key)
	}
	var err error
	switch key {
	case "file":
		s.File = value
	case "exec":
		s.Exec = value
	case "column":
		s.Column = value
	case "time":
		s.Time = value
	case "pattern":
		s.Pattern = value
		re, err := regexp.Compile(value)
		if err != nil {
			return err
		}
		if re.NumSubexp() == 0 {
			return fmt.Errorf("pattern=%s has no group (...) for the power", value)
		}
	case "unit":
		s.Unit = value
		if unitScale(value) == 0 {
			return fmt.Errorf("unit=%s is none of W, kW, mW, uW", value)
		}
	case "zone":
		s.Zone = value
		_, err = time.LoadLocation(value)
	case "covers":
		s.Covers = value
		if value != record.CoverageWholeSystem && value != record.CoverageComponent {
			return fmt.Errorf("covers=%s is neither whole-system nor component", value)
		}
	case "baud":
		s.Baud, err = strconv.Atoi(value)
		if err != nil || s.Baud <= 0 {
			return fmt.Errorf("baud=%s is no rate", value)
		}
	case "idle":
		s.Idle, err = number()
	case "busy":
		s.Busy, err = number()
	case "chip":
		s.Chip = value
	case "label":
		s.Label = value
	}
	return err
}

func (s *Spec) check(opts map[string]string) error {
	if s.Covers == "" {
		s.Covers = record.CoverageComponent
	}
	switch s.Kind {
	case KindModel:
		if opts["idle"] == "" || opts["busy"] == "" {
			return fmt.Errorf("a model needs idle=WATTS,busy=WATTS")
		}
		if s.Busy < s.Idle {
			return fmt.Errorf("busy=%g is below idle=%g", s.Busy, s.Idle)
		}
	case KindHwmon:
		if s.Chip == "" && (s.Label != "" || opts["covers"] != "") {
			return fmt.Errorf("label and covers need chip=NAME")
		}
	case KindLine:
		if (s.File == "") == (s.Exec == "") {
			return fmt.Errorf("line needs a file or exec=COMMAND")
		}
	case KindWattsUp, KindReplay:
		if s.File == "" {
			return fmt.Errorf("%s needs a file: %s:FILE", s.Kind, s.Kind)
		}
	}
	if s.Pattern != "" && (s.Column != "" || s.Time != "") {
		return fmt.Errorf("pattern and column exclude each other")
	}
	return nil
}

// unitScale is the number of watts in a unit, 0 for an unknown one.
func unitScale(unit string) float64 {
	switch unit {
	case "", "W":
		return 1
	case "kW":
		return 1e3
	case "mW":
		return 1e-3
	case "uW":
		return 1e-6
	}
	return 0
}

// name is the meter's name: kind, file and column.
func (s Spec) name() string {
	n := s.Kind + ":" + filepath.Base(s.File)
	if s.Exec != "" {
		f := strings.Fields(s.Exec)
		n = s.Kind + ":" + filepath.Base(f[0])
	}
	if s.Column != "" {
		n += "/" + s.Column
	}
	return n
}

// format is how lines are read.
func (s Spec) format() (lineFormat, error) {
	f := lineFormat{column: s.Column, time: s.Time, scale: unitScale(s.Unit)}
	if s.Pattern != "" {
		re, err := regexp.Compile(s.Pattern)
		if err != nil {
			return f, fmt.Errorf("power: %w: %w", ErrSpec, err)
		}
		if re.NumSubexp() == 0 {
			return f, fmt.Errorf("power: %w: pattern without a group", ErrSpec)
		}
		f.pattern = re
	}
	if s.Zone != "" {
		z, err := time.LoadLocation(s.Zone)
		if err != nil {
			return f, fmt.Errorf("power: %w: %w", ErrSpec, err)
		}
		f.zone = z
	}
	return f, nil
}
