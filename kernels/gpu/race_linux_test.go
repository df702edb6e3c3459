package gpu_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/needs"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/gpu"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/kernels/gpu/device/fake"
	"github.com/totemgo/totemgo/kernels/gpu/device/opencl"
	"github.com/totemgo/totemgo/kernels/gpu/src"
	"github.com/totemgo/totemgo/partition"
	"github.com/totemgo/totemgo/program"
)

// oclgrind is the OpenCL driver that checks every access of every lane.
const oclgrind = "/usr/lib/oclgrind/liboclgrind-rt-icd.so"

// checked tells the test binary that it runs under Oclgrind, and what to do there.
const checked = "TOTEMGO_TEST_OCLGRIND"

// underOclgrind runs one of the tests below under Oclgrind, and returns its log.
func underOclgrind(t *testing.T, test string) string {
	t.Helper()
	if _, err := os.Stat(oclgrind); err != nil {
		needs.Missing(t, "oclgrind", err.Error())
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "oclgrind.icd"), []byte(oclgrind+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(dir, "log")
	cmd := exec.Command(os.Args[0], "-test.run=^"+test+"$", "-test.v")
	cmd.Env = append(os.Environ(), checked+"="+test, "OCL_ICD_VENDORS="+dir, "OCLGRIND_DATA_RACES=1",
		"OCLGRIND_CHECK_API=1", "OCLGRIND_MAX_ERRORS=100000", "OCLGRIND_LOG="+log)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// inOclgrind opens Oclgrind's device, or skips a test that is not run by
// underOclgrind.
func inOclgrind(t *testing.T) device.Device {
	t.Helper()
	if os.Getenv(checked) != t.Name() {
		t.Skip("run by TestKernelsAreClean and TestCheckerFindsFaults")
	}
	runtime.LockOSThread() // Oclgrind keeps state by thread
	driver, err := opencl.Open(opencl.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dev, err := driver.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	if dev.Info().Platform != "Oclgrind" {
		t.Fatalf("the platform is %s", dev.Info().Platform)
	}
	return dev
}

// TestKernelsAreClean: no data race, no access out of bounds, no misuse of the driver
// in any kernel. Uninitialised reads are not checked: see docs/gpu.md.
func TestKernelsAreClean(t *testing.T) {
	if log := underOclgrind(t, "TestAllKernels"); strings.TrimSpace(log) != "" {
		t.Errorf("Oclgrind found:\n%.4000s", log)
	}
}

// TestCheckerFindsFaults: the gate can fail.
func TestCheckerFindsFaults(t *testing.T) {
	log := underOclgrind(t, "TestPlantedFaults")
	for _, want := range []string{"Read-write data race", "Invalid write"} {
		if !strings.Contains(log, want) {
			t.Errorf("Oclgrind does not report %q:\n%.4000s", want, log)
		}
	}
}

// TestAllKernels runs every kernel of package src at least once, on a hub, its leaves
// and a small random graph, in groups of 32 lanes.
func TestAllKernels(t *testing.T) {
	counted := fake.Wrap(inOclgrind(t), fake.Options{})
	program, err := gpu.Build(counted, gpu.BuildOptions{GroupSize: 32, RaceCheck: true})
	if err != nil {
		t.Fatal(err)
	}
	place, err := partition.New(t.Context(), kronecker(t, 7), partition.Options{Policy: partition.Random, Threads: 1,
		Processors: []partition.Processor{{Device: true}, {Device: true}}})
	if err != nil {
		t.Fatal(err)
	}
	defer place.Close()
	for _, part := range []*kernels.Part{pathPart(100), place.Part(0)} {
		p, err := gpu.New(program, gpu.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(p.Load(t.Context(), part), session(p, part), p.Close()); err != nil {
			t.Fatal(err)
		}
	}
	// A device alone: from a root to a frontier beyond a group, and along a path.
	for _, list := range []*graph.EdgeList{kronecker(t, 7), chain(200)} {
		alone, err := partition.New(t.Context(), list, partition.Options{Threads: 1, Processors: []partition.Processor{{Device: true}}})
		if err != nil {
			t.Fatal(err)
		}
		defer alone.Close()
		p, err := gpu.New(program, gpu.Options{})
		if err != nil {
			t.Fatal(err)
		}
		root := uint32(alone.Part(0).Ranges[0].Vertices - 1)
		if err := p.Load(t.Context(), alone.Part(0)); err != nil {
			t.Fatal(err)
		}
		search, err := opened(p)
		if err := errors.Join(err, search.Begin(0), search.Seed(root, -1, 0)); err != nil {
			t.Fatal(err)
		}
		for going := true; going; {
			_, run, err := search.StepMany(t.Context(), 64)
			if going = len(run) > 0 && run[len(run)-1].Next > 0; err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(search.Resolve(nil, nil), search.CopyTo(make([]uint32, list.Vertices)), p.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := program.Measure(t.Context(), gpu.MeasureOptions{Largest: 1 << 16, Each: 1}); err != nil {
		t.Fatal(err)
	}
	ran := counted.Launches()
	for _, name := range kernelNames(t) {
		if ran[name] == 0 {
			t.Errorf("kernel %s did not run", name)
		}
	}
}

// kernelNames returns the kernels that the source defines.
func kernelNames(t *testing.T) (names []string) {
	t.Helper()
	text, err := src.Text()
	if err != nil {
		t.Fatal(err)
	}
	names = kernelsOf(text)
	if len(names) < 15 {
		t.Fatalf("the source has the kernels %v only", names)
	}
	return names
}

// kernelsOf returns the kernels that a source defines.
func kernelsOf(text string) (names []string) {
	for _, m := range regexp.MustCompile(`(?m)^KERNEL (\w+)\(`).FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	return names
}

// TestPlantedFaults runs a kernel with a race and a write out of bounds.
func TestPlantedFaults(t *testing.T) {
	dev := inOclgrind(t)
	const text = `
kernel void faulty(global uint* a, global uint* b) {
  a[get_global_id(0) + 1] += a[0];
  if (get_local_id(0) == 0) a[0] = 1;
  b[63 + get_local_id(0)] = 1;
}`
	program, err := dev.Build(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	k, err := program.Kernel("faulty")
	if err != nil {
		t.Fatal(err)
	}
	var buffers [2]device.Buffer
	for i := range buffers {
		if buffers[i], err = dev.NewBuffer(4 * 64); err != nil {
			t.Fatal(err)
		}
	}
	s, err := dev.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Fill(buffers[0], 0, 256, 0), s.Launch(k, device.Launch{Groups: 2, GroupSize: 32,
		Args: []device.Arg{device.Buf(buffers[0]), device.Buf(buffers[1])}}), s.Finish()); err != nil {
		t.Fatal(err)
	}
}

// every has an operator of each form.
var every = program.Program{
	Arrays: []program.Array{{Name: "label", Type: program.U32, Init: program.ID}, {Name: "parent", Type: program.U32, Init: program.None, Ranks: true},
		{Name: "far", Type: program.F32, Init: program.Top}, {Name: "wide", Type: program.F64}, {Name: "bits", Type: program.U64}, {Name: "known", Type: program.U64},
		{Name: "root", Type: program.U32, Init: program.Rank}},
	Edges: []program.EdgeOp{
		{Name: "visit", From: -1, To: 1, Map: program.Source, Combine: program.Claim, Once: true},
		{Name: "spread", From: 0, To: 0, Map: program.Copy, Combine: program.Min},
		{Name: "relax", From: 2, To: 2, Map: program.Plus, Combine: program.Min},
		{Name: "tight", From: 2, To: 1, Map: program.TightLow, Combine: program.Claim},
		{Name: "widen", From: 2, To: 3, Map: program.Copy, Combine: program.Sum},
		{Name: "count", From: -1, To: 4, Map: program.One, Combine: program.Sum},
		{Name: "bit", From: 4, To: 4, Map: program.Copy, Combine: program.Or, Known: 6},
		{Name: "self", From: 3, To: 3, Map: program.Copy, Combine: program.Sum},
	},
	Vertices: []program.VertexOp{{Name: "even", Block: func(*program.Block) {}, Device: "SUM(0, label[v]); MIN(ARG(0)); if (v % 2) DROP;"}},
	Locals:   []program.LocalOp{{Name: "link", Arcs: program.Both, Device: "link(root, u, v);", DeviceRanks: "compress(root, v);"}},
}

// playEvery runs all operators of every, in both ways where that is allowed.
func playEvery(t *testing.T, p kernels.Processor, part *kernels.Part) (err error) {
	r, err := p.Open(t.Context(), &every)
	if err != nil {
		return err
	}
	try := func(failed error) { err = errors.Join(err, failed) }
	own := slices.IndexFunc(part.Ranges, func(g kernels.Range) bool { return g.Owner == part.Index })
	try(r.Seed(part.Ranges[own].First, 2, 0))
	step := func(op int, s program.Step) {
		if every.CheckStep(op, s) != nil {
			return
		}
		_, failed := r.Step(t.Context(), op, s)
		for i := range part.Ranges {
			if i != own {
				news, folded := r.Fold(i)
				try(folded)
				if to := every.Edges[op].To; news.Count > 0 && every.Arrays[to].Type == program.U32 {
					try(r.Merge(own, i, kernels.Message{Count: 1, List: []uint32{part.Ranges[own].First}, Values: []uint32{0}}))
				}
			}
		}
		_, advanced := r.Advance()
		try(errors.Join(failed, advanced))
	}
	step(2, program.Step{Below: program.Pack(float32(3))})
	for op := range every.Edges {
		for _, from := range []program.Set{program.All, program.Default, 1} {
			for _, way := range []program.Way{program.Push, program.Pull} {
				_, mapped := r.VertexMap(t.Context(), 0, program.All, [4]float64{})
				try(errors.Join(mapped, r.Keep(1)))
				for i, g := range part.Ranges {
					if i != own && way == program.Pull && from == program.Default && every.Edges[op].From < 1 {
						news := kernels.Message{Count: 1, List: []uint32{g.First}}
						if every.Edges[op].From == 0 {
							news.Values = []uint32{7}
						}
						try(r.Take(op, program.Step{Way: way}, i, news))
					}
				}
				step(op, program.Step{Way: way, From: from, Over: from * program.Set(way)})
			}
		}
	}
	try(r.Keep(2))
	step(7, program.Step{Way: program.Pull, From: 1, Over: 2})
	try(r.Begin(0))
	for op := range every.Edges {
		_, expanded := r.Expand(op, program.Step{Way: program.Pull}, own)
		try(expanded)
	}
	try(r.Local(t.Context(), 0))
	return errors.Join(err, r.Close())
}

// TestValueKernelsAreClean is TestKernelsAreClean of programs with values.
func TestValueKernelsAreClean(t *testing.T) {
	if log := underOclgrind(t, "TestAllValueKernels"); strings.TrimSpace(log) != "" {
		t.Errorf("Oclgrind found:\n%.4000s", log)
	}
}

// TestAllValueKernels runs every kernel of values at least once.
func TestAllValueKernels(t *testing.T) {
	counted := fake.Wrap(inOclgrind(t), fake.Options{})
	built, err := gpu.Build(counted, gpu.BuildOptions{GroupSize: 32, RaceCheck: true})
	if err != nil {
		t.Fatal(err)
	}
	place, err := partition.New(t.Context(), kronecker(t, 6), partition.Options{Policy: partition.Random, Threads: 1,
		Processors: []partition.Processor{{Device: true}, {Device: true}}})
	if err != nil {
		t.Fatal(err)
	}
	defer place.Close()
	for _, part := range []*kernels.Part{pathPart(100), place.Part(0)} {
		p, err := gpu.New(built, gpu.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(p.Load(t.Context(), part), playEvery(t, p, part), p.Close()); err != nil {
			t.Fatal(err)
		}
	}
	ran := counted.Launches()
	for _, part := range []string{"set", "edge", "vertex", "local"} {
		text, err := src.Value(part, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range kernelsOf(text) {
			if ran[m] == 0 {
				t.Errorf("kernel %s did not run", m)
			}
		}
	}
}
