//go:build !unix

package power

import (
	"os"
	"os/exec"
)

// openWaiting opens a file.
func openWaiting(path string) (*os.File, error) { return os.Open(path) }

// shell is how the system runs a command line.
func shell(line string) *exec.Cmd { return exec.Command("cmd", "/c", line) }

// endGroup ends a command.
func endGroup(c *exec.Cmd) error { return c.Process.Kill() }
