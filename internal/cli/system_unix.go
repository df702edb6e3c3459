//go:build unix

package cli

import (
	"os"
	"os/signal"
	"runtime"
	"syscall"
)

// interrupts are the signals that cancel a command. A hangup that the process was started to ignore,
// as nohup does it, stays ignored.
func interrupts() []os.Signal {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	return list
}

// peakRSS is the largest resident memory of the process in bytes, 0 if unknown.
func peakRSS() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(u.Maxrss)
	}
	return int64(u.Maxrss) * 1024
}
