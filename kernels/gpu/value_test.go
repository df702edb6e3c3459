package gpu_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/gpu"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/kernels/gpu/device/fake"
	"github.com/totemgo/totemgo/kernels/kerneltest"
	"github.com/totemgo/totemgo/program"
)

// allPrograms has the tests below run all programs of the kit, whose kernels take a CPU's driver a minute to compile.
const allPrograms = "TOTEMGO_TEST_PROGRAMS"

// samplePrograms runs part k of n of the kit's programs: unless all are wanted, one of each form.
func samplePrograms(t *testing.T, k, n int, newProcessor func(t *testing.T) kernels.Processor) {
	o := kerneltest.Options{Skip: []string{"searches/", "rule=many", "rule=finder", "rule=seen", "rule=forms", "rule=reset", "rule=cancel", "rule=push-only"},
		Short: true, Part: k, Of: n}
	if os.Getenv(allPrograms) != "all" {
		o.Programs = []string{"components", "union-find", "many-bfs", "k-core", "order-of-sums", "initial-values", "values-F32", "sssp-F32-2.5", "sssp-I64-+Inf"}
	}
	o.Run(t, newProcessor)
}

// TestValues runs programs with values.
func TestValues(t *testing.T) {
	samplePrograms(t, 0, 1, factory(build(t, openCL(t), gpu.BuildOptions{GroupSize: 64}), gpu.Options{}))
}

// TestValuesLate runs commands no sooner than somebody waits, on adjacency in chunks.
func TestValuesLate(t *testing.T) {
	dev := counted(t, fake.Options{Discrete: true, Late: true, LargestAllocation: 24 << 10})
	samplePrograms(t, 1, 2, factory(build(t, dev, gpu.BuildOptions{GroupSize: 64}), gpu.Options{}))
	if live := dev.Live(); live["program"] == 0 || len(live) != 1 {
		t.Errorf("not freed: %v", live)
	}
}

// lacking is a device that lacks something.
type lacking struct {
	device.Device
	info device.Info
}

func (d lacking) Info() device.Info { return d.info }

