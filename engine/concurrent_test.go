package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/graph"
	"github.com/totemgo/totemgo/internal/hugemem"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/cpu"
	"github.com/totemgo/totemgo/program"
)

// TestConcurrentAnswers asks one engine from eight goroutines, of CPUs and without room in memory too: answers are those given one
// at a time.
func TestConcurrentAnswers(t *testing.T) {
	procs(t, 4)
	rounds := 12
	if raceEnabled {
		rounds = 2
	}
	o := shared(t)
	for _, c := range []struct {
		threads []int
		tight   bool
	}{{[]int{1}, false}, {[]int{4}, false}, {[]int{1, 3}, false}, {[]int{2, 2}, false}, {[]int{4}, true}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			e := open(t, weighted(o.list, 9, int32(1), rand.New(rand.NewPCG(5, 6))), engine.Options{Processors: cpus(c.threads...), Weights: true})
			check := ref.NewChecker(o.list)
			roots := []uint32{o.list.Edges[0].U, o.list.Edges[1].V, o.list.Edges[2].U}
			var far [3][]int64
			for i, root := range roots {
				check.Levels(root) // kept: goroutines only read
				p, err := e.SSSP(t.Context(), uint64(root), engine.SSSPOptions{})
				if err != nil {
					t.Fatal(err)
				}
				far[i] = engine.DistancesOf[int64](p)
			}
			one, err := e.Components(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if c.tight {
				engine.LimitMemory(e, 2_000_000) // an SSSP takes 1.9 MB with the graph
			}
			var wg sync.WaitGroup
			for k := range 8 {
				wg.Go(func() {
					for i := range rounds {
						n := (k + i) % len(roots)
						root := uint64(roots[n])
						switch (k + i) % 4 {
						case 0:
							p, err := e.SSSP(context.Background(), root, engine.SSSPOptions{})
							if err != nil || !slices.Equal(engine.DistancesOf[int64](p), far[n]) {
								t.Errorf("sssp from %d: %v", root, err)
							}
						case 1:
							r, err := e.Components(context.Background())
							if err != nil || !slices.Equal(r.Labels, one.Labels) {
								t.Errorf("components: %v", err)
							}
						default:
							r, err := e.BFS(context.Background(), root)
							if err == nil {
								err = check.CheckTree(roots[n], r.Parents)
							}
							if err != nil {
								t.Errorf("bfs from %d: %v", root, err)
							}
						}
					}
				})
			}
			wg.Wait()
		})
	}
}

// TestConcurrentShares: a lone run has all threads; runs that wait share those that are free with the one that ended, in the
// order of their calls, and never take more than there are.
func TestConcurrentShares(t *testing.T) {
	procs(t, 8)
	e := open(t, &graph.EdgeList{Vertices: 1 << 10, Edges: ref.Chain(1 << 10)}, engine.Options{Processors: cpus(4, 3)})
	for _, c := range []struct {
		calls int
		want  [][]int // threads of the runs that go on after the first, in the order of calls
	}{
		{1, [][]int{{2, 1}}}, {2, [][]int{{1, 1}, {1, 1}}}, {3, [][]int{{1, 1}, {1, 1}, {2, 1}}}, {8, [][]int{{1, 1}, {1, 1}, {2, 1}}},
	} {
		time.Sleep(2 * time.Millisecond) // the callers before are forgotten
		first := engine.Take(t, e, false)
		if got := engine.Threads(first); !slices.Equal(got, []int{4, 3}) {
			t.Errorf("a lone run has %v", got)
		}
		granted := make(chan engine.Turn, c.calls)
		for k := range c.calls {
			go func() { granted <- engine.Take(t, e, false) }()
			for engine.Waiting(e) < k+1 {
				runtime.Gosched()
			}
		}
		engine.Release(first)
		var turns []engine.Turn
		for range c.want {
			turns = append(turns, <-granted)
		}
		if got := engine.Waiting(e); got != c.calls-len(c.want) {
			t.Errorf("%d wait of %d", got, c.calls)
		}
		var got [][]int
		for _, turn := range turns {
			got = append(got, engine.Threads(turn))
		}
		slices.SortFunc(got, slices.Compare)
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%d calls: threads %v, want %v", c.calls, got, c.want)
		}
		for range c.calls - len(c.want) {
			engine.Release(turns[0])
			turns = append(turns[1:], <-granted)
		}
		for _, turn := range turns {
			engine.Release(turn)
		}
	}
}

