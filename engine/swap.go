package engine

import "sync"

// Swap is a handle of an engine that can be replaced under load: calls under way keep the engine that they began with, which is
// closed after the last of them. NewSwap makes one. Its methods may be called from any goroutine.
type Swap struct {
	mu  sync.Mutex
	now *swapped // nil once closed
}

// swapped is an engine and its users: 1 of the handle, 1 of each call.
type swapped struct {
	*Engine
	users int
	free  chan struct{} // closed after the last user
}

// NewSwap returns a handle that owns e.
func NewSwap(e *Engine) *Swap {
	return &Swap{now: &swapped{e, 1, make(chan struct{})}}
}

// Do calls f with the current engine, which stays open until f returns; f must not close it. It waits for no swap. The error
// is f's, or ErrClosed.
func (s *Swap) Do(f func(e *Engine) error) error {
	s.mu.Lock()
	now := s.now
	if now != nil {
		now.users++
	}
	s.mu.Unlock()
	if now == nil {
		return ErrClosed
	}
	defer s.leave(now)
	return f(now.Engine)
}

// leave ends one use.
func (s *Swap) leave(x *swapped) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x.users--; x.users == 0 {
		close(x.free)
	}
}

// Swap makes e, which it owns from then on, the engine of later calls, then waits for the calls on the old engine and closes it.
// Until then both are in memory. The error is the old engine's Close; on a closed handle it closes e and returns ErrClosed.
func (s *Swap) Swap(e *Engine) error {
	s.mu.Lock()
	old := s.now
	if old != nil {
		s.now = &swapped{e, 1, make(chan struct{})}
	}
	s.mu.Unlock()
	if old == nil {
		_ = e.Close()
		return ErrClosed
	}
	return s.drain(old)
}

// drain waits for the users of an engine and closes it.
func (s *Swap) drain(x *swapped) error {
	s.leave(x)
	<-x.free
	return x.Close()
}

// Close waits for all calls and closes the engine. Later calls return ErrClosed; a second Close returns nil.
func (s *Swap) Close() error {
	s.mu.Lock()
	old := s.now
	s.now = nil
	s.mu.Unlock()
	if old == nil {
		return nil
	}
	return s.drain(old)
}
