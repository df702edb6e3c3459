package power

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/totemgo/totemgo/record"
)

func snapshot(t *testing.T, name string) (file string, files map[string]*string) {
	t.Helper()
	file = filepath.Join("testdata", "sysfs", name+".json")
	readJSON(t, file, &files)
	return file, files
}

// TestTrees lists the meters of recorded trees, from the snapshot and from the same
// tree written out, and expects one answer.
func TestTrees(t *testing.T) {
	for _, tc := range []struct {
		tree, total string // names in the total
		apart       string // others that can be read
		duplicates  int
		missing     string
	}{
		{"intel1", "rapl:package-0", "rapl:package-0/core rapl:package-0/uncore", 0, "hwmon nvml"},
		{"intel2", "rapl:package-0 rapl:package-0/dram rapl:package-1 rapl:package-1/dram", "", 0, "hwmon nvml"},
		{"psys", "rapl:package-0 rapl:package-0/dram", "rapl:package-0/core rapl:package-0/uncore rapl:psys", 1, "hwmon nvml"},
		{"amd", "hwmon:amdgpu/PPT rapl:package-0-die-0",
			"hwmon:corsairpsu/power +12v hwmon:corsairpsu/power total rapl:package-0-die-0/core", 2, "nvml"},
		{"dram", "rapl:package-0 rapl:package-0/dram", "", 0, "hwmon nvml"},
		{"none", "", "", 0, "hwmon nvml rapl"},
	} {
		t.Run(tc.tree, func(t *testing.T) {
			file, files := snapshot(t, tc.tree)
			got, err := List(OpenOptions{SysfsRoot: file, nvml: noNVML})
			if err != nil {
				t.Fatal(err)
			}
			var total, apart, missing []string
			duplicates := 0
			for _, m := range got.Meters {
				switch {
				case !m.Available && m.DuplicateOf != "":
					duplicates++
				case m.InTotal:
					total = append(total, m.Name)
				default:
					apart = append(apart, m.Name)
				}
			}
			for _, m := range got.Missing {
				missing = append(missing, m.Name)
				if m.Reason == "" || m.Cure == "" || strings.Contains(m.Reason+m.Cure, "\n") {
					t.Errorf("%s: reason %q, cure %q", m.Name, m.Reason, m.Cure)
				}
			}
			sort.Strings(total)
			sort.Strings(apart)
			sort.Strings(missing)
			for _, d := range [][2]string{
				{tc.total, strings.Join(total, " ")}, {tc.apart, strings.Join(apart, " ")}, {tc.missing, strings.Join(missing, " ")},
			} {
				if d[0] != d[1] {
					t.Errorf("want %q, got %q", d[0], d[1])
				}
			}
			if duplicates != tc.duplicates {
				t.Errorf("%d duplicates, want %d", duplicates, tc.duplicates)
			}
			root := writeTree(t, files)
			asDir, err := List(OpenOptions{SysfsRoot: root, nvml: noNVML})
			if err != nil {
				t.Fatal(err)
			}
			// Both name the file that was read.
			named := cmp.Transformer("root", func(s string) string {
				return strings.NewReplacer(file, "ROOT", root, "ROOT").Replace(s)
			})
			if d := cmp.Diff(got, asDir, cmp.FilterPath(func(p cmp.Path) bool {
				return p.Last().String() == ".Source" || p.Last().String() == ".Reason"
			}, named)); d != "" {
				t.Errorf("snapshot (-) and directory (+) differ:\n%s", d)
			}
		})
	}
}

func TestPlatformAloneCounts(t *testing.T) {
	meters := []Info{{Name: "rapl:psys", Domain: "platform", Coverage: record.CoverageComponent, Apart: true}}
	if !inTotal(meters)[0] {
		t.Error("a platform meter that is alone should make the total")
	}
}

