package power

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
)

// stderrKept is how much of a command's complaints is kept to say why it ended.
const stderrKept = 512

// commandSource is the standard output of a command that runs until Close.
type commandSource struct {
	cmd  *exec.Cmd
	out  *os.File
	errs *tailBuffer
	once sync.Once
	wait error
	mu   sync.Mutex
	shut bool
}

// startCommand runs a shell command line and reads what it prints.
func startCommand(line string) (io.ReadCloser, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("power: %w", err)
	}
	c := &commandSource{cmd: shell(line), out: r, errs: &tailBuffer{}}
	c.cmd.Stdout, c.cmd.Stderr = w, c.errs
	err = c.cmd.Start()
	w.Close()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("power: command %q: %w", line, err), r.Close())
	}
	return c, nil
}

// Read reads the command's output; at its end it says how the command ended.
func (c *commandSource) Read(b []byte) (int, error) {
	n, err := c.out.Read(b)
	if n > 0 || err == nil {
		return n, nil
	}
	c.mu.Lock()
	shut := c.shut
	c.mu.Unlock()
	if shut {
		return 0, io.EOF
	}
	if werr := c.reap(); werr != nil {
		return 0, fmt.Errorf("command ended: %w: %s", werr, c.errs)
	}
	return 0, errors.New("command ended")
}

func (c *commandSource) reap() error {
	c.once.Do(func() { c.wait = c.cmd.Wait() })
	return c.wait
}

// Close ends the command and what it started, and waits for it.
func (c *commandSource) Close() error {
	c.mu.Lock()
	c.shut = true
	c.mu.Unlock()
	_ = endGroup(c.cmd) // it may have ended by itself
	_ = c.reap()        // killed is what it should be
	return c.out.Close()
}

// tailBuffer keeps the last bytes written to it.
type tailBuffer struct {
	mu sync.Mutex
	b  []byte
}

// Write keeps the end of p.
func (t *tailBuffer) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, p...)
	if len(t.b) > stderrKept {
		t.b = bytes.Clone(t.b[len(t.b)-stderrKept:])
	}
	return len(p), nil
}

// String is what was kept, on one line.
func (t *tailBuffer) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(strings.Fields(string(t.b)), " ")
}
