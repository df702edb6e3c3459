//go:build !nogpu && (linux || darwin || windows) && (amd64 || arm64)

package opencl_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/kernels/gpu/device/opencl"
)

const adding = `kernel void adding(global const uint* a, global uint* b, uint n) {
  if (get_global_id(0) < n) b[get_global_id(0)] += a[get_global_id(0)];
}`

// TestHostBuffer: a kernel reads what fill left in memory of the host, in every way in
// which the device can.
func TestHostBuffer(t *testing.T) {
	dev := open(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	defer func() { must(dev.Close()) }()
	ways := map[string]func(int64, func([]byte)) (device.Buffer, error){}
	if dev.Info().Unified {
		ways["unified"] = dev.(device.HostReader).NewHostBuffer
	}
	if opencl.FineGrained(dev) {
		ways["shared virtual memory"] = func(n int64, fill func([]byte)) (device.Buffer, error) {
			return opencl.NewSharedBuffer(dev, n, fill)
		}
	}
	if dev.Info().InPlace != (len(ways) > 0) {
		t.Errorf("%+v has %d ways to read the host's memory", dev.Info(), len(ways))
	}
	if len(ways) == 0 {
		if b, err := dev.(device.HostReader).NewHostBuffer(64, func([]byte) {}); b != nil || !errors.Is(err, device.ErrMemory) {
			t.Errorf("a host buffer %v, error %v", b, err)
		}
		t.Skip("the device does not read the host's memory in place")
	}
	program, err := dev.Build(adding, []string{"-cl-std=CL1.2"})
	must(err)
	k, err := program.Kernel("adding")
	must(err)
	s, err := dev.NewStream()
	must(err)
	const n = 5000
	out, err := dev.NewStaging(4 * n)
	must(err)
	for name, make := range ways {
		b, err := dev.NewBuffer(4 * n)
		must(err)
		host, err := make(4*n, func(memory []byte) {
			if len(memory) != 4*n {
				t.Errorf("%s: %d bytes to fill", name, len(memory))
			}
			for i := range n {
				binary.LittleEndian.PutUint32(memory[4*i:], uint32(3*i))
			}
		})
		must(err)
		must(s.Fill(b, 0, 4*n, 7))
		for range 2 {
			must(s.Launch(k, device.Launch{Groups: (n + 63) / 64, GroupSize: 64, Args: []device.Arg{device.Buf(host), device.Buf(b), device.U32(n)}}))
		}
		must(s.Read(out, 0, b, 0, 4*n))
		must(s.Finish())
		for i := range n {
			if got := binary.LittleEndian.Uint32(out.Bytes()[4*i:]); got != uint32(6*i+7) {
				t.Fatalf("%s: word %d is %d, want %d", name, i, got, 6*i+7)
			}
		}
		none, err := make(0, func([]byte) {})
		must(err)
		if _, err := make(dev.Info().LargestAllocation+1, func([]byte) {}); !errors.Is(err, device.ErrMemory) {
			t.Errorf("%s: too large a buffer: %v", name, err)
		}
		for _, f := range []device.Buffer{none, host, b} {
			must(f.Free())
		}
		t.Logf("by %s", name)
	}
	for _, f := range []interface{ Free() error }{out, s, k, program} {
		must(f.Free())
	}
}
