package houserules

import (
	"go/ast"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/internal/needs"
)

// room is a row of the table in docs/architecture.md.
type room struct {
	pattern string
	may     []string
}

var ticked = regexp.MustCompile("`([^`]+)`")

// rooms reads the table under the heading Rooms.
func rooms(text string) []room {
	_, text, _ = strings.Cut(text, "\n## Rooms\n")
	text, _, _ = strings.Cut(text, "\n## ")
	var list []room
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 5 || cells[0] != "" || cells[4] != "" {
			continue
		}
		var may []string
		for _, m := range ticked.FindAllStringSubmatch(cells[3], -1) {
			may = append(may, m[1])
		}
		for _, m := range ticked.FindAllStringSubmatch(cells[1], -1) {
			list = append(list, room{m[1], may})
		}
	}
	return list
}

// matches tells whether a pattern of the table covers a folder.
func matches(pattern, dir string) bool {
	if pattern == "..." {
		return true
	}
	if base, ok := strings.CutSuffix(pattern, "/..."); ok {
		return under(dir, base)
	}
	return pattern == dir
}

// roomOf returns the most specific row that covers a folder.
func roomOf(list []room, dir string) (best room, ok bool) {
	for _, r := range list {
		if matches(r.pattern, dir) && (!ok || len(strings.TrimSuffix(r.pattern, "/...")) > len(strings.TrimSuffix(best.pattern, "/...")) || r.pattern == dir) {
			best, ok = r, true
		}
	}
	return best, ok
}

// allowed tells whether a file may import the folder of a package of ours.
func allowed(list []room, s source, dir string) bool {
	if s.dir == dir {
		return true // an external test imports its own package
	}
	if dir == "internal/cli" {
		return program(s.dir)
	}
	if s.external() {
		return true
	}
	if dir == "internal/ref" && !s.test {
		return s.dir == "kernels/kerneltest"
	}
	if (dir == "internal/needs" || dir == "internal/hugetest") && !s.test {
		return s.dir == "kernels/gpu/device/opencl/opencltest" || s.dir == "kernels/gpu/device/cuda/cudatest"
	}
	if s.test && under(dir, "internal") {
		return true
	}
	r, ok := roomOf(list, s.dir)
	return ok && slices.ContainsFunc(r.may, func(pattern string) bool { return matches(pattern, dir) })
}

func TestArrows(t *testing.T) {
	list := rooms(read(t, "docs/architecture.md"))
	if len(list) < 15 {
		t.Fatalf("the table of rooms has %d rows", len(list))
	}
	for _, s := range sources(t) {
		if _, ok := roomOf(list, s.dir); !ok {
			t.Errorf("%s: the table of rooms in docs/architecture.md has no row for %s", s.name, s.dir)
			continue
		}
		for _, p := range s.imports() {
			dir, ours := strings.CutPrefix(p, module+"/")
			if ours && !allowed(list, s, dir) {
				t.Errorf("%s: %s may not import %s (docs/architecture.md, Rooms)", s.name, s.dir, dir)
			}
		}
	}
}

