package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/totemgo/totemgo/power"
	"github.com/totemgo/totemgo/record"
)

// runPower runs "totemgo power ARGS" in this process.
func runPower(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, errs bytes.Buffer
	status = execute(context.Background(), append([]string{"power"}, args...), strings.NewReader("from standard input\n"), &out, &errs)
	return out.String(), errs.String(), status
}

// TestPowerAsProcess is the tool itself when another test starts this binary.
func TestPowerAsProcess(t *testing.T) {
	if os.Getenv("TOTEMGO_POWER_PROCESS") == "" {
		t.Skip("started by other tests")
	}
	args := os.Args
	for len(args) > 0 && args[0] != "--" {
		args = args[1:]
	}
	os.Exit(run(args[1:], os.Stdin, os.Stdout, os.Stderr))
}

func powerProcess(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.Command(os.Args[0], append([]string{"-test.run=^TestPowerAsProcess$", "--", "power"}, args...)...)
	c.Env = append(os.Environ(), "TOTEMGO_POWER_PROCESS=1")
	return c
}

func needShell(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a POSIX shell")
	}
}

func needStat(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("/proc/stat"); err != nil {
		t.Skip("the model needs /proc/stat")
	}
}

const trees = "../../power/testdata/sysfs"

const model = "model:idle=50,busy=180"

func TestPowerMeters(t *testing.T) {
	for _, tree := range []string{"intel1", "intel2", "psys", "amd", "dram", "none"} {
		out, errs, status := runPower(t, "meters", "--sysfs-root", filepath.Join(trees, tree+".json"), "--json")
		if status != 0 {
			t.Fatalf("%s: status %d: %s", tree, status, errs)
		}
		var list record.PowerMeters
		if err := json.Unmarshal([]byte(out), &list); err != nil {
			t.Fatalf("%s: %v", tree, err)
		}
		if list.Schema != record.PowerMetersSchema || list.Command != "power meters" {
			t.Errorf("%s: %+v", tree, list)
		}
		if rapl := strings.Contains(out, `"rapl:package-0`); rapl != (tree != "none") {
			t.Errorf("%s: a package: %v", tree, rapl)
		}
		plain, _, _ := runPower(t, "meters", "--sysfs-root", filepath.Join(trees, tree+".json"))
		if tree != "none" && !strings.Contains(plain, "in the total") || tree == "none" && !strings.Contains(plain, "rapl: no RAPL zones") {
			t.Errorf("%s: %s", tree, plain)
		}
	}
}

func TestPowerUsage(t *testing.T) {
	for _, args := range [][]string{
		{"record"},
		{"record", "--power", "bogus", "--", "true"},
		{"record", "--power", "model:idle=5", "--", "true"},
		{"record", "--rate", "0.5", "--", "true"},
		{"record", "--subtract-baseline", "--", "true"},
		{"record", "--baseline", "-1s", "--", "true"},
		{"record", "--output", "x", "--samples", "./x", "--", "true"},
		{"record", "--nosuchflag"},
		{"report"},
		{"report", "a", "b"},
		{"meters", "extra"},
		{"nosuch"},
	} {
		if _, errs, status := runPower(t, args...); status != 2 || errs == "" {
			t.Errorf("%v: status %d, %q", args, status, errs)
		}
	}
	for _, args := range [][]string{
		{"report", filepath.Join(t.TempDir(), "none.json")},
		{"meters", "--sysfs-root", filepath.Join(t.TempDir(), "none")},
		{"record", "--power", "replay:/nonexistent/x.csv", "--", "true"},
	} {
		if _, errs, status := runPower(t, args...); status != 1 || errs == "" {
			t.Errorf("%v: status %d, %q", args, status, errs)
		}
	}
}

