//go:build unix

package cli

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
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

// peakRSS is the largest resident memory of the process in bytes, 0 if unknown. Linux keeps in ru_maxrss that of the program
// which started this one, too.
func peakRSS() (bytes int64) {
	status, _ := os.ReadFile("/proc/self/status")
	if _, most, has := strings.Cut(string(status), "VmHWM:"); has {
		_, _ = fmt.Sscan(most, &bytes)
		return bytes * 1024
	}
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // it leaves 0 if it fails
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(u.Maxrss)
	}
	return int64(u.Maxrss) * 1024
}
