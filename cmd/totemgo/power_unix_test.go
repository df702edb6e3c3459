//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// newSession takes a process off the terminal of the tests, so that only signals
// sent to it reach it.
func newSession(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
