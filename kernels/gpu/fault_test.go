package gpu_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/gpu"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/kernels/gpu/device/fake"
)

// pathPart is partition 0 of a path of n vertices, whose last range of one vertex
// belongs to partition 1. Ranks are vertex ids but for that vertex.
func pathPart(n uint32) *kernels.Part {
	second := kernels.Range{First: (n - 1 + 63) &^ 63, Vertices: 1, Owner: 1}
	part := &kernels.Part{Ranks: second.First + 64, Ranges: []kernels.Range{{Vertices: n - 1}, second},
		VertexOf: make([]uint32, second.First+64), Subgraphs: make([]*graph.Subgraph, 2)}
	for r := range part.VertexOf {
		part.VertexOf[r] = graph.None
	}
	rank := func(v uint32) uint32 {
		if v == n-1 {
			return second.First
		}
		return v
	}
	a := &graph.Adjacency{Offsets32: []uint32{0}}
	for v := uint32(0); v < n; v++ {
		part.VertexOf[rank(v)] = v
		if v == n-1 {
			break
		}
		first := len(a.Neighbours)
		if v > 0 {
			a.Neighbours = append(a.Neighbours, v-1)
		}
		a.Neighbours = append(a.Neighbours, rank(v+1))
		a.FirstNeighbours = append(a.FirstNeighbours, a.Neighbours[first])
		a.Offsets32 = append(a.Offsets32, uint32(len(a.Neighbours)))
	}
	part.Subgraphs[0] = &graph.Subgraph{Rows: n - 1, Out: a, In: a}
	return part
}

// session uses every method of a processor that owns range 0 of two, once or more.
func session(on kernels.Processor, part *kernels.Part) (err error) {
	p, err := opened(on)
	if err != nil {
		return err
	}
	defer p.Close()
	root, theirs := part.Ranges[0].Vertices/2, part.Ranges[1]
	try := func(e error) bool {
		if err == nil {
			err = e
		}
		return err == nil
	}
	if !try(p.Begin(kernels.NeedExamined)) || !try(p.Seed(root, -1, 0)) {
		return err
	}
	bits := make([]uint32, (theirs.Padded()-theirs.First)/32)
	ours := make([]uint32, part.Ranges[0].Padded()/32)
	ours[0] = 0xF0
	bits[0] = 1
	for level := 0; level < 4; level++ {
		d := kernels.Direction(level / 2)
		_, e := p.Expand(0, pull, 0)
		gathered := kernels.Message{Count: 1, Bits: bits}
		if level == 3 {
			gathered = kernels.Message{Count: 1, List: []uint32{theirs.First}}
		}
		if !try(e) || d == kernels.BottomUp && !try(p.Take(0, pull, 1, gathered)) {
			return err
		}
		if _, e = p.Step(context.Background(), 0, way(d)); !try(e) {
			return err
		}
		if d == kernels.TopDown {
			_, e = p.Fold(1)
			if !try(e) || !try(p.Merge(0, 1, kernels.Message{Count: 1, List: []uint32{uint32(level)}})) ||
				!try(p.Merge(0, 2, kernels.Message{Count: 4, Bits: ours})) {
				return err
			}
		}
		if _, e = p.Advance(); !try(e) {
			return err
		}
	}
	asked, answers := make([][]uint32, 3), make([][]uint32, 3)
	for q := 1; q < 3; q++ {
		var e error
		if asked[q], e = p.RemoteClaims(q); !try(e) {
			return err
		}
		answers[q] = make([]uint32, len(asked[q]))
	}
	if _, e := p.LookupParents([]uint32{root}); !try(e) {
		return err
	}
	try(p.Parents(make([]uint32, len(part.VertexOf)), asked, answers))
	return err
}

// TestEveryOperationFails fails every operation of the device in turn: the error
// names the operation and the device, nothing leaks, and the device works again.
func TestEveryOperationFails(t *testing.T) {
	everyOperationFails(t, gpu.Options{})
	everyOperationFails(t, gpu.Options{Graph: gpu.OnHost})
}

