package cli

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/record"
)

// lines returns the records of a plain edge list, sorted, comments left out.
func lines(s string) []string {
	var out []string
	for line := range strings.Lines(s) {
		if !strings.HasPrefix(line, "#") {
			out = append(out, strings.TrimSpace(line))
		}
	}
	slices.Sort(out)
	return out
}

func TestConvert(t *testing.T) {
	g := file(t, "g.txt", twoTriangles)
	out := filepath.Join(t.TempDir(), "g.tgr")
	r := command(t, "convert", g, out, "--json")
	d := document[record.Convert](t, r)
	has(t, r, "input", "vertices", "edges", "outputs")
	if d.Schema != record.SchemaConvert || d.Input != g || d.Vertices != 7 || d.Edges != 9 || len(d.Outputs) != 1 ||
		d.Outputs[0].File != out || d.Outputs[0].Format != "native" || d.Outputs[0].Bytes != int64(len(content(t, out))) || d.Tolerated != 0 {
		t.Errorf("%+v", d)
	}
	back := command(t, "convert", out, "-", "--format", "edgelist").must(t)
	if !strings.HasPrefix(back.stdout, "# Undirected graph") {
		t.Errorf("%q", back.stdout)
	}
	if got := document[record.Info](t, commandWith(t, t.Context(), strings.NewReader(back.stdout), "info", "-", "--json")); got.Edges != 9 || got.SelfLoops != 1 || got.Duplicates != 1 || got.Vertices != 7 {
		t.Errorf("%+v", got)
	}
	if r := command(t, "convert", g, filepath.Join(t.TempDir(), "g.el")).must(t); !strings.Contains(r.stdout, "7 vertices, 9 edges, edgelist") {
		t.Errorf("%q", r.stdout)
	}
}

func TestConvertStandardInput(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	fmt.Fprint(z, twoTriangles)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "x.tgr")
	commandWith(t, t.Context(), &zipped, "convert", "-", out).must(t)
	if d := document[record.Info](t, command(t, "info", out, "--json")); d.Vertices != 7 || d.Edges != 9 || d.Directed {
		t.Errorf("%+v", d)
	}
	onlyFiles(t, filepath.Dir(out), "x.tgr")
}

func TestConvertSimplify(t *testing.T) {
	g := file(t, "g.wel", "0 1 5\n1 0 3\n1 1 9\n0 1 4\n1 2 1\n")
	convert := func(args ...string) []string {
		t.Helper()
		return lines(command(t, append([]string{"convert", g, "-", "--format", "edgelist"}, args...)...).must(t).stdout)
	}
	for _, c := range []struct {
		args string
		want []string
	}{
		{"", []string{"0 1 4", "0 1 5", "1 0 3", "1 1 9", "1 2 1"}},
		{"--drop-loops", []string{"0 1 4", "0 1 5", "1 0 3", "1 2 1"}},
		{"--undirected --drop-loops --merge-duplicates min", []string{"0 1 3", "1 2 1"}},
		{"--undirected --drop-loops --merge-duplicates max", []string{"0 1 5", "1 2 1"}},
		{"--undirected --drop-loops --merge-duplicates sum", []string{"0 1 12", "1 2 1"}},
		{"--merge-duplicates first", []string{"0 1 5", "1 0 3", "1 1 9", "1 2 1"}},
		{"--drop-weights --undirected --drop-loops --merge-duplicates first", []string{"0 1", "1 2"}},
	} {
		if got := convert(strings.Fields(c.args)...); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.args, got, c.want)
		}
	}
}

