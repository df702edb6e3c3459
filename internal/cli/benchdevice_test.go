package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/kernels/gpu/device/opencl"
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
	if d.Schema != record.SchemaBenchDevice || d.Device.Name != dev || d.LaunchS <= 0 || d.Steps.PullS <= d.LaunchS || len(d.Accesses) < 2 || len(d.Transfers) < 3 {
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

// TestModel: the cost model of docs/gpu.md predicts searches on the device, and their levels one a call, within a factor of two.
// The machine may be busy, so one of ten tries is sufficient.
func TestModel(t *testing.T) {
	dev := needsOpenCL(t)
	var ratios []float64
	for range 10 {
		var d record.BenchDevice
		text := commandProcess(t, "bench", "device", dev, "--largest", "16MiB", "--model", "kron:16", "--roots", "4", "--json").must(t).stdout
		if err := json.Unmarshal([]byte(text), &d); err != nil {
			t.Fatal(err)
		}
		levels, search := d.Model.Time.PredictedS/d.Model.Time.MeasuredS, d.Model.Search.PredictedS/d.Model.Search.MeasuredS
		t.Logf("levels %.2f, search %.2f", levels, search)
		if min(levels, search) > 0.5 && max(levels, search) < 2 {
			return
		}
		ratios = append(ratios, levels, search)
	}
	t.Errorf("levels and searches are predicted at %.2f of the measured time", ratios)
}

// TestPredict: cards are predicted without a device, from levels that the CPU counts; more memory bandwidth is no slower, a
// larger graph takes longer, and no more than in proportion.
func TestPredict(t *testing.T) {
	t.Setenv(opencl.LoaderVariable, "/nowhere")
	var d record.BenchDevice
	text := command(t, "bench", "device", "--predict", "h100,H200", "--model", "kron:14", "--roots", "4", "--json").must(t).stdout
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	if d.Device != nil || d.Model == nil || d.Model.Time != nil || len(d.Model.Cards) != 2 || d.Model.Cards[0].Card != "H100" || d.Model.Cards[1].Card != "H200" {
		t.Fatalf("%s", text)
	}
	for k, c := range d.Model.Cards {
		for i, s := range c.Sizes {
			if s.PredictedS <= c.WaitS || s.TEPS < 1e9 || i > 0 && (s.Times != 4*c.Sizes[i-1].Times || s.PredictedS <= c.Sizes[i-1].PredictedS) {
				t.Errorf("%s: %+v", c.Card, c.Sizes)
			}
			if k > 0 && s.PredictedS > d.Model.Cards[0].Sizes[i].PredictedS {
				t.Errorf("size %d: %v on an H200, %v on an H100", s.Times, s.PredictedS, d.Model.Cards[0].Sizes[i].PredictedS)
			}
		}
	}
	if got := command(t, "bench", "device", "--predict", "h100", "--model", "kron:10").must(t).stdout; !strings.Contains(got, "× 64") || strings.Contains(got, "H200") {
		t.Errorf("%s", got)
	}
	for _, args := range [][]string{{"--predict", "h300"}, {"opencl:0", "--predict", "h100"}, {}} {
		if got := command(t, append([]string{"bench", "device"}, args...)...); got.status != exitUsage {
			t.Errorf("%v: status %d, %s", args, got.status, got.stdout)
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
		if c == nil || c.Launches < 3 || c.Waits < 2 || c.Fills != 0 || c.DownloadBytes < 4*float64(d.Processors[0].Vertices)/2 || (len(c.Kernels) > 0) != (flags != nil) {
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
