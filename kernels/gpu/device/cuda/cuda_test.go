//go:build !nogpu && linux && (amd64 || arm64)

package cuda_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph/gen"
	"github.com/totemgo/totemgo/kernels/gpu"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/kernels/gpu/device/cuda"
	"github.com/totemgo/totemgo/kernels/gpu/device/cuda/cudatest"
	"github.com/totemgo/totemgo/kernels/gpu/src"
)

func open(t *testing.T) *cuda.Driver {
	t.Helper()
	d, err := cuda.Open(cuda.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestNoDriver: a library that is not there is a clean error, and so is one that is none.
func TestNoDriver(t *testing.T) {
	t.Setenv(cuda.LibraryVariable, "/nonexistent/libcuda.so")
	for _, o := range []cuda.Options{{}, {Library: "/nonexistent/other.so"}, {Library: "libc.so.6"}} {
		d, err := cuda.Open(o)
		var e *device.Error
		if d != nil || !errors.Is(err, device.ErrNoDriver) || !errors.As(err, &e) || e.Op != "Open" ||
			!strings.Contains(err.Error(), cmp.Or(o.Library, "/nonexistent/libcuda.so")) {
			t.Errorf("%+v: driver %v, error %v", o, d, err)
		}
	}
}

// TestDriver runs on the system's driver if TOTEMGO_TEST_CUDA is "system", else on the stand-in:
// one part of the kit in 100 with work held back, unless TOTEMGO_TEST_CUDA is "standin".
func TestDriver(t *testing.T) {
	now, late := 0, 100
	switch os.Getenv("TOTEMGO_TEST_CUDA") {
	case "system":
		cudatest.Run(t, open(t), 1)
		return
	case "standin":
		now, late = 20, 20
	}
	s := cudatest.NewStandin(t)
	cudatest.Run(t, open(t), now)
	t.Run("late", func(t *testing.T) {
		s.Late(t)
		cudatest.Run(t, open(t), late)
	})
	t.Run("none", func(t *testing.T) {
		t.Setenv("TOTEMGO_STANDIN_DEVICES", "0")
		if _, err := cuda.Open(cuda.Options{}); !errors.Is(err, device.ErrNoDriver) {
			t.Error(err)
		}
	})
	t.Run("old", func(t *testing.T) {
		t.Setenv("TOTEMGO_STANDIN_ARCH", "52")
		if _, err := cuda.Open(cuda.Options{}); !errors.Is(err, device.ErrNoDriver) || !strings.Contains(err.Error(), "5.2") {
			t.Error(err)
		}
	})
	t.Run("faults", func(t *testing.T) { faults(t, s) })
	t.Run("build", func(t *testing.T) { build(t) })
	t.Run("fill", func(t *testing.T) { fill(t, s) })
	t.Run("counts", func(t *testing.T) { counts(t, s) })
}

// exercise makes every kind of call and frees everything, unless one fails; it returns the errors.
func exercise(ctx context.Context) error {
	driver, err := cuda.Open(cuda.Options{})
	if err != nil {
		return err
	}
	dev, err := driver.Open(0)
	if err != nil {
		return err
	}
	return errors.Join(calls(dev), dev.Close(), ctx.Err())
}

func calls(dev device.Device) (err error) {
	var made []interface{ Free() error }
	defer func() {
		for i := len(made) - 1; i >= 0; i-- {
			err = errors.Join(err, made[i].Free())
		}
	}()
	keep := func(x interface{ Free() error }, failed error) bool {
		if err = failed; err == nil {
			made = append(made, x)
		}
		return err == nil
	}
	p, failed := dev.Load(src.PTX(strings.Fields(src.PTXOptions)), nil)
	if !keep(p, failed) {
		return err
	}
	k, failed := p.Kernel("answer")
	if !keep(k, failed) {
		return err
	}
	b, failed := dev.NewBuffer(4096)
	if !keep(b, failed) {
		return err
	}
	host, failed := dev.(device.HostReader).NewHostBuffer(4096, func(m []byte) { clear(m) })
	if !keep(host, failed) {
		return err
	}
	h, failed := dev.NewStaging(4096)
	if !keep(h, failed) {
		return err
	}
	s, failed := dev.NewStream()
	if !keep(s, failed) {
		return err
	}
	clear(h.Bytes())
	first, failed := s.Record()
	if !keep(first, failed) {
		return err
	}
	if err = errors.Join(s.Write(b, 0, h, 0, 4096), s.Fill(b, 0, 4096, 1),
		s.Launch(k, device.Launch{Groups: 1, GroupSize: 256, Args: []device.Arg{device.Buf(b), device.U32(9), device.Buf(host)}}),
		s.Read(h, 0, b, 0, 4096)); err != nil {
		return err
	}
	last, failed := s.Record()
	if !keep(last, failed) {
		return err
	}
	if err = errors.Join(last.Wait(), s.Finish()); err != nil {
		return err
	}
	if d, err := last.(device.Timer).Since(first); err != nil || d != 250*time.Microsecond {
		return errors.Join(err, fmt.Errorf("an event is %v after another", d))
	}
	return nil
}

// faults: each call that fails is an error that names it, nothing is freed twice or stays, and a
// fault that loses the device is the first error of all later operations.
func faults(t *testing.T, s *cudatest.Standin) {
	if err := exercise(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Late(t)
	counted := s.Count(t)
	if err := exercise(t.Context()); err != nil {
		t.Fatal(err)
	}
	ignored := map[string]bool{"threads": true, "cuGetErrorName": true, "cuDeviceGetAttribute": true, "cuDevicePrimaryCtxSetFlags_v2": true}
	seen := 0
	for name, n := range counted() {
		if ignored[name] {
			continue
		}
		seen++
		if name == "cuEventQuery" || name == "cuStreamQuery" {
			n = 1 // how often a wait polls depends on time
		}
		for _, code := range []int{2, 1, 700} {
			for nth := 1; nth <= min(n, 40); nth++ {
				s.Fail(t, name, nth, code)
				err := exercise(t.Context())
				var e *device.Error
				if !errors.As(err, &e) || !strings.HasPrefix(e.Device, "cuda") || e.Code != code {
					t.Fatalf("%s fails with %d at its call %d: %v", name, code, nth, err)
				}
				if code == 700 && e.Op != "Open" && !errors.Is(err, device.ErrLost) {
					t.Errorf("%s fails with %d at its call %d: %v", name, code, nth, err)
				}
				t.Setenv("TOTEMGO_STANDIN_FAIL", "")
				if err := exercise(t.Context()); err != nil {
					t.Fatalf("after %s failed with %d at its call %d: %v", name, code, nth, err)
				}
			}
		}
	}
	if seen < 28 {
		t.Errorf("%d functions are called", seen)
	}
}

// build: sources other than the PTX's are compiled, and loaded from the binary.
func build(t *testing.T) {
	driver := open(t)
	dev, err := driver.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}()
	text, err := src.Text()
	if err != nil {
		t.Fatal(err)
	}
	options := strings.Fields("-cl-std=CL1.2 -DWG=64 -DFEW=8 -DPIECE=256 -DNEAR=16 -DHUBWORDS=64 -DTHIN=4 -DTURNS_MOST=16 -DSLOTS=16")
	built, err := dev.Build(text, options)
	if err != nil {
		t.Fatal(err)
	}
	binary, err := built.Binary()
	if err != nil || len(binary) == 0 {
		t.Fatalf("a binary of %d bytes, %v", len(binary), err)
	}
	loaded, err := dev.Load(binary, options)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []device.Program{built, loaded} {
		if _, err := p.Kernel("answer"); err != nil {
			t.Error(err)
		}
		if err := p.Free(); err != nil {
			t.Error(err)
		}
	}
	var e *device.Error
	if _, err := dev.Build(text+"\n#error broken\n", options); !errors.Is(err, device.ErrBuild) || !errors.As(err, &e) || !strings.Contains(e.Detail, "broken") {
		t.Errorf("a source with an error: %v", err)
	}
	program, err := gpu.Build(dev, gpu.BuildOptions{GroupSize: 64})
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Close(); err != nil {
		t.Error(err)
	}
	t.Setenv(cuda.CompilerVariable, "/nonexistent/libnvrtc.so")
	other, err := open(t).Open(0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Build(text, options); !errors.Is(err, device.ErrBuild) || !strings.Contains(err.Error(), "/nonexistent/libnvrtc.so") ||
		!strings.Contains(err.Error(), cuda.CompilerVariable) {
		t.Errorf("without a compiler: %v", err)
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
}

// fill: more bytes than a fill of the driver sets are several fills.
func fill(t *testing.T, s *cudatest.Standin) {
	counted := s.Count(t)
	dev, err := open(t).Open(0)
	if err != nil {
		t.Fatal(err)
	}
	const n = 1<<28 + 4096
	b, err1 := dev.NewBuffer(n)
	h, err2 := dev.NewStaging(12)
	q, err3 := dev.NewStream()
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(q.Fill(b, 4, n-8, 0x01020304), q.Read(h, 0, b, n-12, 12), q.Finish()); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(h.Bytes()); got != "[4 3 2 1 4 3 2 1 165 165 165 165]" || counted()["cuMemsetD32Async"] != 2 {
		t.Errorf("the end is %s after %d fills", got, counted()["cuMemsetD32Async"])
	}
	if err := errors.Join(q.Free(), h.Free(), b.Free(), dev.Close()); err != nil {
		t.Error(err)
	}
}

// counts: a search calls the driver on the caller's thread, at one cuCtxSetCurrent a call or wait,
// and its events come from the pool.
func counts(t *testing.T, s *cudatest.Standin) {
	list, err := gen.Make(t.Context(), gen.KroneckerOptions{Scale: 10, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, processors := range []string{"cuda:0", "cpu:1,cuda:0"} {
		p, err := engine.ParseProcessors(processors)
		if err != nil {
			t.Fatal(err)
		}
		e, err := engine.New(t.Context(), list, engine.Options{Processors: p, NoKernelCache: true})
		if err != nil {
			t.Fatal(err)
		}
		r := e.NewResult()
		counted := s.Count(t)
		const searches = 32
		for i := range searches {
			if err := e.BFSInto(t.Context(), uint64(list.Edges[i].U), r); err != nil {
				t.Fatal(err)
			}
		}
		c := counted()
		commands, waits := 0, c["cuStreamQuery"]+c["cuEventQuery"]
		for _, name := range []string{"cuLaunchKernel", "cuMemsetD32Async", "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2", "cuEventRecord", "cuEventCreate"} {
			commands += c[name]
		}
		if c["cuLaunchKernel"] < searches || c["cuCtxSetCurrent"] != commands+waits {
			t.Errorf("%s: %d times a context for %d commands and %d waits: %v", processors, c["cuCtxSetCurrent"], commands, waits, c)
		}
		if c["cuEventCreate"] > 8 || c["cuEventDestroy_v2"] > 0 {
			t.Errorf("%s: %d events are made in %d searches, %d destroyed", processors, c["cuEventCreate"], searches, c["cuEventDestroy_v2"])
		}
		// The scheduler may move the goroutine, rarely; through a thread of the context every wait
		// would be two.
		if processors == "cuda:0" && c["threads"] > waits/2 {
			t.Errorf("%s: %d calls from another thread than the one before, at %d waits", processors, c["threads"], waits)
		}
		t.Logf("%s, a search: %.1f commands, %.1f waits, %.2f changes of thread, %v", processors, float64(commands)/searches,
			float64(waits)/searches, float64(c["threads"])/searches, c)
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}
