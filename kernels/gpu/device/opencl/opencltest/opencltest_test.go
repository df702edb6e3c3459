package opencltest_test

import (
	"errors"
	"testing"
	"time"

	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/kernels/gpu/device/opencl"
	"github.com/totemgo/totemgo/kernels/gpu/device/opencl/opencltest"
)

// TestInterposer: counts are exact, faults and delays hit the call that they name, properties
// are those that the test sets.
func TestInterposer(t *testing.T) {
	i := opencltest.Interpose(t, opencltest.Options{ComputeUnits: 132, LargestAllocation: 1 << 20, DiscreteGPU: true})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	open := func() device.Device {
		t.Helper()
		driver, err := opencl.Open(opencl.Options{})
		must(err)
		dev, err := driver.Open(0)
		must(err)
		return dev
	}
	dev := open()
	if info := dev.Info(); info.ComputeUnits != 132 || info.LargestAllocation != 1<<20 || info.HostCPU || info.Unified || info.InPlace {
		t.Errorf("the device is %+v", info)
	}
	must(dev.Close())

	i.Set(opencltest.Options{})
	dev = open()
	if dev.Info().ComputeUnits == 132 {
		t.Error("132 compute units, as earlier")
	}
	b, err := dev.NewBuffer(64)
	must(err)
	s, err := dev.NewStream()
	must(err)
	i.Reset()
	for range 3 {
		must(s.Fill(b, 0, 64, 1))
	}
	must(s.Finish())
	if c := i.Counts(); len(c) != 2 || c["clEnqueueFillBuffer"] != 3 || c["clFinish"] != 1 {
		t.Errorf("counts %v", c)
	}

	for _, x := range []struct {
		scope opencltest.Scope
		want  [4]int // statuses of three fills and a finish
	}{
		{opencltest.Once, [4]int{0, -54, 0, 0}},
		{opencltest.Always, [4]int{0, -54, -54, 0}},
		{opencltest.Lost, [4]int{0, -54, -54, -54}},
	} {
		i.Set(opencltest.Options{Fault: opencltest.Fault{Call: "clEnqueueFillBuffer", Nth: 2, Code: -54, Scope: x.scope}})
		for n, want := range x.want {
			err := s.Finish
			if n < 3 {
				err = func() error { return s.Fill(b, 0, 64, 1) }
			}
			var e *device.Error
			if got := err(); want == 0 && got != nil || want != 0 && (!errors.As(got, &e) || e.Code != want) {
				t.Errorf("scope %d, call %d: %v, want status %d", x.scope, n, got, want)
			}
		}
	}

	const delay = 30 * time.Millisecond
	i.Set(opencltest.Options{Delayed: "clFinish", Delay: delay})
	start := time.Now()
	must(s.Finish())
	if took := time.Since(start); took < delay {
		t.Errorf("clFinish took %v, want at least %v", took, delay)
	}
	must(s.Free())
	must(b.Free())
	must(dev.Close())
}

// TestBroken: the broken driver opens as far as its mode says.
func TestBroken(t *testing.T) {
	if _, err := opencl.Open(opencl.Options{Loader: opencltest.Broken(t, "no platform")}); !errors.Is(err, device.ErrNoDriver) {
		t.Errorf("no platform: %v", err)
	}
	d, err := opencl.Open(opencl.Options{Loader: opencltest.Broken(t, "no context")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Open(0); !errors.Is(err, device.ErrMemory) {
		t.Errorf("no context: %v", err)
	}
}
