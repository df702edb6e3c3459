package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/cpu"
	"github.com/totemgo/totemgo/kernels/gpu"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/kernels/gpu/device/cuda"
	"github.com/totemgo/totemgo/kernels/gpu/device/opencl"
)

// Devices holds open devices with built kernels, so that New waits for no compiler. Several
// engines may use it, also concurrently; close it after them.
type Devices struct {
	open   map[string]*openDevice
	failed map[string]error // of optional processors
}

type openDevice struct {
	dev     device.Device
	program *gpu.Program
}

// OpenDevices opens the devices of the options' processors and builds their kernels, or loads
// them from the user's cache folder. Without devices it opens no driver. It leaves out an Optional
// processor whose device fails. Errors wrap ErrNoDevice (no such driver or device), ErrNotInPlace or
// one of package device, or are ctx's.
func OpenDevices(ctx context.Context, o Options) (*Devices, error) {
	if ctx == nil {
		return nil, fmt.Errorf("%w: the context is nil", ErrArgument)
	}
	d := &Devices{open: map[string]*openDevice{}, failed: map[string]error{}}
	for _, p := range o.Processors {
		if p.Kind == CPU || p.Optional && d.failed[p.String()] != nil {
			continue
		}
		err := ctx.Err()
		if err == nil {
			err = d.add(p, &o)
		}
		if err != nil && p.Optional && ctx.Err() == nil {
			d.failed[p.String()] = err
			o.leaveOut(p, err)
			continue
		}
		if err != nil {
			return nil, errors.Join(err, d.Close())
		}
	}
	if err := d.check(&o); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// DescribeDevices is OpenDevices for FootprintOf: it opens the devices to describe them, and
// runs nothing. Errors are OpenDevice's.
func DescribeDevices(o Options) (*Devices, error) {
	d := &Devices{open: map[string]*openDevice{}}
	for _, p := range o.Processors {
		if p.Kind == CPU || d.open[p.String()] != nil {
			continue
		}
		dev, err := OpenDevice(p, o.Drivers...)
		if err != nil {
			return nil, err
		}
		program := gpu.Dry(dev.Info())
		d.open[p.String()] = &openDevice{program.Device(), program}
		if err := dev.Close(); err != nil {
			return nil, fmt.Errorf("engine: %w", err)
		}
	}
	return d, d.check(&o)
}

// leaveOut reports an optional processor that fails.
func (o *Options) leaveOut(p Processor, err error) {
	if o.LeftOut != nil {
		o.LeftOut(p, err)
	}
}

// keepOpened drops optional processors whose devices are not open. Shares and assignments are by processor: with them
// it returns the device's error.
func (d *Devices) keepOpened(o *Options) error {
	absent := func(p Processor) bool { return p.Kind != CPU && p.Optional && d.open[p.String()] == nil }
	if i := slices.IndexFunc(o.Processors, absent); i >= 0 && (o.Shares != nil || o.Assignment != nil) {
		return d.failed[o.Processors[i].String()]
	}
	o.drop(absent)
	return nil
}

// drop removes processors; the CPU takes the place of the last one.
func (o *Options) drop(out func(p Processor) bool) {
	o.Processors = slices.DeleteFunc(slices.Clone(o.Processors), out)
	o.shareThreads(func(string, error) bool { return true }) // ensureDefaults has checked them
}

// check returns ErrNoDevice if a device that is not optional is not open, ErrNotInPlace if the options leave the graph in
// host memory and a device cannot read that.
func (d *Devices) check(o *Options) error {
	for _, p := range o.Processors {
		switch info, open := d.Info(p); {
		case p.Kind == CPU:
		case !open && !p.Optional:
			return fmt.Errorf("%w: %s is not among the devices that were opened", ErrNoDevice, p)
		case open && !info.InPlace && o.inPlace():
			return fmt.Errorf("%w: %s (%s) reads its own memory only, where %d bytes fit; a graph in the host's needs CUDA, or OpenCL "+
				"with unified memory or fine-grained SVM", ErrNotInPlace, p, info.Model, d.budget(p, o))
		}
	}
	return nil
}

// add opens the device of p unless it is open.
func (d *Devices) add(p Processor, o *Options) error {
	name := p.String()
	if d.open[name] != nil {
		return nil
	}
	dev, err := OpenDevice(p, o.Drivers...)
	if err != nil {
		return err
	}
	build := gpu.BuildOptions{}
	if !o.NoKernelCache {
		if dir, err := os.UserCacheDir(); err == nil {
			build.CacheDir = filepath.Join(dir, "totemgo", "kernels")
		}
	}
	program, err := gpu.Build(dev, build)
	if err != nil {
		return errors.Join(fmt.Errorf("engine: %w", err), dev.Close())
	}
	d.open[name] = &openDevice{dev: dev, program: program}
	return nil
}

// OpenDevice opens the device of a processor, of one of the drivers or the system's OpenCL, without
// kernels. Errors wrap ErrNoDevice or one of package device.
func OpenDevice(p Processor, drivers ...device.Driver) (device.Device, error) {
	driver, err := driverOf(p.Kind, drivers)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrNoDevice, p, err)
	}
	dev, err := driver.Open(p.Device)
	if err != nil && !errors.Is(err, device.ErrNoDevice) {
		return nil, fmt.Errorf("engine: %w", err)
	}
	if err != nil {
		there := ""
		infos, _ := driver.Devices() // err says why there are none
		for _, info := range infos {
			there += fmt.Sprintf("; there is %s (%s)", info.Name, info.Model)
		}
		return nil, fmt.Errorf("%w: %w%s", ErrNoDevice, err, there)
	}
	return dev, nil
}

