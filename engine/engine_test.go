package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/partition"
)

// TestMain demands that importing the package starts no goroutine, and that Close
// ends all.
func TestMain(m *testing.M) {
	if err := goleak.Find(); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// hook is a director that calls a function before each superstep.
type hook struct {
	bsp.Script
	before func(level int)
}

func (h hook) Next(s *bsp.Observation) kernels.Direction {
	h.before(s.Level)
	return h.Script.Next(s)
}

// Steps keeps supersteps apart: before is called at each.
func (hook) Steps(*bsp.Observation, kernels.MultiStepLimits) int { return 1 }

// hooked returns options whose searches call before at every superstep.
func hooked(before func(level int), threads ...int) engine.Options {
	return engine.Options{
		Processors: cpus(threads...), NewDirector: func() bsp.Director { return hook{nil, before} },
	}
}

func path(n int, directed bool) *graph.EdgeList {
	l := &graph.EdgeList{Vertices: n, Directed: directed}
	for v := 1; v < n; v++ {
		l.Edges = append(l.Edges, graph.Edge{U: uint32(v - 1), V: uint32(v)})
	}
	return l
}

func find(t *testing.T, name string) *oracle {
	t.Helper()
	for _, g := range ref.Corpus() {
		if g.Name == name {
			return newOracle(g)
		}
	}
	t.Fatalf("the corpus has no %q", name)
	return nil
}

// TestLeak looks at goroutines and memory after engines that were used and closed.
func TestLeak(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	before := hugemem.Live()
	o := find(t, "scale-free of scale 11")
	for _, threads := range [][]int{{1}, {2}, {1, 2, 1}, {2, 2}} {
		e := open(t, o.list, engine.Options{Processors: cpus(threads...)})
		for root := range 3 {
			if _, err := e.BFS(context.Background(), uint64(root)); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if after := hugemem.Live(); after != before {
		t.Errorf("memory: %+v before, %+v after", before, after)
	}
}

// TestConcurrent searches from many goroutines at once.
func TestConcurrent(t *testing.T) {
	o := find(t, "scale-free of scale 10, directed")
	e := open(t, o.list, engine.Options{Processors: cpus(2, 1)})
	for root := range uint32(8) {
		o.Levels(root)
	}
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			r := e.NewResult()
			defer r.Free()
			for k := range 8 {
				root := uint32(i+k) % 8
				got := r
				var err error
				if k%2 == 0 {
					got, err = e.BFS(context.Background(), uint64(root))
				} else {
					err = e.BFSInto(context.Background(), uint64(root), r)
				}
				if err == nil {
					err = o.check(root, got)
				}
				if err != nil {
					t.Errorf("root %d: %v", root, err)
				}
			}
		}()
	}
	wg.Wait()
}

// TestQueue holds a search and looks at what others do meanwhile: a queued call leaves
// when its context ends or the engine closes, and Close waits for the search.
func TestQueue(t *testing.T) {
	inside, release := make(chan struct{}), make(chan struct{})
	e := open(t, path(3, false), hooked(func(level int) {
		if level == 0 {
			close(inside)
			<-release
		}
	}, 1, 1))
	first := make(chan error)
	go func() {
		_, err := e.BFS(context.Background(), 0)
		first <- err
	}()
	<-inside

	ctx, cancel := context.WithCancel(context.Background())
	queued := make(chan error)
	for range 3 {
		go func() {
			_, err := e.BFS(ctx, 0)
			queued <- err
		}()
	}
	cancel()
	for range 3 {
		if err := <-queued; !errors.Is(err, context.Canceled) {
			t.Errorf("a queued call returned %v after its context had ended", err)
		}
	}

	go func() {
		_, err := e.BFS(context.Background(), 0)
		queued <- err
	}()
	closed := make(chan error, 2)
	for range 2 {
		go func() { closed <- e.Close() }()
	}
	if err := <-queued; !errors.Is(err, engine.ErrClosed) {
		t.Errorf("a queued call returned %v after Close", err)
	}
	select {
	case <-closed:
		t.Error("Close did not wait for the search")
	default:
	}
	close(release)
	if err := <-first; err != nil {
		t.Errorf("the search under way: %v", err)
	}
	for range 2 {
		if err := <-closed; err != nil {
			t.Error(err)
		}
	}
	if _, err := e.BFS(context.Background(), 0); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("BFS after Close: %v", err)
	}
}

