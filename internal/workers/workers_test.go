package workers

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// procs sets GOMAXPROCS for one test.
func procs(t testing.TB, n int) {
	old := runtime.GOMAXPROCS(n)
	t.Cleanup(func() { runtime.GOMAXPROCS(old) })
}

func acquire(t testing.TB, n int) *Team {
	team := Acquire(n)
	t.Cleanup(team.Close)
	return team
}

func TestAcquireClamps(t *testing.T) {
	procs(t, 3)
	all := min(3, runtime.NumCPU())
	for _, c := range []struct{ ask, want int }{{-1, all}, {0, all}, {1, 1}, {2, 2}, {3, 3}, {4, 3}, {1000, 3}} {
		team := Acquire(c.ask)
		if got := team.Threads(); got != c.want {
			t.Errorf("Acquire(%d).Threads() = %d, want %d", c.ask, got, c.want)
		}
		team.Close()
		team.Close() // a second Close does nothing
	}
}

func TestRunOnEveryWorkerOnce(t *testing.T) {
	procs(t, 4)
	for threads := 1; threads <= 4; threads++ {
		team := acquire(t, threads)
		count := make([]int, threads) // plain memory: the race detector checks the edges
		sum := 0
		const runs = 300
		for i := range runs {
			team.Run(func(w int) { count[w] += i })
			sum += i
		}
		for w, c := range count {
			if c != sum {
				t.Errorf("%d threads: worker %d added %d, want %d", threads, w, c, sum)
			}
		}
	}
}

func TestRunAfterPark(t *testing.T) {
	procs(t, 4)
	team := acquire(t, 4)
	var n atomic.Int64
	f := func(int) { n.Add(1) }
	for i := range 60 {
		team.Run(f)
		switch i % 3 {
		case 0:
			time.Sleep(2 * SpinFor)
		case 1:
			time.Sleep(SpinFor) // about when helpers decide to park
		}
	}
	if n.Load() != 240 {
		t.Errorf("%d calls, want 240", n.Load())
	}
}