// Close frees the devices, after the engines that use them. The error has the failure of each device.
func (d *Devices) Close() error {
	var errs []error
	for _, o := range d.open {
		errs = append(errs, o.program.Close(), o.dev.Close())
	}
	d.open = nil
	return errors.Join(errs...)
}

// Info describes the device of p; false for a CPU and for a device that is not open.
func (d *Devices) Info(p Processor) (device.Info, bool) {
	if d == nil || d.open[p.String()] == nil {
		return device.Info{}, false
	}
	return d.open[p.String()].dev.Info(), true
}

// processor makes the kernels.Processor of p.
func (d *Devices) processor(p Processor, o *Options) (kernels.Processor, error) {
	if p.Kind == CPU {
		k := cpu.New(p.Threads)
		return k, errors.Join(k.Use(o.Kernels), k.Tune(*o.Tuning))
	}
	return gpu.New(d.open[p.String()].program, gpu.Options{Graph: o.DeviceGraph, Memory: d.budget(p, o), Threads: o.Threads})
}

// deviceMemoryPart is the largest part of a device's memory for its part of a graph.
const deviceMemoryPart = 0.8

// budget is the most bytes of a processor's part of the graph, 0 for no limit. The
// partitions of one device share its memory.
func (d *Devices) budget(p Processor, o *Options) int64 {
	info, ok := d.Info(p)
	if p.Memory > 0 || !ok {
		return p.Memory
	}
	partitions := 0
	for _, q := range o.Processors {
		if q.String() == p.String() {
			partitions++
		}
	}
	return int64(deviceMemoryPart * float64(info.Memory) / float64(partitions))
}

// DeviceInfo describes a device that a Processor can name.
type DeviceInfo = device.Info

// ListDevices describes every device of the drivers, and those of the system's CUDA and OpenCL
// unless a driver is of that kind. It loads the drivers into the process: one that crashes or hangs
// does so here. The error wraps ErrNoDevice where there is no device.
func ListDevices(drivers ...device.Driver) (list []DeviceInfo, err error) {
	var errs []error
	add := func(d device.Driver, err error) {
		if err == nil {
			var infos []DeviceInfo
			infos, err = d.Devices()
			list = append(list, infos...)
		}
		errs = append(errs, err)
	}
	for _, d := range drivers {
		add(d, nil)
	}
	for _, kind := range []Kind{CUDA, OpenCL} {
		if !slices.ContainsFunc(drivers, func(d device.Driver) bool { return Kind(d.Kind()) == kind }) {
			add(driverOf(kind, nil))
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%w: %w", ErrNoDevice, errors.Join(errs...))
	}
	return list, nil
}

// driverOf returns the driver of a kind: one of drivers, or the system's OpenCL or CUDA.
func driverOf(kind Kind, drivers []device.Driver) (device.Driver, error) {
	for _, d := range drivers {
		if Kind(d.Kind()) == kind {
			return d, nil
		}
	}
	switch kind {
	case CUDA:
		return cuda.Open(cuda.Options{})
	case OpenCL:
		return opencl.Open(opencl.Options{})
	}
	return nil, fmt.Errorf("%w: unknown kind of processor %q", ErrOptions, kind)
}
