package cuda

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/totemgo/totemgo/kernels/gpu/device"
	"gorgonia.org/cu"
)

// Driver is the CUDA driver and its devices, which it lists at the first use. The zero
// value is ready.
type Driver struct {
	once  sync.Once
	infos []device.Info
	err   error
}

// list returns the devices. A driver without devices is none.
func list() ([]device.Info, error) {
	n, err := cu.NumDevices()
	if err != nil {
		return nil, &device.Error{Op: "Open", Device: "cuda", Code: code(err), Detail: err.Error(), Err: device.ErrNoDriver}
	}
	var infos []device.Info
	for i := range n {
		info, err := describe(i)
		if err != nil {
			return nil, &device.Error{Op: "Open", Device: info.Name, Code: code(err), Detail: err.Error(), Err: class(err)}
		}
		infos = append(infos, info)
	}
	if len(infos) == 0 {
		return nil, &device.Error{Op: "Open", Device: "cuda", Detail: "the driver has no device", Err: device.ErrNoDriver}
	}
	return infos, nil
}

// describe asks the driver about device i.
func describe(i int) (device.Info, error) {
	info := device.Info{Name: fmt.Sprintf("cuda:%d", i), Kind: "cuda", Vendor: "NVIDIA Corporation", Platform: "CUDA"}
	id, err := cu.GetDevice(i)
	if err != nil {
		return info, err
	}
	if info.Model, err = id.Name(); err != nil {
		return info, err
	}
	if info.Memory, err = id.TotalMem(); err != nil {
		return info, err
	}
	info.LargestAllocation = info.Memory
	var integrated, mapped, major, minor int
	for _, want := range []struct {
		to        *int
		attribute cu.DeviceAttribute
	}{
		{&info.ComputeUnits, cu.MultiprocessorCount},
		{&info.MaxGroup, cu.MaxThreadsPerBlock},
		{&integrated, cu.Integrated},
		{&mapped, cu.CanMapHostMemory},
		{&major, cu.ComputeCapabilityMajor},
		{&minor, cu.ComputeCapabilityMinor},
	} {
		if *want.to, err = id.Attribute(want.attribute); err != nil {
			return info, err
		}
	}
	info.Unified, info.InPlace = integrated != 0, mapped != 0
	clock, err := id.Attribute(cu.MemoryClockRate) // in kHz; newer drivers may not tell
	width, werr := id.Attribute(cu.GlobalMemoryBusWidth)
	if err == nil && werr == nil {
		info.Bandwidth = 2 * int64(clock) * 1000 * int64(width) / 8 // two transfers a cycle
	}
	info.Version = fmt.Sprintf("sm_%d%d", major, minor)
	if v := cu.Version(); v > 0 {
		info.Driver = fmt.Sprintf("CUDA %d.%d", v/1000, v%1000/10)
	}
	return info, nil
}

// Kind returns "cuda".
func (d *Driver) Kind() string { return "cuda" }

// Devices describes the devices in the driver's order.
func (d *Driver) Devices() ([]device.Info, error) {
	d.once.Do(func() { d.infos, d.err = list() })
	return append([]device.Info(nil), d.infos...), d.err
}

// Open makes a context on device i.
func (d *Driver) Open(i int) (device.Device, error) {
	infos, err := d.Devices()
	if err != nil {
		return nil, err
	}
	if i < 0 || i >= len(infos) {
		return nil, &device.Error{Op: "Open", Device: fmt.Sprintf("cuda:%d", i), Err: device.ErrNoDevice}
	}
	dev := &dev{info: infos[i]}
	if err := dev.open(i); err != nil {
		return nil, dev.fault("Open", err)
	}
	return dev, nil
}

// open makes the context and starts its thread.
func (d *dev) open(i int) error {
	id, err := cu.GetDevice(i)
	if err != nil {
		return err
	}
	// A new context is current on the thread that made it: it must not stay so, as
	// the thread goes back to other goroutines.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if d.context, err = id.MakeContext(cu.SchedBlockingSync | cu.MapHost); err != nil {
		return err
	}
	d.ctx = cu.CtxFromCUContext(id, d.context, cu.SchedBlockingSync|cu.MapHost)
	if _, err = cu.PopCurrentCtx(); err != nil {
		return err
	}
	started := make(chan error)
	go func(ctx *cu.Ctx) { _ = ctx.Run(started) }(d.ctx)
	if err = <-started; err != nil {
		return err
	}
	return d.ctx.Do(func() error { return nil }) // Close before the thread listens would leave it behind
}
