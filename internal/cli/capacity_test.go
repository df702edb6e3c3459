package cli

import (
	"encoding/json"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/record"
)

// TestCapacityResident: a run's process takes no more than capacity of a file says, and not much less: within 2% where arrays
// get huge pages, of which systems may have too few.
func TestCapacityResident(t *testing.T) {
	if raceEnabled || runtime.GOOS != "linux" {
		t.Skip("the race detector has memory of its own")
	}
	file := filepath.Join(t.TempDir(), "g.tgr")
	command(t, "generate", "kron", "--scale", "19", "-o", file).must(t)
	for _, c := range []struct{ name, args string }{{"bfs", "--root 1"}, {"closeness", "--samples 2048"}, {"diameter", ""}, {"pagerank", ""}} {
		for try := 1; ; try++ { // the Go heap's garbage differs
			want := int64(0)
			for _, x := range document[record.Capacity](t, commandProcess(t, "capacity", file, "--json").must(t)).Algorithms {
				if x.Algorithm == c.name {
					want = x.ResidentBytes
				}
			}
			r := commandProcess(t, append([]string{c.name, file, "--json"}, strings.Fields(c.args)...)...).must(t)
			var doc struct{ record.Head }
			if err := json.Unmarshal([]byte(r.stdout), &doc); err != nil {
				t.Fatal(err)
			}
			got := doc.PeakRSSBytes
			off := float64(want)/float64(got) - 1
			if t.Logf("%s: %d bytes, capacity says %d: %+.1f%%", c.name, got, want, 100*off); off >= -0.02 && off <= 0.1 {
				break
			}
			if try == 4 {
				t.Errorf("%s: %d bytes, capacity says %d: %+.1f%%", c.name, got, want, 100*off)
				break
			}
		}
	}
}

// TestCapacity: with a device, capacity of a file says what bfs of it then holds there, names what the device cannot run, and
// finds the largest graphs.
func TestCapacity(t *testing.T) {
	dev := needsOpenCL(t)
	file := filepath.Join(t.TempDir(), "g.tgr")
	command(t, "generate", "kron", "--scale", "14", "--drop-loops", "--merge-duplicates", "first", "-o", file).must(t)
	for _, list := range []string{dev, "cpu:1," + dev} {
		r := command(t, "capacity", file, "--json", "--processors", list).must(t)
		d, found := document[record.Capacity](t, r), map[string][]record.CapacityAlgorithm{}
		for _, x := range d.Algorithms {
			found[x.Algorithm] = append(found[x.Algorithm], x)
			if len(x.Devices) != 1 || x.Devices[0].Processor != dev || x.Devices[0].MemoryBytes <= 0 || x.Fits != (x.Reason == "") {
				t.Errorf("%s: %+v", list, x)
			}
		}
		for name, list := range found {
			if no := name == "kcore" || name == "cdlp"; list[0].Fits == no {
				t.Errorf("%s fits: %v, %q", name, list[0].Fits, list[0].Reason)
			}
		}
		if a := found["apsp"]; len(a) != 3 || a[2].Devices[0].StateBytes-64 != 2*(a[0].Devices[0].StateBytes-64) || a[0].Graph.WeightKind != "int32" {
			t.Errorf("apsp: %+v", a)
		}
		if list != dev {
			continue
		}
		b := document[record.BFS](t, command(t, "bfs", file, "--root", "1", "--json", "--processors", list).must(t))
		holds := int64(0)
		for _, p := range b.Setup.Processors {
			for _, a := range p.Arrays {
				if a.Location == record.OnDevice {
					holds += a.Bytes
				}
			}
		}
		if off := float64(found["bfs"][0].Devices[0].PlacedBytes)/float64(holds) - 1; math.Abs(off) > 0.02 {
			t.Errorf("%s: bfs holds %d bytes on the device, capacity says %d: %+.1f%%", list, holds, found["bfs"][0].Devices[0].PlacedBytes, 100*off)
		}
	}
	for _, x := range document[record.Capacity](t, command(t, "capacity", "--json", "--processors", dev).must(t)).Algorithms {
		if x.Fits && (x.Graph.Vertices == 0 || x.Devices[0].PeakBytes > x.Devices[0].MemoryBytes) {
			t.Errorf("largest: %+v", x)
		}
	}
}