func TestHelpersPark(t *testing.T) {
	procs(t, 4)
	team := acquire(t, 4)
	team.Run(func(int) {})
	for range 1000 {
		if !slices.ContainsFunc(team.helpers, func(h *helper) bool { return h.state.Load() != parked }) {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("helpers do not park after SpinFor")
}

// The caller outlasts its spinning and must be woken by the last helper.
func TestCallerParks(t *testing.T) {
	procs(t, 2)
	team := acquire(t, 2)
	for range 3 {
		team.Run(func(w int) {
			if w == 1 {
				time.Sleep(3 * SpinFor)
			}
		})
	}
}

func TestForCoversEachItemOnce(t *testing.T) {
	procs(t, 4)
	for _, threads := range []int{1, 2, 4} {
		team := acquire(t, threads)
		for _, n := range []int{-1, 0, 1, 2, 63, 64, 65, 1000} {
			for _, grain := range []int{-1, 0, 1, 7, 64, 999, 1000, 1001, 1 << 40} {
				hits := make([]atomic.Int32, max(n, 0))
				team.For(n, grain, func(w, lo, hi int) {
					if w < 0 || w >= threads || lo >= hi || hi > n {
						t.Errorf("worker %d gets [%d, %d) of %d", w, lo, hi, n)
						return
					}
					if grain > 0 && (lo%grain != 0 || hi != n && hi-lo != grain) {
						t.Errorf("grain %d: chunk [%d, %d)", grain, lo, hi)
					}
					for i := lo; i < hi; i++ {
						hits[i].Add(1)
					}
				})
				for i := range hits {
					if got := hits[i].Load(); got != 1 {
						t.Fatalf("threads %d n %d grain %d: item %d done %d times", threads, n, grain, i, got)
					}
				}
			}
		}
	}
}

func TestNothingIsAllocated(t *testing.T) {
	procs(t, 2)
	team := acquire(t, 2)
	run, chunk := func(int) {}, func(_, _, _ int) {}
	if n := testing.AllocsPerRun(100, func() { team.Run(run); team.For(1000, 10, chunk) }); n != 0 {
		t.Errorf("%v allocations a Run", n)
	}
}

func recovered(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

func TestPanics(t *testing.T) {
	procs(t, 3)
	team := acquire(t, 3)
	boom := errors.New("boom")
	for _, bad := range []int{1, 2} {
		var others atomic.Int32
		v := recovered(func() {
			team.Run(func(w int) {
				if w == bad {
					panic(boom)
				}
				others.Add(1)
			})
		})
		p, ok := v.(*Panic)
		if !ok || p.Worker != bad || !errors.Is(p, boom) || len(p.Stack) == 0 || !strings.Contains(p.Error(), "boom") {
			t.Errorf("worker %d panics: Run raised %v", bad, v)
		}
		if others.Load() != 2 {
			t.Errorf("%d other workers finished, want 2", others.Load())
		}
	}
	// The caller's own panic is passed on as it is, after the helpers have finished.
	var late atomic.Bool
	v := recovered(func() {
		team.Run(func(w int) {
			if w == 0 {
				panic("mine")
			}
			time.Sleep(5 * time.Millisecond)
			late.Store(true)
		})
	})
	if v != "mine" || !late.Load() {
		t.Errorf("worker 0 panics: Run raised %v, helpers finished: %v", v, late.Load())
	}
	if v := recovered(func() { team.For(100, 1, func(_, lo, _ int) { panic(boom) }) }); v == nil {
		t.Error("For hides a panic")
	}
	// Goexit on a helper neither hangs the caller nor costs the team a worker.
	v = recovered(func() {
		team.Run(func(w int) {
			if w == 1 {
				runtime.Goexit()
			}
		})
	})
	if p, ok := v.(*Panic); !ok || !strings.Contains(p.Error(), "Goexit") || p.Unwrap() != nil {
		t.Errorf("Goexit on worker 1: Run raised %v", v)
	}
	var n atomic.Int32
	team.Run(func(int) { n.Add(1) })
	if n.Load() != 3 {
		t.Errorf("after the panics %d workers ran, want 3", n.Load())
	}
	one := acquire(t, 1)
	if v := recovered(func() { one.Run(func(int) { panic("plain") }) }); v != "plain" {
		t.Errorf("one worker: Run raised %v", v)
	}
	one.Run(func(int) {})
}

func TestMisuse(t *testing.T) {
	procs(t, 2)
	for _, threads := range []int{1, 2} {
		team := Acquire(threads)
		nested := func(f func()) any { return recovered(func() { team.Run(func(w int) { f() }) }) }
		for name, f := range map[string]func(){
			"Run":   func() { team.Run(func(int) {}) },
			"For":   func() { team.For(10, 1, func(_, _, _ int) {}) },
			"Close": team.Close,
		} {
			if nested(f) == nil {
				t.Errorf("%d threads: %s inside Run is not refused", threads, name)
			}
		}
		team.Close()
		if recovered(func() { team.Run(func(int) {}) }) == nil {
			t.Errorf("%d threads: Run after Close is not refused", threads)
		}
	}
}

// Several teams on fewer processors than workers: spinning has to yield.
func TestOversubscribed(t *testing.T) {
	procs(t, 4)
	var teams []*Team
	for range 4 {
		teams = append(teams, acquire(t, 4))
	}
	runtime.GOMAXPROCS(1)
	var wg sync.WaitGroup
	for _, team := range teams {
		wg.Go(func() {
			sum := 0
			part := make([]int, team.Threads())
			for range 50 {
				team.For(100, 3, func(w, lo, hi int) { part[w] += hi - lo })
			}
			for _, p := range part {
				sum += p
			}
			if sum != 5000 {
				t.Errorf("%d items done, want 5000", sum)
			}
		})
	}
	wg.Wait()
}

func TestCloseEndsGoroutines(t *testing.T) {
	procs(t, 4)
	before := runtime.NumGoroutine()
	a, b := Acquire(4), Acquire(3)
	a.Close()
	b.Run(func(int) {})
	b.Close()
	for range 1000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

func TestConcurrentAcquireAndClose(t *testing.T) {
	procs(t, 3)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				team := Acquire(3)
				var n atomic.Int32
				team.Run(func(int) { n.Add(1) })
				if n.Load() != 3 {
					t.Errorf("%d workers ran, want 3", n.Load())
				}
				team.Close()
			}
		})
	}
	wg.Wait()
}

