package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph/gen"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/kernels/gpu"
	"github.com/totemgo/totemgo/kernels/gpu/device/fake"
	"github.com/totemgo/totemgo/partition"
	"github.com/totemgo/totemgo/record"
)

// kronOracle is a graph of Graph500's with an oracle.
func kronOracle(t *testing.T, scale int) *oracle {
	t.Helper()
	list, err := gen.Make(t.Context(), gen.KroneckerOptions{Scale: scale, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	return newOracle(ref.Named{Name: fmt.Sprintf("kron of scale %d", scale), List: list})
}

// lies sums the arrays of a processor: the graph's in the device's memory and in the
// host's, all others in the device's, and the host's copy.
func lies(p record.Processor) (device, host, others, kept int64) {
	for _, a := range p.Arrays {
		isGraph := strings.HasSuffix(a.Name, "offsets") || strings.HasSuffix(a.Name, "neighbours")
		switch {
		case a.Name == record.HostCopy:
			kept += a.Bytes
		case isGraph && a.Location == record.OnDevice:
			device += a.Bytes
		case isGraph:
			host += a.Bytes
		case a.Location == record.OnDevice:
			others += a.Bytes
		}
	}
	return device, host, others, kept
}

// openOn opens an engine on the devices of b, which the test closes.
func openOn(t *testing.T, b bench, o *oracle, opts *engine.Options) *engine.Engine {
	t.Helper()
	if opts.Devices == nil {
		var err error
		if opts.Devices, err = b.open(*opts); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := opts.Devices.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	return open(t, o.list, *opts)
}

// deviceGraph searches a graph with the adjacency of devices in each place, with the
// host's copy and without, and demands that it lies there.
func deviceGraph(t *testing.T, b bench, lists ...string) {
	o, rng := kronOracle(t, 11), rand.New(rand.NewPCG(7, 0))
	small := []*oracle{find(t, "scale-free of scale 10, directed"), find(t, "chain of 65"), find(t, "star of 1200")}
	for _, text := range lists {
		procs, err := engine.ParseProcessors(text)
		if err != nil {
			t.Fatal(err)
		}
		base := engine.Options{Processors: procs}
		of := len(procs) - 1 // the processor to look at
		whole := openOn(t, b, o, &base)
		all, onHost, others, copied := lies(whole.Processors()[of])
		seconds := 4 * whole.Processors()[of].Vertices // second neighbours, which the host's copy lacks
		whole.Close()
		if copied += seconds; all == 0 || onHost != 0 || others == 0 || copied < all-64 || copied > all {
			t.Fatalf("%s: %d bytes of the graph on the device, %d in the host's memory, %d others, %d in the host's copy", text, all, onHost, others, copied)
		}
		for _, where := range []gpu.GraphPlacement{gpu.OnDevice, gpu.OnHost, gpu.Split} {
			for _, release := range []bool{false, true} {
				opts := base
				opts.DeviceGraph, opts.ReleaseHost = where, release
				if where == gpu.Split {
					opts.Processors = append([]engine.Processor(nil), procs...)
					for i := range opts.Processors {
						if opts.Processors[i].Kind != "cpu" {
							opts.Processors[i].Memory = others + all/2
						}
					}
				}
				e := openOn(t, b, o, &opts)
				got := e.Processors()[of]
				on, host, _, kept := lies(got)
				if (on > 0) != (where != gpu.OnHost) || (host > 0) != (where != gpu.OnDevice) || where == gpu.Split && on > all/2 {
					t.Errorf("%s, %s: %d bytes of the graph lie on the device, %d in the host's memory", text, where, on, host)
				}
				if rows := got.Vertices; release && kept != 4*(rows+1) || !release && kept < 4*got.Edges {
					t.Errorf("%s, %s, release %v: a host's copy of %d bytes for %d vertices, %d edges", text, where, release, kept, rows, got.Edges)
				}
				e.Close()
				searchAll(t, o, opts, rng)
				opts.Processors = procs
				for _, g := range small {
					searchAll(t, g, opts, rng)
				}
			}
		}
	}
}

func TestDeviceGraph(t *testing.T) {
	b := bench{openCL(t, fake.Options{}), openCL(t, fake.Options{Name: "opencl:1", LargestAllocation: 48 << 10, Late: true})}
	if !b[0].Info().InPlace {
		t.Skip("the device does not read the host's memory in place")
	}
	lists := []string{"opencl:0", "cpu:1,opencl:1"}
	if raceEnabled {
		lists = lists[1:]
	}
	deviceGraph(t, b, lists...)
	for _, d := range b { // the programs are freed when the test has ended
		if left := d.Live(); len(left) > 1 || left["program"] > 0 && len(left) != 1 {
			t.Errorf("not freed: %v", left)
		}
	}
}

// TestReleaseHostFrees: what the host's copy took is free again while the engine runs.
func TestReleaseHostFrees(t *testing.T) {
	b := bench{openCL(t, fake.Options{})}
	procs, _ := engine.ParseProcessors("opencl:0")
	o := kronOracle(t, 11)
	var held [2]int64
	for i, release := range []bool{false, true} {
		before := hugemem.Live().Bytes
		opts := engine.Options{Processors: procs, ReleaseHost: release}
		e := openOn(t, b, o, &opts)
		held[i] = hugemem.Live().Bytes - before
		if p := e.Processors()[0]; release {
			if freed := held[0] - held[1]; freed < 4*p.Edges || freed > 4*(p.Edges+p.Vertices) {
				t.Errorf("%d bytes are free for %d edges and %d vertices", freed, p.Edges, p.Vertices)
			}
		}
		e.Close()
	}
}

// TestNotInPlace: a device with memory of its own alone is refused by name, with the
// figure that fits, when devices are opened and when an engine is.
func TestNotInPlace(t *testing.T) {
	b := bench{openCL(t, fake.Options{Memory: 10 << 20, Discrete: true})}
	procs, _ := engine.ParseProcessors("cpu:1,opencl:0")
	for _, where := range []gpu.GraphPlacement{gpu.OnHost, gpu.Split} {
		_, err := b.open(engine.Options{Processors: procs, DeviceGraph: where})
		refused(t, err, engine.ErrNotInPlace, "opencl:0", fmt.Sprint(8<<20))
	}
	opts := engine.Options{Processors: procs}
	openOn(t, b, find(t, "chain of 65"), &opts)
	opts.DeviceGraph = gpu.Split
	opts.Processors[1].Memory = 123456
	_, err := engine.New(context.Background(), find(t, "chain of 65").list, opts)
	refused(t, err, engine.ErrNotInPlace, "opencl:0", "123456")
	opts.DeviceGraph = gpu.GraphPlacement(3)
	_, err = engine.New(context.Background(), find(t, "chain of 65").list, opts)
	refused(t, err, engine.ErrOptions, "GraphPlacement(3)")
}

func refused(t *testing.T, err, class error, words ...string) {
	t.Helper()
	if !errors.Is(err, class) {
		t.Fatalf("error %v, want %v", err, class)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%v: does not say %q", err, w)
		}
	}
}

// TestDeviceAloneTooSmall: the message proposes what holds the graph, and that does.
func TestDeviceAloneTooSmall(t *testing.T) {
	o := kronOracle(t, 11)
	for _, unified := range []bool{false, true} {
		b := bench{openCL(t, fake.Options{Discrete: !unified})}
		if b[0].Info().InPlace != unified {
			t.Skip("the device does not read the host's memory in place")
		}
		procs, _ := engine.ParseProcessors("opencl:0")
		opts := engine.Options{Processors: procs}
		all, _, others, _ := lies(openOn(t, b, o, &opts).Processors()[0])
		opts.Processors[0].Memory = others + all/2
		_, err := engine.New(context.Background(), o.list, opts)
		refused(t, err, partition.ErrCapacity, "cpu,opencl:0")
		if says := strings.Contains(err.Error(), "split"); says != unified {
			t.Errorf("unified %v: %v", unified, err)
		}
		rng := rand.New(rand.NewPCG(9, 0))
		if unified {
			alone := opts
			alone.DeviceGraph = gpu.Split
			searchAll(t, o, alone, rng)
		}
		hybrid := opts
		hybrid.Processors, _ = engine.ParseProcessors("cpu,opencl:0")
		hybrid.Processors[1].Memory = opts.Processors[0].Memory
		searchAll(t, o, hybrid, rng)
	}
}

// TestSpeeds: default shares equalise the predicted time; given shares override.
func TestSpeeds(t *testing.T) {
	o := kronOracle(t, 12)
	procs, _ := engine.ParseProcessors("cpu:1,opencl:0")
	three, _ := engine.ParseProcessors("cpu:1,opencl:0,opencl:1")
	speeds := []record.Speed{{Processor: "opencl:0", EdgesPerS: 3e6}, {Processor: "cpu", Threads: 4, EdgesPerS: 4e6}}
	for _, c := range []struct {
		opts engine.Options
		cpu  float64
	}{
		{engine.Options{}, 1. / 25}, // the table: a discrete device is 24 threads
		{engine.Options{Speeds: speeds}, 1. / 4},
		{engine.Options{Speeds: speeds, Shares: []float64{0.7, 0.3}}, 0.7},
		// By the table where a speed is missing, in the unit of those that are given.
		{engine.Options{Speeds: speeds[:1]}, 1. / 25},
		{engine.Options{Speeds: speeds[1:]}, 1. / 25},
		{engine.Options{Speeds: []record.Speed{{Processor: "opencl:9", EdgesPerS: 1e12}}}, 1. / 25},
		{engine.Options{Speeds: speeds, Processors: three}, 1 / (1 + 3 + 24*4./25)},
		{engine.Options{Speeds: speeds[1:], Processors: three}, 1. / 49},
	} {
		if c.opts.Processors == nil {
			c.opts.Processors = procs
		}
		p, err := engine.Place(t.Context(), o.list, c.opts)
		if err != nil {
			t.Fatal(err)
		}
		p.Close()
		sum := 0.0
		for _, s := range p.Shares {
			sum += s
		}
		if math.Abs(p.Shares[0]-c.cpu) > 0.01 || math.Abs(sum-1) > 1e-9 {
			t.Errorf("%+v: shares %v, want %v for the CPU", c.opts.Speeds, p.Shares, c.cpu)
		}
	}
	for _, bad := range [][]record.Speed{{{Processor: "cpu", EdgesPerS: -1}, speeds[0]}, {{Processor: "cpu"}, speeds[0]}} {
		_, err := engine.Place(t.Context(), o.list, engine.Options{Processors: procs, Speeds: bad})
		refused(t, err, engine.ErrOptions, "speed")
	}
}
