//go:build unix

package cli

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// passedSignals are those that a recording hands to the command.
func passedSignals() []os.Signal {
	return append(interrupts(), syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2)
}

// passSignal hands a signal to the command, unless the terminal has sent it there
// already: it sends Ctrl-C and Ctrl-\ to every process in its foreground.
func passSignal(p *os.Process, sig os.Signal) {
	if (sig == syscall.SIGINT || sig == syscall.SIGQUIT) && inForeground() {
		return
	}
	_ = p.Signal(sig) // it may have ended just now
}

// inForeground tells whether this process stands in the foreground of a terminal.
func inForeground() bool {
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	defer tty.Close()
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// endingStatus is the exit status that belongs to a signal that ends a process, 0 for
// others.
func endingStatus(sig os.Signal) int {
	if s, ok := sig.(syscall.Signal); ok && s != syscall.SIGUSR1 && s != syscall.SIGUSR2 {
		return 128 + int(s)
	}
	return 0
}

// endStatus is the exit status to pass on, as a shell reckons it.
func endStatus(p *os.ProcessState) int {
	if w, ok := p.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return p.ExitCode()
}
