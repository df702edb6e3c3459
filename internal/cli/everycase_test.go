package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/internal/needs"
	"github.com/totemgo/totemgo/record"
)

// lacking are the results of cases whose algorithms there are not.
var lacking = []string{
	"K30 mst", "K07 mst", "K31 colouring", "K33 dfs", "K34 modularity", "K35 earliest_arrival_nonstrict", "K35 earliest_arrival_strict",
}

// otherTests name the tests of cases whose results are no output of one command over one file.
var otherTests = map[string]string{
	"c22g": "cases_test.go TestCaseEdgeCount", "c23g": "cases_test.go TestCaseStatistics", "c24g": "cases_test.go TestCaseTrees",
	"c33g": "cases_test.go TestCaseDeep", "c36g": "cases_test.go TestCaseSizes",
	"c39g": "../../power/cases_test.go c39g", "c39g2": "../../power/cases_test.go c39g2", "c40g": "../../power/cases_test.go c40g",
	"c41g": "../../power/cases_test.go c41g", "c42g": "../../power/cases_test.go c42g", "c43g": "../../power/cases_test.go c43g",
}

// resultChecks compare a result of a case, by its name in expected.json, with what the command prints.
var resultChecks = map[string]func(t *testing.T, c *failureCase, raw json.RawMessage, flags []string){
	"sssp": func(t *testing.T, c *failureCase, raw json.RawMessage, flags []string) { c.paths(t, raw, flags) },
	"wcc": func(t *testing.T, c *failureCase, raw json.RawMessage, flags []string) {
		if c.Compacted != nil { // vertices are 0 to the largest id
			flags = append(flags, "--keep-ids")
		}
		c.components(t, raw, flags)
	},
	"wcc_if_compacted": func(t *testing.T, c *failureCase, raw json.RawMessage, flags []string) { c.components(t, raw, flags) },
	"scc": func(t *testing.T, c *failureCase, raw json.RawMessage, flags []string) {
		if c.Compacted != nil {
			flags = append(flags, "--keep-ids")
		}
		c.components(t, raw, append(flags, "--strong"))
	},
	"pagerank": func(t *testing.T, c *failureCase, raw json.RawMessage, flags []string) {
		c.scores(t, raw, 1e-9, append(flags, "--tolerance", "1e-13", "--iterations", "1000"))
		for _, b := range c.Bounds {
			c.scores(t, raw, b.MaxL1, append(flags, "--tolerance", fmt.Sprint(b.Eps), "--iterations", "1000"))
		}
	},
	"sum": func(t *testing.T, c *failureCase, raw json.RawMessage, flags []string) {
		c.sum(t, raw, append([]string{"pagerank", c.file(), "--tolerance", "1e-13", "--iterations", "1000"}, flags...))
	},
	"gap_style": func(t *testing.T, c *failureCase, raw json.RawMessage, flags []string) {
		c.scores(t, raw, 1e-9, append(flags, "--tolerance", "1e-13", "--iterations", "1000", "--dangling", "drop"))
	},
	"gap_style_sum": func(t *testing.T, c *failureCase, raw json.RawMessage, flags []string) {
		c.sum(t, raw, append([]string{"pagerank", c.file(), "--tolerance", "1e-13", "--iterations", "1000", "--dangling", "drop"}, flags...))
	},
	"bc_unordered": func(t *testing.T, c *failureCase, raw json.RawMessage, flags []string) { c.betweenness(t, raw, flags) },
	"bc_ordered": func(t *testing.T, c *failureCase, raw json.RawMessage, flags []string) {
		c.betweenness(t, raw, append(flags, "--ordered"))
	},
	"bc_normalised": func(t *testing.T, c *failureCase, raw json.RawMessage, flags []string) {
		c.betweenness(t, raw, append(flags, "--normalized"))
	},
	"sum_bc_unordered": func(t *testing.T, c *failureCase, raw json.RawMessage, flags []string) {
		c.sum(t, raw, append([]string{"bc", c.file()}, flags...))
	},
	"triangles": func(t *testing.T, c *failureCase, raw json.RawMessage, flags []string) {
		d := document[record.Triangles](t, command(t, append([]string{"triangles", c.file(), "--json"}, flags...)...))
		if fmt.Sprint(d.Triangles) != string(raw) {
			t.Errorf("%d triangles, want %s", d.Triangles, raw)
		}
	},
	"per_vertex": func(t *testing.T, c *failureCase, raw json.RawMessage, flags []string) {
		want, rows := values(t, raw), rowsOf(t, append([]string{"triangles", c.file()}, flags...)...)
		for v, x := range want {
			if number(t, rows[v][0]) != x {
				t.Errorf("%q triangles at %s, want %v", rows[v], v, x)
			}
		}
	},
	"wcc_count": func(t *testing.T, c *failureCase, raw json.RawMessage, flags []string) {
		d := document[record.Components](t, command(t, append([]string{"cc", c.file(), "--json"}, flags...)...))
		if fmt.Sprint(d.Components) != string(raw) {
			t.Errorf("%d components, want %s", d.Components, raw)
		}
	},
	"communities": func(t *testing.T, c *failureCase, raw json.RawMessage, flags []string) {
		var want [][]uint64
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatal(err)
		}
		labels := map[string]int{}
		for _, row := range rowsOf(t, append([]string{"cdlp", c.file()}, flags...)...) {
			labels[row[0]]++
		}
		if len(labels) != len(want) {
			t.Errorf("%d communities, want %d", len(labels), len(want))
		}
	},
	"in_degree": func(t *testing.T, c *failureCase, raw json.RawMessage, flags []string) {
		got := map[string]float64{}
		for line := range strings.Lines(command(t, append([]string{"convert", c.file(), "-", "--format", "edgelist"}, c.direction()...)...).must(t).stdout) {
			if f := strings.Fields(line); f[0] != "#" {
				got[f[1]]++
			}
		}
		for v, x := range values(t, raw) {
			if got[v] != x {
				t.Errorf("in-degree of %s: %v, want %v", v, got[v], x)
			}
		}
	},
	"astar": func(t *testing.T, c *failureCase, raw json.RawMessage, flags []string) {
		var want struct {
			Cost float64
			Path []uint64
		}
		var input struct {
			Heuristic      string
			Source, Target json.Number
		}
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(content(t, filepath.Join(c.dir, "expected.json"))), &struct{ Input any }{&input}); err != nil {
			t.Fatal(err)
		}
		r := command(t, append([]string{"path", c.file(), input.Source.String(), input.Target.String(), "--weighted", "--heuristic", filepath.Join(c.dir, input.Heuristic)}, flags...)...).must(t)
		if path := strings.Trim(fmt.Sprint(want.Path), "[]"); !strings.Contains(r.stdout, fmt.Sprintf("length %v\npath %s\n", want.Cost, path)) {
			t.Errorf("%q, want length %v, path %s", r.stdout, want.Cost, path)
		}
	},
}

