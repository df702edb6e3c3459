package cli

import (
	"strings"
	"testing"

	"github.com/totemgo/totemgo/internal/needs"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/kernels/gpu/device/cuda"
	"github.com/totemgo/totemgo/kernels/gpu/device/opencl"
	"github.com/totemgo/totemgo/record"
)

// needsOpenCL skips a test where there is no OpenCL device, and returns the name of
// the device to test.
func needsOpenCL(t *testing.T) string {
	t.Helper()
	driver, number := needs.OpenCL(t, func() (*opencl.Driver, error) { return opencl.Open(opencl.Options{}) }, device.ErrNoDriver)
	infos, err := driver.Devices()
	if err != nil {
		t.Fatal(err)
	}
	return infos[number].Name
}

// TestGraph500OnDevices runs the benchmark on a CPU with a device, a device alone and
// two partitions on one device, and demands that every tree is right, that every
// processor has a part of the graph, takes part in the exchange and states what it did.
func TestGraph500OnDevices(t *testing.T) {
	dev := needsOpenCL(t)
	scale := "12"
	if raceEnabled {
		scale = "8"
	}
	hybrid := "cpu:1," + dev
	for _, c := range []struct{ procs, flags string }{
		{hybrid, ""},
		{hybrid, "--share 0.9,0.1"},
		{hybrid + "," + dev, "--device-memory 4MiB"},
		{dev, ""},
		{hybrid, "--placement random"},
		{hybrid, "--placement hubs-on-gpu"},
		{hybrid, "--placement original"},
		{hybrid, "--two-ended 0.1"},
	} {
		args := append([]string{"graph500", "--scale", scale, "--processors", c.procs, "--json"}, strings.Fields(c.flags)...)
		d := document[record.Graph500](t, command(t, args...))
		names := strings.Split(c.procs, ",")
		if d.NBFS != 64 || d.Validation.Passed != 64 || d.Validation.Failed != 0 || len(d.Processors) != len(names) {
			t.Errorf("%q: %d searches, %+v, %d processors", args, d.NBFS, d.Validation, len(d.Processors))
			continue
		}
		for i, p := range d.Processors {
			kind, _, _ := strings.Cut(names[i], ":")
			if p.Name != names[i] || p.Kind != kind || p.Vertices == 0 || p.Edges == 0 || p.Bytes == 0 || p.VertexShare <= 0 || p.EdgeShare <= 0 ||
				(p.Threads > 0) != (kind == "cpu") || (p.Device != "") != (kind != "cpu") || (p.CutShare > 0) != (len(names) > 1) {
				t.Errorf("%q: processor %d is %+v", args, i, p)
			}
		}
		sent, received := make([]float64, len(names)), make([]float64, len(names))
		for _, l := range d.Levels {
			if len(l.Processors) != len(names) || l.Searches == 0 || l.Frontier <= 0 || l.TimeS <= 0 {
				t.Errorf("%q: level %+v", args, l)
				continue
			}
			for i, p := range l.Processors {
				sent[i], received[i] = sent[i]+p.BytesSent, received[i]+p.BytesReceived
				// A processor without a frontier may be left out of a level.
				leftOut := len(names) > 1 && p.Kernel == "" && p.ComputeS == 0 && p.BytesSent == 0 && p.BytesReceived == 0
				if !leftOut && (p.Kernel == "" || p.ComputeS <= 0) || p.PushS < 0 || p.PullS < 0 || p.IdleS < 0 {
					t.Errorf("%q: level %d, processor %d: %+v", args, l.Level, i, p)
				}
			}
		}
		for i := range names {
			if (sent[i] > 0) != (len(names) > 1) || (received[i] > 0) != (len(names) > 1) {
				t.Errorf("%q: processor %d sent %v bytes and received %v", args, i, sent[i], received[i])
			}
		}
	}
}

// TestLowDegreesOnDevice: a small share of the edges is most of the vertices.
func TestLowDegreesOnDevice(t *testing.T) {
	dev := needsOpenCL(t)
	if raceEnabled {
		t.Skip("left to the run without the race detector")
	}
	d := document[record.Graph500](t, command(t, "graph500", "--scale", "18", "--placement", "hubs-on-cpu", "--share", "0.92,0.08",
		"--processors", "cpu:1,"+dev, "--roots", "1", "--json"))
	if p := d.Processors[1]; p.EdgeShare < 0.0795 || p.EdgeShare > 0.0805 || p.VertexShare <= 0.7 || d.Validation.Passed != 1 {
		t.Errorf("%+v, %+v", p, d.Validation)
	}
}

// TestNoDriver: without a loader or a driver the devices are listed as none, and
// naming one fails in a line.
func TestNoDriver(t *testing.T) {
	empty := t.TempDir()
	for _, c := range [][2]string{{"OCL_ICD_VENDORS", empty}, {opencl.LoaderVariable, "/nonexistent"}} {
		variable, value := c[0], c[1]
		// The loader reads the variables of the process that it is in, hence a process.
		t.Setenv(variable, value)
		if r := commandProcess(t, "devices").must(t); !strings.Contains(r.stdout, "no device: no such device: ") || !strings.Contains(r.stdout, "no driver") {
			t.Errorf("%s: %q", variable, r.stdout)
		}
		oneLine(t, commandProcess(t, "graph500", "--scale", "5", "--processors", "opencl:0"), "opencl:0", "no driver")
		commandProcess(t, "graph500", "--scale", "5", "--processors", "auto").must(t)
	}
	t.Setenv(cuda.LibraryVariable, "/nonexistent")
	reason := "/nonexistent"
	if _, err := cuda.Open(cuda.Options{}); err != nil && strings.Contains(err.Error(), "this build has no CUDA") { // -tags nogpu
		reason = "this build"
	}
	oneLine(t, command(t, "graph500", "--scale", "5", "--processors", "cuda:0"), "cuda:0", "no driver", reason)
}

// TestUnknownDevice: the message lists what there is.
func TestUnknownDevice(t *testing.T) {
	dev := needsOpenCL(t)
	oneLine(t, command(t, "graph500", "--scale", "5", "--processors", "cpu,opencl:99"), "opencl:99", dev)
}

// oneLine demands that a command line failed with one line that has the words.
func oneLine(t *testing.T, r ran, words ...string) {
	t.Helper()
	if r.status != 1 || strings.Count(r.stderr, "\n") != 1 {
		t.Errorf("%q: status %d, %q", r.args, r.status, r.stderr)
	}
	for _, w := range words {
		if !strings.Contains(r.stderr, w) {
			t.Errorf("%q: %q does not say %q", r.args, r.stderr, w)
		}
	}
}
