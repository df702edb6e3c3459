package cli

import (
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
