package power

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
)

// stderrKept is how much of a command's complaints is kept to say why it ended.
const stderrKept = 512

// commandSource is the standard output of a command that runs until Close.
type commandSource struct {
	out  io.Reader
	cmd  *exec.Cmd
	errs tailBuffer
	wait func() error
	shut atomic.Bool
}

// startCommand runs a shell command line and reads what it prints.
func startCommand(line string) (io.ReadCloser, error) {
	c := &commandSource{cmd: shell(line)}
	c.wait, c.cmd.Stderr = sync.OnceValue(c.cmd.Wait), &c.errs
	var err error
	if c.out, err = c.cmd.StdoutPipe(); err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("power: command %q: %w", line, err)
	}
	return c, nil
}

// Read reads the command's output; at its end it says how the command ended.
func (c *commandSource) Read(b []byte) (int, error) {
	n, err := c.out.Read(b)
	if n > 0 || err == nil {
		return n, nil
	}
	if c.shut.Load() {
		return 0, io.EOF
	}
	if err := c.wait(); err != nil {
		return 0, fmt.Errorf("command ended: %w: %s", err, strings.Join(strings.Fields(string(c.errs)), " "))
	}
	return 0, errors.New("command ended")
}

// Close ends the command and what it started, and waits for it.
func (c *commandSource) Close() error {
	c.shut.Store(true)
	_ = endGroup(c.cmd) // it may have ended by itself
	_ = c.wait()        // killed is what it should be
	return nil
}

// tailBuffer keeps the last bytes written to it.
type tailBuffer []byte

// Write keeps the end of p.
func (t *tailBuffer) Write(p []byte) (int, error) {
	*t = append(*t, p...)
	*t = append((*t)[:0], (*t)[max(0, len(*t)-stderrKept):]...)
	return len(p), nil
}
