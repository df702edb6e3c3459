//go:build unix

package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/totemgo/totemgo/internal/needs"
	"github.com/totemgo/totemgo/power"
)

// newSession takes a process off the terminal of the tests, so that only signals
// sent to it reach it.
func newSession(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// TestPowerRecordStreams gives the command a child that outlives it and holds its
// streams: a recording that copied them would wait for it, and measure it.
func TestPowerRecordStreams(t *testing.T) {
	needShell(t)
	dir := t.TempDir()
	js := filepath.Join(dir, "s.json")
	out, err := os.Create(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	c := powerProcess(t, "record", "--power", "none", "-o", js, "--", "sh", "-c", "sleep 20 & echo $!")
	newSession(c)
	c.Stdout = out
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	pid, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	if err := exec.Command("kill", strings.TrimSpace(string(pid))).Run(); err != nil {
		t.Errorf("the child had ended: %v", err)
	}
	if s, err := power.ReadSession(js); err != nil || s.DurationS > 15 {
		t.Errorf("%v, %+v", err, s)
	}
}

// TestPowerRecordToPipe writes to a FIFO once, at the end.
func TestPowerRecordToPipe(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip(err)
	}
	got := make(chan []byte, 1)
	go func() {
		b, _ := os.ReadFile(fifo)
		got <- b
	}()
	if _, errs, status := runPower(t, "record", "-q", "--power", "none", "-o", fifo, "--", "sleep", "0.1"); status != 0 {
		t.Fatalf("status %d: %s", status, errs)
	}
	if b := <-got; bytes.Count(b, []byte(`"schema"`)) != 1 || !bytes.Contains(b, []byte(`"complete":true`)) {
		t.Errorf("%s", b)
	}
	if st, err := os.Stat(fifo); err != nil || st.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the FIFO became %v, %v", st, err)
	}
}

// TestPowerRecordIgnores starts a recording as nohup does.
func TestPowerRecordIgnores(t *testing.T) {
	needShell(t)
	ready := filepath.Join(t.TempDir(), "ready")
	p := powerProcess(t, "record", "-q", "--power", "none", "--", "sh", "-c", "touch $0; sleep 0.5; exit 6", ready)
	c := exec.Command("sh", append([]string{"-c", `trap "" HUP; exec "$@"`, "sh"}, p.Args...)...)
	c.Env = p.Env
	newSession(c)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(ready); err == nil {
			break
		}
	}
	if err := c.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	if got := c.ProcessState.ExitCode(); got != 6 {
		t.Errorf("status %d", got)
	}
}

// A signal that came while the meters were opened ends the run before the command.
func TestPowerRecordEarlySignal(t *testing.T) {
	s, err := power.Start(context.Background(), power.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	signals := make(chan os.Signal, 2)
	for _, d := range []time.Duration{0, time.Minute} {
		signals <- syscall.SIGUSR1
		signals <- syscall.SIGTERM
		var exit *exitError
		if err := measureBaseline(context.Background(), s, d, signals); !errors.As(err, &exit) || exit.status != 143 {
			t.Errorf("baseline %v: %v", d, err)
		}
	}
	if err := measureBaseline(context.Background(), s, 0, signals); err != nil {
		t.Error(err)
	}
}

// A signal ends a recording that waits for the writer of its log.
func TestPowerRecordWaitsForAPipe(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip(err)
	}
	p := powerProcess(t, "record", "-q", "--power", "replay:"+fifo, "--", "true")
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(20*time.Second, func() { _ = p.Process.Kill() })
	time.Sleep(500 * time.Millisecond)
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = p.Wait()
	if !late.Stop() {
		t.Error("still there 20 s after SIGTERM")
	}
}

// TestEnergyCases runs the scripts of the cases of counters and logs.
func TestEnergyCases(t *testing.T) {
	tool := filepath.Join(t.TempDir(), "totemgo")
	script := "#!/bin/sh\nTOTEMGO_POWER_PROCESS=1 exec '" + os.Args[0] + "' '-test.run=^TestPowerAsProcess$' -- \"$@\"\n"
	if err := os.WriteFile(tool, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"b14", "b16", "n01", "n02", "n03", "n04", "n05", "n06"} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			c := exec.Command("bash", needs.Cases(t, id, "run.sh"))
			c.Env = append(os.Environ(), "TOTEMGO="+tool)
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}
