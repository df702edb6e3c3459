package engine_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/graph/gen"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/cpu"
	"github.com/totemgo/totemgo/partition"
)

// misuse is a wrong call and the error that it gets.
type misuse struct {
	name string
	call func() error
	want error // nil where the call has no error to give
}

// inTime runs wrong calls, each of which has to return its error soon.
func inTime(t *testing.T, list []misuse) {
	t.Helper()
	for _, c := range list {
		returned := make(chan error, 1)
		go func() {
			defer func() {
				if v := recover(); v != nil {
					t.Errorf("%s: panic: %v", c.name, v)
					returned <- c.want
				}
			}()
			returned <- c.call()
		}()
		select {
		case err := <-returned:
			if !errors.Is(err, c.want) {
				t.Errorf("%s: %v, want %v", c.name, err, c.want)
			}
		case <-time.After(10 * time.Second):
			t.Errorf("%s: hangs", c.name)
		}
	}
}

func TestZeroEngine(t *testing.T) {
	ctx, e := t.Context(), new(engine.Engine)
	inTime(t, []misuse{
		{"BFS", func() error { _, err := e.BFS(ctx, 0); return err }, engine.ErrClosed},
		{"BFSInto", func() error { return e.BFSInto(ctx, 0, e.NewResult()) }, engine.ErrClosed},
		{"BFSInto, nil", func() error { return e.BFSInto(ctx, 0, nil) }, engine.ErrResult},
		{"CountBFS", func() error { return e.CountBFS(ctx, 0, e.NewResult()) }, engine.ErrClosed},
		{"CountBFS, nil", func() error { return e.CountBFS(ctx, 0, nil) }, engine.ErrResult},
		{"Reach", func() error { _, err := e.Reach(ctx, 0); return err }, engine.ErrClosed},
		{"SSSP", func() error { _, err := e.SSSP(ctx, 0, engine.SSSPOptions{}); return err }, engine.ErrClosed},
		{"Weigh", func() error { return e.Weigh(ctx) }, engine.ErrClosed},
		{"Tune", func() error { return e.Tune(ctx, cpu.DefaultTuning()) }, engine.ErrClosed},
		{"UseKernels", func() error { return e.UseKernels(ctx, "auto") }, engine.ErrClosed},
		{"SetDirector", func() error { return e.SetDirector(ctx, nil) }, engine.ErrClosed},
		{"Close", e.Close, nil},
		{"Labels", func() error { _, err := e.Labels().ID(0); return err }, graph.ErrNoVertex},
		{"getters", func() error {
			policy, why := e.Placement()
			if e.NumVertices() != 0 || e.Director() != "" || !e.Rates().IsZero() || e.Kernels() != "" || policy != "" || why != "" ||
				e.Share() != "" || e.Isolated() != 0 || len(e.Processors()) != 0 || e.Labels().Len() != 0 {
				t.Error("a zero engine states something")
			}
			return nil
		}, nil},
		{"results", func() error {
			for _, r := range []*engine.BFSResult{e.NewResult(), {}} {
				for range r.Tree() {
					t.Error("a tree")
				}
				if len(r.Levels()) != 0 || r.Reached().Any() || r.Label(0) != graph.NoLabel {
					t.Error("a zero result states something")
				}
				r.Free()
			}
			return nil
		}, nil},
	})
}

