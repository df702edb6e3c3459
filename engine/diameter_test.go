package engine_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/graphio"
	"github.com/totemgo/totemgo/internal/needs"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/partition"
)

// largestDistance is the oracle: the largest distance in the largest component, and its size.
func largestDistance(list *graph.EdgeList) (most, vertices int64) {
	labels, size := ref.Components(list), map[uint32]int64{}
	best := uint32(0)
	for _, c := range labels {
		size[c]++
	}
	for _, c := range labels {
		if size[c] > size[best] || size[c] == size[best] && c < best {
			best = c
		}
	}
	search := ref.NewChecker(list)
	for v, c := range labels {
		if c == best {
			for _, l := range search.Levels(uint32(v)) {
				most = max(most, int64(l))
			}
		}
	}
	return most, size[best]
}

func TestDiameter(t *testing.T) {
	graphs := ref.Corpus()
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 13))
		n := 2 + r.IntN(700)
		graphs = append(graphs, ref.Named{Name: "uniform", List: &graph.EdgeList{Vertices: n, Directed: seed%4 == 0, Edges: ref.Uniform(seed, n, n/2+r.IntN(2*n))}})
	}
	for i, g := range graphs {
		if g.List.Vertices > 2500 {
			continue
		}
		want, vertices := largestDistance(g.List)
		for _, processors := range [][]engine.Processor{cpus(1), cpus(2, 1)} {
			e := open(t, g.List, engine.Options{Processors: processors, Placement: []partition.Policy{partition.HubsOnCPU, partition.Random}[i%2]})
			r, err := e.Diameter(t.Context())
			if !g.List.Directed {
				b, err := e.DiameterBounds(t.Context(), 1+int64(i%4))
				if err != nil || b.Diameter > want || b.Bound < want || b.Roots > 1+int64(i%4) {
					t.Errorf("%s %d: %+v, %v; want bounds of %d", g.Name, i, b, err, want)
				}
			} else if _, err := e.DiameterBounds(t.Context(), 3); !errors.Is(err, engine.ErrArgument) {
				t.Error(err)
			}
			if err != nil || r.Diameter != want || r.Bound != want || r.Vertices != vertices {
				t.Fatalf("%s %d: %+v, %v; want %d, %d vertices", g.Name, i, r, err, want, vertices)
			}
			if g.List.Vertices == 0 {
				continue
			}
			from, err := r.ID(r.From)
			if err != nil {
				t.Fatal(err)
			}
			to, err := r.ID(r.To)
			if err != nil || int64(ref.Levels(g.List, from)[to]) != want {
				t.Errorf("%s: from %d to %d the distance is not %d; %v", g.Name, r.From, r.To, want, err)
			}
		}
	}
}

// TestPublishedDiameters: the diameter of the power grid is 46 (Watts and Strogatz's data, as SNAP and KONECT list it),
// and of Facebook's circles 8 (SNAP). Few searches suffice.
func TestPublishedDiameters(t *testing.T) {
	for _, c := range []struct {
		file     string
		diameter int64
	}{{"power.graph", 46}, {"facebook_combined.txt", 8}, {"PGPgiantcompo.graph", 24}} {
		f, err := graphio.Open(t.Context(), needs.Data(t, c.file), graphio.Options{Direction: graphio.Undirected})
		if err != nil {
			t.Fatal(err)
		}
		e := open(t, f.Source, engine.Options{Processors: cpus(1, 1)})
		r, err := e.Diameter(t.Context())
		if err != nil || r.Diameter != c.diameter || r.Roots > int64(e.NumVertices())/4 {
			t.Errorf("%s: %+v, %v; want %d", c.file, r, err, c.diameter)
		}
		t.Logf("%s: %d from %d to %d, %d searches, %v", c.file, r.Diameter, r.From, r.To, r.Roots, r.Time)
		f.Close()
	}
}
