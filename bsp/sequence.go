package bsp

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// sequence is a counter that only rises and can be waited for: first spinning, so that
// a short wait costs no trip through the scheduler, then parked.
type sequence struct {
	value  atomic.Int64
	mu     sync.Mutex
	cond   sync.Cond
	parked int
}

func newSequence() *sequence {
	g := &sequence{}
	g.cond.L = &g.mu
	return g
}

// spins is how many looks a waiter takes before it parks; every yieldEvery of them
// it lets other goroutines run. Together some tens of microseconds.
const (
	spins      = 4000
	yieldEvery = 64
)

// advance raises the counter to n and wakes those who wait for it.
func (g *sequence) advance(n int64) {
	g.value.Store(n)
	g.mu.Lock()
	if g.parked > 0 {
		g.cond.Broadcast()
	}
	g.mu.Unlock()
}

// wait returns once the counter is at least n.
func (g *sequence) wait(n int64) {
	for i := range spins {
		if g.value.Load() >= n {
			return
		}
		if i%yieldEvery == yieldEvery-1 {
			runtime.Gosched()
		}
	}
	g.park(n)
}

// park is wait without spinning.
func (g *sequence) park(n int64) {
	g.mu.Lock()
	g.parked++
	for g.value.Load() < n {
		g.cond.Wait()
	}
	g.parked--
	g.mu.Unlock()
}