func TestArguments(t *testing.T) {
	var none context.Context
	ctx, e := t.Context(), open(t, friends(), engine.Options{})
	r := e.NewResult()
	defer r.Free()
	freed := e.NewResult()
	freed.Free()
	build := func(src graph.Source) func() error {
		return func() error {
			built, err := engine.New(ctx, src, engine.Options{})
			if err == nil {
				built.Close()
			}
			return err
		}
	}
	consume := func(src graph.Source) graph.Source {
		built, err := engine.New(ctx, src, engine.Options{Consume: true})
		if err != nil {
			t.Fatal(err)
		}
		built.Close()
		return src
	}
	csr, err := graph.Build(ctx, friends(), graph.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	list := func(change func(l *graph.EdgeList)) graph.Source {
		l := friends()
		change(l)
		return l
	}
	inTime(t, []misuse{
		{"New, nil context", func() error { _, err := engine.New(none, friends(), engine.Options{}); return err }, engine.ErrArgument},
		{"New, nil graph", build(nil), engine.ErrArgument},
		{"New, nil list", build((*graph.EdgeList)(nil)), engine.ErrArgument},
		{"New, nil CSR", build((*graph.CSR)(nil)), engine.ErrArgument},
		{"Place, nil graph", func() error { _, err := engine.Place(ctx, nil, engine.Options{}); return err }, engine.ErrArgument},
		{"Place, nil context", func() error { _, err := engine.Place(none, friends(), engine.Options{}); return err }, engine.ErrArgument},
		{"OpenDevices, nil context", func() error { _, err := engine.OpenDevices(none, engine.Options{}); return err }, engine.ErrArgument},
		{"BFS, nil context", func() error { _, err := e.BFS(none, 0); return err }, engine.ErrArgument},
		{"BFSInto, nil context", func() error { return e.BFSInto(none, 0, r) }, engine.ErrArgument},
		{"BFSInto, nil result", func() error { return e.BFSInto(ctx, 0, nil) }, engine.ErrResult},
		{"BFSInto, freed result", func() error { return e.BFSInto(ctx, 0, freed) }, engine.ErrResult},
		{"BFSInto, zero result", func() error { return e.BFSInto(ctx, 0, new(engine.BFSResult)) }, engine.ErrResult},
		{"Reach, nil context", func() error { _, err := e.Reach(none, 0); return err }, engine.ErrArgument},
		{"SSSP, nil context", func() error { _, err := e.SSSP(none, 0, engine.SSSPOptions{}); return err }, engine.ErrArgument},
		{"SSSP, no delta", func() error { _, err := e.SSSP(ctx, 0, engine.SSSPOptions{Delta: -1}); return err }, engine.ErrArgument},
		{"few weights", build(list(func(l *graph.EdgeList) { l.Weights = graph.WeightsOf([]int32{1}) })), graph.ErrInvalid},
		{"many weights", build(list(func(l *graph.EdgeList) { l.Weights = graph.WeightsOf(make([]float64, 99)) })), graph.ErrInvalid},
		{"consumed list", build(consume(friends())), graph.ErrConsumed},
		{"consumed CSR", build(consume(csr)), graph.ErrConsumed},
		{"labels beyond 64 bits", build(list(func(l *graph.EdgeList) { l.Labels = graph.IdentityLabels(5, math.MaxUint64-3) })), graph.ErrInvalid},
		{"largest labels", build(list(func(l *graph.EdgeList) { l.Labels = graph.IdentityLabels(5, math.MaxUint64-4) })), nil},
		{"id out of range", build(list(func(l *graph.EdgeList) { l.Edges[1].V = graph.None })), partition.ErrInvalid},
		{"fewer than no vertices", build(list(func(l *graph.EdgeList) { l.Vertices = -1 })), graph.ErrInvalid},
		{"Need, nil graph", func() error {
			if engine.Need(nil, engine.Options{}) != 0 {
				t.Error("nil needs memory")
			}
			return nil
		}, nil},
	})
}

func TestDescribeWithoutProcessors(t *testing.T) {
	p, err := engine.Place(t.Context(), friends(), engine.Options{Processors: cpus(1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	all := engine.Describe(p, cpus(1, 1))
	for n := range 3 {
		got := engine.Describe(p, cpus(1, 1)[:n])
		if len(got) != 2 || got[0].Vertices != all[0].Vertices || (got[1].Name != "") != (n == 2) {
			t.Errorf("%d processors: %+v", n, got)
		}
	}
	if got := engine.Describe(nil, cpus(1)); len(got) != 0 {
		t.Errorf("no placement: %+v", got)
	}
}

// badDirector panics in one of its methods, Next at a level of its own.
type badDirector struct {
	in    string
	level int
}

func (d badDirector) at(method string) {
	if d.in == method {
		panic("director: " + method)
	}
}
func (d badDirector) Name() string        { d.at("Name"); return "bad" }
func (d badDirector) Need() kernels.Need  { d.at("Need"); return 0 }
func (d badDirector) Start(bsp.GraphInfo) { d.at("Start") }
func (d badDirector) Next(s *bsp.Observation) kernels.Direction {
	if s.Level >= d.level {
		d.at("Next")
		if d.in == "direction" {
			return 7
		}
	}
	return kernels.TopDown
}
func (d badDirector) Steps(*bsp.Observation, kernels.MultiStepLimits) int { d.at("Steps"); return 1 }

// TestDirectorPanics: the search fails with the stack, and the engine works on.
func TestDirectorPanics(t *testing.T) {
	ctx, graphs := t.Context(), path(200, false)
	for _, processors := range [][]engine.Processor{cpus(1), cpus(2), cpus(1, 1), cpus(1, 2, 1)} {
		var d bsp.Director
		fails := false
		e := open(t, graphs, engine.Options{Processors: processors, Placement: partition.Random, NewDirector: func() bsp.Director {
			if fails {
				panic("director: New")
			}
			return d
		}})
		r := e.NewResult()
		for _, bad := range []struct {
			name string
			d    bsp.Director
		}{
			{"New", nil}, {"nil", nil}, {"Name", badDirector{in: "Name"}}, {"Need", badDirector{in: "Need"}}, {"Start", badDirector{in: "Start"}},
			{"Next", badDirector{in: "Next"}}, {"Next", badDirector{in: "Next", level: 1}}, {"Next", badDirector{in: "Next", level: 150}},
			{"direction", badDirector{in: "direction", level: 3}}, {"Steps", badDirector{in: "Steps"}},
		} {
			d, fails = bad.d, bad.name == "New"
			err := e.BFSInto(ctx, 0, r)
			if bad.name == "Steps" && err == nil && len(processors) > 1 {
				// No partition held the whole frontier.
			} else if !errors.Is(err, engine.ErrDirector) {
				t.Errorf("%d processors, %+v: %v", len(processors), bad, err)
			} else if s := err.Error(); bad.name != "nil" && bad.name != "direction" &&
				(!strings.Contains(s, "director: "+bad.name) || !strings.Contains(s, "misuse_test.go")) {
				t.Errorf("%d processors, %+v: no stack in %q", len(processors), bad, s)
			}
			if err != nil && (r.NumReached != 0 || r.Reached().Any()) {
				t.Errorf("%+v: a tree of %d vertices is left", bad, r.NumReached)
			}
			d, fails = bsp.Script{kernels.TopDown, kernels.BottomUp}, false
			if err := e.BFSInto(ctx, 0, r); err != nil || r.NumReached != 200 || r.Levels()[199] != 199 {
				t.Fatalf("%d processors, after %+v: %v, %d reached", len(processors), bad, err, r.NumReached)
			}
		}
		if err := e.SetDirector(ctx, badDirector{in: "Name"}); !errors.Is(err, engine.ErrDirector) {
			t.Errorf("SetDirector: %v", err)
		}
		if err := e.BFSInto(ctx, 0, r); err != nil || !slices.Equal(r.Levels()[:3], []int32{0, 1, 2}) {
			t.Errorf("after SetDirector: %v", err)
		}
		r.Free()
	}
}

// badHandler is a log handler that panics.
type badHandler struct{ slog.Handler }

func (badHandler) Enabled(context.Context, slog.Level) bool { panic("handler") }

// TestCallbackPanics: New fails with the stack, and leaves nothing behind: see TestMain.
func TestCallbackPanics(t *testing.T) {
	for _, threads := range []int{1, 4} {
		for name, o := range map[string]engine.Options{
			"progress": {Progress: func(int64, int64) { panic("progress") }},
			"handler":  {Logger: slog.New(badHandler{})},
		} {
			o.Threads = threads
			_, err := engine.New(t.Context(), kronecker(t, 10), o)
			if !errors.Is(err, engine.ErrPanic) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "misuse_test.go") {
				t.Errorf("%s, %d threads: %v", name, threads, err)
			}
		}
	}
}

// TestProgressPanics: a panic of Progress reaches the caller from whichever thread it was raised on, and the engine goes on.
func TestProgressPanics(t *testing.T) {
	list, err := gen.Make(t.Context(), gen.KroneckerOptions{Scale: 12})
	if err != nil {
		t.Fatal(err)
	}
	e := open(t, list, engine.Options{Processors: cpus(2)})
	progress := func(int64, int64, time.Duration) { panic("mine") }
	panics := func(call func() error) func() error {
		return func() (err error) {
			defer func() {
				if v := recover(); v == nil || !strings.Contains(fmt.Sprint(v), "mine") {
					err = fmt.Errorf("%v, no panic: %v", err, v)
				}
			}()
			return call()
		}
	}
	inTime(t, []misuse{
		{"Betweenness", panics(func() error {
			_, err := e.Betweenness(t.Context(), engine.BetweennessOptions{Samples: 64, Progress: progress})
			return err
		}), nil},
		{"Closeness", panics(func() error {
			_, err := e.Closeness(t.Context(), engine.ClosenessOptions{Progress: progress})
			return err
		}), nil},
		{"BFS after", func() error { _, err := e.BFS(t.Context(), 1); return err }, nil},
		{"2^32 vertices", func() error {
			_, err := engine.New(t.Context(), &graph.EdgeList{Vertices: 1 << 32}, engine.Options{})
			return err
		}, graph.ErrTooManyVertices},
		{"bounds of -1 searches", func() error { _, err := e.DiameterBounds(t.Context(), -1); return err }, engine.ErrArgument},
	})
}