func everyOperationFails(t *testing.T, o gpu.Options) {
	dev := counted(t, fake.Options{})
	if o.Graph == gpu.OnHost && !dev.Info().InPlace {
		t.Skipf("%s does not read the host's memory in place", dev.Info().Name)
	}
	part := pathPart(300)
	use := func(program *gpu.Program) error {
		p, err := gpu.New(program, o)
		if err == nil {
			err = p.Load(context.Background(), part)
		}
		if err == nil {
			err = session(p, part)
		}
		return errors.Join(err, p.Close())
	}
	failEach(t, dev, 2, "build", func() error {
		program, err := gpu.Build(dev, gpu.BuildOptions{})
		if err != nil {
			return err
		}
		return program.Close()
	})
	program := build(t, dev, gpu.BuildOptions{})
	failEach(t, dev, 50, "session", func() error { return use(program) })
}

// failEach fails each operation of life in turn; without failures it has at least so many.
func failEach(t *testing.T, dev *fake.Device, least int, name string, life func() error) {
	t.Helper()
	live := dev.Live()
	for _, cause := range []error{nil, device.ErrLost} {
		want := cause
		if want == nil {
			want = fake.ErrInjected
		}
		dev.FailAt(0, nil)
		if err := life(); err != nil {
			t.Fatal(err)
		}
		total := dev.Operations()
		if total < least {
			t.Fatalf("the %s has %d operations only", name, total)
		}
		for n := 1; n <= total; n++ {
			dev.FailAt(n, cause)
			err := life()
			var e *device.Error
			if !errors.Is(err, want) || !errors.As(err, &e) || e.Op == "" || e.Device != "opencl:0" {
				t.Fatalf("%s: operation %d of %d fails: error %v", name, n, total, err)
			}
			if left := dev.Live(); !maps.Equal(left, live) {
				t.Fatalf("%s: operation %d of %d fails (%v): not freed: %v", name, n, total, err, left)
			}
		}
	}
	dev.FailAt(0, nil)
	if err := life(); err != nil {
		t.Fatalf("%s after the failures: %v", name, err)
	}
}

