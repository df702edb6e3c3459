package hugemem

import (
	"io/fs"
	"math"
	"os"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

func available() int64 { return leastIn(os.DirFS("/"), true) }

func installed() int64 { return leastIn(os.DirFS("/"), false) }

// leastIn returns the least of the memory of the system, the control groups' limits and, of what is available, the limits
// of the process; 0 if none is known. It reads the files of the system whose root directory is given.
func leastIn(root fs.FS, free bool) int64 {
	key := "MemTotal:"
	if free {
		key = "MemAvailable:"
	}
	least := int64(math.MaxInt64)
	if n, ok := number(root, "proc/meminfo", key); ok {
		least = n
	}
	least = min(least, groupLimit(root, free))
	for _, l := range processLimits() {
		if _, left, ok := l.read(root); ok && free {
			least = min(least, left)
		}
	}
	if least == math.MaxInt64 {
		return 0
	}
	return max(least, 1)
}

// spareSpace and spareData are what arrays leave of the process's address space and data: for the Go heap, which takes
// address space by 64 MiB, and for the stacks of threads.
func spareSpace() int64 { return 128<<20 + int64(runtime.NumCPU())*(8<<20) }
func spareData() int64  { return 16<<20 + int64(runtime.NumCPU())*(8<<20) }

// processLimit is a limit of the process: what names it, in messages and in /proc/self/limits, what it bounds, in
// /proc/self/status, and what arrays leave of it.
type processLimit struct {
	by, name, used string
	spare          int64
}

func processLimits() []processLimit {
	return []processLimit{
		{"the limit of address space (ulimit -v)", "Max address space", "VmSize:", spareSpace()},
		{"the limit of data (ulimit -d)", "Max data size", "VmData:", spareData()},
	}
}

// read returns the limit and what arrays may take of it, which may be negative; ok is false where there is none.
func (l *processLimit) read(root fs.FS) (limit, left int64, ok bool) {
	limit, ok = number(root, "proc/self/limits", l.name)
	used, _ := number(root, "proc/self/status", l.used)
	return limit, limit - used - l.spare, ok
}

// refused returns an *Error if n bytes more would leave too little of the process's limits.
func refused(n int64) *Error {
	var space, data unix.Rlimit
	if n < MinMapped || unix.Getrlimit(unix.RLIMIT_AS, &space) != nil || unix.Getrlimit(unix.RLIMIT_DATA, &data) != nil ||
		min(space.Cur, data.Cur) >= math.MaxInt64 {
		return nil
	}
	for _, l := range processLimits() {
		if limit, left, ok := l.read(os.DirFS("/")); ok && n > left {
			return &Error{Need: n, Used: limit - left - l.spare, Limit: limit, By: l.by}
		}
	}
	return nil
}

// number reads a line such as "MemAvailable:   123456 kB", or "anon 4096" in bytes.
func number(root fs.FS, name, key string) (int64, bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		rest, is := strings.CutPrefix(line, key)
		f := strings.Fields(rest)
		if !is || len(f) == 0 || rest[0] != ' ' && rest[0] != '\t' {
			continue
		}
		n, err := strconv.ParseInt(f[0], 10, 64)
		if len(f) == 2 && f[1] == "kB" {
			return n << 10, err == nil && n < math.MaxInt64>>10
		}
		return n, err == nil
	}
	return 0, false
}

// groupLimit returns the smallest memory limit of the process's control groups and their ancestors, of either version;
// of what is free, less the anonymous memory that the group holds: its cache can be dropped. Inside a container the path in
// /proc/self/cgroup may be the host's, of which nothing but the root is visible; walking up to the root finds that.
func groupLimit(root fs.FS, free bool) int64 {
	least := int64(math.MaxInt64)
	text, _ := fs.ReadFile(root, "proc/self/cgroup")
	for line := range strings.Lines(string(text)) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3) // number, controllers, path
		if len(f) != 3 {
			continue
		}
		var mounts, files []string
		var used string
		switch {
		case f[0] == "0" && f[1] == "":
			mounts, files, used = []string{"sys/fs/cgroup", "sys/fs/cgroup/unified"}, []string{"memory.max", "memory.high"}, "anon"
		case slices.Contains(strings.Split(f[1], ","), "memory"):
			mounts, files, used = []string{"sys/fs/cgroup/memory"}, []string{"memory.limit_in_bytes"}, "total_rss"
		default:
			continue
		}
		for dir := path.Clean("/" + f[2]); ; dir = path.Dir(dir) {
			for _, mount := range mounts {
				for _, file := range files {
					n, ok := limit(root, path.Join(mount, dir, file))
					if !ok {
						continue
					}
					if free {
						held, _ := number(root, path.Join(mount, dir, "memory.stat"), used)
						n -= held
					}
					least = min(least, n)
				}
			}
			if dir == "/" {
				break
			}
		}
	}
	return least
}

// limit reads a limit. Version 2 writes "max" where there is none, version 1 a
// number close to 2^63.
func limit(root fs.FS, name string) (int64, bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil && n < 1<<62
}
