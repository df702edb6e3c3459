package power

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// hwmonTree is a tree of one chip with the given files.
func hwmonTree(t *testing.T, chip string, files map[string]*string) *Sysfs {
	t.Helper()
	all := map[string]*string{"class/hwmon/hwmon0/name": text(chip)}
	for f, c := range files {
		all["class/hwmon/hwmon0/"+f] = c
	}
	tree, err := NewSnapshot(all)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// Of a channel the best file that can be read is used.
func TestHwmonReadableFile(t *testing.T) {
	for _, c := range []struct {
		files map[string]*string
		want  string // the file, or "" where none can be read
	}{
		{map[string]*string{"power1_average": text("1"), "power1_input": text("2")}, "power1_average"},
		{map[string]*string{"power1_average": nil, "power1_input": text("2")}, "power1_input"},
		{map[string]*string{"power1_average": text("n/a"), "power1_input": text("2")}, "power1_input"},
		{map[string]*string{"power1_average": text("1"), "energy1_input": text("2")}, "energy1_input"},
		{map[string]*string{"power1_average": text("1"), "energy1_input": nil}, "power1_average"},
		{map[string]*string{"power1_average": nil, "power1_input": nil}, ""},
	} {
		m, u := hwmonMeters(hwmonTree(t, "amdgpu", c.files), "", "", "")
		if c.want == "" {
			if len(m) != 0 || len(u) != 1 || !strings.Contains(u[0].Reason, "power1_average") {
				t.Errorf("%d meters, %+v", len(m), u)
			}
			continue
		}
		if len(m) != 1 || len(u) != 0 || !strings.HasSuffix(m[0].Info().Source, "/"+c.want) {
			t.Errorf("want %s: %d meters, unavailable %+v", c.want, len(m), u)
		}
	}
}

// A card's second sensor is part of its first, also where the chip is named.
func TestHwmonCardCountsOnce(t *testing.T) {
	files := map[string]*string{
		"energy1_input": text("5"), "energy1_label": text("card"),
		"energy2_input": text("3"), "energy2_label": text("pkg"),
	}
	for _, c := range []struct{ chip, label, counted string }{
		{"", "", "card"}, {"xe", "", "card"}, {"xe", "pkg", "pkg"},
	} {
		m, _ := hwmonMeters(hwmonTree(t, "xe", files), c.chip, c.label, "")
		var in []string
		infos := make([]Info, len(m))
		for i := range m {
			infos[i] = m[i].Info()
		}
		for i, counts := range inTotal(infos) {
			if counts {
				in = append(in, infos[i].Name)
			}
		}
		if got := fmt.Sprint(in); got != "[hwmon:xe/"+c.counted+"]" {
			t.Errorf("chip %q, label %q: %s counts", c.chip, c.label, got)
		}
	}
	// So are the rails of a supply, and the cores of a socket.
	for chip, labels := range map[string][3]string{"corsairpsu": {"power total", "power +12v", "power +5v"}, "amd_energy": {"Ecore000", "Ecore001", "Esocket0"}} {
		rails := map[string]*string{}
		for i, l := range labels {
			rails[fmt.Sprintf("power%d_input", i+1)], rails[fmt.Sprintf("power%d_label", i+1)] = text("5"), text(l)
		}
		m, _ := hwmonMeters(hwmonTree(t, chip, rails), chip, "", "")
		var infos []Info
		for i := range m {
			infos = append(infos, m[i].Info())
		}
		for i, counts := range inTotal(infos) {
			if l := labels[i]; counts != (l == "power total" || l == "Esocket0") {
				t.Errorf("%s: %s counts: %v", chip, l, counts)
			}
		}
	}
	// Another chip's sensors all count where it is asked for.
	if m, _ := hwmonMeters(hwmonTree(t, "ina", files), "ina", "", ""); len(m) != 2 || m[0].Info().Apart || m[1].Info().Apart {
		t.Errorf("%d meters of a chip that was asked for", len(m))
	}
}

func TestHwmonOneWholeSystem(t *testing.T) {
	file, _ := snapshot(t, "amd")
	s, err := ParseSpec("hwmon:chip=corsairpsu,covers=whole-system")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open([]Spec{s}, OpenOptions{SysfsRoot: file}); !errIs(err, ErrSpec) || !strings.Contains(err.Error(), "label=") {
		t.Errorf("two sensors as the whole system: %v", err)
	}
}

func TestHwmonInterval(t *testing.T) {
	for text1, want := range map[string]float64{"1000": 1, "9999999999999999": 0, "x": 0} {
		m, _ := hwmonMeters(hwmonTree(t, "acpi_power_meter", map[string]*string{
			"power1_average": text("1"), "power1_average_interval": text(text1),
		}), "", "", "")
		if got := m[0].Info().Update.Seconds(); math.Abs(got-want) > 1e-9 {
			t.Errorf("interval %s: renewed every %v s", text1, got)
		}
	}
}

func TestReasonNamesTheFileOnce(t *testing.T) {
	tree := hwmonTree(t, "amdgpu", map[string]*string{"power1_input": text("much")})
	_, u := hwmonMeters(tree, "", "", "")
	if n := strings.Count(u[0].Reason, "power1_input"); n != 1 {
		t.Errorf("the file is named %d times: %s", n, u[0].Reason)
	}
}
