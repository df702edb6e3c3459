package power

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// caseDir is the folder of one failure case, from the environment.
func caseDir(t *testing.T, id string) string {
	t.Helper()
	root := os.Getenv("TOTEMGO_CASES")
	if root == "" {
		if strings.Contains(os.Getenv("TOTEMGO_REQUIRE"), "cases") {
			t.Fatal("TOTEMGO_REQUIRE asks for cases, and TOTEMGO_CASES is not set")
		}
		t.Skip("TOTEMGO_CASES is not set: the collection of failure cases is not here")
	}
	return filepath.Join(root, id)
}

type powercap struct {
	Snapshots map[string]map[string]*string `json:"snapshots"`
	ElapsedS  float64                       `json:"elapsed_s"`
	TimesS    []float64                     `json:"times_s"`
}

type expected struct {
	Results   map[string]any `json:"results"`
	Tolerance float64        `json:"tolerance_uj"`
	MustNot   []string       `json:"must_not"`
	Input     struct {
		RunStart time.Time `json:"run_start"`
		RunEnd   time.Time `json:"run_end"`
	} `json:"input"`
}

func readJSON(t *testing.T, file string, into any) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// playPowercap runs a session over the snapshots of a tree, written out as files
// and read by the real reader, one at each time.
func playPowercap(t *testing.T, p powercap, order []string, times []float64) (Interval, *Session) {
	t.Helper()
	root := writeTree(t, p.Snapshots[order[0]])
	meters, missing, err := Open([]Spec{{Kind: KindRAPL}}, OpenOptions{SysfsRoot: root})
	if err != nil {
		t.Fatal(err)
	}
	c := newManual()
	s := start(t, c, Options{Meters: meters, Unavailable: missing})
	mark := s.Mark("run")
	for i, name := range order[1:] {
		updateTree(t, root, p.Snapshots[name])
		c.t = time.Duration(times[i+1] * float64(time.Second))
		s.sample()
	}
	return mark.End(), s
}

// caseName maps the name a case gives a zone to the meter's.
func caseName(zone string) string {
	switch zone {
	case "package-0", "psys":
		return "rapl:" + zone
	}
	part, pkg, _ := strings.Cut(zone, "-")
	return "rapl:package-" + pkg + "/" + part
}

func TestCaseCounters(t *testing.T) {
	for _, id := range []string{"c39g", "c39g2", "c40g"} {
		t.Run(id, func(t *testing.T) {
			dir := caseDir(t, id)
			var p powercap
			var want expected
			readJSON(t, filepath.Join(dir, "powercap.json"), &p)
			readJSON(t, filepath.Join(dir, "expected.json"), &want)
			order, times := []string{"before", "after"}, []float64{0, p.ElapsedS}
			if len(p.TimesS) > 0 {
				order, times = []string{"t0", "t1", "t2", "t3", "t4"}, p.TimesS
			}
			got, _ := playPowercap(t, p, order, times)
			checked := 0
			for k, v := range want.Results {
				zone, ok := strings.CutSuffix(k, "_uj")
				if !ok || strings.Contains(k, "wrong") {
					continue
				}
				uj := v.(float64)
				checked++
				if zone == "cpu_plus_dram" {
					near(t, k, got.Joules*1e6, uj, want.Tolerance+1e-3)
					continue
				}
				near(t, k, energyOf(t, got, caseName(zone))*1e6, uj, want.Tolerance+1e-3)
			}
			if checked == 0 || !got.Known {
				t.Errorf("%d figures checked, total known: %v", checked, got.Known)
			}
		})
	}
}

func TestCaseDenied(t *testing.T) {
	dir := caseDir(t, "c41g")
	var p powercap
	readJSON(t, filepath.Join(dir, "powercap.json"), &p)
	files := p.Snapshots["before"]
	for f := range files {
		if strings.HasSuffix(f, "/energy_uj") {
			files[f] = nil
		}
	}
	checkDenied(t, files)
}

