package gen_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/gen"
)

// recipes makes one of each kind with a number of threads.
func recipes(threads int, progress func(done, total int64)) map[string]gen.Recipe {
	return map[string]gen.Recipe{
		"kronecker":   gen.KroneckerOptions{Scale: 12, Threads: threads, Weights: true, Progress: progress},
		"kronecker 2": gen.KroneckerOptions{Scale: 11, EdgeFactor: 17, Seed1: 1 << 63, Seed2: 12345, Threads: threads, Weights: true},
		"rmat":        gen.RMATOptions{Scale: 12, Edges: 50001, Seed: 7, Threads: threads, Weights: true},
		"rmat flat":   gen.RMATOptions{Scale: 11, A: 0.25, B: 0.25, C: 0.25, D: 0.25, KeepNames: true, Threads: threads, Weights: true},
		"uniform":     gen.UniformOptions{Vertices: 1000, Edges: 70000, Seed: 9, Threads: threads, Weights: true},
		"grid":        gen.GridOptions{Rows: 123, Columns: 301, Threads: threads, Weights: true},
		"chain":       gen.ShapeOptions{Shape: gen.Chain, Vertices: 40000, Threads: threads, Weights: true},
		"star":        gen.ShapeOptions{Shape: gen.Star, Vertices: 40000, Threads: threads, Weights: true},
		"density":     gen.DensityOptions{Vertices: 300, Density: 0.4, LargestDegree: 45, Seed: 3, Threads: threads, Weights: true},
		"complete":    gen.ShapeOptions{Shape: gen.Complete, Vertices: 300, Threads: threads, Weights: true},
	}
}

func TestSameForAllThreadsAndRanges(t *testing.T) {
	ctx := context.Background()
	one := recipes(1, nil)
	many := recipes(5, nil)
	for name, r := range one {
		t.Run(name, func(t *testing.T) {
			whole, err := gen.Make(ctx, r)
			if err != nil {
				t.Fatal(err)
			}
			size, _ := r.Size()
			if int64(whole.Vertices) != size.Vertices || int64(len(whole.Edges)) != size.Edges {
				t.Errorf("%d vertices, %d edges, want %+v", whole.Vertices, len(whole.Edges), size)
			}
			for i, e := range whole.Edges {
				if int64(max(e.U, e.V)) >= size.Vertices {
					t.Fatalf("edge %d is %v", i, e)
				}
			}
			weights, _ := graph.WeightsAs[float32](whole.Weights)
			other, err := gen.Make(ctx, many[name])
			if err != nil {
				t.Fatal(err)
			}
			otherWeights, _ := graph.WeightsAs[float32](other.Weights)
			if !slices.Equal(whole.Edges, other.Edges) || !slices.Equal(weights, otherWeights) {
				t.Error("five threads make another graph than one")
			}
			n := len(whole.Edges)
			for _, cut := range [][2]int{{0, 0}, {0, 1}, {1, 2}, {n - 1, n}, {n, n}, {n / 3, n}, {0, n / 2}, {301, 302 + 601}} {
				edges, w := make([]graph.Edge, cut[1]-cut[0]), make([]float32, cut[1]-cut[0])
				if err := many[name].Fill(ctx, int64(cut[0]), edges, w); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(edges, whole.Edges[cut[0]:cut[1]]) || !slices.Equal(w, weights[cut[0]:cut[1]]) {
					t.Errorf("range %v differs", cut)
				}
			}
			if err := r.Fill(ctx, int64(n), make([]graph.Edge, 1), nil); !errors.Is(err, gen.ErrRange) {
				t.Errorf("beyond the end: %v", err)
			}
			if err := r.Fill(ctx, -1, nil, nil); !errors.Is(err, gen.ErrRange) {
				t.Errorf("before the start: %v", err)
			}
			if err := r.Fill(ctx, 0, make([]graph.Edge, 2), make([]float32, 1)); !errors.Is(err, gen.ErrRange) {
				t.Errorf("too few weights: %v", err)
			}
			ended, cancel := context.WithCancel(ctx)
			cancel()
			if _, err := gen.Make(ended, r); !errors.Is(err, context.Canceled) {
				t.Errorf("ended context: %v", err)
			}
		})
	}
}

