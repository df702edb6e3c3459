package cli

import (
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
	"github.com/totemgo/totemgo/graph500"
	"github.com/totemgo/totemgo/record"
)

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
	whole := script("totemgo", fmt.Sprintf(`[ "$1" = bench ] && [ "$2" != check ] && echo '{"schema": "%s"}' && exit; %s=1 exec '%s' "$@"`,
		record.SchemaBench, asCommand, self))
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
		{"a benchmark that fails", fails("broken", "*beamer*", `"broken"\`), good, 1, 0, `totemgo: "broken"\`},
		{"graphs that the device cannot read, or hold", fails("apart", "*--device-graph*host*", fmt.Sprint(engine.ErrNotInPlace),
			"*split*", fmt.Sprint(engine.ErrCapacity)), good, 0, 2, "device"},
		{"a wrong tree", fails("wrong", "*split*", fmt.Sprint(graph500.ErrTreeShape)), good, 1, 0, "does not fit"},
	} {
		out := filepath.Join(dir, "out.json")
		cmd := exec.Command(bash, "../../scripts/gpu-check.sh", "cpu:1,"+dev)
		cmd.Env = append(os.Environ(), "OUT="+out, "SCALE=5", "SHORT=1", "TOTEMGO="+c.command, "GPU_TEST="+c.kit)
		text, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if (err != nil) != (c.failed > 0) || err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
			t.Fatalf("%s: %v\n%s", c.name, err, text)
		}
		list, cut, err := readGPUCheck(strings.NewReader(content(t, out)))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		head, end := list[0], list[len(list)-1]
		if cut || head.Processors != "cpu:1,"+dev || head.Devices == nil || head.Devices.Machine.Cores < 1 || len(head.Devices.Devices) == 0 ||
			!end.End || *end.Passed != (c.failed == 0) || len(list) < 18 {
			t.Errorf("%s: %s", c.name, content(t, out))
		}
		failures, skipped, places := 0, 0, ""
		for _, k := range list[1 : len(list)-1] {
			if _, place, is := strings.Cut(k.Name, "--device-graph "); is {
				place, _, _ = strings.Cut(place, " ")
				places += place + " "
			}
			switch {
			case k.Passed == nil && strings.Contains(k.Skipped, c.message) && c.skipped > 0:
				skipped++
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
		if failures != c.failed || skipped != c.skipped || places != "host split " {
			t.Errorf("%s: %d checks failed, %d skipped; places of the graph %q", c.name, failures, skipped, places)
		}
		if table := content(t, out+".txt"); !strings.Contains(string(text), table) || strings.Count(table, "\nFAILED: ") != c.failed || strings.Count(table, "\nskipped: ") != c.skipped {
			t.Errorf("%s: the tables\n%s", c.name, table)
		}
	}
}

// TestGPUCheckEnded: a run that is ended half-way leaves a file whose tables print; a signal prints them, SIGKILL
// cannot, and where the last check is not whole the tables are of the others. OUT is a folder here.
func TestGPUCheckEnded(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if runtime.GOOS != "linux" || err != nil {
		t.Skip("the script is for Linux, with bash")
	}
	dev := needsOpenCL(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, signal := range []os.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		dir := t.TempDir()
		// The carried binaries are beside the script, which is in no repository. It hangs in the third benchmark.
		for name, text := range map[string]string{
			"totemgo":  fmt.Sprintf("#!/bin/sh\ncase \"$*\" in *director*totem*) sleep 15;; esac; %s=1 exec '%s' \"$@\"\n", asCommand, self),
			"gpu.test": "#!/bin/sh\nexit 1\n", "gpu-check.sh": content(t, "../../scripts/gpu-check.sh")} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command(bash, filepath.Join(dir, "gpu-check.sh"), dev)
		cmd.Env = append(os.Environ(), "OUT="+dir, "SCALE=8", "PATH=/usr/bin:/bin")
		var text strings.Builder
		cmd.Stdout, cmd.Stderr = &text, &text
		cmd.WaitDelay = time.Second
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		out, checks := filepath.Join(dir, "gpu-check.json"), 0
		for begun := time.Now(); checks < 2 && time.Since(begun) < time.Minute; time.Sleep(20 * time.Millisecond) {
			data, _ := os.ReadFile(out)
			checks = strings.Count(string(data), `{"name": `)
		}
		time.Sleep(200 * time.Millisecond) // into the check that hangs
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		table := commandProcess(t, "bench", "check", out).must(t).stdout
		for _, want := range []string{dev + ": 2 checks passed; the run did not end", "kron:8 " + dev, "atomics M/s", "superstep", "waits a level"} {
			if !strings.Contains(table, want) {
				t.Errorf("%v: no %q in\n%s", signal, want, table)
			}
		}
		if got := content(t, out+".txt"); got != table {
			t.Errorf("%v: the tables beside the file are\n%s\nwant\n%s", signal, got, table)
		}
		if signal == syscall.SIGTERM && (!strings.Contains(text.String(), table) || cmd.ProcessState.ExitCode() != 128+15) {
			t.Errorf("status %d: %s", cmd.ProcessState.ExitCode(), text.String())
		}
		whole := content(t, out)
		if err := os.WriteFile(out, []byte(whole[:len(whole)-100]), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := commandProcess(t, "bench", "check", out).must(t).stdout; !strings.Contains(got, "1 checks passed; the run did not end\nthe last check was not written whole") {
			t.Errorf("a file that is cut: %s", got)
		}
	}
	for _, text := range []string{"", "{", "{\"schema\": \"totemgo.bench/1\"}", "not JSON"} {
		file := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := commandProcess(t, "bench", "check", file); got.status != 1 {
			t.Errorf("%q: status %d, %s", text, got.status, got.stdout)
		}
	}
}
