package engine_test

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/totemgo/totemgo/bsp"
	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/internal/ref"
	"github.com/totemgo/totemgo/kernels"
)

// procs sets GOMAXPROCS for one test.
func procs(t *testing.T, n int) {
	old := runtime.GOMAXPROCS(n)
	t.Cleanup(func() { runtime.GOMAXPROCS(old) })
}

// alone waits until no goroutine of an earlier engine is left, and returns how many
// there are.
func alone(t *testing.T) int {
	t.Helper()
	if err := goleak.Find(); err != nil {
		t.Fatal(err)
	}
	return runtime.NumGoroutine()
}

// demand waits for goroutines that are about to end, until there are as many as wanted.
func demand(t *testing.T, want int, what string) {
	t.Helper()
	n := runtime.NumGoroutine()
	for range 2000 {
		if n == want {
			return
		}
		time.Sleep(time.Millisecond)
		n = runtime.NumGoroutine()
	}
	t.Errorf("%s: %d goroutines, want %d", what, n, want)
}

// started is the number of goroutines that the process has started so far; 0 where the
// runtime does not tell.
func started() uint64 {
	s := []metrics.Sample{{Name: "/sched/goroutines-created:goroutines"}}
	metrics.Read(s)
	if s[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return s[0].Value.Uint64()
}

// shared is a graph whose searches take every kind of step, with its oracle.
func shared(t *testing.T) *oracle {
	return newOracle(ref.Named{Name: "kron of scale 12", List: kronecker(t, 12)})
}

// TestSearchStartsNoGoroutine counts goroutines, before and at every superstep of
// searches each way, on one partition and several.
func TestSearchStartsNoGoroutine(t *testing.T) {
	procs(t, 4)
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection may start workers of its own
	o := shared(t)
	for _, threads := range [][]int{{1}, {4}, {2, 2}, {1, 1, 2}} {
		t.Run(fmt.Sprint(threads), func(t *testing.T) {
			want, level, before := 0, 0, alone(t)
			var dirs bsp.Script
			opts := hooked(func(int) {
				level++
				if n := runtime.NumGoroutine(); want > 0 && n != want {
					t.Errorf("%d goroutines at a superstep, %d before", n, want)
				}
			}, threads...)
			newHook := opts.NewDirector
			opts.NewDirector = func() bsp.Director { h := newHook().(hook); h.Script = dirs; return h }
			e := open(t, o.list, opts)
			r := e.NewResult()
			defer r.Free()
			search := func() {
				t.Helper()
				for i, s := range []bsp.Script{
					{kernels.TopDown}, {kernels.BottomUp}, {kernels.TopDown, kernels.TopDown, kernels.BottomUp, kernels.BottomUp, kernels.TopDown},
				} {
					dirs = s
					root := o.list.Edges[i].U
					if err := e.BFSInto(context.Background(), uint64(root), r); err != nil {
						t.Fatal(err)
					}
					if err := o.check(root, r); err != nil {
						t.Fatal(err)
					}
				}
			}
			search()
			for _, n := range threads {
				before += n
			}
			demand(t, before-1, "after a search")
			want, level = before-1, 0
			// The runtime may start goroutines of its own, so one round without any out
			// of three is asked for.
			var fresh uint64
			for range 3 {
				from := started()
				for range 5 {
					search()
				}
				if fresh = started() - from; fresh == 0 {
					break
				}
			}
			if fresh > 0 {
				t.Errorf("15 searches started %d goroutines", fresh)
			}
			if level < 15*3 {
				t.Errorf("%d supersteps", level)
			}
		})
	}
}

// TestEngineThreads: an engine has as many goroutines, its caller's included, as its
// processors have threads; no processor has more than Options.Threads or GOMAXPROCS,
// nor have all together that were given no number.
func TestEngineThreads(t *testing.T) {
	procs(t, 4)
	o := shared(t)
	all := min(4, runtime.NumCPU()) // of processors that were given no number, without Options.Threads
	for _, c := range []struct {
		processors string
		threads    int
		want       []int
	}{
		{"cpu", 0, []int{all}},
		{"cpu", 1, []int{1}},
		{"cpu", 3, []int{3}},
		{"cpu", 100, []int{4}},
		{"cpu:100", 0, []int{4}},
		{"cpu:100", 2, []int{2}},
		{"cpu:3", 2, []int{2}},
		{"cpu:1,cpu:2", 0, []int{1, 2}},
		{"cpu,cpu", 0, []int{(all + 1) / 2, max(all/2, 1)}},
		{"cpu,cpu", 3, []int{2, 1}},
		{"cpu,cpu,cpu", 4, []int{2, 1, 1}},
		{"cpu:1,cpu", 0, []int{1, max(all-1, 1)}},
		{"cpu,cpu:3,cpu", 4, []int{1, 2, 1}}, // every partition has a thread
		{"cpu:2,cpu:2", 2, []int{1, 1}},
		{"cpu:3,cpu:1", 3, []int{2, 1}},
		{"cpu,cpu", 1, []int{1, 1}},
	} {
		list, err := engine.ParseProcessors(c.processors)
		if err != nil {
			t.Fatal(err)
		}
		before := alone(t)
		e := open(t, o.list, engine.Options{Processors: list, Threads: c.threads})
		sum := 0
		var got []int
		for _, p := range e.Processors() {
			got = append(got, p.Threads)
			sum += p.Threads
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s with at most %d threads: %v, want %v", c.processors, c.threads, got, c.want)
		}
		demand(t, before+sum-1, fmt.Sprintf("%s with at most %d threads: %v", c.processors, c.threads, got))
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTwoEngines: a closed engine's threads end, the other's stay, and two engines that
// search at once both finish.
func TestTwoEngines(t *testing.T) {
	procs(t, 4)
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	o := shared(t)
	roots := []uint32{o.list.Edges[0].U, o.list.Edges[1].U, o.list.Edges[2].U}
	for _, root := range roots {
		o.Levels(root)
	}
	opts := engine.Options{Processors: cpus(4)}
	both := alone(t) + 6
	engines := []*engine.Engine{open(t, o.list, opts), open(t, o.list, opts)}
	demand(t, both, "two engines")
	for range 3 {
		if err := engines[1].Close(); err != nil {
			t.Fatal(err)
		}
		demand(t, both-3, "one engine")
		engines[1] = open(t, o.list, opts)
		demand(t, both, "two engines again")
	}
	rounds := 40
	if raceEnabled {
		rounds = 5
	}
	var wg sync.WaitGroup
	for i, e := range engines {
		wg.Go(func() {
			r := e.NewResult()
			defer r.Free()
			for n := range rounds {
				root := roots[(n+i)%len(roots)]
				err := e.BFSInto(context.Background(), uint64(root), r)
				if err == nil {
					err = o.check(root, r)
				}
				if err != nil {
					t.Errorf("engine %d: %v", i, err)
					return
				}
			}
		})
	}
	wg.Wait()
	demand(t, both, "after searches")
}
