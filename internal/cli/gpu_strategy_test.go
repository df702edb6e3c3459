package cli

import (
	"strings"
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

// TestForcedStrategy: the strategy of --gpu-strategy is the kernel of every top-down
// level of the device, and no other top-down kernel is launched.
func TestForcedStrategy(t *testing.T) {
	needsDevice(t)
	for _, processors := range []string{"cpu:1,opencl:0", "opencl:0"} {
		for _, strategy := range []string{"thread", "warp", "group", "edge"} {
			d := document[record.Graph500](t, command(t, "graph500", "--scale", "9", "--roots", "8", "--director", "totem",
				"--processors", processors, "--gpu-strategy", strategy, "--json"))
			if d.Validation.Passed != 8 || d.Validation.Failed != 0 {
				t.Errorf("%s on %s: %+v", strategy, processors, d.Validation)
			}
			at := len(d.Processors) - 1
			steps := 0
			for _, l := range d.Levels {
				if l.Direction != record.TopDown {
					continue
				}
				// The device is left out of a level whose frontier is the CPU's alone.
				leftOut := at > 0 && l.Processors[at].ComputeS == 0
				if k := l.Processors[at].Kernel; k != strategy && !(leftOut && k == "") {
					t.Errorf("%s on %s: level %d ran %q", strategy, processors, l.Level, k)
				}
				steps += l.Searches
			}
			launches := d.Processors[at].Launches
			for name, n := range launches {
				if n < 1 || strings.HasPrefix(name, "topdown_") && name != "topdown_"+strategy {
					t.Errorf("%s on %s: launches %v", strategy, processors, launches)
				}
			}
			// Alone it has the whole frontier of every level; the last may have no arcs.
			if n := launches["topdown_"+strategy]; steps == 0 || n == 0 || processors == "opencl:0" && n < int64(2*steps) {
				t.Errorf("%s on %s: %d top-down steps, launches %v", strategy, processors, steps, launches)
			}
			if at > 0 && d.Processors[0].Launches != nil {
				t.Errorf("a CPU launched %v", d.Processors[0].Launches)
			}
		}
	}
}

// TestBottomUpStrategy: likewise for bottom-up steps, and names that are none.
func TestBottomUpStrategy(t *testing.T) {
	needsDevice(t)
	for strategy, kernel := range map[string]string{"auto": "list", "list": "list", "word": "word"} {
		d := document[record.Graph500](t, command(t, "graph500", "--scale", "9", "--roots", "4", "--director", "bottom-up",
			"--processors", "opencl:0", "--gpu-bottom-up", strategy, "--json"))
		for _, l := range d.Levels {
			if k := l.Processors[0].Kernel; k != kernel {
				t.Errorf("%s: level %d ran %q", strategy, l.Level, k)
			}
		}
		launches := d.Processors[0].Launches
		if d.Validation.Passed != 4 || (launches["bottomup_word"] > 0) != (kernel == "word") || (launches["bottomup_scan"] > 0) != (kernel == "list") {
			t.Errorf("%s: %+v, launches %v", strategy, d.Validation, launches)
		}
		// The list is built once a phase: by the first step of each search, with its warm-up and the counting ones.
		if kernel == "list" && launches["bottomup_probe"] != 9 {
			t.Errorf("%s: launches %v in 9 searches", strategy, launches)
		}
	}
	for _, args := range [][]string{{"--gpu-bottom-up", "edge"}, {"--gpu-bottom-up", "lane"}, {"--gpu-strategy", "word"}, {"--gpu-strategy", "list"}} {
		if r := command(t, append([]string{"graph500", "--scale", "5"}, args...)...); r.status != 2 {
			t.Errorf("%q: status %d, %q", args, r.status, r.stderr)
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
