package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// propagate runs rounds of label propagation on n vertices.
func propagate(n, rounds int, edges [][2]int) []int {
	label := make([]int, n)
	for v := range label {
		label[v] = v
	}
	for range rounds {
		next := append([]int(nil), label...)
		for v := range n {
			votes := map[int]int{}
			for _, e := range edges {
				switch v {
				case e[0]:
					votes[label[e[1]]]++
				case e[1]:
					votes[label[e[0]]]++
				}
			}
			most := 0
			for l, c := range votes {
				if c > most || c == most && l < next[v] {
					next[v], most = l, c
				}
			}
		}
		label = next
	}
	return label
}

func TestRun(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 2 + r.IntN(40)
		var edges [][2]int
		var text strings.Builder
		seen := map[[2]int]bool{}
		for range 1 + r.IntN(3*n) {
			u, v := r.IntN(n), r.IntN(n)
			if e := [2]int{min(u, v), max(u, v)}; u != v && !seen[e] {
				seen[e] = true
				edges = append(edges, e)
				fmt.Fprintln(&text, u, v)
			}
		}
		if len(edges) == 0 {
			continue
		}
		file := filepath.Join(t.TempDir(), "g.txt")
		if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		for rounds := range 5 {
			var out bytes.Buffer
			if err := run(context.Background(), []string{file, fmt.Sprint(rounds)}, &out); err != nil {
				t.Fatal(err)
			}
			want := propagate(n, rounds, edges)
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			for _, line := range lines {
				var v, l int
				if _, err := fmt.Sscan(line, &v, &l); err != nil {
					t.Fatal(err)
				}
				if l != want[v] {
					t.Errorf("seed %d, %d rounds: vertex %d has label %d, want %d", seed, rounds, v, l, want[v])
				}
			}
			touched := map[int]bool{}
			for _, e := range edges {
				touched[e[0]], touched[e[1]] = true, true
			}
			if len(lines) != len(touched) {
				t.Errorf("seed %d: %d lines for %d vertices", seed, len(lines), len(touched))
			}
		}
	}
	for _, args := range [][]string{nil, {"g.txt"}, {"g.txt", "two"}} {
		if err := run(context.Background(), args, nil); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}
