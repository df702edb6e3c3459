package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/gen"
	"github.com/totemgo/totemgo/partition"
)

func bfsRef(l *graph.EdgeList, root uint32) []int32 {
	adj := make([][]uint32, l.Vertices)
	for _, e := range l.Edges {
		adj[e.U] = append(adj[e.U], e.V)
		if !l.Directed {
			adj[e.V] = append(adj[e.V], e.U)
		}
	}
	lv := make([]int32, l.Vertices)
	for i := range lv {
		lv[i] = -1
	}
	lv[root] = 0
	q := []uint32{root}
	for len(q) > 0 {
		u := q[0]
		q = q[1:]
		for _, v := range adj[u] {
			if lv[v] < 0 {
				lv[v] = lv[u] + 1
				q = append(q, v)
			}
		}
	}
	return lv
}

func TestQuick(t *testing.T) {
	ctx := context.Background()
	kron, err := gen.Kronecker(ctx, gen.KroneckerOptions{Scale: 12, EdgeFactor: 16, Seed1: 2, Seed2: 3})
	if err != nil {
		t.Fatal(err)
	}
	dir := &graph.EdgeList{Vertices: 3000, Directed: true}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		dir.Edges = append(dir.Edges, graph.Edge{U: rng.Uint32N(3000), V: rng.Uint32N(3000)})
	}
	for gi, l := range []*graph.EdgeList{kron, dir} {
		for _, pol := range partition.Policies() {
			for procs := 1; procs <= 4; procs++ {
				for _, d := range bsp.Directors() {
					t.Run(fmt.Sprintf("%d/%s/%d/%s", gi, pol, procs, d), func(t *testing.T) {
						o := engine.Options{Placement: pol, Director: d}
						for range procs {
							o.Processors = append(o.Processors, engine.Processor{Kind: "cpu", Threads: 1 + procs%2})
						}
						e, err := engine.New(ctx, l, o)
						if err != nil {
							t.Fatal(err)
						}
						defer e.Close()
						for _, root := range []uint64{0, 1, 5, 77, 300} {
							r, err := e.BFS(ctx, root)
							if err != nil {
								t.Fatal(err)
							}
							want := bfsRef(l, uint32(root))
							for v, lv := range r.Levels() {
								if lv != want[v] {
									t.Fatalf("root %d vertex %d: level %d, want %d", root, v, lv, want[v])
								}
							}
						}
					})
				}
			}
		}
	}
}
