package houserules

import (
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// uses calls f for each use of a name of another package, as in os.Exit.
func uses(s source, f func(n ast.Node, pkg, name string)) {
	local := map[string]string{} // what the file calls a package: its path
	for _, i := range s.ast.Imports {
		p := strings.Trim(i.Path.Value, `"`)
		name := path.Base(p)
		if i.Name != nil {
			name = i.Name.Name
		}
		local[name] = p
	}
	ast.Inspect(s.ast, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && local[x.Name] != "" {
				f(n, local[x.Name], sel.Sel.Name)
			}
		}
		return true
	})
}

// printed lists what a file prints or ends the process with.
func printed(s source) []string {
	var faults []string
	uses(s, func(n ast.Node, pkg, name string) {
		switch {
		case pkg == "fmt" && slices.Contains([]string{"Print", "Printf", "Println"}, name),
			pkg == "os" && slices.Contains([]string{"Exit", "Stdout", "Stderr", "Stdin", "Args"}, name),
			pkg == "log", pkg == "flag",
			pkg == "log/slog" && slices.Contains([]string{"Default", "SetDefault", "Debug", "Info", "Warn", "Error", "Log"}, name):
			faults = append(faults, s.at(n)+": "+pkg+"."+name)
		}
	})
	ast.Inspect(s.ast, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if f, ok := call.Fun.(*ast.Ident); ok && (f.Name == "print" || f.Name == "println") {
				faults = append(faults, s.at(n)+": "+f.Name)
			}
		}
		return true
	})
	return faults
}

func TestNothingPrintsOrExits(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || s.command() {
			continue
		}
		for _, fault := range printed(s) {
			t.Errorf("%s: only internal/cli reads flags and prints, only cmd exits", fault)
		}
	}
}

// opened lists where a file opens, creates, changes or removes files.
func opened(s source) []string {
	var faults []string
	uses(s, func(n ast.Node, pkg, name string) {
		if pkg == "os" && slices.Contains([]string{
			"Open", "OpenFile", "OpenRoot", "OpenInRoot", "Create", "CreateTemp", "ReadFile", "WriteFile", "ReadDir", "DirFS",
			"Mkdir", "MkdirAll", "MkdirTemp", "Remove", "RemoveAll", "Rename", "Truncate",
		}, name) {
			faults = append(faults, s.at(n)+": "+pkg+"."+name)
		}
	})
	return faults
}

func TestFewOpenFiles(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || s.command() || under(s.dir, "graph/graphio") || under(s.dir, "power") ||
			under(s.dir, "internal") || under(s.dir, "kernels/gpu") {
			continue
		}
		for _, fault := range opened(s) {
			t.Errorf("%s: files are opened by graphio, power and internal/cli", fault)
		}
	}
}

func TestNamesSayWhatAPackageIs(t *testing.T) {
	wrong := []string{"util", "utils", "common", "helper", "helpers", "manager", "managers", "misc", "base", "shared", "lib"}
	for _, s := range sources(t) {
		for elem := range strings.SplitSeq(s.dir, "/") {
			if slices.Contains(wrong, elem) {
				t.Errorf("%s: no package is called %s", s.name, elem)
			}
		}
		if slices.Contains(wrong, s.ast.Name.Name) {
			t.Errorf("%s: no package is called %s", s.name, s.ast.Name.Name)
		}
	}
}

// atImport lists what a file does when it is imported.
func atImport(s source) []string {
	var faults []string
	for _, d := range s.ast.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == "init" && len(d.Body.List) > 0 {
				faults = append(faults, s.at(d)+": func init")
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				v, ok := spec.(*ast.ValueSpec)
				if !ok {
					continue
				}
				for _, value := range v.Values {
					// A function that is called where it stands runs at import.
					ast.Inspect(value, func(n ast.Node) bool {
						if call, ok := n.(*ast.CallExpr); ok {
							if _, ok := call.Fun.(*ast.FuncLit); ok {
								faults = append(faults, s.at(call)+": a function called in a declaration")
							}
						}
						return true
					})
				}
			}
		}
	}
	return faults
}

func TestNothingHappensAtImport(t *testing.T) {
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		for _, fault := range atImport(s) {
			t.Errorf("%s: an import does nothing", fault)
		}
	}
}

var vectorSuffix = regexp.MustCompile(`(AVX2|AVX512|SSE2|SSE4|NEON|SVE|Asm)$`)

