package cli

import (
	"slices"
	"testing"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/internal/needs"
	"github.com/totemgo/totemgo/record"
)

// needsDevice skips a test where there is no OpenCL device.
func needsDevice(t *testing.T) {
	t.Helper()
	list, err := engine.ListDevices()
	if err != nil || len(list) == 0 || list[0].Kind != "opencl" {
		needs.Missing(t, "pocl", "no OpenCL device")
	}
}

// TestDeviceKernels: the way of a level is the kernel that the device names, and a search launches no other.
func TestDeviceKernels(t *testing.T) {
	needsDevice(t)
	for _, processors := range []string{"cpu:1,opencl:0", "opencl:0"} {
		d := document[record.Graph500](t, command(t, "graph500", "--scale", "9", "--roots", "8", "--director", "totem",
			"--processors", processors, "--json"))
		if d.Validation.Passed != 8 || d.Validation.Failed != 0 {
			t.Errorf("%s: %+v", processors, d.Validation)
		}
		at := len(d.Processors) - 1
		for _, l := range d.Levels {
			// The device is left out of a level whose frontier is the CPU's alone.
			leftOut := at > 0 && l.Processors[at].ComputeS == 0
			k := l.Processors[at].Kernel
			if want := map[string][]string{record.TopDown: {"push", "thin"}, record.BottomUp: {"pull"}}[l.Direction]; !slices.Contains(want, k) && !(leftOut && k == "") {
				t.Errorf("%s: level %d %s ran %q", processors, l.Level, l.Direction, k)
			}
		}
		if launches := d.Processors[at].Launches; launches["superstep"] == 0 || launches["search_begin"] == 0 {
			t.Errorf("%s: launches %v", processors, launches)
		}
		if at > 0 && d.Processors[0].Launches != nil {
			t.Errorf("a CPU launched %v", d.Processors[0].Launches)
		}
	}
}

// TestCopyApart: a run on devices alone states the copy of the parents to the host, a
// hybrid one has none.
func TestCopyApart(t *testing.T) {
	needsDevice(t)
	for processors, copied := range map[string]bool{"opencl:0": true, "opencl:0,opencl:0": true, "cpu:1,opencl:0": false} {
		d := document[record.Graph500](t, command(t, "graph500", "--scale", "9", "--roots", "4", "--processors", processors, "--json"))
		if d.Validation.Passed != 4 || copied != (d.BFS.CopyS != nil) || copied && *d.BFS.CopyS <= 0 {
			t.Errorf("%s: %+v, copy_s %v", processors, d.Validation, d.BFS.CopyS)
		}
		for _, s := range d.Searches {
			if copied != (s.CopyS != nil) || s.TimeS <= 0 {
				t.Errorf("%s: %+v", processors, s)
			}
		}
		g := file(t, "g.el", "0 1\n1 2\n2 3\n1 3\n")
		b := document[record.BFS](t, command(t, "bfs", g, "--root", "0", "--processors", processors, "--json"))
		if b.Reached != 4 || copied != (b.CopyS != nil) {
			t.Errorf("%s: reached %d, copy_s %v", processors, b.Reached, b.CopyS)
		}
	}
}
