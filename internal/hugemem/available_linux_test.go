package hugemem

import (
	"testing"
	"testing/fstest"
)

func TestLeastIn(t *testing.T) {
	const meminfo = "MemTotal:       16000000 kB\nMemFree:          100 kB\nMemAvailable:    2000 kB\n"
	type files map[string]string
	const installed = 16000000 << 10
	for name, c := range map[string]struct {
		files            files
		available, total int64
	}{
		"nothing known":    {files{}, 0, 0},
		"no groups":        {files{"proc/meminfo": meminfo}, 2000 << 10, installed},
		"malformed":        {files{"proc/meminfo": "MemAvailable: many kB\n", "proc/self/cgroup": "x\n0::\n"}, 0, 0},
		"version 2":        {files{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "4096\n"}, 4096, 4096},
		"version 2 parent": {files{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/memory.max": "8192\n"}, 8192, 8192},
		"version 2 root":   {files{"proc/self/cgroup": "0::/not/visible\n", "sys/fs/cgroup/memory.max": "12288\n"}, 12288, 12288},
		"version 2 max":    {files{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n"}, 2000 << 10, installed},
		"version 2 large":  {files{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "999999999999\n"}, 2000 << 10, installed},
		"version 1": {files{"proc/meminfo": meminfo, "proc/self/cgroup": "5:cpu,cpuacct:/x\n4:hugetlb,memory:/a\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "16384\n"}, 16384, 16384},
		"version 1 unlimited": {files{"proc/meminfo": meminfo, "proc/self/cgroup": "4:memory:/a\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "9223372036854771712\n"}, 2000 << 10, installed},
		"hybrid": {files{"proc/self/cgroup": "4:memory:/a\n0::/\n", "sys/fs/cgroup/unified/memory.max": "20480\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "24576\n"}, 20480, 20480},
	} {
		root := fstest.MapFS{}
		for f, text := range c.files {
			root[f] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := leastIn(root, "MemAvailable:"); got != c.available {
			t.Errorf("%s: %d bytes available, want %d", name, got, c.available)
		}
		if got := leastIn(root, "MemTotal:"); got != c.total {
			t.Errorf("%s: %d bytes in all, want %d", name, got, c.total)
		}
	}
}
