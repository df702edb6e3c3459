package cli

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/totemgo/totemgo/graph500"
	"github.com/totemgo/totemgo/internal/needs"
	"github.com/totemgo/totemgo/record"
)

// failureCase is expected.json of one case of the collection that TOTEMGO_CASES names.
type failureCase struct {
	dir   string
	ID    string
	Kind  string
	Input struct {
		File     string
		Directed *bool
		Recipe   string
	}
	Vertices    *int64
	Compacted   *int64          `json:"vertices_if_compacted"`
	Error       json.RawMessage // text, or an object with must_mention
	MustMention []string        `json:"must_mention"`
	Counts      *struct {
		Records   int64
		SelfLoops int64 `json:"self_loops"`
	}
	Results map[string]json.RawMessage
	Bounds  []struct {
		Eps   float64
		MaxL1 float64 `json:"max_L1_error"`
	}
	Runs []struct {
		Algo   string
		Source json.Number
		Error  string
	}
	Limits struct {
		Seconds float64 `json:"seconds_below"`
		RSS     int64   `json:"peak_rss_bytes_below"`
	}
}

// search is what a case says of one search.
type search struct {
	Source  json.Number
	Depth   map[string]*int64
	Error   string
	Parents map[string][]uint64 `json:"allowed_parents"`
}

// casesOf reads the cases of some kinds; without the collection the test ends.
func casesOf(t *testing.T, kinds ...string) []failureCase {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(needs.Cases(t, "."), "*", "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var out []failureCase
	for _, path := range files {
		c := failureCase{dir: filepath.Dir(path)}
		if err := json.Unmarshal([]byte(content(t, path)), &c); err != nil {
			// Not every kind has the shape of these.
			continue
		}
		if slices.Contains(kinds, c.Kind) {
			out = append(out, c)
		}
	}
	for _, k := range kinds {
		if !slices.ContainsFunc(out, func(c failureCase) bool { return c.Kind == k }) {
			t.Errorf("no case of kind %s", k)
		}
	}
	return out
}

// file is the path of the case's graph.
func (c *failureCase) file() string { return filepath.Join(c.dir, c.Input.File) }

// direction is the flag that reads the file as the case wants it.
func (c *failureCase) direction() []string {
	switch {
	case c.Input.Directed == nil:
		return nil
	case *c.Input.Directed:
		return []string{"--directed"}
	}
	return []string{"--undirected"}
}

// mentions tells whether a message has a string, numbers as whole words, any case,
// the file's path taken out.
func (c *failureCase) mentions(message, s string) bool {
	if c.Input.File != "" {
		message = strings.ReplaceAll(message, c.file(), "")
	}
	word := regexp.QuoteMeta(s)
	if regexp.MustCompile(`^\d`).MatchString(s) {
		word = `(^|[^\d.])` + word
	}
	if regexp.MustCompile(`\d$`).MatchString(s) {
		word += `([^\d]|$)`
	}
	return regexp.MustCompile(`(?i)` + word).MatchString(message)
}

// tree reads what bfs -o writes: parents and levels by vertex.
func tree(t *testing.T, text string) (parents map[string]uint64, levels map[string]int64) {
	t.Helper()
	parents, levels = map[string]uint64{}, map[string]int64{}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if f[0] == "#" {
			continue
		}
		p, err1 := strconv.ParseUint(f[1], 10, 64)
		l, err2 := strconv.ParseInt(f[2], 10, 64)
		if err1 != nil || err2 != nil {
			t.Fatalf("%q", line)
		}
		parents[f[0]], levels[f[0]] = p, l
	}
	return parents, levels
}

// check runs one search of a case and compares.
func (c *failureCase) check(t *testing.T, s search, args ...string) {
	t.Helper()
	args = slices.Concat([]string{"bfs", c.file(), "--root=" + s.Source.String()}, c.direction(), args)
	r := command(t, append(args, "-o", "-")...)
	if s.Error != "" {
		c.refusedRun(t, r, s.Error)
		return
	}
	parents, levels := tree(t, r.must(t).stdout)
	for v, want := range s.Depth {
		got, reached := levels[v]
		if reached != (want != nil) || reached && got != *want {
			t.Errorf("%s: %q: depth of %s: %d, %v", c.ID, args, v, got, reached)
		}
	}
	if len(s.Depth) > 0 && len(levels) > len(s.Depth) {
		t.Errorf("%s: %q: %d vertices reached", c.ID, args, len(levels))
	}
	for v, allowed := range s.Parents {
		if !slices.Contains(allowed, parents[v]) {
			t.Errorf("%s: %q: parent of %s: %d, allowed %v", c.ID, args, v, parents[v], allowed)
		}
	}
}

