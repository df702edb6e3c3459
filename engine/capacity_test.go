package engine_test

import (
	"math"
	"runtime"
	"testing"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/gen"
	"github.com/totemgo/totemgo/internal/hugemem"
)

// taken is the memory that the process uses: of the Go heap and in mappings.
func taken() int64 {
	runtime.GC()
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc) + hugemem.Live().Taken
}

// runs are the runs of the algorithms. Each returns its result.
var runs = map[string]func(t *testing.T, e *engine.Engine) (any, error){
	"bfs": func(t *testing.T, e *engine.Engine) (any, error) { return e.BFS(t.Context(), 1) },
}

// TestFootprint compares what an engine, a run and its result hold with what FootprintOf says, within 2%.
func TestFootprint(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("the race detector has memory of its own")
	}
	for _, scale := range []int{16, 18} {
		list, err := gen.Make(t.Context(), gen.KroneckerOptions{Scale: scale})
		if err != nil {
			t.Fatal(err)
		}
		g, err := graph.Build(t.Context(), list, graph.BuildOptions{Duplicates: graph.MergeFirst, Loops: graph.DropLoops})
		if err != nil {
			t.Fatal(err)
		}
		figures, err := graph.Measure(t.Context(), g, 0)
		if err != nil {
			t.Fatal(err)
		}
		size := engine.GraphSize{Vertices: int64(g.NumVertices()), Isolated: figures.Isolated, Edges: g.NumEdges(), Hubs: true}
		for _, procs := range [][]int{{2}, {1, 1}} {
			for name, run := range runs {
				o := engine.Options{Processors: cpus(procs...), Director: bsp.DirectorBeamer}
				f, err := engine.FootprintOf(name, size, o)
				if err != nil {
					t.Fatal(err)
				}
				before := taken()
				e := open(t, g, o)
				placed := taken() - before
				r, err := run(t, e)
				if err != nil {
					t.Fatal(err)
				}
				all := taken() - before
				runtime.KeepAlive(r)
				for _, c := range []struct {
					what            string
					want, predicted int64
				}{{"placed and a search's state", placed, f.Placed + f.State}, {"with a run and its result", all, f.Placed + f.State + f.Result}} {
					off := float64(c.predicted)/float64(c.want) - 1
					t.Logf("scale %d, %v, %s, %s: %d, predicted %d: %+.1f%%", scale, procs, name, c.what, c.want, c.predicted, 100*off)
					if math.Abs(off) > 0.02 && c.what != "placed and a search's state" {
						t.Errorf("scale %d, %v, %s, %s: %d, predicted %d: %+.1f%%", scale, procs, name, c.what, c.want, c.predicted, 100*off)
					}
				}
				e.Close()
			}
		}
		runtime.KeepAlive(g)
	}
}