// checkDenied opens a tree whose counters cannot be read, in memory and as a directory.
func checkDenied(t *testing.T, files map[string]*string) {
	t.Helper()
	snapshot := filepath.Join(t.TempDir(), "tree.json")
	b, err := json.Marshal(files)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(snapshot, b, 0o644); err != nil {
		t.Fatal(err)
	}
	_, _, err = Open([]Spec{{Kind: KindRAPL}}, OpenOptions{SysfsRoot: snapshot})
	if err == nil {
		t.Fatal("rapl opened without a readable counter")
	}
	mustContain(t, err.Error(), "permission denied", "energy_uj", "sudo chmod")
	if !errIs(err, ErrNoMeter) || !errIs(err, fs.ErrPermission) {
		t.Errorf("%v is not ErrNoMeter and ErrPermission", err)
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("more than one line: %q", err)
	}
	for _, root := range []string{snapshot, writeTree(t, files)} {
		meters, missing, err := Open([]Spec{{Kind: KindAuto}}, OpenOptions{SysfsRoot: root, nvml: noNVML})
		if err != nil || len(meters) != 0 {
			t.Fatalf("auto: %d meters, %v", len(meters), err)
		}
		c := newManual()
		s := start(t, c, Options{Meters: meters, Unavailable: missing})
		m := s.Mark("run")
		c.t = time.Second
		if i := m.End(); i.Known || i.Joules != 0 || i.Record().EnergyJ != nil {
			t.Errorf("an energy without a meter: %+v", i)
		}
		b, err := json.Marshal(s.Result())
		if err != nil {
			t.Fatal(err)
		}
		mustContain(t, string(b), "energy_uj")
		for _, bad := range []string{`"energy_j":`, `"mean_w":`} {
			if strings.Contains(string(b), bad) {
				t.Errorf("the result holds %s: %s", bad, b)
			}
		}
	}
}

