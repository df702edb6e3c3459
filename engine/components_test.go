package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/gen"
	"github.com/totemgo/totemgo/graph/graphio"
	"github.com/totemgo/totemgo/internal/needs"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/partition"
)

// checkComponents compares the weak and the strong components of an engine with those wanted. weak
// is nil where the engine lacks arcs of one direction.
func checkComponents(t *testing.T, name string, e *engine.Engine, weak, strong []uint32) {
	t.Helper()
	checks := []struct {
		f      func(context.Context) (*engine.ComponentsResult, error)
		labels []uint32
		strong bool
	}{{e.Components, weak, false}, {e.StrongComponents, strong, true}}
	if weak == nil {
		if _, err := e.Components(t.Context()); !errors.Is(err, kernels.ErrUnsupported) {
			t.Errorf("%s: weak components: %v", name, err)
		}
		checks = checks[1:]
	}
	for _, want := range checks {
		r, err := want.f(t.Context())
		if err != nil {
			t.Fatalf("%s, strong %v: %v", name, want.strong, err)
		}
		if !slices.Equal(r.Labels, want.labels) || r.Strong != want.strong {
			t.Fatalf("%s, strong %v: labels %v, want %v", name, want.strong, r.Labels, want.labels)
		}
		sizes, sum := r.Sizes(), 0
		for i, n := range sizes {
			if sum += n; n == 0 || i > 0 && n > sizes[i-1] {
				t.Errorf("%s: sizes %v", name, sizes)
			}
		}
		if sum != len(want.labels) || len(sizes) != r.Count() {
			t.Errorf("%s: %d components of sizes %v, %d vertices", name, r.Count(), sizes, len(want.labels))
		}
		next := uint32(0)
		for v, label := range r.All() {
			if v != r.Label(next) || label != r.Label(want.labels[next]) {
				t.Errorf("%s: All yields %d in %d", name, v, label)
			}
			next++
		}
		if int(next) != len(want.labels) {
			t.Errorf("%s: All yields %d vertices", name, next)
		}
	}
}