func TestConvertLargestComponentAndRelabel(t *testing.T) {
	g := file(t, "g.txt", "# Undirected graph\n10 20\n5 7\n20 30\n30 10\n7 5\n")
	got := command(t, "convert", g, "-", "--format", "edgelist", "--largest-component").must(t)
	if want := []string{"10 20", "20 30", "30 10"}; !slices.Equal(lines(got.stdout), want) {
		t.Errorf("%q", lines(got.stdout))
	}
	got = command(t, "convert", g, "-", "--format", "edgelist", "--largest-component", "--relabel").must(t)
	if want := []string{"0 1", "1 2", "2 0"}; !slices.Equal(lines(got.stdout), want) {
		t.Errorf("%q", lines(got.stdout))
	}
	out := filepath.Join(t.TempDir(), "g.tgr")
	command(t, "convert", g, out, "--relabel").must(t)
	if r := command(t, "bfs", out, "--root", "4", "-o", "-").must(t); r.stdout != "# root 4\n2\t4\t1\n3\t4\t1\n4\t4\t0\n" {
		t.Errorf("%q", r.stdout)
	}
}

// TestConvertRandomWeights demands the same weights from every number of threads,
// order of records and format, and from both arcs of an edge.
func TestConvertRandomWeights(t *testing.T) {
	dir := t.TempDir()
	g := filepath.Join(dir, "k.el")
	native := filepath.Join(dir, "k.tgr")
	command(t, "generate", "kron", "--scale", "7", "-o", native).must(t)
	command(t, "convert", native, g).must(t)
	weights := func(from string, args ...string) map[string]string {
		t.Helper()
		r := command(t, append([]string{"convert", from, "-", "--format", "edgelist", "--random-weights", "1..255"}, args...)...).must(t)
		out := map[string]string{}
		for _, line := range lines(r.stdout) {
			f := strings.Fields(line)
			w, err := strconv.Atoi(f[2])
			if err != nil || w < 1 || w > 255 {
				t.Fatalf("weight %q", f[2])
			}
			a, _ := strconv.Atoi(f[0]) // the writer's own ids
			b, _ := strconv.Atoi(f[1])
			key := fmt.Sprint(min(a, b), max(a, b))
			if old := out[key]; old != "" && old != f[2] {
				t.Fatalf("edge %s has weights %s and %s", key, old, f[2])
			}
			out[key] = f[2]
		}
		return out
	}
	same := func(a, b map[string]string) bool {
		if len(a) != len(b) {
			return false
		}
		for e, w := range a {
			if b[e] != w {
				return false
			}
		}
		return true
	}
	want := weights(g, "--seed", "7", "--threads", "1")
	for _, args := range [][]string{{"--threads", "2"}, {"--threads", "8"}} {
		for _, from := range []string{g, native} {
			if !same(want, weights(from, append(args, "--seed", "7")...)) {
				t.Errorf("%s %v: other weights", from, args)
			}
		}
	}
	if same(want, weights(g, "--seed", "8")) {
		t.Error("another seed gives the same weights")
	}
	gap := filepath.Join(dir, "k.wsg")
	command(t, "convert", native, gap, "--random-weights", "1..255", "--seed", "7").must(t)
	back := filepath.Join(dir, "back.wel")
	command(t, "convert", gap, back).must(t)
	for _, line := range lines(content(t, back)) {
		f := strings.Fields(line)
		a, _ := strconv.Atoi(f[0]) // the writer's own ids
		b, _ := strconv.Atoi(f[1])
		if w := want[fmt.Sprint(min(a, b), max(a, b))]; w != f[2] {
			t.Fatalf("%s: weight %s, want %s", line, f[2], w)
		}
	}
}

func TestConvertLenient(t *testing.T) {
	g := file(t, "g.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 5\n1 2\n2 3\n")
	if r := command(t, "convert", g, "-", "--format", "edgelist"); r.status != 1 || !strings.Contains(r.stderr, "5") {
		t.Errorf("%d %q", r.status, r.stderr)
	}
	out := filepath.Join(t.TempDir(), "g.tgr")
	r := command(t, "convert", g, out, "--lenient", "--json")
	if d := document[record.Convert](t, r); d.Tolerated != 1 || d.Edges != 2 || !strings.Contains(r.stderr, "1 fault let pass (--lenient)") {
		t.Errorf("%+v %q", d, r.stderr)
	}
}

