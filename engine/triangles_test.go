package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/graphio"
	"github.com/totemgo/totemgo/internal/needs"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/partition"
)

// triangular returns the corpus and random graphs with many triangles.
func triangular() (graphs []ref.Named) {
	rng := rand.New(rand.NewPCG(15, 1))
	graphs = ref.Corpus()
	for i := range 30 {
		n := 3 + rng.IntN(200)
		edges := ref.Uniform(uint64(i), n, rng.IntN(n*n/4+1))
		if i%3 == 0 {
			n = 1 << 8
			edges = ref.RMAT(uint64(i), 8, 40*n)
		}
		graphs = append(graphs, ref.Named{Name: fmt.Sprint("random ", i), List: &graph.EdgeList{Vertices: n, Directed: i%2 == 0, Edges: edges}})
	}
	return graphs
}

// everywhere calls f with engines of g on 1 to 4 partitions, by different placements and numbers of threads.
func everywhere(t *testing.T, g ref.Named, f func(name string, e *engine.Engine)) {
	t.Helper()
	for parts, policy := range []partition.Policy{partition.HubsOnCPU, partition.Random, partition.Original, partition.Random} {
		threads := 1 + parts%3
		e, err := engine.New(t.Context(), g.List, engine.Options{
			Processors: cpus(slices.Repeat([]int{threads}, parts+1)...), Placement: policy, Threads: threads, Director: bsp.DirectorBeamer,
		})
		if err != nil {
			t.Fatal(err)
		}
		f(fmt.Sprintf("%s, %d partitions of %d threads, %s", g.Name, parts+1, threads, policy), e)
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTriangles compares counts and coefficients with the oracle.
func TestTriangles(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(12))
	for i, g := range triangular() {
		if raceEnabled && i%5 != 0 || g.List.Vertices > 3000 {
			continue
		}
		count, clustering, wedges := ref.Triangles(g.List)
		sum := int64(0)
		for _, n := range count {
			sum += n
		}
		everywhere(t, g, func(name string, e *engine.Engine) {
			r, err := e.Triangles(t.Context())
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if r.Count != sum/3 || r.Wedges != wedges || !slices.Equal(r.Triangles, count) || !slices.Equal(r.Clustering, clustering) {
				t.Fatalf("%s: %d triangles, %d wedges, %v, %v, want %d, %d, %v, %v",
					name, r.Count, r.Wedges, r.Triangles, r.Clustering, sum/3, wedges, count, clustering)
			}
		})
	}
}

// TestTrianglesFail: errors of calls that cannot succeed; the engine stays usable.
func TestTrianglesFail(t *testing.T) {
	g := &graph.EdgeList{Vertices: 3000, Directed: true, Edges: ref.Uniform(1, 3000, 30000)}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e := open(t, g, engine.Options{Processors: cpus(1, 1)})
	for _, ctx := range []context.Context{ctx, &endsAfter{Context: t.Context()}} {
		if _, err := e.Triangles(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("a context that ends: %v", err)
		}
	}
	engine.LimitMemory(e, 1000)
	if _, err := e.Triangles(t.Context()); !errors.Is(err, engine.ErrMemory) || !strings.Contains(err.Error(), "the limit is 1000") {
		t.Errorf("limit of 1000 bytes: %v", err)
	}
	engine.LimitMemory(e, 1<<40)
	if r, err := e.Triangles(t.Context()); err != nil || r.Count == 0 {
		t.Errorf("after failures: %v, %v", r, err)
	}
	e.Close()
	if _, err := e.Triangles(t.Context()); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("a closed engine: %v", err)
	}
	one := open(t, g, engine.Options{Processors: cpus(1), Director: bsp.DirectorTopDown})
	if _, err := one.Triangles(t.Context()); !errors.Is(err, engine.ErrNoRows) {
		t.Errorf("arcs of one direction: %v", err)
	}
	empty := open(t, &graph.EdgeList{Vertices: 4}, engine.Options{Processors: cpus(1)})
	if r, err := empty.Triangles(t.Context()); err != nil || r.Count != 0 || len(r.Triangles) != 4 || r.Average() != 0 || r.Transitivity() != 0 {
		t.Errorf("no edges: %+v, %v", r, err)
	}
}

// openRandom opens a file on so many CPU partitions at random.
func openRandom(t *testing.T, path string, direction graphio.Direction, parts int) *engine.Engine {
	t.Helper()
	f, err := graphio.Open(t.Context(), path, graphio.Options{Direction: direction})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return open(t, f.Source, engine.Options{Processors: cpus(slices.Repeat([]int{1}, parts)...), Placement: partition.Random})
}

// TestTrianglesPublished compares with published values: of SNAP's pages for facebook_combined (average clustering 0.6055) and
// wiki-Vote (0.1409), each with its number of triangles; of networkx' documentation for karate and lesmis.
func TestTrianglesPublished(t *testing.T) {
	for _, c := range []struct {
		file      string
		direction graphio.Direction
		count     int64
		average   float64
	}{
		{"facebook_combined.txt", graphio.Undirected, 1612010, 0.6055},
		{"wiki-Vote.txt", graphio.Undirected, 608389, 0.1409},
		{"karate.graph", graphio.Undirected, 45, 0.5706},
		{"lesmis.graph", graphio.Undirected, 467, 0.5731},
		{"jazz.graph", graphio.Undirected, 17899, 0.6175},
		{"celegans_metabolic.graph", graphio.Undirected, 3284, 0.6465},
		{"power.graph", graphio.Undirected, 651, 0.0801},
		{"PGPgiantcompo.graph", graphio.Undirected, 54788, 0.2659},
	} {
		for parts := 1; parts <= 2; parts++ {
			e := openRandom(t, needs.Data(t, c.file), c.direction, parts)
			r, err := e.Triangles(t.Context())
			if err != nil || r.Count != c.count || math.Abs(r.Average()-c.average) > 1e-4 {
				t.Errorf("%s: %d triangles, average %.6f, transitivity %.6f, want %d, %v; %v", c.file, r.Count, r.Average(), r.Transitivity(), c.count, c.average, err)
			}
		}
	}
}

// TestClusteringGraphalytics compares with the outputs of LDBC Graphalytics.
func TestClusteringGraphalytics(t *testing.T) {
	for _, kind := range []graphio.Direction{graphio.Directed, graphio.Undirected} {
		name := map[graphio.Direction]string{graphio.Directed: "example-directed", graphio.Undirected: "example-undirected"}[kind]
		text, err := os.ReadFile(needs.Data(t, "graphalytics", name+"-LCC"))
		if err != nil {
			t.Fatal(err)
		}
		for parts := 1; parts <= 3; parts++ {
			r, err := openRandom(t, needs.Data(t, "graphalytics", name+".e"), kind, parts).Triangles(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			lines := 0
			for line := range strings.Lines(string(text)) {
				var id uint64
				var want float64
				if _, err := fmt.Sscan(line, &id, &want); err != nil {
					t.Fatal(err)
				}
				v, err := r.ID(id)
				if err != nil || math.Abs(r.Clustering[v]-want) > 1e-4*want {
					t.Errorf("%s: vertex %d has %v, want %v; %v", name, id, r.Clustering[v], want, err)
				}
				lines++
			}
			if lines != len(r.Clustering) || lines == 0 {
				t.Errorf("%s: %d lines for %d vertices", name, lines, len(r.Clustering))
			}
		}
	}
}
