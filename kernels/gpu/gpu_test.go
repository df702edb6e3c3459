package gpu_test

import (
	"testing"

	"github.com/totemgo/totemgo/internal/needs"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/gpu"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/kernels/gpu/device/fake"
	"github.com/totemgo/totemgo/kernels/gpu/device/opencl"
	"github.com/totemgo/totemgo/kernels/kerneltest"
)

// openCL opens the OpenCL device to test, or skips the test where there is none.
func openCL(t testing.TB) device.Device {
	t.Helper()
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
	t.Logf("on %s: %s, %s", dev.Info().Name, dev.Info().Model, dev.Info().Version)
	return dev
}

// counted is the OpenCL device to test as opencl:0, within o.
func counted(t testing.TB, o fake.Options) *fake.Device {
	t.Helper()
	o.Name = "opencl:0"
	return fake.Wrap(openCL(t), o)
}

// build builds the kernels for dev.
func build(t testing.TB, dev device.Device, o gpu.BuildOptions) *gpu.Program {
	t.Helper()
	program, err := gpu.Build(dev, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := program.Close(); err != nil {
			t.Error(err)
		}
	})
	return program
}

// factory returns a factory of processors of program.
func factory(program *gpu.Program, o gpu.Options) func(t *testing.T) kernels.Processor {
	return func(t *testing.T) kernels.Processor {
		t.Helper()
		p, err := gpu.New(program, o)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
}

// sampleSearches runs part k of n of the kit's searches, a fifth of it under the race detector, which sees no kernel.
func sampleSearches(t *testing.T, k, n int, newProcessor func(t *testing.T) kernels.Processor) {
	if raceEnabled {
		n *= 5
	}
	kerneltest.Options{Skip: []string{"programs/", "rule=blocks"}, Part: k, Of: n}.Run(t, newProcessor)
}

func TestOpenCL(t *testing.T) {
	sampleSearches(t, 0, 1, factory(build(t, openCL(t), gpu.BuildOptions{}), gpu.Options{}))
}

func TestSmallGroups(t *testing.T) {
	sampleSearches(t, 1, 6, factory(build(t, openCL(t), gpu.BuildOptions{GroupSize: 64}), gpu.Options{}))
}

// TestLate runs commands no sooner than somebody waits: nothing is read or reused before.
func TestLate(t *testing.T) {
	dev := counted(t, fake.Options{Discrete: true, Late: true})
	program := build(t, dev, gpu.BuildOptions{})
	sampleSearches(t, 1, 6, factory(program, gpu.Options{}))
	if live := dev.Live(); live["program"] != 1 || len(live) != 1 {
		t.Errorf("not freed: %v", live)
	}
}

// TestSmallAllocations cuts every adjacency into chunks.
func TestSmallAllocations(t *testing.T) {
	dev := counted(t, fake.Options{LargestAllocation: 12 << 10})
	sampleSearches(t, 1, 6, factory(build(t, dev, gpu.BuildOptions{}), gpu.Options{}))
}