func TestTotalsCountEachJouleOnce(t *testing.T) {
	pkg := Info{Name: "rapl:package-0", Coverage: record.CoverageComponent}
	core := Info{Name: "rapl:package-0/core", Coverage: record.CoverageComponent, PartOf: "rapl:package-0"}
	gpu := Info{Name: "nvml:0", Coverage: record.CoverageComponent}
	wall := Info{Name: "wattsup:x", Coverage: record.CoverageWholeSystem}
	wall2 := Info{Name: "line:y", Coverage: record.CoverageWholeSystem}
	model := Info{Name: "model", Coverage: record.CoverageModel}
	for _, tc := range []struct {
		infos []Info
		want  []bool
	}{
		{[]Info{pkg, core, gpu}, []bool{true, false, true}},
		{[]Info{core}, []bool{true}}, // the package cannot be read: its cores are all there is
		{[]Info{pkg, wall, gpu, wall2}, []bool{false, true, false, false}},
		{[]Info{model, pkg}, []bool{false, true}},
		{[]Info{model}, []bool{true}},
		{nil, []bool{}},
	} {
		if d := cmp.Diff(tc.want, inTotal(tc.infos)); d != "" {
			t.Error(d)
		}
	}
}

func TestPlainDiesHaveCountersOfTheirOwn(t *testing.T) {
	files := map[string]*string{}
	for i, e := range []string{"81000000000", "90500000000"} {
		d := "class/powercap/intel-rapl:" + string(rune('0'+i))
		files[d+"/name"] = text("package-0-die-" + string(rune('0'+i)))
		files[d+"/energy_uj"] = text(e)
		files[d+"/max_energy_range_uj"] = text("262143328850")
	}
	tree, err := NewSnapshot(files)
	if err != nil {
		t.Fatal(err)
	}
	if m, u := raplMeters(tree); len(m) != 2 || len(u) != 0 {
		t.Errorf("%d meters, unavailable %+v", len(m), u)
	}
}

// What dies show at one moment says little: only a session tells whether they mirror one
// counter.
func TestMirroredDies(t *testing.T) {
	die := func(i int, uj string) map[string]*string {
		d := fmt.Sprintf("class/powercap/intel-rapl:%d", i)
		return map[string]*string{
			d + "/name":                text(fmt.Sprintf("package-%d-die-%d", i/2, i%2)),
			d + "/energy_uj":           text(uj),
			d + "/max_energy_range_uj": text("262143328850"),
		}
	}
	play := func(steps ...[4]string) (Interval, *Session) {
		p := powercap{Snapshots: map[string]map[string]*string{}}
		var order []string
		var times []float64
		for k, s := range steps {
			name := fmt.Sprint(k)
			p.Snapshots[name] = map[string]*string{}
			for i, uj := range s {
				maps.Copy(p.Snapshots[name], die(i, uj))
			}
			order, times = append(order, name), append(times, float64(k))
		}
		return playPowercap(t, p, order, times)
	}
	// Package 0 is one counter, read a moment apart; package 1 starts at one value.
	got, s := play([4]string{"100", "6100", "81000000000", "81000000000"},
		[4]string{"40000000", "40020000", "81015000000", "81011000000"}, [4]string{"90000000", "90000000", "81030000000", "81021000000"})
	near(t, "total", got.Joules, 89.9999+30+21, 1e-6)
	near(t, "the twin's own", energyOf(t, got, "rapl:package-0-die-1"), 89.9939, 1e-6)
	m := s.Result().Meters
	if m[1].DuplicateOf != "rapl:package-0-die-0" || m[1].InTotal || len(m[1].Seen.Notes) != 1 || m[3].DuplicateOf != "" || !m[3].InTotal {
		t.Errorf("%+v, %+v", m[1], m[3])
	}
	// A joule tells nothing.
	got, s = play([4]string{"0", "0", "0", "0"}, [4]string{"900000", "900000", "9000000", "90000000"})
	near(t, "total", got.Joules, 1.8+99, 1e-6)
	if n := s.Result().Meters[1].Seen.Notes; len(n) != 1 || !strings.Contains(n[0], "mirrors rapl:package-0-die-0") {
		t.Errorf("notes %q", n)
	}
}

