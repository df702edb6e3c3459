package graph500_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph500"
	"github.com/totemgo/totemgo/internal/needs"
)

// readJSON reads a file of a case.
func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

// caseGraph returns the graph that expected.json states.
func caseGraph(vertices int, edges [][2]uint32) *graph.EdgeList {
	l := &graph.EdgeList{Vertices: vertices}
	for _, e := range edges {
		l.Edges = append(l.Edges, graph.Edge{U: e[0], V: e[1]})
	}
	return l
}

func TestCaseEdgeCounts(t *testing.T) {
	var want struct {
		Vertices int
		Edges    [][2]uint32
		Results  struct {
			NEdge    map[string]int64 `json:"nedge"`
			Without  map[string]int64 `json:"nedge_without_loops"`
			Eligible []uint32         `json:"eligible_roots"`
		}
	}
	readJSON(t, needs.Cases(t, "c22g", "expected.json"), &want)
	l := caseGraph(want.Vertices, want.Edges)
	c, err := graph500.CountEdges(context.Background(), l, 2)
	if err != nil {
		t.Fatal(err)
	}
	for root, spec := range want.Results.NEdge {
		r, err := strconv.Atoi(root)
		if err != nil {
			t.Fatal(err)
		}
		nedge, got, err := c.Of(serialBFS(l, uint32(r), first))
		if err != nil || got != spec || nedge != want.Results.Without[root] {
			t.Errorf("root %s: %d and %d, %v", root, nedge, got, err)
		}
	}
	var eligible []uint32
	for v := range uint32(want.Vertices) {
		if c.Connected(v) {
			eligible = append(eligible, v)
		}
	}
	if !slices.Equal(eligible, want.Results.Eligible) {
		t.Errorf("eligible roots %v", eligible)
	}
}

func TestCaseStatistics(t *testing.T) {
	dir := needs.Cases(t, "c23g")
	var want struct {
		Results struct {
			TEPS struct {
				Min, Max       float64
				Median         float64 `json:"median_reference_formula"`
				HarmonicMean   float64 `json:"harmonic_mean"`
				HarmonicStddev float64 `json:"harmonic_stddev"`
			}
		}
		Tolerance float64 `json:"tolerance_relative"`
	}
	readJSON(t, filepath.Join(dir, "expected.json"), &want)
	f, err := os.Open(filepath.Join(dir, "runs.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var times []float64
	var edges []int64
	for _, row := range rows {
		m, err1 := strconv.ParseInt(row[1], 10, 64)
		s, err2 := strconv.ParseFloat(row[2], 64)
		if err1 == nil && err2 == nil {
			times, edges = append(times, s), append(edges, m)
		}
	}
	r, w := graph500.Rates(times, edges), want.Results.TEPS
	for _, c := range [][2]float64{{r.Min, w.Min}, {r.Max, w.Max}, {r.Median, w.Median}, {r.Mean, w.HarmonicMean}, {r.Stddev, w.HarmonicStddev}} {
		if math.Abs(c[0]-c[1]) > want.Tolerance*c[1] {
			t.Errorf("got %v, want %v", c[0], c[1])
		}
	}
}

func TestCaseTrees(t *testing.T) {
	dir := needs.Cases(t, "c24g")
	var want struct {
		Vertices int
		Edges    [][2]uint32
		Input    struct{ Root uint32 }
		Results  map[string]struct {
			Valid  bool
			Reason string
		}
	}
	readJSON(t, filepath.Join(dir, "expected.json"), &want)
	var trees map[string]map[string]int64
	readJSON(t, filepath.Join(dir, "parents.json"), &trees)
	l := caseGraph(want.Vertices, want.Edges)
	if len(trees) != len(want.Results) {
		t.Fatalf("%d trees, %d results", len(trees), len(want.Results))
	}
	for name, tree := range trees {
		parents := make([]uint32, want.Vertices)
		for v := range parents {
			p, ok := tree[fmt.Sprint(v)]
			if !ok {
				t.Fatalf("%s: no entry for %d", name, v)
			}
			parents[v] = none
			if p >= 0 {
				parents[v] = uint32(p)
			}
		}
		v := validate(t, l, graph500.Tree{Root: want.Input.Root, Parents: parents}, 2)
		w := want.Results[name]
		if (len(v.Violations) == 0) != w.Valid || !w.Valid && v.Violations[0].Reason != w.Reason {
			t.Errorf("%s: %v, want %q", name, v.Violations, w.Reason)
		}
	}
}
