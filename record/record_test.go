package record_test

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/record"
)

// TestTags: every field has a name in snake case, but for the benchmark's TEPS.
func TestTags(t *testing.T) {
	name := regexp.MustCompile(`^[a-z0-9]+(_[a-z0-9]+)*$`)
	benchmark := regexp.MustCompile(`^([a-z]+_){0,2}TEPS$`)
	for _, s := range allStructs() {
		for i := range s.NumField() {
			f := s.Field(i)
			if got, _ := jsonName(f); !f.Anonymous && !name.MatchString(got) && !benchmark.MatchString(got) {
				t.Errorf("%s: field name %q", s.Name(), got)
			}
		}
	}
}

// TestUnknownIsAbsent: an empty document states only what is always known.
func TestUnknownIsAbsent(t *testing.T) {
	for _, d := range documents {
		schema := d.schema
		data, err := json.Marshal(d.value)
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
		Setup: record.Setup{Isolated: &n},
		Scale: 16, Roots: []uint64{1 << 40}, GenerationTime: &x,
		BFS:      &record.Statistics{MinTime: 1e-9, HarmonicMeanTEPS: &x},
		Levels:   []record.Level{{Direction: record.BottomUp, EdgesExamined: &x}},
		Searches: []record.Search{{Root: 1<<64 - 1}},
		Green:    &record.Green{Evidence: record.Evidence{Coverage: record.CoverageWholeSystem}},
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
