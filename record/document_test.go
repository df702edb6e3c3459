package record_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/record"
)

var update = flag.Bool("update", false, "rewrite docs/json.md")

const documentFile = "../docs/json.md"

// documents are the types that commands print, with their schemas, in the order of docs/json.md.
var documents = []struct {
	schema string
	value  any
}{
	{record.SchemaGraph500, record.Graph500{}},
	{record.SchemaBFS, record.BFS{}},
	{record.SchemaSSSP, record.SSSP{}},
	{record.SchemaCC, record.Components{}},
	{record.SchemaPageRank, record.PageRank{}},
	{record.SchemaReach, record.Reach{}},
	{record.SchemaBetweenness, record.Betweenness{}},
	{record.SchemaCloseness, record.Closeness{}},
	{record.SchemaDiameter, record.Diameter{}},
	{record.SchemaPath, record.Path{}},
	{record.SchemaTriangles, record.Triangles{}},
	{record.SchemaKCore, record.KCore{}},
	{record.SchemaCDLP, record.CDLP{}},
	{record.SchemaAllPairs, record.AllPairs{}},
	{record.SchemaBench, record.Bench{}},
	{record.SchemaBenchPath, record.BenchPath{}},
	{record.SchemaBenchAPSP, record.BenchAllPairs{}},
	{record.SchemaInfo, record.Info{}},
	{record.SchemaCapacity, record.Capacity{}},
	{record.SchemaPartition, record.Partition{}},
	{record.SchemaValidate, record.Validate{}},
	{record.SchemaGenerate, record.Generate{}},
	{record.SchemaConvert, record.Convert{}},
	{record.SchemaVersion, record.Version{}},
	{record.SchemaDevices, record.Devices{}},
	{record.SchemaBenchMachine, record.BenchMachine{}},
	{record.SchemaBenchDevice, record.BenchDevice{}},
	{record.PowerMetersSchema, record.PowerMeters{}},
	{record.PowerSessionSchema, record.PowerSession{}},
}

const documentHead = `# What the commands print as JSON

Made from the comments of package record by ` + "`make generate`" + `; do not edit.

With ` + "`--json`" + ` a command prints one object. The library's statistics are the same Go types.

- Names are snake case and end in the unit: ` + "`_s` seconds, `_j` joules, `_w` watts, `_ns` nanoseconds, `_bytes`" + `.
  The kernels' blocks of Graph500 keep the benchmark's spelling.
- An unknown value is absent, never 0. A field without "optional" is always present.
- Numbers have full precision. Vertex ids are those of the file.
- A schema's number rises when a field changes its meaning or is removed. A new field keeps it.
`

// comments holds the comments of the package's struct types.
type comments struct {
	types  map[string]string
	fields map[string]map[string]string // by type and Go name
}

func parseComments(t *testing.T) comments {
	c := comments{map[string]string{}, map[string]map[string]string{}}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			g, is := d.(*ast.GenDecl)
			if !is || g.Tok != token.TYPE {
				continue
			}
			spec := g.Specs[0].(*ast.TypeSpec)
			s, is := spec.Type.(*ast.StructType)
			if !is {
				continue
			}
			name := spec.Name.Name
			c.types[name] = oneLine(g.Doc.Text())
			c.fields[name] = map[string]string{}
			for _, field := range s.Fields.List {
				for _, id := range field.Names {
					doc := oneLine(field.Doc.Text())
					if doc != "" { // a sentence; a comment behind a field begins in lower case
						doc = strings.ToLower(doc[:1]) + doc[1:]
					}
					c.fields[name][id.Name] = doc + oneLine(field.Comment.Text())
				}
			}
		}
	}
	return c
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// element is the type behind pointers, slices and arrays, and whether it is one of many.
func element(t reflect.Type) (elem reflect.Type, many bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
		many = many || t.Kind() != reflect.Pointer
		t = t.Elem()
	}
	return t, many
}

