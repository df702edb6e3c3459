package engine_test

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"testing"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/cpu"
	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/kernels/gpu/device/fake"
	"github.com/totemgo/totemgo/program"
)

// methods calls every exported method of an engine but Close; root is a vertex of its graph.
func methods(root uint64) map[string]func(context.Context, *engine.Engine) error {
	into := func(e *engine.Engine, search func(*engine.BFSResult) error) error {
		r := e.NewResult()
		defer r.Free()
		return search(r)
	}
	return map[string]func(context.Context, *engine.Engine) error{
		"BFS": func(ctx context.Context, e *engine.Engine) error { _, err := e.BFS(ctx, root); return err },
		"BFSInto": func(ctx context.Context, e *engine.Engine) error {
			return into(e, func(r *engine.BFSResult) error { return e.BFSInto(ctx, root, r) })
		},
		"CountBFS": func(ctx context.Context, e *engine.Engine) error {
			return into(e, func(r *engine.BFSResult) error { return e.CountBFS(ctx, root, r) })
		},
		"Reach":            func(ctx context.Context, e *engine.Engine) error { return unlessRefused(e.Reach(ctx, root)) },
		"StrongComponents": func(ctx context.Context, e *engine.Engine) error { return unlessRefused(e.StrongComponents(ctx)) },
		"Components":       func(ctx context.Context, e *engine.Engine) error { return unlessRefused(e.Components(ctx)) },
		"KCore":            func(ctx context.Context, e *engine.Engine) error { return unlessRefused(e.KCore(ctx)) },
		"CDLP":             func(ctx context.Context, e *engine.Engine) error { return unlessRefused(e.CDLP(ctx, 2)) },
		"Diameter":         func(ctx context.Context, e *engine.Engine) error { return unlessRefused(e.Diameter(ctx)) },
		"DiameterBounds":   func(ctx context.Context, e *engine.Engine) error { return unlessRefused(e.DiameterBounds(ctx, 2)) },
		"Betweenness": func(ctx context.Context, e *engine.Engine) error {
			return unlessRefused(e.Betweenness(ctx, engine.BetweennessOptions{Roots: []uint64{root}}))
		},
		"Closeness": func(ctx context.Context, e *engine.Engine) error {
			return unlessRefused(e.Closeness(ctx, engine.ClosenessOptions{Samples: 3}))
		},
		"Triangles": func(ctx context.Context, e *engine.Engine) error { return unlessRefused(e.Triangles(ctx)) },
		"PageRank": func(ctx context.Context, e *engine.Engine) error {
			return unlessRefused(e.PageRank(ctx, engine.PageRankOptions{MaxIterations: 3}))
		},
		"SSSP": func(ctx context.Context, e *engine.Engine) error {
			_, err := e.SSSP(ctx, root, engine.SSSPOptions{UnitWeights: true})
			return err
		},
		"Distance": func(ctx context.Context, e *engine.Engine) error { _, err := e.Distance(ctx, root, root); return err },
		"Path":     func(ctx context.Context, e *engine.Engine) error { _, err := e.Path(ctx, root, root); return err },
		"Near": func(ctx context.Context, e *engine.Engine) error {
			_, err := e.Near(ctx, engine.BFSOptions{Roots: []uint64{root}, MaxDepth: 2})
			return err
		},
		"ShortestPath": func(ctx context.Context, e *engine.Engine) error {
			if _, err := e.ShortestPath(ctx, root, root, engine.ShortestPathOptions{}); !errors.Is(err, engine.ErrWeights) { // there are none
				return err
			}
			return nil
		},
		"ProfileDevices": func(ctx context.Context, e *engine.Engine) error { return e.ProfileDevices(ctx, false) },
		"Run": func(ctx context.Context, e *engine.Engine) error {
			return unlessRefused(e.Run(ctx, &program.Program{}, func(m program.Machine) error {
				_, err := m.Use(program.All)
				return err
			}))
		},
		"Weigh": func(ctx context.Context, e *engine.Engine) error {
			if err := e.Weigh(ctx); !errors.Is(err, engine.ErrWeights) { // there are none
				return err
			}
			return nil
		},
		"RankOf": func(_ context.Context, e *engine.Engine) error { _, _, err := e.RankOf(root); return err },
		"SetDirector": func(ctx context.Context, e *engine.Engine) error {
			return errors.Join(e.SetDirector(ctx, bsp.Script(nil)), e.SetDirector(ctx, nil))
		},
		"Tune": func(ctx context.Context, e *engine.Engine) error { return e.Tune(ctx, cpu.DefaultTuning()) },
		"UseKernels": func(ctx context.Context, e *engine.Engine) error {
			return errors.Join(e.UseKernels(ctx, "generic"), e.UseKernels(ctx, "auto"))
		},
		"Director":    func(_ context.Context, e *engine.Engine) error { e.Director(); return nil },
		"Isolated":    func(_ context.Context, e *engine.Engine) error { e.Isolated(); return nil },
		"Kernels":     func(_ context.Context, e *engine.Engine) error { e.Kernels(); return nil },
		"Labels":      func(_ context.Context, e *engine.Engine) error { e.Labels().Len(); return nil },
		"Memory":      func(_ context.Context, e *engine.Engine) error { e.Memory("closeness"); return nil },
		"NewResult":   func(_ context.Context, e *engine.Engine) error { e.NewResult().Free(); return nil },
		"NumVertices": func(_ context.Context, e *engine.Engine) error { e.NumVertices(); return nil },
		"Placement":   func(_ context.Context, e *engine.Engine) error { e.Placement(); return nil },
		"Rates":       func(_ context.Context, e *engine.Engine) error { e.Rates(); return nil },
		"Setup":       func(_ context.Context, e *engine.Engine) error { e.Setup(); return nil },
		"Share":       func(_ context.Context, e *engine.Engine) error { e.Share(); return nil },
		"Processors": func(_ context.Context, e *engine.Engine) error {
			for _, p := range e.Processors() {
				clear(p.Launches) // the caller's own
			}
			return nil
		},
	}
}

