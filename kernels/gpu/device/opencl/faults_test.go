//go:build !nogpu && linux && (amd64 || arm64)

package opencl_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/internal/needs"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/kernels/gpu/device/opencl"
	"github.com/totemgo/totemgo/kernels/gpu/device/opencl/opencltest"
)

// TestBrokenDriver: a driver that fails where its mode says returns an error of the right class
// that says why, and no nil for an object.
func TestBrokenDriver(t *testing.T) {
	for _, c := range []struct {
		mode string
		call func(d *opencl.Driver) error // nil where Open fails
		err  error
		says string
	}{
		{"no platform", nil, device.ErrNoDriver, "lists no platform (code -1001)"},
		{"platform list fails", nil, device.ErrNoDriver, "clGetPlatformIDs, code -6"},
		{"no device", nil, device.ErrNoDriver, "Broken platform: no device (code -1)"},
		{"device list fails", nil, device.ErrNoDriver, "Broken platform: clGetDeviceIDs (code -2)"},
		{"endianness fails", nil, device.ErrNoDriver, "Broken platform: clGetDeviceInfo (code -30)"},
		{"no context", func(d *opencl.Driver) error { _, err := d.Open(0); return err }, device.ErrMemory, "opencl:0: Open"},
		{"no queue", func(d *opencl.Driver) error {
			dev, err := d.Open(0)
			if err == nil {
				_, err = dev.NewStream()
			}
			return err
		}, device.ErrMemory, "opencl:0: NewStream"},
		{"no build", func(d *opencl.Driver) error {
			dev, err := d.Open(0)
			if err == nil {
				_, err = dev.Build("kernel void k(void) {}", nil)
			}
			return err
		}, device.ErrBuild, "kernels.cl:12:3: error: broken"},
		{"maps nothing", func(d *opencl.Driver) error {
			dev, err := d.Open(0)
			if err == nil {
				var s device.Staging
				if s, err = dev.NewStaging(64); s != nil {
					t.Errorf("staging memory %v from a driver that maps nothing", s)
				}
			}
			return err
		}, device.ErrMemory, "NewStaging"},
	} {
		d, err := opencl.Open(opencl.Options{Loader: opencltest.Broken(t, c.mode)})
		if c.call != nil && err == nil {
			err = c.call(d)
		}
		if !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.mode, err, c.says)
		}
	}
}

