package cli

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/totemgo/totemgo/internal/needs"
)

// TestCaseBetweenness: scores over unordered and ordered pairs and normalized ones, also of 2^32 shortest paths.
func TestCaseBetweenness(t *testing.T) {
	for _, c := range casesOf(t, "K27", "K28") {
		for key, flag := range map[string]string{"bc_unordered": "", "bc_ordered": "--ordered", "bc_normalised": "--normalized"} {
			if c.Results[key] == nil {
				continue
			}
			var want map[string]float64
			if err := json.Unmarshal(c.Results[key], &want); err != nil {
				t.Fatal(err)
			}
			for _, list := range []string{"cpu:2", "cpu:1,cpu:1"} {
				args := append([]string{"bc", c.file(), "--processors", list}, c.direction()...)
				if flag != "" {
					args = append(args, flag)
				}
				rows := rowsOf(t, args...)
				if len(rows) != len(want) {
					t.Errorf("%s: %q: %d rows, want %d", c.ID, args, len(rows), len(want))
				}
				for v, x := range want {
					if got := number(t, rows[v][0]); math.Abs(got-x) > 1e-9*max(1, x) {
						t.Errorf("%s: %q: score of %s is %v, want %v", c.ID, args, v, got, x)
					}
				}
			}
		}
	}
	for _, c := range casesOf(t, "K34") { // no edges: all scores are 0
		for _, name := range []string{"bc", "closeness"} {
			for v, row := range rowsOf(t, append([]string{name, c.file()}, c.direction()...)...) {
				if row[0] != "0" {
					t.Errorf("%s: %s of %s is %s", c.ID, name, v, row[0])
				}
			}
		}
	}
}

// TestPublishedCentralities compares with networkx' documented values of Zachary's karate club: betweenness_centrality
// has 0.43763528138528146 and 0.30407497594997596 of its leaders, closeness_centrality 0.5689655172413793 and 0.55.
func TestPublishedCentralities(t *testing.T) {
	path := needs.Data(t, "karate.graph")
	for _, list := range [][]string{{"cpu:2"}, {"cpu:1,cpu:1", "--placement", "random"}} {
		scores := rowsOf(t, append([]string{"bc", path, "--normalized", "--processors"}, list...)...)
		near := rowsOf(t, append([]string{"closeness", path, "--processors"}, list...)...)
		for v, want := range map[string][2]float64{"1": {0.43763528138528146, 0.5689655172413793}, "34": {0.30407497594997596, 0.55}} {
			if got := number(t, scores[v][0]); math.Abs(got-want[0]) > 1e-12 {
				t.Errorf("betweenness of %s: %v, want %v", v, got, want[0])
			}
			if got := number(t, near[v][0]); math.Abs(got-want[1]) > 1e-12 {
				t.Errorf("closeness of %s: %v, want %v", v, got, want[1])
			}
		}
	}
}

// TestPublishedBetweenness compares the first seven of power.graph with those of NetworKit's tutorial on centrality
// (networkit.github.io, Betweenness: ordered pairs, and vertices from 0 on).
func TestPublishedBetweenness(t *testing.T) {
	scores := rowsOf(t, "bc", needs.Data(t, "power.graph"), "--ordered")
	for v, want := range map[string]float64{"4165": 7036954.687164464, "2544": 6873056.733431251, "1244": 6824187.837966228, "4220": 6774285.210945551,
		"2529": 6521871.002117603, "1268": 6057480.123171419, "1309": 5770690.329252723} {
		if got := number(t, scores[v][0]); math.Abs(got/want-1) > 1e-12 {
			t.Errorf("betweenness of %s: %v, want %v", v, got, want)
		}
	}
}
