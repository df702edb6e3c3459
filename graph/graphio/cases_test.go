package graphio_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/graphio"
)

// required tells whether TOTEMGO_REQUIRE demands what a test would skip for.
func required(what string) bool {
	for _, w := range strings.Split(os.Getenv("TOTEMGO_REQUIRE"), ",") {
		if strings.TrimSpace(w) == what {
			return true
		}
	}
	return false
}

// folder returns the folder that the environment variable names, or skips.
func folder(t testing.TB, variable, what string) string {
	dir := os.Getenv(variable)
	if dir == "" {
		if required(what) {
			t.Fatalf("%s is not set, and TOTEMGO_REQUIRE demands %s", variable, what)
		}
		t.Skipf("%s is not set", variable)
	}
	return dir
}

// depths is a breadth-first search over a source, by labels; unreached vertices are
// left out.
func depths(src graph.Source, root uint64) (map[uint64]int, error) {
	labels := src.VertexLabels()
	r, err := labels.ID(root)
	if err != nil {
		return nil, err
	}
	out := make([][]uint32, src.NumVertices())
	for i := range src.Blocks(3) {
		for _, e := range src.Block(3, i, nil) {
			out[e.U] = append(out[e.U], e.V)
			if !src.IsDirected() {
				out[e.V] = append(out[e.V], e.U)
			}
		}
	}
	depth := map[uint64]int{root: 0}
	queue := []uint32{r}
	for len(queue) > 0 {
		u := queue[0]
		queue = queue[1:]
		d := depth[labels.Label(u)]
		for _, v := range out[u] {
			l := labels.Label(v)
			if _, ok := depth[l]; !ok {
				depth[l] = d + 1
				queue = append(queue, v)
			}
		}
	}
	return depth, nil
}

// records lists the records of a source as text, sorted, by label; an undirected edge
// stands with its smaller end first.
func records(src graph.Source) []string {
	var out []string
	labels := src.VertexLabels()
	for i := range src.Blocks(2) {
		w := src.BlockWeights(2, i)
		for k, e := range src.Block(2, i, nil) {
			u, v := labels.Label(e.U), labels.Label(e.V)
			if !src.IsDirected() && u > v {
				u, v = v, u
			}
			b := strconv.AppendUint(append(strconv.AppendUint(nil, u, 10), ' '), v, 10)
			if w.Kind() != graph.Unweighted {
				b = strconv.AppendFloat(append(b, ' '), w.Float64(k), 'g', -1, 64)
			}
			out = append(out, string(b))
		}
	}
	sort.Strings(out)
	return out
}

type caseFile struct {
	ID    string
	Kind  string
	Input struct {
		File     string
		Directed bool
		Weighted bool
		Recipe   string
	}
	Vertices            int
	VerticesIfCompacted *int `json:"vertices_if_compacted"`
	Edges               json.RawMessage
	Counts              struct{ Records int64 }
	Error               string
	MustMention         []string         `json:"must_mention"`
	VertexWeights       map[string]int64 `json:"vertex_weights"`
	Results             map[string]json.RawMessage
}

// mentions tells whether message holds want: a number as a whole word, other text in
// any case.
func mentions(message, want string) bool {
	pattern := "(?i)" + regexp.QuoteMeta(want)
	if _, err := strconv.ParseFloat(want, 64); err == nil {
		pattern = `(^|[^0-9.])` + regexp.QuoteMeta(want) + `($|[^0-9.]|\.($|[^0-9]))`
	}
	return regexp.MustCompile(pattern).MatchString(message)
}

// TestCases runs the collected failure cases that concern reading.
func TestCases(t *testing.T) {
	dir := folder(t, "TOTEMGO_CASES", "cases")
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, entry := range entries {
		raw, err := os.ReadFile(filepath.Join(dir, entry.Name(), "expected.json"))
		if err != nil {
			continue
		}
		var c caseFile
		if err := json.Unmarshal(raw, &c); err != nil {
			t.Fatalf("%s: %v", entry.Name(), err)
		}
		kind, _ := strconv.Atoi(strings.TrimPrefix(c.Kind, "K"))
		if kind > 22 && kind != 44 {
			continue
		}
		ran++
		t.Run(c.ID, func(t *testing.T) {
			path := filepath.Join(dir, entry.Name(), c.Input.File)
			if c.Input.Recipe != "" {
				path = starFile(t)
			} else if c.Input.File == "" {
				path = onlyInput(t, filepath.Join(dir, entry.Name()))
			}
			runCase(t, &c, path)
		})
	}
	if ran < 30 {
		t.Errorf("only %d cases found in the folder of TOTEMGO_CASES", ran)
	}
}

