package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/internal/needs"
	"github.com/totemgo/totemgo/record"
)

// TestTrianglesReal compares published figures: SNAP's of facebook_combined, and networkx' core number of astro-ph.
func TestTrianglesReal(t *testing.T) {
	for _, procs := range sameAnswer {
		d := document[record.Triangles](t, command(t, append([]string{"triangles", needs.Data(t, "facebook_combined.txt"), "--undirected", "--json"}, procs...)...))
		if d.Schema != record.SchemaTriangles || d.Triangles != 1612010 || d.Wedges != 9314849 || fmt.Sprintf("%.4f %.4f", d.Transitivity, d.AverageClustering) != "0.5192 0.6055" {
			t.Errorf("%q: %+v", procs, d)
		}
		k := document[record.KCore](t, command(t, append([]string{"kcore", needs.Data(t, "astro-ph.graph"), "--json"}, procs...)...))
		if k.Schema != record.SchemaKCore || k.Degeneracy != 56 || k.Innermost != 57 {
			t.Errorf("%q: %+v", procs, k)
		}
		c := document[record.CDLP](t, command(t, append([]string{"cdlp", needs.Data(t, "karate.graph"), "--json", "--top", "9"}, procs...)...))
		if c.Schema != record.SchemaCDLP || c.Communities != int64(len(c.Top)) || c.Largest == 0 || c.Iterations < 1 || c.Iterations > 10 {
			t.Errorf("%q: %+v", procs, c)
		}
	}
	if r := command(t, "cdlp", needs.Data(t, "karate.graph"), "--iterations", "0"); r.status != 2 || !strings.Contains(r.stderr, "--iterations 0") {
		t.Errorf("status %d, %q", r.status, r.stderr)
	}
}

// TestCasesOfTriangles holds the cases of triangles and of communities without edges.
func TestCasesOfTriangles(t *testing.T) {
	for _, c := range casesOf(t, "K29", "K34") {
		for _, procs := range sameAnswer {
			flags := append(append([]string{c.file()}, c.direction()...), procs...)
			if c.Kind == "K34" {
				d := document[record.CDLP](t, command(t, append([]string{"cdlp", "--json"}, flags...)...))
				if d.Communities != *c.Vertices || d.Largest != 1 {
					t.Errorf("%s: %+v", c.ID, d)
				}
				continue
			}
			var sum int64
			var each map[string]int64
			if err := json.Unmarshal(c.Results["triangles"], &sum); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(c.Results["per_vertex"], &each); err != nil {
				t.Fatal(err)
			}
			if d := document[record.Triangles](t, command(t, append([]string{"triangles", "--json"}, flags...)...)); d.Triangles != sum {
				t.Errorf("%s: %d triangles, want %d", c.ID, d.Triangles, sum)
			}
			rows := rowsOf(t, append([]string{"triangles"}, flags...)...)
			if len(rows) != len(each) {
				t.Errorf("%s: %d rows, want %d", c.ID, len(rows), len(each))
			}
			for v, want := range each {
				if got := rows[v]; len(got) != 2 || got[0] != fmt.Sprint(want) {
					t.Errorf("%s: vertex %s has %q triangles, want %d", c.ID, v, got, want)
				}
			}
		}
	}
}
