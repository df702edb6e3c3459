package cli

import (
	"encoding/json"
	"math"
	"slices"
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

// TestPublishedCentralities compares with what networkx' betweenness_centrality and closeness_centrality are documented to
// give: of Zachary's karate club in its tests and documentation; of facebook_combined in Igual and Seguí, Introduction to Data
// Science, Springer 2017, chapter 8; of Knuth's graph of Les Misérables, in which 12 is Valjean, 56 Marius and 49
// Gavroche, in many analyses.
func TestPublishedCentralities(t *testing.T) {
	for _, c := range []struct {
		file        string
		args        []string
		closeness   map[string]float64
		betweenness map[string]float64
	}{
		{"karate.graph", nil, map[string]float64{"1": 0.5689655172413793, "34": 0.55},
			map[string]float64{"1": 0.43763528138528146, "34": 0.30407497594997596}},
		{"lesmis.graph", nil, map[string]float64{"12": 0.6440677966101694, "56": 0.5314685314685315, "49": 0.5135135135135135},
			map[string]float64{"12": 0.5699890527836184, "1": 0.17684210526315788, "49": 0.16511250242584766, "56": 0.132032488621946}},
		{"facebook_combined.txt", []string{"--undirected"},
			map[string]float64{"107": 0.45969945355191255, "58": 0.3974018305284913, "428": 0.3948371956585509, "563": 0.3939127889961955,
				"1684": 0.39360561458231796, "171": 0.37049270575282134, "348": 0.36991572004397216},
			map[string]float64{"107": 0.4805180785560152, "1684": 0.3377974497301992, "3437": 0.23611535735892905,
				"1912": 0.2292953395868782, "1085": 0.14901509211665306}},
	} {
		args := append([]string{needs.Data(t, c.file)}, c.args...)
		for _, list := range [][]string{{"cpu:2"}, {"cpu:1,cpu:1", "--placement", "random"}} {
			scores := rowsOf(t, slices.Concat([]string{"bc"}, args, []string{"--normalized", "--processors"}, list)...)
			near := rowsOf(t, slices.Concat([]string{"closeness"}, args, []string{"--processors"}, list)...)
			for v, want := range c.betweenness {
				if got := number(t, scores[v][0]); math.Abs(got/want-1) > 1e-11 {
					t.Errorf("%s: betweenness of %s: %v, want %v", c.file, v, got, want)
				}
			}
			for v, want := range c.closeness {
				if got := number(t, near[v][0]); math.Abs(got/want-1) > 1e-12 {
					t.Errorf("%s: closeness of %s: %v, want %v", c.file, v, got, want)
				}
			}
		}
	}
}

// TestPublishedAverage compares the average distance in the power grid of Watts and Strogatz with networkx'
// average_shortest_path_length, 18.989185424445708 in several analyses; their article has 18.7.
func TestPublishedAverage(t *testing.T) {
	var doc struct{ Average float64 }
	text := command(t, "closeness", needs.Data(t, "power.graph"), "--json").must(t).stdout
	if err := json.Unmarshal([]byte(text), &doc); err != nil || math.Abs(doc.Average-18.989185424445708) > 1e-12 {
		t.Errorf("average distance %v; %v", doc.Average, err)
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
