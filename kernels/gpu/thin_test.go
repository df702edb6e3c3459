package gpu_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/cpu"
	"github.com/totemgo/totemgo/kernels/gpu"
	"github.com/totemgo/totemgo/kernels/gpu/device/fake"
	"github.com/totemgo/totemgo/partition"
)

// chain is a path with a ladder of rungs in its middle, vertices 0 … n−1.
func chain(n uint32) *graph.EdgeList {
	list := &graph.EdgeList{Vertices: int(n)}
	for v := uint32(1); v < n; v++ {
		list.Edges = append(list.Edges, graph.Edge{U: v - 1, V: v})
		if v > n/3 && v < n/2 && v%2 == 0 {
			list.Edges = append(list.Edges, graph.Edge{U: v - 2, V: v})
		}
	}
	return list
}

// levelsOf runs one search of list from its lowest rank on one processor, and returns
// its levels without times.
func levelsOf(t *testing.T, list *graph.EdgeList, p kernels.Processor, d bsp.Director) []string {
	t.Helper()
	place, err := partition.New(t.Context(), list, partition.Options{Threads: 1, Processors: []partition.Processor{{Device: true}}})
	if err != nil {
		t.Fatal(err)
	}
	defer place.Close()
	if err := p.Load(t.Context(), place.Part(0)); err != nil {
		t.Fatal(err)
	}
	loop := searches(t, []kernels.Processor{p}, place)
	defer loop.Close()
	s := &bsp.Statistics{}
	root := place.VertexOf[0]
	parents := slices.Repeat([]uint32{graph.None}, list.Vertices)
	out, err := loop.Search(t.Context(), bsp.Search{Director: d, Parents: parents, Statistics: s, Examined: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := ref.CheckTree(list, root, parents); err != nil {
		t.Error(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	text := []string{fmt.Sprintf("reached %d, depth %d, %d levels", out.Reached, out.Depth, s.Count)}
	for _, l := range s.All() {
		text = append(text, fmt.Sprintf("level %d %s: frontier %v", l.Level, l.Direction, l.Frontier))
		if l.Direction == "top-down" {
			text[len(text)-1] += fmt.Sprintf(", examined %v", *l.EdgesExamined)
		}
	}
	return text
}

// TestThinLevels: levels that run in one launch are told one by one, as those of a
// processor that runs them so, whatever the director.
func TestThinLevels(t *testing.T) {
	list := chain(8000)
	for _, name := range bsp.Directors() {
		d, err := bsp.NewDirector(name, bsp.Rates{ClaimNS: 2, VisitNS: 2, ProbeNS: 1, WordNS: 1, StepNS: 20})
		if err != nil {
			t.Fatal(err)
		}
		checkThin(t, string(name), list, d, name != "bottom-up")
	}
	long := slices.Repeat(bsp.Script{kernels.TopDown}, 100)
	checkThin(t, "script", list, append(append(long, kernels.BottomUp, kernels.BottomUp), long...), true)
}

func checkThin(t *testing.T, name string, list *graph.EdgeList, d bsp.Director, used bool) {
	t.Helper()
	dev := counted(t, fake.Options{})
	p, err := gpu.New(build(t, dev, gpu.BuildOptions{GroupSize: 32}), gpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, want := levelsOf(t, list, p, d), levelsOf(t, list, cpu.New(1), d)
	if !slices.Equal(got, want) {
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Errorf("%s: %s, want %s", name, got[i], want[i])
				break
			}
		}
	}
	if launches := p.Launches(); used != (launches["thin"] > 0) || launches["thin"] > int64(len(want))/4 {
		t.Errorf("%s: %d levels, launches %v", name, len(want), launches)
	}
}

// TestThinIsLeft: a search that is cancelled ends.
func TestThinIsLeft(t *testing.T) {
	p, err := gpu.New(build(t, counted(t, fake.Options{}), gpu.BuildOptions{}), gpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	place, err := partition.New(t.Context(), chain(5000), partition.Options{Threads: 1, Processors: []partition.Processor{{Device: true}}})
	if err != nil {
		t.Fatal(err)
	}
	defer place.Close()
	if err := p.Load(t.Context(), place.Part(0)); err != nil {
		t.Fatal(err)
	}
	loop := searches(t, []kernels.Processor{p}, place)
	defer loop.Close()
	ctx, cancel := context.WithCancel(t.Context())
	s := &bsp.Statistics{}
	_, err = loop.Search(ctx, bsp.Search{Director: &cancelAtThird{cancel: cancel}, Statistics: s})
	if !errors.Is(err, context.Canceled) || s.Count > 5*64 {
		t.Errorf("after a cancellation at the third call: %d levels, error %v", s.Count, err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
}

// cancelAtThird goes down throughout and cancels at its third call.
type cancelAtThird struct {
	bsp.Script
	cancel context.CancelFunc
	calls  int
}

func (c *cancelAtThird) Next(s *bsp.Observation) kernels.Direction {
	if c.calls++; c.calls == 3 {
		c.cancel()
	}
	return c.Script.Next(s)
}