// TestLossIsShared: the fault that loses a device is what every partition on it
// returns, from every method that uses the device, and what a new one returns.
func TestLossIsShared(t *testing.T) {
	dev, part := counted(t, fake.Options{}), pathPart(300)
	program := build(t, dev, gpu.BuildOptions{})
	load := func() *gpu.Processor {
		p, err := gpu.New(program, gpu.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Load(context.Background(), part); err != nil {
			t.Fatal(err)
		}
		return p
	}
	first, second := load(), load()
	search, err := opened(second)
	if err := errors.Join(err, search.Begin(0), search.Seed(5, -1, 0)); err != nil {
		t.Fatal(err)
	}
	dev.FailAt(20, device.ErrLost)
	var fault *device.Error
	if err := session(first, part); !errors.Is(err, device.ErrLost) || !errors.As(err, &fault) {
		t.Fatalf("error %v", err)
	}
	third, err := gpu.New(program, gpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	search1, err := opened(first)
	if err != nil {
		t.Fatal(err)
	}
	_, step := search.Step(context.Background(), 0, way(kernels.TopDown))
	_, answer := search.LookupParents([]uint32{5})
	_, again := search1.Advance()
	for name, err := range map[string]error{
		"Begin": search.Begin(0), "Seed": search.Seed(5, -1, 0), "Step": step, "LookupParents": answer, "Advance of the first": again,
		"Merge":   search.Merge(0, 1, kernels.Message{Count: 1, List: []uint32{7}}),
		"Resolve": search.Resolve(nil, nil), "Load of a third": third.Load(context.Background(), part),
	} {
		var same *device.Error
		if !errors.As(err, &same) || same != fault {
			t.Errorf("%s: error %v, want the first fault, %v", name, err, fault)
		}
	}
	_ = errors.Join(first.Close(), second.Close(), third.Close()) // they report the loss
	if live := dev.Live(); live["program"] != 1 || len(live) != 1 {
		t.Errorf("not freed: %v", live)
	}
}

// A search that failed leaves a processor that works after Begin.
func TestBeginAfterFailure(t *testing.T) {
	dev, part := counted(t, fake.Options{}), pathPart(300)
	p, err := gpu.New(build(t, dev, gpu.BuildOptions{}), gpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Load(context.Background(), part); err != nil {
		t.Fatal(err)
	}
	for n := 1; ; n++ {
		dev.FailAt(n, nil)
		failure := session(p, part)
		ran := dev.Operations()
		dev.FailAt(0, nil)
		if err := session(p, part); err != nil {
			t.Fatalf("after %v: %v", failure, err)
		}
		if failure == nil {
			if n < 30 || ran >= n {
				t.Fatalf("no failure at operation %d of %d", n, ran)
			}
			break
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestLoadIsCancelled: kernels that a driver takes its time to finish at their first
// launch are not waited for once the context has ended, and nothing is left.
func TestLoadIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	dev := counted(t, fake.Options{})
	p, err := gpu.New(build(t, cancelling{dev, "frontier_list", cancel}, gpu.BuildOptions{}), gpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Load(ctx, pathPart(300)); !errors.Is(err, context.Canceled) {
		t.Errorf("Load: %v", err)
	}
	if n := dev.Launches(); n["frontier_list"] != 1 || n["scatter_parents"] != 0 {
		t.Errorf("launches: %v", n)
	}
	if live := dev.Live(); len(live) > 1 || live["program"] != 1 {
		t.Errorf("not freed: %v", live)
	}
}

// cancelling is a device that cancels when a kernel is launched.
type cancelling struct {
	device.Device
	kernel string
	cancel context.CancelFunc
}

func (c cancelling) NewStream() (device.Stream, error) {
	s, err := c.Device.NewStream()
	return cancellingStream{s, c}, err
}

type cancellingStream struct {
	device.Stream
	c cancelling
}

func (s cancellingStream) Launch(k device.Kernel, l device.Launch) error {
	if k.Name() == s.c.kernel {
		s.c.cancel()
	}
	return s.Stream.Launch(k, l)
}

func TestTooLarge(t *testing.T) {
	for name, o := range map[string]fake.Options{
		"one allocation": {LargestAllocation: 64},
		"memory":         {Memory: 4096},
	} {
		dev := counted(t, o)
		p, err := gpu.New(build(t, dev, gpu.BuildOptions{}), gpu.Options{})
		if err != nil {
			t.Fatal(err)
		}
		err = p.Load(context.Background(), pathPart(3000))
		var e *gpu.Error
		if !errors.As(err, &e) || e.Device != "opencl:0" || !errors.Is(err, gpu.ErrTooLarge) && !errors.Is(err, device.ErrMemory) {
			t.Errorf("%s: error %v", name, err)
		}
		if live := dev.Live(); len(live) > 1 {
			t.Errorf("%s: not freed: %v", name, live)
		}
	}
}

// TestCache: a binary is kept and used; a damaged one, and a folder that cannot be
// used, cost a build.
func TestCache(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kernels")
	if n := builds(t, dir); n != 1 {
		t.Fatalf("an empty cache: %d builds", n)
	}
	if n := builds(t, dir); n != 0 {
		t.Fatalf("a full cache: %d builds", n)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the cache holds %v, %v", files, err)
	}
	for name, damage := range map[string]func() error{
		"cut":       func() error { return os.Truncate(files[0], 33) },
		"empty":     func() error { return os.Truncate(files[0], 0) },
		"too large": func() error { return os.Truncate(files[0], 1<<40) },
		"changed": func() error {
			data, err := os.ReadFile(files[0])
			if err == nil {
				data[len(data)-1]++
				err = os.WriteFile(files[0], data, 0o644)
			}
			return err
		},
		"not of the device": func() error {
			sum := sha256.Sum256([]byte("rubbish"))
			return os.WriteFile(files[0], append(sum[:], "rubbish"...), 0o644)
		},
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		if n := builds(t, dir); n != 1 {
			t.Errorf("a binary that is %s: %d builds", name, n)
		}
		if n := builds(t, dir); n != 0 {
			t.Errorf("a binary that was %s: %d builds", name, n)
		}
	}
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if n := builds(t, filepath.Join(blocked, "kernels")); n != 1 {
		t.Errorf("a folder that cannot be made: %d builds", n)
	}
}

// builds builds the kernels with a cache, and returns how often it had to compile.
func builds(t *testing.T, dir string) int {
	t.Helper()
	dev := &builder{Device: openCL(t)}
	program, err := gpu.Build(dev, gpu.BuildOptions{CacheDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Close(); err != nil {
		t.Fatal(err)
	}
	return dev.builds
}

// builder counts builds.
type builder struct {
	device.Device
	builds int
}

func (b *builder) Build(source string, options []string) (device.Program, error) {
	b.builds++
	return b.Device.Build(source, options)
}