func TestPowerRecordAndReport(t *testing.T) {
	needShell(t)
	needStat(t)
	dir := t.TempDir()
	js, cs := filepath.Join(dir, "s.json"), filepath.Join(dir, "s.csv")
	out, errs, status := runPower(t, "record", "--power", model, "-o", js, "--samples", cs, "--baseline", "50ms", "--subtract-baseline",
		"--", "sh", "-c", "cat; sleep 0.3; echo told >&2; exit 7")
	if status != 7 || out != "from standard input\n" || !strings.Contains(errs, "told\n") {
		t.Fatalf("status %d, out %q, errors %q", status, out, errs)
	}
	if !strings.Contains(errs, "estimated") {
		t.Errorf("the summary does not say estimated: %s", errs)
	}
	s, err := power.ReadSession(js)
	if err != nil {
		t.Fatal(err)
	}
	if !s.Complete || !s.Estimated || s.Coverage != "model" || *s.ExitStatus != 7 || len(s.Marks) != 2 || s.BaselineW == nil {
		t.Fatalf("%+v", s)
	}
	m := s.Marks[1]
	if m.Name != "command" || m.DurationS < 0.3 || m.EnergyJ == nil || *m.MeanW < 49.99 || *m.MeanW > 180.01 || m.NetEnergyJ == nil {
		b, _ := json.Marshal(m)
		t.Errorf("%s", b)
	}
	if d := math.Abs(*m.NetEnergyJ - (*m.EnergyJ - *s.BaselineW*m.CoveredS)); d > 1e-9 {
		t.Errorf("net energy is off by %g", d)
	}
	b, err := os.ReadFile(cs)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(b, []byte("\n")); n != len(s.Meters[0].Samples)+1 {
		t.Errorf("%d lines of CSV for %d samples", n, len(s.Meters[0].Samples))
	}
	out, _, status = runPower(t, "report", js)
	if status != 0 || !strings.Contains(out, "total (model)") || !strings.Contains(out, "estimated") || !strings.Contains(out, "exit status 7") {
		t.Errorf("status %d: %s", status, out)
	}
	out, _, _ = runPower(t, "report", "--json", js)
	var again record.PowerSession
	if err := json.Unmarshal([]byte(out), &again); err != nil || again.DurationS != s.DurationS {
		t.Errorf("%v: %s", err, out)
	}
	left, _ := filepath.Glob(filepath.Join(dir, ".*"))
	if len(left) != 0 {
		t.Errorf("temporary files left: %v", left)
	}
}

func TestPowerRecordWithoutMeters(t *testing.T) {
	needShell(t)
	none := filepath.Join(trees, "none.json")
	out, errs, status := runPower(t, "record", "--power", "rapl", "--sysfs-root", none, "--", "echo", "ran")
	if status != 1 || out != "" || !strings.Contains(errs, "no RAPL zones") {
		t.Errorf("rapl: status %d, out %q, errors %q", status, out, errs)
	}
	js := filepath.Join(t.TempDir(), "s.json")
	out, errs, status = runPower(t, "record", "--power", "none", "-o", js, "--sysfs-root", none, "--", "echo", "ran")
	if status != 0 || out != "ran\n" {
		t.Errorf("none: status %d, out %q, errors %q", status, out, errs)
	}
	s, err := power.ReadSession(js)
	if err != nil {
		t.Fatal(err)
	}
	if s.Marks[0].EnergyJ != nil {
		t.Errorf("an energy without a meter: %+v", s.Marks[0])
	}
	out, errs, status = runPower(t, "record", "--power", "auto", "--sysfs-root", none, "--", "echo", "ran")
	if status != 0 || out != "ran\n" || !strings.Contains(errs, "rapl: no RAPL zones") {
		t.Errorf("auto: status %d, out %q, errors %q", status, out, errs)
	}
	out, errs, status = runPower(t, "record", "--power", "none", "-o", filepath.Join(t.TempDir(), "no", "s.json"), "--", "echo", "ran")
	if status != 1 || out != "" || !strings.Contains(errs, "s.json") {
		t.Errorf("a file that cannot be written: status %d, out %q, errors %q", status, out, errs)
	}
	if _, _, status = runPower(t, "record", "--power", "none", "-o", js, "--", "no-such-command-here"); status != 127 {
		t.Errorf("a command that is not there: status %d", status)
	}
	if again, err := power.ReadSession(js); err != nil || again.Start != s.Start {
		t.Errorf("a command that is not there left %+v, %v in the file", again, err)
	}
}

func TestPowerRecordReplay(t *testing.T) {
	needShell(t)
	js := filepath.Join(t.TempDir(), "s.json")
	_, errs, status := runPower(t, "record", "--power", "replay:../../power/testdata/watts.csv,column=watts,covers=whole-system",
		"--rate", "50", "-o", js, "--", "sleep", "0.3")
	if status != 0 || !strings.Contains(errs, "replayed") || !strings.Contains(errs, "whole-system") {
		t.Errorf("status %d: %s", status, errs)
	}
	s, err := power.ReadSession(js)
	if err != nil {
		t.Fatal(err)
	}
	m := s.Marks[0]
	// The log falls from 96 W at 0 s to 75 W at 0.4 s.
	at := func(x float64) float64 { return 96 - (96-75)/0.4*x }
	if m.EndS < 0.4 {
		want := (at(m.StartS) + at(m.EndS)) / 2 * m.DurationS
		if math.Abs(*m.EnergyJ-want) > 1e-9 {
			t.Errorf("%v J, want %v", *m.EnergyJ, want)
		}
	}
}