func TestOneNameTwice(t *testing.T) {
	zones := func(second, vendor string) *Sysfs {
		tree, err := NewSnapshot(map[string]*string{
			"devices/system/cpu/modalias":             text("cpu:type:x86," + vendor + "fam0006"),
			"class/powercap/intel-rapl:0/name":        text("package-0"),
			"class/powercap/intel-rapl:0/energy_uj":   text("81000000000"),
			"class/powercap/intel-rapl:0:0/name":      text("core"),
			"class/powercap/intel-rapl:0:0/energy_uj": text("71000000000"),
			"class/powercap/intel-rapl:1/name":        text("package-0"),
			"class/powercap/intel-rapl:1/energy_uj":   text(second),
			"class/powercap/intel-rapl:1:0/name":      text("core"),
			"class/powercap/intel-rapl:1:0/energy_uj": text("72000000000"),
		})
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	for _, tc := range []struct {
		second, vendor string
		meters         int
	}{
		{"90000000000", "ven0000", 4}, // counters of their own
		{"81000000500", "ven0000", 4}, // a session tells
		{"90000000000", "ven0002", 2},
	} {
		m, u := raplMeters(zones(tc.second, tc.vendor))
		if len(m) != tc.meters || len(u) != 4-tc.meters {
			t.Errorf("%+v: %d meters, unavailable %+v", tc, len(m), u)
		}
		if tc.meters == 4 {
			if i := m[3].Info(); i.Name != "rapl:package-0.2/core" || i.PartOf != "rapl:package-0.2" {
				t.Errorf("%+v", i)
			}
		}
	}
}

func TestSensorsOfOneLabel(t *testing.T) {
	tree, err := NewSnapshot(map[string]*string{
		"class/hwmon/hwmon0/name":         text("ina"),
		"class/hwmon/hwmon0/power1_input": text("1000000"),
		"class/hwmon/hwmon0/power1_label": text("rail"),
		"class/hwmon/hwmon0/power2_input": text("2000000"),
		"class/hwmon/hwmon0/power2_label": text("rail"),
	})
	if err != nil {
		t.Fatal(err)
	}
	m, _ := hwmonMeters(tree, "", "", "")
	if len(m) != 2 || m[0].Info().Name == m[1].Info().Name {
		t.Errorf("%d meters", len(m))
	}
}

func TestMMIOServesWhereTheMSRIsDenied(t *testing.T) {
	_, files := snapshot(t, "psys")
	files["class/powercap/intel-rapl:0/energy_uj"] = nil
	tree, err := NewSnapshot(files)
	if err != nil {
		t.Fatal(err)
	}
	meters, _ := raplMeters(tree)
	for _, m := range meters {
		if i := m.Info(); i.Name == "rapl:package-0" {
			if !strings.Contains(i.Source, "mmio") {
				t.Errorf("package read from %s", i.Source)
			}
			return
		}
	}
	t.Error("no package")
}

func TestVanishingZone(t *testing.T) {
	_, files := snapshot(t, "dram")
	root := writeTree(t, files)
	meters, _, err := Open([]Spec{{Kind: KindRAPL}}, OpenOptions{SysfsRoot: root})
	if err != nil {
		t.Fatal(err)
	}
	c := newManual()
	s := start(t, c, Options{Meters: meters})
	m := s.Mark("run")
	add := func(uj string) {
		updateTree(t, root, map[string]*string{"class/powercap/intel-rapl:0/energy_uj": text(uj)})
	}
	add("118310339121")
	updateTree(t, root, map[string]*string{"class/powercap/intel-rapl:0:0/energy_uj": text("64542610987")})
	c.t = time.Second
	s.sample()
	if err := os.RemoveAll(filepath.Join(root, "class", "powercap", "intel-rapl:0:0")); err != nil {
		t.Fatal(err)
	}
	add("118410339121")
	c.t = 2 * time.Second
	i := m.End()
	near(t, "package", energyOf(t, i, "rapl:package-0"), 200, 1e-9)
	r := s.Result()
	if a, b := r.Meters[0].Seen, r.Meters[1].Seen; a.Lost || !b.Lost || *b.LostAtS != 2 || b.Samples != 2 {
		t.Errorf("%+v, %+v", a, b)
	}
	if len(r.Meters[1].Samples) != 2 {
		t.Error("the samples of the lost meter are gone")
	}
	if i.Covered != 1 {
		t.Errorf("the total covers %v s, its meters one together", i.Covered)
	}
}

func TestSnapshotFaults(t *testing.T) {
	for _, content := range []string{"", "[]", `{"a": 1}`, `{"../x": "1"}`} {
		f := filepath.Join(t.TempDir(), "s.json")
		if err := os.WriteFile(f, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenSysfs(f); !errIs(err, ErrFormat) || !strings.Contains(err.Error(), f) {
			t.Errorf("%q: %v", content, err)
		}
	}
	if _, err := OpenSysfs(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a root that is not there was opened")
	}
}

func TestCounterThatIsNoNumber(t *testing.T) {
	tree, _ := NewSnapshot(map[string]*string{
		"class/powercap/intel-rapl:0/name":      text("package-0"),
		"class/powercap/intel-rapl:0/energy_uj": text("many"),
	})
	m, u := raplMeters(tree)
	if len(m) != 0 || len(u) != 1 {
		t.Fatalf("%d meters, %+v", len(m), u)
	}
	b, _ := json.Marshal(u[0].Reason)
	mustContain(t, string(b), "energy_uj", "many")
}

func TestHwmonByChip(t *testing.T) {
	file, _ := snapshot(t, "amd")
	s, err := ParseSpec("hwmon:chip=corsairpsu,label=power total,covers=whole-system")
	if err != nil {
		t.Fatal(err)
	}
	meters, _, err := Open([]Spec{s}, OpenOptions{SysfsRoot: file})
	if err != nil || len(meters) != 1 {
		t.Fatalf("%d meters, %v", len(meters), err)
	}
	i := meters[0].Info()
	r, err := meters[0].Read(0)
	if err != nil || r[0].Watts != 212 || i.Coverage != "whole-system" || i.Apart {
		t.Errorf("%+v, %+v, %v", i, r, err)
	}
	s.Label = "nothing"
	if _, _, err := Open([]Spec{s}, OpenOptions{SysfsRoot: file}); !errIs(err, ErrNoMeter) {
		t.Errorf("got %v", err)
	}
}

// A container that has the class and not the devices holds links that lead nowhere.
func TestDanglingLinks(t *testing.T) {
	_, files := snapshot(t, "intel2")
	root := writeTree(t, files)
	zone := filepath.Join(root, "class", "powercap", "intel-rapl:1")
	if err := os.RemoveAll(zone); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(zone + ":0"); err != nil {
		t.Fatal(err)
	}
	target := "../../devices/virtual/powercap/intel-rapl/intel-rapl:1"
	if err := os.Symlink(target, zone); err != nil {
		t.Skip(err)
	}
	meters, missing, err := Open([]Spec{{Kind: KindRAPL}}, OpenOptions{SysfsRoot: root})
	if err != nil || len(meters) != 2 || len(missing) != 1 {
		t.Fatalf("%d meters, missing %+v, %v", len(meters), missing, err)
	}
	mustContain(t, missing[0].Reason, zone, target, "not there")
	mustContain(t, missing[0].Cure, "mount", "/sys/devices/virtual/powercap")
	// Alone it is no reason to say that there are no zones.
	for _, n := range []string{"intel-rapl:0", "intel-rapl:0:0"} {
		if err := os.RemoveAll(filepath.Join(root, "class", "powercap", n)); err != nil {
			t.Fatal(err)
		}
	}
	_, _, err = Open([]Spec{{Kind: KindRAPL}}, OpenOptions{SysfsRoot: root})
	if !errIs(err, ErrNoMeter) {
		t.Fatal(err)
	}
	mustContain(t, err.Error(), zone, target, "mount")
	// Nor is the link of the control type.
	control := filepath.Join(root, "class", "powercap", "intel-rapl")
	if err := os.Rename(zone, control); err != nil {
		t.Fatal(err)
	}
	if _, _, err = Open([]Spec{{Kind: KindRAPL}}, OpenOptions{SysfsRoot: root}); !errIs(err, ErrNoMeter) {
		t.Fatal(err)
	}
	mustContain(t, err.Error(), control+" links to", "mount")
}

// Messages name the file that was read, not its place below /sys.
func TestMessagesNameTheFile(t *testing.T) {
	files := map[string]*string{"class/powercap/intel-rapl:0/name": text("package-0"), "class/powercap/intel-rapl:0/energy_uj": text("many")}
	root := writeTree(t, files)
	for _, kind := range []string{KindRAPL, KindHwmon} {
		_, _, err := Open([]Spec{{Kind: kind}}, OpenOptions{SysfsRoot: root})
		if err == nil || !strings.Contains(err.Error(), root) || strings.Contains(err.Error(), " /sys/class") {
			t.Errorf("%s: %v", kind, err)
		}
	}
}