// refusedRun demands that a run fails and says each number of the reference wording: the source and
// what there is.
func (c *failureCase) refusedRun(t *testing.T, r ran, reference string) {
	t.Helper()
	if r.status != 1 {
		t.Errorf("%s: %q: status %d: %s", c.ID, r.args, r.status, r.stderr)
	}
	for _, n := range regexp.MustCompile(`-?\d+(\.\.\d+)?`).FindAllString(reference, -1) {
		if !c.mentions(r.stderr, n) {
			t.Errorf("%s: %q: %q is not said: %s", c.ID, r.args, n, r.stderr)
		}
	}
}

// searches are the searches of a case: the results whose names begin with bfs, and
// the runs.
func (c *failureCase) searches(t *testing.T) []search {
	t.Helper()
	var out []search
	for name, raw := range c.Results {
		if !strings.HasPrefix(name, "bfs") {
			continue
		}
		var s search
		if err := json.Unmarshal(raw, &s); err != nil {
			t.Fatalf("%s: %s: %v", c.ID, name, err)
		}
		out = append(out, s)
	}
	for _, r := range c.Runs {
		if r.Algo == "bfs" {
			out = append(out, search{Source: r.Source, Error: r.Error})
		}
	}
	if len(out) == 0 {
		t.Errorf("%s: no search", c.ID)
	}
	return out
}

// TestCasesOfSearches holds the cases of empty graphs, sources, partitions and repeats.
func TestCasesOfSearches(t *testing.T) {
	for _, c := range casesOf(t, "K07", "K08", "K37", "K38") {
		t.Run(c.ID, func(t *testing.T) {
			if c.Vertices != nil {
				d := document[record.Info](t, command(t, append([]string{"info", c.file(), "--json"}, c.direction()...)...))
				if d.Vertices != *c.Vertices && (c.Compacted == nil || d.Vertices != *c.Compacted) {
					t.Errorf("%d vertices, want %d", d.Vertices, *c.Vertices)
				}
				if c.Counts != nil && (d.Edges != c.Counts.Records || d.SelfLoops != c.Counts.SelfLoops) {
					t.Errorf("%d edges, %d self-loops", d.Edges, d.SelfLoops)
				}
				var wcc [][]uint64
				if raw := c.Results["wcc"]; raw != nil {
					if err := json.Unmarshal(raw, &wcc); err != nil {
						t.Fatal(err)
					}
					if d.Components != int64(len(wcc)) {
						t.Errorf("%d components, want %d", d.Components, len(wcc))
					}
				}
			}
			start := time.Now()
			for _, s := range c.searches(t) {
				c.check(t, s)
				switch c.Kind {
				case "K37":
					for _, placement := range placements() {
						for _, list := range []string{"cpu:1", "cpu:1,cpu:1", "cpu:1,cpu:1,cpu:1", "cpu:1,cpu:1,cpu:1,cpu:1", "cpu:1,cpu:1,cpu:1,cpu:1,cpu:1,cpu:1"} {
							c.check(t, s, "--placement", placement, "--processors", list)
						}
					}
				case "K38":
					for _, threads := range []string{"1", "2", "8"} {
						for range 20 {
							c.check(t, s, "--threads", threads)
						}
						c.check(t, s, "--processors", "cpu:1,cpu:"+threads)
					}
				}
			}
			if limit := c.Limits.Seconds; limit > 0 && time.Since(start).Seconds() > limit {
				t.Errorf("took %v, limit %v s", time.Since(start), limit)
			}
		})
	}
}

