package gpu_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/gpu"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/kernels/gpu/device/opencl"
	"github.com/totemgo/totemgo/kernels/kerneltest"
)

// openCL opens the first OpenCL device, or skips the test where there is none.
func openCL(t testing.TB) device.Device {
	t.Helper()
	if os.Getenv("POCL_CACHE_DIR") == "" {
		if dir, err := os.UserCacheDir(); err == nil {
			dir = filepath.Join(dir, "totemgo", "pocl")
			if os.MkdirAll(dir, 0o755) == nil {
				os.Setenv("POCL_CACHE_DIR", dir)
			}
		}
	}
	driver, err := opencl.Open(opencl.Options{})
	if err != nil {
		if !errors.Is(err, device.ErrNoDriver) || strings.Contains(os.Getenv("TOTEMGO_REQUIRE"), "opencl") {
			t.Fatal(err)
		}
		t.Skipf("no OpenCL device to test on: %v", err)
	}
	dev, err := driver.Open(0)
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

func conform(t *testing.T, program *gpu.Program, o gpu.Options) {
	t.Helper()
	kerneltest.Run(t, func(t *testing.T) kernels.Processor {
		p, err := gpu.New(program, o)
		if err != nil {
			t.Fatal(err)
		}
		return p
	})
}

func TestOpenCL(t *testing.T) {
	program := build(t, openCL(t), gpu.BuildOptions{})
	conform(t, program, gpu.Options{})
}
