package cli

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/totemgo/totemgo/internal/cpufeat"
	"github.com/totemgo/totemgo/record"
)

func newDevices(e *env) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "devices",
		Short: "List the processors that --processors can name",
		Long: `devices lists the CPU and every device that the CUDA or an OpenCL driver offers, with the
names that --processors takes. The drivers are the system's; the environment variable TOTEMGO_OPENCL
names another OpenCL loader, or the library of one driver, TOTEMGO_CUDA another libcuda. Another
process asks the drivers, for at most 5 s, so that one that hangs or crashes harms nothing. No driver
is no error.

  totemgo devices
  totemgo devices --json`,
		Args: takes(),
		RunE: func(c *cobra.Command, _ []string) error {
			doc := record.Devices{Devices: []record.Device{}}
			list, err := e.probe.list(c.Context())
			if err != nil {
				if c.Context().Err() != nil {
					return c.Context().Err()
				}
				doc.Note = message(err)
			}
			if cards := unlisted(list); cards != "" {
				doc.Note = strings.TrimPrefix(doc.Note+"; "+cards+", but no driver lists a GPU", "; ")
			}
			for _, d := range list {
				doc.Devices = append(doc.Devices, record.Device{
					Name: d.Name, Kind: d.Kind, Model: d.Model, Vendor: d.Vendor, Platform: d.Platform, Version: d.Version, Driver: d.Driver,
					MemoryBytes: d.Memory, LargestAllocationBytes: d.LargestAllocation, ComputeUnits: d.ComputeUnits, HostCPU: d.HostCPU, InPlace: d.InPlace,
				})
			}
			doc.Head = e.head(record.SchemaDevices)
			if asJSON {
				return e.printJSON(doc)
			}
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
					d.ComputeUnits, humanize.IBytes(uint64(d.MemoryBytes)), humanize.IBytes(uint64(d.LargestAllocationBytes)), d.Version, d.Driver, host)
			}
			if doc.Note != "" {
				what := "no device"
				if len(list) > 0 {
					what = "no GPU"
				}
				e.print("%s: %s\n", what, doc.Note)
			} else if len(doc.Devices) == 0 {
				fmt.Fprintln(e.stdout, "no device: the drivers offer none")
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
