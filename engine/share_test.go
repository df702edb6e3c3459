package engine_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph/gen"
	"github.com/totemgo/totemgo/partition"
)

// TestShare: what Share prints asks for the same cut again.
func TestShare(t *testing.T) {
	ctx := context.Background()
	l, err := gen.Make(ctx, gen.KroneckerOptions{Scale: 10})
	if err != nil {
		t.Fatal(err)
	}
	o := engine.Options{Processors: cpus(1, 1, 1), Placement: partition.HubsOnCPU, Shares: []float64{0.5, 0.3, 0.2}}
	var before []int64
	for round := range 2 {
		e, err := engine.New(ctx, l, o)
		if err != nil {
			t.Fatal(err)
		}
		o.Shares = nil
		for _, s := range strings.Split(e.Share(), ",") {
			x, err := strconv.ParseFloat(s, 64)
			if err != nil {
				t.Fatal(err)
			}
			o.Shares = append(o.Shares, x)
		}
		if err := partition.CheckShares(o.Shares, 3); err != nil {
			t.Errorf("%s: %v", e.Share(), err)
		}
		for i, p := range e.Processors() {
			if round == 0 {
				before = append(before, p.Edges)
			} else if p.Edges != before[i] {
				t.Errorf("processor %d has %d entries with --share %s, %d before", i, p.Edges, e.Share(), before[i])
			}
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	e, err := engine.New(ctx, l, engine.Options{Processors: cpus(1)})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if s := e.Share(); s != "" {
		t.Errorf("one processor has share %q", s)
	}
}

// TestTooSmallADevice: a device alone that cannot hold the graph is refused, and the
// error says what would hold it.
func TestTooSmallADevice(t *testing.T) {
	l, err := gen.Make(context.Background(), gen.KroneckerOptions{Scale: 12})
	if err != nil {
		t.Fatal(err)
	}
	device := engine.Processor{Kind: "opencl", Memory: 1 << 18}
	_, err = engine.Place(context.Background(), l, engine.Options{Processors: []engine.Processor{device}})
	if !errors.Is(err, engine.ErrCapacity) || !errors.Is(err, partition.ErrCapacity) || !strings.Contains(err.Error(), "the processors cpu,opencl:0 ") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
	p, err := engine.Place(context.Background(), l, engine.Options{Processors: append(cpus(1), device)})
	if err != nil {
		t.Fatal(err)
	}
	p.Close()
	device.Memory = 1 << 10 // no CPU helps where not even rank space fits
	_, err = engine.Place(context.Background(), l, engine.Options{Processors: []engine.Processor{device}})
	if !errors.Is(err, engine.ErrCapacity) || !errors.Is(err, partition.ErrRankSpace) || strings.Contains(err.Error(), "the processors") {
		t.Errorf("1 KiB: %v", err)
	}
}
