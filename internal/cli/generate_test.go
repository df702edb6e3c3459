package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/record"
)

func TestGenerate(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args            string
		vertices, edges int64
	}{
		{"kron --scale 6", 64, 1024},
		{"kron --scale 6 --edgefactor 3", 64, 192},
		{"kron --scale 6 --range 10:20", 64, 10},
		{"rmat --scale 6 --edges 100", 64, 100},
		{"rmat --scale 6", 64, 1024},
		{"uniform --vertices 50 --edges 70", 50, 70},
		{"uniform --scale 5", 32, 512},
		{"grid --rows 3 --columns 4", 12, 17},
		{"density --vertices 40 --density 0.25", 40, 195},
		{"density --vertices 40 --density 0.25 --largest-degree 20", 40, 160},
		{"chain --vertices 9", 9, 8},
		{"star --vertices 9", 9, 8},
		{"complete --vertices 9", 9, 36},
	} {
		// A native file states its vertices, those without edges too.
		out := filepath.Join(dir, "g.tgr")
		args := append([]string{"generate"}, strings.Fields(c.args)...)
		r := command(t, append(args, "-o", out, "--json")...)
		d := document[record.Generate](t, r)
		has(t, r, "graph", "vertices", "edges", "weighted", "time_s", "outputs")
		if d.Schema != record.SchemaGenerate || d.Graph != args[1] || d.Vertices != c.vertices || d.Edges != c.edges || d.Weighted || d.DryRun {
			t.Errorf("%s: %+v", c.args, d)
		}
		if i := document[record.Info](t, command(t, "info", out, "--json")); i.Vertices != c.vertices || i.Edges != c.edges || i.Directed {
			t.Errorf("%s: %+v", c.args, i)
		}
		dry := document[record.Generate](t, command(t, append(args, "--dry-run", "--json")...))
		if dry.Vertices != c.vertices || dry.Edges != c.edges || !dry.DryRun || len(dry.Outputs) != 0 {
			t.Errorf("%s --dry-run: %+v", c.args, dry)
		}
	}
	onlyFiles(t, dir, "g.tgr")
	if r := command(t, "generate", "kron", "--scale", "5", "-o", filepath.Join(dir, "k.edges")).must(t); !strings.Contains(r.stdout, "32 vertices, 512 edges") || !strings.Contains(r.stdout, "graph500") {
		t.Errorf("%q", r.stdout)
	}
}

// TestGenerateSame demands the same bytes from every number of threads and any range.
func TestGenerateSame(t *testing.T) {
	make := func(args string) string {
		t.Helper()
		return command(t, append(strings.Fields("generate "+args), "-o", "-", "--format", "edgelist")...).must(t).stdout
	}
	for _, kind := range []string{"kron --scale 8", "rmat --scale 8 --seed 9", "uniform --scale 8 --seed 3"} {
		want := make(kind + " --threads 1")
		for _, threads := range []string{" --threads 2", " --threads 7"} {
			if make(kind+threads) != want {
				t.Errorf("%s%s: other edges", kind, threads)
			}
		}
		if make(kind+" --seed 1234") == want {
			t.Errorf("%s: another seed, the same edges", kind)
		}
	}
	all := make("kron --scale 8 --edgefactor 4")
	parts := strings.Join(append(strings.SplitAfter(make("kron --scale 8 --edgefactor 4 --range 0:700"), "\n"), strings.SplitAfter(make("kron --scale 8 --edgefactor 4 --range 700:1024"), "\n")...), "")
	if !slices.Equal(lines(all), lines(parts)) {
		t.Error("two ranges are not the whole")
	}
}

func TestGenerateSimple(t *testing.T) {
	out := filepath.Join(t.TempDir(), "k.graph")
	if r := command(t, "generate", "kron", "--scale", "6", "-o", out); r.status != 1 || !strings.Contains(r.stderr, "--drop-loops") && !strings.Contains(r.stderr, "--merge-duplicates") {
		t.Errorf("%d %q", r.status, r.stderr)
	}
	onlyFiles(t, filepath.Dir(out))
	d := document[record.Generate](t, command(t, "generate", "kron", "--scale", "6", "-o", out, "--drop-loops", "--merge-duplicates", "first", "--json"))
	i := document[record.Info](t, command(t, "info", out, "--json"))
	if i.Edges != d.Edges || i.Duplicates != 0 || i.SelfLoops != 0 || i.Vertices != 64 {
		t.Errorf("%+v %+v", d, i)
	}
}

func TestGenerateWeights(t *testing.T) {
	out := filepath.Join(t.TempDir(), "k.tgr")
	d := document[record.Generate](t, command(t, "generate", "kron", "--scale", "6", "-o", out, "--weights", "yes", "--json"))
	i := document[record.Info](t, command(t, "info", out, "--json"))
	if !d.Weighted || !i.Weighted || i.WeightKind != "float32" {
		t.Errorf("%+v %+v", d, i)
	}
}

// TestGenerateKeeps demands that a run that fails leaves the earlier file whole.
func TestGenerateKeeps(t *testing.T) {
	out := filepath.Join(t.TempDir(), "k.el")
	command(t, "generate", "star", "--vertices", "4", "-o", out).must(t)
	want := content(t, out)
	if r := command(t, "generate", "kron", "--scale", "20", "-o", out, "--memory-limit", "1MB"); r.status != 1 {
		t.Errorf("%d %q", r.status, r.stderr)
	}
	if content(t, out) != want {
		t.Error("the earlier file is gone")
	}
	onlyFiles(t, filepath.Dir(out), "k.el")
}

// TestGenerateRefusedFirst demands that a limit below what the output's rows take refuses the run before the first edge,
// and that one above lets it finish. Each command is a process, in which no other test has taken memory.
func TestGenerateRefusedFirst(t *testing.T) {
	kinds := []string{"uniform --vertices 1000 --edges 100000", "kron --scale 12", "grid --rows 300 --columns 300",
		"density --vertices 500 --density 0.5"}
	for _, kind := range kinds {
		for _, format := range []string{"native", "gap", "totem", "edgelist --drop-loops", "matrixmarket --merge-duplicates first"} {
			out := filepath.Join(t.TempDir(), "g")
			args := strings.Fields("generate " + kind + " -o " + out + " --format " + format)
			size := document[record.Generate](t, command(t, append(args, "--dry-run", "--json")...))
			rows := graph.BuildBytes(int(size.Vertices), size.Edges, false, graph.Unweighted)
			r := commandProcess(t, append(args, "--memory-limit", fmt.Sprint(8*size.Edges+rows-1))...)
			want := fmt.Sprintf("not enough memory: a graph of %d vertices and %d edges needs", size.Vertices, size.Edges)
			if r.status != 1 || !strings.Contains(r.stderr, want) {
				t.Errorf("%v: %d %q", args, r.status, r.stderr)
			}
			commandProcess(t, append(args, "--memory-limit", fmt.Sprint(8*size.Edges+rows+1<<28))...).must(t)
		}
	}
}
