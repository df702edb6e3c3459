package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/totemgo/totemgo/record"
)

func TestVersion(t *testing.T) {
	r := command(t, "version").must(t)
	if !strings.HasPrefix(r.stdout, "totemgo ") || !strings.Contains(r.stdout, "cores\n") {
		t.Errorf("%q", r.stdout)
	}
	r = command(t, "version", "--json")
	d := document[record.Version](t, r)
	has(t, r, "go", "peak_rss_bytes")
	if d.Schema != record.SchemaVersion || d.Command != "totemgo version --json" || d.Machine.Cores < 1 || d.Go == "" {
		t.Errorf("%+v", d)
	}
}

func TestNoCommandPrintsHelp(t *testing.T) {
	if r := command(t).must(t); !strings.Contains(r.stdout, "graph500") || r.stderr != "" {
		t.Errorf("%q %q", r.stdout, r.stderr)
	}
}

// TestCommandLineIsWrong holds what the command line alone shows: status 2, and a
// message that names the fault and the cure.
func TestCommandLineIsWrong(t *testing.T) {
	el := file(t, "g.el", "0 1\n1 2\n")
	missing := filepath.Join(t.TempDir(), "missing.el") // never looked at: the command line is read first
	out := filepath.Join(t.TempDir(), "result.el")
	for _, c := range []struct {
		args string
		says []string
	}{
		{"--nothing", []string{"unknown flag", "--nothing"}},
		{"nothing", []string{"unknown command", "nothing"}},
		{"graph500 20", []string{"totemgo graph500 --scale 20"}},
		{"graph500 20 16", []string{"totemgo graph500 --scale 20 --edgefactor 16"}},
		{"graph500 --scale 20 16", []string{"totemgo graph500 --edgefactor 16"}},
		{"bfs MISSING --root 1 --vertices 0", []string{"--vertices 0", "1 or more"}},
		{"bfs MISSING --root 1 -o t.tsv.lz4", []string{"t.tsv.lz4", ".gz, .zst or .xz"}},
		{"bfs MISSING --root 1 -o t.parquet", []string{"t.parquet", ".csv, .json, .jsonl"}},
		{"apsp MISSING -o t.7z", []string{"t.7z", ".csv, .json, .jsonl"}},
		{"bfs EL --root 1 --json=maybe", []string{"--json", "true or false"}},
		{"graph500 -s 20", []string{"there is no -s", "--scale"}},
		{"bfs -f EL -n 4", []string{"there is no -f", "totemgo bfs FILE"}},
		{"bfs -g 10", []string{"there is no -g", "kron:N"}},
		{"grph500", []string{"did you mean graph500?"}},
		{"pr EL", []string{"did you mean pagerank?"}},
		{"tc EL", []string{"did you mean triangles?"}},
		{"betweenness EL", []string{"did you mean bc?"}},
		{"graph500 --scal 10", []string{"--scal", "did you mean --scale?"}},
		{"bfs EL --roots 1", []string{"did you mean --root?"}},
		{"bfs EL --root 1 -j", []string{"did you mean --json?"}},
		{"convert MISSING -o x.tgr", []string{"there is no -o", "INPUT OUTPUT"}},
		{"convert MISSING --output x.tgr", []string{"there is no --output", "INPUT OUTPUT"}},
		{"--json bfs MISSING --root 1", []string{"--json", "follow its name"}},
		{"bfs MISSING --root 1 --depth 2 --count --json", []string{"--count", "--depth"}},
		{"-V", []string{"--version"}},
		{"path EL", []string{"A and B are missing"}},
		{"path EL 0 1 2", []string{"only FILE, A and B"}},
		{"path EL first 1", []string{`vertex "first"`}},
		{"bench machine --largest 1", []string{"--largest 1 B", "32 KiB"}},
		{"bench apsp --n 2 --methods=", []string{"--methods", "blocked"}},
		{"bfs MISSING --root 1 --kernels none", []string{`--kernels none: no such kernels: "none"`}},
		{"bfs MISSING --root 1 --tuning list", []string{`--tuning: invalid tuning: "list"`}},
		{"generate density --vertices 5 --density 2 -o OUT", []string{"totemgo: density 2"}},
		{"help nothing", []string{"unknown command", "nothing"}},
		{"help bfs nothing", []string{"unknown command", "nothing"}},
		{"completion basn", []string{"unknown command", "basn", "bash"}},
		{"bfs", []string{"FILE is missing"}},
		{"bfs A B --root 1", []string{`"B" is one too many`}},
		{"bfs EL", []string{"--root is missing"}},
		{"bfs EL --root", []string{"--root"}},
		{"bfs EL --root first", []string{"--root", "first", "whole number"}},
		{"bfs EL --root 1.5", []string{"--root", "1.5", "whole number"}},
		{"bfs MISSING --root 1 --nothing", []string{"--nothing"}},
		{"bfs MISSING --root 1 --placement hubs", []string{`"hubs"`, "hubs-on-cpu", "hubs-on-gpu", "random", "original"}},
		{"bfs MISSING --root 1 --director both", []string{`"both"`, "auto", "totem", "beamer", "ratio", "top-down", "bottom-up"}},
		{"bfs MISSING --root 1 --processors gpu", []string{`"gpu"`, "cpu:THREADS", "opencl:N", "cuda:N"}},
		{"bfs MISSING --root 1 --processors cpu:0", []string{"cpu:0", "no threads"}},
		{"bfs MISSING --root 1 --processors cpu:x", []string{`"x"`}},
		{"bfs MISSING --root 1 --processors cpu:1,cpu:1 --share 0.5,0.4", []string{"0.5,0.4", "0.9", "1"}},
		{"bfs MISSING --root 1 --processors cpu:1,cpu:1 --share 1", []string{"1", "2"}},
		{"bfs MISSING --root 1 --processors cpu:1,cpu:1 --share 2,-1", []string{"-1"}},
		{"bfs MISSING --root 1 --share half", []string{"half", "no number"}},
		{"bfs MISSING --root 1 --format csv", []string{`"csv"`, "edgelist", "metis"}},
		{"bfs MISSING --root 1 --threads -1", []string{"--threads -1"}},
		{"bfs MISSING --root 1 --threads two", []string{"--threads", `"two"`, "whole number"}},
		{"bfs MISSING --root 1 --memory-limit much", []string{"--memory-limit", `"much"`, "512MiB"}},
		{"bfs MISSING --root 1 --two-ended 1.5", []string{"--two-ended 1.5"}},
		{"bfs MISSING --root 1 --directed --undirected", []string{"directed", "undirected"}},
		{"bfs MISSING --root 1 --tuple 13", []string{"13", "12 or 16"}},
		{"bfs MISSING --root 1 --weight-column 1", []string{"1", "3"}},
		{"bfs MISSING --root 1 -o - --json", []string{"standard output"}},
		{"bfs EL --root 1 --assignment A --placement random", []string{"exclude each other"}},
		{"bfs MISSING --root 1 --top 0", []string{"--top 0", "1 or more"}},
		{"bfs MISSING --root 1 -o x.tsv.bz2", []string{"bzip2", ".gz"}},
		{"sssp MISSING", []string{"--root is missing"}},
		{"sssp EL --unit-weights --root 1,2", []string{"1,2", "whole number"}},
		{"sssp MISSING --root 1 --delta -3", []string{"--delta -3"}},
		{"sssp MISSING --root 1 --director totem", []string{"unknown flag"}},
		{"reach MISSING --root 1,,2", []string{"1,,2"}},
		{"reach MISSING --root 1 --top 3", []string{"unknown flag"}},
		{"cc MISSING --top -1", []string{"--top -1"}},
		{"cc MISSING -o - --top 3", []string{"standard output"}},
		{"pagerank MISSING --damping 1.5", []string{"--damping 1.5", "between 0 and 1"}},
		{"pagerank MISSING --damping NaN", []string{"--damping NaN"}},
		{"pagerank MISSING --tolerance -1", []string{"--tolerance -1"}},
		{"pagerank MISSING --iterations 0", []string{"--iterations 0"}},
		{"pagerank MISSING --dangling keep", []string{`"keep"`, "spread", "drop"}},
		{"pagerank MISSING --method power", []string{`"power"`, "pull", "delta"}},
		{"pagerank MISSING --method delta --warm W", []string{"--warm"}},
		{"bc MISSING --sample-seed 3", []string{"--sample-seed", "--samples"}},
		{"path MISSING 1 2 --heuristic EL", []string{"--heuristic", "--weighted"}},
		{"bc MISSING --samples 0", []string{"--samples 0", "1 or more"}},
		{"closeness MISSING --samples 0", []string{"--samples 0", "1 or more"}},
		{"pagerank MISSING --multi --float32", []string{"exclude each other"}},
		{"graph500", []string{"--scale is missing"}},
		{"graph500 --scale 0", []string{"0", "1..31"}},
		{"graph500 --scale 40", []string{"40", "1..31"}},
		{"graph500 --scale ten", []string{"--scale", `"ten"`, "whole number"}},
		{"graph500 --scale 99999999999999999999", []string{"--scale", "too large"}},
		{"graph500 --scale 5 --edgefactor 0", []string{"--edgefactor 0"}},
		{"graph500 --scale 5 --roots 0", []string{"--roots 0"}},
		{"graph500 --scale 5 --style 4.0", []string{`"4.0"`, "spec, 3.0 and 2.1.4"}},
		{"graph500 --scale 5 --seed x", []string{`"x"`, "A,B"}},
		{"graph500 --scale 5 FILE", []string{`"FILE" is one too many`}},
		{"graph500 --scale 5 --placement hubs", []string{`"hubs"`, "hubs-on-cpu"}},
		{"graph500 --scale 5 --director both", []string{`"both"`, "beamer"}},
		{"graph500 --scale 5 --processors tpu", []string{`"tpu"`, "cuda:N"}},
		{"graph500 --scale 5 --share 0.9", []string{"0.9"}},
		{"generate", []string{"KIND is missing", "kron", "complete"}},
		{"generate tree -o OUT", []string{`"tree"`, "kron", "complete"}},
		{"generate kron -o OUT", []string{"--scale"}},
		{"generate kron --scale 0 -o OUT", []string{"0", "1..31"}},
		{"generate kron --scale 40 -o OUT", []string{"40", "1..31"}},
		{"generate rmat --scale 40 -o OUT", []string{"40"}},
		{"generate uniform --scale 40 -o OUT", []string{"40"}},
		{"generate uniform -o OUT", []string{"--vertices"}},
		{"generate grid --rows 3 -o OUT", []string{"--columns"}},
		{"generate chain -o OUT", []string{"--vertices"}},
		{"generate kron --scale 5", []string{"-o FILE", "--dry-run"}},
		{"generate kron --scale 5 -o OUT.thing", []string{"--format", "edgelist"}},
		{"generate kron --scale 5 -o OUT --format thing", []string{`"thing"`, "edgelist"}},
		{"generate kron --scale 5 -o OUT --weights w", []string{"--weights", "yes"}},
		{"generate kron --scale 5 -o OUT --range 7", []string{`"7"`, "FROM:TO", "0:512"}},
		{"generate kron --scale 5 -o OUT --range 0:513", []string{"0:512"}},
		{"generate kron --scale 5 -o OUT --merge-duplicates last", []string{`"last"`, "first, min, max or sum"}},
		{"generate kron --scale 5 -o OUT --seed 1,x", []string{`"1,x"`}},
		{"generate kron --scale 5 -o OUT --threads -2", []string{"--threads -2"}},
		{"generate kron --scale 5 -o - --format edgelist --json", []string{"standard output"}},
		{"generate rmat --scale 5 --a 2 -o OUT", []string{"2"}},
		{"generate rmat --scale 5 --edges 0 -o OUT", []string{"--edges 0"}},
		{"generate rmat --scale 10 --edgefactor 36028797018963968 -o OUT", []string{"--edgefactor 36028797018963968", "1..16777216"}},
		{"generate kron --scale 5 --edgefactor 0 -o OUT", []string{"--edgefactor 0"}},
		{"generate kron --scale 5 --edges 7 -o OUT", []string{"--edges", "--scale, --edgefactor"}},
		{"generate chain --vertices 5 --rows 3 -o OUT", []string{"--rows", "--vertices"}},
		{"generate uniform --vertices 5 --scale 3 -o OUT", []string{"--scale and --vertices"}},
		{"generate uniform --vertices 5 --edges 3 --edgefactor 2 -o OUT", []string{"--edgefactor and --edges"}},
		{"generate star --vertices 5 --seed 1,2 -o OUT", []string{`"1,2"`, "one number"}},
		{"generate kron --scale 5 --format graph500 -o OUT --weights OUT ", []string{"two outputs both write"}},
		{"generate kron --scale 5 --format graph500 -o - --weights -", []string{"only one output can be standard output"}},
		{"convert A", []string{"OUTPUT is missing"}},
		{"convert", []string{"INPUT and OUTPUT are missing"}},
		{"convert MISSING OUT.thing", []string{"--format", "edgelist"}},
		{"convert MISSING OUT --format thing", []string{`"thing"`}},
		{"convert MISSING OUT --from-format thing", []string{`"thing"`}},
		{"convert MISSING OUT --random-weights 5", []string{`"5"`, "1..255"}},
		{"convert MISSING OUT --random-weights 9..1", []string{`"9..1"`}},
		{"convert MISSING OUT --seed 3", []string{"--random-weights"}},
		{"convert MISSING OUT --random-weights 1..2 --drop-weights", []string{"exclude"}},
		{"convert MISSING OUT --threads -1", []string{"--threads -1"}},
		{"convert MISSING OUT --weights w", []string{"graph500"}},
		{"convert MISSING - --format edgelist --json", []string{"standard output"}},
		{"info", []string{"FILE is missing"}},
		{"info MISSING --placement p", []string{`"p"`, "hubs-on-cpu"}},
		{"info MISSING --director totem", []string{"unknown flag", "--director"}},
		{"partition", []string{`FILE is missing after "totemgo partition"`}},
		{"partition MISSING --processors " + strings.Repeat("cpu,", 255) + "cpu", []string{"totemgo: 256 processors"}},
		{"bfs MISSING --root 1 --processors " + strings.Repeat("cpu,", 255) + "cpu", []string{"totemgo: 256 processors"}},
		{"partition MISSING --share 0.5,0.6 --processors cpu,cpu", []string{"1.1"}},
		{"validate A", []string{"PARENTS is missing"}},
		{"validate - -", []string{"standard input"}},
		{"validate A B --threads -1", []string{"--threads -1"}},
		{"version now", []string{`"now"`}},
		{"devices all", []string{`"all"`}},
		{"bench bfs --graph uniform:-1", []string{"uniform:-1", "1..31"}},
	} {
		line := strings.NewReplacer("EL", el, "MISSING", missing, "OUT.thing", out+".thing", "OUT ", out+" ").Replace(c.args + " ")
		r := command(t, strings.Fields(line)...)
		if r.status != 2 {
			t.Errorf("%s: status %d: %s", c.args, r.status, r.stderr)
		}
		for _, s := range c.says {
			if !strings.Contains(r.stderr, s) {
				t.Errorf("%s: %q is not said: %s", c.args, s, r.stderr)
			}
		}
	}
	onlyFiles(t, filepath.Dir(out))
}

