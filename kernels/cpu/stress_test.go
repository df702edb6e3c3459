package cpu_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/cpu"
	"github.com/totemgo/totemgo/partition"
)

// stressed is a graph and a root, and what checks its trees.
type stressed struct {
	name string
	list *graph.EdgeList
	root uint32
	*ref.Checker
}

func newStressed(name string, l *graph.EdgeList, root uint32) *stressed {
	return &stressed{name, l, root, ref.NewChecker(l)}
}

// stressGraphs are small, yet large enough for threads to share each kind of step: a
// hub whose row is cut into chunks, and more vertices left over by a bottom-up step than
// one thread takes.
func stressGraphs(t *testing.T) []*stressed {
	kron := kronecker(t, 10)
	directed := &graph.EdgeList{Vertices: kron.Vertices, Directed: true, Edges: kron.Edges}
	star := &graph.EdgeList{Vertices: 20_000}
	for v := uint32(1); v < 20_000; v++ {
		star.Edges = append(star.Edges, graph.Edge{U: 0, V: v})
	}
	uniform := &graph.EdgeList{Vertices: 5000}
	r := rand.New(rand.NewPCG(21, 22))
	for range 6000 {
		uniform.Edges = append(uniform.Edges, graph.Edge{U: r.Uint32N(5000), V: r.Uint32N(5000)})
	}
	return []*stressed{
		newStressed("kron of scale 10", kron, kron.Edges[5].U), newStressed("kron of scale 10, directed", directed, kron.Edges[5].U),
		newStressed("star of 20000", star, 7), newStressed("uniform on 5000", uniform, uniform.Edges[0].U),
	}
}

// TestStress runs every step that threads share on eight of them, a thousand times each:
// the levels of all searches are the oracle's, and every parent is joined to its child.
func TestStress(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	const threads = 8
	steps := 1000
	if raceEnabled || testing.Short() {
		steps = 60
	}
	const seed = 23
	rng := rand.New(rand.NewPCG(seed, 0))
	graphs := stressGraphs(t)
	var assembly, plain []string
	for _, set := range cpu.Kernels() {
		if set == "generic" {
			plain = append(plain, set)
		} else {
			assembly = append(assembly, set)
		}
	}
	for _, way := range []struct {
		down, up, limits string
		sets             []string
	}{
		{"own-ranks", "words", "serial=0,share=1000000000,scatter=1000000,list=1000000", cpu.Kernels()},
		{"bucketed", "words", "serial=0,share=0,scatter=1000000,list=1000000", cpu.Kernels()},
		{"bucketed-scatter", "words", "serial=0,scatter=0,list=1000000", plain},
		{"direct-scatter", "words", "serial=0,scatter=0,list=1000000", assembly},
	} {
		if len(way.sets) == 0 {
			continue // a build without assembly
		}
		t.Run(way.down+","+way.up, func(t *testing.T) {
			// Each set of kernels on each graph.
			type pair struct {
				g *stressed
				p *partition.Placement
				k *cpu.Search
			}
			var pairs []pair
			for _, g := range graphs {
				p, err := partition.New(context.Background(), g.list, partition.Options{
					Policy: partition.HubsOnCPU, Processors: make([]partition.Processor, 1), Threads: 1,
				})
				if err != nil {
					t.Fatal(err)
				}
				defer p.Close()
				for _, set := range way.sets {
					k := cpu.New(threads)
					tune(t, k, set, way.limits)
					if err := k.Load(context.Background(), p.Part(0)); err != nil {
						t.Fatal(err)
					}
					search := k.Search()
					defer search.Close()
					if k.Threads() != threads {
						t.Fatalf("%d threads, want %d", k.Threads(), threads)
					}
					pairs = append(pairs, pair{g, p, search})
				}
			}
			ran := map[string]int{}
			search := 0
			for ; ran[way.down] < steps || ran[way.up] < steps; search++ {
				if search == 10*steps {
					t.Fatalf("%d searches, and steps by %v", search, ran)
				}
				x := pairs[search%len(pairs)]
				// The list is longest where a search goes up from the root.
				ups := 20 + 80*(search/len(pairs)%2)
				var d kernels.Direction
				parents := alone(t, x.p, x.k, x.g.root, kernels.NeedFewArcs|kernels.NeedUnvisited, func(level int) kernels.Direction {
					if level > 0 {
						ran[x.k.Way(d)]++
					}
					d = kernels.TopDown
					if rng.IntN(100) < ups {
						d = kernels.BottomUp
					}
					return d
				})
				ran[x.k.Way(d)]++
				if err := x.g.CheckTree(x.g.root, parents); err != nil {
					t.Fatalf("seed %d, search %d: %s, kernels %s, %s: %v", seed, search, x.g.name, x.k.KernelSet(), way.limits, err)
				}
			}
			t.Logf("%d searches, steps on %d threads %v", search, threads, ran)
			for name := range ran {
				if name != "" && name != way.down && name != way.up && name != "words" {
					t.Errorf("steps ran by %s", name)
				}
			}
		})
	}
}
