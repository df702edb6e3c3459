package gpu_test

import (
	"testing"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/kernels/gpu"
	"github.com/totemgo/totemgo/kernels/gpu/device/fake"
	"github.com/totemgo/totemgo/program"
)

// TestCommands: counts are those of the device's operations, and times are of profiled searches alone.
func TestCommands(t *testing.T) {
	dev := counted(t, fake.Options{})
	p, err := gpu.New(build(t, dev, gpu.BuildOptions{}), gpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Load(t.Context(), pathPart(300)); err != nil {
		t.Fatal(err)
	}
	run, err := p.Open(t.Context(), bsp.Tree)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	search := func() {
		t.Helper()
		for _, err := range []error{run.Begin(0), run.Seed(0, -1, 0)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if _, err := run.Step(t.Context(), 0, program.Step{}); err != nil {
			t.Fatal(err)
		}
		if _, err := run.Advance(); err != nil {
			t.Fatal(err)
		}
	}
	before := dev.Operations()
	search()
	plain := p.Commands()
	if done := int64(dev.Operations() - before); plain.Launches+plain.Fills+plain.Uploads+plain.Reads+plain.Waits != done {
		t.Errorf("%+v counts other than %d operations", plain, done)
	}
	if plain.Searches != 1 || plain.Profiled != 0 || len(plain.Kernels) > 0 || plain.Launches == 0 || plain.Waits == 0 || plain.ReadBytes == 0 {
		t.Errorf("after a search: %+v", plain)
	}
	p.Profile(true)
	search()
	p.Profile(false)
	search()
	c, launches := p.Commands(), int64(0)
	for name, k := range c.Kernels {
		if k.Time <= 0 {
			t.Errorf("%s took %v", name, k.Time)
		}
		launches += k.Launches
	}
	if c.Searches != 3 || c.Profiled != 1 || c.Launches != 3*plain.Launches || launches != plain.Launches || c.Waits != 3*plain.Waits {
		t.Errorf("after three searches, one profiled: %+v, after one %+v", c, plain)
	}
}