// TestCancel ends the context in the middle of a search: no superstep follows.
func TestCancel(t *testing.T) {
	for _, threads := range [][]int{{1}, {1, 1, 1}} {
		for at := range 6 {
			ctx, cancel := context.WithCancel(context.Background())
			steps, armed := 0, true
			e := open(t, path(40, false), hooked(func(level int) {
				steps++
				if armed && level == at {
					cancel()
				}
			}, threads...))
			r := e.NewResult()
			if err := e.BFSInto(ctx, 3, r); !errors.Is(err, context.Canceled) {
				t.Fatalf("cancelled at level %d: %v", at, err)
			}
			if steps != at+1 {
				t.Errorf("cancelled before superstep %d, but %d were begun", at, steps)
			}
			if r.NumReached != 0 || slices.Max(r.Levels()) != -1 {
				t.Errorf("a tree of %d vertices is left, levels %v", r.NumReached, r.Levels())
			}
			armed = false
			for _, root := range []uint32{0, 39} {
				if err := e.BFSInto(context.Background(), uint64(root), r); err != nil {
					t.Fatal(err)
				}
				if err := newOracle(ref.Named{List: path(40, false)}).check(root, r); err != nil {
					t.Error(err)
				}
			}
			r.Free()
			cancel()
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	e := open(t, path(2, false), engine.Options{Processors: cpus(1)})
	if _, err := e.BFS(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("with an ended context: %v", err)
	}
}

// TestCancelNew ends the context while New builds, at each of its reports.
func TestCancelNew(t *testing.T) {
	before := hugemem.Live()
	l := path(5000, true)
	for at := 0; ; at++ {
		ctx, cancel := context.WithCancel(context.Background())
		var mu sync.Mutex
		calls := 0
		e, err := engine.New(ctx, l, engine.Options{Processors: cpus(1, 1), Rates: fixedRates, Progress: func(done, total int64) {
			mu.Lock()
			defer mu.Unlock()
			if calls == at {
				cancel()
			}
			calls++
			if done < 0 || done > total {
				t.Errorf("progress %d of %d", done, total)
			}
		}})
		cancel()
		if err == nil {
			e.Close()
			if calls > at {
				t.Errorf("New went on after its context had ended at report %d", at)
			}
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("report %d: %v", at, err)
		}
		if after := hugemem.Live(); after != before {
			t.Fatalf("report %d: memory: %+v before, %+v after", at, before, after)
		}
	}
}

// TestForeignResult gives BFSInto results of other engines, of the same graph as well.
func TestForeignResult(t *testing.T) {
	a := &graph.EdgeList{Vertices: 4, Edges: []graph.Edge{{U: 0, V: 1}, {U: 2, V: 3}}, Labels: graph.IdentityLabels(4, 10)}
	b := &graph.EdgeList{Vertices: 4, Edges: a.Edges[:1], Labels: a.Labels}
	ea := open(t, a, engine.Options{Processors: cpus(1)})
	eb := open(t, b, engine.Options{Processors: cpus(1)})
	r := ea.NewResult()
	if err := ea.BFSInto(context.Background(), 12, r); err != nil {
		t.Fatal(err)
	}
	if err := eb.BFSInto(context.Background(), 10, r); !errors.Is(err, engine.ErrResult) {
		t.Errorf("a result of another engine: %v", err)
	}
	if err := eb.BFSInto(context.Background(), 10, &engine.BFSResult{Parents: make([]uint32, 4)}); !errors.Is(err, engine.ErrResult) {
		t.Errorf("a result of no engine: %v", err)
	}
	if !slices.Equal(r.Parents, []uint32{graph.None, graph.None, 2, 2}) {
		t.Errorf("the refused result was changed: %v", r.Parents)
	}
	ra, err := ea.BFS(context.Background(), 10)
	if err != nil {
		t.Fatal(err)
	}
	if err := ea.BFSInto(context.Background(), 12, ra); err != nil {
		t.Errorf("a result of BFS, used again: %v", err)
	}
	r.Free()
	if err := ea.BFSInto(context.Background(), 10, r); !errors.Is(err, engine.ErrResult) {
		t.Errorf("a freed result: %v", err)
	}
}

// TestReuse searches into one result from isolated and other roots in turn.
func TestReuse(t *testing.T) {
	l := &graph.EdgeList{Vertices: 8, Edges: []graph.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 4, V: 5}, {U: 6, V: 6}}}
	o := newOracle(ref.Named{List: l})
	for _, threads := range [][]int{{1}, {1, 1}} {
		e := open(t, l, engine.Options{Processors: cpus(threads...)})
		if n := e.Isolated(); n != 3 {
			t.Errorf("%d isolated vertices, want 3", n)
		}
		r := e.NewResult()
		r.Statistics = &bsp.Statistics{}
		if got := r.Levels(); len(got) != 8 || slices.Max(got) != -1 {
			t.Errorf("levels before any search: %v", got)
		}
		for _, root := range []uint32{3, 0, 3, 6, 7, 4, 7, 7, 2, 6, 0, 4} {
			if err := e.BFSInto(context.Background(), uint64(root), r); err != nil {
				t.Fatal(err)
			}
			if err := o.check(root, r); err != nil {
				t.Errorf("root %d: %v", root, err)
			}
			if isolated := root == 3 || root == 6 || root == 7; isolated != (r.Statistics.Count == 0) {
				t.Errorf("root %d: %d supersteps", root, r.Statistics.Count)
			}
			if r.Root != uint64(root) || r.Record().Reached != r.NumReached {
				t.Errorf("root %d: the result says %d, its record %+v", root, r.Root, r.Record())
			}
		}
		r.Free()
	}
}

