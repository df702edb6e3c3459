// Package workers is the engine's threads: a Team, which stands ready, and Each, a
// parallel loop that needs none.
//
// A Team is a fixed number of workers that run the same function at once.
// Worker 0 is the goroutine that calls Run; the others are helpers, goroutines
// that live from Acquire to Close.
//
// # Waiting
//
// Waking a parked goroutine costs about a hundred microseconds, a spinning one a
// fraction of one. Helpers therefore spin after a Run, for SpinFor, and park
// after that. A spinning worker gives up its processor every few microseconds,
// so a team makes progress on fewer processors than it has workers, and beside
// other teams. Parked helpers use no processor time at all.
//
// # Memory order
//
// What the caller wrote before Run is seen by every worker in f, and what the
// workers wrote in f is seen by the caller after Run. The race detector knows
// both edges.
package workers

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/totemgo/totemgo/internal/memfault"
)

// SpinFor is how long a helper without work spins before it parks, and how long
// the caller of Run spins for its helpers before it does.
const SpinFor = 200 * time.Microsecond

// spinShort replaces SpinFor in a team of more workers than the process has processors: a spinning
// worker keeps one from the worker that it waits for.
const spinShort = 10 * time.Microsecond

// preempted is the time between two checks of the clock, 1 to 2 µs apart, from which on a spinning worker
// was off its processor: others need it, so the worker parks.
const preempted = 200 * time.Microsecond

// spinLoads is the number of polls between two checks of the clock: 1 to 2 µs.
const spinLoads = 2048

// A yield takes the scheduler's lock. To keep large teams from queueing for it, a worker
// checks the clock 1 + threads/yieldShare times between two yields.
const yieldShare = 8

// States of a waiter.
const (
	awake  uint32 = iota // running or spinning
	parked               // blocked on its channel, or about to be
)

// waiter is a goroutine that spins and then parks. The goroutine that swaps parked
// for awake sends one token; no other does.
type waiter struct {
	state atomic.Uint32
	token chan struct{} // capacity 1
}

// wake unblocks a parked waiter and does nothing to one that is awake.
func (w *waiter) wake() {
	if w.state.Load() == parked && w.state.CompareAndSwap(parked, awake) {
		w.token <- struct{}{}
	}
}

// wait returns once word is value: it spins for a time, yielding after every so many
// looks at the clock, and then parks until wake. word must be value before wake is called.
func (w *waiter) wait(word *atomic.Uint64, value uint64, looks int, spin time.Duration) {
	var since, last time.Time
	for look := 1; ; look++ {
		for range spinLoads {
			if word.Load() == value {
				return
			}
		}
		switch at := time.Now(); {
		case since.IsZero():
			since, last = at, at
		case at.Sub(since) > spin, at.Sub(last) > preempted:
			// Announced. If word is value by now, take the announcement back or wait for wake.
			w.state.Store(parked)
			if word.Load() != value || !w.state.CompareAndSwap(parked, awake) {
				<-w.token
			}
			continue
		default:
			last = at
		}
		if look%looks == 0 {
			runtime.Gosched()
		}
	}
}

// helper is one goroutine of a team.
type helper struct {
	waiter
	worker int      // its number
	epoch  uint64   // the one that it waits for or works in
	_      [64]byte // helpers must not share a cache line
}

// Team is a number of workers that run the same function at once. One goroutine
// at a time may use it.
type Team struct {
	helpers []*helper
	body    func(worker int) // the function that For passes to Run; made once
	looks   int              // checks of the clock between two yields
	spin    time.Duration    // how long its workers spin
	closed  bool
	busy    atomic.Bool
	left    sync.WaitGroup // helpers that have not ended yet

	_     [64]byte
	epoch atomic.Uint64 // rises by one with each Run and with Close
	ended atomic.Bool   // set by Close, before the epoch rises
	f     func(worker int)

	_       [64]byte
	pending atomic.Uint64 // helpers that have not finished this Run
	caller  waiter
	failure atomic.Pointer[Panic]

	_      [64]byte
	shares []share
	grain  int
	rangef func(worker, lo, hi int)
}