// structs lists the struct types that t reaches, each before those of its fields.
func structs(t reflect.Type, list []reflect.Type, known map[reflect.Type]bool) []reflect.Type {
	if t, _ = element(t); t.Kind() != reflect.Struct || known[t] {
		return list
	}
	known[t] = true
	list = append(list, t)
	for i := range t.NumField() {
		list = structs(t.Field(i).Type, list, known)
	}
	return list
}

// allStructs lists the struct types of all documents.
func allStructs() (list []reflect.Type) {
	known := map[reflect.Type]bool{}
	for _, d := range documents {
		list = structs(reflect.TypeOf(d.value), list, known)
	}
	return list
}

// jsonName is the name of a field in JSON, and whether it may be absent.
func jsonName(f reflect.StructField) (name string, optional bool) {
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name, options == "omitempty"
}

// jsonType is a Go type as a JSON type.
func jsonType(t reflect.Type) string {
	elem, many := element(t)
	name := map[reflect.Kind]string{reflect.String: "string", reflect.Bool: "boolean", reflect.Float64: "number",
		reflect.Map: "object", reflect.Struct: elem.Name()}[elem.Kind()]
	if elem.Kind() == reflect.Struct {
		name = "[" + name + "](#" + strings.ToLower(name) + ")"
	}
	if name == "" {
		name = "integer"
	}
	if many {
		name = "list of " + name
	}
	return name
}

// document is docs/json.md, made from the types and their comments.
func document(t *testing.T) string {
	c := parseComments(t)
	schemas := map[reflect.Type]string{}
	for _, d := range documents {
		schemas[reflect.TypeOf(d.value)] = d.schema
	}
	var b strings.Builder
	b.WriteString(documentHead)
	for _, s := range allStructs() {
		// Comments name fields as Go does; the document as JSON does.
		inJSON := func(text string) string {
			for i := range s.NumField() {
				f := s.Field(i)
				name, _ := jsonName(f)
				before := "([a-z,/] )" // a name such as Roots may be a word that begins a sentence
				if regexp.MustCompile(`[a-z].*[A-Z]`).MatchString(f.Name) {
					before = `(\b)`
				}
				if name != "" {
					text = regexp.MustCompile(before+f.Name+`\b`).ReplaceAllString(text, "$1`"+name+"`")
				}
			}
			return text
		}
		text := inJSON(strings.TrimPrefix(c.types[s.Name()], s.Name()+" "))
		text = regexp.MustCompile(`^(is|holds|are|has) `).ReplaceAllString(text, "")
		text = regexp.MustCompile(`"(totemgo [a-z0-9 ]+)"`).ReplaceAllString(text, "`$1`")
		if text == "" {
			t.Errorf("%s has no comment", s.Name())
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", s.Name(), strings.ToUpper(text[:1])+text[1:])
		if schema := schemas[s]; schema != "" {
			fmt.Fprintf(&b, "Schema `%s`.\n", schema)
		}
		var rows strings.Builder
		for i := range s.NumField() {
			f := s.Field(i)
			if f.Anonymous {
				fmt.Fprintf(&b, "It has the fields of %s.\n", jsonType(f.Type))
				continue
			}
			name, optional := jsonName(f)
			kind := jsonType(f.Type)
			if optional {
				kind += ", optional"
			}
			meaning := c.fields[s.Name()][f.Name]
			if meaning == "" {
				t.Errorf("%s.%s has no comment", s.Name(), f.Name)
			}
			fmt.Fprintf(&rows, "| `%s` | %s | %s |\n", name, kind, strings.ReplaceAll(inJSON(meaning), "|", "\\|"))
		}
		b.WriteString("\n| field | type | meaning |\n|---|---|---|\n" + rows.String())
	}
	return b.String()
}

// TestDocument compares docs/json.md with the types and their comments; -update rewrites it.
func TestDocument(t *testing.T) {
	want := document(t)
	if *update {
		if err := os.WriteFile(documentFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(documentFile)
	if err != nil {
		t.Fatal(err)
	}
	if strings.ReplaceAll(string(got), "\r\n", "\n") != want {
		t.Error("docs/json.md is not what the comments of package record say; run make generate")
	}
}