// TestCaseDeep searches a path of a million vertices in a process of its own.
func TestCaseDeep(t *testing.T) {
	if raceEnabled {
		t.Skip("the limits are for the command without the race detector")
	}
	for _, c := range casesOf(t, "K33") {
		if *c.Vertices != 1000000 || !strings.HasPrefix(c.Input.Recipe, "lines 'i i+1' for i in 0..999998") {
			t.Fatalf("%s: not the recipe that this test knows: %q", c.ID, c.Input.Recipe)
		}
		var b strings.Builder
		for i := range 999999 {
			fmt.Fprintf(&b, "%d %d\n", i, i+1)
		}
		path := file(t, "path.el", b.String())
		for want, args := range map[string][]string{
			"reached 1000000 of 1000000 vertices\ndepth 999999": {"bfs", path, "--root", "0"},
			"components 1\nlargest 1000000 ":                    {"cc", path},
			"components 1000000\nlargest 1 of 1000000 vertices": {"cc", path, "--strong"},
		} {
			start := time.Now()
			r := commandProcess(t, append(args, "--json")...).must(t)
			took := time.Since(start)
			var d record.Head
			if err := json.Unmarshal([]byte(r.stdout), &d); err != nil {
				t.Fatal(err)
			}
			if took.Seconds() > c.Limits.Seconds || d.PeakRSSBytes >= c.Limits.RSS {
				t.Errorf("%q: %v and %d bytes; limits %v s and %d", args, took, d.PeakRSSBytes, c.Limits.Seconds, c.Limits.RSS)
			}
			t.Logf("%s: %v, %d MB", args[0], took, d.PeakRSSBytes/1e6)
			if r := command(t, args...).must(t); !strings.Contains(r.stdout, want) {
				t.Errorf("%q: %q", args, r.stdout)
			}
		}
	}
}

// paths compares distances. Negative weights are refused unless asked for.
func (c *failureCase) paths(t *testing.T, raw json.RawMessage, flags []string) {
	t.Helper()
	var want struct {
		Source json.Number
		Dist   map[string]*float64
		Error  string
	}
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"sssp", c.file(), "--root", want.Source.String()}, flags...)
	if c.Kind == "K10" {
		r := command(t, args...)
		if !c.mentions(r.stderr, "negative") || !c.mentions(r.stderr, "arc from 1 to 2") {
			t.Errorf("%s: %s", c.ID, r.stderr)
		}
		c.refusedRun(t, r, "1 2")
		args = append(args, "--bellman-ford")
	}
	if want.Error != "" {
		r := command(t, args...)
		c.refusedRun(t, r, "1 2")
		if !c.mentions(r.stderr, "cycle") {
			t.Errorf("%s: %s", c.ID, r.stderr)
		}
		return
	}
	got := rowsOf(t, args...)
	for v, d := range want.Dist {
		if row := got[v]; (row != nil) != (d != nil) || d != nil && number(t, row[0]) != *d {
			t.Errorf("%s: %q: distance of %s: %q", c.ID, args, v, row)
		}
	}
}

// TestCasesOfAllPairs: negative arcs give exact distances by each method, and a negative cycle is refused with its vertices.
func TestCasesOfAllPairs(t *testing.T) {
	for _, c := range casesOf(t, "K10") {
		for _, method := range []string{"auto", "blocked", "naive", "squaring", "searches"} {
			var want struct {
				Source json.Number
				Dist   map[string]*float64
				Error  string
			}
			if err := json.Unmarshal(c.Results["sssp"], &want); err != nil {
				t.Fatal(err)
			}
			r := command(t, append([]string{"apsp", c.file(), "--method", method, "-o", "-"}, c.direction()...)...)
			if want.Error != "" {
				c.refusedRun(t, r, "1 → 2 → 1")
				continue
			}
			got := map[string]string{want.Source.String(): "0"}
			for line := range strings.Lines(r.must(t).stdout) {
				if f := strings.Fields(line); f[0] == want.Source.String() {
					got[f[1]] = f[2]
				}
			}
			for v, d := range want.Dist {
				if x, reached := got[v]; reached != (d != nil) || reached && number(t, x) != *d {
					t.Errorf("%s, %s: distance of %s is %q, want %v", c.ID, method, v, x, d)
				}
			}
		}
	}
}

// components compares components, whose names are their smallest vertices.
func (c *failureCase) components(t *testing.T, raw json.RawMessage, flags []string) {
	t.Helper()
	var want [][]uint64
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	got, n := rowsOf(t, append([]string{"cc", c.file()}, flags...)...), 0
	for _, vertices := range want {
		for _, v := range vertices {
			if row := got[fmt.Sprint(v)]; len(row) != 1 || row[0] != fmt.Sprint(slices.Min(vertices)) {
				t.Errorf("%s: %q: component of %d: %q", c.ID, flags, v, row)
			}
			n++
		}
	}
	if len(got) != n {
		t.Errorf("%s: %q: %d rows", c.ID, flags, len(got))
	}
}

