package cli

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/record"
)

// describe is what the driver says of an OpenCL device.
func describe(t *testing.T, name string) device.Info {
	t.Helper()
	infos, err := engine.ListDevices()
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range infos {
		if info.Name == name {
			return info
		}
	}
	t.Fatalf("there is no %s", name)
	return device.Info{}
}

// onDevices sums the arrays of devices in their memory and in the host's, the graph's
// or all others, and the host's copies.
func onDevices(list []record.Processor) (graphDevice, graphHost, others, kept int64) {
	for _, p := range list {
		for _, a := range p.Arrays {
			isGraph := strings.HasSuffix(a.Name, "offsets") || strings.HasSuffix(a.Name, "neighbours")
			switch {
			case a.Name == record.HostCopy:
				kept += a.Bytes
			case isGraph && a.Location == record.OnDevice:
				graphDevice += a.Bytes
			case isGraph && a.Location == record.OnHost:
				graphHost += a.Bytes
			default:
				others += a.Bytes
			}
		}
	}
	return graphDevice, graphHost, others, kept
}

// TestDeviceGraphs runs the benchmark with the graph in each place that the device can
// read it in, and demands right trees and arrays where they belong.
func TestDeviceGraphs(t *testing.T) {
	dev := needsOpenCL(t)
	if !describe(t, dev).InPlace {
		oneLine(t, command(t, "graph500", "--scale", "5", "--processors", "cpu:1,"+dev, "--device-graph", "host"), dev, "bytes fit")
		t.Skip("the device does not read the host's memory in place")
	}
	scale, memory, roots := "12", "200KiB", "64"
	if raceEnabled {
		roots = "3"
	}
	hybrid := "cpu:1," + dev
	for _, c := range []struct {
		procs, flags   string
		onDevice, host bool // where the graph lies
	}{
		{hybrid, "--share 0.5,0.5", true, false},
		{hybrid, "--share 0.5,0.5 --device-graph host", false, true},
		{hybrid, "--share 0.5,0.5 --device-graph split --device-memory " + memory, true, true},
		{hybrid + "," + dev, "--device-graph split", true, false},
		{dev, "--device-graph host --release-host", false, true},
		{dev, "--device-graph device --release-host", true, false},
	} {
		args := append([]string{"graph500", "--scale", scale, "--roots", roots, "--processors", c.procs, "--json"}, strings.Fields(c.flags)...)
		d := document[record.Graph500](t, command(t, args...))
		if d.Validation.Passed != d.NBFS || d.NBFS == 0 || d.Validation.Failed != 0 {
			t.Errorf("%q: %d searches, %+v", args, d.NBFS, d.Validation)
		}
		on, host, others, kept := onDevices(d.Processors)
		if (on > 0) != c.onDevice || (host > 0) != c.host || others == 0 {
			t.Errorf("%q: %d bytes of the graph in the device's memory, %d in the host's, %d others", args, on, host, others)
		}
		released := strings.Contains(c.flags, "--release-host")
		if graph := on + host; released == (kept > graph/2) {
			t.Errorf("%q: the host keeps %d bytes of %d", args, kept, graph)
		}
		for _, p := range d.Processors {
			if (p.Kind == "cpu") != (len(p.Arrays) == 0) {
				t.Errorf("%q: %s has %d arrays", args, p.Name, len(p.Arrays))
			}
		}
	}
	text := command(t, "graph500", "--scale", "6", "--processors", hybrid, "--device-graph", "host", "--stats").must(t).stdout
	for _, s := range []string{dev + ", in the device's memory: ", dev + ", in the host's memory: ", ", neighbours ", "\n  --share 0."} {
		if !strings.Contains(text, s) {
			t.Errorf("no %q in %q", s, text)
		}
	}
}

// TestDeviceAloneTooSmall: a device that does not hold the graph is refused in a line
// that proposes a list which does.
func TestDeviceAloneTooSmall(t *testing.T) {
	dev := needsOpenCL(t)
	args := []string{"graph500", "--scale", "10", "--roots", "4", "--device-memory", "60KiB", "--processors"}
	list := "cpu," + dev
	oneLine(t, command(t, append(args, dev)...), "the processors "+list+" ", "61440")
	if d := document[record.Graph500](t, command(t, append(args, list, "--json")...)); d.Validation.Passed != 4 || d.Processors[1].Edges == 0 {
		t.Errorf("%+v, %+v", d.Validation, d.Processors)
	}
}

// TestWrongDeviceFlags: a value that a flag of devices does not take is a fault of the
// command line, which says what it takes.
func TestWrongDeviceFlags(t *testing.T) {
	for _, c := range [][3]string{
		{"--device-graph", "disk", "device, host or split"},
	} {
		if r := command(t, "graph500", "--scale", "5", c[0], c[1]); r.status != exitUsage || !strings.Contains(r.stderr, c[0]) || !strings.Contains(r.stderr, c[2]) {
			t.Errorf("%v: status %d, %q", c, r.status, r.stderr)
		}
	}
}

