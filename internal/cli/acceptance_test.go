package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/graphio"
	"github.com/totemgo/totemgo/internal/needs"
	"github.com/totemgo/totemgo/record"
)

// TestRealGraphs searches published graphs, each also after a conversion to the native
// format, and has every tree judged.
func TestRealGraphs(t *testing.T) {
	for _, c := range []struct {
		file           string
		flags          string
		root           uint64
		reached, depth int64
	}{
		{"soc-Epinions1.txt.gz", "", 0, 47676, 9},
		{"soc-Epinions1.txt.gz", "--undirected", 0, 75877, 8},
		{"wiki-Vote.txt", "", 30, 2316, 5},
		{"wiki-Vote.txt", "--undirected", 30, 7066, 5},
		{"facebook_combined.txt", "--undirected", 0, 4039, 6},
		{"astro-ph.graph", "", 1, 14845, 9},
		{"power.graph", "", 1, 4941, 27},
		{"chesapeake.mtx", "", 1, 39, 2},
	} {
		t.Run(strings.TrimSpace(c.file+" "+c.flags), func(t *testing.T) {
			if raceEnabled && c.file != "power.graph" && c.file != "chesapeake.mtx" {
				t.Skip("left to the run without the race detector")
			}
			path := needs.Data(t, c.file)
			flags := strings.Fields(c.flags)
			dir := t.TempDir()
			native, parents := filepath.Join(dir, "x.tgr"), filepath.Join(dir, "parents.tsv")
			command(t, slices.Concat([]string{"convert", path, native}, flags)...).must(t)
			root := strconv.FormatUint(c.root, 10)
			for _, from := range [][]string{append([]string{path}, flags...), {native}} {
				args := slices.Concat([]string{"bfs"}, from, []string{"--root", root, "--json", "-o", parents})
				d := document[record.BFS](t, command(t, args...))
				if d.Root != c.root || d.Reached != c.reached || d.Depth != c.depth {
					t.Errorf("%q: root %d, reached %d, depth %d; want %d, %d, %d", args, d.Root, d.Reached, d.Depth, c.root, c.reached, c.depth)
				}
				for _, g := range [][]string{append([]string{path}, flags...), {native}} {
					if r := command(t, slices.Concat([]string{"validate"}, g[:1], []string{parents}, g[1:])...).must(t); !strings.Contains(r.stdout, fmt.Sprintf("%d vertices reached, depth %d\n", c.reached, c.depth)) {
						t.Errorf("validate: %q", r.stdout)
					}
				}
				checkTreeFile(t, parents, c.root, c.reached)
			}
			// Unconverted, and read as the other kind where the flag is given later only.
			if c.flags == "--undirected" {
				command(t, "convert", path, native).must(t)
				if d := document[record.BFS](t, command(t, "bfs", native, "--root", root, "--undirected", "--json")); d.Reached != c.reached || d.Depth != c.depth {
					t.Errorf("converted as it is, read undirected: %+v", d)
				}
			}
			breakTree(t, path, flags, parents)
		})
	}
}

// checkTreeFile reads a tree as its format is laid down: the root, then a line per
// reached vertex, rising.
func checkTreeFile(t *testing.T, path string, root uint64, reached int64) {
	t.Helper()
	text := content(t, path)
	if !strings.HasPrefix(text, fmt.Sprintf("# root %d\n", root)) {
		t.Errorf("the tree begins %.30q", text)
	}
	last, n := int64(-1), int64(0)
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if f[0][0] == '#' {
			continue
		}
		v, err := strconv.ParseInt(f[0], 10, 64)
		if err != nil || len(f) != 3 || v <= last || f[0] == fmt.Sprint(root) && (f[1] != f[0] || f[2] != "0") {
			t.Fatalf("line %q after vertex %d", line, last)
		}
		last, n = v, n+1
	}
	if n != reached {
		t.Errorf("%d lines, %d vertices", n, reached)
	}
}

