package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/partition"
)

// smallest is the oracle: labels fall along edges until none does.
func smallest(n int, edges []graph.Edge) []uint32 {
	label := make([]uint32, n)
	for v := range label {
		label[v] = uint32(v)
	}
	for fell := true; fell; {
		fell = false
		for _, e := range edges {
			if low := min(label[e.U], label[e.V]); label[e.U] != low || label[e.V] != low {
				label[e.U], label[e.V], fell = low, low, true
			}
		}
	}
	return label
}

func TestComponents(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 1 + r.IntN(300)
		g := &graph.EdgeList{Vertices: n, Directed: seed%2 == 0}
		for range r.IntN(2 * n) {
			g.Edges = append(g.Edges, graph.Edge{U: uint32(r.IntN(n)), V: uint32(r.IntN(n))})
		}
		want := smallest(n, g.Edges)
		for _, processors := range []string{"cpu:1", "cpu:3", "cpu:2,cpu:1", "cpu:1,cpu:1,cpu:1,cpu:1"} {
			for _, policy := range []partition.Policy{partition.HubsOnCPU, partition.Random} {
				list, err := engine.ParseProcessors(processors)
				if err != nil {
					t.Fatal(err)
				}
				e, err := engine.New(t.Context(), g, engine.Options{Processors: list, Placement: policy})
				if err != nil {
					t.Fatal(err)
				}
				_, got, err := components(t.Context(), e)
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("seed %d on %s, %s: labels %v, want %v; %v", seed, processors, policy, got, want, err)
				}
				if err := e.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "g.txt")
	if err := os.WriteFile(file, []byte("7 9\n30 20\n20 40\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{file}, &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for _, want := range []string{"7 7", "9 7", "20 20", "30 20", "40 20"} {
		if !slices.Contains(lines, strings.ReplaceAll(want, " ", "\t")) {
			t.Errorf("no line %q in %q", want, lines)
		}
	}
	if err := run(t.Context(), nil, nil); err == nil {
		t.Error("no graph: no error")
	}
}

// TestContributing demands that CONTRIBUTING.md has the algorithm, the oracle and the test.
func TestContributing(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(string(text), "\r\n", "\n")
	}
	doc, test := read("../../CONTRIBUTING.md"), read("main_test.go")
	from, to := strings.Index(test, "// smallest is the oracle"), strings.Index(test, "func TestRun")
	for name, want := range map[string]string{"components.go": read("components.go"), "main_test.go": test[from:to]} {
		if !strings.Contains(doc, strings.TrimSpace(want)) {
			t.Errorf("CONTRIBUTING.md does not have examples/components/%s", name)
		}
	}
}
