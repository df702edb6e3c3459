package cli

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/internal/cpufeat"
	"github.com/totemgo/totemgo/record"
)

const devicesHelp = `devices lists the CPU and every device that the CUDA or an OpenCL driver offers, with the
names that --processors takes. The drivers are the system's; the environment variable TOTEMGO_OPENCL
names another OpenCL loader, or the library of one driver, TOTEMGO_CUDA another libcuda. Another
process asks the drivers, for at most 5 s, so that one that hangs or crashes harms nothing. No driver
is no error.

  totemgo devices
  totemgo devices --json`

// devices prepares "totemgo devices".
func devices(e *env, c *cobra.Command) runner {
	e.jsonFlag(c)
	return func(ctx context.Context, _ []string) error {
		doc := record.Devices{Devices: []record.Device{}}
		list, err := e.probe.list(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			doc.Note = message(err)
		}
		if cards := unlisted(list); cards != "" {
			doc.Note = strings.TrimPrefix(doc.Note+"; "+cards+", but no driver lists a GPU", "; ")
		}
		for _, d := range list {
			doc.Devices = append(doc.Devices, deviceRecord(d))
		}
		return e.show(record.SchemaDevices, &doc, func() { e.printDevices(doc) })
	}
}

// deviceRecord is a device as documents state it.
func deviceRecord(d engine.DeviceInfo) record.Device {
	return record.Device{
		Name: d.Name, Kind: d.Kind, Model: d.Model, Vendor: d.Vendor, Platform: d.Platform, Version: d.Version, Driver: d.Driver,
		MemoryBytes: d.Memory, LargestAllocationBytes: d.LargestAllocation, ComputeUnits: d.ComputeUnits, HostCPU: d.HostCPU, InPlace: d.InPlace,
	}
}

func (e *env) printDevices(doc record.Devices) {
	f := cpufeat.Get()
	e.print("cpu        %s\n           %d threads, %s, caches L1 %s, L2 %s, L3 %s\n", f.Name, f.Threads, sizeString(doc.Machine.MemoryBytes),
		sizeString(int64(f.L1)), sizeString(int64(f.L2)), sizeString(int64(f.L3)))
	for _, d := range doc.Devices {
		host := ""
		if d.HostCPU {
			host = "; this is the host's CPU, used only when named"
		}
		if d.InPlace {
			host += "; reads the host's memory in place"
		}
		e.print("%-10s %s (%s)\n           %d compute units, %s, largest allocation %s\n           %s, driver %s%s\n", d.Name, d.Model, d.Vendor,
			d.ComputeUnits, sizeString(d.MemoryBytes), sizeString(d.LargestAllocationBytes), d.Version, d.Driver, host)
	}
	switch {
	case doc.Note != "" && len(doc.Devices) > 0:
		e.print("no GPU: %s\n", doc.Note)
	case len(doc.Devices) == 0:
		e.print("no device: %s\n", cmp.Or(doc.Note, "the drivers offer none"))
	}
}
