package engine

import "sync"

// Swap is a handle of an engine that can be replaced under load: calls under way keep the engine that they began with, which is
// closed after the last of them. NewSwap makes one. Its methods may be called from any goroutine.
type Swap struct {
	mu  sync.Mutex
	now *swapped // nil once closed
}

// swapped is an engine and its calls, which begin under Swap.mu.
type swapped struct {
	*Engine
	calls sync.WaitGroup
}

// NewSwap returns a handle that owns e.
func NewSwap(e *Engine) *Swap { return &Swap{now: &swapped{Engine: e}} }

// Do calls f with the current engine, which stays open until f returns; f must not close it. It waits for no swap. The error
// is f's, or ErrClosed.
func (s *Swap) Do(f func(e *Engine) error) error {
	s.mu.Lock()
	now := s.now
	if now == nil {
		s.mu.Unlock()
		return ErrClosed
	}
	now.calls.Add(1)
	s.mu.Unlock()
	defer now.calls.Done()
	return f(now.Engine)
}

// Swap makes e, another engine, which it owns from then on, the engine of later calls, then waits for
// the calls on the old engine and closes it. Until then both are in memory. The error is the old engine's Close; on a
// closed handle it closes e and returns ErrClosed.
func (s *Swap) Swap(e *Engine) error {
	old := s.put(&swapped{Engine: e})
	if old == nil {
		_ = e.Close()
		return ErrClosed
	}
	return old.drain()
}

// Close waits for all calls and closes the engine. Later calls return ErrClosed; a second Close returns nil.
func (s *Swap) Close() error {
	if old := s.put(nil); old != nil {
		return old.drain()
	}
	return nil
}

// put makes x the current engine unless the handle is closed. It returns the one before.
func (s *Swap) put(x *swapped) *swapped {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.now
	if old != nil {
		s.now = x
	}
	return old
}

// drain waits for the calls of an engine and closes it.
func (x *swapped) drain() error {
	x.calls.Wait()
	return x.Close()
}