// share is the part of For's items that one worker begins with.
type share struct {
	next atomic.Int64 // first item not handed out
	end  int64
	_    [64]byte
}

// Panic is what Run and Each raise when their function panicked on a goroutine that is not
// the caller's. A panic on the caller's own goroutine, worker 0, passes through unchanged.
type Panic struct {
	// Worker is the number of the worker that panicked first.
	Worker int
	// Value is what it panicked with.
	Value any
	// Stack is the helper's stack at the panic.
	Stack []byte
}

// Error returns the panic's value and the helper's stack.
func (p *Panic) Error() string {
	return fmt.Sprintf("workers: panic on worker %d: %v\n\n%s", p.Worker, p.Value, p.Stack)
}

// Unwrap returns the panic's value if it is an error.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// goexit is the value of the Panic of a function that called runtime.Goexit.
type goexit struct{}

func (goexit) String() string { return "runtime.Goexit called" }

// keep stores a recovered panic, nil for a Goexit, with the stack of the goroutine it ended,
// unless failure has one.
func keep(failure *atomic.Pointer[Panic], worker int, v any) {
	if v == nil {
		v = goexit{}
	}
	failure.CompareAndSwap(nil, &Panic{Worker: worker, Value: v, Stack: debug.Stack()})
}

// Acquire returns a team of the given number of workers, at least one and at
// most GOMAXPROCS; zero and less mean those of Count. The team holds threads-1
// goroutines until it is closed.
func Acquire(threads int) *Team {
	threads = min(Count(threads), runtime.GOMAXPROCS(0))
	t := &Team{looks: 1 + threads/yieldShare, shares: make([]share, threads)}
	if t.spin = SpinFor; threads > runtime.NumCPU() {
		t.spin = spinShort
	}
	t.body = t.chunks
	t.caller.token = make(chan struct{}, 1)
	t.left.Add(threads - 1)
	for worker := 1; worker < threads; worker++ {
		h := &helper{worker: worker}
		h.token = make(chan struct{}, 1)
		t.helpers = append(t.helpers, h)
		go h.live(t)
	}
	return t
}

// Close ends the team's goroutines. A closed team must not be used, except that Close
// may be called again.
func (t *Team) Close() {
	if t.closed {
		return
	}
	t.take()
	t.closed = true
	t.ended.Store(true)
	t.epoch.Add(1)
	for _, h := range t.helpers {
		h.wake()
	}
	t.left.Wait()
	t.helpers = nil
}

// Threads returns the number of workers, the caller included.
func (t *Team) Threads() int { return len(t.helpers) + 1 }

// Run calls f once on each worker, at once, and returns when all calls have
// returned. f must not use the team. A panic of f on a helper is raised again
// here as a *Panic, after all workers have finished. Run starts no goroutine
// and allocates nothing; with one worker it is a plain call.
func (t *Team) Run(f func(worker int)) {
	t.take()
	t.run(f)
}

// take marks the team busy, until run or the taker marks it free.
func (t *Team) take() {
	if !t.busy.CompareAndSwap(false, true) {
		panic("workers: the team is running or closed")
	}
}

// run is Run on a team that is taken.
func (t *Team) run(f func(worker int)) {
	if len(t.helpers) == 0 {
		defer t.busy.Store(false)
		f(0)
		return
	}
	t.f = f
	t.pending.Store(uint64(len(t.helpers)))
	t.epoch.Add(1)
	for _, h := range t.helpers {
		h.wake()
	}
	defer t.finish()
	f(0)
}

// finish waits for the helpers, also when worker 0 panicked: they may still use variables
// of the frames that the panic unwinds.
func (t *Team) finish() {
	t.caller.wait(&t.pending, 0, t.looks, t.spin)
	t.f = nil
	p := t.failure.Swap(nil)
	t.busy.Store(false)
	if p != nil {
		panic(p)
	}
}