// starFile writes the METIS star with the long line.
func starFile(t *testing.T) string {
	var b strings.Builder
	b.WriteString("30001 30000\n")
	for i := 2; i <= 30001; i++ {
		fmt.Fprintf(&b, "%d ", i)
	}
	b.WriteString("\n")
	b.WriteString(strings.Repeat("1\n", 30000))
	path := filepath.Join(t.TempDir(), "star.graph")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func onlyInput(t *testing.T, dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "expected.json" {
			return filepath.Join(dir, e.Name())
		}
	}
	t.Fatal("no input")
	return ""
}

func runCase(t *testing.T, c *caseFile, path string) {
	f, err := graphio.Open(context.Background(), path, graphio.Options{Threads: 2, Direction: caseDirection(c)})
	if c.Error != "" {
		if err == nil {
			t.Fatalf("read without an error, want %s", c.Error)
		}
		var e *graphio.Error
		if !errors.As(err, &e) {
			t.Fatalf("error %v is no *graphio.Error", err)
		}
		message := strings.ReplaceAll(err.Error(), path, "")
		for _, want := range c.MustMention {
			if !mentions(message, want) {
				t.Errorf("message %q does not mention %q", message, want)
			}
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	src := f.Source
	if n := src.NumVertices(); n != c.Vertices && (c.VerticesIfCompacted == nil || n != *c.VerticesIfCompacted) {
		compacted := map[uint64]bool{}
		var edges [][]float64
		if json.Unmarshal(c.Edges, &edges) == nil {
			for _, e := range edges {
				compacted[uint64(e[0])], compacted[uint64(e[1])] = true, true
			}
		}
		if n != len(compacted) {
			t.Errorf("%d vertices, want %d", n, c.Vertices)
		}
	}
	if n := src.NumEdges(); n != c.Counts.Records {
		t.Errorf("%d edges, want %d", n, c.Counts.Records)
	}
	if src.IsDirected() != c.Input.Directed {
		t.Errorf("directed %v, want %v", src.IsDirected(), c.Input.Directed)
	}
	var edges [][]float64
	if json.Unmarshal(c.Edges, &edges) == nil {
		var want []string
		for _, e := range edges {
			if !src.IsDirected() && e[0] > e[1] {
				e[0], e[1] = e[1], e[0]
			}
			s := fmt.Sprintf("%.0f %.0f", e[0], e[1])
			if len(e) > 2 {
				s += " " + strconv.FormatFloat(e[2], 'g', -1, 64)
			}
			want = append(want, s)
		}
		sort.Strings(want)
		if got := records(src); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("records %q, want %q", got, want)
		}
	}
	if len(c.VertexWeights) > 0 {
		if f.Vertex == nil || len(f.Vertex.Weights) != len(c.VertexWeights) {
			t.Fatalf("vertex weights %v, want %v", f.Vertex, c.VertexWeights)
		}
		for label, want := range c.VertexWeights {
			l, _ := strconv.ParseUint(label, 10, 64)
			id, err := src.VertexLabels().ID(l)
			if err != nil || f.Vertex.Weights[id] != want {
				t.Errorf("vertex %s has weight %v, want %d", label, f.Vertex.Weights, want)
			}
		}
	}
	for name, raw := range c.Results {
		if !strings.HasPrefix(name, "bfs") {
			continue
		}
		var want struct {
			Source uint64
			Error  string
			Depth  map[string]*int
		}
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatal(err)
		}
		got, err := depths(src, want.Source)
		if want.Error != "" {
			if err == nil {
				t.Errorf("%s from %d ran, want %s", name, want.Source, want.Error)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for label, depth := range want.Depth {
			l, _ := strconv.ParseUint(label, 10, 64)
			d, ok := got[l]
			if depth == nil && ok || depth != nil && (!ok || d != *depth) {
				t.Errorf("%s: depth of %s is %d (%v), want %v", name, label, d, ok, depth)
			}
		}
	}
}

// caseDirection overrides where the file cannot say what the case loads it as.
func caseDirection(c *caseFile) graphio.Direction {
	if strings.HasSuffix(c.Input.File, ".el") && !c.Input.Directed {
		return graphio.Undirected
	}
	return graphio.AsStated
}
