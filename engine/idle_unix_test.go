//go:build unix

package engine_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/totemgo/totemgo/engine"
	"github.com/totemgo/totemgo/internal/workers"
)

// processTime is the processor time that this process has used.
func processTime(t *testing.T) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestIdleEnginesUseNoCPU looks at the processor time of an idle second, after searches
// on an engine of one partition and on one of two.
func TestIdleEnginesUseNoCPU(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	procs(t, 4)
	o := shared(t)
	for _, threads := range [][]int{{4}, {2, 2}} {
		e := open(t, o.list, engine.Options{Processors: cpus(threads...)})
		for i := range 3 {
			if _, err := e.BFS(context.Background(), uint64(o.list.Edges[i].U)); err != nil {
				t.Fatal(err)
			}
		}
	}
	runtime.GC() // not in the second that is looked at
	time.Sleep(10 * workers.SpinFor)
	// The runtime's own background work may fall into one second, so one quiet second
	// out of three is asked for.
	var spent time.Duration
	for range 3 {
		before := processTime(t)
		time.Sleep(time.Second)
		if spent = processTime(t) - before; spent < 5*time.Millisecond {
			return
		}
	}
	t.Errorf("idle engines used %v of processor time in a second", spent)
}