// For splits [0, n) into chunks of grain items, the last one shorter, and calls
// f once for each; a chunk starts at a multiple of grain whatever the number of
// workers. A worker takes chunks of its own equal share in rising order, and then,
// while there are any, of the shares after it: so the same items tend to meet the
// same worker, whose cache may hold them, call after call. If there is one chunk
// only, the caller runs it and the helpers are left alone. A grain below one means
// one chunk an eighth of a worker's share. f must not use the team. For allocates
// nothing.
func (t *Team) For(n, grain int, f func(worker, lo, hi int)) {
	if n <= 0 {
		return
	}
	if grain < 1 {
		grain = n/(8*t.Threads()) + 1
	}
	t.take()
	if n <= grain {
		defer t.busy.Store(false)
		f(0, 0, n)
		return
	}
	t.grain, t.rangef = grain, f
	chunks := (n + grain - 1) / grain
	for i := range t.shares {
		t.shares[i].next.Store(int64(chunks * i / len(t.shares) * grain))
		t.shares[i].end = int64(min(n, chunks*(i+1)/len(t.shares)*grain))
	}
	defer t.forget()
	t.run(t.body)
}

// forget drops the function that For ran, so that the team keeps nothing alive.
func (t *Team) forget() { t.rangef = nil }

// chunks runs chunks until all are taken.
func (t *Team) chunks(worker int) {
	grain, f := int64(t.grain), t.rangef
	for i := range t.shares {
		s := &t.shares[(worker+i)%len(t.shares)]
		for s.next.Load() < s.end {
			lo := s.next.Add(grain) - grain
			if lo >= s.end {
				break
			}
			f(worker, int(lo), int(min(lo+grain, s.end)))
		}
	}
}

// live runs the team's functions until the team is closed.
func (h *helper) live(t *Team) {
	over := false
	defer func() {
		if over {
			t.left.Done()
		} else {
			// The team's function called runtime.Goexit, which ends this goroutine:
			// another one takes its place.
			go h.live(t)
		}
	}()
	for h.next(t) {
		h.work(t)
	}
	over = true
}

// next waits for the next Run of the team; it returns false if there is none.
func (h *helper) next(t *Team) bool {
	h.epoch++
	h.wait(&t.epoch, h.epoch, t.looks, t.spin)
	return !t.ended.Load()
}

// work runs the team's function once.
func (h *helper) work(t *Team) {
	returned := false
	defer func() {
		if !returned {
			keep(&t.failure, h.worker, recover())
		}
		if t.pending.Add(^uint64(0)) == 0 {
			t.caller.wake()
		}
	}()
	t.f(h.worker)
	returned = true
}

// Count is the number of threads that an option asks for: 0 and less mean GOMAXPROCS, but at most the
// processors that the process may use.
func Count(threads int) int {
	if threads <= 0 {
		return min(runtime.GOMAXPROCS(0), runtime.NumCPU())
	}
	return threads
}

// Each calls f for 0 … n−1 on up to Count(threads) goroutines, the caller's among them.
// worker numbers them from 0; each gets rising numbers. It stops early at the first error
// and at the end of ctx, and returns that error. A memory fault is the error fault: see
// package memfault. Any other panic of f stops it as well; once all goroutines have ended,
// the caller's panics with it: with a *Panic where f ran on another. It needs no team, and
// costs as many goroutines as it has threads.
func Each(ctx context.Context, threads, n int, fault error, f func(worker, i int) error) error {
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var panicked atomic.Pointer[Panic]
	work := func(worker int) {
		returned := false
		defer func() {
			if returned {
				return
			}
			failed.CompareAndSwap(nil, new(error)) // stops the others
			if worker > 0 {
				keep(&panicked, worker, recover())
			}
		}()
		err := memfault.Catch(func() error {
			for failed.Load() == nil {
				i := int(next.Add(1) - 1)
				if i >= n {
					break
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := f(worker, i); err != nil {
					return err
				}
			}
			return nil
		}, func(error) error { return fault })
		if err != nil {
			failed.CompareAndSwap(nil, &err)
		}
		returned = true
	}
	var wg sync.WaitGroup
	for worker := 1; worker < min(Count(threads), n); worker++ {
		wg.Go(func() { work(worker) })
	}
	func() {
		defer wg.Wait()
		work(0)
	}()
	if p := panicked.Load(); p != nil {
		panic(p)
	}
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}
