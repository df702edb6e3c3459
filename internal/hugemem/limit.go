package hugemem

import (
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
)

// ErrMemory is wrapped by every *Error.
var ErrMemory = errors.New("hugemem: not enough memory")

// Error is a refusal of memory.
type Error struct {
	// Need is the number of bytes asked for, Used what the process holds already.
	Need, Used int64
	// Limit is the most bytes that By allows; 0 where By does not tell.
	Limit int64
	// By names what refuses.
	By string
}

// Error names all figures.
func (e *Error) Error() string {
	s := fmt.Sprintf("hugemem: %d bytes of memory are needed beside %d in use, and %s", e.Need, e.Used, e.By)
	if e.Limit > 0 {
		s += fmt.Sprintf(" is %d bytes", e.Limit)
	}
	return s
}

// Unwrap returns ErrMemory.
func (e *Error) Unwrap() error { return ErrMemory }

// minChecked is the number of bytes from which memory is checked against Limit; less is the slack of the runtime.
const minChecked = 1 << 16

// heapFloor is the least memory limit of the Go runtime: below it, it would do nothing but collect.
const heapFloor = 16 << 20

// budget is the limit of the process; it is global because memory is the process's.
var budget struct {
	limit  atomic.Int64
	heap   atomic.Int64 // the Go runtime's memory limit, as last set
	mu     sync.Mutex
	asked  int64 // upper bound of the Go heap's live bytes: those of the last collection, and what Check granted since
	before int64 // the Go runtime's memory limit before Limit
}

// Limit bounds the anonymous memory of the process, in bytes: arrays and the Go heap together. Make and Check refuse
// what would exceed it, and the garbage collector keeps the heap within what arrays leave. 0 removes the limit.
func Limit(bytes int64) {
	budget.mu.Lock()
	defer budget.mu.Unlock()
	if budget.limit.Swap(bytes) == 0 {
		budget.before = debug.SetMemoryLimit(-1)
	}
	budget.asked = math.MaxInt64 / 2 // unknown: the next Check in need collects
	if bytes == 0 {
		debug.SetMemoryLimit(budget.before)
		return
	}
	budget.heap.Store(0)
	tellRuntime()
}

// tellRuntime sets the Go runtime's memory limit, where it moved by 1/64 of the whole: setting it stops all goroutines.
func tellRuntime() {
	limit := budget.limit.Load()
	if limit == 0 {
		return
	}
	heap := max(heapFloor, limit-state.taken.Load())
	if old := budget.heap.Load(); max(heap-old, old-heap) > limit/64 && budget.heap.CompareAndSwap(old, heap) {
		debug.SetMemoryLimit(heap)
	}
}

// goMemory is the memory of the Go runtime that is not given back to the system.
func goMemory() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64() - s[1].Value.Uint64())
}

// Check returns an *Error if the process cannot take n bytes more on the Go heap: the limit of Limit (without
// one, the available memory) or one of the system on address space or data would be exceeded. It goes before large allocations, since the Go runtime ends the
// process where the system refuses memory.
func Check(n int64) error {
	if e := check(n, true); e != nil {
		return e
	}
	return nil
}

func check(n int64, heap bool) *Error {
	if e := refused(n); e != nil {
		return e
	}
	limit := budget.limit.Load()
	if limit == 0 && n >= heapFloor {
		if have := Available(); have > 0 && n > have {
			return &Error{Need: n, Used: state.taken.Load(), Limit: have, By: "the available memory"}
		}
	}
	if limit == 0 || n < minChecked {
		return nil
	}
	pages := state.taken.Load()
	if limit >= math.MaxInt64/4 || n < math.MaxInt64/4 && pages+goMemory()+n <= limit {
		if heap {
			budget.mu.Lock()
			budget.asked += min(n, math.MaxInt64/4)
			budget.mu.Unlock()
		}
		return nil
	}
	budget.mu.Lock()
	defer budget.mu.Unlock()
	// Garbage may fill the heap up to the limit. It makes room for another piece of the heap by itself, not for arrays.
	if n >= limit || !heap || budget.asked > limit-pages-n {
		debug.FreeOSMemory()
		budget.asked = goMemory()
	}
	if n > limit-pages-budget.asked {
		return &Error{Need: n, Used: pages + budget.asked, Limit: limit, By: "the limit"}
	}
	if heap {
		budget.asked += n
	}
	return nil
}

// Recover, deferred, makes an error of the panic of Make where memory was refused. Other panics go on.
func Recover(err *error) {
	if v := recover(); v != nil {
		refusal := Refusal(v)
		if refusal == nil {
			panic(v)
		}
		*err = refusal
	}
}

// Refusal is the *Error that the value of a panic is or wraps, or nil.
func Refusal(v any) error {
	var refusal *Error
	if cause, is := v.(error); is && errors.As(cause, &refusal) {
		return refusal
	}
	return nil
}
