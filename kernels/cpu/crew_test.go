package cpu_test

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/cpu"
	"github.com/totemgo/totemgo/partition"
)

// TestRunsAtOnce searches with runs of one processor at once, each on another number of threads from search to search.
func TestRunsAtOnce(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	list := kronecker(t, 12)
	place, err := partition.New(t.Context(), list, partition.Options{Processors: make([]partition.Processor, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer place.Close()
	p := cpu.New(4)
	if err := p.Load(t.Context(), place.Part(0)); err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	root := list.Edges[0].U
	check := ref.NewChecker(list)
	check.Levels(root) // kept, so that goroutines only read
	var wg sync.WaitGroup
	for k := range 4 {
		wg.Go(func() {
			r, err := p.OpenOn(context.Background(), bsp.Tree, 1+k)
			if err != nil {
				t.Error(err)
				return
			}
			defer r.Close()
			loop := bsp.New(bsp.NewLayout(place), bsp.Local(1), []kernels.Kind{kernels.CPU})
			defer loop.Close()
			b, err := bsp.NewBFS(loop, []kernels.Run{r})
			if err != nil {
				t.Error(err)
				return
			}
			for i := range 12 {
				p.Assign(r, 1+(k+i)%4)
				parents := slices.Repeat([]uint32{graph.None}, list.Vertices)
				d, _ := bsp.NewDirector(bsp.Directors()[i%6], bsp.Rates{ClaimNS: 1, VisitNS: 1, ProbeNS: 1, WordNS: 1, StepNS: 1000})
				out, err := b.Search(context.Background(), bsp.Search{Root: place.RankOf[root], Parents: parents, Director: d})
				p.Assign(r, 0)
				if err == nil {
					err = check.CheckTree(root, parents)
				}
				if err != nil {
					t.Errorf("run %d, search %d: %+v, %v", k, i, out, err)
				}
			}
		})
	}
	wg.Wait()
}
