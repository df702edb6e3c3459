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

// cores peels a graph vertex by vertex.
func cores(n int, edges [][2]int) []int {
	core, gone := make([]int, n), make([]bool, n)
	for k, left := 0, n; left > 0; k++ {
		for again := true; again; {
			again = false
			for v := range n {
				degree := 0
				for _, e := range edges {
					if e[0] == v && !gone[e[1]] || e[1] == v && !gone[e[0]] {
						degree++
					}
				}
				if !gone[v] && degree <= k {
					gone[v], core[v], again = true, k, true
					left--
				}
			}
		}
	}
	return core
}

func TestRun(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 2 + r.IntN(40)
		var edges [][2]int
		var text strings.Builder
		seen := map[[2]int]bool{}
		for range r.IntN(5 * n) {
			u, v := r.IntN(n), r.IntN(n)
			if e := [2]int{min(u, v), max(u, v)}; u != v && !seen[e] {
				seen[e] = true
				edges = append(edges, e)
				fmt.Fprintln(&text, u, v)
			}
		}
		file := filepath.Join(t.TempDir(), "g.txt")
		if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := run(context.Background(), []string{file}, &out); err != nil {
			if len(edges) == 0 {
				continue
			}
			t.Fatal(err)
		}
		want := cores(n, edges)
		for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
			var v, k int
			if _, err := fmt.Sscan(line, &v, &k); err != nil {
				t.Fatal(err)
			}
			if k != want[v] {
				t.Errorf("seed %d: vertex %d has core number %d, want %d", seed, v, k, want[v])
			}
			want[v] = 0
		}
		for v, k := range want {
			if k > 0 {
				t.Errorf("seed %d: vertex %d of core number %d is missing", seed, v, k)
			}
		}
	}
	if err := run(context.Background(), nil, nil); err == nil {
		t.Error("no graph: no error")
	}
}
