package gpu_test

import (
	"context"
	"testing"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/partition"
	"github.com/totemgo/totemgo/program"
)

// run is what a device opens for bsp.Tree.
type run interface {
	kernels.DeviceResults
	kernels.MultiStepper
}

// opened opens a search on p.
func opened(p kernels.Processor) (run, error) {
	r, err := p.Open(context.Background(), bsp.Tree)
	if err != nil {
		return nil, err
	}
	return r.(run), nil
}

// way is the step of a direction.
func way(d kernels.Direction) program.Step { return program.Step{Way: program.Way(d)} }

var pull = way(kernels.BottomUp)

// searches returns searches on loaded processors.
func searches(t testing.TB, procs []kernels.Processor, place *partition.Placement) *bsp.BFS {
	t.Helper()
	var runs []kernels.Run
	var kinds []kernels.Kind
	for _, p := range procs {
		r, err := p.Open(context.Background(), bsp.Tree)
		if err != nil {
			t.Fatal(err)
		}
		runs, kinds = append(runs, r), append(kinds, p.Kind())
	}
	b, err := bsp.NewBFS(bsp.New(bsp.NewLayout(place), bsp.Local(len(procs)), kinds), runs)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
