package power

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/totemgo/totemgo/record"
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
		"milliseconds":                  {Spec{Time: "time_ms"}, "time_ms,watts\n0,100\n1000,200\n"},
		"ms in brackets":                {Spec{Time: "1"}, "elapsed (ms),watts\n200000000,100\n200001000,200\n"},
		"microseconds":                  {Spec{Time: "t_us"}, "t_us,watts\n1764323940000000,100\n1764323941000000,200\n"},
		"seconds by name":               {Spec{Time: "uptime [s]"}, "uptime [s],watts\n200000000.5,100\n200000001.5,200\n"},
		"a column twice, by number":     {Spec{Column: "2"}, "time,watts,watts\n0,100,1\n1,200,1\n"},
		"names in words":                {Spec{Unit: "W"}, "Elapsed [s],GPU Index,Power (W)\n0,1,100\n1,1,200\n"},
		"decimal commas":                {Spec{}, "t;watts\n0,5;100\n1,5;200,0\n"},
		"decimal commas, thousands":     {Spec{Column: "mW"}, "t;mW\n0;100.000,0\n1;200.000,0\n"},
		"thousands":                     {Spec{Column: "power_mW"}, "t,power_mW\n0,\"100,000.0\"\n1,\"200,000\"\n"},
		"millions":                      {Spec{Column: "uW"}, "t,uW\n0,\"100,000,000\"\n1,\"200,000,000\"\n"},
		"decimals below 1":              {Spec{Column: "kW"}, "t;kW\n0;0,100\n1;0,200\n"},
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
		"no such time, power by number": {Spec{Column: "2", Time: "when"}, "time,watts\n0,100\n1,200\n", []string{"line 1", `"when"`}},
		"time by name and no header":    {Spec{Column: "2", Time: "when"}, "0,100\n1,200\n", []string{"line 1", `"when"`}},
		"column beyond":                 {Spec{Column: "3"}, "time,watts\n0,100\n1,200\n", []string{"line 1", "column 3 of 2"}},
		"time beyond":                   {Spec{Column: "2", Time: "5"}, "time,watts\n0,100\n1,200\n", []string{"line 1", "column 5 of 2"}},
		"mostly malformed":              {Spec{}, "t,watts\n0,100\n1,a\n2,b\n3,c\n4,100\n", []string{"2 readings, 3 malformed lines", "line 3", `"a"`}},
		"a clock that was set":          {Spec{}, "time,watts\n1970-01-01T00:00:05Z,500\n2025-01-01T00:00:00Z,100\n2025-01-01T00:00:01Z,100\n", []string{"482135h", "cut the log"}},
		"time without a date":           {Spec{}, "date,time,watts\n2025-07-18,11:59:59,100\n2025-07-18,12:00:00,100\n", []string{"line 2", "11:59:59", "date and time in one field"}},
		"one reading":                   {Spec{}, "t,watts\n0,100\n1,x\n", []string{"1 readings", "line 3", `"x"`}},
		"a time beyond 64 bits":         {Spec{}, "t,watts\n50000000000,100\n50000000001,200\n", []string{"line 2", "50000000000"}},
		"a date beyond 64 bits":         {Spec{}, "t,watts\n0001-01-01 00:00:00,100\n0001-01-01 00:00:01,200\n", []string{"line 2", "0001"}},
		"a column twice":                {Spec{}, "t,watts,Watts\n0,100,1\n1,200,1\n", []string{"line 1", "watts", "several", "number"}},
		"negative power":                {Spec{}, "t,watts\n0,100\n1,-200\n", []string{"1 readings", "line 3", `"-200"`}},
		"milliseconds beyond 64 bits":   {Spec{Time: "time_ms"}, "time_ms,watts\n50000000000000,100\n50000000001000,200\n", []string{"line 2", "50000000000000"}},
		"a header alone":                {Spec{}, "t,watts\n", []string{"0 readings"}},
		"UTF-16":                        {Spec{}, "\xff\xfet\x00,\x00w\x00\n\x000\x00,\x001\x00\n\x00", []string{"line 1", "UTF-16"}},
		"gzip":                          {Spec{}, "\x1f\x8b\b\x00\x00\x00\x00\x00", []string{"line 1", "compressed"}},
		"nothing":                       {Spec{}, "", []string{"0 readings"}},
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

