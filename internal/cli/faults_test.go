//go:build unix

package cli

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/kernels/gpu/device/opencl/opencltest"
	"github.com/totemgo/totemgo/record"
)

// faultedCalls are the OpenCL calls of a search that fail in turn.
var faultedCalls = []string{
	"clGetPlatformIDs", "clGetPlatformInfo", "clGetDeviceIDs", "clGetDeviceInfo", "clCreateContext", "clCreateCommandQueue", "clCreateBuffer",
	"clEnqueueMapBuffer", "clCreateProgramWithSource", "clCreateProgramWithBinary", "clBuildProgram", "clGetProgramInfo", "clCreateKernel",
	"clSetKernelArg", "clEnqueueNDRangeKernel", "clEnqueueReadBuffer", "clEnqueueWriteBuffer", "clEnqueueFillBuffer", "clEnqueueUnmapMemObject",
	"clEnqueueMarkerWithWaitList", "clFlush", "clFinish", "clWaitForEvents", "clReleaseContext", "clReleaseCommandQueue", "clReleaseMemObject",
	"clReleaseProgram", "clReleaseKernel", "clReleaseEvent",
}

// creations are the calls that make what another releases.
var creations = map[string][]string{
	"clReleaseContext":      {"clCreateContext"},
	"clReleaseCommandQueue": {"clCreateCommandQueue"},
	"clReleaseMemObject":    {"clCreateBuffer"},
	"clReleaseProgram":      {"clCreateProgramWithSource", "clCreateProgramWithBinary"},
	"clReleaseKernel":       {"clCreateKernel"},
	"clReleaseEvent":        {"clEnqueueMarkerWithWaitList"},
}

// TestFaults fails each call, the first or a later one, once, always, and with the loss of the
// device: a run is right, or fails in one line that names the device and no fault twice. What was
// created is released.
func TestFaults(t *testing.T) {
	i := opencltest.Interpose(t, opencltest.Options{})
	n := 0
	for _, call := range faultedCalls {
		for _, f := range []opencltest.Fault{
			{Nth: 1, Code: -5, Scope: opencltest.Once}, {Nth: 1, Code: -4, Scope: opencltest.Always}, {Nth: 1, Code: -36, Scope: opencltest.Lost},
			{Nth: 40, Code: -4, Scope: opencltest.Once}, {Nth: 40, Code: -5, Scope: opencltest.Lost},
		} {
			if n++; (testing.Short() || raceEnabled) && n%7 != 0 {
				continue
			}
			f.Call = call
			i.Set(opencltest.Options{Fault: f})
			list := []string{"opencl:0", "cpu:1,opencl:0"}[n%2]
			r := command(t, "graph500", "--scale", "9", "--roots", "3", "--processors", list)
			checkFault(t, f, list, r)
			c := i.Counts()
			for release, creates := range creations {
				made := 0
				for _, name := range creates {
					made += c[name]
				}
				switch failed := c[call] - f.Nth + 1; {
				case failed <= 0 || f.Scope == opencltest.Lost: // a lost device may count failed creations too
					continue
				case !strings.Contains(strings.Join(creates, " "), call):
				case f.Scope == opencltest.Once:
					made--
				default:
					made -= failed
				}
				if c[release] != made {
					t.Errorf("%+v on %s: %d × %s for %d objects", f, list, c[release], release, made)
				}
			}
		}
	}
}

// checkFault checks what a run with a fault printed.
func checkFault(t *testing.T, f opencltest.Fault, list string, r ran) {
	t.Helper()
	switch {
	case r.status == 0:
		if !strings.Contains(r.stdout, "validation: 3 of 3 passed") {
			t.Errorf("%+v on %s: %q", f, list, r.stdout)
		}
	case r.status != 1 || strings.Count(r.stderr, "\n") != 1 || !strings.Contains(r.stderr, "opencl"):
		t.Errorf("%+v on %s: status %d, %q", f, list, r.status, r.stderr)
	default:
		seen := map[string]bool{}
		for _, m := range regexp.MustCompile(`(?:opencl:0: )+([^;\n]*)`).FindAllStringSubmatch(r.stderr, -1) {
			told := m[1]
			if seen[told] {
				t.Errorf("%+v on %s: repeats %q: %q", f, list, told, r.stderr)
			}
			seen[told] = true
		}
		if strings.Count(r.stderr, fmt.Sprintf("code %d", f.Code)) > 1 {
			t.Errorf("%+v on %s: repeats the code: %q", f, list, r.stderr)
		}
		if strings.Contains(r.stderr, "no such device") && strings.Contains(r.stderr, "there is opencl:0") {
			t.Errorf("%+v on %s: contradicts itself: %q", f, list, r.stderr)
		}
	}
}

// TestAutoFaults: auto goes on without a card that fails while it is opened or loaded, and without one that does not
// pay: PoCL, which poses as a card here, is slower than the CPU. JSON says so, and one line on standard error.
func TestAutoFaults(t *testing.T) {
	i := opencltest.Interpose(t, opencltest.Options{})
	for _, f := range []opencltest.Fault{
		{},
		{Call: "clCreateContext", Code: -2},
		{Call: "clCreateKernel", Nth: 4, Code: -6},
		{Call: "clCreateBuffer", Nth: 5, Code: -5, Scope: opencltest.Always},
		{Call: "clEnqueueMapBuffer"}, // NULL, and no error
		{Call: "clEnqueueWriteBuffer", Nth: 2, Code: -5},
		{Call: "clEnqueueNDRangeKernel", Nth: 3, Code: -36, Scope: opencltest.Lost},
	} {
		i.Set(opencltest.Options{Fault: f, DiscreteGPU: true, ComputeUnits: 132})
		r := command(t, large...)
		d := document[record.Graph500](t, r)
		if p := d.Processors; len(p) != 1 || p[0].Kind != "cpu" || d.Validation.Passed != 1 {
			t.Errorf("%+v: processors %+v, %+v", f, p, d.Validation)
		}
		if strings.Count(r.stderr, "\n") != 1 || strings.Count(r.stderr, "totemgo: opencl:0 is left out: ") != 1 {
			t.Errorf("%+v: %q, want a line", f, r.stderr)
		}
		if l := d.LeftOut; len(l) != 1 || l[0].Name != "opencl:0" || strings.Contains(l[0].Reason, engine.ErrNoGain.Error()) != (f.Call == "") {
			t.Errorf("%+v: %+v is left out", f, l)
		}
	}
}