// TestNamesArePrintable: control codes in texts of a driver never reach a terminal.
func TestNamesArePrintable(t *testing.T) {
	d, err := opencl.Open(opencl.Options{Loader: opencltest.Broken(t, "control codes")})
	if err != nil {
		t.Fatal(err)
	}
	infos, err := d.Devices()
	if err != nil {
		t.Fatal(err)
	}
	if want := `\x1b[31mred\a\xff\nline`; infos[0].Model != want || infos[0].Vendor != want || infos[0].Driver != want || infos[0].Version != want {
		t.Errorf("%+v, want the texts %q", infos[0], want)
	}
	e := &device.Error{Op: "Build", Device: "opencl:0", Err: device.ErrBuild, Detail: "a\tb\x1b[0m\nüber \"c\" \\"}
	if got, want := e.Error(), "opencl:0: Build: the program does not build: a b\\x1b[0m\nüber \"c\" \\"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// interposed opens device 0 through an interposer.
func interposed(t *testing.T) (*opencltest.Interposer, device.Device) {
	t.Helper()
	i := opencltest.Interpose(t, opencltest.Options{})
	d, err := opencl.Open(opencl.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dev, err := d.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	return i, dev
}

// TestUnavailable: a device that is listed and does not open is neither absent nor lost.
func TestUnavailable(t *testing.T) {
	i := opencltest.Interpose(t, opencltest.Options{})
	d, err := opencl.Open(opencl.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for code, want := range map[int]error{-2: device.ErrUnavailable, -5: device.ErrUnavailable, -30: device.ErrUnavailable, -6: device.ErrMemory} {
		i.Set(opencltest.Options{Fault: opencltest.Fault{Call: "clCreateContext", Code: code}})
		if _, err := d.Open(0); !errors.Is(err, want) || errors.Is(err, device.ErrNoDevice) || errors.Is(err, device.ErrLost) {
			t.Errorf("code %d: %v, want %v", code, err, want)
		}
	}
}

// TestFirstUse: out of resources at the first use of a buffer is a lack of memory, which leaves the
// device usable; later it is the loss of the device.
func TestFirstUse(t *testing.T) {
	for _, call := range []string{"clEnqueueFillBuffer", "clFinish"} {
		i, dev := interposed(t)
		use := func(b device.Buffer, s device.Stream) error {
			i.Set(opencltest.Options{Fault: opencltest.Fault{Call: call, Code: -5}})
			return errors.Join(s.Fill(b, 0, 64, 1), s.Finish())
		}
		b, err := dev.NewBuffer(64)
		if err != nil {
			t.Fatal(err)
		}
		s, err := dev.NewStream()
		if err != nil {
			t.Fatal(err)
		}
		if err := use(b, s); !errors.Is(err, device.ErrMemory) || errors.Is(err, device.ErrLost) {
			t.Errorf("%s fails with -5 at the first use: %v", call, err)
		}
		if err := errors.Join(s.Fill(b, 0, 64, 1), s.Finish()); err != nil {
			t.Errorf("after a lack of memory: %v", err)
		}
		if err := use(b, s); !errors.Is(err, device.ErrLost) {
			t.Errorf("%s fails with -5 at a later use: %v", call, err)
		}
		if err := errors.Join(s.Free(), b.Free(), dev.Close()); err != nil {
			t.Errorf("freeing repeats the fault: %v", err)
		}
	}
}

// TestLargeFill: no fill has 2^31 bytes or more.
func TestLargeFill(t *testing.T) {
	i, dev := interposed(t)
	b, err := dev.NewBuffer(64)
	if err != nil {
		t.Fatal(err)
	}
	s, err := dev.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	// Status 0 without the call: the buffer is too small for it.
	i.Set(opencltest.Options{Fault: opencltest.Fault{Call: "clEnqueueFillBuffer", Scope: opencltest.Always}})
	if err := s.Fill(b, 0, 5<<30+4, 1); err != nil {
		t.Fatal(err)
	}
	if n := i.Counts()["clEnqueueFillBuffer"]; n != 6 {
		t.Errorf("%d fills for 5 GiB and a word, want 6", n)
	}
	if err := errors.Join(s.Free(), b.Free(), dev.Close()); err != nil {
		t.Error(err)
	}
}

// pocl is the library of a driver, opened without a loader.
const pocl = "libpocl.so.2"

// TestVendorDriver: a vendor's driver is opened by its own name, and found where there is no loader, or
// one that lists nothing; a driver that the loader lists is not listed twice.
func TestVendorDriver(t *testing.T) {
	d, err := opencl.Open(opencl.Options{Loader: pocl})
	if err != nil {
		needs.Missing(t, "pocl", err.Error())
	}
	want, err := d.Devices()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "none.so")
	nothing := opencltest.Broken(t, "no platform")
	for name, list := range map[string][2][]string{
		"no loader":             {{path}, {path, pocl, pocl}},
		"a loader without icd":  {{nothing}, {pocl}},
		"listed by the loader":  {{"libOpenCL.so.1"}, {pocl}},
		"a driver that is none": {{path}, {nothing, pocl}},
	} {
		d, err := opencl.OpenFrom(list[0], list[1])
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, err := d.Devices(); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %+v, want %+v", name, err, got, want)
		}
	}
	_, err = opencl.OpenFrom([]string{path, "/nonexistent"}, []string{nothing})
	if !errors.Is(err, device.ErrNoDriver) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), nothing+" lists no platform") ||
		strings.Contains(err.Error(), "/nonexistent") {
		t.Errorf("the message %v names other than the first loader that is missing, and the driver that lists nothing", err)
	}
}

// TestVendors: the folder of .icd files that the environment names restricts the search to them.
func TestVendors(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.icd": "libone.so.1\n", "b.icd": "/opt/two.so", "c.txt": "libthree.so\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("OCL_ICD_VENDORS", dir)
	if got := opencl.Vendors(); !slices.Equal(got, []string{"libone.so.1", "/opt/two.so"}) {
		t.Errorf("%q", got)
	}
	os.Unsetenv("OCL_ICD_VENDORS")
	if got := opencl.Vendors(); !slices.Contains(got, "libnvidia-opencl.so.1") {
		t.Errorf("%q", got)
	}
}