// breakTree gives one vertex a parent of the right level that is no neighbour, and
// demands that validate refuses the tree, and names rule, vertex and edge.
func breakTree(t *testing.T, path string, flags []string, parents string) {
	t.Helper()
	o := graphio.Options{}
	if slices.Contains(flags, "--undirected") {
		o.Direction = graphio.Undirected
	}
	f, err := graphio.Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	// In a directed graph the parent has to have an arc to the vertex.
	src := f.Source
	g, err := graph.Build(t.Context(), src, graph.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	labels := g.VertexLabels()
	text := strings.Split(strings.TrimSuffix(content(t, parents), "\n"), "\n")
	level := map[string][]string{} // vertices by level
	for _, line := range text[1:] {
		x := strings.Fields(line)
		level[x[2]] = append(level[x[2]], x[0])
	}
	id := func(s string) uint32 {
		l, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		v, err := labels.ID(l)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for i, line := range text[1:] {
		x := strings.Fields(line)
		if x[2] != "2" {
			continue
		}
		for _, p := range level["1"] {
			if slices.Contains(g.Row(id(p)), id(x[0])) {
				continue
			}
			bad := slices.Clone(text)
			bad[i+1] = x[0] + "\t" + p + "\t2"
			broken := file(t, "broken.tsv", strings.Join(bad, "\n")+"\n")
			r := command(t, slices.Concat([]string{"validate", path, broken}, flags)...)
			message := strings.NewReplacer(broken, "", path, "").Replace(r.stderr)
			if r.status != 1 || !strings.Contains(message, "rule 5") || !strings.Contains(message, p+"-"+x[0]) || !strings.Contains(message, "vertex "+x[0]) {
				t.Errorf("parent of %s set to %s: status %d, %q", x[0], p, r.status, message)
			}
			return
		}
	}
	t.Error("the tree has no vertex to break")
}

// TestInfoOfRealGraph states what web-NotreDame holds and where it would go.
func TestInfoOfRealGraph(t *testing.T) {
	path := needs.Data(t, "web-NotreDame.txt.gz")
	if raceEnabled {
		t.Skip("left to the run without the race detector")
	}
	d := document[record.Info](t, command(t, "info", path, "--device-memory", "4MiB", "--json"))
	if d.Vertices != 325729 || d.Edges != 1497134 || d.SelfLoops != 27455 || !d.Directed || d.Components != 1 || d.MaxDegree != 10721 || len(d.Placements) != len(placements()) {
		t.Errorf("%+v", d)
	}
	total := int64(0)
	for _, b := range d.DegreeHistogram {
		total += b.Vertices
	}
	if total != d.Vertices {
		t.Errorf("%d vertices in the histogram", total)
	}
	for _, p := range d.Placements {
		if len(p.Processors) != 2 || p.Processors[1].Bytes > 4<<20 || p.Processors[1].Vertices == 0 {
			t.Errorf("%s: %+v", p.Placement, p.Processors)
		}
	}
	r := command(t, "info", path, "--device-memory", "4MiB").must(t)
	for _, s := range []string{"325729", "1497134", "27455 self-loops", "####", "hubs-on-cpu", "opencl:0"} {
		if !strings.Contains(r.stdout, s) {
			t.Errorf("%q is not said", s)
		}
	}
}

// golden holds the SHA-256 of the benchmark's files at some scales.
var golden = []struct {
	scale         int
	edges, weight string
}{
	{5, "5841b1fb22d1674d065428085bbe48ee878e59bbc5ee99929d35f07ccd82716d", "a202ef2dd137a2134608e79af241fd83342d048f39b397093a5e6c31886c8b6b"},
	{10, "b6890e5051a7a45a3b22e4742f6c7b37dbdffb8608a05565bc237a0962f62b10", "199971e6332f459fe9980a9824b2961e9ec6c724118e24549a1c3880d28616b4"},
	{14, "3cb46b82538582341f8b2218b1807b0ca1704b784991beffddb80cbb0c4a82a4", "24db2e4fe26628a36d18ad9998ad98c4cdc1193e7c797349196be32c52278f5f"},
	{16, "8fd23b636aa8b776e820b6f563c43500fb48cb9968daac26e6ce54b899783dd9", "a81bf9d9ef5300b830ae7c7b801560cee4f3ec71840717bd28fd67b14756f0a0"},
	{18, "79142c059cb496c7b91ab23375d7037b3a493d33e457a8a4d3c9b56f8ff91aca", "96b65ca3be3de8b6db301fd6d3960dbde32ca9c6c5387934873e2524dc504391"},
}

func TestGoldenSums(t *testing.T) {
	sum := func(path string) string {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		h := sha256.New()
		if _, err := io.Copy(h, f); err != nil {
			t.Fatal(err)
		}
		return hex.EncodeToString(h.Sum(nil))
	}
	for _, g := range golden {
		if g.scale > 16 && testing.Short() || g.scale > 14 && raceEnabled {
			continue
		}
		dir := t.TempDir()
		edges, weights := filepath.Join(dir, "k.edges"), filepath.Join(dir, "k.weights")
		command(t, "generate", "kron", "--scale", fmt.Sprint(g.scale), "--format", "graph500", "-o", edges, "--weights", weights).must(t)
		if s := sum(edges); s != g.edges {
			t.Errorf("scale %d: edges %s", g.scale, s)
		}
		if s := sum(weights); s != g.weight {
			t.Errorf("scale %d: weights %s", g.scale, s)
		}
	}
}

// TestGraph500Values compares runs with what is known of the benchmark's graphs.
func TestGraph500Values(t *testing.T) {
	for _, c := range []struct {
		scale       int
		nedge       float64
		first, last []uint64
		sum         string
	}{
		{10, 16239, []uint64{458, 214, 220, 966, 395, 9, 848, 777, 344, 236, 900, 440, 806, 712, 116, 163}, []uint64{209, 825, 171, 149},
			"fbb47e9f62082316640046d50b9512efbd45f76022de363f1fe682b328d61e74"},
		{16, 1048079, []uint64{29348, 8064, 61854, 29808, 54316, 22032, 1364, 15128}, []uint64{45576, 18907, 43174},
			"5580afbec3dba84375700b0e69781377979adf6bf9a15f6f2d3f0f1e53df637e"},
	} {
		if c.scale > 10 && (testing.Short() || raceEnabled) {
			continue
		}
		d := document[record.Graph500](t, command(t, "graph500", "--scale", fmt.Sprint(c.scale), "--json"))
		if d.BFS.MedianNEdge != c.nedge || d.Validation.Passed != 64 || d.Validation.Failed != 0 || d.NBFS != 64 {
			t.Errorf("scale %d: median %v, %+v", c.scale, d.BFS.MedianNEdge, d.Validation)
		}
		if !slices.Equal(d.Roots[:len(c.first)], c.first) || !slices.Equal(d.Roots[64-len(c.last):], c.last) {
			t.Errorf("scale %d: roots %v", c.scale, d.Roots)
		}
		var text bytes.Buffer
		for _, r := range d.Roots {
			fmt.Fprintf(&text, "%d\n", r)
		}
		if s := sha256.Sum256(text.Bytes()); hex.EncodeToString(s[:]) != c.sum {
			t.Errorf("scale %d: other roots, sum %x", c.scale, s)
		}
	}
}
