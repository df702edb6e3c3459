package hugemem

import (
	"fmt"
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
		"version 2 in use": {files{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "1000000\n",
			"sys/fs/cgroup/a/memory.stat": "anon 300000\nfile 600000\n"}, 700000, 1000000},
		"version 2 high": {files{"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n", "sys/fs/cgroup/a/memory.high": "500000\n",
			"sys/fs/cgroup/a/memory.stat": "anon 100000\n"}, 400000, 500000},
		"version 2 parent in use": {files{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "900000\n", "sys/fs/cgroup/a/memory.max": "1000000\n",
			"sys/fs/cgroup/a/memory.stat": "anon 800000\n", "sys/fs/cgroup/a/b/memory.stat": "anon 1000\n"}, 200000, 900000},
		"version 2 full": {files{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "1000\n", "sys/fs/cgroup/memory.stat": "anon 2000\n"}, 1, 1000},
		"version 1 in use": {files{"proc/self/cgroup": "4:memory:/a\n", "sys/fs/cgroup/memory/a/memory.limit_in_bytes": "16384\n",
			"sys/fs/cgroup/memory/a/memory.stat": "cache 9999\nrss 1\ntotal_rss 6384\n"}, 10000, 16384},
		"address space": {files{"proc/meminfo": meminfo, "proc/self/status": "VmSize:\t 1000000 kB\nVmData:\t 1000 kB\n",
			"proc/self/limits": fmt.Sprintf("Max data size             unlimited            unlimited            bytes\nMax address space         %d           unlimited            bytes\n",
				1000000<<10+spareSpace()+5000)}, 5000, installed},
		"data": {files{"proc/meminfo": meminfo, "proc/self/status": "VmSize:\t 1000000 kB\nVmData:\t 1000 kB\n",
			"proc/self/limits": fmt.Sprintf("Max data size             %d              unlimited            bytes\n", 1000<<10+spareData()+6000)}, 6000, installed},
		"hybrid": {files{"proc/self/cgroup": "4:memory:/a\n0::/\n", "sys/fs/cgroup/unified/memory.max": "20480\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "24576\n"}, 20480, 20480},
	} {
		root := fstest.MapFS{}
		for f, text := range c.files {
			root[f] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := leastIn(root, true); got != c.available {
			t.Errorf("%s: %d bytes available, want %d", name, got, c.available)
		}
		if got := leastIn(root, false); got != c.total {
			t.Errorf("%s: %d bytes in all, want %d", name, got, c.total)
		}
	}
}