// TestConcurrentQueue: a call leaves the queue at the end of its context and lets those behind it start; one that runs alone waits
// for those before it and holds up those after it; Close waits for runs and refuses what waits.
func TestConcurrentQueue(t *testing.T) {
	procs(t, 2)
	e := open(t, &graph.EdgeList{Vertices: 64, Edges: ref.Chain(64)}, engine.Options{Processors: cpus(2)})
	first := engine.Take(t, e, false)
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error)
	go func() { left <- e.UseKernels(ctx, "auto") }()
	for engine.Waiting(e) < 1 {
		runtime.Gosched()
	}
	granted := make(chan engine.Turn, 2)
	for k := range 2 {
		go func() { granted <- engine.Take(t, e, false) }()
		for engine.Waiting(e) < 2+k {
			runtime.Gosched()
		}
	}
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	engine.Release(first)
	a, b := <-granted, <-granted // at once
	alone := make(chan error)
	go func() { alone <- e.Tune(t.Context(), cpu.DefaultTuning()) }()
	for engine.Waiting(e) < 1 {
		runtime.Gosched()
	}
	go func() { granted <- engine.Take(t, e, false) }()
	for engine.Waiting(e) < 2 {
		runtime.Gosched()
	}
	engine.Release(a)
	select {
	case err := <-alone:
		t.Fatalf("beside a run: %v", err)
	case <-granted:
		t.Fatal("before a call that came first")
	case <-time.After(20 * time.Millisecond):
	}
	engine.Release(b)
	if err := <-alone; err != nil {
		t.Error(err)
	}
	last := []engine.Turn{<-granted, engine.Take(t, e, false)} // the first leaves a thread to the caller of the run that ended
	waits, closed := make(chan error), make(chan error)
	go func() {
		_, err := e.BFS(t.Context(), 0)
		waits <- err
	}()
	for engine.Waiting(e) < 1 {
		runtime.Gosched()
	}
	go func() { closed <- e.Close() }()
	if err := <-waits; !errors.Is(err, engine.ErrClosed) {
		t.Error(err)
	}
	select {
	case <-closed:
		t.Fatal("closed beside a run")
	case <-time.After(20 * time.Millisecond):
	}
	engine.Release(last[0])
	engine.Release(last[1])
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// TestConcurrentStates: the memory of a program that ran before is used again, that of one made for each run is not kept; the least
// recently used goes first where the limit needs room.
func TestConcurrentStates(t *testing.T) {
	procs(t, 2)
	e := open(t, &graph.EdgeList{Vertices: 1 << 10, Edges: ref.Chain(1 << 10)}, engine.Options{Processors: cpus(2)})
	made := func() *program.Program {
		return &program.Program{Name: "made", Arrays: []program.Array{{Name: "x", Type: program.U32}}}
	}
	run := func(p *program.Program) {
		t.Helper()
		if _, err := e.Run(t.Context(), p, func(program.Machine) error { return nil }); err != nil {
			t.Error(err)
		}
	}
	p, q := made(), made()
	for _, c := range []struct {
		p    *program.Program
		want []string
	}{
		{p, []string{"bfs"}}, {made(), []string{"bfs"}}, {p, []string{"bfs", "p"}}, {q, []string{"bfs", "p"}}, {q, []string{"bfs", "p", "q"}},
		{p, []string{"bfs", "q", "p"}},
	} {
		run(c.p)
		var got []string
		for _, i := range engine.Idle(e) {
			switch i {
			case bsp.Tree:
				got = append(got, "bfs")
			case p:
				got = append(got, "p")
			case q:
				got = append(got, "q")
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("idle %v, want %v", got, c.want)
		}
	}
	engine.LimitMemory(e, engine.MemoryFor(e, 0)+1)
	run2 := made()
	if _, err := e.Run(t.Context(), run2, func(program.Machine) error { return nil }); !errors.Is(err, engine.ErrMemory) {
		t.Errorf("beyond the limit: %v", err)
	}
	if idle := engine.Idle(e); len(idle) > 0 {
		t.Errorf("%d states are idle beyond the limit", len(idle))
	}
	engine.LimitMemory(e, engine.MemoryFor(e, 1))
	if _, err := e.BFS(t.Context(), 0); err != nil {
		t.Errorf("after room was made: %v", err)
	}
}

// TestConcurrentDirectors: a director made for each search by a function that is called by one goroutine at a time; one that is set
// serves one search at a time.
func TestConcurrentDirectors(t *testing.T) {
	procs(t, 4)
	o := shared(t)
	var making, searching, most atomic.Int32
	count := func(n *atomic.Int32) {
		if k := n.Add(1); k > most.Load() {
			most.Store(k)
		}
		runtime.Gosched()
		n.Add(-1)
	}
	e := open(t, o.list, engine.Options{Processors: cpus(4), NewDirector: func() bsp.Director { count(&making); return bsp.Script{kernels.TopDown} }})
	search := func() {
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() {
				for range 5 {
					if _, err := e.BFS(context.Background(), uint64(o.list.Edges[0].U)); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
	}
	search()
	if err := e.SetDirector(t.Context(), counting{bsp.Script{kernels.TopDown}, func() { count(&searching) }}); err != nil {
		t.Fatal(err)
	}
	search()
	if most.Load() != 1 {
		t.Errorf("%d at once", most.Load())
	}
}

// counting calls f in every superstep.
type counting struct {
	bsp.Script
	f func()
}

func (c counting) Next(o *bsp.Observation) kernels.Direction { c.f(); return c.Script.Next(o) }

// TestConcurrentDropped: an engine and a result that are dropped without Close and Free leave no memory outside the Go heap, and no
// goroutine.
func TestConcurrentDropped(t *testing.T) {
	procs(t, 2)
	before, goroutines := hugemem.Live(), runtime.NumGoroutine()
	list := weighted(&graph.EdgeList{Vertices: 1 << 18, Edges: ref.Chain(1 << 18)}, 9, int32(1), rand.New(rand.NewPCG(5, 6)))
	func() {
		for _, threads := range [][]int{{2}, {1, 1}} {
			e, err := engine.New(t.Context(), list, engine.Options{Processors: cpus(threads...), Weights: true})
			if err != nil {
				t.Fatal(err)
			}
			r := e.NewResult()
			if err := e.BFSInto(t.Context(), 0, r); err != nil {
				t.Error(err)
			}
			for range 2 { // the second run's memory is kept
				if _, err := e.SSSP(t.Context(), 0, engine.SSSPOptions{Delta: 1e6}); err != nil {
					t.Error(err)
				}
			}
			if _, err := e.Path(t.Context(), 0, 9); err != nil {
				t.Error(err)
			}
		}
	}()
	if hugemem.Live() == before {
		t.Error("the test sees no memory")
	}
	for tries := 0; hugemem.Live() != before || runtime.NumGoroutine() > goroutines; tries++ {
		if tries == 100 {
			t.Fatalf("left: %+v and %d goroutines, before %+v and %d", hugemem.Live(), runtime.NumGoroutine(), before, goroutines)
		}
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
}
