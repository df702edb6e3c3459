package graph

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/totemgo/totemgo/internal/memfault"
)

// threadCount is the number of goroutines that an option of threads asks for.
func threadCount(threads int) int {
	if threads <= 0 {
		return runtime.GOMAXPROCS(0)
	}
	return threads
}

// forEach calls f for 0 … n−1 from up to threads goroutines, and returns when all
// calls have. It stops early at the first error, and when ctx ends. A memory fault is
// ErrUnreadable.
func forEach(ctx context.Context, threads, n int, f func(i int) error) error {
	var next atomic.Int64
	var once sync.Once
	var failed error
	var stop atomic.Bool
	calls := func() error {
		for !stop.Load() {
			i := int(next.Add(1) - 1)
			if i >= n {
				return nil
			}
			if ctx.Err() != nil {
				return fmt.Errorf("graph: %w", context.Cause(ctx))
			}
			if err := f(i); err != nil {
				return err
			}
		}
		return nil
	}
	work := func() {
		err := memfault.Catch(calls, func(error) error { return ErrUnreadable })
		if err != nil {
			once.Do(func() { failed = err })
			stop.Store(true)
		}
	}
	var wg sync.WaitGroup
	for range min(threads, n) - 1 {
		wg.Add(1)
		go func() { defer wg.Done(); work() }()
	}
	work()
	wg.Wait()
	return failed
}

// span is part i of n parts of 0 … total−1.
func span(total, n, i int) (lo, hi int) {
	return int(uint64(total) * uint64(i) / uint64(n)), int(uint64(total) * uint64(i+1) / uint64(n))
}
