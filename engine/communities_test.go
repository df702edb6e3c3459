package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/graphio"
	"github.com/totemgo/totemgo/internal/needs"
	"github.com/totemgo/totemgo/internal/ref"
)

// TestCommunities compares core numbers and labels with the oracles.
func TestCommunities(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(12))
	for i, g := range triangular() {
		if raceEnabled && i%5 != 0 || g.List.Vertices > 1000 {
			continue
		}
		cores, most := ref.Cores(g.List), int32(0)
		for _, k := range cores {
			most = max(most, k)
		}
		everywhere(t, g, func(name string, e *engine.Engine) {
			r, err := e.KCore(t.Context())
			if err != nil || !slices.Equal(r.Cores, cores) || r.Degeneracy != most {
				t.Fatalf("%s: %v, want %v; %v", name, r, cores, err)
			}
			for _, n := range []int{1, 2, 10} {
				want := ref.Communities(g.List, n)
				r, err := e.CDLP(t.Context(), n)
				if err != nil || !slices.Equal(r.Labels, want) || r.Iterations > n || r.Iterations < n && r.Changed != 0 {
					t.Fatalf("%s, %d iterations: %+v, want %v; %v", name, n, r, want, err)
				}
				distinct := map[uint32]bool{}
				for _, l := range want {
					distinct[l] = true
				}
				if r.Count() != len(distinct) {
					t.Errorf("%s: %d communities, want %d", name, r.Count(), len(distinct))
				}
			}
		})
	}
}

// TestCommunitiesFail: errors of calls that cannot succeed; the engine stays usable.
func TestCommunitiesFail(t *testing.T) {
	g := &graph.EdgeList{Vertices: 3000, Edges: ref.Uniform(1, 3000, 30000)}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e := open(t, g, engine.Options{Processors: cpus(1, 1)})
	for name, f := range map[string]func(context.Context) error{
		"k-core": func(ctx context.Context) error { _, err := e.KCore(ctx); return err },
		"labels": func(ctx context.Context) error { _, err := e.CDLP(ctx, 10); return err },
	} {
		if err := f(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: a context that has ended: %v", name, err)
		}
		engine.LimitMemory(e, 1000)
		if err := f(t.Context()); !errors.Is(err, engine.ErrMemory) || !strings.Contains(err.Error(), "the limit is 1000") {
			t.Errorf("%s: limit of 1000 bytes: %v", name, err)
		}
		engine.LimitMemory(e, 1<<40)
		if err := f(t.Context()); err != nil {
			t.Errorf("%s: after failures: %v", name, err)
		}
	}
	if _, err := e.CDLP(t.Context(), 0); !errors.Is(err, engine.ErrArgument) {
		t.Errorf("no iterations: %v", err)
	}
}

// TestLabelsGraphalytics compares with the outputs of LDBC Graphalytics, of 2 iterations.
func TestLabelsGraphalytics(t *testing.T) {
	for name, direction := range map[string]graphio.Direction{"example-directed": graphio.Directed, "example-undirected": graphio.Undirected} {
		text, err := os.ReadFile(needs.Data(t, "graphalytics", name+"-CDLP"))
		if err != nil {
			t.Fatal(err)
		}
		for parts := 1; parts <= 3; parts++ {
			r, err := openRandom(t, needs.Data(t, "graphalytics", name+".e"), direction, parts).CDLP(t.Context(), 2)
			if err != nil {
				t.Fatal(err)
			}
			lines := 0
			for line := range strings.Lines(string(text)) {
				var id, want uint64
				if _, err := fmt.Sscan(line, &id, &want); err != nil {
					t.Fatal(err)
				}
				v, err := r.ID(id)
				if err != nil || r.Label(r.Labels[v]) != want {
					t.Errorf("%s: vertex %d has label %d, want %d; %v", name, id, r.Label(r.Labels[v]), want, err)
				}
				lines++
			}
			if lines != len(r.Labels) || lines == 0 {
				t.Errorf("%s: %d lines for %d vertices", name, lines, len(r.Labels))
			}
		}
	}
}

// TestCoresPublished compares degeneracies with published ones: SNAP graphs and the DIMACS10 graphs as networkx' core_number has them.
func TestCoresPublished(t *testing.T) {
	for file, want := range map[string]int32{
		"facebook_combined.txt": 115, "wiki-Vote.txt": 53, "karate.graph": 4, "lesmis.graph": 9, "jazz.graph": 29,
		"celegans_metabolic.graph": 10, "power.graph": 5, "PGPgiantcompo.graph": 31, "astro-ph.graph": 56,
	} {
		for parts := 1; parts <= 2; parts++ {
			r, err := openRandom(t, needs.Data(t, file), graphio.Undirected, parts).KCore(t.Context())
			if err != nil || r.Degeneracy != want {
				t.Errorf("%s: degeneracy %d, want %d; %v", file, r.Degeneracy, want, err)
			}
		}
	}
}
