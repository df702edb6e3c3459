package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/record"
)

func TestBFS(t *testing.T) {
	el := file(t, "g.txt", twoTriangles)
	r := command(t, "bfs", el, "--root", "0").must(t)
	if !strings.HasPrefix(r.stdout, "root 0\nreached 4 of 7 vertices\ndepth 2\ntime ") || r.stderr != "" {
		t.Errorf("%q %q", r.stdout, r.stderr)
	}
	r = command(t, "bfs", el, "--root", "0", "--processors", "cpu", "--json")
	d := document[record.BFS](t, r)
	has(t, r, "root", "reached", "depth", "levels", "time_s", "reset_s", "aggregate_s", "placement", "director", "processors", "isolated", "peak_rss_bytes")
	if d.Schema != record.SchemaBFS || d.Root != 0 || d.Reached != 4 || d.Depth != 2 || *d.Isolated != 0 || d.Director != "auto" || len(d.Levels) != 3 {
		t.Errorf("%+v", d)
	}
	if d.Levels[0].EdgesExamined != nil || d.CountedOutsideClock || len(d.Processors) != 1 || len(d.Levels[0].Processors) != 1 {
		t.Errorf("%+v", d.Levels[0])
	}
	// Counts come from a search of their own.
	r = command(t, "bfs", el, "--root", "0", "--director", "top-down", "--json", "--count")
	has(t, r, "counted_outside_clock")
	for i, l := range document[record.BFS](t, r).Levels {
		if want := []float64{2, 5, 1}; l.EdgesExamined == nil || *l.EdgesExamined != want[i] {
			t.Errorf("level %d: %+v, want %v edges examined", i, l, want[i])
		}
	}
	if r := command(t, "bfs", el, "--root", "0", "--count"); r.status != 2 || !strings.Contains(r.stderr, "--count") {
		t.Errorf("--count alone: status %d, %q", r.status, r.stderr)
	}
	r = command(t, "bfs", el, "--root", "0", "--stats").must(t)
	if !strings.Contains(r.stdout, "edges examined") || strings.Count(r.stdout, "-") < 3 || !strings.Contains(r.stdout, "\n  reset ") {
		t.Errorf("%q", r.stdout)
	}
	levels := document[record.BFS](t, command(t, "bfs", el, "--root", "0", "--director", "beamer", "--json")).Levels
	for i, want := range []float64{2, 5, 1} {
		if got := levels[i].FrontierArcs; got == nil || *got != want {
			t.Errorf("level %d: %+v, want %v out-arcs", i, levels[i], want)
		}
	}
	if d := document[record.BFS](t, command(t, "bfs", el, "--root", "0", "--directed", "--json")); d.Reached != 4 {
		t.Errorf("as arcs: %+v", d)
	}
}

// TestBFSOptions demands the same result from every way to run.
func TestBFSOptions(t *testing.T) {
	g := filepath.Join(t.TempDir(), "k.tgr")
	command(t, "generate", "kron", "--scale", "8", "-o", g).must(t)
	want := document[record.BFS](t, command(t, "bfs", g, "--root", "3", "--json"))
	if want.Reached < 100 || want.Depth < 2 {
		t.Fatalf("%+v", want)
	}
	for _, placement := range placements() {
		for _, director := range directors() {
			for _, processors := range []string{"cpu", "cpu:1,cpu:1", "cpu:2,cpu:1,cpu:1"} {
				args := []string{"bfs", g, "--root", "3", "--json", "--placement", placement, "--director", director, "--processors", processors}
				got := document[record.BFS](t, command(t, args...))
				if got.Reached != want.Reached || got.Depth != want.Depth || got.Placement != placement || got.Director != director ||
					len(got.Processors) != strings.Count(processors, ",")+1 {
					t.Errorf("%q: reached %d, depth %d, %s, %s", args, got.Reached, got.Depth, got.Placement, got.Director)
				}
				for _, l := range got.Levels {
					if (director == "top-down" || director == "bottom-up") && l.Direction != director {
						t.Errorf("%q: level %d is %s", args, l.Level, l.Direction)
					}
				}
			}
		}
	}
	shares := document[record.BFS](t, command(t, "bfs", g, "--root", "3", "--json", "--processors", "cpu:1,cpu:1", "--share", "0.9,0.1"))
	if s := shares.Processors[0].EdgeShare; s < 0.85 || s > 0.95 {
		t.Errorf("a share of 0.9 became %v", s)
	}
	var owners strings.Builder
	for v := range 256 {
		fmt.Fprintf(&owners, "%d %d\n", v, v%3/2)
	}
	assigned := document[record.BFS](t, command(t, "bfs", g, "--root", "3", "--json", "--processors", "cpu:1,cpu:1", "--assignment", file(t, "owners", owners.String())))
	if assigned.Reached != want.Reached || assigned.Processors[1].Vertices == 0 || assigned.Processors[1].Vertices >= assigned.Processors[0].Vertices {
		t.Errorf("%+v", assigned.Processors)
	}
}

