package hugemem

import "golang.org/x/sys/unix"

// available returns the installed memory: available memory needs Mach calls.
func available() int64 {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil || n > 1<<62 {
		return 0
	}
	return int64(n)
}

func installed() int64 { return available() }

// refused knows no limits of the process.
func refused(int64) *Error { return nil }
