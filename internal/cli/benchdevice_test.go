package cli

import (
	"encoding/json"
	"testing"

	"github.com/totemgo/totemgo/record"
)

// TestBenchDevice: a device's figures, and every level of the model with a prediction; a CPU is refused.
func TestBenchDevice(t *testing.T) {
	dev := needsOpenCL(t)
	text := commandProcess(t, "bench", "device", dev, "--largest", "4MiB", "--model", "kron:10", "--roots", "2", "--json").must(t).stdout
	var d record.BenchDevice
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	if d.Schema != record.SchemaBenchDevice || d.Device.Name != dev || d.LaunchS <= 0 || len(d.Accesses) < 2 || len(d.Transfers) < 3 {
		t.Errorf("%s", text)
	}
	searches := 0
	for i, l := range d.Model.Levels {
		if l.Level == 0 {
			searches += l.Searches
		}
		if l.MeasuredS <= 0 || l.PredictedS <= 0 || i > 0 && l.Level < d.Model.Levels[i-1].Level {
			t.Errorf("level %+v", l)
		}
	}
	if searches != 2 || len(d.Model.Cards) != 2 || d.Model.Time.PredictedS <= d.LaunchS {
		t.Errorf("%s", text)
	}
	for _, name := range []string{"cpu", dev + "," + dev, "opencl:77"} {
		if got := commandProcess(t, "bench", "device", name); got.status == 0 {
			t.Errorf("%s: %s", name, got.stdout)
		}
	}
}

// TestProfile: a search's commands, and with --profile the time of each kernel, whose launches are all of them.
func TestProfile(t *testing.T) {
	dev := needsOpenCL(t)
	for _, flags := range [][]string{nil, {"--profile"}} {
		var d record.Bench
		text := commandProcess(t, append([]string{"bench", "bfs", "--graph", "kron:10", "--roots", "2", "--processors", dev, "--json"}, flags...)...).must(t).stdout
		if err := json.Unmarshal([]byte(text), &d); err != nil {
			t.Fatal(err)
		}
		c := d.Processors[0].Commands
		if c == nil || c.Launches < 3 || c.Waits < 2 || c.Fills <= 0 || c.DownloadBytes < 4*float64(d.Processors[0].Vertices)/2 || (len(c.Kernels) > 0) != (flags != nil) {
			t.Fatalf("%v: %+v", flags, c)
		}
		launches := 0.0
		for _, k := range c.Kernels {
			launches += k.Launches
			if k.TimeS <= 0 || k.LeastBytes != nil && *k.LeastBytes <= 0 {
				t.Errorf("%+v", k)
			}
		}
		if flags != nil && (launches < 3 || launches > 3*c.Launches) {
			t.Errorf("%v launches clocked of %v", launches, c.Launches)
		}
	}
}
