//go:build unix

package workers

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func cpuTime(t *testing.T) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func TestIdleTeamUsesNoCPU(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	procs(t, 4)
	team := acquire(t, 4)
	team.Run(func(int) {})
	time.Sleep(10 * SpinFor)
	// The runtime's own background work may fall into one second, so one quiet
	// second out of three is asked for.
	var spent time.Duration
	for range 3 {
		before := cpuTime(t)
		time.Sleep(time.Second)
		if spent = cpuTime(t) - before; spent < 5*time.Millisecond {
			return
		}
	}
	t.Errorf("an idle team used %v of processor time in a second", spent)
}