// The rules have to be able to fail.
func TestArrowsCanFail(t *testing.T) {
	list := rooms(read(t, "docs/architecture.md"))
	for _, c := range []struct {
		file, pkg, dir string
		want           bool
	}{
		{"graph/csr.go", "graph", "internal/workers", true},
		{"graph/csr.go", "graph", "partition", false},
		{"graph/csr.go", "graph", "internal/ref", false},
		{"graph/csr_test.go", "graph", "internal/hugemem", true},
		{"graph/csr_test.go", "graph_test", "graph", true},
		{"graph/csr_test.go", "graph_test", "internal/ref", true},
		{"graph/csr_test.go", "graph_test", "internal/cli", false},
		{"graph/gen/kron.go", "gen", "graph/graphio", false},
		{"partition/place.go", "partition", "bsp", false},
		{"bsp/loop.go", "bsp", "kernels/gpu/device", false},
		{"bsp/loop.go", "bsp", "kernels", true},
		{"engine/bfs.go", "engine", "graph/graphio", false},
		{"engine/bfs.go", "engine", "kernels/gpu/device/opencl", true},
		{"engine/bfs.go", "engine", "internal/needs", false},
		{"kernels/gpu/device/opencl/opencltest/opencltest.go", "opencltest", "internal/needs", true},
		{"kernels/gpu/device/opencl/driver.go", "opencl", "internal/needs", false},
		{"kernels/cpu/bottomup.go", "cpu", "internal/hugetest", false},
		{"kernels/gpu/step.go", "gpu", "kernels/gpu/device", true},
		{"kernels/gpu/device/device.go", "device", "kernels", false},
		{"kernels/gpu/device/opencl/driver.go", "opencl", "kernels/gpu/device", true},
		{"kernels/gpu/device/opencl/driver.go", "opencl", "kernels", false},
		{"internal/workers/workers.go", "workers", "internal/hugemem", false},
		{"kernels/kerneltest/run.go", "kerneltest", "internal/ref", true},
		{"engine/bfs.go", "engine", "internal/cli", false},
		{"engine/bfs.go", "engine", "cuda", false},
		{"cuda/driver.go", "cuda", "engine", false},
		{"cuda/driver.go", "cuda", "kernels/gpu/device", true},
		{"cuda/cmd/totemgo-cuda/main.go", "main", "internal/cli", true},
		{"cuda/cmd/totemgo-cuda/main.go", "main", "engine", false},
		{"internal/workers/workers_test.go", "workers", "internal/cli", false},
		{"internal/cli/power.go", "cli", "power", true},
		{"cmd/totemgo/main.go", "main", "internal/cli", true},
		{"cmd/totemgo/main.go", "main", "power", false},
	} {
		s, err := parse(c.file, "package "+c.pkg)
		if err != nil {
			t.Fatal(err)
		}
		if got := allowed(list, s, c.dir); got != c.want {
			t.Errorf("%s (package %s) imports %s: allowed %v, want %v", c.file, c.pkg, c.dir, got, c.want)
		}
	}
}

// stale lists the rows of the table that cover none of the folders.
func stale(list []room, dirs map[string]bool) []string {
	var faults []string
	for _, r := range list {
		covered := false
		for dir := range dirs {
			covered = covered || matches(r.pattern, dir)
		}
		if !covered {
			faults = append(faults, r.pattern)
		}
	}
	return faults
}

func TestNoStaleRows(t *testing.T) {
	dirs := map[string]bool{}
	for _, s := range sources(t) {
		dirs[s.dir] = true
	}
	list := rooms(read(t, "docs/architecture.md"))
	for _, pattern := range stale(list, dirs) {
		t.Errorf("docs/architecture.md, Rooms: there is no package %s", pattern)
	}
	if got := stale(append(list, room{pattern: "x/y"}, room{pattern: "graph/x/..."}), dirs); !slices.Equal(got, []string{"x/y", "graph/x/..."}) {
		t.Errorf("stale rows found: %q", got)
	}
}

// methods returns the methods of each exported interface of a folder.
func methods(list []source, dir string) map[string][]string {
	found := map[string][]string{}
	for _, s := range list {
		if s.dir != dir || s.test {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok && spec.Name.IsExported() {
				if i, ok := spec.Type.(*ast.InterfaceType); ok {
					for _, m := range i.Methods.List {
						for _, name := range m.Names {
							found[spec.Name.Name] = append(found[spec.Name.Name], name.Name)
						}
					}
				}
			}
			return true
		})
	}
	return found
}