// TestSmall places graphs without vertices, without edges, and with fewer vertices
// than partitions.
func TestSmall(t *testing.T) {
	for _, n := range []int{0, 1, 3, 130} {
		for _, edges := range [][]graph.Edge{nil, {{U: 0, V: 0}}, {{U: 0, V: 1}, {U: 1, V: 2}}} {
			if len(edges) > n {
				continue
			}
			for _, policy := range append(partition.Policies(), partition.Auto) {
				for _, parts := range []int{1, 2, 7} {
					o := newOracle(ref.Named{List: &graph.EdgeList{Vertices: n, Edges: edges}})
					e := open(t, o.list, engine.Options{Placement: policy, Processors: cpus(slices.Repeat([]int{1}, parts)...)})
					for root := range uint32(min(n, 4)) {
						r, err := e.BFS(context.Background(), uint64(root))
						if err != nil {
							t.Fatal(err)
						}
						if err := o.check(root, r); err != nil {
							t.Errorf("%d vertices, %v, %s, %d partitions, root %d: %v", n, edges, policy, parts, root, err)
						}
					}
					for _, p := range e.Processors() {
						for _, share := range []float64{p.VertexShare, p.EdgeShare, p.CutShare} {
							if !(share >= 0 && share <= 1) {
								t.Errorf("%d vertices, %v, %s: %+v", n, edges, policy, p)
							}
						}
					}
					e.Close()
				}
			}
		}
	}
}

// TestRoot asks for roots that do not exist.
func TestRoot(t *testing.T) {
	labels, err := graph.SortedLabels([]uint64{5, 70, 1 << 40})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		list  *graph.EdgeList
		root  uint64
		words []string
	}{
		{path(3, false), 3, []string{"3", "0..2"}},
		{path(3, false), 1 << 32, []string{"4294967296"}},
		{&graph.EdgeList{Vertices: 3, Edges: path(3, false).Edges, Labels: labels}, 6, []string{"6", "5", "70", "1099511627776"}[:2]},
		{&graph.EdgeList{}, 0, []string{"0 vertices"}},
	} {
		e := open(t, c.list, engine.Options{Processors: cpus(1)})
		_, err := e.BFS(context.Background(), c.root)
		r := e.NewResult()
		for _, err := range []error{err, e.BFSInto(context.Background(), c.root, r), e.CountBFS(context.Background(), c.root, r)} {
			if !errors.Is(err, graph.ErrNoVertex) {
				t.Errorf("root %d: %v", c.root, err)
				continue
			}
			for _, w := range c.words {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("root %d: %q does not name %s", c.root, err, w)
				}
			}
		}
	}
	e := open(t, &graph.EdgeList{Vertices: 3, Edges: path(3, false).Edges, Labels: labels}, engine.Options{Processors: cpus(1)})
	r, err := e.BFS(context.Background(), 1<<40)
	if err != nil {
		t.Fatal(err)
	}
	var tree []string
	for v, p := range r.Tree() {
		tree = append(tree, fmt.Sprint(v, "<", p))
	}
	if got := strings.Join(tree, " "); got != "5<70 70<1099511627776 1099511627776<1099511627776" {
		t.Errorf("tree %s", got)
	}
	for range r.Tree() {
		break // a loop may be left
	}
	id, err := r.ID(70)
	if err != nil || id != 1 || r.Label(id) != 70 {
		t.Errorf("label 70 has id %d: %v", id, err)
	}
}

