package cli

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/record"
)

func TestValidate(t *testing.T) {
	g := file(t, "g.txt", twoTriangles)
	good := file(t, "good", "# root 0\n0\t0\t0\n1\t0\t1\n2\t0\t1\n3\t2\t2\n7\t-1\n")
	r := command(t, "validate", g, good).must(t)
	if r.stdout != "valid: root 0, 4 vertices reached, depth 2\n" {
		t.Errorf("%q", r.stdout)
	}
	d := document[record.Validate](t, command(t, "validate", g, good, "--json"))
	if d.Schema != record.SchemaValidate || !d.Valid || d.Reached != 4 || d.Depth != 2 || d.Root != 0 || len(d.Violations) != 0 {
		t.Errorf("%+v", d)
	}
	// Without levels, without a root line, CRLF, comments, from standard input.
	r = commandWith(t, t.Context(), strings.NewReader("# a tree\r\n0 0\r\n1 0\r\n\r\n2 0\r\n3 2"), "validate", g, "-")
	if r.must(t).stdout != "valid: root 0, 4 vertices reached, depth 2\n" {
		t.Errorf("%q", r.stdout)
	}
	r = commandWith(t, t.Context(), strings.NewReader(twoTriangles), "validate", "-", good)
	r.must(t)
	for _, c := range []struct {
		tree string
		says []string
	}{
		{"# root 0\n0 0\n1 0\n2 0\n3 1\n", []string{"3", "1-3"}},
		{"# root 0\n0 0\n1 0\n2 0\n", []string{"2-3"}},
		{"# root 0\n0 0\n1 0\n2 3\n3 2\n", []string{"2"}},
		{"# root 0\n0 1\n1 0\n2 0\n3 2\n", []string{"root"}},
		{"# root 0\n0 0 0\n1 0 1\n2 0 1\n3 2 7\n", []string{"7"}},
	} {
		bad := file(t, "bad", c.tree)
		r := command(t, "validate", g, bad)
		if r.status != 1 || !strings.Contains(r.stderr, bad) || !strings.Contains(r.stderr, "rule ") {
			t.Errorf("%q: status %d, %q", c.tree, r.status, r.stderr)
		}
		for _, s := range c.says {
			if !strings.Contains(strings.ReplaceAll(r.stderr, bad, ""), s) {
				t.Errorf("%q: %q is not said: %q", c.tree, s, r.stderr)
			}
		}
	}
}

// TestValidateLevels: a tree states all levels or none.
func TestValidateLevels(t *testing.T) {
	g := file(t, "g.txt", twoTriangles)
	for tree, line := range map[string]string{"0 0 0\n1 0 1\n2 0\n3 2 2\n": ": line 3: ", "0 0\n1 0\n7 -1\n2 0 1\n3 2\n": ": line 4: "} {
		bad := file(t, "bad", tree)
		if r := command(t, "validate", g, bad); r.status != 1 || !strings.Contains(r.stderr, bad+line) || !strings.Contains(r.stderr, "columns") {
			t.Errorf("%q: status %d, %q", tree, r.status, r.stderr)
		}
	}
}

// TestValidateDocument reads the document of a tree that is not valid: it says so, and
// the status is 1.
func TestValidateDocument(t *testing.T) {
	g := file(t, "g.txt", twoTriangles)
	bad := file(t, "bad", "# root 0\n0 0\n1 0\n2 0\n3 1\n")
	var out, messages strings.Builder
	status := execute(t.Context(), []string{"validate", g, bad, "--json"}, strings.NewReader(""), &out, &messages)
	var d record.Validate
	dec := json.NewDecoder(strings.NewReader(out.String()))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d); err != nil {
		t.Fatal(err)
	}
	if status != 1 || d.Valid || len(d.Violations) == 0 || d.Violations[0].Rule != 5 || d.Violations[0].Vertex != 3 || *d.Violations[0].Edge != [2]uint64{1, 3} {
		t.Errorf("status %d, %+v, %q", status, d, messages.String())
	}
}

