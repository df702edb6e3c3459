package main

import (
	"bufio"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"
)

func terminal(fd int) bool { return term.IsTerminal(fd) }

// totalMemory is the installed memory in bytes, 0 if unknown.
func totalMemory() int64 {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if rest, ok := strings.CutPrefix(s.Text(), "MemTotal:"); ok {
			kb, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(rest, "kB")), 10, 64)
			if err == nil {
				return kb * 1024
			}
		}
	}
	return 0
}