// go test -run '^$' -bench Run ./internal/workers
func BenchmarkRun(b *testing.B) {
	f := func(int) {}
	b.Run("state=hot", func(b *testing.B) {
		team := acquire(b, 0)
		for b.Loop() {
			team.Run(f)
		}
	})
	b.Run("state=cold", func(b *testing.B) {
		team := acquire(b, 0)
		var spent time.Duration
		n := 0
		for b.Loop() {
			for slices.ContainsFunc(team.helpers, func(h *helper) bool { return h.state.Load() != parked }) {
				time.Sleep(100 * time.Microsecond)
			}
			time.Sleep(2 * time.Millisecond) // the system parks the helpers' threads as well
			at := time.Now()
			team.Run(f)
			spent += time.Since(at)
			n++
		}
		b.ReportMetric(float64(spent.Nanoseconds())/float64(n), "ns/Run")
	})
	b.Run("state=one", func(b *testing.B) {
		team := acquire(b, 1)
		for b.Loop() {
			team.Run(f)
		}
	})
}

func BenchmarkFor(b *testing.B) {
	team := acquire(b, 0)
	f := func(_, _, _ int) {}
	for b.Loop() {
		team.For(64, 1, f)
	}
}

// A panic of Each's function reaches the caller once all goroutines have ended, whichever ran it.
func TestEachPanics(t *testing.T) {
	for _, bad := range []int{0, 1} { // the worker that panics
		running := atomic.Int64{}
		var started sync.WaitGroup
		started.Add(2)
		err := func() (err error) {
			defer func() {
				v := recover()
				if p, is := v.(*Panic); is {
					if p.Worker != 1 || !strings.Contains(p.Error(), "TestEachPanics") {
						t.Errorf("worker %d: %v", p.Worker, p)
					}
					v = p.Value
				} else if bad == 1 {
					t.Errorf("%v is no *Panic", v)
				}
				if v != "boom" || running.Load() != 0 {
					t.Errorf("%v with %d workers left", v, running.Load())
				}
			}()
			return Each(context.Background(), 2, 1000, nil, func(worker, i int) error {
				running.Add(1)
				defer running.Add(-1)
				if i < 2 { // both workers are here
					started.Done()
					started.Wait()
				}
				if worker == bad {
					panic("boom")
				}
				return nil
			})
		}()
		if err != nil {
			t.Error(err)
		}
	}
}

// TestManyThreadsOnFewProcessors: a team of 64 workers with 64 Ps makes progress on the processors that there are, not at
// the cost of as many time slices.
func TestManyThreadsOnFewProcessors(t *testing.T) {
	procs(t, 64)
	if got := Count(0); got != min(64, runtime.NumCPU()) {
		t.Errorf("Count(0) = %d on %d processors", got, runtime.NumCPU())
	}
	team := acquire(t, 64)
	if runtime.NumCPU() < 64 && team.spin != spinShort {
		t.Errorf("a team of 64 spins for %v", team.spin)
	}
	var n atomic.Int64
	start := time.Now()
	for range 50 {
		team.Run(func(int) { n.Add(1) })
	}
	if n.Load() != 50*64 {
		t.Errorf("%d calls", n.Load())
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("50 runs take %v", took)
	}
}
