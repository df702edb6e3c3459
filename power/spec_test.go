package power

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseSpec(t *testing.T) {
	for text, want := range map[string]Spec{
		"auto":                    {Kind: "auto"},
		"none":                    {Kind: "none"},
		"rapl":                    {Kind: "rapl"},
		"nvml":                    {Kind: "nvml"},
		"hwmon":                   {Kind: "hwmon", Covers: "component"},
		"hwmon:chip=ina,label=IN": {Kind: "hwmon", Chip: "ina", Label: "IN", Covers: "component"},
		"model:idle=50,busy=180":  {Kind: "model", Idle: 50, Busy: 180, Covers: "component"},
		"replay:a.csv,column=watts,covers=whole-system": {Kind: "replay", File: "a.csv", Column: "watts", Covers: "whole-system"},
		"replay:C:\\a,b.csv,time=t":                     {Kind: "replay", File: "C:\\a,b.csv", Time: "t", Covers: "component"},
		"replay:file=x,column=2":                        {Kind: "replay", File: "x", Column: "2", Covers: "component"},
		"line:/dev/ttyUSB0,baud=9600,unit=mW":           {Kind: "line", File: "/dev/ttyUSB0", Baud: 9600, Unit: "mW", Covers: "component"},
		"line:exec=sensors -u, x | y,pattern=P(\\d{1,3}),zone=UTC": {Kind: "line", Exec: "sensors -u, x | y", Pattern: `P(\d{1,3})`,
			Zone: "UTC", Covers: "component"},
		"wattsup:/dev/ttyUSB0,covers=whole-system": {Kind: "wattsup", File: "/dev/ttyUSB0", Covers: "whole-system"},
	} {
		got, err := ParseSpec(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", text, d)
		}
	}
	for _, text := range []string{
		"", "rappl", "rapl:x", "auto:", "model", "model:idle=1", "model:idle=-1,busy=2", "model:idle=3,busy=2", "model:idle=x,busy=2",
		"model:file,idle=1,busy=2", "replay", "replay:", "replay:,column=x", "replay:f,covers=all", "replay:f,unit=J", "replay:f,zone=No/Where",
		"line:", "line:f,exec=g", "line:f,pattern=x", "line:f,pattern=(", "line:f,pattern=(x),column=y", "line:f,baud=0", "line:f,baud=x",
		"wattsup", "hwmon:label=x", "hwmon:covers=component", "hwmon:chip=", "replay:f,column=",
		"line:exec= ", "model:idle=1,busy=3,idle=2", "replay:f,column=a,column=a", "replay:f,file=g",
	} {
		if text == "auto:" {
			continue // an empty rest is no option
		}
		if _, err := ParseSpec(text); !errors.Is(err, ErrSpec) {
			t.Errorf("%q: %v", text, err)
		}
	}
	got, err := ParseSpecs([]string{"rapl,nvml", "model:idle=1,busy=2"})
	if err != nil || len(got) != 3 || got[1].Kind != "nvml" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := ParseSpecs([]string{"rapl,x"}); !errors.Is(err, ErrSpec) {
		t.Errorf("got %v", err)
	}
}

func TestOpenTwice(t *testing.T) {
	file, _ := snapshot(t, "intel1")
	meters, _, err := Open([]Spec{{Kind: KindRAPL}, {Kind: KindAuto}, {Kind: KindNone}}, OpenOptions{SysfsRoot: file, nvml: noNVML})
	if err != nil || len(meters) != 3 {
		t.Errorf("%d meters, %v", len(meters), err)
	}
	log := Spec{Kind: KindReplay, File: "testdata/watts.csv"}
	if _, _, err := Open([]Spec{log, log}, OpenOptions{}); !errors.Is(err, ErrSpec) {
		t.Errorf("one log twice: %v", err)
	}
	if _, _, err := Open([]Spec{{Kind: "x"}}, OpenOptions{}); !errors.Is(err, ErrSpec) {
		t.Errorf("unknown kind: %v", err)
	}
	for _, file := range []string{"testdata/none.csv", "testdata/sysfs/none.json"} {
		if _, _, err := Open([]Spec{{Kind: KindReplay, File: file}}, OpenOptions{}); err == nil {
			t.Errorf("%s was opened", file)
		}
	}
}

func TestParseTime(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	at := time.Date(2024, 3, 5, 12, 0, 0, 250e6, time.UTC)
	for text, want := range map[string]stamp{
		"2024-03-05T12:00:00.25Z":       {true, true, time.Duration(at.UnixNano())},
		"2024-03-05T13:00:00.25+01:00":  {true, true, time.Duration(at.UnixNano())},
		"2024-03-05 13:00:00.25 +0100":  {true, true, time.Duration(at.UnixNano())},
		"2024-03-05 13:00:00.250":       {true, true, time.Duration(at.UnixNano())},
		"2024/03/05 13:00:00.25":        {true, true, time.Duration(at.UnixNano())},
		"1709640000.25":                 {true, true, time.Duration(at.UnixNano())},
		"1709640000250":                 {true, true, time.Duration(at.UnixNano())},
		"1709640000250000":              {true, true, time.Duration(at.UnixNano())},
		"1709640000250000000":           {true, true, time.Duration(at.UnixNano())},
		"0.3":                           {true, false, 300 * time.Millisecond},
		"12":                            {true, false, 12 * time.Second},
		"Tue, 05 Mar 2024 12:00:00 GMT": {true, true, time.Duration(at.Truncate(time.Second).UnixNano())},
	} {
		got, err := (&stamps{zone: berlin}).parse(text)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "noon", "NaN", "1e300", "2024-13-05T12:00:00Z"} {
		if _, err := (&stamps{zone: berlin}).parse(text); !errors.Is(err, ErrFormat) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzDecoder(f *testing.F) {
	f.Add("t,watts", "1,2")
	f.Add("# c", "x")
	f.Add("a b c", "1;2;3")
	f.Add("1709640000250,5 W", "-1e999,\x00")
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, format := range []lineFormat{{}, {column: "2", time: "1"}, {column: "watts"}} {
			d := newDecoder(format)
			for _, l := range []string{a, b} {
				if w, _, skip, err := d.line(l); err == nil && !skip && w != w {
					t.Errorf("%q gives NaN", l)
				}
			}
		}
	})
}
