// Package cudatest tests drivers of CUDA devices, against a stand-in for NVIDIA's libraries that
// Standin compiles, or on a GPU.
package cudatest

import (
	"encoding/binary"
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/gpu"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/kernels/gpu/src"
	"github.com/totemgo/totemgo/kernels/kerneltest"
)

// Run tests a driver on the device of TOTEMGO_TEST_DEVICE, or 0: the calls, then one of n parts of
// the conformance kit (none if n is 0), and a seventh of that with each strategy and each place of
// the graph; on a GPU, which is faster, all of the kit.
func Run(t *testing.T, driver device.Driver, n int) {
	number := 0
	if s := os.Getenv("TOTEMGO_TEST_DEVICE"); s != "" {
		number = must[int](t)(strconv.Atoi(s))
	}
	for _, c := range []struct {
		name string
		f    func(*testing.T, device.Device)
	}{
		{"copies, fills and a kernel", copies}, {"host buffer", hostBuffer}, {"refusals", refusals}, {"many streams", manyStreams},
		{"closed", closed},
		{"kit", func(t *testing.T, dev device.Device) { kit(t, dev, n) }},
		{"placements", func(t *testing.T, dev device.Device) { placements(t, dev, n) }},
	} {
		if n == 0 && (c.name == "kit" || c.name == "placements") {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			dev := must[device.Device](t)(driver.Open(number))
			t.Cleanup(func() { check(t, dev.Close()) })
			c.f(t, dev)
		})
	}
	t.Run("devices", func(t *testing.T) { devices(t, driver) })
}