// TestBFSTree reads the file that -o writes, and standard output.
func TestBFSTree(t *testing.T) {
	el := file(t, "g.txt", twoTriangles)
	path := filepath.Join(t.TempDir(), "parents.tsv")
	command(t, "bfs", el, "--root", "7", "-o", path).must(t)
	const want = "# root 7\n7\t7\t0\n8\t7\t1\n9\t7\t1\n"
	if got := content(t, path); got != want {
		t.Errorf("%q", got)
	}
	if r := command(t, "bfs", el, "--root", "7", "-o", "-").must(t); r.stdout != want {
		t.Errorf("%q", r.stdout)
	}
	// A run that fails leaves what was there.
	for _, args := range [][]string{
		{"bfs", el, "--root", "5", "-o", path},
		{"bfs", el, "--root", "7", "--placement", "x", "-o", path},
	} {
		if r := command(t, args...); r.status == 0 || content(t, path) != want {
			t.Errorf("%q: status %d", args, r.status)
		}
	}
	onlyFiles(t, filepath.Dir(path), "parents.tsv")
	// A link is followed, and permissions are kept.
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	command(t, "bfs", el, "--root", "0", "-o", link).must(t)
	if i, err := os.Lstat(link); err != nil || i.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v %v", i.Mode(), err)
	}
	if i, err := os.Stat(path); err != nil || i.Mode().Perm() != 0o600 || !strings.HasPrefix(content(t, path), "# root 0\n") {
		t.Errorf("%v %v", i.Mode(), err)
	}
}

func TestBFSStandardInput(t *testing.T) {
	r := commandWith(t, t.Context(), strings.NewReader(twoTriangles), "bfs", "-", "--root", "0", "--json")
	if d := document[record.BFS](t, r); d.Reached != 4 {
		t.Errorf("%+v", d)
	}
	r = commandWith(t, t.Context(), strings.NewReader("0 1\nx\n"), "bfs", "-", "--root", "0")
	if r.status != 1 || !strings.Contains(r.stderr, "standard input") || !strings.Contains(r.stderr, "line 2") {
		t.Errorf("%d %q", r.status, r.stderr)
	}
}

// TestNoErrors holds what looks odd and is none.
func TestNoErrors(t *testing.T) {
	for _, c := range []struct {
		args           []string
		reached, depth int64
	}{
		{[]string{"bfs", file(t, "p3.el", "0 1\n1 2\n"), "--root", "0", "--processors", "cpu:1,cpu:1,cpu:1,cpu:1,cpu:1"}, 3, 2},
		{[]string{"bfs", file(t, "iso.graph", "3 1\n2\n1\n\n"), "--root", "3"}, 1, 0},
		{[]string{"bfs", file(t, "loop.el", "5 5\n"), "--root", "5"}, 1, 0},
		{[]string{"bfs", file(t, "none.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 0\n"), "--root", "2"}, 1, 0},
	} {
		d := document[record.BFS](t, command(t, append(c.args, "--json")...))
		if d.Reached != c.reached || d.Depth != c.depth {
			t.Errorf("%q: reached %d, depth %d", c.args, d.Reached, d.Depth)
		}
	}
	empty := file(t, "empty.txt", "# nothing\n")
	if d := document[record.Info](t, command(t, "info", empty, "--json")); d.Vertices != 0 || d.Edges != 0 || d.Components != 0 {
		t.Errorf("%+v", d)
	}
	document[record.Partition](t, command(t, "partition", empty, "--processors", "cpu:1,cpu:1", "--json"))
}
