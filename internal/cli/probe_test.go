//go:build unix

package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/kernels/gpu/device/opencl"
	"github.com/totemgo/totemgo/kernels/gpu/device/opencl/opencltest"
	"github.com/totemgo/totemgo/record"
)

// set changes a variable until the test ends.
func set[T any](t *testing.T, variable *T, value T) {
	old := *variable
	*variable = value
	t.Cleanup(func() { *variable = old })
}

// large are the flags of a run for which auto looks for GPUs: 2^20 edges.
var large = []string{"graph500", "--scale", "14", "--edgefactor", "64", "--roots", "1", "--json"}

// TestProbe: a driver that hangs, crashes, ends the process or prints harms neither the list of
// devices nor a run on the CPU, whatever the size of the graph.
func TestProbe(t *testing.T) {
	set(t, &deviceFolder, t.TempDir())
	set(t, &probeLimit, 2*time.Second)
	small := []string{"graph500", "--scale", "5", "--roots", "1", "--json"}
	for _, c := range []struct {
		mode string
		note string // of devices, "" if the device is listed
		says string // on standard error of a large run, "" if nothing
	}{
		{"hang", "does not answer within 2s (TOTEMGO_OPENCL=", "does not answer within 2s"},
		{"crash", "the driver ended the process: exit status 2: SIGSEGV: segmentation violation (TOTEMGO_OPENCL=", "SIGSEGV"},
		{"exit", "no answer (TOTEMGO_OPENCL=", "no answer"},
		{"print", "", "opencl:0 is left out"},
		{"no platform", "lists no platform (code -1001)", ""},
	} {
		path := opencltest.Broken(t, c.mode)
		t.Setenv(opencl.LoaderVariable, path)
		d := document[record.Devices](t, command(t, "devices", "--json"))
		if (len(d.Devices) == 0) != (c.note != "") || !strings.Contains(d.Note, c.note) || c.note != "" && !strings.Contains(d.Note, path) {
			t.Errorf("%s: devices %+v, note %q, want %q", c.mode, d.Devices, d.Note, c.note)
		}
		for _, args := range [][]string{small, large} {
			r := command(t, args...)
			got := document[record.Graph500](t, r)
			if len(got.Processors) != 1 || got.Processors[0].Kind != "cpu" || got.Validation.Passed != 1 {
				t.Errorf("%s: %+v", c.mode, got.Processors)
			}
			says := c.says
			if args[2] == small[2] {
				says = ""
			}
			if !strings.Contains(r.stderr, says) || (r.stderr == "") != (says == "") || strings.Count(r.stderr, "\n") > 1 {
				t.Errorf("%s: %q, want one line with %q", c.mode, r.stderr, says)
			}
		}
	}
}

// TestAutoWithBrokenGPU: a GPU that is listed and fails when it is opened, built for or loaded is
// named once, and the run goes on without it. Named by the user it ends the run.
func TestAutoWithBrokenGPU(t *testing.T) {
	for mode, says := range map[string]string{
		"no context":   "Open: out of device memory (code -6)",
		"no queue":     "NewStream: out of device memory (code -6)",
		"no buffer":    "NewBuffer: out of device memory (code -6)",
		"no build":     "kernels.cl:12:3: error: broken",
		"small groups": "groups of 16 lanes at most, the kernels need 32",
		"maps nothing": "NewStaging: out of device memory",
	} {
		t.Setenv(opencl.LoaderVariable, opencltest.Broken(t, mode))
		r := command(t, large...)
		d := document[record.Graph500](t, r)
		if p := d.Processors; len(p) != 1 || p[0].Kind != "cpu" || d.Validation.Passed != 1 {
			t.Errorf("%s: processors %+v, %+v", mode, p, d.Validation)
		}
		if !strings.HasPrefix(r.stderr, "totemgo: opencl:0 is left out: ") || !strings.Contains(r.stderr, says) || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("%s: %q, want one line with %q", mode, r.stderr, says)
		}
		r = command(t, append([]string{"--processors", "opencl:0"}, large...)...)
		oneLine(t, r, "opencl:0", says)
		if strings.Contains(r.stderr, "no such device") || strings.Contains(r.stderr, "bad options") || strings.Count(r.stderr, says) != 1 {
			t.Errorf("%s: %q", mode, r.stderr)
		}
	}
}