func TestShapes(t *testing.T) {
	ctx := context.Background()
	e := func(uv ...uint32) (edges []graph.Edge) {
		for i := 0; i < len(uv); i += 2 {
			edges = append(edges, graph.Edge{U: uv[i], V: uv[i+1]})
		}
		return edges
	}
	for _, c := range []struct {
		recipe gen.Recipe
		want   []graph.Edge
	}{
		{gen.ShapeOptions{Shape: gen.Chain}, nil},
		{gen.ShapeOptions{Shape: gen.Star, Vertices: 1}, nil},
		{gen.ShapeOptions{Shape: gen.Chain, Vertices: 4}, e(0, 1, 1, 2, 2, 3)},
		{gen.ShapeOptions{Shape: gen.Star, Vertices: 4}, e(0, 1, 0, 2, 0, 3)},
		{gen.ShapeOptions{Shape: gen.Complete, Vertices: 1}, nil},
		{gen.ShapeOptions{Shape: gen.Complete, Vertices: 4}, e(0, 1, 0, 2, 0, 3, 1, 2, 1, 3, 2, 3)},
		{gen.GridOptions{}, nil},
		{gen.GridOptions{Rows: 1, Columns: 1}, nil},
		{gen.GridOptions{Rows: 1, Columns: 3}, e(0, 1, 1, 2)},
		{gen.GridOptions{Rows: 3, Columns: 1}, e(0, 1, 1, 2)},
		{gen.GridOptions{Rows: 2, Columns: 3}, e(0, 1, 1, 2, 0, 3, 1, 4, 2, 5, 3, 4, 4, 5)},
		{gen.UniformOptions{}, nil},
	} {
		l, err := gen.Make(ctx, c.recipe)
		if err != nil {
			t.Errorf("%+v: %v", c.recipe, err)
		} else if !slices.Equal(l.Edges, c.want) {
			t.Errorf("%+v: %v, want %v", c.recipe, l.Edges, c.want)
		}
	}
}

