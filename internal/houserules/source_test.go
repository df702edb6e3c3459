// Package houserules holds the project's own rules as tests over the module and the one
// nested in it: who may import whom, where one may print, exit and open files, what
// each package must have. It has no code but tests.
package houserules

import (
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/totemgo/totemgo"

// root is the module's folder, seen from this package.
const root = "../.."

// source is one Go file of the module.
type source struct {
	name string // slash-separated, relative to the module
	dir  string // its folder, "." for the module's
	test bool
	text string
	ast  *ast.File
	fset *token.FileSet
}

// external tells whether the file belongs to a test package of its own.
func (s source) external() bool { return s.test && strings.HasSuffix(s.ast.Name.Name, "_test") }

// program tells whether a folder holds a program of ours.
func program(dir string) bool { return under(dir, "cmd") || under(dir, "cuda/cmd") }

// command tells whether the file is a program's, of its commands, or an example's.
func (s source) command() bool {
	return program(s.dir) || under(s.dir, "internal/cli") || under(s.dir, "examples")
}

// imports returns the paths of the file's imports.
func (s source) imports() []string {
	var list []string
	for _, i := range s.ast.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err == nil {
			list = append(list, p)
		}
	}
	return list
}

func (s source) at(n ast.Node) string { return s.fset.Position(n.Pos()).String() }

// under tells whether dir is the given folder or lies below it.
func under(dir, folder string) bool { return dir == folder || strings.HasPrefix(dir, folder+"/") }

// files returns the names of the files of the module and of the one nested in it, cuda: not of
// build outputs.
var files = sync.OnceValues(func() ([]string, error) {
	var list []string
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		if d.IsDir() {
			if name == ".git" || name == "bin" || path.Base(name) == "vendor" {
				return fs.SkipDir
			}
			return nil
		}
		if d.Type().IsRegular() && name != ".git" { // .git is a file in a linked work tree
			list = append(list, name)
		}
		return nil
	})
	return list, err
})

func moduleFiles(t *testing.T) []string {
	t.Helper()
	list, err := files()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// parse parses one file.
func parse(name, text string) (source, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	return source{
		name: name, dir: path.Dir(name), test: strings.HasSuffix(name, "_test.go"),
		text: text, ast: f, fset: fset,
	}, err
}

var parsed struct {
	once sync.Once
	list []source
}

// sources parses the module's Go files, those that the go command ignores left out.
func sources(t *testing.T) []source {
	t.Helper()
	parsed.once.Do(func() {
		for _, name := range moduleFiles(t) {
			if !strings.HasSuffix(name, ".go") || ignored(name) {
				continue
			}
			s, err := parse(name, read(t, name))
			if err != nil {
				t.Error(err)
				continue
			}
			parsed.list = append(parsed.list, s)
		}
	})
	if len(parsed.list) == 0 {
		t.Fatal("no Go file found")
	}
	return parsed.list
}

// ignored tells whether the go command passes over the file: testdata, and names
// that begin with a dot or an underscore.
func ignored(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(elem string) bool {
		return elem == "testdata" || elem[0] == '_' || elem[0] == '.'
	})
}

var systems = []string{"aix", "android", "darwin", "dragonfly", "freebsd", "illumos", "ios", "js", "linux", "netbsd", "openbsd", "plan9", "solaris", "wasip1", "windows", "386", "amd64", "arm", "arm64", "loong64", "ppc64le", "riscv64", "s390x", "wasm"}

// untagged tells whether the file is built for every system and tag.
func (s source) untagged() bool {
	elems := strings.Split(strings.TrimSuffix(path.Base(s.name), ".go"), "_")
	if len(elems) > 1 && slices.Contains(systems, elems[len(elems)-1]) {
		return false
	}
	for line := range strings.Lines(s.text) {
		if constraint.IsGoBuild(strings.TrimSpace(line)) {
			return false
		}
		if strings.HasPrefix(line, "package ") {
			return true
		}
	}
	return true
}