// TestUnsupported: a program that a device cannot run is refused by the name of what it lacks.
func TestUnsupported(t *testing.T) {
	dev := openCL(t)
	f64 := program.Program{Arrays: []program.Array{{Name: "share", Type: program.F64}}}
	i64 := program.Program{Arrays: []program.Array{{Name: "far", Type: program.I64}}}
	for want, c := range map[string]struct {
		p    program.Program
		lack func(*device.Info)
	}{
		"compiler":         {program.Program{}, func(i *device.Info) { i.Compiler = false }},
		`"share"`:          {f64, func(i *device.Info) { i.FP64 = false }},
		`"far"`:            {i64, func(i *device.Info) { i.Int64Atomics = false }},
		`"block"`:          {program.Program{Vertices: []program.VertexOp{{Name: "block"}}}, func(*device.Info) {}},
		`"summed"`:         {program.Program{Vertices: []program.VertexOp{{Name: "summed", Device: "SUM(0, 1);"}}}, func(i *device.Info) { i.FP64 = false }},
		`"local"`:          {program.Program{Locals: []program.LocalOp{{Name: "local"}}}, func(*device.Info) {}},
		`"rows"`:           {program.Program{Arrays: i64.Arrays, Edges: []program.EdgeOp{{Name: "rows", Rows: 1}}}, func(*device.Info) {}},
		`"parents apart"`:  {program.Program{Arrays: i64.Arrays, Edges: []program.EdgeOp{{Name: "parents apart", To: -1}}}, func(*device.Info) {}},
		"does not compile": {program.Program{Vertices: []program.VertexOp{{Name: "does not compile", Device: "nonsense"}}}, func(*device.Info) {}},
	} {
		info := dev.Info()
		c.lack(&info)
		built := build(t, lacking{dev, info}, gpu.BuildOptions{GroupSize: 64})
		p := factory(built, gpu.Options{})(t)
		if err := p.Load(t.Context(), pathPart(100)); err != nil {
			t.Fatal(err)
		}
		run, err := p.Open(t.Context(), &c.p)
		unbuilt := errors.Is(err, device.ErrBuild)
		if run != nil || !errors.Is(err, kernels.ErrUnsupported) && !unbuilt || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%s: %v", want, err)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// spread is a program with a push, a pull, a sum over vertices and a local operator.
var spread = program.Program{
	Arrays: []program.Array{{Name: "label", Type: program.U32, Init: program.ID}, {Name: "parent", Type: program.U32, Init: program.Rank}},
	Edges:  []program.EdgeOp{{Name: "spread", From: 0, To: 0, Arcs: program.Both, Map: program.Copy, Combine: program.Min}},
	Vertices: []program.VertexOp{{Name: "sum", Block: func(*program.Block) {},
		Device: "SUM(0, 1);"}},
	Locals: []program.LocalOp{{Name: "link", Device: "link(parent, u, v);", DeviceRanks: "compress(parent, v);"}},
}

// play calls every method of a run of spread on a processor that owns range 0 of a path of two partitions.
func play(t *testing.T, p kernels.Processor, part *kernels.Part) error {
	r, err := p.Open(t.Context(), &spread)
	if err != nil {
		return err
	}
	all := program.Step{Way: program.Push, From: program.All}
	own, other := 0, 1
	_, folded := r.Step(t.Context(), 0, all)
	news, failed := r.Fold(other)
	last := part.Ranges[own].First + part.Ranges[own].Vertices - 1
	merged := r.Merge(own, 1, kernels.Message{Count: 1, List: []uint32{last}, Values: []uint32{0}})
	c, advanced := r.Advance()
	if folded == nil && failed == nil && merged == nil && advanced == nil && (news.Count == 0 || c.Next == 0) {
		return fmt.Errorf("%d vertices for others, %d in the frontier", news.Count, c.Next)
	}
	kept := r.Keep(1)
	m, expanded := r.Expand(0, program.Step{Way: program.Pull, From: 1}, own)
	pull := program.Step{Way: program.Pull}
	taken := r.Take(0, pull, other, kernels.Message{Count: 1, List: []uint32{part.Ranges[other].First}, Values: []uint32{7}})
	_, pulled := r.Step(t.Context(), 0, pull)
	_, again := r.Advance()
	sum, mapped := r.VertexMap(t.Context(), 0, program.All, [4]float64{})
	if mapped == nil && sum.Sums[0].Sum[0] != float64(part.Ranges[own].Vertices) {
		mapped = fmt.Errorf("the sum is %v", sum.Sums[0].Sum[0])
	}
	local := r.Local(t.Context(), 0)
	_, used := r.Use(1)
	whole, gathered := r.Whole(1)
	read := r.Read(0, make([]uint32, len(part.VertexOf)))
	if gathered == nil && (m.Count == 0 || !slices.Contains(whole, part.Ranges[own].First)) {
		gathered = fmt.Errorf("a set of %d, a forest without root", m.Count)
	}
	return errors.Join(folded, failed, merged, advanced, kept, expanded, taken, pulled, again, mapped, local, used, gathered, read, r.Close())
}

// TestValuesFail fails every operation of a run in turn: the error is returned, and everything is freed.
func TestValuesFail(t *testing.T) {
	dev := counted(t, fake.Options{})
	program := build(t, dev, gpu.BuildOptions{GroupSize: 64})
	part := pathPart(100)
	for n := 0; ; n += 1 + n/20 { // the first ones, then samples
		p := factory(program, gpu.Options{})(t)
		if err := p.Load(t.Context(), part); err != nil {
			t.Fatal(err)
		}
		dev.FailAt(n, nil)
		err := play(t, p, part)
		done := dev.Operations() < n
		if failed := errors.Is(err, fake.ErrInjected); n > 0 && !done && !failed || (n == 0 || done) && err != nil {
			t.Fatalf("operation %d: %v", n, err)
		}
		dev.FailAt(0, nil)
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		if live := dev.Live(); len(live) != 1 {
			t.Fatalf("operation %d: not freed: %v", n, live)
		}
		if done {
			return
		}
	}
}
