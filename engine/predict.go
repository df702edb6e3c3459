package engine

import "time"

// batchFinished is called after a batch of n roots that took one of so many threads a time.
type batchFinished func(n, threads int, took time.Duration)

// prediction is of the time of batches of roots: T₁·⌈N/G⌉ with the mean of those done for T₁, and N ÷ G as threads get
// about as many each.
type prediction struct {
	of, done     int64 // roots
	before, busy time.Duration
}

// add counts a batch that ended now, and returns the time that all will have taken, which is now after the last one.
func (p *prediction) add(n int64, threads int, took, now time.Duration) time.Duration {
	if p.done == 0 {
		p.before = now - took // allocations
	}
	p.done += n
	p.busy += took
	if p.done == p.of {
		return now
	}
	return max(now+1, p.before+time.Duration(float64(p.busy)*float64(p.of)/float64(p.done)/float64(threads)))
}