// What could be read in two ways is refused at that line, with the choice.
func TestLogUndecided(t *testing.T) {
	for name, c := range map[string]struct {
		spec Spec
		log  string
		want []string
	}{
		"a comma of thousands or decimals":  {Spec{}, "time,watts\n0,\"1,100\"\n1,\"1,200\"\n", []string{"line 2", `"1,100"`, "decimal point"}},
		"the same in the first line":        {Spec{Column: "2", Time: "1"}, "0;1,100\n1;1,200\n2;1,200\n", []string{"line 1", `"1,100"`}},
		"a point behind decimal commas":     {Spec{}, "t;watts\n0;950,5\n1;1.050\n", []string{"line 3", `"1.050"`}},
		"a decimal comma behind points":     {Spec{}, "t;watts\n0;950.5\n1;1050,5\n", []string{"line 3", `"1050,5"`}},
		"uptime in nanoseconds":             {Spec{}, "t,watts\n123456000000000,100\n123457000000000,100\n", []string{"line 2", "123456000000000", "time_ms"}},
		"uptime in milliseconds":            {Spec{}, "t,watts\n864000000,100\n864001000,100\n", []string{"line 2", "864000000", "time_ms"}},
		"minutes in digits":                 {Spec{}, "t,watts\n202507181000,100\n202507181001,100\n", []string{"line 2", "202507181000"}},
		"a header with other places":        {Spec{}, "time,watts\n0,100\n1,100\nwatts,time\n100,2\n100,3\n", []string{"line 4", "another header", "watts,time"}},
		"a header with another unit":        {Spec{Column: "2"}, "time,power_W\n0,100\n1,100\ntime,power_mW\n2,100000\n", []string{"line 4", "power_mW"}},
		"another unit below the header":     {Spec{}, "time,watts\ns,mW\n0,100\n1,100\n", []string{"line 2", "mW", "unit="}},
		"units below the header, an energy": {Spec{}, "time,power\ns,kWh\n0,100\n1,100\n", []string{"line 2", "kWh", "unit="}},
	} {
		_, err := replayed(t, c.spec, c.log)
		if !errIs(err, ErrChoice) {
			t.Errorf("%s: %v is not ErrChoice", name, err)
			continue
		}
		mustContain(t, err.Error(), append(c.want, "log.csv")...)
	}
}