// TestFilesAreWrong holds what files show: status 1, and a message that names the file.
func TestFilesAreWrong(t *testing.T) {
	t.Setenv("TOTEMGO_OPENCL", filepath.Join(t.TempDir(), "none.so")) // no driver, whatever the machine has
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := write("good.el", "0 1\n1 2\n")
	notes := write("notes.txt", "Dear all,\nthere is no graph here.\n")
	columns := write("columns.el", "0 1\n1 2 3\n")
	cut := write("cut.graph", "3 2\n2\n")
	parents := write("parents.tsv", "# root 0\n0\t0\t0\n1\t0\t1\n2\t1\t2\n")
	missing := filepath.Join(dir, "missing.el")
	out := filepath.Join(dir, "no", "such", "folder.el")
	cases := []struct {
		args []string
		says []string
	}{
		{[]string{"bfs", missing, "--root", "0"}, []string{missing, "no such file"}},
		{[]string{"bfs", dir, "--root", "0"}, []string{dir, "directory"}},
		{[]string{"bfs", notes, "--root", "0"}, []string{notes, "line ", "id"}},
		{[]string{"bfs", columns, "--root", "0"}, []string{columns, "line 2", "3"}},
		{[]string{"bfs", cut, "--root", "1"}, []string{cut}},
		{[]string{"bfs", good, "--root", "3"}, []string{"--root 3", "0..2"}},
		{[]string{"bfs", good, "--root", "-1"}, []string{"--root -1", "0..2"}},
		{[]string{"bfs", good, "--root", "99999999999999999999"}, []string{"--root 99999999999999999999", "0..2"}},
		{[]string{"bfs", good, "--root", "0", "-o", out}, []string{out, "no such file"}},
		{[]string{"bfs", good, "--root", "0", "-o", dir}, []string{dir}},
		{[]string{"bfs", missing, "--root", "0", "-o", out}, []string{"totemgo: " + out, "no such file"}}, // before the work
		{[]string{"bc", missing, "-o", strings.Repeat("a", 300)}, []string{"name too long"}},
		{[]string{"bench", "machine", "-o", out}, []string{"totemgo: " + out, "no such file"}},
		{[]string{"bench", "bfs", "--graph", "kron"}, []string{"kron", "kron:SCALE"}},
		{[]string{"bfs", good, "--root", "0", "--assignment", missing}, []string{missing, "no such file"}},
		{[]string{"bfs", good, "--root", "0", "--processors", "cpu:1,cpu:1", "--assignment", write("a0", "0 0\n1 2\n2 0\n")}, []string{"line 2", `"2"`, "0..1"}},
		{[]string{"bfs", good, "--root", "0", "--processors", "cpu:1,cpu:1", "--assignment", write("a1", "0 0\n1 1\n")}, []string{"vertex 2", "no processor"}},
		{[]string{"bfs", good, "--root", "0", "--processors", "opencl:99"}, []string{"opencl:99"}},
		{[]string{"bfs", good, "--root", "0", "--memory-limit", "1B"}, []string{"memory", "limit", "1"}},
		{[]string{"bfs", write("data", "\x00\x01\x02"), "--root", "0"}, []string{"data", "binary"}},
		{[]string{"reach", good, "--root", "0,3"}, []string{"--root 3", "0..2"}},
		{[]string{"cc", good, "-o", out}, []string{out, "no such file"}},
		{[]string{"cc", good, "--processors", "opencl:99"}, []string{"opencl:99"}},
		{[]string{"pagerank", good, "--memory-limit", "1B"}, []string{"memory", "limit"}},
		{[]string{"pagerank", good, "--start", missing}, []string{missing, "no such file"}},
		{[]string{"generate", "kron", "--scale", "5", "--format", "edgelist", "-o", dir}, []string{dir, "directory"}},
		{[]string{"convert", good, dir, "--format", "metis"}, []string{dir, "directory"}},
		{[]string{"graph500", "--scale", "31", "--edgefactor", "16777216"}, []string{"scale 31", "36028797018963968 edges", "--memory-limit"}},
		{[]string{"bench", "bfs", "--graph", "kron:31", "--memory-limit", "1GiB"}, []string{"kron:31", "2147483648 vertices", "--memory-limit"}},
		{[]string{"info", missing}, []string{missing}},
		{[]string{"info", dir}, []string{dir, "directory"}},
		{[]string{"info", notes}, []string{notes, "line "}},
		{[]string{"partition", missing}, []string{missing}},
		{[]string{"partition", notes}, []string{notes, "line "}},
		{[]string{"convert", missing, good}, []string{missing}},
		{[]string{"convert", notes, good}, []string{notes, "line "}},
		{[]string{"convert", dir, good}, []string{dir, "directory"}},
		{[]string{"convert", good, out}, []string{out, "no such file"}},
		{[]string{"convert", good, filepath.Join(dir, "good.graph")}, []string{"METIS", "--undirected"}},
		{[]string{"convert", good, filepath.Join(dir, "x.el"), "--memory-limit", "1B"}, []string{"memory"}},
		{[]string{"generate", "kron", "--scale", "5", "-o", out}, []string{out, "no such file"}},
		{[]string{"generate", "kron", "--scale", "5", "-o", filepath.Join(dir, "x.el"), "--memory-limit", "1kB"}, []string{"32 vertices", "512 edges", "4096 bytes", "1000", "--memory-limit"}},
		{[]string{"graph500", "--scale", "12", "--memory-limit", "1kB"}, []string{"scale 12", "4096 vertices", "65536 edges", "--memory-limit"}},
		{[]string{"validate", missing, parents}, []string{missing}},
		{[]string{"validate", good, missing}, []string{missing}},
		{[]string{"validate", good, dir}, []string{dir}},
		{[]string{"validate", good, notes}, []string{notes, "line "}},
		{[]string{"validate", good, write("p1", "# root 0\n0\tzero\n")}, []string{"line 2", `"zero"`}},
		{[]string{"validate", good, write("p2", "# root 9\n")}, []string{"p2:1", "9", "0..2"}},
		{[]string{"validate", good, write("p3", "# root 0\n0 0\n0 0\n")}, []string{"line 3", "vertex 0 again"}},
		{[]string{"validate", good, write("p4", "")}, []string{"no root"}},
		{[]string{"validate", good, write("p5", "# root 0\n0 0\n1 7\n")}, []string{"p5:3", "7"}},
		{[]string{"validate", good, write("p6", "# root 0\n0 0 deep\n")}, []string{"line 2", `"deep"`}},
	}
	if os.Getuid() != 0 {
		secret := write("secret.el", "0 1\n")
		if err := os.Chmod(secret, 0); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, struct {
			args []string
			says []string
		}{[]string{"bfs", secret, "--root", "0"}, []string{secret, "permission denied"}})
	} else {
		t.Log("root reads any file: the unreadable file is tried as a user's process only")
	}
	for _, c := range cases {
		r := command(t, c.args...)
		if r.status != 1 {
			t.Errorf("%q: status %d: %s", c.args, r.status, r.stderr)
		}
		for _, s := range c.says {
			if !strings.Contains(r.stderr, s) {
				t.Errorf("%q: %q is not said: %s", c.args, s, r.stderr)
			}
		}
	}
	if got := content(t, good); got != "0 1\n1 2\n" {
		t.Errorf("a convert that failed changed its output: %q", got)
	}
}

