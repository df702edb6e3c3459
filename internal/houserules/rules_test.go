package houserules

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// rule is a check of one Go file at a time.
type rule struct {
	name string
	want string                // what a fault breaks
	of   func(s source) bool   // the files that it holds for
	find func(source) []string // the faults of a file
	bad  string                // a file x/x.go with faults
	n    int                   // their number
}

var rules = []rule{
	{
		"Prints", "only internal/cli reads flags and prints, only cmd exits; internal/arenas passes the arguments on",
		func(s source) bool { return library(s) && s.dir != "internal/arenas" }, printed,
		`import ("fmt"; "log"; o "os")` + "\nfunc f() { fmt.Println(); o.Exit(1); log.Print(); println() }", 4,
	},
	{
		"Opens", "graphio, power and internal/cli open files",
		func(s source) bool {
			return library(s) && !slices.ContainsFunc([]string{"graph/graphio", "power", "internal", "kernels/gpu"}, func(dir string) bool { return under(s.dir, dir) })
		},
		opened, "import \"os\"\nfunc f() { os.ReadFile(`x`) }", 1,
	},
	{
		"AtImport", "an import does nothing, except for internal/arenas, which only programs import",
		func(s source) bool { return !s.test && s.dir != "internal/arenas" }, atImport,
		"var a = func() int { return 1 }()\nfunc init() { a = 2 }\nfunc init() {}", 2,
	},
	{"Names", "a name says what is in it", every, vague, "package util", 1},
	{
		"Flags", "libraries have no flags: internal/cli names them", library, flags,
		"// See --share.\nvar hint = `drop the weights (--drop-weights)`\nvar list = `-- a--b ---`", 2,
	},
	{
		"Phrases", "verb first, one clause, the field's word",
		func(s source) bool {
			return !under(s.dir, "power") && !under(s.dir, "internal/cli")
		},
		phrases, "// f moves what is\n// left of x; whoever waits, waits for ever.\nfunc f() {}", 3,
	},
	{
		"CPUID", "ask internal/cpufeat", func(s source) bool { return s.dir != "internal/cpufeat" },
		importing("github.com/klauspost/cpuid/", "golang.org/x/sys/cpu"), "import _ \"github.com/klauspost/cpuid/v2\"", 1,
	},
	{
		"FlagPackages", "flags belong to internal/cli", func(s source) bool { return !s.command() },
		importing("github.com/spf13/"), "import _ \"github.com/spf13/cobra\"", 1,
	},
}

func every(source) bool     { return true }
func library(s source) bool { return !s.test && !s.command() }

func TestRules(t *testing.T) {
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			for _, s := range sources(t) {
				if !r.of(s) {
					continue
				}
				for _, fault := range r.find(s) {
					t.Errorf("%s: %s", fault, r.want)
				}
			}
		})
	}
}

func TestRulesCanFail(t *testing.T) {
	for _, r := range rules {
		text := r.bad
		if !strings.HasPrefix(text, "package ") {
			text = "package x\n" + text
		}
		s, err := parse("x/x.go", text)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.find(s); len(got) != r.n || !r.of(s) {
			t.Errorf("%s finds %q, want %d", r.name, got, r.n)
		}
	}
	if s, err := parse("x/helpers_test.go", "package x"); err != nil || len(vague(s)) != 1 {
		t.Errorf("a file called helpers: %v", err)
	}
}

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

// atImport lists what a file does when it is imported.
func atImport(s source) []string {
	var faults []string
	for _, d := range s.ast.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			if f.Recv == nil && f.Name.Name == "init" && len(f.Body.List) > 0 {
				faults = append(faults, s.at(d)+": func init")
			}
			continue
		}
		// A function that is called where it is declared runs at import.
		ast.Inspect(d, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if _, ok := call.Fun.(*ast.FuncLit); ok {
					faults = append(faults, s.at(call)+": a function called in a declaration")
				}
			}
			return true
		})
	}
	return faults
}

// vague lists the names of a file, its folders and its package that say nothing.
func vague(s source) []string {
	wrong := []string{"util", "utils", "common", "helper", "helpers", "manager", "managers", "misc", "base", "shared", "lib"}
	file := strings.TrimSuffix(strings.TrimSuffix(path.Base(s.name), ".go"), "_test")
	var faults []string
	for _, name := range append(strings.Split(s.dir, "/"), s.ast.Name.Name, file) {
		if slices.Contains(wrong, name) && s.name != "internal/cli/common.go" {
			faults = append(faults, s.name+": "+name)
		}
	}
	return faults
}

// flagged is the number of flags that files of libraries name all the same. It may only fall.
var flagged = map[string]int{
	"graph/graphio/compression.go": 1, // of zstd
	"record/commands.go":           2, // the documents of commands
	"record/devices.go":            1,
	"record/graph500.go":           1,
}

// flags lists the flags that a file names in strings and comments.
func flags(s source) []string {
	flag := regexp.MustCompile(`(?:^|[^-\w])(--[a-z][a-z-]*)`)
	var faults []string
	add := func(n ast.Node, text string) {
		for _, m := range flag.FindAllStringSubmatch(text, -1) {
			faults = append(faults, s.at(n)+": "+m[1])
		}
	}
	for _, g := range s.ast.Comments {
		add(g, g.Text())
	}
	ast.Inspect(s.ast, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			add(n, l.Value)
		}
		return true
	})
	if len(faults) <= flagged[s.name] {
		return nil
	}
	return faults
}

