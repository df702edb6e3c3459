package cli

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/kernels/cpu"
	"github.com/totemgo/totemgo/record"
)

// TestBenchKernels: --kernels all compares auto with each set in nine rounds or more, and
// what it states of a set follows from its rounds.
func TestBenchKernels(t *testing.T) {
	run := []string{"bench", "bfs", "--graph", "kron:9", "--roots", "3", "--kernels", "all"}
	d := document[record.Bench](t, command(t, append(run, "--json")...))
	want := append([]string{"auto"}, cpu.Kernels()...)
	if len(d.KernelSets) != len(want) {
		t.Fatalf("%d sets, want %v", len(d.KernelSets), want)
	}
	auto := d.KernelSets[0]
	for i, s := range d.KernelSets {
		if s.Kernels != want[i] || s.Rounds < 9 || len(s.RoundMeansS) != s.Rounds || i > 0 && s.Runs != s.Kernels {
			t.Errorf("set %d: %+v", i, s)
			continue
		}
		sum := 0.0
		var ratios []float64
		for round, mean := range s.RoundMeansS {
			if mean <= 0 {
				t.Errorf("%s: a mean of %v", s.Kernels, mean)
			}
			sum += mean
			ratios = append(ratios, mean/auto.RoundMeansS[round])
		}
		if mean := sum / float64(s.Rounds); math.Abs(s.MeanS-mean) > 1e-9*mean || !slices.Contains(s.RoundMeansS, s.MedianS) || !slices.Contains(ratios, s.RatioMedian) {
			t.Errorf("%s: %+v", s.Kernels, s)
		}
		below, above := 0, 0
		for _, r := range ratios {
			if r < s.RatioQ1 {
				below++
			}
			if r > s.RatioQ3 {
				above++
			}
		}
		if s.RatioQ1 > s.RatioMedian || s.RatioMedian > s.RatioQ3 || below > s.Rounds/4 || above > s.Rounds/4 || s.Faster != (s.RatioQ3 < 1) {
			t.Errorf("%s: %+v", s.Kernels, s)
		}
	}
	if auto.RatioQ1 != 1 || auto.RatioQ3 != 1 || auto.Faster || auto.Runs != d.Kernels {
		t.Errorf("%+v, kernels are %s", auto, d.Kernels)
	}
	if d = document[record.Bench](t, command(t, append(run, "--json", "--rounds", "10")...)); d.KernelSets[0].Rounds != 10 {
		t.Errorf("%d rounds", d.KernelSets[0].Rounds)
	}
	out := command(t, run...).must(t).stdout
	for _, text := range append(want, "median of 9 rounds", "quartiles", "(auto is "+auto.Runs+")") {
		if !strings.Contains(out, text) {
			t.Errorf("%q is missing in\n%s", text, out)
		}
	}
	if best, other := strings.Contains(out, "auto is the best within the spread"), strings.Contains(out, "faster than auto beyond the spread: "); best == other {
		t.Errorf("the verdict is missing in\n%s", out)
	}
	for _, args := range []string{"--tune", "--gobench"} {
		if r := command(t, append(run, args)...); r.status != exitUsage || !strings.Contains(r.stderr, "--kernels all") {
			t.Errorf("%q: status %d, %q", args, r.status, r.stderr)
		}
	}
}

// TestPrintKernelSets: the verdict names the sets that are faster than auto.
func TestPrintKernelSets(t *testing.T) {
	for want, faster := range map[string]bool{"auto is the best within the spread (auto is x)": false, "faster than auto beyond the spread: avx2 (auto is x)": true} {
		var out strings.Builder
		e := env{stdout: &out}
		if e.printKernelSets([]record.BenchKernelSet{{Kernels: "auto", Runs: "x"}, {Kernels: "avx2", Faster: faster}}); !strings.HasSuffix(out.String(), want+"\n\n") {
			t.Error(out.String())
		}
	}
}

