package hugemem

import (
	"io/fs"
	"math"
	"os"
	"path"
	"runtime"
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
	if free {
		limits, _ := fs.ReadFile(root, "proc/self/limits")
		for line := range strings.Lines(string(limits)) {
			for _, l := range []struct {
				name, used string
				spare      int64
			}{{"Max address space", "VmSize:", spareSpace()}, {"Max data size", "VmData:", spareData()}} {
				rest, is := strings.CutPrefix(line, l.name)
				f := strings.Fields(rest)
				if !is || len(f) == 0 {
					continue
				}
				if n, err := strconv.ParseInt(f[0], 10, 64); err == nil { // else unlimited
					used, _ := number(root, "proc/self/status", l.used)
					least = min(least, n-used-l.spare)
				}
			}
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

// refused returns an *Error if n bytes more would leave too little of the process's limits of address space and data.
func refused(n int64) *Error {
	var space, data unix.Rlimit
	if n < MinMapped || unix.Getrlimit(unix.RLIMIT_AS, &space) != nil || unix.Getrlimit(unix.RLIMIT_DATA, &data) != nil ||
		min(space.Cur, data.Cur) >= math.MaxInt64 {
		return nil
	}
	text, _ := os.ReadFile("/proc/self/statm") // size, resident, shared, text, lib, data and stack, in pages
	f := strings.Fields(string(text))
	for _, l := range []struct {
		column int
		limit  uint64
		spare  int64
		by     string
	}{{0, space.Cur, spareSpace(), "the limit of address space (ulimit -v)"}, {5, data.Cur, spareData(), "the limit of data (ulimit -d)"}} {
		if l.limit < math.MaxInt64 && l.column < len(f) {
			pages, _ := strconv.ParseInt(f[l.column], 10, 64)
			used := pages * int64(os.Getpagesize())
			if n > int64(l.limit)-used-l.spare {
				return &Error{Need: n, Used: used, Limit: int64(l.limit), By: l.by}
			}
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
		f := strings.Fields(line)
		if len(f) < 2 || f[0] != key {
			continue
		}
		n, err := strconv.ParseInt(f[1], 10, 64)
		if len(f) == 3 && f[2] == "kB" {
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
		case hasWord(f[1], "memory"):
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

func hasWord(list, word string) bool {
	for w := range strings.SplitSeq(list, ",") {
		if w == word {
			return true
		}
	}
	return false
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
