package power

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/totemgo/totemgo/record"
)

// nvmlUpdate is how often drivers renew the energy counter and the power reading:
// 20 to 100 ms by generation; the slowest is assumed.
const nvmlUpdate = 100 * time.Millisecond

// nvmlDevice is NVML's handle of a GPU.
type nvmlDevice uintptr

// errNVMLLeftOut is why a build with the tag nogpu has no NVML.
var errNVMLLeftOut = errors.New("NVML: the tag nogpu leaves it out of this build")

// nvmlAPI is the part of NVML that is needed, as nvml.h declares it.
type nvmlAPI struct {
	initialise, shutdown func() nvmlCode
	deviceCount          func(n *uint32) nvmlCode
	device               func(index uint32, d *nvmlDevice) nvmlCode
	name                 func(d nvmlDevice, text *byte, size uint32) nvmlCode
	totalEnergy          func(d nvmlDevice, millijoules *uint64) nvmlCode // since the driver was loaded
	powerUsage           func(d nvmlDevice, milliwatts *uint32) nvmlCode
}

// nvmlCode is what NVML's functions return, as nvml.h lists it. All but success are errors.
type nvmlCode int32

const (
	nvmlSuccess         nvmlCode = 0
	nvmlNotSupported    nvmlCode = 3
	nvmlDriverNotLoaded nvmlCode = 9
	nvmlGPUIsLost       nvmlCode = 15
)

var nvmlTexts = map[nvmlCode]string{
	nvmlNotSupported: "not supported", 4: "no permission", 6: "not found",
	nvmlDriverNotLoaded: "driver not loaded", nvmlGPUIsLost: "GPU is lost",
}

// Error is the code's name.
func (c nvmlCode) Error() string {
	if s := nvmlTexts[c]; s != "" {
		return "NVML: " + s
	}
	return fmt.Sprintf("NVML: error %d", int(c))
}

// err is the code as an error, nil for success.
func (c nvmlCode) err() error {
	if c == nvmlSuccess {
		return nil
	}
	return c
}

// nvmlMeters lists the GPUs that NVML knows. load opens the library; no call is made
// after an initialisation that failed.
func nvmlMeters(load func() (*nvmlAPI, error)) (meters []Meter, missing []Unavailable) {
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
	if err := api.initialise().err(); err != nil {
		return none(err, "load the kernel driver ('sudo modprobe nvidia') and see that 'nvidia-smi' works")
	}
	var uses atomic.Int32 // by this function and the meters
	release := func() error {
		if uses.Add(-1) > 0 {
			return nil
		}
		if err := api.shutdown().err(); err != nil {
			return fmt.Errorf("power: shutdown: %w", err)
		}
		return nil
	}
	uses.Add(1)
	defer release()
	n := uint32(0)
	if err := api.deviceCount(&n).err(); err != nil {
		return none(err, "")
	}
	if n == 0 {
		return none(errors.New("NVML lists no GPU"), "")
	}
	for i := range n {
		m := &nvmlMeter{pollMeter{passive: passive{Info{
			Name: fmt.Sprintf("nvml:%d", i), Kind: "nvml", Domain: "gpu", Source: "NVML",
			Coverage: record.CoverageComponent, Method: Counter, Unit: 1e-3, Update: nvmlUpdate,
		}}}, sync.OnceValue(release)}
		if err := m.open(api, i); err != nil {
			missing = append(missing, denied(m.info, err, ""))
			continue
		}
		uses.Add(1)
		meters = append(meters, m)
	}
	return meters, missing
}

// nvmlMeter is one GPU. The last to be closed lets NVML go.
type nvmlMeter struct {
	pollMeter
	close func() error
}

// Close ends the use of NVML.
func (m *nvmlMeter) Close() error { return m.close() }

// open finds out whether the GPU has an energy counter, or power where there is none.
func (m *nvmlMeter) open(api *nvmlAPI, index uint32) error {
	var d nvmlDevice
	if err := api.device(index, &d).err(); err != nil {
		return err
	}
	text := make([]byte, 96) // NVML_DEVICE_NAME_V2_BUFFER_SIZE
	_ = api.name(d, &text[0], uint32(len(text)))
	text, _, _ = bytes.Cut(text, []byte{0})
	m.info.Device = string(text)
	m.read = func() (v uint64, err error) {
		err = api.totalEnergy(d, &v).err()
		return v, err
	}
	_, err := m.read()
	if err != nil {
		// Cards before Volta have no counter: not supported is no energy of 0.
		m.info.Method = Power
		m.read = func() (uint64, error) {
			var v uint32
			err := api.powerUsage(d, &v).err()
			return uint64(v), err
		}
		_, err = m.read()
	}
	return err
}