// fullDevice is a file that cannot take a byte.
func fullDevice(t *testing.T) string {
	t.Helper()
	const path = "/dev/full"
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("no %s: %v", path, err)
	}
	defer f.Close()
	if _, err := f.WriteString("x"); !errors.Is(err, syscall.ENOSPC) {
		t.Skipf("%s takes what is written: %v", path, err)
	}
	return path
}

func TestFullDisk(t *testing.T) {
	full := fullDevice(t)
	el := file(t, "g.el", twoTriangles)
	for _, args := range [][]string{
		{"bfs", el, "--root", "0", "-o", full},
		{"convert", el, full, "--format", "edgelist"},
		{"convert", el, full, "--format", "native"},
		{"generate", "kron", "--scale", "8", "-o", full, "--format", "graph500"},
		{"generate", "kron", "--scale", "8", "-o", filepath.Join(t.TempDir(), "k.edges"), "--weights", full},
	} {
		r := command(t, args...)
		if r.status != 1 || !strings.Contains(r.stderr, "no space left") || !strings.Contains(r.stderr, full) {
			t.Errorf("%q: status %d: %s", args, r.status, r.stderr)
		}
	}
	if i, err := os.Stat(full); err != nil || i.Mode()&os.ModeCharDevice == 0 {
		t.Fatalf("%s is no device any more: %v, %v", full, i.Mode(), err)
	}
}

