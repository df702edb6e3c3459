package power

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// replayed plays a log for two seconds and returns the energy of the first.
func replayed(t *testing.T, s Spec, log string) (Interval, error) {
	t.Helper()
	s.Kind, s.File = KindReplay, filepath.Join(t.TempDir(), "log.csv")
	if err := os.WriteFile(s.File, []byte(log), 0o644); err != nil {
		t.Fatal(err)
	}
	meters, _, err := Open([]Spec{s}, OpenOptions{})
	if err != nil {
		return Interval{}, err
	}
	c := newManual()
	session := start(t, c, Options{Meters: meters})
	c.t = 2 * time.Second
	session.sample()
	return between(session, 0, time.Second), nil
}

// All these logs say 100 W, then 200 W a second later: 150 J.
func TestLogColumns(t *testing.T) {
	for name, c := range map[string]struct {
		spec Spec
		log  string
	}{
		"name with the separator":       {Spec{Column: "power, W"}, "time,\"power, W\",note\n0,100,a\n1,200,b\n"},
		"text with the separator":       {Spec{}, "time,note,watts\n0,\"a, b\",100\n1,\"c,d\",200\n"},
		"text with quotes":              {Spec{}, "time,note,watts\n0,\"a \"\"b\"\", c\",100\n1,\"5\"\" disk\",200\n"},
		"another separator in quotes":   {Spec{Time: "time; UTC"}, "\"time; UTC\",watts\n0,100\n1,200\n"},
		"quotes around all, blanks":     {Spec{}, "\"time\", \"watts\"\n\"0\", \"100\"\n\"1\", \"200\"\n"},
		"tabs and an empty field":       {Spec{}, "time\tnote\twatts\n0\t\t100\n1\t\"x\ty\"\t200\n"},
		"time by number, power by name": {Spec{Column: "watts", Time: "1"}, "when,watts\n0,100\n1,200\n"},
		"time by number, usual power":   {Spec{Time: "3"}, "x,watts,when\n9,100,0\n9,200,1\n"},
		"power by number, time by name": {Spec{Column: "2", Time: "when"}, "when,what\n0,100\n1,200\n"},
		"numbers and no header":         {Spec{Column: "2", Time: "1"}, "0,100\n1,200\n"},
		"numbers and a header":          {Spec{Column: "2", Time: "3"}, "time,b,c\n9,100,0\n9,200,1\n"},
		"abbreviations of a zone":       {Spec{Zone: "Europe/Berlin"}, "time,watts\n2026-10-25 02:59:59 CEST,100\n2026-10-25 02:00:00 CET,200\n"},
		"exponents":                     {Spec{}, "t,watts\n1.999999999e9,1e2\n2000000000,2e2\n"},
	} {
		i, err := replayed(t, c.spec, c.log)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		near(t, name, i.Joules, 150, 1e-9)
	}
}

func TestLogRefused(t *testing.T) {
	for name, c := range map[string]struct {
		spec Spec
		log  string
		want []string
	}{
		"no such time, power by number":  {Spec{Column: "2", Time: "when"}, "time,watts\n0,100\n1,200\n", []string{"line 1", `"when"`}},
		"time by name and no header":     {Spec{Column: "2", Time: "when"}, "0,100\n1,200\n", []string{"line 1", `"when"`}},
		"column beyond":                  {Spec{Column: "3"}, "time,watts\n0,100\n1,200\n", []string{"line 1", "column 3 of 2"}},
		"time beyond":                    {Spec{Column: "2", Time: "5"}, "time,watts\n0,100\n1,200\n", []string{"line 1", "column 5 of 2"}},
		"thousands are no second column": {Spec{}, "time,watts\n0,\"1,100\"\n1,\"1,200\"\n", []string{"0 readings", "line 2", `"1,100"`}},
		"decimal commas":                 {Spec{}, "t;watts\n0;100,5\n1;200,5\n", []string{"0 readings", "line 2", `"100,5"`}},
		"one reading":                    {Spec{}, "t,watts\n0,100\n1,x\n", []string{"1 readings", "line 3", `"x"`}},
		"a time beyond 64 bits":          {Spec{}, "t,watts\n50000000000,100\n50000000001,200\n", []string{"line 2", "50000000000"}},
		"a date beyond 64 bits":          {Spec{}, "t,watts\n0001-01-01 00:00:00,100\n0001-01-01 00:00:01,200\n", []string{"line 2", "0001"}},
		"a header alone":                 {Spec{}, "t,watts\n", []string{"0 readings"}},
		"nothing":                        {Spec{}, "", []string{"0 readings"}},
	} {
		_, err := replayed(t, c.spec, c.log)
		if err == nil {
			t.Errorf("%s: accepted", name)
			continue
		}
		if !errIs(err, ErrFormat) {
			t.Errorf("%s: %v is not ErrFormat", name, err)
		}
		mustContain(t, err.Error(), append(c.want, "log.csv")...)
	}
}

func TestStampsOfNumbers(t *testing.T) {
	for s, want := range map[string]time.Duration{
		"1764323940":           1764323940 * time.Second,
		"1764323940.123456789": 1764323940123456789,
		"1764323940123.5":      1764323940123500 * time.Microsecond,
		"1.76432394e9":         1764323940 * time.Second,
		"1.76432394e+09":       1764323940 * time.Second,
		"-1764323940.5":        -1764323940500 * time.Millisecond,
		"1764323940123456789":  1764323940123456789,
		"1764323940.":          1764323940 * time.Second,
	} {
		got, err := parseTime(s, time.UTC)
		if err != nil || !got.absolute || got.at != want {
			t.Errorf("%s: %v (%+v), want %v", s, err, got, want)
		}
	}
}

// No reading may make a sum infinite: such a result could not be written.
func TestLogOfHugePower(t *testing.T) {
	i, err := replayed(t, Spec{}, "t,watts\n0,1e308\n0.5,1e308\n1,1e308\n1.5,1\n3,1\n")
	if err != nil || i.Joules > 1 {
		t.Errorf("%v J, %v", i.Joules, err)
	}
}
