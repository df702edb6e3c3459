package houserules

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/internal/needs"
)

// What importing engine may add to another module.
const (
	mostListed   = 50 // modules of go list -m all, gonum's own among them
	mostImported = 12 // modules whose packages engine imports, directly or not
)

// fresh is a new module that imports engine from this folder.
type fresh struct {
	t   *testing.T
	dir string
}

// write writes a file of the module.
func (f fresh) write(name, text string) {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

// run returns the words that the go command prints.
func (f fresh) run(args ...string) ([]string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = f.dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	var messages strings.Builder
	cmd.Stderr = &messages
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, messages.String())
	}
	return strings.Fields(string(out)), err
}

// must is run, and ends the test where that fails.
func (f fresh) must(args ...string) []string {
	f.t.Helper()
	words, err := f.run(args...)
	if err != nil {
		f.t.Fatal(err)
	}
	return words
}

// TestImportIsClean: a new module that imports engine and the newest gonum keeps that gonum,
// runs, and lists few modules, none of them CUDA's.
func TestImportIsClean(t *testing.T) {
	needs.Tool(t, "go", "go")
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	f := fresh{t, t.TempDir()}
	f.write("go.mod", fmt.Sprintf("module fresh\n\ngo 1.25.0\n\nrequire %s v0.0.0\n\nreplace %s => %q\n", module, module, here))
	newest, err := f.run("list", "-m", "-f", "{{.Version}}", "gonum.org/v1/gonum@latest")
	if err != nil {
		needs.Missing(t, "network", err.Error())
	}

	f.write("main.go", `package main

import (
	"fmt"

	"github.com/totemgo/totemgo/engine"
	"gonum.org/v1/gonum/floats"
)

func main() {
	list, err := engine.ParseProcessors("cpu")
	fmt.Println(list, err, floats.Sum([]float64{1, 2}))
}
`)
	f.must("get", "gonum.org/v1/gonum@"+newest[0])
	f.must("mod", "tidy")
	if got := strings.Join(f.must("run", "."), " "); got != "[cpu] <nil> 3" {
		t.Errorf("the program prints %q", got)
	}
	if got := f.must("list", "-m", "-f", "{{.Version}}", "gonum.org/v1/gonum"); !slices.Equal(got, newest) {
		t.Errorf("gonum is %q, the newest %q", got, newest)
	}
	listed := f.must("list", "-m", "-f", "{{.Path}}", "all")
	if len(listed) > mostListed {
		t.Errorf("%d modules are listed, at most %d may be:\n%s", len(listed), mostListed, strings.Join(listed, "\n"))
	}
	for _, m := range listed {
		if strings.HasPrefix(m, "gorgonia.org/") || m == "google.golang.org/grpc" {
			t.Errorf("%s is listed", m)
		}
	}
	imported := f.must("list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", module+"/engine")
	slices.Sort(imported)
	imported = slices.Compact(imported)
	if len(imported) > mostImported || !slices.Contains(imported, module) {
		t.Errorf("engine imports packages of %d modules, at most %d may be:\n%s", len(imported), mostImported, strings.Join(imported, "\n"))
	}
	t.Logf("%d modules are listed, engine imports packages of %d", len(listed), len(imported))

	f.write("main.go", "package main\n\nimport _ \"github.com/totemgo/totemgo/engine\"\n\nfunc main() {}\n")
	f.must("mod", "tidy")
	for _, m := range f.must("list", "-m", "-f", "{{.Path}}", "all") {
		if m == "gonum.org/v1/gonum" {
			t.Errorf("engine alone needs %s", m)
		}
	}
}