// figuresOnly are names of results that describe others: the way to a wrong answer, or a figure that no command prints.
var figuresOnly = []string{"wrong_cost_without_reopening", "max_paths_text", "min", "max"}

// values reads numbers by vertex.
func values(t *testing.T, raw json.RawMessage) map[string]float64 {
	t.Helper()
	var m map[string]float64
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// sum adds up the scores of a command's rows.
func (c *failureCase) sum(t *testing.T, raw json.RawMessage, args []string) {
	t.Helper()
	sum := 0.0
	for _, row := range rowsOf(t, args...) {
		sum += number(t, row[0])
	}
	if want := number(t, string(raw)); math.Abs(sum-want) > 1e-9*max(1, want) {
		t.Errorf("%q: the scores add up to %v, want %v", args, sum, want)
	}
}

// betweenness compares scores, relative to their size. A number alone is that of the first vertex.
func (c *failureCase) betweenness(t *testing.T, raw json.RawMessage, flags []string) {
	t.Helper()
	got := rowsOf(t, append([]string{"bc", c.file()}, flags...)...)
	want := values(t, raw)
	for v, x := range want {
		if row := got[v]; len(row) != 1 || math.Abs(number(t, row[0])-x) > 1e-9*max(1, x) {
			t.Errorf("%q: score of %s: %q, want %v", flags, v, row, x)
		}
	}
}

// TestEveryCase runs the script of each case, or compares each of its results. What is left to another test, or lacks an
// algorithm, is named in the tables above.
func TestEveryCase(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join(needs.Cases(t, "."), "*", "expected.json"))
	if err != nil || len(dirs) < 80 {
		t.Fatal(len(dirs), err)
	}
	for _, path := range dirs {
		dir := filepath.Dir(path)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			if _, err := os.Stat(filepath.Join(dir, "run.sh")); err == nil {
				runScript(t, dir)
				return
			}
			if other := otherTests[filepath.Base(dir)]; other != "" {
				test, name, _ := strings.Cut(other, " ")
				if !strings.Contains(content(t, test), name) {
					t.Errorf("%s does not name %s", test, name)
				}
				return
			}
			c := failureCase{dir: dir}
			if err := json.Unmarshal([]byte(content(t, path)), &c); err != nil {
				t.Fatal(err)
			}
			c.everything(t)
		})
	}
}