// writePackages writes powercap zones with these counters; "" cannot be read.
func writePackages(t *testing.T, root string, uj ...string) {
	t.Helper()
	for i, x := range uj {
		zone := filepath.Join(root, "class", "powercap", fmt.Sprintf("intel-rapl:%d", i))
		for name, s := range map[string]string{"name": fmt.Sprintf("package-%d", i), "max_energy_range_uj": "262143328850", "energy_uj": x} {
			if err := os.MkdirAll(zone, 0o755); err != nil {
				t.Skipf("this file system refuses sysfs names: %v", err)
			}
			if s == "" {
				_ = os.Mkdir(filepath.Join(zone, name), 0o755)
			} else if err := os.WriteFile(filepath.Join(zone, name), []byte(s), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestPowerPartial: the summary has the meters' own joules over the command, without what
// was before it, and says that one is missing; a counter that stands still has none.
func TestPowerPartial(t *testing.T) {
	needShell(t)
	root, js := t.TempDir(), filepath.Join(t.TempDir(), "s.json")
	writePackages(t, root, "5000000", "", "7000000")
	file := func(i int) string { return fmt.Sprintf("%s/class/powercap/intel-rapl:%d/energy_uj", root, i) }
	_, errs, status := runPower(t, "record", "--power", "rapl", "--sysfs-root", root, "-o", js, "--", "sh", "-c",
		"sleep 0.2; echo 41750000 >"+file(0)+"; echo 26250000 >"+file(2)+"; sleep 0.2")
	if status != 0 || !strings.Contains(errs, "total (component, partial: 2 of 3 packages)") || !strings.Contains(errs, "note: partial: 2 of 3 packages") {
		t.Errorf("status %d: %s", status, errs)
	}
	for _, want := range []string{"56 J", "36.75 J", "19.25 J", file(1)} {
		if !strings.Contains(errs, want) {
			t.Errorf("no %q in %s", want, errs)
		}
	}
	s, err := power.ReadSession(js)
	if err != nil || s.Partial != "2 of 3 packages" || s.Marks[0].Partial != s.Partial || *s.Marks[0].EnergyJ != 56 {
		t.Errorf("%+v, %v", s, err)
	}
	_, errs, status = runPower(t, "record", "--power", "rapl", "--sysfs-root", root, "--", "sleep", "0.2")
	if status != 0 || strings.Contains(errs, " 0 J") || !strings.Contains(errs, "rapl:package-0: the counter did not move") {
		t.Errorf("status %d: %s", status, errs)
	}
}

// waitFor waits until the file holds a session, and reads it.
func waitFor(t *testing.T, file string) *record.PowerSession {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if s, err := power.ReadSession(file); err == nil && len(s.Marks) > 0 {
			return s
		}
	}
	t.Fatalf("%s: no session within 10 s", file)
	return nil
}

func TestPowerRecordSignals(t *testing.T) {
	needShell(t)
	for _, tc := range []struct {
		signal  syscall.Signal
		command string
		status  int
	}{
		{syscall.SIGTERM, "trap 'exit 9' TERM; touch $0; while :; do sleep 0.02; done", 9},
		{syscall.SIGINT, "touch $0; exec sleep 20", 130},
		{syscall.SIGTERM, "touch $0; exec sleep 20", 143},
	} {
		dir := t.TempDir()
		js, ready := filepath.Join(dir, "s.json"), filepath.Join(dir, "ready")
		c := powerProcess(t, "record", "--power", "none", "-o", js, "--", "sh", "-c", tc.command, ready)
		newSession(c)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if s := waitFor(t, js); s.Complete || !s.Marks[0].Open || s.ExitStatus != nil {
			t.Errorf("while it runs: %+v", s)
		}
		for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			if _, err := os.Stat(ready); err == nil {
				break
			}
		}
		if err := c.Process.Signal(tc.signal); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait()
		if got := c.ProcessState.ExitCode(); got != tc.status {
			t.Errorf("%v, %q: status %d, want %d", tc.signal, tc.command, got, tc.status)
		}
		s, err := power.ReadSession(js)
		if err != nil || !s.Complete || s.Marks[0].Open || *s.ExitStatus != tc.status {
			t.Errorf("after %v: %v, %+v", tc.signal, err, s)
		}
	}
}

// TestPowerRecordKilled kills the recorder itself: the file is the whole one of the
// last second.
func TestPowerRecordKilled(t *testing.T) {
	needShell(t)
	needStat(t)
	js := filepath.Join(t.TempDir(), "s.json")
	c := powerProcess(t, "record", "--power", model, "-o", js, "--", "sh", "-c", "sleep 2.5; kill -9 $PPID")
	newSession(c)
	if err := c.Run(); err == nil {
		t.Fatal("it was not killed")
	}
	s, err := power.ReadSession(js)
	if err != nil || s.Complete || s.DurationS < 0.9 || len(s.Meters[0].Samples) < 5 {
		t.Errorf("%v, %+v", err, s)
	}
}