// TestConvertLoss names what the output cannot hold.
func TestConvertLoss(t *testing.T) {
	g := file(t, "g.el", "3 9\n9 12\n")
	r := command(t, "convert", g, filepath.Join(t.TempDir(), "g.mtx"), "--json")
	if d := document[record.Convert](t, r); len(d.Losses) != 1 || !strings.Contains(d.Losses[0], "ids") || !strings.Contains(r.stderr, d.Losses[0]) {
		t.Errorf("%+v %q", d, r.stderr)
	}
}

// TestDamagedNativeFile breaks a native file in many places: every command refuses it
// or finds the place harmless, and none falls over.
func TestDamagedNativeFile(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "g.tgr")
	command(t, "generate", "kron", "--scale", "6", "-o", good).must(t)
	data := content(t, good)
	step := 61
	if testing.Short() {
		step = 331
	}
	for at := 0; at < len(data); at += step {
		broken := []byte(data)
		broken[at] ^= 0xff
		path := file(t, "broken.tgr", string(broken))
		for _, args := range [][]string{
			{"bfs", path, "--root", "1"}, {"partition", path}, {"info", path}, {"convert", path, filepath.Join(dir, "out.el")},
			{"validate", path, file(t, "tree", "# root 1\n1 1\n")},
		} {
			r := command(t, args...)
			if r.status != 0 && !strings.Contains(r.stderr, "broken.tgr") && !strings.Contains(r.stderr, "--root") {
				t.Errorf("byte %d, %s: status %d: %s", at, args[0], r.status, r.stderr)
			}
			if r.status == 2 || args[0] == "convert" && r.status == 0 && at > 64 && !strings.Contains(r.stdout, "64 vertices, 1024 edges") {
				t.Errorf("byte %d, %s: status %d: %s%s", at, args[0], r.status, r.stdout, r.stderr)
			}
		}
	}
}

