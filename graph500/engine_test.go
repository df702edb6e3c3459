package graph500_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph500"
	"github.com/totemgo/totemgo/partition"
	"github.com/totemgo/totemgo/record"
)

// TestRunOnEngine: every placement and director passes validation on one and on
// several processors, and finds the same figures.
func TestRunOnEngine(t *testing.T) {
	want := ""
	for _, policy := range partition.Policies() {
		for _, director := range bsp.Directors() {
			for _, processors := range []string{"cpu:2", "cpu:1,cpu:1"} {
				name := fmt.Sprintf("placement=%s/director=%s/processors=%s", policy, director, processors)
				procs, err := engine.ParseProcessors(processors)
				if err != nil {
					t.Fatal(err)
				}
				r, err := graph500.Run(context.Background(), graph500.Config{Scale: 8, Searches: 6, Count: true},
					graph500.WithEngine(engine.Options{Processors: procs, Placement: policy, Director: director}))
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if r.Placement != string(policy) || r.Director != string(director) || len(r.Processors) != len(procs) {
					t.Errorf("%s: %s, %s, %+v", name, r.Placement, r.Director, r.Processors)
				}
				var figures strings.Builder
				for _, s := range r.Searches {
					fmt.Fprintln(&figures, s.Root, s.NEdge, s.NEdgeSpec, s.Reached, s.Depth)
				}
				if want == "" {
					want = figures.String()
				}
				if figures.String() != want {
					t.Errorf("%s: figures\n%s\nwant\n%s", name, figures.String(), want)
				}
				counted := false
				for _, l := range r.Levels {
					counted = counted || l.EdgesExamined != nil
					if len(l.Processors) != len(procs) || l.Searches < 1 || l.Searches > r.NBFS {
						t.Errorf("%s: %+v", name, l)
					}
					if director == "top-down" && l.Direction != record.TopDown || director == "bottom-up" && l.Direction != record.BottomUp {
						t.Errorf("%s: level %d goes %s", name, l.Level, l.Direction)
					}
				}
				if !counted || !r.CountedOutsideClock {
					t.Errorf("%s: no edges were counted", name)
				}
			}
		}
	}
}

// TestRunSSSPOnEngine: every placement passes validation by both kernels on one and on several
// processors.
func TestRunSSSPOnEngine(t *testing.T) {
	for _, policy := range partition.Policies() {
		for _, processors := range []string{"cpu:2", "cpu:1,cpu:1"} {
			procs, err := engine.ParseProcessors(processors)
			if err != nil {
				t.Fatal(err)
			}
			r, err := graph500.Run(context.Background(), graph500.Config{Scale: 9, Searches: 6, SSSP: true},
				graph500.WithEngine(engine.Options{Processors: procs, Placement: policy}))
			if err != nil {
				t.Fatalf("%s, %s: %v", policy, processors, err)
			}
			if passed := (record.Validation{Passed: 6}); r.Validation != passed || *r.SSSPValidation != passed {
				t.Errorf("%s, %s: %+v, %+v", policy, processors, r.Validation, r.SSSPValidation)
			}
		}
	}
}

// TestRunGolden: the roots and the edge count of the benchmark's own graph.
func TestRunGolden(t *testing.T) {
	r, err := graph500.Run(context.Background(), graph500.Config{Scale: 10}, graph500.WithEngine(engine.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	var roots strings.Builder
	for _, root := range r.Roots {
		fmt.Fprintln(&roots, root)
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256([]byte(roots.String()))); sum != "fbb47e9f62082316640046d50b9512efbd45f76022de363f1fe682b328d61e74" {
		t.Errorf("roots %v", r.Roots)
	}
	if r.BFS.MedianNEdge != 16239 || r.Validation != (record.Validation{Passed: 64}) {
		t.Errorf("median_nedge %v, validation %+v", r.BFS.MedianNEdge, r.Validation)
	}
}