type fullOutput struct{ room int }

func (f *fullOutput) Write(p []byte) (int, error) {
	if len(p) > f.room {
		return 0, fmt.Errorf("write: %w", syscall.ENOSPC)
	}
	f.room -= len(p)
	return len(p), nil
}

// TestFullStandardOutput demands a failure from every command whose results get lost.
func TestFullStandardOutput(t *testing.T) {
	el := file(t, "g.el", twoTriangles)
	tree := filepath.Join(t.TempDir(), "parents.tsv")
	command(t, "bfs", el, "--root", "0", "-o", tree).must(t)
	for _, args := range [][]string{
		{"version"}, {"version", "--json"}, {"bfs", el, "--root", "0"}, {"bfs", el, "--root", "0", "--json"},
		{"bfs", el, "--root", "0", "--stats"}, {"bfs", el, "--root", "0", "-o", "-"}, {"info", el}, {"info", el, "--json"},
		{"partition", el}, {"partition", el, "--json"}, {"validate", el, tree}, {"convert", el, "-", "--format", "edgelist"},
		{"generate", "kron", "--scale", "5", "--dry-run"}, {"generate", "star", "--vertices", "5", "-o", "-", "--format", "edgelist"},
		{"graph500", "--scale", "5"}, {"graph500", "--scale", "5", "--json"}, {"graph500", "--scale", "5", "--stats"}, {"--help"}, {"bfs", "--help"},
	} {
		for _, room := range []int{0, 30} {
			var messages strings.Builder
			if status := execute(t.Context(), args, strings.NewReader(""), &fullOutput{room}, &messages); status != 1 || !strings.Contains(messages.String(), "standard output: ") {
				t.Errorf("%q with %d bytes of room: status %d, %q", args, room, status, messages.String())
			}
		}
	}
}