// TestComponents compares with the oracles on the corpus and on random graphs, most of them of some
// large and many small components.
func TestComponents(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(12)) // equal shares: no list has more threads
	corpus := ref.Corpus()
	rng := rand.New(rand.NewPCG(7, 8))
	for i := range 40 {
		n := 64 + rng.IntN(2000)
		edges := ref.Uniform(uint64(i), n, rng.IntN(2*n))
		if i%3 == 0 { // two halves
			edges = slices.DeleteFunc(edges, func(e graph.Edge) bool { return int(e.U) < n/2 != (int(e.V) < n/2) })
		}
		corpus = append(corpus, ref.Named{Name: fmt.Sprint("random ", i), List: &graph.EdgeList{Vertices: n, Directed: i%4 != 0, Edges: edges}})
	}
	for i, g := range corpus {
		if raceEnabled && i%5 != 0 {
			continue
		}
		weak, strong := ref.Components(g.List), ref.StrongComponents(g.List)
		for parts := 1; parts <= 4; parts++ {
			policy := []partition.Policy{partition.HubsOnCPU, partition.Random, partition.Original}[rng.IntN(3)]
			director := []bsp.DirectorName{bsp.DirectorTopDown, bsp.DirectorBottomUp}[rng.IntN(2)]
			for _, o := range []engine.Options{
				{Processors: cpus(slices.Repeat([]int{1}, parts)...), Placement: policy, Director: bsp.DirectorBeamer},
				{Processors: cpus(slices.Repeat([]int{3}, parts)...), Placement: policy, Director: bsp.DirectorBeamer},
				{Processors: cpus(slices.Repeat([]int{2}, parts)...), Placement: policy, Director: director}, // arcs of one direction
			} {
				name := fmt.Sprintf("%s, %d partitions of %d threads, %s, director %q", g.Name, parts, o.Processors[0].Threads, policy, o.Director)
				e, err := engine.New(t.Context(), g.List, o)
				if err != nil {
					t.Fatal(err)
				}
				want := weak
				if o.Director != bsp.DirectorBeamer && g.List.Directed {
					want = nil
				}
				checkComponents(t, name, e, want, strong)
				if err := e.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// TestComponentsFail: errors of calls that cannot succeed; the engine stays usable.
func TestComponentsFail(t *testing.T) {
	g := &graph.EdgeList{Vertices: 300000, Directed: true, Edges: ref.Chain(300000)}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e := open(t, g, engine.Options{Processors: cpus(1, 1)})
	for name, f := range map[string]func(context.Context) (*engine.ComponentsResult, error){"weak": e.Components, "strong": e.StrongComponents} {
		if _, err := f(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: a context that has ended: %v", name, err)
		}
		if _, err := f(&endsAfter{Context: t.Context()}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: a context that ends within: %v", name, err)
		}
		if r, err := f(t.Context()); err != nil || (r.Count() != 1) != r.Strong {
			t.Errorf("%s: after failures: %v", name, err)
		}
	}
	for limit, want := range map[int64]error{1000: engine.ErrMemory, 1 << 40: nil} {
		engine.LimitMemory(e, limit)
		for name, f := range map[string]func(context.Context) (*engine.ComponentsResult, error){"weak": e.Components, "strong": e.StrongComponents} {
			if _, err := f(t.Context()); !errors.Is(err, want) || want != nil && !strings.Contains(err.Error(), "the limit is 1000") {
				t.Errorf("%s: limit of %d bytes: %v", name, limit, err)
			}
		}
	}
	e.Close()
	if _, err := e.StrongComponents(t.Context()); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("a closed engine: %v", err)
	}
}

// endsAfter is a context that ends after five looks at it.
type endsAfter struct {
	context.Context
	looks atomic.Int32
}

func (c *endsAfter) Err() error {
	if c.looks.Add(1) > 5 {
		return context.Canceled
	}
	return nil
}

// TestComponentsCases runs the acceptance cases of components.
func TestComponentsCases(t *testing.T) {
	text, err := os.ReadFile(needs.Cases(t, "c25g", "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Results struct{ WCC, SCC [][]uint64 }
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	f, err := graphio.Open(t.Context(), needs.Cases(t, "c25g", "dir.el"), graphio.Options{Direction: graphio.Directed})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	e := open(t, f.Source, engine.Options{Processors: cpus(1, 1)})
	defer e.Close()
	for _, c := range []struct {
		f    func(context.Context) (*engine.ComponentsResult, error)
		want [][]uint64
	}{{e.Components, want.Results.WCC}, {e.StrongComponents, want.Results.SCC}} {
		r, err := c.f(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := map[uint64][]uint64{}
		for v, label := range r.All() {
			got[label] = append(got[label], v)
		}
		for _, component := range c.want {
			if !slices.Equal(got[component[0]], component) {
				t.Errorf("component of %d is %v, want %v", component[0], got[component[0]], component)
			}
		}
		if len(got) != len(c.want) || len(got) == 0 {
			t.Errorf("%d components, want %d", len(got), len(c.want))
		}
	}
}

// TestDeepComponents runs the case of a directed path of 10^6 vertices, and a star.
func TestDeepComponents(t *testing.T) {
	n := 1_000_000
	if testing.Short() || raceEnabled {
		n = 100_000
	}
	for name, edges := range map[string][]graph.Edge{"path": ref.Chain(n), "star": ref.Make(gen.ShapeOptions{Shape: gen.Star, Vertices: int64(n)})} {
		g := &graph.EdgeList{Vertices: n, Directed: true, Edges: edges}
		for _, o := range []engine.Options{{Processors: cpus(2)}, {Processors: cpus(1, 1), Placement: partition.Random}} {
			e := open(t, g, o)
			start := time.Now()
			weak, err := e.Components(t.Context())
			if err != nil || weak.Count() != 1 {
				t.Errorf("%s: weak components: %v", name, err)
			}
			strong, err := e.StrongComponents(t.Context())
			if err != nil || strong.Count() != n {
				t.Errorf("%s: strong components: %v", name, err)
			}
			if took := time.Since(start); took > 30*time.Second {
				t.Errorf("%s: %v", name, took)
			}
			e.Close()
		}
	}
}

// TestPublishedComponents compares with the figures that SNAP's pages state: vertices of the
// largest weak and strong component (snap.stanford.edu/data, "Nodes in largest WCC", "SCC").
func TestPublishedComponents(t *testing.T) {
	for _, g := range []struct {
		file         string
		weak, strong int
	}{
		{"wiki-Vote.txt", 7066, 1300},
		{"soc-Epinions1.txt.gz", 75877, 32223},
		{"web-NotreDame.txt.gz", 325729, 53968},
	} {
		f, err := graphio.Open(t.Context(), needs.Data(t, g.file), graphio.Options{Direction: graphio.Directed})
		if err != nil {
			t.Fatal(err)
		}
		e := open(t, f.Source, engine.Options{Processors: cpus(1, 1)})
		f.Close()
		weak, err := e.Components(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		strong, err := e.StrongComponents(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: strong components in %v", g.file, time.Since(start))
		if weak.Sizes()[0] != g.weak || strong.Sizes()[0] != g.strong {
			t.Errorf("%s: largest components %d and %d, want %d and %d", g.file, weak.Sizes()[0], strong.Sizes()[0], g.weak, g.strong)
		}
		e.Close()
	}
}

// go test ./engine -run - -bench Components -count 6
func BenchmarkComponents(b *testing.B) {
	for _, g := range []struct {
		name   string
		recipe gen.Recipe
	}{
		{"kron/scale=16", gen.KroneckerOptions{Scale: 16}},
		{"kron/scale=20", gen.KroneckerOptions{Scale: 20}},
		{"uniform/scale=20", gen.UniformOptions{Vertices: 1 << 20, Edges: 16 << 20}},
		{"grid/side=2000", gen.GridOptions{Rows: 2000, Columns: 2000}},
	} {
		b.Run("graph="+g.name, func(b *testing.B) {
			l, err := gen.Make(b.Context(), g.recipe)
			if err != nil {
				b.Fatal(err)
			}
			for _, what := range strings.Fields("weak strong") {
				b.Run("components="+what+"/processors=cpu", func(b *testing.B) {
					e, err := engine.New(b.Context(), l, engine.Options{})
					if err != nil {
						b.Fatal(err)
					}
					defer e.Close()
					f := e.Components
					if what == "strong" {
						f = e.StrongComponents
					}
					for b.Loop() {
						if _, err := f(b.Context()); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(len(l.Edges))*float64(b.N)/b.Elapsed().Seconds(), "edges/s")
				})
			}
		})
	}
}
