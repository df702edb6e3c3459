//go:build unix

package power

import (
	"os"
	"os/exec"
	"syscall"
)

// openWaiting opens a file or FIFO without waiting for a writer, so that Close ends
// a Read.
func openWaiting(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// shell is how the system runs a command line.
func shell(line string) *exec.Cmd {
	c := exec.Command("/bin/sh", "-c", line)
	// A group of its own: the terminal's Ctrl-C is not for the meter, and the whole
	// group can be ended.
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return c
}

// endGroup ends a command and what it started.
func endGroup(c *exec.Cmd) error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