func TestBadOptions(t *testing.T) {
	for _, r := range []gen.Recipe{
		gen.RMATOptions{}, gen.RMATOptions{Scale: 32}, gen.RMATOptions{Scale: 5, Edges: -1},
		gen.RMATOptions{Scale: 5, A: 0.5, B: 0.6}, gen.RMATOptions{Scale: 5, A: 1.5, B: -0.5},
		gen.RMATOptions{Scale: 5, A: math.NaN()},
		gen.UniformOptions{Edges: 1}, gen.UniformOptions{Vertices: -1}, gen.UniformOptions{Vertices: 1 << 32},
		gen.ShapeOptions{Vertices: -1}, gen.ShapeOptions{Shape: 9}, gen.ShapeOptions{Shape: gen.Complete, Vertices: 1 << 30},
		gen.DensityOptions{Vertices: 1 << 17}, gen.DensityOptions{Vertices: 3, Density: 1.1}, gen.DensityOptions{Vertices: 3, Density: math.NaN()},
		gen.DensityOptions{Vertices: 3, LargestDegree: 101}, gen.DensityOptions{Vertices: -1},
		gen.GridOptions{Rows: 1}, gen.GridOptions{Rows: 1 << 20, Columns: 1 << 20},
	} {
		if _, err := gen.Make(context.Background(), r); !errors.Is(err, gen.ErrOption) {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

func TestAlloc(t *testing.T) {
	// 256 PiB: more than there is, and more than make takes.
	if _, err := gen.Make(t.Context(), gen.KroneckerOptions{Scale: gen.MaxScale, EdgeFactor: gen.MaxEdgeFactor}); !errors.Is(err, gen.ErrAlloc) && !errors.Is(err, gen.ErrOption) {
		t.Errorf("no such memory: %v", err)
	}
}

// Progress rises to the total and is called from one goroutine at a time.
func TestProgress(t *testing.T) {
	var inside atomic.Int32
	last := int64(0)
	r := recipes(4, func(done, total int64) {
		if inside.Add(1) != 1 || total != 16<<12 {
			t.Errorf("%d calls at once, total %d", inside.Load(), total)
		}
		last = done
		inside.Add(-1)
	})["kronecker"]
	if _, err := gen.Make(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	if last != 16<<12 {
		t.Errorf("last told %d", last)
	}
}

// TestDensity: the graph is simple, connected, of the density asked for unless the largest degree forbids it, and no
// degree is above that.
func TestDensity(t *testing.T) {
	for n := range int64(40) {
		for _, density := range []float64{0, 0.1, 0.25, 0.5, 0.8, 1} {
			for _, percent := range []float64{0, 5, 25, 60, 95} {
				o := gen.DensityOptions{Vertices: n, Density: density, LargestDegree: percent, Seed: uint64(n)}
				l, err := gen.Make(context.Background(), o)
				if err != nil {
					t.Fatal(err)
				}
				most := n - 1
				if percent > 0 {
					most = min(most, max(2, int64(float64(n)*percent/100)))
				}
				want := max(0, n-1, min(int64(math.Round(density*float64(n*(n-1)/2))), n*most/2))
				if int64(len(l.Edges)) != want {
					t.Fatalf("%+v: %d edges, want %d", o, len(l.Edges), want)
				}
				degrees, seen, joined := make([]int64, n), map[graph.Edge]bool{}, make([]int, n)
				for v := range joined {
					joined[v] = v
				}
				for _, e := range l.Edges {
					degrees[e.U]++
					degrees[e.V]++
					u, v := min(e.U, e.V), max(e.U, e.V)
					if u == v || seen[graph.Edge{U: u, V: v}] {
						t.Fatalf("%+v: edge %v is a loop or not the first", o, e)
					}
					seen[graph.Edge{U: u, V: v}] = true
					for a, b, i := joined[u], joined[v], 0; i < len(joined); i++ {
						if joined[i] == a {
							joined[i] = b
						}
					}
				}
				for v, d := range degrees {
					if d > most || joined[v] != joined[0] {
						t.Fatalf("%+v: vertex %d has degree %d, above %d, or is apart", o, v, d, most)
					}
				}
			}
		}
	}
}

// The share of edges in each quadrant is what was asked for.
func TestRMATQuadrants(t *testing.T) {
	l, err := gen.Make(context.Background(), gen.RMATOptions{Scale: 5, Edges: 200000, A: 0.4, B: 0.3, C: 0.2, D: 0.1, KeepNames: true})
	if err != nil {
		t.Fatal(err)
	}
	for bit := range 5 {
		var n [4]float64
		for _, e := range l.Edges {
			n[e.U>>bit&1*2+e.V>>bit&1] += 1.0 / 200000
		}
		for q, want := range []float64{0.4, 0.3, 0.2, 0.1} {
			if math.Abs(n[q]-want) > 0.01 {
				t.Errorf("bit %d, quadrant %d: %.3f, want %.3f", bit, q, n[q], want)
			}
		}
	}
}

func ExampleMake() {
	list, err := gen.Make(context.Background(), gen.KroneckerOptions{Scale: 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(list.Vertices, len(list.Edges), list.Edges[0])
	// Output: 1024 16384 {299 797}
}

func FuzzRange(f *testing.F) {
	f.Add(uint8(0), uint16(3), uint16(90))
	whole := map[string][]graph.Edge{}
	names := []string{"kronecker", "rmat", "uniform", "grid", "chain", "star", "complete"}
	all := recipes(2, nil)
	for _, name := range names {
		l, err := gen.Make(context.Background(), all[name])
		if err != nil {
			f.Fatal(err)
		}
		whole[name] = l.Edges
	}
	f.Fuzz(func(t *testing.T, kind uint8, from, n uint16) {
		name := names[int(kind)%len(names)]
		edges := make([]graph.Edge, n)
		err := all[name].Fill(context.Background(), int64(from), edges, nil)
		if end := int(from) + int(n); end > len(whole[name]) {
			if !errors.Is(err, gen.ErrRange) {
				t.Fatalf("%s %d+%d: %v", name, from, n, err)
			}
		} else if err != nil || !slices.Equal(edges, whole[name][from:end]) {
			t.Fatalf("%s %d+%d differs: %v", name, from, n, err)
		}
	})
}

func TestMakeNil(t *testing.T) {
	var none context.Context
	for name, make := range map[string]func() (*graph.EdgeList, error){
		"context": func() (*graph.EdgeList, error) { return gen.Make(none, gen.KroneckerOptions{Scale: 4}) },
		"recipe":  func() (*graph.EdgeList, error) { return gen.Make(t.Context(), nil) },
	} {
		if _, err := make(); !errors.Is(err, gen.ErrOption) {
			t.Errorf("nil %s: %v", name, err)
		}
	}
	if err := (gen.KroneckerOptions{Scale: 4}).Fill(none, 0, []graph.Edge{{}}, nil); !errors.Is(err, gen.ErrOption) {
		t.Errorf("Fill, nil context: %v", err)
	}
}

// TestDensityMemory demands that the edges of a whole graph are made in their place.
func TestDensityMemory(t *testing.T) {
	o := gen.DensityOptions{Vertices: 1000, Density: 0.5}
	size, err := o.Size()
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := gen.Make(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := int64(after.TotalAlloc - before.TotalAlloc); got > size.EdgeBytes*5/4 {
		t.Errorf("%d bytes allocated for %d of edges", got, size.EdgeBytes)
	}
}
