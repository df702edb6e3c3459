package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// within is how soon a command ends once it is interrupted.
const within = time.Second

// tries is how often a time that other work on the machine can spoil is taken.
const tries = 4

// interrupt runs a command line in this process and cancels it after a while. It
// returns what happened and how long the end took; ok is false where the command
// had ended by itself.
func interrupt(t *testing.T, after time.Duration, stdin io.Reader, args ...string) (status int, stdout, stderr string, took time.Duration, ok bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var out, messages bytes.Buffer
	done := make(chan int, 1)
	go func() { done <- execute(ctx, args, stdin, &out, &messages) }()
	select {
	case status = <-done:
		return status, out.String(), messages.String(), 0, false
	case <-time.After(after):
	}
	cancel()
	start := time.Now()
	select {
	case status = <-done:
	case <-time.After(30 * time.Second):
		t.Fatalf("%q does not end", args)
	}
	return status, out.String(), messages.String(), time.Since(start), true
}

// neverEnding is a reader that gives edges for ever.
type neverEnding struct{ line int }

func (r *neverEnding) Read(p []byte) (int, error) {
	n := 0
	for n+24 < len(p) {
		n += len(strconv.AppendInt(p[n:n], int64(r.line*7919%100003), 10))
		p[n] = ' '
		n++
		n += len(strconv.AppendInt(p[n:n], int64(r.line%100003), 10))
		p[n] = '\n'
		n++
		r.line++
	}
	return n, nil
}