// A row with too few fields, between blanks, has its values in other columns; a cut last line, and
// readings in bursts, are told.
func TestLogDoubts(t *testing.T) {
	for name, c := range map[string]struct {
		spec      Spec
		log       string
		malformed int
		joules    float64
		note      string
	}{
		"a missing field between blanks": {Spec{Column: "watts"}, "t watts temp\n0 100 30\n1 30\n2 100 30\n", 1, 200, "2 fields where the first line has 3"},
		"a last line without an end":     {Spec{}, "t,watts,temp\n0,100,30\n1,100,30\n2,1", 0, 150.5, "the last line has no end"},
		"two cards of one name": {Spec{}, "t,name,watts\n0,A100,100\n0.005,A100,300\n1,A100,100\n1.005,A100,300\n2,A100,100\n2.005,A100,300\n", 0,
			401, "come in bursts"},
		"a header twice":      {Spec{}, "time,watts\n0,100\n1,100\nTime,Watts\n2,100\n3,100\n", 0, 300, ""},
		"the newest first":    {Spec{}, "t,watts\n180000,100\n100000,100\n20000,100\n", 0, 360000, ""},
		"no data":             {Spec{}, "t,watts\n0,100\n1,No data\n2,100\n", 0, 200, ""},
		"a number of a clock": {Spec{}, "t,watts\n946684800,100\n946684801,100\n", 0, 100, ""},
	} {
		seen, err := logSeen(t, c.spec, c.log)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if notes := strings.Join(seen.Notes, "; "); !strings.Contains(notes, c.note) || (c.note == "") != (notes == "") || seen.Malformed != c.malformed {
			t.Errorf("%s: %d malformed, notes %q", name, seen.Malformed, notes)
		}
		near(t, name, *seen.EnergyJ, c.joules, 1e-9*c.joules)
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
		got, err := (&stamps{zone: time.UTC}).parse(s)
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

// The unit stands in the column's name, behind the number, or in unit=; where they differ
// the line is refused. All these logs say 150 J.
func TestLogUnits(t *testing.T) {
	for name, c := range map[string]struct {
		spec Spec
		log  string
	}{
		"mW":               {Spec{Column: "power_mW"}, "t,power_mW\n0,100000\n1,200000\n"},
		"kW in brackets":   {Spec{Column: "draw [kW]"}, "t,draw [kW]\n0,0.1\n1,0.2\n"},
		"by number":        {Spec{Column: "2"}, "t,load (milliwatts)\n0,100000\n1,200000\n"},
		"words":            {Spec{Column: "total kilowatts avg"}, "t,total kilowatts avg\n0,0.1\n1,0.2\n"},
		"two words":        {Spec{Column: "2"}, "t,load (milli-Watts)\n0,100000\n1,200000\n"},
		"megawatts":        {Spec{Column: "2"}, "t,megawatts\n0,0.0001\n1,0.0002\n"},
		"below the header": {Spec{}, "time,power\n(ms),[mW]\n0,100000\n1000,200000\n"},
		"below, and said":  {Spec{Column: "power_mW"}, "t,power_mW\ns,mW\n0,100000\n1,200000\n"},
		"behind the value": {Spec{Column: "draw"}, "t,draw\n0,100 W\n1,0.2 kW\n"},
		"blanks":           {Spec{}, "t watts\n0 100 W\n1 200 W\n"},
		"said":             {Spec{Column: "power_mw", Unit: "mW"}, "t,power_mw\n0,100000\n1,200000\n"},
		"energy, said":     {Spec{Column: "j", Unit: "W"}, "t,j\n0,100\n1,200\n"},
		"another word":     {Spec{Column: "phase a"}, "t,phase a\n0,100\n1,200\n"},
	} {
		i, err := replayed(t, c.spec, c.log)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		near(t, name, i.Joules, 150, 1e-9)
	}
	for column, want := range map[string]string{
		"power_mw": "milliwatts or megawatts", "POWER_MW": "milliwatts or megawatts", "energy_J": "energy", "E [Wh]": "energy",
		"total_kWh": "energy", "apparent (VA)": "no power",
		"current_mA": "no power", "power_dBm": "no power in watts", "total energy": "no power", "Voltage": "no power", "power_apparent": "no power", "draw (dW)": "neither",
	} {
		_, err := replayed(t, Spec{Column: column}, "t,"+column+"\n0,1\n1,2\n")
		if !errIs(err, ErrFormat) {
			t.Errorf("%s: %v", column, err)
			continue
		}
		mustContain(t, err.Error(), "line 1", column, "unit", want)
	}
	_, err := replayed(t, Spec{Column: "power_mW"}, "t,power_mW\n0,1 W\n1,2 W\n")
	if err == nil || !strings.Contains(err.Error(), "another unit") {
		t.Errorf("W under mW: %v", err)
	}
}

// A line with more fields than the first is no reading: a decimal comma may have split it.
func TestLogFields(t *testing.T) {
	i, err := replayed(t, Spec{}, "t,watts\n0,100\n0.5,1,5\n1,200\n1.5,200,\n")
	if err != nil {
		t.Fatal(err)
	}
	near(t, "energy", i.Joules, 150, 1e-9)
	_, err = replayed(t, Spec{}, "t,watts\n0,100,5\n1,200,5\n")
	if err == nil || !strings.Contains(err.Error(), "line 2: malformed: 3 fields where the first line has 2") {
		t.Errorf("%v", err)
	}
}

// logSeen plays a whole log and states the meter.
func logSeen(t *testing.T, s Spec, log string) (*record.PowerSeen, error) {
	t.Helper()
	s.Kind, s.File = KindReplay, filepath.Join(t.TempDir(), "log.csv")
	if err := os.WriteFile(s.File, []byte(log), 0o644); err != nil {
		t.Fatal(err)
	}
	meters, _, err := Open([]Spec{s}, OpenOptions{})
	if err != nil {
		return nil, err
	}
	c := newManual()
	session := start(t, c, Options{Meters: meters})
	c.t = time.Hour
	session.sample()
	return session.Result().Meters[0].Seen, nil
}

func TestLogWithoutValues(t *testing.T) {
	seen, err := logSeen(t, Spec{}, "t,watts\n0,N/A\n1,100\n2,[Not Supported]\n3,100\n4,100\n5,\n6,null\n7,nan\n8,100\n9,100\n10,oops\n11,-\n")
	if err != nil {
		t.Fatal(err)
	}
	// 2 lies in a step of two, 5 to 7 in one of four; the ends have no step.
	if seen.Samples != 5 || seen.MissingSamples != 6 || seen.Gaps != 2 || seen.LongestGapS != 4 || seen.Malformed != 1 {
		t.Errorf("%+v", seen)
	}
	near(t, "energy", *seen.EnergyJ, 800+100, 1e-9) // held from the start to the first value
	_, err = logSeen(t, Spec{}, "t,watts\n0,N/A\n1,100\n2,[N/A]\n")
	if !errIs(err, ErrFormat) || !strings.Contains(err.Error(), "1 readings") || !strings.Contains(err.Error(), "2 lines have no value") {
		t.Errorf("%v", err)
	}
}

// A finished log is sorted; what stands there twice counts once, and several values of one
// time are averaged.
func TestLogOutOfOrder(t *testing.T) {
	seen, err := logSeen(t, Spec{}, "t,watts\n2,10\n0,10\n1,70\n4,10\n4,10\n3,10\n5,20\n5,40\n5,30\n6,30\n")
	if err != nil {
		t.Fatal(err)
	}
	if seen.Samples != 7 || seen.OutOfOrder != 3 || seen.Repeats != 1 || len(seen.Notes) != 1 || !strings.Contains(seen.Notes[0], "several values") {
		t.Errorf("%+v", seen)
	}
	near(t, "energy", *seen.EnergyJ, 40+40+10+10+20+30, 1e-9)
	// A clock that jumps by years says nothing of the log's start.
	seen, err = logSeen(t, Spec{}, "time,watts\n2026-03-02T10:00:00Z,10\n1970-01-01T00:00:07Z,10\n2026-03-02T10:00:01Z,10\n")
	if err != nil || seen.Malformed != 1 || seen.CoveredS != 1 {
		t.Errorf("%+v, %v", seen, err)
	}
}

const twoCards = "t,index,watts\n0,2,N/A\n0,5,200\n1,2,100\n1,5,200\n2,2,100\n2,5,220\n3,2,100\n"

func TestLogOfSeveralDevices(t *testing.T) {
	for where, joules := range map[string]float64{"index:2": 200, "2:2": 200, "index:5": 410} {
		seen, err := logSeen(t, Spec{Where: where}, twoCards)
		if err != nil {
			t.Errorf("%s: %v", where, err)
			continue
		}
		if where != "index:5" {
			joules += 100 // held for one step from the log's start on
		}
		near(t, where, *seen.EnergyJ, joules, 1e-9)
	}
	for where, want := range map[string]string{"": "where=index:", "index:7": "has 2, 5", "gpu:2": `no column "gpu"`} {
		_, err := logSeen(t, Spec{Where: where}, twoCards)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "log.csv") || errIs(err, ErrChoice) != (where == "") {
			t.Errorf("%q: %v", where, err)
		}
	}
	// nvidia-smi may be asked for names alone.
	cards := "t,name,watts\n0,NVIDIA A100,100\n0.01,NVIDIA H100,200\n1,NVIDIA A100,100\n1.01,NVIDIA H100,200\n"
	if _, err := logSeen(t, Spec{}, cards); !errIs(err, ErrChoice) || !strings.Contains(err.Error(), "where=name:NVIDIA A100") {
		t.Errorf("names: %v", err)
	}
	// A column that numbers the lines, or always says the same, is of one device.
	if i, err := replayed(t, Spec{}, "index,host,t,watts\n0,a,0,100\n1,a,1,200\n"); err != nil || i.Joules != 150 {
		t.Errorf("%v J, %v", i.Joules, err)
	}
	// A live source ends, and what was read until then tells nothing.
	s := openStream(t, "line:exec=printf 'index,watts\\n2,100\\n5,200\\n2,100\\n5,200\\n'; sleep 60")
	for end := time.Now().Add(10 * time.Second); !s.Result().Meters[0].Seen.Lost && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	if seen := s.Result().Meters[0].Seen; seen.Samples != 0 || !strings.Contains(seen.Reason, "where=index:2") {
		t.Errorf("%+v", seen)
	}
}

// All these logs say 100 W, then 200 W a second later: 150 J.
func TestLocalTimes(t *testing.T) {
	for name, c := range map[string]struct {
		zone, a, b string
	}{
		"day first":              {"Europe/Berlin", "18.07.2025 16:45:00", "18.07.2025 16:45:01"},
		"day first, offset":      {"+02:00", "8.7.2025 16:45:00.5", "8.7.2025 16:45:01.5"},
		"year first":             {"", "2025/07/18 16:45:00", "2025/07/18 16:45:01"},
		"summer time begins":     {"Europe/Berlin", "30.03.2025 01:59:59", "30.03.2025 03:00:00"},
		"summer time ends":       {"Europe/Berlin", "26.10.2025 02:59:59", "26.10.2025 02:00:00"},
		"after summer time":      {"Europe/Berlin", "2025-10-26 03:00:00", "2025-10-26 03:00:01"},
		"in the hour that turns": {"Europe/Berlin", "26.10.2025 02:10:00", "26.10.2025 02:10:01"},
		"offset without colon":   {"-0330", "2025-07-18 16:45:00", "2025-07-18T20:15:01Z"},
	} {
		i, err := replayed(t, Spec{Zone: c.zone}, "time,watts\n"+c.a+",100\n"+c.b+",200\n")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		near(t, name, i.Joules, 150, 1e-9)
	}
	for name, c := range map[string]struct {
		zone, a, b, want string
	}{
		"no zone":             {"", "18.07.2025 16:45:00", "18.07.2025 16:45:01", "zone="},
		"unknown zone":        {"", "2025-07-18 16:45:00 CEST", "2025-07-18 16:45:01 CEST", "CEST is not known"},
		"an hour twice":       {"", "2025-10-26 02:59:59", "2025-10-26 02:00:00", "summer time"},
		"an hour left out":    {"Europe/Berlin", "30.03.2025 02:30:00", "30.03.2025 02:30:01", "skipped"},
		"day or month":        {"Europe/Berlin", "07/08/2025 16:45:00", "07/08/2025 16:45:01", "day or month"},
		"day or month, lines": {"+01:00", "07-08-2025 16:45:00", "07-08-2025 16:45:01", "day or month"},
	} {
		_, err := replayed(t, Spec{Zone: c.zone}, "time,watts\n"+c.a+",100\n"+c.b+",200\n")
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.a[:10]) || !strings.Contains(err.Error(), "log.csv") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, s := range []string{"replay:f,zone=+02:00", "replay:f,zone=-0330", "line:f,zone=+01"} {
		if _, err := ParseSpec(s); err != nil {
			t.Error(err)
		}
	}
	for _, s := range []string{"replay:f,zone=+99:00", "replay:f,zone=2", "replay:f,where=index", "replay:f,where=:2"} {
		if _, err := ParseSpec(s); !errIs(err, ErrSpec) {
			t.Errorf("%s: %v", s, err)
		}
	}
}