// TestConvertToOut takes the format from the ending where a file is named out: such a
// name stands for a KONECT network only without one.
func TestConvertToOut(t *testing.T) {
	g, dir := file(t, "g.txt", "3 4\n"), t.TempDir()
	for name, want := range map[string]string{"out.txt": "# Directed graph\n3 4\n", "out.mtx": "%%MatrixMarket matrix", "out.network": "% asym unweighted"} {
		out := filepath.Join(dir, name)
		command(t, "convert", g, out).must(t)
		if got := content(t, out); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestConvertInfiniteSum refuses a sum of weights that no reader would take back.
func TestConvertInfiniteSum(t *testing.T) {
	g, out := file(t, "g.wel", "0 1 1e308\n0 1 1e308\n"), filepath.Join(t.TempDir(), "o.wel")
	if r := command(t, "convert", g, out, "--merge-duplicates", "sum"); r.status != 1 || !strings.Contains(r.stderr, "float64") {
		t.Errorf("%d %q", r.status, r.stderr)
	}
	command(t, "convert", g, out, "--merge-duplicates", "max").must(t)
}

// TestConvertVertexData keeps weights and sizes of vertices wherever a format has them,
// those of the right vertices where only some are kept, and names them as a loss
// elsewhere.
func TestConvertVertexData(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	const text = "4 2 111 2\n9 1 2 3 5\n8 3 4\n7 5 6 1 5 4 6\n6 7 8 3 6\n"
	g := file(t, "g.graph", text)
	command(t, "convert", g, at("g.tgr")).must(t)
	command(t, "convert", at("g.tgr"), at("back.graph")).must(t)
	if got := content(t, at("back.graph")); got != text {
		t.Errorf("%q", got)
	}
	command(t, "convert", g, at("part.graph"), "--largest-component").must(t)
	if got, want := content(t, at("part.graph")), "3 2 111 2\n9 1 2 2 5\n7 5 6 1 5 3 6\n6 7 8 2 6\n"; got != want {
		t.Errorf("%q", got)
	}
	command(t, "convert", g, at("simple.graph"), "--relabel", "--drop-weights", "--merge-duplicates", "first").must(t)
	if got, want := content(t, at("simple.graph")), "4 2 110 2\n9 1 2 3\n8 3 4\n7 5 6 1 4\n6 7 8 3\n"; got != want {
		t.Errorf("%q", got)
	}
	if r := command(t, "convert", g, at("g.mtx")).must(t); !strings.Contains(r.stderr, "vertex weights and sizes") {
		t.Errorf("%q", r.stderr)
	}
}

// TestConvertTuple writes tuples of 16 bytes from another format, and reads them.
func TestConvertTuple(t *testing.T) {
	dir := t.TempDir()
	g, out, back := file(t, "g.el", "1 2\n2 18446744073709\n"), filepath.Join(dir, "g.g500"), filepath.Join(dir, "back.el")
	command(t, "convert", g, out, "--undirected", "--tuple", "16").must(t)
	if n := len(content(t, out)); n != 32 {
		t.Errorf("%d bytes", n)
	}
	command(t, "convert", out, back, "--tuple", "16").must(t)
	if got := lines(content(t, back)); !slices.Equal(got, []string{"1 2", "2 18446744073709"}) {
		t.Errorf("%q", got)
	}
	if r := command(t, "convert", g, filepath.Join(dir, "x.mtx"), "--tuple", "16"); r.status != 2 {
		t.Errorf("tuples where there are none: %d %q", r.status, r.stderr)
	}
}

// TestConvertRefusedFirst demands that a limit below what the output's rows take refuses a file whose header tells its
// size before its records are read, the first of which is faulty, and that one above lets it be read.
// Each command is a process, in which no other test has taken memory.
func TestConvertRefusedFirst(t *testing.T) {
	const n = 4000000 // rows beyond what a test process takes
	dir := t.TempDir()
	in := filepath.Join(dir, "a.mtx")
	text := fmt.Sprintf("%%%%MatrixMarket matrix coordinate pattern symmetric\n9 9 %d\n2 x\n%s", n, strings.Repeat("2 1\n", n-1))
	if err := os.WriteFile(in, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	need := 8*n + graph.BuildBytes(9, n, false, graph.Unweighted)
	for out, early := range map[string]bool{"a.tgr": true, "a.sg": true, "a.el": false, "b.el --drop-loops": true, "b.tgr --largest-component": false} {
		args := strings.Fields("convert " + in + " " + filepath.Join(dir, out))
		want := `"x"`
		if r := commandProcess(t, append(args, "--memory-limit", fmt.Sprint(need+1<<28))...); r.status != 1 || !strings.Contains(r.stderr, want) {
			t.Errorf("%v: %d %q", args, r.status, r.stderr)
		}
		if early {
			want = fmt.Sprintf("a graph of %d edges needs %d bytes", n, need)
		}
		if r := commandProcess(t, append(args, "--memory-limit", fmt.Sprint(need-1))...); early && (r.status != 1 || !strings.Contains(r.stderr, want)) {
			t.Errorf("%v: %d %q", args, r.status, r.stderr)
		}
	}
}

// TestAlgorithmRefusedFirst demands the same of algorithms, of what placing the graph takes.
func TestAlgorithmRefusedFirst(t *testing.T) {
	const n = 1000000
	in := filepath.Join(t.TempDir(), "a.mtx")
	text := fmt.Sprintf("%%%%MatrixMarket matrix coordinate pattern general\n9 9 %d\n2 x\n%s", n, strings.Repeat("2 1\n", n-1))
	if err := os.WriteFile(in, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	need := engine.NeedFor(9, n, true, 1, graph.Unweighted) - 6*hugemem.HugePage
	for limit, want := range map[int64]string{need - 1: fmt.Sprintf("placing 9 vertices and %d edges needs %d bytes", n, need), need + 1<<31: `"x"`} {
		r := commandProcess(t, "bfs", in, "--root", "1", "--memory-limit", fmt.Sprint(limit))
		if r.status != 1 || !strings.Contains(r.stderr, want) {
			t.Errorf("limit %d: %d %q", limit, r.status, r.stderr)
		}
	}
}
