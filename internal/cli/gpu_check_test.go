package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph500"
	"github.com/totemgo/totemgo/record"
)

// gpuCheck is what scripts/gpu-check.sh writes.
type gpuCheck struct {
	Schema, Processors     string
	Scale, Failed, Skipped int
	Passed                 bool
	Devices                record.Devices
	Checks                 []struct {
		Name, Message, Skipped string
		Passed                 *bool
		Result                 json.RawMessage
	}
}

// TestGPUCheck runs scripts/gpu-check.sh with this test as the command and stand-ins
// for the kit and the benchmarks: it takes carried binaries, writes one JSON object, and fails where a
// part does.
func TestGPUCheck(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if runtime.GOOS != "linux" || err != nil {
		t.Skip("the script is for Linux, with bash")
	}
	dev, dir := needsOpenCL(t), t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	// Benchmarks take their time, so only what they print is played.
	whole := script("totemgo", fmt.Sprintf(`[ "$1" = bench ] && echo '{"schema": "%s"}' && exit; %s=1 exec '%s' "$@"`, record.SchemaBench, asCommand, self))
	// fails makes a command that fails on some command lines, each with a message.
	fails := func(name string, on ...string) string {
		text := ""
		for ; len(on) > 0; on = on[2:] {
			text += fmt.Sprintf(`case "$*" in %s) echo 'totemgo: %s' >&2; exit 1;; esac; `, on[0], on[1])
		}
		return script(name, text+fmt.Sprintf(`exec '%s' "$@"`, whole))
	}
	good := script("good", "echo '--- PASS: TestOpenCL'")
	for _, c := range []struct {
		name, command, kit string
		failed, skipped    int
		message            string
	}{
		{"all well", whole, good, 0, 0, ""},
		{"a kit that fails", whole, script("bad", "echo '--- FAIL: TestOpenCL'; echo word 3 is wrong; exit 1"), 1, 0, "word 3 is wrong"},
		{"a kit without tests", whole, script("empty", "echo PASS"), 1, 0, "no test was run"},
		{"a benchmark that fails", fails("broken", "*thread*", `"broken"\`), good, 1, 0, `totemgo: "broken"\`},
		{"graphs that the device cannot read, or hold", fails("apart", "*--device-graph*host*", fmt.Sprint(engine.ErrNotInPlace),
			"*split*", fmt.Sprint(engine.ErrCapacity)), good, 0, 2, "device"},
		{"a wrong tree", fails("wrong", "*split*", fmt.Sprint(graph500.ErrTreeShape)), good, 1, 0, "does not fit"},
	} {
		out := filepath.Join(dir, "out.json")
		cmd := exec.Command(bash, "../../scripts/gpu-check.sh", "cpu:1,"+dev)
		cmd.Env = append(os.Environ(), "OUT="+out, "SCALE=5", "TOTEMGO="+c.command, "GPU_TEST="+c.kit)
		text, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if (err != nil) != (c.failed > 0) || err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
			t.Fatalf("%s: %v\n%s", c.name, err, text)
		}
		var d gpuCheck
		if err := json.Unmarshal([]byte(content(t, out)), &d); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if d.Schema != "totemgo.gpu-check/1" || d.Processors != "cpu:1,"+dev || d.Scale != 5 || d.Passed != (c.failed == 0) || d.Failed != c.failed ||
			d.Skipped != c.skipped || d.Devices.Machine.Cores < 1 || len(d.Devices.Devices) == 0 || len(d.Checks) < 15 {
			t.Errorf("%s: %s", c.name, content(t, out))
		}
		failures, places := 0, ""
		for _, k := range d.Checks {
			if _, place, is := strings.Cut(k.Name, "--device-graph "); is {
				place, _, _ = strings.Cut(place, " ")
				places += place + " "
			}
			switch {
			case k.Passed == nil && strings.Contains(k.Skipped, c.message) && c.skipped > 0:
			case k.Passed == nil:
				t.Errorf("%s: %s neither passed nor failed", c.name, k.Name)
			case *k.Passed && len(k.Result) == 0:
				t.Errorf("%s: %s has no result", c.name, k.Name)
			case !*k.Passed:
				failures++
				if !strings.Contains(k.Message, c.message) {
					t.Errorf("%s: %s says %q", c.name, k.Name, k.Message)
				}
			}
		}
		if failures != c.failed || places != "device host split " {
			t.Errorf("%s: %d checks failed; places of the graph %q", c.name, failures, places)
		}
	}
}
