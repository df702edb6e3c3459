package hugemem

import (
	"bufio"
	"bytes"
	"io/fs"
	"math"
	"os"
	"path"
	"strconv"
	"strings"
)

func available() int64 { return leastIn(os.DirFS("/"), "MemAvailable:") }

func installed() int64 { return leastIn(os.DirFS("/"), "MemTotal:") }

// leastIn returns the lesser of a number of /proc/meminfo and the control groups'
// limit. It reads the files of the system whose root directory is given.
func leastIn(root fs.FS, key string) int64 {
	least := int64(math.MaxInt64)
	if n, ok := memInfo(root, key); ok {
		least = n
	}
	if n, ok := groupLimit(root); ok {
		least = min(least, n)
	}
	if least == math.MaxInt64 {
		return 0
	}
	return least
}

// memInfo reads a line such as "MemAvailable:   123456 kB".
func memInfo(root fs.FS, key string) (int64, bool) {
	text, err := fs.ReadFile(root, "proc/meminfo")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) == 3 && f[0] == key && f[2] == "kB" {
			n, err := strconv.ParseInt(f[1], 10, 64)
			return n << 10, err == nil && n < math.MaxInt64>>10
		}
	}
	return 0, false
}

// groupLimit returns the smallest memory limit of the process's control groups
// and their ancestors, of either version. Inside a container the path in
// /proc/self/cgroup may be the host's, of which nothing but the root is visible;
// walking up to the root finds that.
func groupLimit(root fs.FS) (int64, bool) {
	text, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return 0, false
	}
	least := int64(math.MaxInt64)
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		f := strings.SplitN(lines.Text(), ":", 3) // number, controllers, path
		if len(f) != 3 {
			continue
		}
		var mounts []string
		var file string
		switch {
		case f[0] == "0" && f[1] == "":
			mounts, file = []string{"sys/fs/cgroup", "sys/fs/cgroup/unified"}, "memory.max"
		case hasWord(f[1], "memory"):
			mounts, file = []string{"sys/fs/cgroup/memory"}, "memory.limit_in_bytes"
		default:
			continue
		}
		for dir := path.Clean("/" + f[2]); ; dir = path.Dir(dir) {
			for _, mount := range mounts {
				if n, ok := limit(root, path.Join(mount, dir, file)); ok {
					least = min(least, n)
				}
			}
			if dir == "/" {
				break
			}
		}
	}
	return least, least != math.MaxInt64
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