// TestOutlive uses a result after its engine is closed.
func TestOutlive(t *testing.T) {
	o := find(t, "grid 34 by 35")
	e := open(t, o.list, engine.Options{Processors: cpus(1, 1)})
	r, err := e.BFS(context.Background(), 7)
	if err != nil {
		t.Fatal(err)
	}
	e.Close()
	if err := o.check(7, r); err != nil {
		t.Error(err)
	}
}

// TestOutliveFile overwrites the labels that a file holds once the engine is made, as
// if the file were unmapped: engine and result keep them.
func TestOutliveFile(t *testing.T) {
	table := []uint64{3, 50, 1 << 40}
	list := path(3, false)
	list.Labels = graph.MappedLabels(table)
	e := open(t, list, engine.Options{Consume: true})
	clear(table)
	r, err := e.BFS(context.Background(), 50)
	if err != nil {
		t.Fatal(err)
	}
	var tree []uint64
	for v, p := range r.Tree() {
		tree = append(tree, v, p)
	}
	if want := []uint64{3, 50, 50, 50, 1 << 40, 50}; !slices.Equal(tree, want) {
		t.Errorf("%d, want %d", tree, want)
	}
}

// TestLabelsThatDoNotFit gives a graph more or fewer labels than vertices.
func TestLabelsThatDoNotFit(t *testing.T) {
	for _, n := range []int{0, 2, 4} {
		list := path(3, false)
		list.Labels = graph.IdentityLabels(n, 10)
		if _, err := engine.New(context.Background(), list, engine.Options{}); !errors.Is(err, partition.ErrInvalid) {
			t.Errorf("%d labels: %v", n, err)
		}
	}
}

// TestOptions demands that all faults are named at once, and what is known.
func TestOptions(t *testing.T) {
	for _, c := range []struct {
		o     engine.Options
		is    error
		words []string
	}{
		{engine.Options{Threads: -1, Director: "sideways", Processors: []engine.Processor{{Kind: "tpu"}}}, engine.ErrOptions,
			[]string{"auto", "totem", "beamer", "ratio", "top-down", "bottom-up", "-1", "sideways", "tpu"}},
		{engine.Options{Rates: bsp.Rates{ClaimNS: -1}}, engine.ErrOptions, []string{"rate", "less than 0"}},
		{engine.Options{Rates: bsp.Rates{WordNS: math.NaN()}}, engine.ErrOptions, []string{"no number"}},
		{engine.Options{Placement: "upside-down"}, engine.ErrOptions,
			[]string{"upside-down", "hubs-on-cpu", "hubs-on-gpu", "random", "original"}},
		{engine.Options{Shares: []float64{0.5, 0.6}, Processors: cpus(1, 1)}, engine.ErrOptions, []string{"1.1"}},
		{engine.Options{Shares: []float64{1}, Processors: cpus(1, 1)}, engine.ErrOptions, []string{"1 shares", "2 processors"}},
		{engine.Options{Processors: []engine.Processor{{Kind: "cpu", Threads: -2}}}, engine.ErrOptions, []string{"-2"}},
		{engine.Options{Processors: cpus(make([]int, 256)...)}, engine.ErrOptions, []string{"256", "255"}},
		{engine.Options{TwoEnded: 1.5}, engine.ErrOptions, []string{"1.5"}},
		{engine.Options{MemoryLimit: 1000}, engine.ErrMemory, []string{"1000", fmt.Sprint(engine.Need(path(9, false), engine.Options{}))}},
	} {
		if err := c.o.Check(); errors.Is(err, engine.ErrOptions) != (c.is == engine.ErrOptions) {
			t.Errorf("%+v: Check: %v", c.o, err)
		}
		before := hugemem.Live()
		c.o.Progress = func(int64, int64) { t.Errorf("%+v: building began", c.o) }
		_, err := engine.New(context.Background(), path(9, false), c.o)
		if !errors.Is(err, c.is) {
			t.Errorf("%+v: %v", c.o, err)
			continue
		}
		for _, w := range c.words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%q does not say %s", err, w)
			}
		}
		if hugemem.Live() != before {
			t.Errorf("%+v: memory was allocated", c.o)
		}
	}
	if _, err := engine.Place(context.Background(), path(9, false), engine.Options{MemoryLimit: 1000}); !errors.Is(err, partition.ErrMemory) {
		t.Errorf("Place within 1000 bytes: %v", err)
	}
	for _, s := range []string{"", "cpu:x", "cpu:0", "cpu:-1", "cpu,,cpu", "opencl:x"} {
		if _, err := engine.ParseProcessors(s); !errors.Is(err, engine.ErrOptions) {
			t.Errorf("ParseProcessors(%q): %v", s, err)
		}
	}
	list, err := engine.ParseProcessors("cpu, cpu:2,opencl:1,cuda")
	if err != nil || fmt.Sprint(list) != "[cpu cpu:2 opencl:1 cuda:0]" {
		t.Errorf("%v, %v", list, err)
	}
}