func must[T any](t *testing.T) func(T, error) T {
	return func(x T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
}

func check(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func words(s device.Staging) []uint32 {
	b := s.Bytes()
	return unsafe.Slice((*uint32)(unsafe.Pointer(&b[0])), len(b)/4)
}

func devices(t *testing.T, driver device.Driver) {
	infos := must[[]device.Info](t)(driver.Devices())
	for i, info := range infos {
		if info.Kind != "cuda" || info.Model == "" || info.Memory <= 0 || info.MaxGroup < 256 || info.ComputeUnits < 1 || info.Bandwidth <= 0 {
			t.Errorf("device %d: %+v", i, info)
		}
	}
	for _, i := range []int{-1, len(infos)} {
		if _, err := driver.Open(i); !errors.Is(err, device.ErrNoDevice) {
			t.Errorf("device %d: %v", i, err)
		}
	}
}

func copies(t *testing.T, dev device.Device) {
	const n = 1000
	s, other := must[device.Stream](t)(dev.NewStream()), must[device.Stream](t)(dev.NewStream())
	b, r := must[device.Buffer](t)(dev.NewBuffer(4*n)), must[device.Buffer](t)(dev.NewBuffer(4*n))
	h := must[device.Staging](t)(dev.NewStaging(4 * n))
	p := must[device.Program](t)(dev.Load(src.PTX(strings.Fields(src.PTXOptions)), nil))
	k := must[device.Kernel](t)(p.Kernel("answer")) // ranks[i] = parent[ranks[i]]
	w := words(h)
	for i := range w {
		w[i] = uint32(n - 1 - i)
	}
	check(t, s.Write(r, 0, h, 0, 4*n), s.Fill(b, 0, 4*n, 7), s.Finish())
	for i := range w {
		w[i] = uint32(3 * i)
	}
	check(t, s.Write(b, 40, h, 40, 4*n-40))
	e := must[device.Event](t)(s.Record())
	check(t, e.Wait(), other.Launch(k, device.Launch{Groups: 2, GroupSize: 256,
		Args: []device.Arg{device.Buf(r), device.U32(n), device.Buf(b)}}))
	done := must[device.Event](t)(other.Record())
	check(t, done.Wait(), other.Read(h, 0, r, 0, 4*n), other.Finish())
	for i, got := range w {
		want := uint32(3 * (n - 1 - i))
		if n-1-i < 10 {
			want = 7
		}
		if got != want {
			t.Fatalf("word %d: %d, want %d", i, got, want)
		}
	}
	check(t, e.Free(), done.Free(), k.Free(), p.Free(), h.Free(), r.Free(), b.Free(), other.Free(), s.Free())
}

// hostBuffer: a kernel reads what fill left in mapped memory of the host.
func hostBuffer(t *testing.T, dev device.Device) {
	if !dev.Info().InPlace || dev.Info().Bandwidth <= 0 {
		t.Errorf("the device is %+v", dev.Info())
	}
	const n = 1000
	s := must[device.Stream](t)(dev.NewStream())
	ranks, h := must[device.Buffer](t)(dev.NewBuffer(4*n)), must[device.Staging](t)(dev.NewStaging(4*n))
	parents := must[device.Buffer](t)(dev.(device.HostReader).NewHostBuffer(4*n, func(memory []byte) {
		if len(memory) != 4*n {
			t.Errorf("%d bytes to fill", len(memory))
		}
		for i := range n {
			binary.LittleEndian.PutUint32(memory[4*i:], uint32(3*i))
		}
	}))
	none := must[device.Buffer](t)(dev.(device.HostReader).NewHostBuffer(0, func([]byte) {}))
	p := must[device.Program](t)(dev.Load(src.PTX(strings.Fields(src.PTXOptions)), nil))
	k := must[device.Kernel](t)(p.Kernel("answer")) // ranks[i] = parent[ranks[i]]
	w := words(h)
	for i := range w {
		w[i] = uint32(n - 1 - i)
	}
	check(t, s.Write(ranks, 0, h, 0, 4*n), s.Launch(k, device.Launch{Groups: 2, GroupSize: 256,
		Args: []device.Arg{device.Buf(ranks), device.U32(n), device.Buf(parents)}}), s.Read(h, 0, ranks, 0, 4*n), s.Finish())
	for i, got := range w {
		if want := uint32(3 * (n - 1 - i)); got != want {
			t.Fatalf("word %d: %d, want %d", i, got, want)
		}
	}
	if _, err := dev.(device.HostReader).NewHostBuffer(1<<50, nil); !errors.Is(err, device.ErrMemory) {
		t.Errorf("a buffer of a pebibyte: %v", err)
	}
	check(t, k.Free(), p.Free(), none.Free(), parents.Free(), h.Free(), ranks.Free(), s.Free())
}

func refusals(t *testing.T, dev device.Device) {
	if _, err := dev.NewBuffer(1 << 50); !errors.Is(err, device.ErrMemory) {
		t.Errorf("a buffer of a pebibyte: %v", err)
	}
	if _, err := dev.Build("KERNEL", nil); !errors.Is(err, device.ErrBuild) { // no source of the PTX, and none at all
		t.Errorf("Build: %v", err)
	}
	for _, image := range []string{"", "no PTX"} {
		if _, err := dev.Load([]byte(image), nil); !errors.Is(err, device.ErrBuild) {
			t.Errorf("Load %q: %v", image, err)
		}
	}
	p := must[device.Program](t)(dev.Load(src.PTX(strings.Fields(src.PTXOptions)), nil))
	if _, err := p.Kernel("absent"); !errors.Is(err, device.ErrBuild) {
		t.Errorf("a kernel that is not there: %v", err)
	}
	check(t, p.Free())
}

// A device serves several goroutines; a stream serves one.
func manyStreams(t *testing.T, dev device.Device) {
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			s, err := dev.NewStream()
			if err != nil {
				t.Error(err)
				return
			}
			b, err1 := dev.NewBuffer(256)
			h, err2 := dev.NewStaging(256)
			if err1 != nil || err2 != nil {
				t.Error(err1, err2)
				return
			}
			for i := range 50 {
				word := uint32(100*g + i)
				if err := errors.Join(s.Fill(b, 0, 256, word), s.Read(h, 0, b, 0, 256), s.Finish()); err != nil {
					t.Error(err)
				}
				if got := words(h)[63]; got != word {
					t.Errorf("stream %d: %d, want %d", g, got, word)
				}
			}
			if err := errors.Join(s.Free(), b.Free(), h.Free()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// A closed device answers.
func closed(t *testing.T, dev device.Device) {
	s := must[device.Stream](t)(dev.NewStream())
	check(t, s.Free(), dev.Close())
	answered := make(chan error, 1)
	go func() {
		_, err := dev.NewBuffer(64)
		answered <- err
	}()
	select {
	case err := <-answered:
		if !errors.Is(err, device.ErrLost) {
			t.Errorf("a buffer of a closed device: %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("a closed device does not answer")
	}
}

// processors returns a factory of processors on a device, closed before it.
func processors(t *testing.T, dev device.Device, o gpu.Options) func(t *testing.T) kernels.Processor {
	program := must[*gpu.Program](t)(gpu.Build(dev, gpu.BuildOptions{}))
	t.Cleanup(func() { check(t, program.Close()) })
	return func(t *testing.T) kernels.Processor {
		t.Helper()
		return must[*gpu.Processor](t)(gpu.New(program, o))
	}
}

func kit(t *testing.T, dev device.Device, n int) {
	if p := processors(t, dev, gpu.Options{}); strings.HasPrefix(dev.Info().Model, "stand-in") {
		kerneltest.Sample(t, 0, n, p)
	} else {
		kerneltest.Run(t, p)
	}
}

func placements(t *testing.T, dev device.Device, n int) {
	settings := []gpu.Options{
		{Graph: gpu.OnHost}, {Graph: gpu.Split, Memory: 96 << 10},
	}
	for i, o := range settings {
		t.Run(o.String(), func(t *testing.T) {
			kerneltest.Options{Skip: []string{"programs/", "rule=blocks"}, Part: i + 1, Of: n * len(settings)}.Run(t, processors(t, dev, o))
		})
	}
}
