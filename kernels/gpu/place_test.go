package gpu_test

import (
	"context"
	"errors"
	"testing"

	"github.com/totemgo/totemgo/kernels/gpu"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/kernels/gpu/device/fake"
)

// places are the settings that leave adjacency in the host's memory, all or some of it.
var places = []gpu.Options{
	{Graph: gpu.OnHost}, {Graph: gpu.Split, Memory: 48 << 10}, {Graph: gpu.Split, Memory: 96 << 10},
}

func kitInPlace(t *testing.T, dev device.Device, samples int) {
	program := build(t, dev, gpu.BuildOptions{})
	for i, o := range places {
		t.Run(o.String(), func(t *testing.T) {
			sampleSearches(t, i, samples*len(places), factory(program, o))
		})
	}
}

// inPlace is the OpenCL device to test within o; the test is skipped where it does not
// read the host's memory in place.
func inPlace(t *testing.T, o fake.Options) *fake.Device {
	t.Helper()
	dev := counted(t, o)
	if !dev.Info().InPlace {
		t.Skipf("%s does not read the host's memory in place", dev.Info().Name)
	}
	return dev
}

func TestInPlace(t *testing.T) {
	dev := inPlace(t, fake.Options{})
	kitInPlace(t, dev, 10)
	if live := dev.Live(); live["program"] != 1 || len(live) != 1 {
		t.Errorf("not freed: %v", live)
	}
}

// adjacency sums the arrays of the graph in the device's memory and in the host's, and
// all others that are the device's.
func adjacency(p *gpu.Processor) (device, host, others int64) {
	for _, a := range p.Arrays() {
		switch a.Name {
		case "offsets", "neighbours", "first_neighbours", "second_neighbours":
			if a.Host {
				host += a.Bytes
			} else {
				device += a.Bytes
			}
		default:
			if !a.Host {
				others += a.Bytes
			}
		}
	}
	return device, host, others
}

// TestWhereArraysLie: a device that holds all but the adjacency runs with the adjacency
// in the host's memory, and with as much of it in its own as fits; not without.
func TestWhereArraysLie(t *testing.T) {
	const vertices = 4000
	part := pathPart(vertices)
	load := func(o fake.Options, g gpu.Options) (*gpu.Processor, error) {
		p, err := gpu.New(build(t, inPlace(t, o), gpu.BuildOptions{}), g)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
		return p, p.Load(context.Background(), part)
	}
	p, err := load(fake.Options{}, gpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all, host, others := adjacency(p)
	if want := int64(4 * (5*vertices - 5)); host != 0 || all != want {
		t.Errorf("%d bytes of the graph on the device, want %d; %d in the host's memory", all, want, host)
	}
	var sum int64
	for _, a := range p.Arrays() {
		sum += a.Bytes
	}
	if sum != p.Bytes() {
		t.Errorf("%d bytes, the arrays have %d", p.Bytes(), sum)
	}

	memory := others + all/2 // of a device that holds half of the graph
	if _, err := load(fake.Options{Memory: memory}, gpu.Options{}); !errors.Is(err, device.ErrMemory) {
		t.Errorf("a device without room for the graph: %v", err)
	}
	for _, c := range []struct {
		options      gpu.Options
		least, below int64 // bytes of the graph on the device
	}{
		{gpu.Options{Graph: gpu.OnHost}, 0, 1},
		{gpu.Options{Graph: gpu.Split, Memory: memory}, 4 * all / 10, all/2 + 1},
		{gpu.Options{Graph: gpu.Split, Memory: 1}, 0, 1},
	} {
		p, err := load(fake.Options{Memory: memory}, c.options)
		if err != nil {
			t.Errorf("%v: %v", c.options, err)
			continue
		}
		on, host, _ := adjacency(p)
		if on < c.least || on >= c.below || on+host < all || on+host > all+64 {
			t.Errorf("%v: of %d bytes %d lie on the device and %d in the host's memory", c.options, all, on, host)
		}
		if err := session(p, part); err != nil {
			t.Errorf("%v: %v", c.options, err)
		}
	}
	p, err = load(fake.Options{}, gpu.Options{Graph: gpu.Split})
	if err != nil {
		t.Fatal(err)
	}
	if on, host, _ := adjacency(p); on != all || host != 0 {
		t.Errorf("without a bound %d bytes lie on the device and %d in the host's memory", on, host)
	}
}

// TestNotInPlace: a device with memory of its own alone is refused.
func TestNotInPlace(t *testing.T) {
	program := build(t, counted(t, fake.Options{Discrete: true}), gpu.BuildOptions{})
	for _, where := range []gpu.GraphPlacement{gpu.OnHost, gpu.Split} {
		var e *gpu.Error
		if _, err := gpu.New(program, gpu.Options{Graph: where}); !errors.Is(err, gpu.ErrNotInPlace) || !errors.As(err, &e) || e.Device != "opencl:0" {
			t.Errorf("%v: %v", where, err)
		}
	}
	for _, o := range []gpu.Options{{Graph: gpu.Split + 1}, {Graph: gpu.Split, Memory: -1}} {
		if _, err := gpu.New(program, o); !errors.Is(err, gpu.ErrOptions) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	for _, where := range []gpu.GraphPlacement{gpu.OnDevice, gpu.OnHost, gpu.Split} {
		if got, err := gpu.ParseGraphPlacement(where.String()); got != where || err != nil {
			t.Errorf("%v reads as %v: %v", where, got, err)
		}
	}
	if _, err := gpu.ParseGraphPlacement("disk"); !errors.Is(err, gpu.ErrOptions) {
		t.Error(err)
	}
}
