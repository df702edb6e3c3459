package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph/gen"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/internal/needs"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/kernels/gpu/device/cuda"
	"github.com/totemgo/totemgo/kernels/gpu/device/fake"
	"github.com/totemgo/totemgo/kernels/gpu/device/opencl"
	"github.com/totemgo/totemgo/partition"
)

// bench is a driver whose i-th device is that of the list: all are of one kind.
type bench []*fake.Device

func (b bench) Kind() string { return b[0].Info().Kind }

func (b bench) Devices() (list []device.Info, err error) {
	for _, d := range b {
		list = append(list, d.Info())
	}
	return list, nil
}

func (b bench) Open(i int) (device.Device, error) {
	if i >= len(b) {
		return nil, &device.Error{Op: "Open", Device: fmt.Sprintf("%s:%d", b.Kind(), i), Err: device.ErrNoDevice}
	}
	return b[i], nil
}

// open opens the devices of the options' processors, whose kernels are not kept.
func (b bench) open(o engine.Options) (*engine.Devices, error) {
	o.Drivers, o.NoKernelCache = []device.Driver{b}, true
	return engine.OpenDevices(context.Background(), o)
}

// live lists what was made on the devices and not freed.
func (b bench) live() string {
	text := ""
	for _, d := range b {
		for kind, n := range d.Live() {
			text += fmt.Sprintf(" %d %s on %s", n, kind, d.Info().Name)
		}
	}
	return text
}

// kept is a device that its users close and its test closes for good.
type kept struct{ device.Device }

func (kept) Close() error { return nil }

func (k kept) NewHostBuffer(bytes int64, fill func([]byte)) (device.Buffer, error) {
	return k.Device.(device.HostReader).NewHostBuffer(bytes, fill)
}

// openCL is the OpenCL device to test as opencl:0, or as o names it, counted; the test is
// skipped without one.
func openCL(t *testing.T, o fake.Options) *fake.Device {
	t.Helper()
	if o.Name == "" {
		o.Name = "opencl:0"
	}
	driver, number := needs.OpenCL(t, func() (*opencl.Driver, error) { return opencl.Open(opencl.Options{}) }, device.ErrNoDriver)
	dev, err := driver.Open(number)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return fake.Wrap(kept{dev}, o)
}

