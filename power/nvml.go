package power

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/totemgo/totemgo/record"
)

// nvmlUpdate is how often drivers renew the energy counter and the power reading:
// 20 to 100 ms by generation; the slowest is assumed.
const nvmlUpdate = 100 * time.Millisecond

// NVML's return codes, as nvml.h lists them.
const (
	nvmlSuccess         = 0
	nvmlNotSupported    = 3
	nvmlNoPermission    = 4
	nvmlNotFound        = 6
	nvmlDriverNotLoaded = 9
	nvmlGPUIsLost       = 15
)

// nvmlDevice is NVML's handle of a GPU.
type nvmlDevice uintptr

// errNVMLLeftOut is why a build with the tag nogpu has no NVML.
var errNVMLLeftOut = errors.New("NVML: the tag nogpu leaves it out of this build")

// nvmlAPI is the part of NVML that is needed. Calls return NVML's code.
type nvmlAPI interface {
	initialise() int
	shutdown() int
	deviceCount() (int, int)
	device(index int) (nvmlDevice, int)
	name(nvmlDevice) (string, int)
	// totalEnergy is in millijoules since the driver was loaded.
	totalEnergy(nvmlDevice) (uint64, int)
	// powerUsage is in milliwatts.
	powerUsage(nvmlDevice) (uint32, int)
}

// nvmlError is an NVML code as an error.
type nvmlError int

// Error is the code's name.
func (e nvmlError) Error() string {
	if s := nvmlTexts[int(e)]; s != "" {
		return "NVML: " + s
	}
	return fmt.Sprintf("NVML: error %d", int(e))
}

var nvmlTexts = map[int]string{
	nvmlNotSupported: "not supported", nvmlNoPermission: "no permission", nvmlNotFound: "not found",
	nvmlDriverNotLoaded: "driver not loaded", nvmlGPUIsLost: "GPU is lost",
}

// nvmlLibrary counts the meters that use an initialised NVML and shuts it down after
// the last.
type nvmlLibrary struct {
	api nvmlAPI
	use atomic.Int32
}

func (l *nvmlLibrary) release() error {
	if l.use.Add(-1) > 0 {
		return nil
	}
	if c := l.api.shutdown(); c != nvmlSuccess {
		return fmt.Errorf("power: shutdown: %w", nvmlError(c))
	}
	return nil
}

// nvmlMeters lists the GPUs that NVML knows. load opens the library; no call is made
// after an initialisation that failed.
func nvmlMeters(load func() (nvmlAPI, error)) (meters []Meter, missing []Unavailable) {
	none := func(err error, cure string) ([]Meter, []Unavailable) {
		return nil, []Unavailable{{Name: "nvml", Reason: err.Error(), Err: err, Cure: cure}}
	}
	api, err := load()
	if err != nil {
		cure := "install the NVIDIA driver, if there is an NVIDIA GPU"
		if errors.Is(err, errNVMLLeftOut) {
			cure = "use a build without the tag nogpu"
		}
		return none(err, cure)
	}
	if c := api.initialise(); c != nvmlSuccess {
		return none(nvmlError(c), "load the kernel driver ('sudo modprobe nvidia') and see that 'nvidia-smi' works")
	}
	lib := &nvmlLibrary{api: api}
	lib.use.Add(1) // this function's own use
	defer lib.release()
	n, c := api.deviceCount()
	switch {
	case c != nvmlSuccess:
		return none(nvmlError(c), "")
	case n == 0:
		return none(errors.New("NVML lists no GPU"), "")
	}
	for i := range n {
		m := &nvmlMeter{lib: lib, passive: passive{Info{
			Name: fmt.Sprintf("nvml:%d", i), Kind: "nvml", Domain: "gpu", Source: "NVML",
			Coverage: record.CoverageComponent, Method: Counter, Unit: 1e-3, Update: nvmlUpdate,
		}}}
		m.dev, c = api.device(i)
		if c == nvmlSuccess {
			m.info.Device, _ = api.name(m.dev)
			if _, c = api.totalEnergy(m.dev); c != nvmlSuccess {
				// Cards before Volta have no counter: not supported is no energy of 0.
				m.info.Method = Power
				_, c = api.powerUsage(m.dev)
			}
		}
		if c != nvmlSuccess {
			missing = append(missing, Unavailable{Name: m.info.Name, Info: &m.info, Reason: nvmlError(c).Error(), Err: nvmlError(c)})
			continue
		}
		lib.use.Add(1)
		meters = append(meters, m)
	}
	return meters, missing
}

// nvmlMeter is one GPU.
type nvmlMeter struct {
	passive
	lib    *nvmlLibrary
	dev    nvmlDevice
	closed bool
}

// Read asks for the energy counter, or the power where there is none.
func (m *nvmlMeter) Read(now time.Duration) ([]Reading, error) {
	if m.info.Method == Power {
		w, c := m.lib.api.powerUsage(m.dev)
		if c != nvmlSuccess {
			return nil, nvmlError(c)
		}
		return []Reading{{At: now, Watts: float64(w) / 1000}}, nil
	}
	e, c := m.lib.api.totalEnergy(m.dev)
	if c != nvmlSuccess {
		return nil, nvmlError(c)
	}
	return []Reading{{At: now, Count: e}}, nil
}

// Close lets NVML go after the last meter.
func (m *nvmlMeter) Close() error {
	if m.closed {
		return nil
	}
	m.closed = true
	return m.lib.release()
}
