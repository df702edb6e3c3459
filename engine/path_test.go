package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/partition"
)

// checkPath compares a path with the level of its end, and its arcs with those of the graph.
func checkPath(t *testing.T, name string, path []uint64, from, to uint64, level int32, arc func(u, v uint64) bool) {
	t.Helper()
	if len(path) != int(level)+1 {
		t.Errorf("%s: path from %d to %d: %d, want %d arcs", name, from, to, path, level)
		return
	}
	for i := 1; i < len(path); i++ {
		if !arc(path[i-1], path[i]) {
			t.Errorf("%s: path from %d to %d: %d: no arc from %d to %d", name, from, to, path, path[i-1], path[i])
		}
	}
	if level >= 0 && (path[0] != from || path[level] != to) {
		t.Errorf("%s: path from %d to %d has the ends %d and %d", name, from, to, path[0], path[level])
	}
}

// arcsOf has the arcs of a graph, by ids of the file.
func arcsOf(g *graph.EdgeList) map[[2]uint64]bool {
	arcs, labels := map[[2]uint64]bool{}, g.VertexLabels()
	for _, x := range g.Edges {
		u, v := labels.Label(x.U), labels.Label(x.V)
		arcs[[2]uint64{u, v}] = true
		if !g.Directed {
			arcs[[2]uint64{v, u}] = true
		}
	}
	return arcs
}

func TestPath(t *testing.T) {
	for _, g := range ref.Corpus() {
		arcs, labels := arcsOf(g.List), g.List.VertexLabels()
		for _, c := range []struct {
			processors []engine.Processor
			policy     partition.Policy
		}{{cpus(1), partition.Original}, {cpus(1, 1, 1), partition.HubsOnCPU}} {
			e := open(t, g.List, engine.Options{Processors: c.processors, Placement: c.policy})
			r := rand.New(rand.NewPCG(1, 2))
			n := uint32(g.List.Vertices)
			for range 6 {
				a := r.Uint32N(max(1, n))
				if a >= n {
					break
				}
				levels := ref.Levels(g.List, a)
				for range 10 {
					b := r.Uint32N(n)
					from, to := labels.Label(a), labels.Label(b)
					path, err := e.Path(t.Context(), from, to)
					if err != nil {
						t.Fatal(err)
					}
					checkPath(t, g.Name+string(c.policy), path, from, to, levels[b], func(u, v uint64) bool { return arcs[[2]uint64{u, v}] })
					if d, err := e.Distance(t.Context(), from, to); err != nil || d != int64(levels[b]) {
						t.Errorf("%s: distance from %d to %d: %d, %v; want %d", g.Name, from, to, d, err, levels[b])
					}
				}
			}
			if _, err := e.Path(t.Context(), 1<<60, 1<<60); !errors.Is(err, graph.ErrNoVertex) {
				t.Errorf("%s: an end that is no vertex: %v", g.Name, err)
			}
			e.Close()
			if _, err := e.Path(t.Context(), 0, 0); !errors.Is(err, engine.ErrClosed) {
				t.Errorf("%s: after Close: %v", g.Name, err)
			}
		}
	}
}

// TestPathRefused: contexts, memory, an engine without the arcs of a direction.
func TestPathRefused(t *testing.T) {
	g := &graph.EdgeList{Vertices: 3, Directed: true, Edges: []graph.Edge{{U: 0, V: 1}, {U: 1, V: 2}}}
	e := open(t, g, engine.Options{Processors: cpus(1)})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Path(ended, 0, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
	if _, err := e.Path(nil, 0, 2); !errors.Is(err, engine.ErrArgument) { //nolint:staticcheck // the misuse under test
		t.Errorf("a nil context: %v", err)
	}
	if _, err := new(engine.Engine).Path(t.Context(), 0, 2); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("a zero engine: %v", err)
	}
	engine.LimitMemory(e, 1)
	if _, err := e.Path(t.Context(), 0, 2); !errors.Is(err, engine.ErrMemory) {
		t.Errorf("no memory: %v", err)
	}
	if _, err := open(t, g, engine.Options{Director: "top-down"}).Path(t.Context(), 0, 2); !errors.Is(err, engine.ErrNoRows) {
		t.Errorf("no in-arcs: %v", err)
	}
}

// TestPathEnds: a search of a long chain ends soon after its context.
func TestPathEnds(t *testing.T) {
	e := open(t, &graph.EdgeList{Vertices: 1 << 21, Edges: ref.Chain(1 << 21)}, engine.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if path, err := e.Path(ctx, 0, 1<<21-1); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%d vertices, %v", len(path), err)
	}
	if d, err := e.Distance(t.Context(), 5, 1000); d != 995 || err != nil {
		t.Errorf("after a search that ended: %d, %v", d, err)
	}
}

// TestPathConcurrent: paths at once and beside searches, some of which Close refuses.
func TestPathConcurrent(t *testing.T) {
	g := &graph.EdgeList{Vertices: 1 << 10, Edges: ref.RMAT(5, 10, 4<<10)}
	e := open(t, g, engine.Options{Processors: cpus(1)})
	levels := ref.Levels(g, 3)
	var wg sync.WaitGroup
	fail := make(chan string, 8)
	for c := range 8 {
		wg.Go(func() {
			for i := 0; i < 4000; i++ {
				b := uint64((i*8 + c) % g.Vertices)
				d, err := e.Distance(context.Background(), 3, b)
				if errors.Is(err, engine.ErrClosed) {
					return
				}
				if err != nil || d != int64(levels[b]) {
					fail <- fmt.Sprintf("distance to %d: %d, %v; want %d", b, d, err, levels[b])
					return
				}
			}
		})
	}
	for range 20 {
		if _, err := e.BFS(t.Context(), 3); err != nil {
			t.Error(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	wg.Wait()
	close(fail)
	for f := range fail {
		t.Error(f)
	}
}
