package cli

import (
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
