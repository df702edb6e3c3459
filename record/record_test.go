package record_test

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/record"
)

// documents are the types that commands print, by schema.
var documents = map[string]any{
	record.SchemaGraph500:     record.Graph500{},
	record.SchemaBFS:          record.BFS{},
	record.SchemaBench:        record.Bench{},
	record.SchemaInfo:         record.Info{},
	record.SchemaPartition:    record.Partition{},
	record.SchemaValidate:     record.Validate{},
	record.SchemaGenerate:     record.Generate{},
	record.SchemaConvert:      record.Convert{},
	record.SchemaVersion:      record.Version{},
	record.SchemaDevices:      record.Devices{},
	record.SchemaBenchMachine: record.BenchMachine{},

	record.PowerMetersSchema:  record.PowerMeters{},
	record.PowerSessionSchema: record.PowerSession{},
}

// field is one field in JSON.
type field struct {
	name     string
	optional bool
}

// structs collects the struct types that t reaches, with their own fields; those of
// embedded types stand under the embedded type.
func structs(t reflect.Type, into map[string][]field) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || into[t.Name()] != nil {
		return
	}
	fields := []field{}
	into[t.Name()] = fields
	for f := range t.NumField() {
		f := t.Field(f)
		structs(f.Type, into)
		if f.Anonymous {
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		fields = append(fields, field{name, options == "omitempty"})
	}
	into[t.Name()] = fields
}

var (
	section = regexp.MustCompile("(?m)^## (\\w+)$")
	row     = regexp.MustCompile("(?m)^\\| `([^`]+)` \\|(.*)\\|$")
)

// TestDocument compares docs/json.md with the types: the same sections, and in each
// the same fields in the same order, said to be optional where they are.
func TestDocument(t *testing.T) {
	data, err := os.ReadFile("../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	got := map[string][]field{}
	heads := section.FindAllStringSubmatchIndex(text, -1)
	body := map[string]string{}
	for i, h := range heads {
		end := len(text)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		name := text[h[2]:h[3]]
		body[name] = text[h[1]:end]
		for _, r := range row.FindAllStringSubmatch(body[name], -1) {
			got[name] = append(got[name], field{r[1], strings.Contains(r[2], "absent") || strings.Contains(r[2], "as in Graph500")})
		}
	}

	want := map[string][]field{}
	for schema, d := range documents {
		structs(reflect.TypeOf(d), want)
		if name := reflect.TypeOf(d).Name(); !strings.Contains(body[name], "schema `"+schema+"`") {
			t.Errorf("section %s does not state the schema %s", name, schema)
		}
	}
	for name, fields := range want {
		if !slices.Equal(got[name], fields) {
			t.Errorf("%s:\ndocument %v\ntypes    %v", name, got[name], fields)
		}
	}
	for name := range got {
		if want[name] == nil {
			t.Errorf("the document describes %s, which no command prints", name)
		}
	}
}

// TestTags: every field has a name in snake case, but for the benchmark's TEPS.
func TestTags(t *testing.T) {
	name := regexp.MustCompile(`^[a-z0-9]+(_[a-z0-9]+)*$`)
	benchmark := regexp.MustCompile(`^([a-z]+_){0,2}TEPS$`)
	all := map[string][]field{}
	for _, d := range documents {
		structs(reflect.TypeOf(d), all)
	}
	for s, fields := range all {
		for _, f := range fields {
			if !name.MatchString(f.name) && !benchmark.MatchString(f.name) {
				t.Errorf("%s: field name %q", s, f.name)
			}
		}
	}
}

// TestUnknownIsAbsent: an empty document states only what is always known.
func TestUnknownIsAbsent(t *testing.T) {
	for schema, d := range documents {
		data, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(data, &fields); err != nil {
			t.Fatal(err)
		}
		if _, ok := fields["schema"]; !ok {
			t.Errorf("%s: no schema in %s", schema, data)
		}
		for _, f := range []string{"machine", "version", "peak_rss_bytes", "generation_time", "bfs", "sssp", "green", "compare", "roofline", "copy_s"} {
			if _, ok := fields[f]; ok {
				t.Errorf("%s: unknown %s is stated: %s", schema, f, data)
			}
		}
	}
}

// TestRoundTrip: a full document is read back as it was written.
func TestRoundTrip(t *testing.T) {
	x := 0.1
	n := int64(0)
	d := record.Graph500{
		Head:  record.Head{Schema: record.SchemaGraph500, Machine: &record.Machine{Cores: 2, OS: "linux/amd64"}},
		Scale: 16, Roots: []uint64{1 << 40}, GenerationTime: &x, Isolated: &n,
		BFS:      &record.Statistics{MinTime: 1e-9, HarmonicMeanTEPS: &x},
		Levels:   []record.Level{{Direction: record.BottomUp, EdgesExamined: &x}},
		Searches: []record.Search{{Root: 1<<64 - 1}},
		Green:    &record.Green{Coverage: record.CoverageWholeSystem},
		Compare:  &record.Compare{Rounds: 3},
	}
	data, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var back record.Graph500
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(d, back) {
		t.Errorf("%s", data)
	}
	if !strings.Contains(string(data), `"isolated":0`) {
		t.Errorf("a known 0 is absent: %s", data)
	}
}
