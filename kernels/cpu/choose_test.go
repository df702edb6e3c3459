package cpu_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/totemgo/totemgo/graph/gen"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/cpu"
	"github.com/totemgo/totemgo/partition"
)

// loaded is a processor that holds a Kronecker graph, and its placement.
func loaded(t *testing.T, scale, threads int, spec string) (*cpu.Search, *partition.Placement) {
	t.Helper()
	l, err := gen.Make(context.Background(), gen.KroneckerOptions{Scale: scale})
	if err != nil {
		t.Fatal(err)
	}
	place, err := partition.New(context.Background(), l, partition.Options{Policy: partition.HubsOnCPU, Processors: make([]partition.Processor, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(place.Close)
	p := cpu.New(threads)
	if err := p.Use(spec); err != nil {
		t.Fatal(err)
	}
	if err := p.Load(context.Background(), place.Part(0)); err != nil {
		t.Fatal(err)
	}
	search := p.Search()
	t.Cleanup(func() { _ = search.Close() })
	return search, place
}

// TestChoose injects times: the quickest set runs, plain Go in a tie and on small graphs,
// and what is forced is not measured.
func TestChoose(t *testing.T) {
	sets := cpu.Kernels()
	if len(sets) < 2 {
		t.Skip("this processor, or build, has the plain Go kernels alone")
	}
	fast := sets[0]
	for _, c := range []struct {
		name        string
		scale       int
		spec        string
		slow, quick time.Duration // plain Go's time, and that of the first set
		want        string
	}{
		{"quicker", 16, "auto", 1000, 940, fast},
		{"a tie", 16, "auto", 1000, 960, "generic"},
		{"slower", 16, "auto", 1000, 2000, "generic"},
		{"small", 12, "auto", 1000, 10, "generic"},
		{"forced", 16, "settle=generic", 1000, 10, "generic"},
		{"forced, all", 16, fast, 10, 1000, fast},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, _ := loaded(t, c.scale, 2, c.spec)
			asked := map[string]bool{}
			p.Clock(func(kernel, set string, run func()) time.Duration {
				asked[kernel] = true
				run()
				switch set {
				case "generic":
					return c.slow
				case fast:
					return c.quick
				}
				return max(c.slow, c.quick)
			})
			p.Choose(time.Second)
			if got := p.KernelTimes()[1].Chosen; got != c.want {
				t.Errorf("settle runs %s, want %s", got, c.want)
			}
			if c.name == "quicker" && p.KernelSet() != fast || c.name == "forced" && (p.KernelTimes()[0].Chosen != fast || asked["settle"]) || c.name == "forced, all" && len(asked) > 0 {
				t.Errorf("kernels are %s, measured %v", p.KernelSet(), asked)
			}
			for _, k := range p.KernelTimes() {
				if want := asked[k.Kernel]; want != (len(k.Ns) == len(sets)) {
					t.Errorf("%s: times %v, measured %v", k.Kernel, k.Ns, want)
				}
			}
		})
	}
}

// TestUseAgain: kernels change between searches, and "auto" is what was measured, once.
func TestUseAgain(t *testing.T) {
	sets := cpu.Kernels()
	if len(sets) < 2 {
		t.Skip("this processor, or build, has the plain Go kernels alone")
	}
	p, place := loaded(t, 16, 2, "generic")
	clocked := 0
	p.Clock(func(kernel, set string, run func()) time.Duration {
		clocked++
		run()
		if kernel == "settle" == (set == sets[0]) {
			return 100
		}
		return 1000
	})
	want := levelsOf(t, p, place, 3)
	use := func(spec, settle, scan string) {
		t.Helper()
		if err := p.Processor.Use(spec); err != nil {
			t.Fatal(err)
		}
		p.Choose(time.Second)
		if list := p.KernelTimes(); list[1].Chosen != settle || list[2].Chosen != scan {
			t.Errorf("%s: %+v", spec, list)
		}
		if got := levelsOf(t, p, place, 3); !slices.Equal(got, want) {
			t.Errorf("%s: frontiers of %v, want %v", spec, got, want)
		}
	}
	use("scan="+sets[0], sets[0], sets[0])
	use(sets[0], sets[0], sets[0])
	use("auto", sets[0], "generic")
	before := clocked
	use("generic", "generic", "generic")
	use("auto", sets[0], "generic")
	use("settle=generic", "generic", "generic")
	if clocked != before {
		t.Errorf("%d runs clocked again", clocked-before)
	}
}

// TestChooseLeavesNoTrace: a search after Choose finds what one without it finds.
func TestChooseLeavesNoTrace(t *testing.T) {
	if len(cpu.Kernels()) < 2 {
		t.Skip("this processor, or build, has the plain Go kernels alone")
	}
	p, place := loaded(t, 16, 2, "auto")
	var sets []string
	p.Clock(func(_, set string, run func()) time.Duration {
		sets = append(sets, set)
		run()
		return 1
	})
	p.Choose(time.Millisecond)
	if !slices.Contains(sets, "generic") {
		t.Fatal("nothing was measured")
	}
	if err := p.Clean(); err != nil {
		t.Fatal(err)
	}
	want, _ := loaded(t, 16, 2, "generic")
	for rank := range uint32(8) {
		a, b := levelsOf(t, p, place, rank), levelsOf(t, want, place, rank)
		if !slices.Equal(a, b) {
			t.Fatalf("the root of rank %d has frontiers of %v, want %v", rank, a, b)
		}
	}
}

// levelsOf runs a search that goes bottom-up from the third level on, and returns the size
// of each frontier.
func levelsOf(t *testing.T, p *cpu.Search, place *partition.Placement, root uint32) (sizes []int64) {
	t.Helper()
	if err := p.Begin(0); err != nil {
		t.Fatal(err)
	}
	if err := p.Seed(root, -1, 0); err != nil {
		t.Fatal(err)
	}
	for level := 0; ; level++ {
		d := kernels.TopDown
		if level > 1 {
			d = kernels.BottomUp
		}
		if _, err := p.Go(d); err != nil {
			t.Fatal(err)
		}
		c, err := p.Advance()
		if err != nil {
			t.Fatal(err)
		}
		if c.Next == 0 {
			return sizes
		}
		sizes = append(sizes, c.Next)
	}
}