// TestValidateForms reads trees as other programs and systems write them: compressed, with a mark or carriage returns, as a
// full array of predecessors, as CSV; UTF-16 is named.
func TestValidateForms(t *testing.T) {
	g, dir := file(t, "g.txt", twoTriangles), t.TempDir()
	for _, name := range []string{"t.tsv", "t.tsv.gz", "t.tsv.zst", "t.tsv.xz", "t.csv", "t.csv.gz"} {
		path := filepath.Join(dir, name)
		command(t, "bfs", g, "--root", "0", "-o", path).must(t)
		if r := command(t, "validate", g, path).must(t); r.stdout != "valid: root 0, 4 vertices reached, depth 2\n" {
			t.Errorf("%s: %q", name, r.stdout)
		}
	}
	for _, text := range []string{
		"\xef\xbb\xbf# root 0\r\n0\t0\r\n1\t0\r\n2\t0\r\n3\t2\r\n",
		"0 0\n1 0\n2 0\n3 2\n4 -1\n5 -1\n6 -1\n7 -1\n8 -1\n9 -1\n",
		"vertex,parent\n0,0\n1, 0\n2,0\n3,2\n5,-1\n",
	} {
		if r := command(t, "validate", g, file(t, "tree", text)).must(t); r.stdout != "valid: root 0, 4 vertices reached, depth 2\n" {
			t.Errorf("%q: %q", text, r.stdout)
		}
	}
	for _, text := range []string{"\xff\xfe0\x00 \x000\x00\n\x00", "\xfe\xff\x000\x00 \x000\x00\n", "0\x00 \x000\x00\n\x00", "\x000\x00 \x000\x00\n"} {
		if r := command(t, "validate", g, file(t, "tree", text)); r.status != 1 || !strings.Contains(r.stderr, "UTF-16") {
			t.Errorf("%q: status %d, %q", text, r.status, r.stderr)
		}
	}
}

// TestAssignmentForms reads parts as METIS and KaHIP write them: a part a line, in the order of the vertices.
func TestAssignmentForms(t *testing.T) {
	g := file(t, "g.graph", "4 3\n2\n1 3\n2 4\n3\n")
	want := command(t, "partition", g, "--processors", "cpu:1,cpu:1", "--assignment", file(t, "a", "1 0\n2 1\n3 1\n4 0\n")).must(t).stdout
	for name, text := range map[string]string{
		"g.graph.part.2": "0\n1\n1\n0\n", "g.part.2.1": "0\r\n1\r\n1\r\n0", "tmppartition2": "\xef\xbb\xbf0\n1\n\n1\n0\n", "parts": "% kahip\n0\n1\n1\n0\n",
	} {
		if got := command(t, "partition", g, "--processors", "cpu:1,cpu:1", "--assignment", file(t, name, text)).must(t).stdout; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for text, says := range map[string]string{
		"0\n1\n1\n": "parts of 3 vertices, expected 4", "0\n1\n1\n0\n0\n": "parts of 5 vertices", "0\n1\n1\n2\n": "0..1", "0\n1\n3 1\n0\n": "2 columns", "x\n": `"x"`,
	} {
		if r := command(t, "partition", g, "--processors", "cpu:1,cpu:1", "--assignment", file(t, "p", text)); r.status != 1 || !strings.Contains(r.stderr, says) {
			t.Errorf("%q: status %d, %q", text, r.status, r.stderr)
		}
	}
}

// TestValidateNames: a tree by names is read as bfs writes it, in TSV and in CSV, whatever the names begin with.
func TestValidateNames(t *testing.T) {
	g := file(t, "g.csv", "a,#h\n\"#h\",\"b, c\"\n\"b, c\",vertex\n")
	for _, name := range []string{"t.tsv", "t.csv", "t.csv.gz", "t"} {
		for _, root := range []string{"a", "#h", "vertex"} {
			tree := filepath.Join(t.TempDir(), name)
			command(t, "bfs", g, "--names", "--undirected", "--root", root, "-o", tree).must(t)
			if r := command(t, "validate", g, tree, "--names", "--undirected"); !strings.HasPrefix(r.stdout, "valid: root "+root+", 4 vertices") {
				t.Errorf("%s from %s: %+v\n%s", name, root, r, content(t, tree))
			}
		}
	}
	scores := filepath.Join(t.TempDir(), "scores.csv")
	command(t, "pagerank", g, "--names", "-o", scores).must(t)
	command(t, "pagerank", g, "--names", "--warm", scores).must(t)
	for name, says := range map[string]string{"t.json": "found JSON, expected lines of TSV or CSV", "t.jsonl": "found JSON"} {
		tree := filepath.Join(t.TempDir(), name)
		command(t, "bfs", g, "--names", "--root", "a", "-o", tree).must(t)
		if r := command(t, "validate", g, tree, "--names"); r.status != 1 || !strings.Contains(r.stderr, tree+": "+says) {
			t.Errorf("%s: %+v", name, r)
		}
	}
	cut := file(t, "cut.gz", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x33")
	if r := command(t, "validate", g, cut, "--names"); r.status != 1 || strings.Contains(r.stderr, ": :") || !strings.Contains(r.stderr, cut+": ") {
		t.Errorf("%+v", r)
	}
}