// runScript runs the script of a case, with the test's own binary as the command.
func runScript(t *testing.T, dir string) {
	t.Helper()
	if raceEnabled || testing.Short() {
		t.Skip("left to a run without -short and without the race detector")
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := func() (*exec.Cmd, []byte, error) {
		script := exec.Command(bash, filepath.Join(dir, "run.sh"))
		script.Env = append(os.Environ(), asCommand+"=1", "TOTEMGO="+self, "SKIP=77")
		out, err := script.CombinedOutput()
		return script, out, err
	}
	script, out, err := run()
	again := func() bool {
		switch filepath.Base(dir) {
		case "b18": // compares times: other packages' tests run beside it
			return true
		case "b03": // a heap's place is random: one in 500 cannot grow under ulimit -v, before any package is initialized
			return bytes.Contains(out, []byte("runtime: out of memory: cannot allocate 4194304-byte block"))
		}
		return false
	}
	for try := 1; err != nil && try < 4 && again(); try++ {
		script, out, err = run()
	}
	switch {
	case script.ProcessState != nil && script.ProcessState.ExitCode() == 77:
		t.Skipf("%s", out)
	case err != nil:
		t.Errorf("%v: %s", err, out)
	}
}

// everything demands the counts and each result of a case, on one processor and on two.
func (c *failureCase) everything(t *testing.T) {
	t.Helper()
	switch {
	case c.Kind == "K44":
		c.star(t)
	case c.Error != nil && c.Kind == "K12":
		c.refused(t, "sssp", "--root", "0")
		return
	case c.Error != nil:
		c.refused(t, "info")
		return
	}
	if c.Vertices != nil && c.Kind != "K35" { // contacts are records with two weights, of another model
		args := append([]string{"info", c.file(), "--json"}, c.direction()...)
		if c.Kind == "K30" { // vertex 5 occurs in no edge
			args = append(args, "--keep-ids")
		}
		d := document[record.Info](t, command(t, args...))
		if d.Vertices != *c.Vertices && (c.Compacted == nil || d.Vertices != *c.Compacted) {
			t.Errorf("%d vertices, want %d", d.Vertices, *c.Vertices)
		}
		if c.Counts != nil && (d.Edges != c.Counts.Records || d.SelfLoops != c.Counts.SelfLoops) {
			t.Errorf("%d edges, %d self-loops, want %d, %d", d.Edges, d.SelfLoops, c.Counts.Records, c.Counts.SelfLoops)
		}
	}
	for _, procs := range sameAnswer {
		flags := slices.Concat(c.direction(), procs)
		for _, r := range c.Runs {
			switch r.Algo {
			case "bfs":
				c.refusedRun(t, command(t, append([]string{"bfs", c.file(), "--root=" + r.Source.String()}, flags...)...), r.Error)
			case "sssp":
				c.refusedRun(t, command(t, append([]string{"sssp", c.file(), "--root=" + r.Source.String(), "--unit-weights"}, flags...)...), r.Error)
			}
		}
		for name, raw := range c.Results {
			check := resultChecks[name]
			switch {
			case strings.HasPrefix(name, "bfs"):
				var s search
				if err := json.Unmarshal(raw, &s); err != nil {
					t.Fatal(err)
				}
				c.check(t, s, procs...)
			case check != nil:
				check(t, c, raw, flags)
			case !slices.Contains(lacking, c.Kind+" "+name) && !slices.Contains(figuresOnly, name):
				t.Errorf("no check of result %s", name)
			}
		}
	}
}
