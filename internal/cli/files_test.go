package cli

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestOwnInput: an output that is an input of the same command is refused, also through links, and the
// input stays as it is. Devices and other files are not.
func TestOwnInput(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	texts := map[string]string{"r.el": "0 1\n1 2\n", "start": "1\n", "own": "0 0\n1 0\n2 0\n", "g.e": "1 2\n2 3\n", "g.v": "1\n2\n3\n",
		"watts.csv": "time,watts\n0,1\n1,1\n", "other.el": "0 1\n"}
	for name, text := range texts {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if runtime.GOOS != "windows" {
		if err := os.Symlink("r.el", "link.el"); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(".", "here"); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link("r.el", "hard.el"); err != nil {
		t.Fatal(err)
	}
	refused := []string{
		"bfs r.el --root 1 -o r.el",
		"bfs r.el --root 1 -o ./r.el",
		"bfs r.el --root 1 -o " + filepath.Join(dir, "r.el"),
		"bfs r.el --root 1 -o hard.el",
		"bfs r.el --root 1 --processors cpu:1 --assignment own -o own",
		"reach r.el --root 1 -o r.el",
		"sssp r.el --root 1 --unit-weights -o r.el",
		"cc r.el -o r.el",
		"apsp r.el -o r.el",
		"pagerank r.el --start start -o start",
		"convert r.el r.el --directed",
		"convert r.el ./r.el",
		"convert g.e g.v",
		"convert g.e g.e",
		"power record --power replay:watts.csv,column=watts --samples watts.csv -- true",
	}
	if runtime.GOOS != "windows" {
		refused = append(refused, "bfs r.el --root 1 -o link.el", "bfs link.el --root 1 -o r.el", "bfs link.el --root 1 -o link.el",
			"bfs r.el --root 1 -o here/r.el", "convert link.el here/r.el")
	}
	for _, line := range refused {
		r := command(t, strings.Fields(line)...)
		if r.status != exitFailed || r.stdout != "" || !strings.Contains(r.stderr, "the output is the input") {
			t.Errorf("%s: status %d, %q, %q", line, r.status, r.stdout, r.stderr)
		}
	}
	for _, line := range []string{"bfs r.el --root 1 -o other.el", "bfs r.el --root 1 -o " + os.DevNull, "convert r.el new.el", "cc r.el -o -"} {
		if r := command(t, strings.Fields(line)...); r.status != exitOK {
			t.Errorf("%s: status %d, %q", line, r.status, r.stderr)
		}
	}
	delete(texts, "other.el")
	for name, text := range texts {
		if got := content(t, name); got != text {
			t.Errorf("%s holds %q, was %q", name, got, text)
		}
	}
}

// TestTwoOutputs: two outputs that lead to one file are refused, and devices are not files.
func TestTwoOutputs(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("r.el", []byte("0 1\n1 2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	lines := map[string]int{
		"apsp r.el -o x.tsv --predecessors x.tsv": exitUsage, "apsp r.el -o x.npy --predecessors ./x.npy": exitUsage,
		"convert r.el x.edges --random-weights 1..3 --undirected --weights ./x.edges": exitUsage,
		"apsp r.el -o " + os.DevNull + " --predecessors " + os.DevNull:                exitOK, "apsp r.el -o x.tsv --predecessors y.tsv": exitOK,
	}
	if runtime.GOOS != "windows" {
		for name, to := range map[string]string{"here": ".", "link": "target"} {
			if err := os.Symlink(to, name); err != nil {
				t.Fatal(err)
			}
		}
		lines["apsp r.el -o here/x --predecessors x"], lines["apsp r.el -o link --predecessors target"] = exitUsage, exitUsage
	}
	for line, status := range lines {
		if r := command(t, strings.Fields(line)...); r.status != status || strings.Contains(r.stderr, "two outputs both write ") != (status == exitUsage) {
			t.Errorf("%s: status %d, %q", line, r.status, r.stderr)
		}
	}
}

// TestDash: - is standard input wherever a file is read, and standard output wherever one is written.
func TestDash(t *testing.T) {
	t.Chdir(t.TempDir())
	command(t, "generate", "kron", "--scale", "4", "--weights", "w", "-o", "k.edges").must(t)
	weights := content(t, "w")
	if err := os.WriteFile("r.el", []byte("0 1\n1 2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	machine := command(t, "bench", "machine", "--largest", "64KiB", "-o", "-")
	machine.must(t)
	session := ""
	if runtime.GOOS != "windows" {
		session = commandProcess(t, "power", "record", "--power", "model:idle=1,busy=2", "-q", "-o", "-", "--", "true").stdout
	}
	for _, c := range []struct {
		line, stdin string
		status      int
		want        string // in standard output, or in the message
	}{
		{"bfs - --root 0 -o -", "0 1\n1 2\n", 0, "2\t1\t2\n"},
		{"bfs r.el --root 0 --processors cpu:1,cpu:1 --assignment - -o -", "0 0\n1 1\n2 0\n", 0, "2\t1\t2\n"},
		{"bfs r.el --root 0 --rates - -o -", machine.stdout, 0, "2\t1\t2\n"},
		{"pagerank r.el --undirected --start - -o -", "0\n", 0, "\n2\t"},
		{"pagerank r.el --undirected --warm - -o -", "0 1\n1 1\n", 0, "\n2\t"},
		{"path r.el 0 2 --unit-weights --weighted --heuristic -", "0 1\n", 2, "unknown flag"},
		{"validate r.el -", "# root 0\n0 0\n1 0\n2 1\n", 0, "valid"},
		{"convert k.edges - --weights-in - --format edgelist", weights, 0, " 0."},
		{"convert k.edges - --format graph500 --weights-in w --weights w2", "", 0, content(t, "k.edges")},
		{"convert k.edges k2.edges --weights-in w --weights -", "", 0, weights},
		{"generate kron --scale 4 -o k3.edges --weights -", "", 0, weights},
		{"power report -", session, 0, "session of"},
		{"bfs - --root 0 --processors cpu:1,cpu:1 --assignment -", "0 1\n", 2, "only one input can be standard input"},
		{"validate - -", "", 2, "only one input can be standard input"},
		{"generate kron --scale 4 -o - --weights - --format graph500", "", 2, "only one output can be standard output"},
		{"generate kron --scale 4 -o k3.edges --weights - --json", "", 2, "--json"},
		{"convert k.edges k2.edges --weights-in w --weights - --json", "", 2, "--json"},
	} {
		if c.line == "power report -" && session == "" {
			continue
		}
		r := commandWith(t, t.Context(), strings.NewReader(c.stdin), strings.Fields(c.line)...)
		if text := r.stdout + r.stderr; r.status != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%s: status %d, %.300q, want %d with %.80q", c.line, r.status, text, c.status, c.want)
		}
		if c.want == weights && r.stdout != weights {
			t.Errorf("%s prints more than the weights: %.300q", c.line, r.stdout)
		}
	}
}

// TestEmptyName: an empty name of a file, as of an unset variable of a script, is refused before anything is read.
func TestEmptyName(t *testing.T) {
	path := file(t, "r.el", "0 1\n")
	for _, args := range [][]string{
		{"bfs", path, "--root", "0", "-o", ""}, {"bfs", "", "--root", "0"}, {"convert", path, ""}, {"validate", path, ""}, {"info", ""},
		{"bfs", path, "--root", "0", "--assignment", ""}, {"power", "record", "-o", "", "--", "true"},
	} {
		if r := command(t, args...); r.status != exitUsage || !strings.Contains(r.stderr, "the name of a file is empty") {
			t.Errorf("%q: status %d, %q", args, r.status, r.stderr)
		}
	}
}

// TestStreamsAsFiles: a standard stream that is a file is looked at as one, and a name of standard output means it.
func TestStreamsAsFiles(t *testing.T) {
	dir := t.TempDir()
	path, text := filepath.Join(dir, "r.el"), "0 1\n1 2\n"
	open := func(flag int) *os.File {
		f, err := os.OpenFile(path, flag, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"bfs - --root 0 -o " + path, "convert - " + path + " --from-format edgelist", "convert " + path + " - --format edgelist"} {
		var out io.Writer = io.Discard
		if strings.Contains(line, " - --format") {
			out = open(os.O_WRONLY | os.O_APPEND)
		}
		var says strings.Builder
		status := execute(t.Context(), strings.Fields(line), open(os.O_RDONLY), out, &says)
		if status != exitFailed || !strings.Contains(says.String(), "the output is the input") || content(t, path) != text {
			t.Errorf("%s: status %d, %q; the file holds %q", line, status, says.String(), content(t, path))
		}
	}
	if _, err := os.Stat("/dev/fd/1"); err != nil {
		t.Skip("standard output has no name here")
	}
	for _, name := range []string{"/dev/stdout", "/dev/fd/1", "-"} {
		if r := commandProcess(t, "bfs", path, "--root", "0", "-o", name).must(t); r.stdout != "# root 0\n0\t0\t0\n1\t0\t1\n2\t1\t2\n" {
			t.Errorf("-o %s: %q", name, r.stdout)
		}
		if r := commandProcess(t, "convert", path, name, "--format", "edgelist").must(t); !strings.HasSuffix(r.stdout, "\n0 1\n1 2\n") {
			t.Errorf("convert to %s: %q", name, r.stdout)
		}
	}
}