// TestNeed compares what New holds with what Need says.
func TestNeed(t *testing.T) {
	for _, directed := range []bool{false, true} {
		for _, procs := range [][]int{{1}, {1, 1, 1}} {
			list := find(t, "scale-free of scale 11").list
			list.Directed = directed
			o := engine.Options{Processors: cpus(procs...)}
			before, peak := hugemem.Live().Bytes, int64(0)
			var mu sync.Mutex
			o.Progress = func(int64, int64) {
				mu.Lock()
				peak = max(peak, hugemem.Live().Bytes-before)
				mu.Unlock()
			}
			e := open(t, list, o)
			peak = max(peak, hugemem.Live().Bytes-before)
			if need := engine.Need(list, o); peak > need || peak == 0 {
				t.Errorf("directed %v, %d partitions: %d bytes held, %d announced", directed, len(procs), peak, need)
			}
			e.Close()
		}
	}
}

// TestDefaults opens an engine with the zero options.
func TestDefaults(t *testing.T) {
	var log bytes.Buffer
	l := find(t, "two stars, joined")
	e, err := engine.New(context.Background(), l.list, engine.Options{
		Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	p := e.Processors()
	if len(p) != 1 || p[0].Threads != runtime.GOMAXPROCS(0) || p[0].EdgeShare != 1 {
		t.Errorf("processors %+v", p)
	}
	if e.Director() != "auto" || e.Rates().IsZero() || e.NumVertices() != 1400 || e.Labels().Len() != 1400 {
		t.Errorf("director %s, rates %+v", e.Director(), e.Rates())
	}
	if policy, why := e.Placement(); policy != partition.HubsOnCPU || why == "" {
		t.Errorf("placement %s: %s", policy, why)
	}
	if !strings.Contains(log.String(), "hubs-on-cpu") || !strings.Contains(log.String(), "rates") {
		t.Errorf("log: %s", log.String())
	}
	r, err := e.BFS(context.Background(), 9)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.check(9, r); err != nil {
		t.Error(err)
	}
	// More threads than GOMAXPROCS are not taken.
	many := open(t, l.list, engine.Options{Processors: cpus(1000)})
	if got := many.Processors()[0].Threads; got > runtime.GOMAXPROCS(0) {
		t.Errorf("%d threads", got)
	}
}

// TestConsume lets New free the list.
func TestConsume(t *testing.T) {
	o := find(t, "uniform on 2000")
	released := 0
	list := &graph.EdgeList{Vertices: o.list.Vertices, Edges: slices.Clone(o.list.Edges), Release: func() { released++ }}
	e := open(t, list, engine.Options{Processors: cpus(1, 1), Consume: true})
	if released != 1 || list.Edges != nil {
		t.Errorf("released %d times, %d edges left", released, len(list.Edges))
	}
	r, err := e.BFS(context.Background(), 3)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.check(3, r); err != nil {
		t.Error(err)
	}
}

// TestCSR searches a built graph.
func TestCSR(t *testing.T) {
	for _, name := range []string{"scale-free of scale 10", "scale-free of scale 10, directed", "only self-loops and isolated"} {
		o := find(t, name)
		g, err := graph.Build(context.Background(), o.list, graph.BuildOptions{})
		if err != nil {
			t.Fatal(err)
		}
		e := open(t, g, engine.Options{Processors: cpus(1, 1), Consume: true})
		if len(g.Targets()) > 0 {
			t.Errorf("%s: %d arcs left of a consumed graph", name, len(g.Targets()))
		}
		for root := range uint32(5) {
			r, err := e.BFS(context.Background(), uint64(root))
			if err != nil {
				t.Fatal(err)
			}
			if err := o.check(root, r); err != nil {
				t.Errorf("%s, root %d: %v", name, root, err)
			}
		}
	}
}
