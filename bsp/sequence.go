package bsp

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// sequence is a monotone event counter. Waiters poll first, to avoid the scheduler for short
// waits, and then block.
type sequence struct {
	value  atomic.Int64
	mu     sync.Mutex
	cond   sync.Cond
	parked int
}

func newSequence() *sequence {
	s := &sequence{}
	s.cond.L = &s.mu
	return s
}

// spins is the number of polls before wait blocks (some 10 µs); it yields after every
// yieldEvery of them.
const (
	spins      = 4000
	yieldEvery = 64
)

// advance sets the counter to n and wakes its waiters.
func (s *sequence) advance(n int64) {
	s.value.Store(n)
	s.mu.Lock()
	if s.parked > 0 {
		s.cond.Broadcast()
	}
	s.mu.Unlock()
}

// wait returns when the counter is at least n.
func (s *sequence) wait(n int64) {
	for i := range spins {
		if s.value.Load() >= n {
			return
		}
		if i%yieldEvery == yieldEvery-1 {
			runtime.Gosched()
		}
	}
	s.park(n)
}

// park is wait without polling.
func (s *sequence) park(n int64) {
	s.mu.Lock()
	s.parked++
	for s.value.Load() < n {
		s.cond.Wait()
	}
	s.parked--
	s.mu.Unlock()
}
