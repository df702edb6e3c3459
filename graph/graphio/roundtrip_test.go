package graphio_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/graphio"
)

// TestDataRoundTrip writes a real web graph in the formats that hold it, and after
// simplifying it in METIS too, and demands the same graph, id by id.
func TestDataRoundTrip(t *testing.T) {
	dir := folder(t, "TOTEMGO_DATA", "data")
	ctx := context.Background()
	name := "web-NotreDame.txt.gz"
	if underRace {
		name = "facebook_combined.txt" // smaller
	}
	f, err := graphio.Open(ctx, filepath.Join(dir, name), graphio.Options{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	build := func(src graph.Source, o graph.BuildOptions) *graph.CSR {
		o.Threads = 2
		g, err := graph.Build(ctx, src, o)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	directed := build(f.Source, graph.BuildOptions{})
	list := *f.Source.(*graph.EdgeList)
	list.Directed = false
	simple := build(&list, graph.BuildOptions{Loops: graph.DropLoops, Duplicates: graph.MergeMin})
	for _, c := range []struct {
		name string
		g    *graph.CSR
	}{
		{"w.sg", directed}, {"w.mtx", directed}, {"w.gr", directed}, {"w.wsg", directed}, {"w.totem", directed}, {"w.tgr", directed},
		{"w.el.gz", directed}, {"w.graph", simple}, {"w.g500", simple},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), c.name)
			report, err := graphio.Save(ctx, path, c.g, graphio.SaveOptions{Threads: 2}.WithoutSync())
			if err != nil {
				t.Fatal(err)
			}
			r, err := graphio.Open(ctx, path, graphio.Options{Threads: 2})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			got := build(r.Source, graph.BuildOptions{})
			if !slices.Equal(got.Offsets(), c.g.Offsets()) || !slices.Equal(got.Targets(), c.g.Targets()) {
				t.Error("another graph came back")
			}
			if !slices.Equal(labelsOf(got), labelsOf(c.g)) && !strings.Contains(strings.Join(report.Losses, ""), "ids:") {
				t.Errorf("ids changed, losses %q", report.Losses)
			}
		})
	}
	if _, err := graphio.Save(ctx, filepath.Join(t.TempDir(), "w.graph"), directed, graphio.SaveOptions{}); err == nil ||
		!strings.Contains(err.Error(), "Options.Direction") || directed.SelfLoops() > 0 && !strings.Contains(err.Error(), "BuildOptions.Loops") ||
		!strings.Contains(err.Error(), "BuildOptions.Duplicates") {
		t.Errorf("METIS: %v", err)
	}
}
