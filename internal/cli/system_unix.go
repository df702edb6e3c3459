//go:build unix

package cli

import (
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

// threadStack is the size of threads' stacks where memory is limited; it is the system's limit of a stack otherwise, often 8 MiB.
const threadStack = 2 << 20

// spareSpace starts the program again, in this process, where address space or data is limited (ulimit -v, -d): with small
// stacks and one malloc arena, since glibc reserves 128 MiB for each thread, which leaves the Go heap too little.
func spareSpace() {
	const arenas = "MALLOC_ARENA_MAX"
	limits, err := os.ReadFile("/proc/self/limits")
	_, space, _ := strings.Cut(string(limits), "Max address space")
	_, data, _ := strings.Cut(string(limits), "Max data size")
	unlimited := strings.HasPrefix(strings.TrimSpace(space), "unlimited") && strings.HasPrefix(strings.TrimSpace(data), "unlimited")
	if _, set := os.LookupEnv(arenas); err != nil || set || unlimited {
		return
	}
	var stack syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_STACK, &stack) == nil && stack.Cur > threadStack {
		stack.Cur = threadStack
		_ = syscall.Setrlimit(syscall.RLIMIT_STACK, &stack) // what is refused stays as it is
	}
	if exe, err := os.Executable(); err == nil {
		_ = syscall.Exec(exe, os.Args, append(os.Environ(), arenas+"=1")) // it returns if it fails: then this program goes on
	}
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
