//go:build unix

package cli

import (
	"os"
	"runtime"
	"syscall"
)

func interrupts() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }

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
