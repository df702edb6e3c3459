package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// asCommand makes the test binary be the command.
const asCommand = "TOTEMGO_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" || asksToProbe(os.Args[1:]) {
		os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// ran is what a command line did.
type ran struct {
	args           []string
	status         int
	stdout, stderr string
}

// command executes a command line in this process.
func command(t testing.TB, args ...string) ran {
	t.Helper()
	return commandWith(t, context.Background(), strings.NewReader(""), args...)
}

func commandWith(t testing.TB, ctx context.Context, stdin io.Reader, args ...string) ran {
	t.Helper()
	var out, err bytes.Buffer
	status := execute(ctx, args, stdin, &out, &err)
	r := ran{args, status, out.String(), err.String()}
	r.checkManners(t)
	return r
}

// checkManners looks at what holds for every command line: messages are lines that
// begin with the command's name, there is no progress where no terminal is, and a
// failure explains itself and prints nothing that looks like a result.
func (r ran) checkManners(t testing.TB) {
	t.Helper()
	if len(r.args) > 0 && r.args[0] == "__complete" {
		return
	}
	for line := range strings.Lines(r.stderr) {
		if !strings.HasPrefix(line, "totemgo: ") || !strings.HasSuffix(line, "\n") || strings.ContainsAny(line, "\r\x1b") {
			t.Errorf("%q prints on standard error: %q", r.args, line)
		}
	}
	if m := regexp.MustCompile(`(: |; )(allpairs|bsp|engine|gen|graph|graph500|graphio|partition): `).FindString(r.stderr); m != "" {
		t.Errorf("%q: the message has a package's prefix, %q: %q", r.args, m, r.stderr)
	}
	if r.status == 0 {
		return
	}
	if r.stderr == "" {
		t.Errorf("%q fails with status %d and says nothing", r.args, r.status)
	}
	if r.stdout != "" {
		t.Errorf("%q fails and prints %q", r.args, r.stdout)
	}
}

// must fails the test where a command line did.
func (r ran) must(t testing.TB) ran {
	t.Helper()
	if r.status != 0 {
		t.Fatalf("%q: status %d\n%s%s", r.args, r.status, r.stdout, r.stderr)
	}
	return r
}

// document reads the JSON on standard output strictly: a field that T lacks is a fault.
func document[T any](t testing.TB, r ran) *T {
	t.Helper()
	r.must(t)
	doc := new(T)
	dec := json.NewDecoder(strings.NewReader(r.stdout))
	dec.DisallowUnknownFields()
	if err := dec.Decode(doc); err != nil {
		t.Fatalf("%q: %v\n%s", r.args, err, r.stdout)
	}
	if _, err := dec.Token(); err != io.EOF {
		t.Errorf("%q: more than one object", r.args)
	}
	return doc
}

// has tells, and otherwise fails the test, that names stand at the top of a document.
func has(t testing.TB, r ran, names ...string) {
	t.Helper()
	var top map[string]json.RawMessage
	if err := json.Unmarshal([]byte(r.stdout), &top); err != nil {
		t.Fatalf("%q: %v", r.args, err)
	}
	for _, n := range append([]string{"schema", "command", "version", "machine"}, names...) {
		if _, ok := top[n]; !ok {
			t.Errorf("%q: no %q", r.args, n)
		}
	}
}

// file writes a file into a folder of the test's own.
func file(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func content(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// onlyFiles fails the test where a folder holds anything else.
func onlyFiles(t testing.TB, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		known := false
		for _, n := range names {
			known = known || n == e.Name()
		}
		if !known {
			t.Errorf("%s was left in the folder", e.Name())
		}
	}
}

// twoTriangles has the components {0, 1, 2, 3} and {7, 8, 9}; 2 is in both kinds of
// trouble: a self-loop and a duplicate.
const twoTriangles = "# Undirected graph\n0 1\n1 2\n2 0\n2 2\n2 3\n3 2\n7 8\n8 9\n9 7\n"

// commandProcess executes a command line in a process of its own, whose memory is its
// own as well.
func commandProcess(t testing.TB, args ...string) ran {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, args...)
	c.Env = append(os.Environ(), asCommand+"=1")
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil && c.ProcessState == nil {
		t.Fatal(err)
	}
	r := ran{args, c.ProcessState.ExitCode(), stdout.String(), stderr.String()}
	r.checkManners(t)
	return r
}
