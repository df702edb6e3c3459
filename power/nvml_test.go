package power

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"
)

type fakeGPU struct {
	name       string
	noCounter  bool
	broken     nvmlCode // code of every call, 0: none
	millijoule uint64
	milliwatts uint32
}

// fakeNVML plays NVML. It fails the test's expectations by counting.
type fakeNVML struct {
	initCode     nvmlCode
	gpus         []fakeGPU
	inits, downs int
	afterFailure int // calls after an initialisation that failed
}

func (f *fakeNVML) dead() {
	if f.initCode != nvmlSuccess {
		f.afterFailure++
	}
}

// api is the fake as NVML's functions.
func (f *fakeNVML) api() (*nvmlAPI, error) {
	return &nvmlAPI{
		initialise: func() nvmlCode { f.inits++; return f.initCode },
		shutdown:   func() nvmlCode { f.dead(); f.downs++; return nvmlSuccess },
		deviceCount: func(n *uint32) nvmlCode {
			f.dead()
			*n = uint32(len(f.gpus))
			return nvmlSuccess
		},
		device: func(i uint32, d *nvmlDevice) nvmlCode {
			f.dead()
			*d = nvmlDevice(i)
			return f.gpus[i].broken
		},
		name: func(d nvmlDevice, text *byte, size uint32) nvmlCode {
			copy(unsafe.Slice(text, size), f.gpus[d].name+"\x00")
			return nvmlSuccess
		},
		totalEnergy: func(d nvmlDevice, v *uint64) nvmlCode {
			g := f.gpus[d]
			if g.noCounter {
				return nvmlNotSupported
			}
			*v = g.millijoule
			return g.broken
		},
		powerUsage: func(d nvmlDevice, v *uint32) nvmlCode {
			*v = f.gpus[d].milliwatts
			return f.gpus[d].broken
		},
	}, nil
}

func TestNVMLCounter(t *testing.T) {
	api := &fakeNVML{gpus: []fakeGPU{
		{name: "A", millijoule: 5000},
		{name: "B", broken: nvmlGPUIsLost},
		{name: "C", noCounter: true, milliwatts: 70_000},
	}}
	meters, missing := nvmlMeters(api.api)
	if len(meters) != 2 || len(missing) != 1 || missing[0].Name != "nvml:1" {
		t.Fatalf("%d meters, missing %+v", len(meters), missing)
	}
	c := newManual()
	s := start(t, c, Options{Meters: meters})
	m := s.Mark("run")
	api.gpus[0].millijoule = 105_000
	c.t = 2 * time.Second
	i := m.End()
	near(t, "counter", energyOf(t, i, "nvml:0"), 100, 1e-9)
	near(t, "power", energyOf(t, i, "nvml:2"), 140, 1e-9)
	near(t, "total", i.Joules, 240, 1e-9)

	// The driver is loaded again: the counter starts anew, and that step is unknown.
	api.gpus[0].millijoule = 10
	c.t = 3 * time.Second
	s.sample()
	if seen := s.Result().Meters[0].Seen; seen.Resets != 1 {
		t.Errorf("%+v", seen)
	}
	e := between(s, 0, 3*time.Second).Meters[0]
	near(t, "covered", e.Covered, 2, 1e-9)
	near(t, "energy", e.Joules, 100, 1e-9)

	// A GPU falls off the bus.
	api.gpus[2].broken = nvmlGPUIsLost
	for k := range maxFailures {
		c.t = time.Duration(4+k) * time.Second
		s.sample()
	}
	r := s.Result().Meters[1].Seen
	if !r.Lost || r.Failures != maxFailures || r.EnergyJ == nil {
		t.Errorf("%+v", r)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if api.inits != 1 || api.downs != 1 {
		t.Errorf("%d initialisations, %d shutdowns", api.inits, api.downs)
	}
}

func TestNVMLMissing(t *testing.T) {
	_, missing := nvmlMeters(noNVML)
	if len(missing) != 1 || missing[0].Cure == "" {
		t.Errorf("%+v", missing)
	}
	_, missing = nvmlMeters(func() (*nvmlAPI, error) { return nil, errNVMLLeftOut })
	if len(missing) != 1 || !strings.Contains(missing[0].Cure, "nogpu") {
		t.Errorf("left out: %+v", missing)
	}
	api := &fakeNVML{initCode: nvmlDriverNotLoaded}
	if _, missing = nvmlMeters(api.api); len(missing) != 1 || api.afterFailure != 0 {
		t.Errorf("%+v; %d calls after a failed initialisation", missing, api.afterFailure)
	}
	_, _, err := Open([]Spec{{Kind: KindNVML}}, OpenOptions{NVMLLibrary: filepath.Join(t.TempDir(), "libnone.so")})
	if !errors.Is(err, ErrNoMeter) {
		t.Errorf("got %v", err)
	}
}

// fakeLibrary is NVML in C, with two cards: one with a counter that rises by 250 mJ a
// call, one without, at 75 W.
const fakeLibrary = `
#include <string.h>
static unsigned long long e = 1000;
static int cards[2];
int nvmlInit_v2(void) { return 0; }
int nvmlShutdown(void) { return 0; }
int nvmlDeviceGetCount_v2(unsigned int *n) { *n = 2; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned int i, void **d) { if (i > 1) return 2; *d = &cards[i]; return 0; }
int nvmlDeviceGetName(void *d, char *s, unsigned int n) { strncpy(s, d == &cards[0] ? "Fake A" : "Fake B", n); return 0; }
int nvmlDeviceGetTotalEnergyConsumption(void *d, unsigned long long *v) {
  if (d != &cards[0]) return 3;
  *v = e; e += 250; return 0;
}
int nvmlDeviceGetPowerUsage(void *d, unsigned int *w) { *w = d == &cards[0] ? 1 : 75000; return 0; }
`

func TestNVMLThroughALibrary(t *testing.T) {
	if _, err := loadNVML(""); errors.Is(err, errNVMLLeftOut) {
		t.Skip(err)
	}
	if runtime.GOOS != "linux" || (runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64") {
		t.Skip("the library is built for Linux on amd64 and arm64")
	}
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler to build a library to load")
	}
	dir := t.TempDir()
	src, so := filepath.Join(dir, "nvml.c"), filepath.Join(dir, "libnvml-fake.so")
	if err := os.WriteFile(src, []byte(fakeLibrary), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(cc, "-shared", "-fPIC", "-o", so, src).CombinedOutput(); err != nil {
		t.Skipf("cc: %v: %s", err, out)
	}
	meters, missing, err := Open([]Spec{{Kind: KindNVML}}, OpenOptions{NVMLLibrary: so})
	if err != nil || len(meters) != 2 {
		t.Fatalf("%d meters, missing %+v, %v", len(meters), missing, err)
	}
	if a, b := meters[0].Info(), meters[1].Info(); a.Device != "Fake A" || a.Method != Counter || b.Device != "Fake B" || b.Method != Power {
		t.Errorf("%+v, %+v", a, b)
	}
	c := newManual()
	s := start(t, c, Options{Meters: meters})
	c.t = time.Second
	s.sample()
	i := between(s, 0, time.Second)
	near(t, "counter", energyOf(t, i, "nvml:0"), 0.25, 1e-12)
	near(t, "power", energyOf(t, i, "nvml:1"), 75, 1e-12)
}
