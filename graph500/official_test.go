package graph500_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/graph500"
	"github.com/totemgo/totemgo/record"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// sample is a run with figures that show how numbers are written.
func sample() *record.Graph500 {
	x := func(v float64) *float64 { return &v }
	times := []float64{0.00123456789, 0.5, 12, 1e-7}
	edges := []int64{1048079, 1048079, 1048079, 16776960000}
	return &record.Graph500{
		Scale: 16, EdgeFactor: 16, NBFS: 4, VertexBits: 32,
		GenerationTime: x(0.25), ConstructionTime: 0.0123456789,
		BFS:        graph500.Statistics(times, edges, []float64{0.01, 0.02, 0.03, 0.04}, true),
		Validation: record.Validation{Passed: 4},
	}
}

// TestOfficialGolden compares the layouts with files; -update rewrites them.
func TestOfficialGolden(t *testing.T) {
	both := sample()
	both.VertexBits = 48
	both.SSSPValidation = &record.Validation{Passed: 4}
	both.SSSP = graph500.Statistics([]float64{1, 2, 3, 4}, []int64{1048079, 1048079, 1048079, 16776960000}, []float64{1, 1, 1, 1}, true)
	failed := sample()
	failed.Validation = record.Validation{Passed: 3, Failed: 1}
	failed.BFS = graph500.Statistics([]float64{1, 2, 3, 4}, []int64{1, 2, 3, 4}, []float64{1, 1, 1, 1}, false)
	copied := sample()
	c := 0.00025
	copied.BFS.CopyS = &c
	for _, g := range []struct {
		file  string
		style graph500.Style
		r     *record.Graph500
	}{
		{"spec.txt", graph500.StyleSpec, sample()},
		{"3.0.txt", graph500.Style30, sample()},
		{"2.1.4.txt", graph500.Style214, sample()},
		{"spec-sssp.txt", graph500.StyleSpec, both},
		{"3.0-sssp.txt", graph500.Style30, both},
		{"2.1.4-sssp.txt", graph500.Style214, both},
		{"spec-failed.txt", graph500.StyleSpec, failed},
		{"3.0-failed.txt", graph500.Style30, failed},
		{"2.1.4-failed.txt", graph500.Style214, failed},
		{"spec-copy.txt", graph500.StyleSpec, copied},
	} {
		var text strings.Builder
		if err := graph500.WriteOfficial(&text, g.style, g.r); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", g.file)
		if *update {
			if err := os.MkdirAll("testdata", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if text.String() != string(want) {
			t.Errorf("%s: got\n%s\nwant\n%s", g.file, text.String(), want)
		}
	}
}

func TestStyles(t *testing.T) {
	if s, err := graph500.ParseStyle("3.0"); err != nil || s != graph500.Style30 {
		t.Error(s, err)
	}
	_, err := graph500.ParseStyle("4.0")
	if !errors.Is(err, graph500.ErrStyle) || !strings.Contains(err.Error(), "spec, 3.0 and 2.1.4") {
		t.Error(err)
	}
	if err := graph500.WriteOfficial(&strings.Builder{}, "", sample()); !errors.Is(err, graph500.ErrStyle) {
		t.Error(err)
	}
}

type fullDisk struct{ err error }

func (f fullDisk) Write([]byte) (int, error) { return 0, f.err }

func TestOfficialWriteError(t *testing.T) {
	boom := errors.New("no space left")
	if err := graph500.WriteOfficial(fullDisk{boom}, graph500.StyleSpec, sample()); !errors.Is(err, boom) {
		t.Error(err)
	}
}

// TestEdgesOfStyles: at scale 10 version 2.1.4 counts 16383 edges, self-loops among them, and 3.0 16239.
func TestEdgesOfStyles(t *testing.T) {
	r := sample()
	r.BFS = graph500.Statistics([]float64{1, 1}, []int64{16239, 16239}, []float64{1, 2}, true)
	r.Searches = []record.Search{{TimeS: 1, NEdge: 16239, NEdgeSpec: 16383}, {TimeS: 1, NEdge: 16239, NEdgeSpec: 16383}}
	for style, want := range map[graph500.Style][]string{
		graph500.StyleSpec: {"bfs_min_nedge:                  16239"},
		graph500.Style30:   {"num_mpi_processes:              1", "min_nedge:                      16239"},
		graph500.Style214: {"num_mpi_processes:              1", "min_nedge:                      16383",
			"harmonic_mean_TEPS:             16383", "max_validate:                   2"},
	} {
		var text strings.Builder
		if err := graph500.WriteOfficial(&text, style, r); err != nil {
			t.Fatal(err)
		}
		for _, line := range want {
			if !strings.Contains(text.String(), line+"\n") {
				t.Errorf("%s lacks %q:\n%s", style, line, text.String())
			}
		}
	}
}

// TestPublicParsers: the table of parsers in docs/benchmarks.md names styles that the patterns of each parser match.
func TestPublicParsers(t *testing.T) {
	both := sample()
	both.BFS = graph500.Statistics([]float64{0.001, 0.002, 0.003}, []int64{1048079, 1048079, 1048079}, []float64{1, 2, 3}, true)
	both.SSSP, both.SSSPValidation = both.BFS, &record.Validation{Passed: 3}
	table, err := os.ReadFile("../docs/benchmarks.md")
	if err != nil {
		t.Fatal(err)
	}
	for parser, patterns := range map[string][]string{
		"XDMoD `akrr`":            {`(?m)^SCALE:\s+\d`, `(?m)^median_TEPS:\s+\d[0-9.e+]+`, `(?m)^harmonic_mean_TEPS:\s+\d[0-9.e+]+`, `(?m)^harmonic_stddev_TEPS:\s+\d`},
		"DCPerf `benchpress`":     {`harmonic_mean_TEPS:\s+[\d.]+e?[+-]\d`, `median_TEPS:\s+[\d.]+e?[+-]\d`},
		"Microsoft VirtualClient": {`(?m)^bfs  harmonic_mean_TEPS:`, `(?m)^sssp stddev_validate:`, `(?m)^num_mpi_processes:`, `(?m)^stddev_nedge:`},
		"JUBE `jubench-graph500`": {`bfs  harmonic_mean_TEPS:     !  [\d.]`, `sssp harmonic_mean_TEPS:     !  [\d.]`},
		"Ramble `graph500`":       {`bfs\s+median_TEPS:\s+\d`, `bfs\s+mean_validate:\s+\d`, `num_mpi_processes:\s+\d`, `graph_generation:\s+\d`},
	} {
		row := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(parser) + ` \|.*$`).FindString(string(table))
		for _, style := range []graph500.Style{graph500.StyleSpec, graph500.Style30, graph500.Style214} {
			var text strings.Builder
			if err := graph500.WriteOfficial(&text, style, both); err != nil {
				t.Fatal(err)
			}
			matched := !slices.ContainsFunc(patterns, func(p string) bool { return !regexp.MustCompile(p).MatchString(text.String()) })
			if said := strings.Contains(row, "`--style "+string(style)); said != matched {
				t.Errorf("%s, style %s: matches %v, the table says %q", parser, style, matched, row)
			}
		}
	}
}
