//go:build unix

package main

import (
	"os"
	"os/signal"
	"runtime"
	"slices"
	"syscall"
)

func interrupts() []os.Signal { return heeded(os.Interrupt, syscall.SIGTERM) }

// heeded leaves out the signals that this process was started to ignore, as nohup
// does it: they stay ignored, here and in what is started from here.
func heeded(list ...os.Signal) []os.Signal {
	return slices.DeleteFunc(list, signal.Ignored)
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