// TestKernels: a set, and a list, given on the command line is what runs, and every
// document and table states it.
func TestKernels(t *testing.T) {
	path := file(t, "g.txt", "1 2\n2 3\n")
	set := cpu.Kernels()[0]
	var list []string
	for i, kernel := range cpu.KernelNames() {
		list = append(list, kernel+"="+cpu.Kernels()[i%len(cpu.Kernels())])
	}
	for _, spec := range []string{set, "generic", strings.Join(list, ",")} {
		want := spec
		if len(cpu.Kernels()) == 1 {
			want = "generic"
		}
		for _, args := range [][]string{
			{"bfs", path, "--root", "1"},
			{"graph500", "--scale", "6", "--roots", "2"},
			{"bench", "bfs", "--graph", "chain:9", "--roots", "1"},
		} {
			args = append(args, "--kernels", spec)
			var d struct{ Kernels string }
			if err := json.Unmarshal([]byte(command(t, append(args, "--json")...).must(t).stdout), &d); err != nil || d.Kernels != want {
				t.Errorf("%q: %v, kernels are %q", args, err, d.Kernels)
			}
			text := "kernels " + want + "\n"
			if args[0] != "bench" {
				args, text = append(args, "--stats"), "  --kernels "+want+"\n"
			}
			if out := command(t, args...).must(t).stdout; !strings.Contains(out, text) {
				t.Errorf("%q: %q is missing in\n%s", args, text, out)
			}
		}
	}
	if d := document[record.BFS](t, command(t, "bfs", path, "--root", "1", "--kernels", "settle=generic", "--json")); d.Kernels != "generic" {
		t.Errorf("a small graph runs %s", d.Kernels)
	}
	for _, bad := range []string{"sse", "probe", "probe=sse", "prove=generic", "probe=generic,", "generic,probe=generic", "probe=all", "="} {
		for _, args := range [][]string{{"bfs", path, "--root", "1"}, {"graph500", "--scale", "6"}, {"bench", "bfs", "--graph", "chain:9"}} {
			r := command(t, append(args, "--kernels", bad)...)
			if r.status != exitUsage || !strings.Contains(r.stderr, "this processor runs "+strings.Join(cpu.Kernels(), ", ")+", for each of probe, ") {
				t.Errorf("%q --kernels %s: status %d, %q", args, bad, r.status, r.stderr)
			}
		}
	}
	if r := command(t, "bfs", path, "--root", "1", "--kernels", "all"); r.status != exitUsage {
		t.Errorf("bfs --kernels all: status %d", r.status)
	}
}

// TestKernelTimes: bench machine states of each kernel a set that runs here, and a time for
// each, where there is a choice.
func TestKernelTimes(t *testing.T) {
	d := document[record.BenchMachine](t, command(t, "bench", "machine", "--largest", "32KiB", "--threads", "2", "--json"))
	var names []string
	sets := cpu.Kernels()
	for _, k := range d.Kernels {
		names = append(names, k.Kernel)
		if !slices.Contains(sets, k.Set) || len(sets) > 1 && len(k.NS) != len(sets) && (k.Kernel != "spread" || k.NS != nil) {
			t.Errorf("%+v of %v", k, sets)
		}
		for set, ns := range k.NS {
			if !slices.Contains(sets, set) || !(ns > 0) {
				t.Errorf("%s takes %v, %s", k.Kernel, k.NS, k.Set)
			}
		}
	}
	if !slices.Equal(names, cpu.KernelNames()) {
		t.Errorf("kernels are %v", names)
	}
	if len(d.MinPlus) < 6 || d.MinPlus[0].Type != "float32" || d.MinPlus[0].Threads != 1 || d.MinPlus[len(d.MinPlus)-1].Threads != 2 {
		t.Errorf("min-plus: %+v", d.MinPlus)
	}
	for _, x := range d.MinPlus {
		if x.GopS <= 0 {
			t.Errorf("min-plus: %+v", x)
		}
	}
	out := command(t, "bench", "machine", "--largest", "32KiB", "--threads", "1").must(t).stdout
	for _, text := range append(names, "generic ns") {
		if !strings.Contains(out, text) {
			t.Errorf("%q is missing in\n%s", text, out)
		}
	}
}