// misnamed compares a text that lists methods, as in "Processor (Load, Step)", with the
// methods that there are. Every interface has to be listed.
func misnamed(text string, want map[string][]string) []string {
	var faults []string
	for name, methods := range want {
		m := regexp.MustCompile(`\b` + name + "`? \\(([^)]*)\\)").FindStringSubmatch(text)
		if m == nil {
			faults = append(faults, name)
			continue
		}
		listed := regexp.MustCompile(`\w+`).FindAllString(m[1], -1)
		for _, x := range append(slices.Clone(listed), methods...) {
			if !slices.Contains(listed, x) || !slices.Contains(methods, x) {
				faults = append(faults, name+"."+x)
			}
		}
	}
	slices.Sort(faults)
	return faults
}

func TestMethodsOfTheContract(t *testing.T) {
	want := methods(sources(t), "kernels")
	if len(want["Run"]) < 10 {
		t.Fatalf("Run has the methods %q", want["Run"])
	}
	for _, fault := range misnamed(read(t, "docs/architecture.md"), want) {
		t.Errorf("docs/architecture.md, Rooms, kernels: %s is missing, or is listed and does not exist", fault)
	}
	got := misnamed("`A` (X, Y), B (Z)", map[string][]string{"A": {"X", "W"}, "B": {"Z"}, "C": nil})
	if !slices.Equal(got, []string{"A.W", "A.Y", "C"}) {
		t.Errorf("wrong methods found: %q", got)
	}
}

func TestGoMod(t *testing.T) {
	for _, c := range []struct{ file, module, replace string }{
		{"go.mod", module, ""},
		{"cuda/go.mod", module + "/cuda", "replace " + module + " => ../"}, // built from a clone only
	} {
		text := read(t, c.file)
		if !regexp.MustCompile(`(?m)^module ` + regexp.QuoteMeta(c.module) + `$`).MatchString(text) {
			t.Errorf("%s: wrong module", c.file)
		}
		if m := strings.Join(regexp.MustCompile(`(?m)^\s*(replace|exclude|toolchain)\b.*`).FindAllString(text, -1), "\n"); strings.TrimSpace(m) != c.replace {
			t.Errorf("%s: %q, want %q: a module with it cannot be installed by version", c.file, m, c.replace)
		}
	}
}

// Every direct dependency has its line in docs/dependencies.md, and no line is left over.
func TestDependenciesAreExplained(t *testing.T) {
	needed := map[string]bool{}
	required := regexp.MustCompile(`(?m)^(?:require )?\s*([a-z0-9.]+\.[a-z]+/\S+) v\S+$`)
	for _, m := range required.FindAllStringSubmatch(read(t, "go.mod")+read(t, "cuda/go.mod"), -1) {
		needed[m[1]] = m[1] != module
	}
	explained := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\| ([a-z0-9.]+\.[a-z]+/\S+) \|`).FindAllStringSubmatch(read(t, "docs/dependencies.md"), -1) {
		explained[m[1]] = true
	}
	if len(needed) == 0 {
		t.Fatal("no dependency found in go.mod")
	}
	for m, other := range needed {
		if other && !explained[m] {
			t.Errorf("docs/dependencies.md does not say what %s is for", m)
		}
	}
	for m := range explained {
		if !needed[m] {
			t.Errorf("docs/dependencies.md explains %s, which no go.mod needs", m)
		}
	}
}

// What a program gets that imports engine.
func TestEnginePullsInLittle(t *testing.T) {
	goCommand := needs.Tool(t, "go", "go")
	cmd := exec.Command(goCommand, "list", "-deps", "./engine")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for p := range strings.FieldsSeq(string(out)) {
		switch {
		case strings.HasPrefix(p, "github.com/spf13/"), strings.HasPrefix(p, "github.com/schollz/"),
			under(p, module+"/graph/graphio"), under(p, module+"/graph/gen"), under(p, module+"/power"),
			under(p, module+"/internal/cli"), p == "testing": // klauspost/cpuid imports flag, but registers nothing by itself
			t.Errorf("engine pulls in %s", p)
		}
	}
}