// hybridCorpus is a part of the corpus with every kind of graph in it, and one that
// Graph500 makes.
func hybridCorpus(t *testing.T) (list []*oracle) {
	t.Helper()
	for _, name := range []string{
		"scale-free of scale 10", "scale-free of scale 10, directed", "star of 1200", "two stars, apart", "chain of 65",
		"chain with arcs back", "many small components", "layers, directed", "three vertices, loops and duplicates, directed",
		"one vertex", "uniform on 1500, thin", "star of 1200, outwards",
	} {
		list = append(list, find(t, name))
	}
	kron, err := gen.Make(t.Context(), gen.KroneckerOptions{Scale: 11, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	return append(list, newOracle(ref.Named{Name: "kron of scale 11", List: kron}))
}

// hybridPlacements are those that a user can ask for, and two-ended.
func hybridPlacements() (list []engine.Options) {
	for _, p := range partition.Policies() {
		list = append(list, engine.Options{Placement: p})
	}
	return append(list, engine.Options{Placement: partition.HubsOnCPU, TwoEnded: 0.2})
}

// crossHybrid searches the corpus on lists of processors, under every placement, with
// every director. Each list and placement takes every n-th graph, not the same ones.
func crossHybrid(t *testing.T, b bench, n int, lists ...string) {
	rng := rand.New(rand.NewPCG(31, 0))
	corpus := hybridCorpus(t)
	if raceEnabled {
		n = min(6*n, len(corpus)/2)
	}
	for k, text := range lists {
		procs, err := engine.ParseProcessors(text)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(text, func(t *testing.T) {
			opts := engine.Options{Processors: procs}
			if opts.Devices, err = b.open(opts); err != nil {
				t.Fatal(err)
			}
			push, pull := 0.0, 0.0
			for j, place := range hybridPlacements() {
				if place.TwoEnded > 0 && !strings.Contains(text, "opencl") {
					continue
				}
				opts.Placement, opts.TwoEnded = place.Placement, place.TwoEnded
				for i, o := range corpus {
					if (i+j+k)%n == 0 {
						a, b := searchAll(t, o, opts, rng)
						push, pull = push+a, pull+b
					}
				}
			}
			if len(procs) > 1 && (push == 0 || pull == 0) {
				t.Errorf("%v bytes were sent by push, %v by pull", push, pull)
			}
			if err := opts.Devices.Close(); err != nil {
				t.Error(err)
			}
			if left := b.live(); left != "" {
				t.Errorf("not freed:%s", left)
			}
		})
	}
}

// TestHybrid crosses processors, placements and directors over two devices: opencl:1 has
// a small largest allocation, so that adjacency comes in chunks, and runs nothing before
// somebody waits.
func TestHybrid(t *testing.T) {
	crossHybrid(t, bench{}, 2, "cpu:1", "cpu:2")
	b := bench{openCL(t, fake.Options{}), openCL(t, fake.Options{Name: "opencl:1", LargestAllocation: 64 << 10, Discrete: true, Late: true})}
	crossHybrid(t, b, 2, "cpu:1,opencl:0", "cpu:1,opencl:0,opencl:0")
	crossHybrid(t, b, 3, "opencl:0", "opencl:0,opencl:0", "cpu:1,opencl:1", "cpu:2,opencl:0,opencl:1", "opencl:1,cpu:1")
}

// life opens devices and an engine on them, searches in both directions, and closes
// all. It returns the first error, and what Close said.
func life(b bench, o *oracle, procs []engine.Processor) error {
	opts := engine.Options{Processors: procs, Rates: fixedRates, NewDirector: func() bsp.Director {
		return bsp.Script{kernels.TopDown, kernels.BottomUp, kernels.TopDown}
	}}
	var err error
	if opts.Devices, err = b.open(opts); err != nil {
		return err
	}
	e, err := engine.New(context.Background(), o.list, opts)
	if err != nil {
		return errors.Join(err, opts.Devices.Close())
	}
	r := e.NewResult()
	defer r.Free()
	for root := range uint32(2) {
		if err = e.CountBFS(context.Background(), uint64(root), r); err == nil {
			err = o.check(root, r)
		}
		if err != nil {
			break
		}
	}
	return errors.Join(err, e.Close(), opts.Devices.Close())
}

// failEach fails operations of the devices in turn, every n-th of them: the life of an
// engine ends with an error of the class, which names operation and device, nothing is
// left, and an engine on the CPU alone searches.
func failEach(t *testing.T, b bench, procs string, every int, cause, class error) {
	t.Helper()
	list, err := engine.ParseProcessors(procs)
	if err != nil {
		t.Fatal(err)
	}
	if raceEnabled {
		every = 7*every + 2
	}
	o := find(t, "two meeting paths")
	dev, before := b[0], hugemem.Live()
	dev.FailAt(0, nil)
	if err := life(b, o, list); err != nil {
		t.Fatal(err)
	}
	total, name := dev.Operations(), dev.Info().Name
	if total < 100 {
		t.Fatalf("the life has %d operations only", total)
	}
	for n := 1; n <= total; n += every {
		dev.FailAt(n, cause)
		err := life(b, o, list)
		if ran := dev.Operations(); ran < n {
			break // partitions take turns: the count differs a little from life to life
		}
		var e *device.Error
		if !errors.Is(err, class) || !errors.As(err, &e) || e.Op == "" || e.Device != name ||
			!strings.Contains(err.Error(), e.Op) || !strings.Contains(err.Error(), name) {
			t.Fatalf("%s: operation %d of %d fails: error %v", procs, n, total, err)
		}
		if left := b.live(); left != "" || hugemem.Live() != before {
			t.Fatalf("%s: operation %d of %d (%s) fails: not freed:%s; memory %+v, before %+v", procs, n, total, e.Op, left, hugemem.Live(), before)
		}
		if err := life(b, o, cpus(1)); err != nil {
			t.Fatalf("%s: on the CPU after operation %d (%s) failed: %v", procs, n, e.Op, err)
		}
	}
	dev.FailAt(0, nil)
	if err := life(b, o, list); err != nil {
		t.Fatalf("%s: after the failures: %v", procs, err)
	}
}

// TestDeviceOperationsFail fails operations of a device, one by one; package gpu fails each.
func TestDeviceOperationsFail(t *testing.T) {
	b := bench{openCL(t, fake.Options{})}
	for _, procs := range []string{"opencl:0", "cpu:1,opencl:0", "cpu:1,opencl:0,opencl:0"} {
		failEach(t, b, procs, 13, nil, fake.ErrInjected)
		failEach(t, b, procs, 17, device.ErrLost, device.ErrLost)
	}
}

// TestOptionalDevice fails operations of opening and loading a device in turn: without it the engine
// searches, on a CPU where no other processor is left; the failure is reported once, and the device
// that is not optional ends New with it.
func TestOptionalDevice(t *testing.T) {
	b, o := bench{openCL(t, fake.Options{})}, find(t, "scale-free of scale 10")
	dev, step := b[0], 13
	if raceEnabled {
		step = 61
	}
	for _, list := range []string{"opencl:0", "cpu:2,opencl:0,opencl:0"} {
		procs, err := engine.ParseProcessors(list)
		if err != nil {
			t.Fatal(err)
		}
		for n := 1; ; n += step {
			var left []error
			opts := engine.Options{Drivers: []device.Driver{b}, NoKernelCache: true, Rates: fixedRates, LeftOut: func(p engine.Processor, err error) {
				if p.String() != "opencl:0" {
					t.Errorf("%s is left out", p)
				}
				left = append(left, err)
			}}
			for _, p := range procs {
				p.Optional = p.Kind != engine.CPU
				opts.Processors = append(opts.Processors, p)
			}
			dev.FailAt(n, nil)
			e, err := engine.New(t.Context(), o.list, opts)
			if err != nil {
				t.Fatalf("%s: operation %d fails: %v", list, n, err)
			}
			if len(left) == 0 {
				if n < 60 { // opening and loading take more
					t.Fatalf("%s: operation %d fails and nothing is left out", list, n)
				}
				dev.FailAt(0, nil)
				if err := e.Close(); err != nil {
					t.Error(err)
				}
				break
			}
			if len(left) != 1 || !errors.Is(left[0], fake.ErrInjected) {
				t.Fatalf("%s: operation %d fails: %v", list, n, left)
			}
			r := e.NewResult()
			err = e.CountBFS(t.Context(), 0, r)
			if err == nil {
				err = o.check(0, r)
			}
			r.Free()
			if err := errors.Join(err, e.Close()); err != nil {
				t.Fatalf("%s: after operation %d failed: %v", list, n, err)
			}
			if live := b.live(); live != "" {
				t.Fatalf("%s: operation %d fails: not freed:%s", list, n, live)
			}
		}
		dev.FailAt(1, nil)
		_, err = engine.New(t.Context(), o.list, engine.Options{Drivers: []device.Driver{b}, NoKernelCache: true, Processors: procs})
		refused(t, err, fake.ErrInjected, "opencl:0")
		dev.FailAt(0, nil)
	}
	// Shares are by processor: none can be left out.
	opts := engine.Options{Processors: []engine.Processor{{Kind: engine.CPU}, {Kind: engine.OpenCL, Device: 99, Optional: true}}, Shares: []float64{0.5, 0.5}}
	_, err := engine.New(t.Context(), o.list, opts)
	refused(t, err, engine.ErrNoDevice, "opencl:99")
}

// TestDevicesLackOne: opened devices that lack one of the processors', or are closed, are
// refused, as are processors that make no sense.
func TestDevicesLackOne(t *testing.T) {
	b, o := bench{openCL(t, fake.Options{})}, find(t, "chain of 65")
	procs, _ := engine.ParseProcessors("cpu:1,opencl:0")
	none, err := engine.OpenDevices(t.Context(), engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	closed, err := b.open(engine.Options{Processors: procs})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := errors.Join(none.Close(), closed.Close()); err != nil {
			t.Error(err)
		}
	}
	for _, d := range []*engine.Devices{{}, none, closed} {
		_, err := engine.New(t.Context(), o.list, engine.Options{Processors: procs, Devices: d})
		refused(t, err, engine.ErrNoDevice, "opencl:0")
	}
	for _, p := range []engine.Processor{{}, {Kind: "vulkan"}, {Kind: "opencl", Device: -1}, {Kind: "opencl", Memory: -1}} {
		_, err := engine.New(t.Context(), o.list, engine.Options{Processors: []engine.Processor{p}})
		refused(t, err, engine.ErrOptions, "processor")
	}
	_, err = engine.OpenDevices(t.Context(), engine.Options{Processors: []engine.Processor{{Kind: "vulkan"}}})
	refused(t, err, engine.ErrOptions, "vulkan")
	t.Setenv(cuda.LibraryVariable, "/nonexistent/libcuda.so")
	_, err = engine.OpenDevices(t.Context(), engine.Options{Processors: []engine.Processor{{Kind: "cuda"}}})
	refused(t, err, engine.ErrNoDevice, "cuda:0", "no driver", "/nonexistent/libcuda.so")
}

// TestDrivers: a driver of a kind of its own is listed, chosen and searched on like those that
// are built in, and its kind is known where it is given alone.
func TestDrivers(t *testing.T) {
	b := bench{openCL(t, fake.Options{Name: "vulkan:0", Memory: 1 << 30, Discrete: true}),
		openCL(t, fake.Options{Name: "vulkan:1", Memory: 2 << 30, Discrete: true})}
	model := b[0].Info().Model
	list, err := engine.ListDevices(b)
	if err != nil || len(list) < 2 || list[0].Name != "vulkan:0" || list[1].Name != "vulkan:1" {
		t.Errorf("listed: %+v, %v", list, err)
	}
	none := bench{openCL(t, fake.Options{Memory: 3 << 20})} // in the place of the system's
	small := engine.GraphSize{Vertices: 1 << 10, Edges: 1 << 20}
	probed := engine.Options{Probe: func(context.Context) ([]engine.DeviceInfo, error) { return engine.ListDevices(b, none) }}
	procs := engine.AutoProcessors(t.Context(), small, 0, probed).Processors
	if got := fmt.Sprint(procs); got != "[vulkan:1]" {
		t.Fatalf("chosen: %s", got)
	}
	auto := engine.AutoProcessors(t.Context(), engine.GraphSize{Vertices: 1 << 10, Edges: 1 << 40}, 1<<20, probed)
	if p := auto.Processors; len(p) < 3 || p[0].Memory != 0 || p[1].Memory != 1<<20 || p[2].Memory != 1<<20 {
		t.Errorf("limits of 1 MiB on devices: %+v", p)
	}
	if list, err := engine.ListDevices(none); err != nil || len(list) != 1 || list[0].Memory != 3<<20 {
		t.Errorf("in the place of the system's: %+v, %v", list, err)
	}
	o := find(t, "scale-free of scale 10")
	opts := engine.Options{Processors: append(cpus(1), procs...), NoKernelCache: true, Rates: fixedRates}
	refused(t, opts.Check(), engine.ErrOptions, "vulkan", "cpu:THREADS", "opencl:N", "cuda:N")
	opts.Drivers = []device.Driver{b}
	searchAll(t, o, opts, rand.New(rand.NewPCG(5, 0)))
	opts.Processors[1].Device, opts.Processors[1].Optional = 2, false
	_, err = engine.New(t.Context(), o.list, opts)
	refused(t, err, engine.ErrNoDevice, "vulkan:2", "vulkan:0 ("+model+")", "vulkan:1 ("+model+")")
	if left := b.live(); left != "" {
		t.Errorf("not freed:%s", left)
	}
}

// TestLostDevice: after a fault of the device every search ends with that same fault,
// whichever partition meets it, and other devices are not to blame.
func TestLostDevice(t *testing.T) {
	b := bench{openCL(t, fake.Options{}), openCL(t, fake.Options{Name: "opencl:1"})}
	procs, err := engine.ParseProcessors("cpu:1,opencl:0,opencl:0,opencl:1")
	if err != nil {
		t.Fatal(err)
	}
	o := find(t, "scale-free of scale 10")
	opts := engine.Options{Processors: procs, Rates: fixedRates}
	if opts.Devices, err = b.open(opts); err != nil {
		t.Fatal(err)
	}
	e := open(t, o.list, opts)
	b[0].FailAt(40, device.ErrLost)
	var first *device.Error
	for i := range 5 {
		_, err := e.BFS(context.Background(), uint64(i))
		var fault *device.Error
		if !errors.Is(err, device.ErrLost) || !errors.As(err, &fault) || fault.Device != "opencl:0" {
			t.Fatalf("search %d: %v", i, err)
		}
		if first == nil {
			first = fault
		}
		if fault != first {
			t.Errorf("search %d: %v, the first fault was %v", i, fault, first)
		}
	}
	if err := e.Close(); !errors.Is(err, device.ErrLost) {
		t.Errorf("Close: %v", err)
	}
	if err := opts.Devices.Close(); err != nil {
		t.Error(err)
	}
	if left := b.live(); left != "" {
		t.Errorf("not freed:%s", left)
	}
}