// unlessRefused returns the error of a program, nil if a processor cannot run programs.
func unlessRefused[T any](_ T, err error) error {
	if errors.Is(err, kernels.ErrUnsupported) {
		return nil
	}
	return err
}

// TestMethodsRace calls every method of an engine while others search, and after Close. The
// race detector finds what they share without a turn.
func TestMethodsRace(t *testing.T) {
	o := shared(t)
	root := o.list.Edges[0].U
	calls := methods(uint64(root))
	all := reflect.TypeFor[*engine.Engine]()
	for i := range all.NumMethod() {
		if name := all.Method(i).Name; calls[name] == nil && name != "Close" {
			t.Errorf("%s is not called", name)
		}
	}
	custom := engine.Options{Processors: cpus(2), NewDirector: func() bsp.Director { return bsp.Script(nil) }}
	onDevice := engine.Options{Processors: []engine.Processor{{Kind: "cpu", Threads: 1}, {Kind: "opencl"}}, NoKernelCache: true}
	for name, opts := range map[string]engine.Options{"cpu": {Processors: cpus(2, 1)}, "custom director": custom, "device": onDevice} {
		t.Run(name, func(t *testing.T) {
			if name == "device" {
				opts.Drivers = []device.Driver{bench{openCL(t, fake.Options{})}}
			}
			e := open(t, o.list, opts)
			var wg sync.WaitGroup
			for name, call := range calls {
				wg.Go(func() {
					for range 20 {
						if err := call(t.Context(), e); err != nil {
							t.Errorf("%s: %v", name, err)
						}
					}
				})
			}
			wg.Wait()
			if list := e.Processors(); name == "device" && (len(list[1].Launches) == 0 || len(list[1].Arrays) == 0 || list[1].Device == "") {
				t.Errorf("a device states %+v", list[1])
			}
			for name, call := range calls { // while Close waits, and after it
				wg.Go(func() {
					for range 20 {
						if err := call(t.Context(), e); err != nil && !errors.Is(err, engine.ErrClosed) {
							t.Errorf("%s beside Close: %v", name, err)
						}
					}
				})
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
			wg.Wait()
		})
	}
}

// TestDirectorName: the name of a user's director costs none, and is that of the last search.
func TestDirectorName(t *testing.T) {
	o := shared(t)
	made := 0
	e := open(t, o.list, engine.Options{Processors: cpus(1), NewDirector: func() bsp.Director { made++; return bsp.Script(nil) }})
	if name := e.Director(); name != "" || made != 0 {
		t.Errorf("before a search: %q, %d made", name, made)
	}
	if _, err := e.BFS(t.Context(), uint64(o.list.Edges[0].U)); err != nil {
		t.Fatal(err)
	}
	if name := e.Director(); name != "script" || made != 1 {
		t.Errorf("after a search: %q, %d made", name, made)
	}
	beamer, err := bsp.NewDirector("beamer", bsp.Rates{})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.SetDirector(t.Context(), beamer); err != nil || e.Director() != "beamer" {
		t.Errorf("after SetDirector: %q, %v", e.Director(), err)
	}
}

// TestUseKernels: an engine states the kernels that it was given last, finds the same tree
// levels with each, and refuses what does not run here.
func TestUseKernels(t *testing.T) {
	o := shared(t)
	root := uint64(o.list.Edges[0].U)
	e := open(t, o.list, engine.Options{Processors: cpus(2, 1)})
	auto := e.Kernels()
	want, err := e.BFS(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range append(cpu.Kernels(), "auto") {
		if err := e.UseKernels(t.Context(), set); err != nil {
			t.Fatal(err)
		}
		if set == "auto" {
			set = auto
		}
		got, err := e.BFS(t.Context(), root)
		if err != nil || got.NumReached != want.NumReached || got.Depth != want.Depth || e.Kernels() != set {
			t.Errorf("%s: %v, kernels are %s", set, err, e.Kernels())
		}
	}
	if err := e.UseKernels(t.Context(), "sse"); !errors.Is(err, cpu.ErrKernels) || e.Kernels() != auto {
		t.Errorf("%v, kernels are %s", err, e.Kernels())
	}
}
