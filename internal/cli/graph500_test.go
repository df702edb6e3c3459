package cli

import (
	"strconv"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/record"
)

func TestGraph500(t *testing.T) {
	for style, first := range map[string]string{"spec": "bfs_min_time:", "3.0": "bfs  min_time:", "2.1.4": "\nmin_time:"} {
		r := command(t, "graph500", "--scale", "8", "--style", style).must(t)
		if !strings.HasPrefix(r.stdout, "SCALE:") || !strings.Contains(r.stdout, first) || !strings.Contains(r.stdout, "harmonic_mean_TEPS:") ||
			!strings.HasSuffix(r.stdout, "\nvalidation: 64 of 64 passed\n") || r.stderr != "" {
			t.Errorf("%s: %q %q", style, r.stdout, r.stderr)
		}
	}
	r := command(t, "graph500", "--scale", "8", "--stats", "--roots", "3").must(t)
	if !strings.Contains(r.stdout, "validation: 3 of 3 passed") || !strings.Contains(r.stdout, "processor") || !strings.Contains(r.stdout, "direction") {
		t.Errorf("%q", r.stdout)
	}
	r = command(t, "graph500", "--scale", "5", "--json")
	d := document[record.Graph500](t, r)
	has(t, r, "scale", "edgefactor", "nbfs", "vertex_bits", "roots", "generation_time", "construction_time", "bfs", "validation", "placement",
		"director", "processors", "isolated", "levels", "searches", "counted_outside_clock", "peak_rss_bytes")
	if d.Schema != record.SchemaGraph500 || d.NBFS != len(d.Roots) || d.NBFS > 32 || d.Validation.Passed != d.NBFS || d.Validation.Failed != 0 ||
		d.BFS.MedianNEdge != 469 || d.BFS.HarmonicMeanTEPS == nil || len(d.Searches) != d.NBFS {
		t.Errorf("%+v", d)
	}
	other := document[record.Graph500](t, command(t, "graph500", "--scale", "5", "--seed", "4,5", "--json"))
	if other.BFS.MeanNEdge == d.BFS.MeanNEdge {
		t.Error("another seed, the same graph")
	}
}

// TestGraph500SSSP: both kernels in the document and in the styles that know kernel 3.
func TestGraph500SSSP(t *testing.T) {
	for _, processors := range []string{"cpu:1", "cpu:1,cpu:1"} {
		r := command(t, "graph500", "--scale", "8", "--sssp", "--processors", processors, "--json")
		d := document[record.Graph500](t, r)
		has(t, r, "sssp", "sssp_validation", "sssp_searches")
		if passed := (record.Validation{Passed: 64}); d.Validation != passed || *d.SSSPValidation != passed || d.VertexBits != 48 || len(d.SSSPSearches) != 64 ||
			d.BFS.HarmonicMeanTEPS == nil || d.SSSP.HarmonicMeanTEPS == nil || r.stderr != "" {
			t.Errorf("%s: %+v %+v %q", processors, d, d.SSSPValidation, r.stderr)
		}
	}
	const both = "\nvalidation: 4 of 4 passed\nsssp_validation: 4 of 4 passed\n"
	for style, want := range map[string][]string{
		"spec":  {"\nbfs_min_time:", "\nsssp_min_time:", "\nsssp_harmonic_mean_TEPS:", "\nvertex_bits:                    48\n", both},
		"3.0":   {"\nbfs  min_time:", "\nsssp min_time:", "\nsssp harmonic_mean_TEPS:", both},
		"2.1.4": {"\nmin_time:", "\nvalidation: 4 of 4 passed\n"},
	} {
		r := command(t, "graph500", "--scale", "8", "--roots", "4", "--sssp", "--style", style).must(t)
		for _, line := range want {
			if !strings.Contains(r.stdout, line) {
				t.Errorf("%s: no %q in %q", style, line, r.stdout)
			}
		}
		if old := style == "2.1.4"; old != strings.Contains(r.stderr, "2.1.4 knows no kernel 3") || old == strings.Contains(r.stdout, "sssp") {
			t.Errorf("%s: %q %q", style, r.stdout, r.stderr)
		}
	}
	// Both kernels' tuples and weights count in the prediction of memory.
	need := map[bool]string{}
	for _, sssp := range []bool{false, true} {
		r := command(t, "graph500", "--scale", "20", "--memory-limit", "1M", "--sssp="+strconv.FormatBool(sssp))
		_, after, ok := strings.Cut(r.stderr, " needs ")
		if need[sssp], _, _ = strings.Cut(after, " "); !ok || r.status == 0 {
			t.Fatalf("%d %q", r.status, r.stderr)
		}
	}
	plain, _ := strconv.Atoi(need[false])
	if with, _ := strconv.Atoi(need[true]); with < plain+8<<24+4<<25 { // tuples of 16 bytes instead of 8; 4 bytes an arc
		t.Errorf("%v bytes", need)
	}
	r := command(t, "graph500", "--scale", "6", "--sssp", "--power", "model:idle=50,busy=100", "--duration", "10ms").must(t)
	if !strings.Contains(r.stderr, "repeated are kernel 2's") || !strings.Contains(r.stdout, "\ngreen_searches:") {
		t.Errorf("%q %q", r.stdout, r.stderr)
	}
	r = command(t, "graph500", "--scale", "6", "--sssp", "--power", "model:idle=50,busy=100", "--duration", "10ms", "--compare", "cpu:1", "--compare", "cpu:1,cpu:1").must(t)
	if !strings.Contains(r.stdout, "\ncompare_rounds:") || !strings.Contains(r.stdout, "\nsssp_validation: ") {
		t.Errorf("%q %q", r.stdout, r.stderr)
	}
}

// TestGraph500Partitions runs every placement with every director on two partitions.
func TestGraph500Partitions(t *testing.T) {
	roots := "64"
	if testing.Short() {
		roots = "8"
	}
	for _, placement := range placements() {
		for _, director := range directors() {
			r := command(t, "graph500", "--scale", "9", "--processors", "cpu:1,cpu:1", "--placement", placement, "--share", "0.9,0.1",
				"--director", director, "--roots", roots, "--json")
			d := document[record.Graph500](t, r)
			if d.Validation.Failed != 0 || d.Validation.Passed != d.NBFS || d.Placement != placement || d.Director != director || len(d.Processors) != 2 {
				t.Errorf("%s, %s: %+v", placement, director, d.Validation)
			}
			if s := d.Processors[0].EdgeShare; s < 0.88 || s > 0.92 {
				t.Errorf("%s: a share of 0.9 became %v", placement, s)
			}
			for _, l := range d.Levels {
				if (director == "top-down" || director == "bottom-up") && l.Direction != director {
					t.Errorf("%s: level %d is %s", director, l.Level, l.Direction)
				}
			}
		}
	}
}

// TestGraph500Variables: variables of the reference code are named, and change nothing.
func TestGraph500Variables(t *testing.T) {
	for _, v := range referenceVariables {
		t.Setenv(v[0], "1")
	}
	r := command(t, "graph500", "--scale", "6", "--roots", "2").must(t)
	for _, v := range referenceVariables {
		if !strings.Contains(r.stderr, v[0]+" has no effect: "+v[1]) {
			t.Errorf("%s is not named: %q", v[0], r.stderr)
		}
	}
	if !strings.Contains(r.stdout, "validation: 2 of 2 passed") {
		t.Errorf("%q", r.stdout)
	}
}
