package cli

import (
	"strings"
	"testing"

	"github.com/totemgo/totemgo/record"
)

func TestInfo(t *testing.T) {
	g := file(t, "g.txt", twoTriangles)
	r := command(t, "info", g, "--json")
	d := document[record.Info](t, r)
	has(t, r, "vertices", "edges", "arcs", "directed", "weighted", "self_loops", "duplicates", "isolated", "components", "largest_component",
		"max_degree", "degree_histogram", "placements")
	if d.Schema != record.SchemaInfo || d.Vertices != 7 || d.Edges != 9 || d.Arcs != 17 || d.Directed || d.Weighted || d.SelfLoops != 1 ||
		d.Duplicates != 1 || d.Components != 2 || d.LargestComponent != 4 || d.Format != "edgelist" || d.File != g {
		t.Errorf("%+v", d)
	}
	total := int64(0)
	for _, b := range d.DegreeHistogram {
		total += b.Vertices
	}
	if total != 7 || len(d.Placements) != len(placements()) {
		t.Errorf("%+v", d)
	}
	r = command(t, "info", g, "--device-memory", "1MiB").must(t)
	for _, s := range []string{"vertices", "9 (1 self-loop, 1 duplicate)", "components", "####", "placements on cpu,opencl:0", "hubs-on-cpu", "original"} {
		if !strings.Contains(r.stdout, s) {
			t.Errorf("info does not say %q:\n%s", s, r.stdout)
		}
	}
	if d := document[record.Info](t, command(t, "info", g, "--json", "--placement", "random")); len(d.Placements) != 1 || d.Placements[0].Placement != "random" {
		t.Errorf("%+v", d.Placements)
	}
	w := document[record.Info](t, command(t, "info", file(t, "w.wel", "0 1 7\n"), "--json"))
	if !w.Weighted || w.WeightKind != "int32" || !w.Directed {
		t.Errorf("%+v", w)
	}
}

// TestInfoStatistics: triangles are counted on request.
func TestInfoStatistics(t *testing.T) {
	g := file(t, "g.txt", twoTriangles)
	if d := document[record.Info](t, command(t, "info", g, "--json")); d.Statistics != nil {
		t.Errorf("%+v", d.Statistics)
	}
	if d := document[record.Info](t, command(t, "info", g, "--json", "--stats")); d.Statistics == nil || d.Statistics.Triangles != 2 || d.Statistics.Transitivity <= 0 || d.Statistics.AverageClustering <= 0 {
		t.Errorf("%+v", d.Statistics)
	}
	if r := command(t, "info", g, "--stats").must(t); !strings.Contains(r.stdout, "triangles       2, transitivity ") {
		t.Errorf("%q", r.stdout)
	}
	if r := command(t, "info", g, "--stats", "--directed").must(t); strings.Contains(r.stdout, "\ndiameter") {
		t.Errorf("%q", r.stdout)
	}
	path := file(t, "p.txt", "0 1\n1 2\n2 3\n7 8\n")
	if d := document[record.Info](t, command(t, "info", path, "--undirected", "--json", "--stats")); d.Statistics.Diameter == nil || *d.Statistics.Diameter != (record.InfoDiameter{AtLeast: 3, AtMost: 3}) {
		t.Errorf("%+v", d.Statistics.Diameter)
	}
	if r := command(t, "info", path, "--undirected", "--stats").must(t); !strings.Contains(r.stdout, "diameter        3, of the largest component") {
		t.Errorf("%q", r.stdout)
	}
}

func TestPartition(t *testing.T) {
	g := file(t, "g.txt", twoTriangles)
	r := command(t, "partition", g, "--processors", "cpu:1,cpu:2", "--share", "0.5,0.5", "--json")
	d := document[record.Partition](t, r)
	has(t, r, "placement", "processors", "ranges", "bytes", "vertices", "isolated")
	sum := 0.0
	for _, p := range d.Processors {
		sum += p.EdgeShare
	}
	if d.Schema != record.SchemaPartition || len(d.Processors) != 2 || d.Processors[1].Name != "cpu:2" || sum < 0.999 || sum > 1.001 || d.Vertices != 7 {
		t.Errorf("%+v", d)
	}
	r = command(t, "partition", g, "--processors", "cpu:1,opencl:0,cuda:1").must(t)
	for _, s := range []string{"cpu:1", "opencl:0", "cuda:1", "range 0", "7 vertices"} {
		if !strings.Contains(r.stdout, s) {
			t.Errorf("partition does not say %q:\n%s", s, r.stdout)
		}
	}
}

// TestWideIDs keeps ids of 64 bits whole.
func TestWideIDs(t *testing.T) {
	g := file(t, "wide.el", "18446744073709551615 4294967297\n4294967297 1\n")
	r := command(t, "bfs", g, "--root", "18446744073709551615", "-o", "-").must(t)
	if want := "# root 18446744073709551615\n1\t4294967297\t2\n4294967297\t18446744073709551615\t1\n18446744073709551615\t18446744073709551615\t0\n"; r.stdout != want {
		t.Errorf("%q", r.stdout)
	}
	if r := command(t, "bfs", g, "--root", "2"); r.status != 1 || !strings.Contains(r.stderr, "--root 2 is none of the 3 ids between 1 and 18446744073709551615") {
		t.Errorf("%d %q", r.status, r.stderr)
	}
}

// TestManyVertices refuses headers whose vertices would take memory that the file is no
// reason for, and with the lenient option those that the limit does not allow.
func TestManyVertices(t *testing.T) {
	g := file(t, "g.mtx", "%%MatrixMarket matrix coordinate pattern general\n4000000000 4000000000 1\n1 2\n")
	for _, args := range [][]string{{"info"}, {"partition"}, {"bfs", "--root", "1"}} {
		args = append(args, g)
		if r := command(t, args...); r.status != 1 || !strings.Contains(r.stderr, "line 2") || !strings.Contains(r.stderr, "4000000000 vertices") {
			t.Errorf("%q: %d %q", args, r.status, r.stderr)
		}
		args = append(args, "--lenient", "--memory-limit", "1GiB")
		if r := command(t, args...); r.status != 1 || !strings.Contains(r.stderr, "memory") || !strings.Contains(r.stderr, "1073741824") {
			t.Errorf("%q: %d %q", args, r.status, r.stderr)
		}
	}
}

// TestUnknownContent blames the file, not the command line, where no format fits.
func TestUnknownContent(t *testing.T) {
	g := file(t, "g.bin", "\x00\x01\x02\x03 and more")
	if r := command(t, "info", g); r.status != 1 || !strings.Contains(r.stderr, "--format") && !strings.Contains(r.stderr, "name the format") {
		t.Errorf("%d %q", r.status, r.stderr)
	}
	if r := command(t, "info", g, "--format", "nonsense"); r.status != 2 {
		t.Errorf("an unknown format: %d %q", r.status, r.stderr)
	}
}
