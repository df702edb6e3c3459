package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/kernels/cpu"
	"github.com/totemgo/totemgo/partition"
)

// randomGraph draws a graph: uniform, with ends that prefer low ids, around hubs, or
// along a chain; now and then one that is large enough for threads to share lists.
// Self-loops, duplicates and vertices without edges come by themselves.
func randomGraph(r *rand.Rand) ref.Named {
	n := 1 + r.IntN(1+r.IntN(900))
	if r.IntN(12) == 0 {
		n = 2500 + r.IntN(3000)
	}
	l := &graph.EdgeList{Vertices: n, Directed: r.IntN(3) == 0}
	kind := r.IntN(4)
	end := func(bend int) uint32 {
		x := r.Float64()
		for range bend {
			x *= r.Float64()
		}
		return uint32(x * float64(n))
	}
	hubs := 1 + r.IntN(3)
	for i := range r.IntN(4*n + 1) {
		e := graph.Edge{U: end(0), V: end(0)}
		switch kind {
		case 1:
			e = graph.Edge{U: end(3), V: end(1)}
		case 2:
			if i%4 > 0 {
				e.U = uint32(r.IntN(min(n, hubs)))
			}
		case 3:
			e.V = uint32(min(n-1, int(e.U)+r.IntN(3)))
		}
		l.Edges = append(l.Edges, e)
	}
	return ref.Named{Name: fmt.Sprintf("kind %d, %d vertices, %d edges, directed %v", kind, n, len(l.Edges), l.Directed), List: l}
}

// randomTuning draws limits, small ones and large ones alike.
func randomTuning(r *rand.Rand) cpu.Tuning {
	limit := func(most int) int64 {
		if r.IntN(3) == 0 {
			return 0
		}
		return int64(r.IntN(1 << r.IntN(most)))
	}
	return cpu.Tuning{Serial: limit(14), Share: limit(16), Scatter: limit(8), List: 1 + limit(8)}
}

// TestProperty: whatever the graph, the kernels, the limits, the threads, the partitions
// and the directions, levels are the oracle's and every parent is valid.
func TestProperty(t *testing.T) {
	procs(t, 4)
	const seed = 41
	rounds := 400
	if raceEnabled || testing.Short() {
		rounds = 40
	}
	levels := [4]int64{} // searched, by number of partitions
	for round := range rounds {
		r := rand.New(rand.NewPCG(seed, uint64(round)))
		o := newOracle(randomGraph(r))
		tuning := randomTuning(r)
		var threads []int
		for range 1 + r.IntN(3) {
			threads = append(threads, 1+r.IntN(2))
		}
		sets, policies := cpu.Kernels(), partition.Policies()
		var now bsp.Script
		apart := r.IntN(2) == 0 // supersteps one by one
		opts := engine.Options{
			Processors: cpus(threads...), Placement: policies[r.IntN(len(policies))], Seed: r.Uint64(),
			Kernels: sets[r.IntN(len(sets))], Tuning: &tuning, NewDirector: func() bsp.Director {
				if apart {
					return hook{now, func(int) {}}
				}
				return now
			},
		}
		what := fmt.Sprintf("round %d of seed %d: %s; %s on %v threads, kernels %s, %s", round, seed, o.name, opts.Placement, threads, opts.Kernels, tuning)
		e := open(t, o.list, opts)
		res := e.NewResult()
		for range 3 {
			now = script(r)
			root := uint32(r.IntN(o.list.Vertices))
			if k := len(o.list.Edges); k > 0 && r.IntN(4) > 0 {
				root = o.list.Edges[r.IntN(k)].U
			}
			err := e.BFSInto(context.Background(), uint64(root), res)
			if err == nil {
				err = o.check(root, res)
			}
			if err != nil {
				t.Fatalf("%s, root %d, directions %v: %v", what, root, now, err)
			}
			levels[len(threads)] += res.Depth
		}
		res.Free()
		if err := e.Close(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	for parts := 1; parts <= 3; parts++ {
		if levels[parts] < int64(rounds) {
			t.Errorf("%d levels were searched on %d partitions", levels[parts], parts)
		}
	}
}
