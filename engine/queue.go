package engine

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/totemgo/totemgo/kernels"
	"github.com/totemgo/totemgo/kernels/cpu"
)

// queue grants threads to runs, first come, first served: a run gets some of every CPU processor at once.
type queue struct {
	mu            sync.Mutex
	ended         sync.Cond // a run has ended
	threads, free []int     // by processor: those of a CPU, and the ones that no run has; 0 of a device
	most          int       // runs at once
	only          int       // 1 if runs share a director, else most
	running       int
	waiting       []*turn
	callers       int       // that ran or waited when a run ended
	counted       time.Time // when
	spare         []*turn
	closed        bool
}

// turn is a run's place in the queue, and its threads.
type turn struct {
	e       *Engine // which stays reachable
	threads []int   // by processor; 0 of a device
	alone   bool    // no other run goes on beside it
	ready   chan struct{}
}

// newQueue grants the threads of processors to at most so many runs at once.
func newQueue(procs []kernels.Processor, most int) *queue {
	q := &queue{most: most}
	q.ended.L = &q.mu
	for _, p := range procs {
		n := 0
		if c, is := p.(*cpu.Processor); is {
			n = c.Threads()
		}
		q.most = min(q.most, max(1, n)) // 1 with a device
		q.threads, q.free = append(q.threads, n), append(q.free, n)
	}
	q.only = q.most
	return q
}

// take queues the caller until its turn: alone, after all runs before it and before all others.
func (e *Engine) take(ctx context.Context, alone bool) (*turn, error) {
	if err := e.callable(ctx); err != nil {
		return nil, err
	}
	q := e.queue
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return nil, ErrClosed
	}
	var t *turn
	if n := len(q.spare); n > 0 {
		t, q.spare = q.spare[n-1], q.spare[:n-1]
	} else {
		t = &turn{e: e, threads: make([]int, len(q.threads)), ready: make(chan struct{}, 1)}
	}
	t.alone = alone
	q.waiting = append(q.waiting, t)
	q.admit()
	q.mu.Unlock()
	err := error(nil)
	select {
	case <-t.ready:
		return t, nil
	default:
	}
	select {
	case <-t.ready:
		return t, nil
	case <-e.closed:
		err = ErrClosed
	case <-ctx.Done():
		err = ctx.Err()
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(q.waiting, t); i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
		q.admit() // t may have held up those behind it
	} else {
		<-t.ready
		q.leave(t)
	}
	return nil, err
}

// inTurn calls f in a turn of its own.
func inTurn[R any](ctx context.Context, e *Engine, f func(t *turn) (*R, error)) (_ *R, err error) {
	defer refused(&err)
	t, err := e.take(ctx, false)
	if err != nil {
		return nil, err
	}
	defer t.release()
	return f(t)
}

// alone calls f in a turn that no other run goes on beside.
func (e *Engine) alone(ctx context.Context, f func(t *turn) error) error {
	t, err := e.take(ctx, true)
	if err != nil {
		return err
	}
	defer t.release()
	return f(t)
}

// lately is for how long the number of callers counts after one of them has ended its run: it is likely to come again, and two
// callers would else take turns with all threads.
const lately = time.Millisecond

// admit starts the runs that may start: max(1, free ÷ n) threads each, where n are the callers without threads, of whom no more
// count than may start.
func (q *queue) admit() {
	for len(q.waiting) > 0 && !q.closed && q.running < q.only {
		t := q.waiting[0]
		if t.alone && q.running > 0 {
			return
		}
		for i, n := range q.threads {
			if n > 0 && q.free[i] == 0 {
				return
			}
		}
		share := len(q.waiting)
		if time.Since(q.counted) < lately {
			share = max(share, q.callers-q.running)
		}
		share = min(share, q.only-q.running)
		if t.alone {
			share = 1
		}
		for i, free := range q.free {
			t.threads[i] = max(min(1, free), free/share)
			q.free[i] -= t.threads[i]
		}
		q.waiting = q.waiting[1:]
		q.running++
		t.ready <- struct{}{}
	}
}

// leave ends a run.
func (q *queue) leave(t *turn) {
	for i, n := range t.threads {
		q.free[i] += n
	}
	if n := q.running + len(q.waiting); n >= q.callers || time.Since(q.counted) >= lately {
		q.callers, q.counted = n, time.Now()
	}
	q.running--
	q.spare = append(q.spare, t)
	q.admit()
	q.ended.Broadcast()
}

// release ends the turn and updates the report.
func (t *turn) release() {
	t.e.report.launched(t.e.procs)
	q := t.e.queue
	q.mu.Lock()
	q.leave(t)
	q.mu.Unlock()
}

// workers is the number of the turn's threads, of all processors; without a CPU those of the options.
func (t *turn) workers() (n int) {
	for _, k := range t.threads {
		n += k
	}
	if n == 0 {
		n = t.e.opts.Threads
	}
	return n
}

// share lets runs go on at once, or not.
func (q *queue) share(at bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.only = q.most; !at {
		q.only = 1
	}
}

// close admits nobody any more and waits for all runs.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.closed = true; q.running > 0; {
		q.ended.Wait()
	}
}
