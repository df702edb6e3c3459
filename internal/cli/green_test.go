package cli

import (
	"context"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/totemgo/totemgo/record"
)

const (
	wattsLog = "replay:../../power/testdata/watts.csv,column=watts,covers=whole-system"
	noSysfs  = "../../power/testdata/sysfs/none.json"
)

// TestGreen runs a session over a recorded log: the figures fit together.
func TestGreen(t *testing.T) {
	r := command(t, "graph500", "--scale", "8", "--duration", "300ms", "--power", wattsLog, "--json")
	has(t, r, "green", "bfs", "validation")
	g := document[record.Graph500](t, r).Green
	for _, q := range []struct {
		name      string
		got, want float64
	}{
		{"average_power_w", g.AveragePowerW, g.EnergyJ / g.DurationS},
		{"joules_per_search", g.JoulesPerSearch, g.EnergyJ / float64(g.Searches)},
		{"mteps_per_watt", g.MTEPSPerWatt, g.HarmonicMeanTEPS / 1e6 / g.AveragePowerW},
		{"the meter", g.Meters[0].EnergyJ, g.EnergyJ},
	} {
		if !(math.Abs(q.got-q.want) <= 1e-9*q.want) {
			t.Errorf("%s: %v, want %v", q.name, q.got, q.want)
		}
	}
	if g.Coverage != record.CoverageWholeSystem || !g.Replayed || g.Estimated || g.Searches < 64 || g.DurationS < 0.3 {
		t.Errorf("%+v", g)
	}
	if g.AveragePowerW < 75 || g.AveragePowerW > 188 {
		t.Errorf("%v W is outside the log", g.AveragePowerW)
	}
}

// TestGreenText: the block stands behind the validation's line.
func TestGreenText(t *testing.T) {
	r := command(t, "graph500", "--scale", "8", "--duration", "50ms", "--power", wattsLog).must(t)
	_, after, _ := strings.Cut(r.stdout, "validation: 64 of 64 passed\n")
	for _, s := range []string{"green_mteps_per_watt: ", "green_average_power_w: ", "green_coverage: ", "whole-system", " replayed\n", "green_meter: "} {
		if !strings.Contains(after, s) {
			t.Errorf("no %q in\n%s", s, r.stdout)
		}
	}
}

// TestGreenCompare alternates two configurations under the model.
func TestGreenCompare(t *testing.T) {
	if _, err := os.Stat("/proc/stat"); err != nil {
		t.Skip("the model needs /proc/stat")
	}
	args := []string{"graph500", "--scale", "8", "--duration", "400ms", "--power", "model:idle=50,busy=180", "--compare", "cpu:1", "--compare", "cpu:1,cpu:1"}
	r := command(t, append(args, "--json")...)
	has(t, r, "compare", "bfs")
	doc := document[record.Graph500](t, r)
	c := doc.Compare
	if !c.Estimated || c.Replayed || c.Rounds < 1 || doc.Green != nil || len(c.Configurations) != 2 ||
		len(c.Configurations[0].Processors) != 1 || len(c.Configurations[1].Processors) != 2 || len(doc.Processors) != 1 {
		t.Errorf("%+v", c)
	}
	for _, x := range []record.Ratio{c.TimeRatio, c.EnergyRatio, c.EDPRatio} {
		if !(x.P10 > 0 && x.P10 <= x.Median && x.Median <= x.P90) {
			t.Errorf("%+v", c)
		}
	}
	for _, x := range c.Configurations {
		if x.AveragePowerW < 49.9 || x.AveragePowerW > 180.1 {
			t.Errorf("%v W", x.AveragePowerW)
		}
	}
	if r := command(t, args...).must(t); !strings.Contains(r.stdout, "compare_energy_ratio: ") || !strings.Contains(r.stdout, ") estimated\n") {
		t.Errorf("%s", r.stdout)
	}
}

// TestGreenWithoutMeters: "auto" says what is missing and runs on, a kind by name
// fails before the run.
func TestGreenWithoutMeters(t *testing.T) {
	r := command(t, "graph500", "--scale", "8", "--duration", "50ms", "--power", "auto", "--sysfs-root", noSysfs, "--json")
	doc := document[record.Graph500](t, r)
	if doc.Green == nil && (!strings.Contains(r.stderr, "totemgo: rapl: ") || !strings.Contains(r.stderr, "no meter: ")) {
		t.Errorf("%s", r.stderr)
	}
	if doc.Validation.Passed != 64 {
		t.Errorf("%+v", doc.Validation)
	}
	start := time.Now()
	r = command(t, "graph500", "--scale", "18", "--duration", "1h", "--power", "rapl", "--sysfs-root", noSysfs)
	if r.status != exitFailed || !strings.HasPrefix(r.stderr, "totemgo: no meter of kind rapl: ") {
		t.Errorf("status %d, %q", r.status, r.stderr)
	}
	if d := time.Since(start); d > 2*time.Second {
		t.Errorf("it took %v to find that there is no meter", d)
	}
	if r := command(t, "graph500", "--scale", "8", "--duration", "1h", "--power", "replay:no.csv"); r.status != exitFailed || !strings.Contains(r.stderr, "no.csv") {
		t.Errorf("status %d, %q", r.status, r.stderr)
	}
}

func TestGreenUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--power", "auto"}, "--duration"},
		{[]string{"--duration", "1s"}, "--power"},
		{[]string{"--power", "auto", "--duration", "0s"}, "--duration 0s"},
		{[]string{"--power", "auto", "--duration", "-3s"}, "--duration -3s"},
		{[]string{"--power", "auto", "--duration", "soon"}, "soon"},
		{[]string{"--power", "steam", "--duration", "1s"}, `unknown kind "steam"`},
		{[]string{"--power", "model:idle=5", "--duration", "1s"}, "busy"},
		{[]string{"--power", "auto", "--duration", "1s", "--compare", "cpu"}, "--compare is given 1 time:"},
		{[]string{"--power", "auto", "--duration", "1s", "--compare", "cpu", "--compare", "cpu:1", "--compare", "cpu:2"}, "--compare is given 3 times"},
		{[]string{"--power", "auto", "--duration", "1s", "--compare", "cpu", "--compare", "abacus"}, "abacus"},
		{[]string{"--power", "auto", "--duration", "1s", "--compare", "cpu", "--compare", "cpu:1", "--processors", "cpu"}, "--processors"},
		{[]string{"--compare", "cpu", "--compare", "cpu:1"}, "--power"},
		{[]string{"--power", "auto", "--duration", "1s", "--compare", "cpu:1,cpu:1", "--compare", "cpu", "--share", "0.5,0.5"}, "--share"},
	} {
		r := command(t, append([]string{"graph500", "--scale", "8"}, c.args...)...)
		if r.status != exitUsage || !strings.Contains(r.stderr, c.want) {
			t.Errorf("%q: status %d, %q does not name %q", c.args, r.status, r.stderr, c.want)
		}
	}
}

// TestGreenInterrupted: Ctrl-C while searches are repeated.
func TestGreenInterrupted(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	for _, extra := range [][]string{nil, {"--compare", "cpu:1", "--compare", "cpu"}} {
		r := commandWith(t, ctx, strings.NewReader(""), append([]string{"graph500", "--scale", "6", "--duration", "1h", "--power", wattsLog}, extra...)...)
		if r.status != exitInterrupted {
			t.Errorf("status %d, %q", r.status, r.stderr)
		}
	}
}