// scores compares PageRank; all differences together are at most as large as most.
func (c *failureCase) scores(t *testing.T, raw json.RawMessage, most float64, flags []string) {
	t.Helper()
	var want map[string]float64
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"pagerank", c.file()}, flags...)
	got, sum := rowsOf(t, args...), 0.0
	for v, row := range got {
		sum += math.Abs(number(t, row[0]) - want[v])
	}
	if len(got) != len(want) || !(sum <= most) {
		t.Errorf("%s: %q: %v from %v, want %v", c.ID, args, sum, got, want)
	}
}

// TestCaseEdgeCount searches the case's tuples as a Graph500 run does: by the command's
// own count of edges.
func TestCaseEdgeCount(t *testing.T) {
	for _, c := range casesOf(t, "K22") {
		d := document[record.Info](t, command(t, "info", c.file(), "--undirected", "--json"))
		if d.Edges != c.Counts.Records || d.SelfLoops != c.Counts.SelfLoops || d.Vertices != *c.Vertices {
			t.Errorf("%s: %+v", c.ID, d)
		}
		var roots []uint64
		if err := json.Unmarshal(c.Results["eligible_roots"], &roots); err != nil {
			t.Fatal(err)
		}
		if d.Vertices-d.Isolated != int64(len(roots)) {
			t.Errorf("%s: %d vertices with edges, want %d", c.ID, d.Vertices-d.Isolated, len(roots))
		}
	}
}

// TestCaseStatistics checks the figures of a run with the statistics that the command
// prints.
func TestCaseStatistics(t *testing.T) {
	for _, c := range casesOf(t, "K23") {
		f, err := os.Open(c.file())
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		rows, err := csv.NewReader(f).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		var times, validate []float64
		var edges []int64
		for _, row := range rows {
			m, err1 := strconv.ParseInt(row[1], 10, 64)
			s, err2 := strconv.ParseFloat(row[2], 64)
			if err1 == nil && err2 == nil {
				times, edges, validate = append(times, s), append(edges, m), append(validate, 0)
			}
		}
		var text strings.Builder
		run := &record.Graph500{Scale: 1, NBFS: len(times), BFS: graph500.Statistics(times, edges, validate, true), Validation: record.Validation{Passed: len(times)}}
		if err := graph500.WriteOfficial(&text, graph500.StyleSpec, run); err != nil {
			t.Fatal(err)
		}
		var want map[string]float64
		if err := json.Unmarshal(c.Results["teps"], &want); err != nil {
			t.Fatal(err)
		}
		for field, name := range map[string]string{
			"bfs_min_TEPS": "min", "bfs_max_TEPS": "max", "bfs_median_TEPS": "median_reference_formula",
			"bfs_harmonic_mean_TEPS": "harmonic_mean", "bfs_harmonic_stddev_TEPS": "harmonic_stddev",
		} {
			m := regexp.MustCompile(`(?m)^` + field + `: *(\S+)$`).FindStringSubmatch(text.String())
			if m == nil {
				t.Errorf("no %s in\n%s", field, text.String())
				continue
			}
			got, err := strconv.ParseFloat(m[1], 64)
			if err != nil || math.Abs(got-want[name]) > 1e-5*want[name] { // six digits are printed
				t.Errorf("%s: %v, want %v", field, got, want[name])
			}
		}
	}
}

// TestCaseTrees has the command judge the case's trees.
func TestCaseTrees(t *testing.T) {
	for _, c := range casesOf(t, "K24") {
		var trees map[string]map[string]int64
		if err := json.Unmarshal([]byte(content(t, filepath.Join(c.dir, "parents.json"))), &trees); err != nil {
			t.Fatal(err)
		}
		if len(trees) != len(c.Results) {
			t.Errorf("%d trees, %d results", len(trees), len(c.Results))
		}
		for name, parents := range trees {
			text := "# root 0\n"
			for v, p := range parents {
				text += fmt.Sprintf("%s\t%d\n", v, p)
			}
			var want struct {
				Valid  bool
				Reason string
			}
			if err := json.Unmarshal(c.Results[name], &want); err != nil {
				t.Fatal(err)
			}
			path := file(t, name+".tsv", text)
			r := command(t, append([]string{"validate", c.file(), path}, c.direction()...)...)
			if (r.status == 0) != want.Valid || !want.Valid && (r.status != 1 || !strings.Contains(r.stderr, want.Reason) || !strings.Contains(r.stderr, "rule ")) {
				t.Errorf("%s: status %d, %q, want %q", name, r.status, r.stderr, want.Reason)
			}
		}
	}
}