// TestCardWithoutDriver: where a card's file is there and no driver lists a GPU, auto and devices say so.
func TestCardWithoutDriver(t *testing.T) {
	set(t, &deviceFolder, t.TempDir())
	t.Setenv(opencl.LoaderVariable, "/nonexistent/libOpenCL.so")
	if r := command(t, large...).must(t); r.stderr != "" {
		t.Errorf("without a card: %q", r.stderr)
	}
	for _, c := range []struct{ file, says string }{
		{"nvidia0", "nvidia0 is there, but no driver lists a GPU: "},
		{"kfd", "/kfd, "},
		{"dri/renderD128", "/dri/renderD128 are there, but no driver lists a GPU: "},
	} {
		path := filepath.Join(deviceFolder, c.file)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644)); err != nil {
			t.Fatal(err)
		}
		r := command(t, large...).must(t)
		if !strings.Contains(r.stderr, filepath.Base(c.file)) || !strings.Contains(r.stderr, "/nonexistent/libOpenCL.so") ||
			!strings.HasSuffix(r.stderr, "the CPU runs alone\n") || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("%s: %q", c.file, r.stderr)
		}
		if out := command(t, "devices").must(t).stdout; !strings.Contains(out, filepath.Base(c.file)) || !strings.Contains(out, "no driver lists a GPU") {
			t.Errorf("%s: %q", c.file, out)
		}
	}
	if r := command(t, "graph500", "--scale", "5", "--roots", "1").must(t); r.stderr != "" {
		t.Errorf("a small graph: %q", r.stderr)
	}
	os.Unsetenv(opencl.LoaderVariable)
	dev := needsOpenCL(t) // PoCL, or a GPU
	r := command(t, large...).must(t)
	list, err := engine.ListDevices()
	if err != nil {
		t.Fatal(err)
	}
	if unlisted(list) != "" && !strings.Contains(r.stderr, dev+" is the host's CPU") {
		t.Errorf("with a device that is the host's CPU: %q", r.stderr)
	}
}

// TestControlCodes: names of devices are printed escaped.
func TestControlCodes(t *testing.T) {
	t.Setenv(opencl.LoaderVariable, opencltest.Broken(t, "control codes"))
	if out := command(t, "devices").must(t).stdout; !strings.Contains(out, `\x1b[31mred\a\xff\nline`) || strings.ContainsAny(out, "\x1b\a\xff") {
		t.Errorf("%q", out)
	}
}

// TestInterruptDriver: the first signal ends a command inside a driver's call that does not return.
func TestInterruptDriver(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent a signal there")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := opencltest.Broken(t, "hang")
	for _, args := range [][]string{{"graph500", "--scale", "5", "--processors", "opencl:0"}, {"devices"}} {
		for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			c := exec.Command(self, args...)
			c.Env = append(os.Environ(), asCommand+"=1", fmt.Sprintf("%s=%s", opencl.LoaderVariable, path))
			var stderr bytes.Buffer
			c.Stderr = &stderr
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(500 * time.Millisecond)
			start := time.Now()
			if err := c.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			err := c.Wait()
			var exit *exec.ExitError
			if took := time.Since(start); took > 3*grace || !errors.As(err, &exit) || exit.ExitCode() != 128+int(signal) || stderr.String() != "totemgo: interrupted\n" {
				t.Errorf("%q, %v: %v after %v, %q", args, signal, err, took, stderr.String())
			}
		}
	}
}