// TestQuiet: -q leaves out notes, and nothing of the result.
func TestQuiet(t *testing.T) {
	el := file(t, "g.el", "# Nodes: 3 Edges: 9\n0 1\n1 2\n")
	loud, quiet := command(t, "reach", el, "--root", "0", "-o", "-"), command(t, "reach", el, "--root", "0", "-o", "-", "-q")
	if loud.stderr == "" || quiet.stderr != "" || loud.stdout != quiet.stdout || quiet.status != 0 {
		t.Errorf("without -q %+v, with it %+v", loud, quiet)
	}
}

// TestLoneRoot: a search of a directed graph that reaches its root alone names the flag that may be missing.
func TestLoneRoot(t *testing.T) {
	el := file(t, "g.el", "0 1\n1 2\n")
	for args, want := range map[string]bool{"--directed --root 2": true, "--directed --root 0": false, "--undirected --root 2": false} {
		for _, search := range []string{"bfs", "bfs --depth 1", "sssp --unit-weights", "reach"} {
			r := command(t, append(strings.Fields(search+" "+args), el)...)
			if r.status != 0 || strings.Contains(r.stderr, "--undirected") != want {
				t.Errorf("%s %s: %+v", search, args, r)
			}
		}
	}
	if r := command(t, "path", el, "2", "0", "--directed"); !strings.Contains(r.stderr, "--undirected") {
		t.Errorf("%+v", r)
	}
}

