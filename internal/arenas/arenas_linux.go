package arenas

import (
	"os"
	"syscall"
)

const (
	variable    = "MALLOC_ARENA_MAX" // of glibc
	threadStack = 2 << 20            // bytes, where memory is limited; it is the limit of a stack otherwise, often 8 MiB
)

func init() {
	var space, data, stack syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &space) != nil || syscall.Getrlimit(syscall.RLIMIT_DATA, &data) != nil ||
		space.Cur == ^uint64(0) && data.Cur == ^uint64(0) {
		return
	}
	if _, set := syscall.Getenv(variable); set {
		return
	}
	if syscall.Getrlimit(syscall.RLIMIT_STACK, &stack) == nil && stack.Cur > threadStack {
		stack.Cur = threadStack
		_ = syscall.Setrlimit(syscall.RLIMIT_STACK, &stack) // what is refused stays as it is
	}
	if exe, err := os.Executable(); err == nil {
		_ = syscall.Exec(exe, os.Args, append(syscall.Environ(), variable+"=1")) // it returns if it fails: then this program goes on
	}
}