// TestCaseSizes announces a graph of three thousand million edges, or refuses it.
func TestCaseSizes(t *testing.T) {
	for _, c := range casesOf(t, "K36") {
		var want struct {
			Vertices, Edges int64
			Pairs           int64 `json:"bytes_as_int64_pairs"`
		}
		if err := json.Unmarshal([]byte(content(t, filepath.Join(c.dir, "expected.json"))), &struct{ Results any }{&want}); err != nil {
			t.Fatal(err)
		}
		m := regexp.MustCompile(`^generate rmat scale=(\d+) edgefactor=(\d+)`).FindStringSubmatch(c.Input.Recipe)
		if m == nil {
			t.Fatalf("%s: not a recipe that this test knows: %q", c.ID, c.Input.Recipe)
		}
		args := []string{"generate", "rmat", "--scale", m[1], "--edgefactor", m[2]}
		d := document[record.Generate](t, command(t, append(args, "--dry-run", "--json")...))
		if d.Vertices != want.Vertices || d.Edges != want.Edges {
			t.Errorf("%d vertices, %d edges", d.Vertices, d.Edges)
		}
		r := command(t, append(args, "--dry-run")...).must(t)
		for _, n := range []int64{want.Vertices, want.Edges, want.Pairs} {
			if !c.mentions(r.stdout, fmt.Sprint(n)) {
				t.Errorf("%d is not said: %s", n, r.stdout)
			}
		}
		out := filepath.Join(t.TempDir(), "x.edges")
		r = command(t, append(args, "-o", out, "--memory-limit", "1GiB")...)
		for _, n := range []int64{want.Vertices, want.Edges} {
			if r.status != 1 || !c.mentions(r.stderr, fmt.Sprint(n)) {
				t.Errorf("status %d, %d is not said: %s", r.status, n, r.stderr)
			}
		}
		onlyFiles(t, filepath.Dir(out))
	}
}

// star writes a METIS star whose hub's line is longer than any reader's buffer.
func (c *failureCase) star(t *testing.T) {
	t.Helper()
	if *c.Vertices != 30001 {
		t.Fatalf("not a recipe that this test knows: %q", c.Input.Recipe)
	}
	var b strings.Builder
	b.WriteString("30001 30000\n")
	for v := 2; v <= 30001; v++ {
		fmt.Fprintf(&b, "%d ", v)
	}
	b.WriteString("\n" + strings.Repeat("1\n", 30000))
	c.dir, c.Input.File = t.TempDir(), "star.graph"
	if err := os.WriteFile(c.file(), []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	d := document[record.BFS](t, command(t, "bfs", c.file(), "--root", "1", "--json"))
	if d.Reached != 30001 || d.Depth != 1 {
		t.Errorf("reached %d, depth %d", d.Reached, d.Depth)
	}
}

// refused demands that the file is refused: status 1, nothing on standard output,
// within the limit of time, and a message with what has to be in it.
func (c *failureCase) refused(t *testing.T, args ...string) {
	t.Helper()
	if c.Input.File == "" {
		entries, err := os.ReadDir(c.dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Name() != "expected.json" {
				c.Input.File = e.Name()
			}
		}
	}
	start := time.Now()
	r := command(t, slices.Concat(args, []string{c.file()}, c.direction())...)
	if r.status != 1 || r.stdout != "" {
		t.Errorf("status %d, standard output %q", r.status, r.stdout)
	}
	for _, s := range c.MustMention {
		if !c.mentions(r.stderr, s) {
			t.Errorf("%q is not said: %s", s, r.stderr)
		}
	}
	if !strings.Contains(r.stderr, c.file()) {
		t.Errorf("the file is not named: %s", r.stderr)
	}
	if limit := c.Limits.Seconds; limit > 0 && time.Since(start).Seconds() > limit {
		t.Errorf("took %v, limit %v s", time.Since(start), limit)
	}
}