func TestCaseNVML(t *testing.T) {
	dir := caseDir(t, "c42g")
	var want expected
	readJSON(t, filepath.Join(dir, "expected.json"), &want)
	b, err := os.ReadFile(filepath.Join(dir, "power.csv"))
	if err != nil {
		t.Fatal(err)
	}
	d := newDecoder(lineFormat{})
	var times, watts []float64
	for _, l := range strings.Split(string(b), "\n") {
		w, at, skip, err := d.line(l)
		if skip {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		times, watts = append(times, at.at.Seconds()), append(watts, w)
	}
	near(t, "energy_j", integrateOnNVML(t, times, watts), want.Results["energy_j"].(float64), 1e-9)
}

// integrateOnNVML plays power readings through a GPU without an energy counter.
func integrateOnNVML(t *testing.T, times, watts []float64) float64 {
	t.Helper()
	api := &fakeNVML{gpus: []fakeGPU{{name: "Tesla P100", noCounter: true, milliwatts: uint32(watts[0] * 1000)}}}
	meters, _, err := Open([]Spec{{Kind: KindNVML}}, OpenOptions{nvml: api.api})
	if err != nil {
		t.Fatal(err)
	}
	if got := meters[0].Info().Method.String(); got != "integrated power" {
		t.Errorf("labelled %q", got)
	}
	c := newManual()
	s := start(t, c, Options{Meters: meters})
	m := s.Mark("run")
	for i := 1; i < len(times); i++ {
		c.t = time.Duration(times[i] * 1e9)
		api.gpus[0].milliwatts = uint32(watts[i] * 1000)
		s.sample()
	}
	i := m.End()
	if r := s.Result(); r.Meters[0].Method != "integrated power" || r.Meters[0].Seen.Samples != len(times) {
		t.Errorf("%+v", r.Meters[0])
	}
	return i.Joules
}

func TestCaseLog(t *testing.T) {
	dir := caseDir(t, "c43g")
	var want expected
	readJSON(t, filepath.Join(dir, "expected.json"), &want)
	meters, _, err := Open([]Spec{{Kind: KindReplay, File: filepath.Join(dir, "meter.csv"), Covers: "whole-system"}}, OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c := newManual()
	s := start(t, c, Options{Meters: meters})
	m := s.Mark("run")
	c.t = want.Input.RunEnd.Sub(want.Input.RunStart)
	i := m.End()
	near(t, "energy_j", i.Joules, want.Results["energy_j"].(float64), 1e-9)
	seen := s.Result().Meters[0].Seen
	if float64(seen.MissingSamples) != want.Results["missing_samples"] || seen.LongestGapS != want.Results["longest_gap_s"] || seen.Gaps != 1 {
		t.Errorf("gap reported as %+v", seen)
	}
	near(t, "gap of the mark", i.Meters[0].Gap, 4, 1e-9)
	if !i.Replayed || i.Coverage != "whole-system" {
		t.Errorf("%+v", i)
	}
}

// The same kinds of fault in data of our own, which need no collection.

func text(s string) *string { return &s }

func TestCounterWraps(t *testing.T) {
	tree := func(pkg, dram string) map[string]*string {
		return map[string]*string{
			"class/powercap/intel-rapl:0/name":                  text("package-0\n"),
			"class/powercap/intel-rapl:0/energy_uj":             text(pkg),
			"class/powercap/intel-rapl:0/max_energy_range_uj":   text("1000000000\n"),
			"class/powercap/intel-rapl:0:0/name":                text("dram\n"),
			"class/powercap/intel-rapl:0:0/energy_uj":           text(dram),
			"class/powercap/intel-rapl:0:0/max_energy_range_uj": text("500000000\n"),
		}
	}
	p := powercap{Snapshots: map[string]map[string]*string{
		"a": tree("999000000", "499500000"), "b": tree("400000000", "250000"), "c": tree("5000000", "1250000"),
	}}
	got, s := playPowercap(t, p, []string{"a", "b", "c"}, []float64{0, 5, 10})
	near(t, "package", energyOf(t, got, "rapl:package-0"), 1+400+605, 1e-9)
	near(t, "dram", energyOf(t, got, "rapl:package-0/dram"), 0.75+1, 1e-9)
	near(t, "total", got.Joules, 1007.75, 1e-9)
	r := s.Result()
	if r.Meters[0].Seen.Wraps != 2 || r.Meters[1].Seen.Wraps != 1 || r.Meters[0].Seen.Resets != 0 {
		t.Errorf("wraps: %+v, %+v", r.Meters[0].Seen, r.Meters[1].Seen)
	}
}

func TestDeniedCounters(t *testing.T) {
	checkDenied(t, map[string]*string{
		"class/powercap/intel-rapl:0/name":                text("package-0\n"),
		"class/powercap/intel-rapl:0/energy_uj":           nil,
		"class/powercap/intel-rapl:0/max_energy_range_uj": text("1000000000\n"),
	})
}

func TestUnevenPowerOnNVML(t *testing.T) {
	near(t, "energy", integrateOnNVML(t, []float64{0, 0.5, 2, 2.25}, []float64{10, 30, 30, 50}), 10+45+10, 1e-9)
}

func TestLogWithGapAndRepeat(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log.csv")
	if err := os.WriteFile(file, []byte("t;watts\n0;10\n1;10\n2;30\n2;30\n3;30\n8;50\n9;50\nx;1\n10;50\n9.5;7\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	meters, _, err := Open([]Spec{{Kind: KindReplay, File: file}}, OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c := newManual()
	s := start(t, c, Options{Meters: meters})
	c.t = 2500 * time.Millisecond
	m := s.Mark("tail")
	c.t = 9500 * time.Millisecond
	i := m.End()
	near(t, "energy", i.Joules, 15+200+50+14.25, 1e-9) // the late line is sorted in
	near(t, "whole", between(s, 0, 9*time.Second).Joules, 10+20+30+200+50, 1e-9)
	c.t = 20 * time.Second
	s.sample()
	s.sample()
	c.t++
	seen := s.Result().Meters[0].Seen
	if seen.Gaps != 1 || seen.MissingSamples != 4 || seen.Repeats != 1 || seen.Malformed != 1 || seen.OutOfOrder != 1 || !seen.Lost {
		t.Errorf("%+v", seen)
	}
	if e := between(s, 0, 20*time.Second); e.Covered != 10 {
		t.Errorf("a log of 10 s covers %v s of 20", e.Covered)
	}
}

func TestExampleLog(t *testing.T) {
	meters, _, err := Open([]Spec{{Kind: KindReplay, File: "testdata/watts.csv", Column: "watts", Covers: "whole-system"}}, OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c := newManual()
	s := start(t, c, Options{Meters: meters})
	c.t = 15 * time.Second
	i := s.Mark("x").End()
	_ = i
	seen := s.Result().Meters[0].Seen
	if seen.Gaps != 1 || seen.Repeats != 1 || seen.MissingSamples < 3 {
		t.Errorf("the log should show a gap and a repeat: %+v", seen)
	}
	e := between(s, 0, 15*time.Second)
	sum := 0.0
	for _, p := range s.series[0].points {
		if p.t <= 15 {
			sum += p.v
		}
	}
	if d := sum - e.Joules; d > -100 && d < 100 {
		t.Errorf("the sum of readings, %v J, is too close to the energy, %v J", sum, e.Joules)
	}
}

func TestStartClosesMetersOnFailure(t *testing.T) {
	m := &scripted{info: powerInfo("a")}
	if _, err := Start(context.Background(), Options{Meters: []Meter{m}, Rate: 2000}); !errIs(err, ErrRate) || m.closed != 1 {
		t.Errorf("error %v, closed %d times", err, m.closed)
	}
}

// A counter that stands still, is disabled, or falls without a known range has no energy,
// and a total without one of its meters says so.
func TestUnknownCounters(t *testing.T) {
	tree := func(uj ...string) map[string]*string {
		files := map[string]*string{}
		for i, x := range uj {
			d := fmt.Sprintf("class/powercap/intel-rapl:%d", i)
			files[d+"/name"] = text(fmt.Sprintf("package-%d", i))
			files[d+"/energy_uj"] = text(x)
			if x == "" {
				files[d+"/energy_uj"] = nil
			}
			if i != 0 {
				files[d+"/max_energy_range_uj"] = text("262143328850")
			}
			files[d+"/enabled"] = text(fmt.Sprint(i % 2))
		}
		return files
	}
	for name, c := range map[string]struct {
		before, after []string
		joules        float64 // of the total; 0: unknown
		partial       string
		notes         []string // of the meters that can be read
	}{
		"still":    {[]string{"5000000", "6000000"}, []string{"9000000", "6000000"}, 0, "1 of 2 packages", []string{"", "did not move in 3 s: "}},
		"disabled": {[]string{"5000000"}, []string{"5000000"}, 0, "", []string{"did not move in 3 s (it is disabled: enabled is 0)"}},
		// What is disabled and counts all the same, as on AMD and where the firmware has locked it, counts.
		"disabled and counts": {[]string{"5000000"}, []string{"6000000"}, 1, "", []string{""}},
		"no range":            {[]string{"5000000", "6000000"}, []string{"1000000", "7000000"}, 0, "1 of 2 packages", []string{"range is unknown", ""}},
		// One wrong value may come and go.
		"jump":   {[]string{"5000000", "6000000"}, []string{"200000000000", "7000000"}, 0, "1 of 2 packages", []string{"range is unknown", ""}},
		"jumped": {[]string{"5000000", "6000000"}, []string{"7000000", "200000000000"}, 0, "1 of 2 packages", []string{"", "further than 5000 W"}},
		"denied": {[]string{"5000000", "", "6000000"}, []string{"7000000", "", "9000000"}, 5, "2 of 3 packages", []string{"", ""}},
	} {
		p := powercap{Snapshots: map[string]map[string]*string{"a": tree(c.before...), "b": tree(c.after...)}}
		got, s := playPowercap(t, p, []string{"a", "b"}, []float64{0, 3})
		near(t, name, got.Joules, c.joules, 1e-9)
		if got.Known != (c.joules > 0) || got.Partial != c.partial {
			t.Errorf("%s: known %v, partial %q", name, got.Known, got.Partial)
		}
		r := s.Result()
		for i, want := range c.notes {
			notes := strings.Join(r.Meters[i].Seen.Notes, "; ")
			if !strings.Contains(notes, want) || (want == "") != (notes == "") || (r.Meters[i].Seen.EnergyJ == nil) != (want != "") {
				t.Errorf("%s: meter %d: notes %q, %+v", name, i, notes, r.Meters[i].Seen)
			}
		}
		said := strings.Contains(strings.Join(r.Notes, "; "), "partial: "+c.partial)
		if c.partial != "" && !said || r.Partial != c.partial || r.Marks[0].Partial != c.partial {
			t.Errorf("%s: partial %q, %q, notes %q", name, r.Partial, r.Marks[0].Partial, r.Notes)
		}
	}
}