// TestShareIsPrinted: what a run prints as shares can be given back.
func TestShareIsPrinted(t *testing.T) {
	run := func(flags ...string) *record.Graph500 {
		t.Helper()
		return document[record.Graph500](t, command(t, append([]string{"graph500", "--scale", "10", "--roots", "1", "--processors", "cpu:1,cpu:1,cpu:1", "--json"}, flags...)...))
	}
	first := run("--share", "0.6,0.3,0.1")
	again := run("--share", first.Share)
	for i, p := range again.Processors {
		if q := first.Processors[i]; math.Abs(p.EdgeShare-q.EdgeShare) > 1e-3 {
			t.Errorf("--share %s: processor %d has %v, had %v", first.Share, i, p.EdgeShare, q.EdgeShare)
		}
	}
	text := command(t, "graph500", "--scale", "8", "--roots", "1", "--processors", "cpu:1,cpu:1").must(t).stdout
	if !strings.Contains(text, "\nshares:                         --share 0.") {
		t.Errorf("%q", text)
	}
	if one := command(t, "graph500", "--scale", "8", "--roots", "1", "--processors", "cpu:1").must(t).stdout; strings.Contains(one, "--share") {
		t.Errorf("one processor: %q", one)
	}
}

// TestRatesGiveShares: default shares follow from the speeds of a file, as bench machine
// writes it; --share overrides them.
func TestRatesGiveShares(t *testing.T) {
	g := filepath.Join(t.TempDir(), "g.tgr")
	command(t, "generate", "kron", "--scale", "10", "-o", g).must(t)
	rates := filepath.Join(t.TempDir(), "rates.json")
	written := command(t, "bench", "machine", "-o", rates, "--largest", "32KiB", "--threads", "1", "--processors", "cpu:1", "--scale", "8").must(t)
	if !strings.Contains(written.stdout, "cpu on 1 thread: ") {
		t.Errorf("%q", written.stdout)
	}
	data, err := os.ReadFile(rates)
	if err != nil {
		t.Fatal(err)
	}
	var doc record.BenchMachine
	if err := json.Unmarshal(data, &doc); err != nil || len(doc.Speeds) != 1 || doc.Speeds[0].Processor != "cpu" || doc.Speeds[0].Threads != 1 || doc.Speeds[0].EdgesPerS <= 0 {
		t.Fatalf("%v, %+v", err, doc.Speeds)
	}
	// A device three times as fast as a thread, as if it had been measured. Nothing runs.
	doc.Speeds = append(doc.Speeds, record.Speed{Processor: "opencl:7", EdgesPerS: 3 * doc.Speeds[0].EdgesPerS})
	if data, err = json.Marshal(doc); err != nil {
		t.Fatal(err)
	}
	rates = file(t, "rates.json", string(data))
	for _, c := range []struct {
		procs string
		flags []string
		want  float64
	}{
		{"cpu:1,opencl:7", nil, 1. / 25},
		{"cpu:1,opencl:7", []string{"--rates", rates}, 1. / 4},
		{"cpu:1,opencl:7", []string{"--rates", rates, "--share", "0.6,0.4"}, 0.6},
		{"cpu:1,opencl:7", []string{"--rates", rates, "--two-ended", "0.2", "--placement", "hubs-on-cpu"}, 0.8 / 4},
		{"cpu:1,opencl:8", []string{"--rates", rates}, 1. / 25}, // not in the file
		{"cpu:1,opencl:7,opencl:8", []string{"--rates", rates}, 1 / (1 + 3 + 24*4./25)},
	} {
		d := document[record.Partition](t, command(t, append([]string{"partition", g, "--processors", c.procs, "--json"}, c.flags...)...))
		if got := d.Processors[0].EdgeShare; math.Abs(got-c.want) > 0.03 {
			t.Errorf("%s %q: the CPU has %v, want %v", c.procs, c.flags, got, c.want)
		}
		if first, _, both := strings.Cut(d.Share, ","); !both || !strings.HasPrefix(first, "0.") {
			t.Errorf("%q: share %q", c.flags, d.Share)
		}
	}
	if r := command(t, "partition", g, "--rates", file(t, "none.json", "{}")); r.status != exitFailed {
		t.Errorf("a file without rates: status %d, %q", r.status, r.stderr)
	}
}

// TestInfoSaysTheRule: info prints by which rule a placement is chosen, and its two
// numbers.
func TestInfoSaysTheRule(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		kind []string
		want string
	}{
		{[]string{"kron", "--scale", "10"}, "hubs-on-cpu"},
		{[]string{"grid", "--rows", "20", "--columns", "20"}, "original"},
	} {
		g := filepath.Join(dir, c.kind[0]+".tgr")
		command(t, append(append([]string{"generate"}, c.kind...), "-o", g)...).must(t)
		d := document[record.Info](t, command(t, "info", g, "--json"))
		r := d.Rule
		if r == nil || r.Placement != c.want || (float64(r.MaxDegree) >= r.Ratio*r.MeanDegree) != (c.want == "hubs-on-cpu") || r.Ratio != 16 || r.MaxDegree == 0 {
			t.Errorf("%v: %+v", c.kind, r)
			continue
		}
		text := command(t, "info", g).must(t).stdout
		if !strings.Contains(text, "\ndefault: "+c.want+", as the largest degree ") {
			t.Errorf("%v: %q", c.kind, text)
		}
		if d := document[record.Info](t, command(t, "info", g, "--json", "--placement", "random")); d.Rule != nil {
			t.Errorf("%v: a rule where the placement is named: %+v", c.kind, d.Rule)
		}
		// A two-ended share belongs to hubs-on-cpu alone.
		two := document[record.Info](t, command(t, "info", g, "--json", "--two-ended", "0.2", "--device-memory", "10MiB"))
		if two.Rule.Placement != "hubs-on-cpu" || len(two.Placements) != 4 {
			t.Errorf("%v: two-ended: %+v", c.kind, two.Rule)
		}
	}
}