// TestRootAgain: roots given apart are all roots.
func TestRootAgain(t *testing.T) {
	el := file(t, "g.el", "0 1\n2 3\n")
	if r := command(t, "bfs", el, "--root", "0", "--root", "2").must(t); !strings.HasPrefix(r.stdout, "root 0,2\nreached 4 of 4") {
		t.Errorf("%q", r.stdout)
	}
	if r := command(t, "sssp", el, "--unit-weights", "--root", "0", "--root", "3"); r.status != 2 {
		t.Errorf("%+v", r)
	}
}

// TestPlurals: one of something is singular in summaries, and no sign makes one of it.
func TestPlurals(t *testing.T) {
	el, out := file(t, "g.el", "0 1\n"), filepath.Join(t.TempDir(), "o.el")
	for _, c := range []struct{ args, want string }{
		{"convert " + el + " " + out, "2 vertices, 1 edge, "}, {"generate chain --vertices 2 -o " + out, "2 vertices, 1 edge in "},
		{"generate chain --vertices 1 --dry-run", "1 vertex, 0 edges\n"},
	} {
		if r := command(t, strings.Fields(c.args)...).must(t); !strings.Contains(r.stdout, c.want) || strings.Contains(r.stdout, "0.0 M") {
			t.Errorf("%s: %q, want %q", c.args, r.stdout, c.want)
		}
	}
	if got := singular("-1 threads, 1 readings, 1 fields (1 without edges)"); got != "-1 threads, 1 reading, 1 field (1 without edges)" {
		t.Error(got)
	}
	if r := command(t, "bfs", el, "--root", "0", "--threads", "-1"); !strings.Contains(r.stderr, "--threads -1: want 0 for all cores, or more") {
		t.Errorf("%+v", r)
	}
	if r := command(t, "bfs", el, "--root", "0", "--memory-limit", "1"); !strings.HasSuffix(r.stderr, "--memory-limit sets another\n") {
		t.Errorf("%+v", r)
	}
	if r := command(t, "path", file(t, "e.el", "# none\n"), "0", "1"); !strings.Contains(r.stderr, "totemgo: vertex 0 is not in a graph") {
		t.Errorf("%+v", r)
	}
}