// TestInterrupt cancels commands while they wait, load, build, search, generate and
// write: status 130 within a second, no result, no file left.
func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	scale, chain := "18", "2000000"
	if testing.Short() || raceEnabled {
		scale, chain = "15", "300000"
	}
	graph := filepath.Join(dir, "k.el")
	command(t, "generate", "kron", "--scale", scale, "--edgefactor", "8", "-o", graph).must(t)
	root := firstID(t, graph)
	path := filepath.Join(dir, "path.el")
	command(t, "generate", "chain", "--vertices", chain, "-o", path).must(t)
	out := t.TempDir()
	kept := filepath.Join(out, "kept.el")
	if err := os.WriteFile(kept, []byte("0 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	silent, hold, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	defer hold.Close()
	for _, c := range []struct {
		what  string
		stdin func() io.Reader
		after []int // milliseconds
		args  []string
	}{
		{"waiting for standard input", func() io.Reader { return silent }, []int{30}, []string{"bfs", "-", "--root", "0"}},
		{"waiting for a tree", func() io.Reader { return silent }, []int{200}, []string{"validate", file(t, "g.el", "0 1\n"), "-"}},
		{"loading a stream", func() io.Reader { return &neverEnding{} }, []int{50, 400}, []string{"bfs", "-", "--root", "0"}},
		{"loading, building, searching", nil, []int{5, 40, 120, 250}, []string{"bfs", graph, "--root", root}},
		{"searching", nil, []int{300, 600}, []string{"bfs", path, "--root", "0", "--undirected"}},
		{"a program", nil, []int{300, 600}, []string{"pagerank", graph, "--iterations", "1000000", "--tolerance", "0"}},
		{"shortest paths", nil, []int{100, 300}, []string{"sssp", path, "--root", "0", "--unit-weights", "--top", "3"}},
		{"describing", nil, []int{100, 500}, []string{"info", graph}},
		{"converting", nil, []int{50, 200}, []string{"convert", graph, kept, "--relabel"}},
		{"converting to rows", nil, []int{100, 300}, []string{"convert", graph, filepath.Join(out, "x.tgr"), "--largest-component"}},
		{"generating", nil, []int{20, 300}, []string{"generate", "kron", "--scale", "20", "-o", filepath.Join(out, "x.edges")}},
		{"writing", nil, []int{100, 400}, []string{"generate", "chain", "--vertices", "10000000", "-o", kept}},
		{"a benchmark", nil, []int{20, 200, 600}, []string{"graph500", "--scale", scale}},
	} {
		hits := 0
		for _, ms := range c.after {
			best := time.Hour
			for range tries {
				stdin := io.Reader(strings.NewReader(""))
				if c.stdin != nil {
					stdin = c.stdin()
				}
				status, stdout, stderr, took, ok := interrupt(t, time.Duration(ms)*time.Millisecond, stdin, c.args...)
				if !ok {
					if status != 0 {
						t.Errorf("%s: status %d by itself: %s", c.what, status, stderr)
					}
					if strings.HasPrefix(c.args[0], "gen") || c.args[0] == "convert" { // restore what it replaced
						_ = os.WriteFile(kept, []byte("0 1\n"), 0o644)
						_ = os.Remove(filepath.Join(out, "x.tgr"))
						_ = os.Remove(filepath.Join(out, "x.edges"))
					}
					best = 0
					break
				}
				if status == 0 {
					best = 0 // it was done just then
					break
				}
				if status != exitInterrupted || stdout != "" || stderr != "totemgo: interrupted\n" {
					t.Errorf("%s, after %d ms: status %d, %q, %q", c.what, ms, status, stdout, stderr)
				}
				hits++
				if best = min(best, took); best < within {
					break
				}
			}
			if best >= within {
				t.Errorf("%s, after %d ms: took %v to end", c.what, ms, best)
			}
			if content(t, kept) != "0 1\n" {
				t.Errorf("%s: the earlier file is gone", c.what)
				_ = os.WriteFile(kept, []byte("0 1\n"), 0o644)
			}
			onlyFiles(t, out, "kept.el")
		}
		if hits == 0 {
			t.Logf("%s: was done each time before the interrupt", c.what)
		}
	}
}

// TestSignals ends a real process that writes a compressed file by each signal: the signal's status, and
// no file left.
func TestSignals(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent a signal there")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		sig    syscall.Signal
		status int
	}{{syscall.SIGINT, 130}, {syscall.SIGTERM, 143}, {syscall.SIGHUP, 129}} {
		out := t.TempDir()
		x := exec.Command(self, "generate", "kron", "--scale", "18", "-o", filepath.Join(out, "x.el.xz"))
		x.Env = append(os.Environ(), asCommand+"=1")
		var stderr bytes.Buffer
		x.Stderr = &stderr
		if err := x.Start(); err != nil {
			t.Fatal(err)
		}
		for i := 0; ; i++ { // until the file is begun
			if found, _ := os.ReadDir(out); len(found) > 0 {
				break
			}
			if i == 1000 {
				t.Fatal("no file appears")
			}
			time.Sleep(10 * time.Millisecond)
		}
		if err := x.Process.Signal(c.sig); err != nil {
			t.Fatal(err)
		}
		_ = x.Wait() // the status tells
		if got := x.ProcessState.ExitCode(); got != c.status || stderr.String() != "totemgo: interrupted\n" {
			t.Errorf("%v: status %d, want %d; %q", c.sig, got, c.status, stderr.String())
		}
		onlyFiles(t, out)
	}
}

// TestInterruptProcess sends a real signal to a real process.
func TestInterruptProcess(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent an interrupt there")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	for _, args := range [][]string{
		{"generate", "kron", "--scale", "22", "-o", filepath.Join(out, "x.edges")},
		{"graph500", "--scale", "19"},
	} {
		best := time.Hour
		for range tries {
			c := exec.Command(self, args...)
			c.Env = append(os.Environ(), asCommand+"=1")
			var stdout, stderr bytes.Buffer
			c.Stdout, c.Stderr = &stdout, &stderr
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(700 * time.Millisecond)
			start := time.Now()
			if err := c.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			err := c.Wait()
			took := time.Since(start)
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted || stdout.Len() != 0 || stderr.String() != "totemgo: interrupted\n" {
				t.Fatalf("%q: %v, %q, %q", args, err, stdout.String(), stderr.String())
			}
			onlyFiles(t, out)
			if best = min(best, took); best < within {
				break
			}
		}
		if best >= within {
			t.Errorf("%q: took %v to end", args, best)
		}
	}
}

// firstID is the first id of an edge list: a vertex that has an edge.
func firstID(t *testing.T, path string) string {
	t.Helper()
	for line := range strings.Lines(content(t, path)) {
		if f := strings.Fields(line); len(f) > 0 && f[0] != "#" {
			return f[0]
		}
	}
	t.Fatalf("%s has no edge", path)
	return ""
}
