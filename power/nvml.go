package power

import (
	"errors"
	"fmt"
	"sync"
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

func (e nvmlError) Error() string {
	switch int(e) {
	case nvmlNotSupported:
		return "NVML: not supported"
	case nvmlNoPermission:
		return "NVML: no permission"
	case nvmlNotFound:
		return "NVML: not found"
	case nvmlDriverNotLoaded:
		return "NVML: driver not loaded"
	case nvmlGPUIsLost:
		return "NVML: GPU is lost"
	}
	return fmt.Sprintf("NVML: error %d", int(e))
}

// nvmlLibrary counts the meters that use an initialised NVML and shuts it down after
// the last.
type nvmlLibrary struct {
	api nvmlAPI
	mu  sync.Mutex
	use int
}

func (l *nvmlLibrary) release() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.use--; l.use > 0 {
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
	api, err := load()
	if err != nil {
		cure := "install the NVIDIA driver, if there is an NVIDIA GPU"
		if errors.Is(err, errNVMLLeftOut) {
			cure = "use a build without the tag nogpu"
		}
		return nil, []Unavailable{{Name: "nvml", Reason: err.Error(), Err: err, Cure: cure}}
	}
	if c := api.initialise(); c != nvmlSuccess {
		return nil, []Unavailable{{Name: "nvml", Reason: nvmlError(c).Error(), Err: nvmlError(c),
			Cure: "load the kernel driver ('sudo modprobe nvidia') and see that 'nvidia-smi' works"}}
	}
	lib := &nvmlLibrary{api: api, use: 1} // this function's own use
	defer lib.release()
	n, c := api.deviceCount()
	if c != nvmlSuccess {
		return nil, []Unavailable{{Name: "nvml", Reason: nvmlError(c).Error(), Err: nvmlError(c)}}
	}
	if n == 0 {
		return nil, []Unavailable{{Name: "nvml", Reason: "NVML lists no GPU"}}
	}
	for i := range n {
		m := &nvmlMeter{lib: lib, info: Info{
			Name: fmt.Sprintf("nvml:%d", i), Kind: "nvml", Domain: "gpu", Source: "NVML",
			Coverage: record.CoverageComponent, Method: Counter, Unit: 1e-3, Update: nvmlUpdate,
		}}
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
			info := m.info
			missing = append(missing, Unavailable{Name: info.Name, Info: &info, Reason: nvmlError(c).Error(), Err: nvmlError(c)})
			continue
		}
		lib.mu.Lock()
		lib.use++
		lib.mu.Unlock()
		meters = append(meters, m)
	}
	return meters, missing
}

// nvmlMeter is one GPU.
type nvmlMeter struct {
	lib    *nvmlLibrary
	dev    nvmlDevice
	info   Info
	closed bool
}

// Info describes the GPU's meter.
func (m *nvmlMeter) Info() Info { return m.info }

// Begin does nothing: NVML is asked when read.
func (m *nvmlMeter) Begin(time.Time) error { return nil }

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