// stubs returns the functions without a body of a file, as its twins would be called.
func stubs(s source) map[string]ast.Node {
	list := map[string]ast.Node{}
	for _, d := range s.ast.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body != nil {
			continue
		}
		if f.Doc != nil && slices.ContainsFunc(f.Doc.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//go:linkname") }) {
			continue
		}
		list[vectorSuffix.ReplaceAllString(f.Name.Name, "")+"Generic"] = f
	}
	return list
}

func TestEveryAssemblyStubHasATwin(t *testing.T) {
	twins := map[string]bool{} // folder.function, of untagged files
	for _, s := range sources(t) {
		if s.test || !s.untagged() {
			continue
		}
		for _, d := range s.ast.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil && f.Recv == nil {
				twins[s.dir+"."+f.Name.Name] = true
			}
		}
	}
	for _, s := range sources(t) {
		for twin, n := range stubs(s) {
			if !twins[s.dir+"."+twin] {
				t.Errorf("%s: assembly without a Go twin %s in a file without build tags", s.at(n), twin)
			}
		}
	}
}

func TestEveryPackageHasADocComment(t *testing.T) {
	documented, folder := map[string]bool{}, map[string]string{}
	for _, s := range sources(t) {
		if s.external() {
			continue
		}
		key := s.dir
		folder[key] = s.ast.Name.Name
		if s.ast.Doc == nil {
			continue
		}
		text, name := s.ast.Doc.Text(), s.ast.Name.Name
		if strings.HasPrefix(text, "Package "+name+" ") || name == "main" && strings.HasPrefix(text, "Command ") {
			documented[key] = true
		}
	}
	for dir, name := range folder {
		if !documented[dir] {
			t.Errorf("%s: package %s has no doc comment that begins with its name", dir, name)
		}
	}
}

// text tells whether a file is one that people write.
func text(name string) bool {
	return slices.Contains([]string{".go", ".s", ".c", ".h", ".cl", ".cu", ".sh", ".md", ".yml", ".mod", ".html", ".css", ".js"}, path.Ext(name)) ||
		name == "Makefile" || name == ".ci/run"
}

func TestNothingIsPutOff(t *testing.T) {
	marks := regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b`)
	for _, name := range moduleFiles(t) {
		if !text(name) {
			continue
		}
		number := 0
		for line := range strings.Lines(read(t, name)) {
			number++
			if m := marks.FindString(line); m != "" {
				t.Errorf("%s:%d: %s: do it, or file an issue", name, number, m)
			}
		}
	}
}

func TestOneFileKnowsTheVendor(t *testing.T) {
	vendor := regexp.MustCompile(`__CU` + `DA|__NV` + `CC|__OPEN` + `CL|__HI` + `P|CL_VER` + `SION_`)
	for _, name := range moduleFiles(t) {
		if name == "kernels/gpu/src/compat.h" || path.Ext(name) == ".md" || !text(name) || strings.Contains(name, "testdata/") {
			continue
		}
		if m := vendor.FindString(read(t, name)); m != "" {
			t.Errorf("%s: %s: only kernels/gpu/src/compat.h knows the vendor", name, m)
		}
	}
}

func TestRulesCanFail(t *testing.T) {
	s, err := parse("x/x.go", `package x
import ("fmt"; "log"; o "os")
var a = func() int { return 1 }()
func init() { a = 2 }
func init() {}
func f() { fmt.Println(); o.Exit(1); log.Print(); println(); o.ReadFile("x") }
func sumAVX2(x []uint64) uint64
`)
	if err != nil {
		t.Fatal(err)
	}
	if got := printed(s); len(got) != 4 {
		t.Errorf("prints and exits found: %q", got)
	}
	if got := opened(s); len(got) != 1 {
		t.Errorf("opened files found: %q", got)
	}
	if got := atImport(s); len(got) != 2 {
		t.Errorf("work at import found: %q", got)
	}
	if got := stubs(s); len(got) != 1 || got["sumGeneric"] == nil {
		t.Errorf("stubs found: %v", got)
	}
	for name, want := range map[string]bool{"x_linux.go": false, "x_amd64.go": false, "x.go": true, "linux.go": true} {
		if got := (source{name: name, text: "package x\n"}).untagged(); got != want {
			t.Errorf("%s untagged: %v", name, got)
		}
	}
	if (source{name: "x.go", text: "// c\n\n//go:build !noasm\n\npackage x\n"}).untagged() {
		t.Error("a build tag is overlooked")
	}
}