var private = regexp.MustCompile(`(?i)\b(in vain|for ever|minds the|is told|so made|that of which|what is left of|gets hold of|get hold of|the own|whoever)\b`)

// phrases lists the words in comments that the field does not use.
func phrases(s source) []string {
	var faults []string
	for _, g := range s.ast.Comments {
		for _, m := range private.FindAllString(strings.Join(strings.Fields(g.Text()), " "), -1) {
			faults = append(faults, s.at(g)+": "+m)
		}
	}
	return faults
}

// importing returns a check for imports whose paths begin so.
func importing(prefixes ...string) func(source) []string {
	return func(s source) []string {
		var faults []string
		for _, p := range s.imports() {
			for _, prefix := range prefixes {
				if strings.HasPrefix(p, prefix) {
					faults = append(faults, s.name+" imports "+p)
				}
			}
		}
		return faults
	}
}

var (
	vectorSuffix = regexp.MustCompile(`(AVX2|AVX512|SSE2|SSE4|NEON|SVE|Asm)$`)
	typeSuffix   = regexp.MustCompile(`[UIF](32|64)$`)
)

// withoutTwin lists the functions without a body that have no twin in Go, called
// xGeneric, in a file of their folder that every system builds. One twin with a type parameter
// serves the stubs of all types.
func withoutTwin(list []source) []string {
	twins := map[string]bool{} // folder.function
	var faults []string
	for _, stubs := range []bool{false, true} {
		for _, s := range list {
			for _, d := range s.ast.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok || f.Recv != nil || s.test || stubs != (f.Body == nil) {
					continue
				}
				if !stubs {
					twins[s.dir+"."+f.Name.Name] = twins[s.dir+"."+f.Name.Name] || s.untagged()
					continue
				}
				linked := f.Doc != nil && slices.ContainsFunc(f.Doc.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//go:linkname") })
				name := vectorSuffix.ReplaceAllString(f.Name.Name, "")
				twin, common := name+"Generic", typeSuffix.ReplaceAllString(name, "")+"Generic"
				if !linked && !twins[s.dir+"."+twin] && !twins[s.dir+"."+common] {
					faults = append(faults, s.at(f)+": "+twin)
				}
			}
		}
	}
	return faults
}

func TestEveryAssemblyStubHasATwin(t *testing.T) {
	for _, fault := range withoutTwin(sources(t)) {
		t.Errorf("%s: there is no such Go twin in a file without build tags", fault)
	}
	stub, err := parse("x/x_amd64.go", "package x\nfunc sumAVX2(x []uint64) uint64")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"x/x.go": 0, "x/linux.go": 0, "x/x_linux.go": 1, "y/x.go": 1} {
		twin, err := parse(name, "package x\nfunc sumGeneric(x []uint64) uint64 { return 0 }")
		if err != nil {
			t.Fatal(err)
		}
		if got := withoutTwin([]source{stub, twin}); len(got) != want {
			t.Errorf("twin in %s: %q", name, got)
		}
		twin.text = "// c\n\n//go:build !noasm\n\npackage x\n"
		if got := withoutTwin([]source{stub, twin}); len(got) != 1 {
			t.Errorf("twin in %s, with a build tag: %q", name, got)
		}
	}
}

// undocumented lists the folders whose package has no doc comment that begins with its name.
func undocumented(list []source) []string {
	documented := map[string]bool{}
	for _, s := range list {
		if !s.external() {
			text, name := s.ast.Doc.Text(), s.ast.Name.Name
			documented[s.dir] = documented[s.dir] || strings.HasPrefix(text, "Package "+name+" ") || name == "main" && strings.HasPrefix(text, "Command ")
		}
	}
	var faults []string
	for dir, ok := range documented {
		if !ok {
			faults = append(faults, dir)
		}
	}
	return faults
}

func TestEveryPackageHasADocComment(t *testing.T) {
	for _, dir := range undocumented(sources(t)) {
		t.Errorf("%s: no doc comment that begins with the package's name", dir)
	}
	for text, want := range map[string]int{"package x": 1, "// Package y is x.\npackage x": 1, "// Package x is x.\npackage x": 0} {
		s, err := parse("x/x.go", text)
		if got := undocumented([]source{s}); err != nil || len(got) != want {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

var vendor = regexp.MustCompile(`__CUDA|__NVCC|__OPENCL|__HIP|CL_VERSION_`)

func TestOneFileKnowsTheVendor(t *testing.T) {
	code := []string{".go", ".s", ".c", ".h", ".cl", ".cu"}
	for _, name := range moduleFiles(t) {
		known := vendor.MatchString(read(t, name))
		switch {
		case !slices.Contains(code, path.Ext(name)) || strings.Contains(name, "testdata/") || under(name, "internal/houserules"):
		case known && name != "kernels/gpu/src/compat.h":
			t.Errorf("%s: only kernels/gpu/src/compat.h knows the vendor", name)
		case !known && name == "kernels/gpu/src/compat.h":
			t.Errorf("%s: the vendor is not found", name)
		}
	}
}
