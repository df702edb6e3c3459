package opencl_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/totemgo/totemgo/internal/needs"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/kernels/gpu/device/opencl"
)

// TestNoDriver: a loader that is not there is a clean error.
func TestNoDriver(t *testing.T) {
	t.Setenv(opencl.LoaderVariable, "/nonexistent/libOpenCL.so")
	for _, o := range []opencl.Options{{}, {Loader: "/nonexistent/other.so"}} {
		d, err := opencl.Open(o)
		var e *device.Error
		if d != nil || !errors.Is(err, device.ErrNoDriver) || !errors.As(err, &e) || e.Op != "Open" {
			t.Errorf("%+v: driver %v, error %v", o, d, err)
		}
	}
}

// open opens the device to test, or skips the test where there is none.
func open(t *testing.T) device.Device {
	t.Helper()
	driver, number := needs.OpenCL(t, func() (*opencl.Driver, error) { return opencl.Open(opencl.Options{}) }, device.ErrNoDriver)
	infos, err := driver.Devices()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := driver.Open(len(infos)); !errors.Is(err, device.ErrNoDevice) {
		t.Errorf("one device too many: %v", err)
	}
	dev, err := driver.Open(number)
	if err != nil {
		t.Fatal(err)
	}
	info := dev.Info()
	if info != infos[number] || info.Name != fmt.Sprint("opencl:", number) || info.Kind != "opencl" || info.Model == "" || info.Memory <= 0 ||
		info.LargestAllocation <= 0 || info.ComputeUnits <= 0 || info.MaxGroup <= 0 || info.Driver == "" {
		t.Errorf("the device is %+v", info)
	}
	return dev
}

const doubling = `kernel void doubling(global uint* a, uint n, ulong add) {
  if (get_global_id(0) < n) a[get_global_id(0)] = 2 * a[get_global_id(0)] + (uint)(add >> 32);
}`

// TestDevice builds a program, takes its binary to a second one, and runs that over
// buffers with copies, fills and events on two streams.
func TestDevice(t *testing.T) {
	dev := open(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	built, err := dev.Build(doubling, []string{"-cl-std=CL1.2"})
	must(err)
	data, err := built.Binary()
	must(err)
	must(built.Free())
	program, err := dev.Load(data, []string{"-cl-std=CL1.2"})
	must(err)
	if _, err := program.Kernel("absent"); err == nil {
		t.Error("a kernel that is not there: no error")
	}
	k, err := program.Kernel("doubling")
	must(err)
	const n = 1000
	b, err := dev.NewBuffer(4 * n)
	must(err)
	s, err := dev.NewStaging(4 * n)
	must(err)
	if len(s.Bytes()) != 4*n || b.Size() != 4*n {
		t.Errorf("staging of %d bytes, a buffer of %d", len(s.Bytes()), b.Size())
	}
	compute, err := dev.NewStream()
	must(err)
	copies, err := dev.NewStream()
	must(err)
	for i := 0; i < n; i++ {
		binary.LittleEndian.PutUint32(s.Bytes()[4*i:], uint32(i))
	}
	must(compute.Write(b, 0, s, 0, 4*n))
	must(compute.Fill(b, 40, 8, 77))
	must(compute.Launch(k, device.Launch{Groups: 4, GroupSize: 256,
		Args: []device.Arg{device.Buf(b), device.U32(n), {Scalar: 1 << 32, Width: 8}}}))
	e, err := compute.Record()
	must(err)
	must(e.Wait())
	must(e.Free())
	must(copies.Read(s, 0, b, 0, 4*n))
	must(copies.Finish())
	for i := uint32(0); i < n; i++ {
		want := 2*i + 1
		if i == 10 || i == 11 {
			want = 2*77 + 1
		}
		if got := binary.LittleEndian.Uint32(s.Bytes()[4*i:]); got != want {
			t.Fatalf("word %d is %d, want %d", i, got, want)
		}
	}
	for _, f := range []interface{ Free() error }{copies, compute, s, b, k, program} {
		must(f.Free())
	}
	must(dev.Close())
}

func TestFailures(t *testing.T) {
	dev := open(t)
	var e *device.Error
	if _, err := dev.Build("kernel void broken(", nil); !errors.Is(err, device.ErrBuild) || !errors.As(err, &e) ||
		e.Device != dev.Info().Name || e.Detail == "" {
		t.Errorf("a program that does not compile: %v", err)
	}
	if _, err := dev.Load([]byte("rubbish"), nil); !errors.Is(err, device.ErrBuild) {
		t.Errorf("a binary that is none: %v", err)
	}
	if _, err := dev.NewBuffer(dev.Info().LargestAllocation + 1); !errors.Is(err, device.ErrMemory) {
		t.Errorf("too large a buffer: %v", err)
	}
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}
